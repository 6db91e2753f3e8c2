#include "image/worker.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "image/protocol.h"
#include "image/worker_process.h"

#include <string.h>

/* The worker ends a picture that takes 30 s of processor time; on a busy machine that is longer. */
static const double PATIENCE = 120;

struct f0t_worker {
    char *program;
    f0t_process process;
    char *data; /* of the last reply */
    size_t room;
};

f0t_status f0t_worker_create(f0t_worker **out)
{
    f0t_worker *worker;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&worker, 1, sizeof *worker));
    f0t_status status = f0t_process_find(&worker->program);
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
    f0t_process_end(&worker->process);
    f0t_free(worker->program);
    f0t_free(worker->data);
    f0t_free(worker);
}

/* ---- A request and its reply -------------------------------------------------------------------- */

static bool send_request(const f0t_worker *worker, const f0t_picture_request *request,
                         const char *path, const char *text, double deadline)
{
    return f0t_process_send(&worker->process, request, sizeof *request, deadline) &&
           f0t_process_send(&worker->process, path, request->path_length, deadline) &&
           f0t_process_send(&worker->process, text, request->text_length, deadline);
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
    *received = f0t_process_receive(&worker->process, worker->data, length, deadline);
    worker->data[*received ? length : 0] = 0;
    return F0T_OK;
}

static f0t_status talk(f0t_worker *worker, f0t_picture_reply *reply, bool *answered,
                       const f0t_picture_request *request, const char *path, const char *text)
{
    const double deadline = f0t_time() + PATIENCE;
    *answered = send_request(worker, request, path, text, deadline) &&
                f0t_process_receive(&worker->process, reply, sizeof *reply, deadline) &&
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
                      const char *path, const char *text)
{
    bool answered = false;
    const size_t path_length = strlen(path), text_length = strlen(text);
    if (path_length > F0T_PICTURE_PATH_MAX || text_length > F0T_PICTURE_TEXT_MAX)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "a path of %zu bytes with %zu bytes of tags is too long", path_length,
                        text_length);
    request.path_length = (uint32_t)path_length;
    request.text_length = (uint32_t)text_length;
    if (!worker->process.pid)
        F0T_TRY(f0t_process_start(&worker->process, worker->program));
    f0t_status status = talk(worker, reply, &answered, &request, path, text);
    if (status == F0T_OK && answered)
        return reply->status == F0T_OK ? F0T_OK : told(worker, reply, path);
    f0t_process_end(&worker->process);
    F0T_TRY(status);
    return f0t_fail(F0T_ERROR_FORMAT,
                    "%s: cannot be read: it needs too much memory or time, or is damaged", path);
}

/* ---- What can be asked -------------------------------------------------------------------------- */

f0t_status f0t_worker_decode(f0t_worker *worker, f0t_picture *out, const char *path, size_t side,
                             bool plain)
{
    f0t_picture_reply reply;
    const f0t_picture_request request = {
        .kind = F0T_PICTURE_DECODE, .side = (uint32_t)side, .plain = plain};
    *out = (f0t_picture){0};
    if (side == 0 || side > 16384)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a side of %zu pixels: it must be from 1 to 16384",
                        side);
    F0T_TRY(ask(worker, &reply, request, path, ""));
    *out = (f0t_picture){reply.width, reply.height, (const uint8_t *)worker->data};
    return F0T_OK;
}

f0t_status f0t_worker_keywords(f0t_worker *worker, const char **text, size_t *length,
                               const char *path)
{
    f0t_picture_reply reply;
    const f0t_picture_request request = {.kind = F0T_PICTURE_KEYWORDS, .side = 1};
    F0T_TRY(ask(worker, &reply, request, path, ""));
    *text = worker->data;
    *length = reply.length;
    return F0T_OK;
}

f0t_status f0t_worker_merge(f0t_worker *worker, const char **sidecar, size_t *length, bool *changed,
                            const char *path, const char *tags)
{
    f0t_picture_reply reply;
    const f0t_picture_request request = {.kind = F0T_PICTURE_MERGE, .side = 1};
    F0T_TRY(ask(worker, &reply, request, path, tags));
    *sidecar = worker->data;
    *length = reply.length;
    *changed = reply.width == 1;
    return F0T_OK;
}
