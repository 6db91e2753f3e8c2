#include "image/worker.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "image/protocol.h"
#include "image/worker_process.h"

#include <string.h>

/* The worker ends a picture that takes 30 s of processor time; on a busy machine that is longer. */
static const double PATIENCE = 120;

/* Requests that a process lives for. The libraries in it keep a little memory of each picture (13 kB of
 * each SVG), and a limit that is reached in the end would cost a picture. */
enum { LIFETIME = 4096 };

struct f0t_worker {
    char *program;
    f0t_worker_process process;
    size_t asked; /* of this process */
    char *data;   /* of the last reply */
    size_t room;
    char *expected; /* path of a picture that was asked for and not yet received, or NULL */
    f0t_picture_request expected_request;
};

static void forget_expected(f0t_worker *worker)
{
    f0t_free(worker->expected);
    worker->expected = NULL;
}

static void end_process(f0t_worker *worker)
{
    f0t_worker_process_end(&worker->process);
    forget_expected(worker);
}

f0t_status f0t_worker_create(f0t_worker **out)
{
    f0t_worker *worker;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&worker, 1, sizeof *worker));
    f0t_status status = f0t_worker_process_find(&worker->program);
    if (status == F0T_OK)
        *out = worker;
    else
        f0t_worker_free(worker);
    return status;
}

void f0t_worker_free(f0t_worker *worker)
{
    if (!worker)
        return;
    end_process(worker);
    f0t_free(worker->program);
    f0t_free(worker->data);
    f0t_free(worker);
}

/* ---- A request and its reply -------------------------------------------------------------------- */

static bool send_request(const f0t_worker *worker, const f0t_picture_request *request,
                         const char *path, const char *text, double deadline)
{
    return f0t_worker_process_send(&worker->process, request, sizeof *request, deadline) &&
           f0t_worker_process_send(&worker->process, path, request->path_length, deadline) &&
           f0t_worker_process_send(&worker->process, text, request->text_length, deadline);
}

/* A worker that a hostile picture took over says what it likes: sizes are checked. */
static bool is_plausible(const f0t_picture_reply *reply, uint32_t kind)
{
    if (reply->status != F0T_OK || kind != F0T_PICTURE_DECODE)
        return reply->length <= 2 * F0T_PICTURE_TEXT_MAX;
    const uint64_t pixels = (uint64_t)reply->width * reply->height;
    return pixels > 0 && pixels <= 2 * (uint64_t)F0T_PICTURE_SHRUNK_MAX &&
           reply->length == 3 * pixels;
}

static f0t_status receive_data(f0t_worker *worker, size_t length, double deadline, bool *received)
{
    if (length + 1 > worker->room) {
        f0t_free(worker->data);
        worker->data = NULL;
        worker->room = 0;
        F0T_TRY(f0t_alloc(&worker->data, length + 1, 1));
        worker->room = length + 1;
    }
    *received = f0t_worker_process_receive(&worker->process, worker->data, length, deadline);
    worker->data[*received ? length : 0] = 0;
    return F0T_OK;
}

/* Whether this is what was asked for before. Anything else that was is not wanted any more: a new
 * process is sooner ready than the old one is done with it. */
static bool is_expected(f0t_worker *worker, const f0t_picture_request *request, const char *path)
{
    if (!worker->expected)
        return false;
    const bool same = !memcmp(&worker->expected_request, request, sizeof *request) &&
                      !strcmp(worker->expected, path);
    if (same)
        forget_expected(worker);
    else
        end_process(worker);
    return same;
}

static f0t_status talk(f0t_worker *worker, f0t_picture_reply *reply, bool *answered,
                       const f0t_picture_request *request, const char *path, const char *text)
{
    const double deadline = f0t_time() + PATIENCE;
    const bool expected = is_expected(worker, request, path);
    *answered = false;
    if (worker->asked >= LIFETIME && !expected)
        end_process(worker);
    if (!worker->process.pid) {
        worker->asked = 0;
        F0T_TRY(f0t_worker_process_start(&worker->process, worker->program));
    }
    worker->asked++;
    *answered = (expected || send_request(worker, request, path, text, deadline)) &&
                f0t_worker_process_receive(&worker->process, reply, sizeof *reply, deadline) &&
                is_plausible(reply, request->kind);
    if (*answered)
        F0T_TRY(receive_data(worker, reply->length, deadline, answered));
    return F0T_OK;
}

/* What the worker says of a file, as one line. */
static f0t_status told(const f0t_worker *worker, const f0t_picture_reply *reply, const char *path)
{
    const bool known = reply->status > F0T_OK && reply->status <= F0T_ERROR_INTERNAL;
    return f0t_fail(known ? (f0t_status)reply->status : F0T_ERROR_FORMAT, "%s: %s", path,
                    worker->data);
}

static f0t_status ask(f0t_worker *worker, f0t_picture_reply *reply, f0t_picture_request request,
                      const char *path, const char *text, size_t text_length)
{
    bool answered = false;
    const size_t path_length = strlen(path);
    if (path_length > F0T_PICTURE_PATH_MAX || text_length > F0T_PICTURE_TEXT_MAX)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "a path of %zu bytes with %zu bytes of tags is too long", path_length,
                        text_length);
    request.path_length = (uint32_t)path_length;
    request.text_length = (uint32_t)text_length;
    f0t_status status = talk(worker, reply, &answered, &request, path, text);
    if (status == F0T_OK && answered)
        return reply->status == F0T_OK ? F0T_OK : told(worker, reply, path);
    end_process(worker);
    F0T_TRY(status);
    return f0t_fail(F0T_ERROR_FORMAT,
                    "%s: cannot be read: it needs too much memory or time, or is damaged", path);
}

/* ---- What can be asked -------------------------------------------------------------------------- */

static f0t_picture_request decode_request(size_t side, bool plain)
{
    return (f0t_picture_request){
        .kind = F0T_PICTURE_DECODE, .side = (uint32_t)side, .plain = plain};
}

f0t_status f0t_worker_decode(f0t_worker *worker, f0t_picture *out, const char *path, size_t side,
                             bool plain)
{
    f0t_picture_reply reply;
    *out = (f0t_picture){0};
    if (side == 0 || side > 16384)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a side of %zu pixels: it must be from 1 to 16384",
                        side);
    F0T_TRY(ask(worker, &reply, decode_request(side, plain), path, "", 0));
    *out = (f0t_picture){reply.width, reply.height, (const uint8_t *)worker->data};
    return F0T_OK;
}

void f0t_worker_expect(f0t_worker *worker, const char *path, size_t side, bool plain)
{
    f0t_picture_request request = decode_request(side, plain);
    const size_t length = strlen(path);
    if (!worker->process.pid || worker->expected || worker->asked >= LIFETIME ||
        length > F0T_PICTURE_PATH_MAX)
        return;
    request.path_length = (uint32_t)length;
    if (f0t_string_copy(&worker->expected, path, length) != F0T_OK)
        return;
    worker->expected_request = request;
    if (!send_request(worker, &request, path, "", f0t_time() + PATIENCE))
        end_process(worker);
}

void f0t_worker_expect_none(f0t_worker *worker)
{
    if (worker->expected)
        end_process(worker);
}

f0t_status f0t_worker_keywords(f0t_worker *worker, const char **text, size_t *length,
                               const char *path)
{
    f0t_picture_reply reply;
    const f0t_picture_request request = {.kind = F0T_PICTURE_KEYWORDS, .side = 1};
    F0T_TRY(ask(worker, &reply, request, path, "", 0));
    *text = worker->data;
    *length = reply.length;
    return F0T_OK;
}

/* A worker that was taken over may say that it has more lines than bytes. */
static void take_merged(const f0t_worker *worker, f0t_xmp_merged *out,
                        const f0t_picture_reply *reply)
{
    const size_t lines = reply->height <= reply->length ? reply->height : 0;
    *out = (f0t_xmp_merged){.text = worker->data,
                            .length = reply->length - lines,
                            .changed = reply->width == 1,
                            .change = worker->data + reply->length - lines};
}

f0t_status f0t_worker_merge(f0t_worker *worker, f0t_xmp_merged *out, const char *path,
                            const char *lines)
{
    f0t_picture_reply reply;
    const f0t_picture_request request = {.kind = F0T_PICTURE_MERGE, .side = 1};
    *out = (f0t_xmp_merged){0};
    F0T_TRY(ask(worker, &reply, request, path, lines, strlen(lines)));
    take_merged(worker, out, &reply);
    return F0T_OK;
}

f0t_status f0t_worker_embed(f0t_worker *worker, f0t_xmp_merged *out, const char *path,
                            const char *lines, const char *text, size_t length)
{
    f0t_picture_reply reply;
    const f0t_picture_request request = {.kind = F0T_PICTURE_EMBED, .side = 1};
    const size_t lines_size = strlen(lines) + 1;
    char *both;
    *out = (f0t_xmp_merged){0};
    F0T_TRY(f0t_alloc(&both, lines_size + length, 1));
    memcpy(both, lines, lines_size);
    if (length)
        memcpy(both + lines_size, text, length);
    f0t_status status = ask(worker, &reply, request, path, both, lines_size + length);
    f0t_free(both);
    F0T_TRY(status);
    take_merged(worker, out, &reply);
    return F0T_OK;
}
