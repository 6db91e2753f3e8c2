#include "image/worker.h"

#include "base/alloc.h"
#include "base/companion.h"
#include "base/monitor.h"
#include "image/merge_check.h"
#include "image/protocol.h"
#include "image/thumbnail.h"
#include "image/worker_process.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The worker ends a picture that takes too much processor time; on a busy machine that is so much longer. */
static const double PATIENCE = 4;

/* Requests that a process lives for. The libraries in it keep a little memory of each picture (13 kB of
 * each SVG), and a limit that is reached in the end would cost a picture. */
enum { LIFETIME = 4096 };

/* Bytes of a reply whose memory is kept for the next one. */
enum { ROOM_KEPT = 16 << 20 };

/* The first second of the year 1, and of 10000. */
#define DATE_LEAST (-INT64_C(62135596800))
#define DATE_END INT64_C(253402300800)

static const char program[] = "fast0tag-picture";

f0t_status f0t_worker_program(char **out)
{
    F0T_TRY(f0t_companion_find(out, program, "F0T_PICTURE", X_OK));
    if (!*out)
        return f0t_fail(
            F0T_ERROR_NOT_FOUND,
            "the program %s, which reads pictures, is not installed; set F0T_PICTURE to "
            "its path",
            program);
    return F0T_OK;
}

/* ---- Workers --------------------------------------------------------------------------------------- */

/* Which process is asked. */
typedef enum worker_role { DECODE, BITMAP, MERGE, ROLES } worker_role;

static const char *const role_names[ROLES] = {F0T_PICTURE_ROLE_DECODE, F0T_PICTURE_ROLE_BITMAP,
                                              F0T_PICTURE_ROLE_MERGE};

/* What is asked of a process. */
typedef struct question {
    f0t_picture_request request;
    const f0t_picture_source *source;
    const char *text;
    int fd; /* of the file to read; -1: none */
    worker_role role;
} question;

struct f0t_worker {
    char *program;
    uint32_t pixels, seconds; /* of a picture at most; 0: what the protocol says */
    f0t_worker_process processes[ROLES];
    size_t asked[ROLES]; /* of each process */
    char *data;          /* of the last reply */
    size_t room;
    char *expected; /* path of a picture that was asked for and not yet received, or NULL */
    const void *expected_data;
    size_t expected_size;
    f0t_picture_request expected_request;
    worker_role expected_role;
};

static void forget_expected(f0t_worker *worker)
{
    f0t_free(worker->expected);
    worker->expected = NULL;
}

static void end_process(f0t_worker *worker, worker_role role)
{
    f0t_worker_process_end(&worker->processes[role]);
    if (role == worker->expected_role)
        forget_expected(worker);
}

f0t_status f0t_worker_create(f0t_worker **out)
{
    f0t_worker *worker;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&worker, 1, sizeof *worker));
    f0t_status status = f0t_worker_program(&worker->program);
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
    for (worker_role role = 0; role < ROLES; role++)
        end_process(worker, role);
    forget_expected(worker);
    f0t_free(worker->program);
    f0t_free(worker->data);
    f0t_free(worker);
}

void f0t_worker_limit(f0t_worker *worker, size_t pixels, size_t seconds)
{
    worker->pixels = pixels < UINT32_MAX ? (uint32_t)pixels : UINT32_MAX;
    worker->seconds = seconds < F0T_PICTURE_SECONDS ? (uint32_t)seconds : F0T_PICTURE_SECONDS;
}

static double deadline_of(const f0t_worker *worker)
{
    return f0t_time() + PATIENCE * (worker->seconds ? worker->seconds : F0T_PICTURE_SECONDS);
}

/* ---- Files ------------------------------------------------------------------------------------------ */

/* A file in memory with the bytes of a picture. */
static f0t_status open_bytes(int *fd, const f0t_picture_source *source)
{
    *fd = -1;
    if (source->size > F0T_PICTURE_BYTES_MAX)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "%s: has %zu bytes: at most %u", source->path,
                        source->size, F0T_PICTURE_BYTES_MAX);
    *fd = memfd_create("picture", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    for (size_t done = 0; *fd >= 0 && done < source->size;) {
        ssize_t wrote = write(*fd, (const char *)source->data + done, source->size - done);
        if (wrote > 0) {
            done += (size_t)wrote;
        } else if (errno != EINTR) {
            close(*fd);
            *fd = -1;
        }
    }
    if (*fd >= 0) /* the process could write to it */
        fcntl(*fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK);
    return *fd >= 0 ? F0T_OK
                    : f0t_fail(F0T_ERROR_MEMORY, "%s: no memory for the process that decodes: %s",
                               source->path, strerror(errno));
}

/* Not a pipe, whose other end might never come, nor a device. */
static f0t_status open_regular(int *fd, struct stat *info, const char *path)
{
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    f0t_status status = F0T_OK;
    if (*fd < 0 || fstat(*fd, info) != 0)
        status = f0t_fail(errno == ENOENT ? F0T_ERROR_NOT_FOUND : F0T_ERROR_IO, "%s: %s", path,
                          strerror(errno));
    else if (!S_ISREG(info->st_mode))
        status = f0t_fail(F0T_ERROR_UNSUPPORTED, "%s: %s", path,
                          S_ISDIR(info->st_mode) ? "is a directory" : "is no ordinary file");
    if (status != F0T_OK && *fd >= 0)
        close(*fd);
    *fd = status == F0T_OK ? *fd : -1;
    return status;
}

static f0t_status open_source(int *fd, const f0t_picture_source *source)
{
    struct stat info;
    return source->data ? open_bytes(fd, source) : open_regular(fd, &info, source->path);
}

static void close_file(int fd)
{
    if (fd >= 0)
        close(fd);
}

static bool is_bitmap(int fd)
{
    char begin[2];
    return pread(fd, begin, 2, 0) == 2 && !memcmp(begin, "BM", 2);
}

/* ---- A request and its reply -------------------------------------------------------------------- */

static bool send_request(const f0t_worker *worker, const question *q, double deadline)
{
    const f0t_worker_process *p = &worker->processes[q->role];
    return f0t_worker_process_send(p, &q->request, sizeof q->request, q->fd, deadline) &&
           f0t_worker_process_send(p, q->source->path, q->request.path_length, -1, deadline) &&
           f0t_worker_process_send(p, q->text, q->request.text_length, -1, deadline);
}

/* Twice what was asked for at most, which drawing and shrinking may round up. */
static bool has_size(const f0t_picture_reply *reply, const f0t_picture_request *request)
{
    const uint64_t pixels = (uint64_t)reply->width * reply->height, side = request->side;
    const uint32_t shorter = reply->width < reply->height ? reply->width : reply->height,
                   longer = reply->width < reply->height ? reply->height : reply->width;
    uint64_t most = request->pixels > side * side ? request->pixels : side * side;
    if (!request->pixels || most > F0T_PICTURE_SHRUNK_MAX)
        most = F0T_PICTURE_SHRUNK_MAX;
    return pixels > 0 && pixels <= 2 * most && longer <= F0T_PICTURE_SIDE_MAX &&
           shorter <= 2 * side + 8;
}

/* A worker that a hostile picture took over says what it likes: sizes are checked. */
static bool is_plausible(const f0t_picture_reply *reply, const f0t_picture_request *request)
{
    if (reply->status != F0T_OK || request->kind != F0T_PICTURE_DECODE)
        return reply->length <= 2 * F0T_PICTURE_TEXT_MAX;
    const uint64_t pixels = (uint64_t)reply->width * reply->height;
    const uint64_t least = 3 * pixels + (request->details ? sizeof(f0t_picture_details) : 0),
                   most = least + (request->details ? F0T_PICTURE_THUMBNAIL_MAX : 0);
    return has_size(reply, request) && reply->length >= least && reply->length <= most;
}

static f0t_status receive_data(f0t_worker *worker, worker_role role, size_t length, double deadline,
                               bool *received)
{
    if (length + 1 > worker->room || (worker->room > ROOM_KEPT && length < ROOM_KEPT)) {
        f0t_free(worker->data);
        worker->data = NULL;
        worker->room = 0;
        F0T_TRY(f0t_alloc(&worker->data, length + 1, 1));
        worker->room = length + 1;
    }
    *received =
        f0t_worker_process_receive(&worker->processes[role], worker->data, length, deadline);
    worker->data[*received ? length : 0] = 0;
    return F0T_OK;
}

/* Whether this is what was asked for before. Anything else that was is not wanted any more: a new
 * process is sooner ready than the old one is done with it. */
static bool is_expected(f0t_worker *worker, const question *q)
{
    if (!worker->expected)
        return false;
    const bool same = !memcmp(&worker->expected_request, &q->request, sizeof q->request) &&
                      !strcmp(worker->expected, q->source->path) &&
                      worker->expected_data == q->source->data &&
                      worker->expected_size == q->source->size;
    if (same)
        forget_expected(worker);
    else
        end_process(worker, worker->expected_role);
    return same;
}

static f0t_status check_owner(const f0t_worker *worker)
{
    for (worker_role role = 0; role < ROLES; role++)
        F0T_TRY(f0t_worker_process_check(&worker->processes[role]));
    return F0T_OK;
}

/* The kernel ends one in the end, and so would a limit that its libraries fill up. */
static bool is_spent(const f0t_worker *worker, worker_role role)
{
    return worker->asked[role] >= LIFETIME ||
           f0t_worker_process_time(&worker->processes[role]) > F0T_PICTURE_LIFE / 2;
}

/* A process that is ready for a question. */
static f0t_status make_ready(f0t_worker *worker, worker_role role)
{
    f0t_worker_process *p = &worker->processes[role];
    if (is_spent(worker, role) || f0t_worker_process_has_ended(p))
        end_process(worker, role);
    if (!p->pid) {
        worker->asked[role] = 0;
        F0T_TRY(f0t_worker_process_start(p, worker->program, role_names[role]));
    }
    worker->asked[role]++;
    return F0T_OK;
}

static f0t_status send_question(f0t_worker *worker, question *q, double deadline, bool *sent)
{
    const bool reads = q->role != MERGE;
    if (reads)
        F0T_TRY(open_source(&q->fd, q->source));
    q->role = reads && is_bitmap(q->fd) ? BITMAP : q->role;
    f0t_status status = make_ready(worker, q->role);
    if (status == F0T_ERROR_IO) /* this picture alone is not read: the next one is tried again */
        status = f0t_fail_prefix(status, "%s: ", q->source->path);
    if (status == F0T_OK)
        *sent = send_request(worker, q, deadline);
    close_file(q->fd);
    q->fd = -1;
    return status;
}

static f0t_status talk(f0t_worker *worker, f0t_picture_reply *reply, bool *answered, question *q)
{
    const double deadline = deadline_of(worker);
    const worker_role role = worker->expected_role;
    *answered = false;
    F0T_TRY(check_owner(worker));
    if (is_expected(worker, q)) {
        *answered = true;
        q->role = role;
    } else {
        F0T_TRY(send_question(worker, q, deadline, answered));
    }
    *answered =
        *answered &&
        f0t_worker_process_receive(&worker->processes[q->role], reply, sizeof *reply, deadline) &&
        is_plausible(reply, &q->request);
    if (*answered)
        F0T_TRY(receive_data(worker, q->role, reply->length, deadline, answered));
    return F0T_OK;
}

/* What the worker says of a file, as one line. */
static f0t_status told(const f0t_worker *worker, const f0t_picture_reply *reply, const char *path)
{
    const bool known = reply->status > F0T_OK && reply->status <= F0T_ERROR_INTERNAL;
    return f0t_fail(known ? (f0t_status)reply->status : F0T_ERROR_FORMAT, "%s: %s", path,
                    worker->data);
}

static f0t_status check_length(const f0t_picture_source *source, size_t text_length)
{
    const size_t path_length = strlen(source->path);
    return path_length <= F0T_PICTURE_PATH_MAX && text_length <= F0T_PICTURE_REQUEST_MAX
               ? F0T_OK
               : f0t_fail(F0T_ERROR_ARGUMENT,
                          "a path of %zu bytes with %zu bytes of tags is too long", path_length,
                          text_length);
}

static f0t_status ask(f0t_worker *worker, f0t_picture_reply *reply, f0t_picture_request request,
                      const f0t_picture_source *source, const char *text, size_t text_length)
{
    bool answered = false;
    F0T_TRY(check_length(source, text_length));
    request.path_length = (uint32_t)strlen(source->path);
    request.text_length = (uint32_t)text_length;
    question q = {.request = request, .source = source, .text = text, .fd = -1};
    q.role =
        request.kind == F0T_PICTURE_MERGE || request.kind == F0T_PICTURE_EMBED ? MERGE : DECODE;
    f0t_status status = talk(worker, reply, &answered, &q);
    if (status == F0T_OK && answered)
        return reply->status == F0T_OK ? F0T_OK : told(worker, reply, source->path);
    if (status == F0T_OK || status == F0T_ERROR_MEMORY)
        end_process(worker, q.role);
    F0T_TRY(status);
    return f0t_fail(F0T_ERROR_FORMAT,
                    "%s: cannot be read: it needs too much memory or time, or is damaged",
                    source->path);
}

/* ---- What can be asked -------------------------------------------------------------------------- */

static f0t_picture_request decode_request(const f0t_worker *worker,
                                          const f0t_picture_source *source, size_t side, bool plain)
{
    return (f0t_picture_request){.kind = F0T_PICTURE_DECODE,
                                 .side = (uint32_t)side,
                                 .plain = plain,
                                 .pixels = worker->pixels,
                                 .seconds = worker->seconds,
                                 .details = source->extra != NULL};
}

/* What follows the pixels, as far as it can be; a thumbnail of another length than was said is none. */
static void take_details(f0t_picture *picture, const f0t_picture_reply *reply)
{
    f0t_picture_details details;
    const uint8_t *at = picture->rgb + 3 * (size_t)reply->width * reply->height;
    const size_t rest = reply->length - (size_t)(at - picture->rgb) - sizeof details;
    memcpy(&details, at, sizeof details);
    const bool dated = details.taken >= DATE_LEAST && details.taken < DATE_END;
    const uint64_t pixels = (uint64_t)details.width * details.height;
    const bool sized = pixels > 0 && pixels <= F0T_PICTURE_PIXELS_MAX;
    const bool shown =
        rest == details.thumbnail && f0t_thumbnail_is_plain(at + sizeof details, rest);
    picture->taken = dated ? details.taken : F0T_NO_DATE;
    picture->whole_width = sized ? details.width : 0;
    picture->whole_height = sized ? details.height : 0;
    picture->thumbnail = shown ? at + sizeof details : NULL;
    picture->thumbnail_size = picture->thumbnail ? rest : 0;
}

f0t_status f0t_worker_decode_source(f0t_picture *out, f0t_worker *worker,
                                    const f0t_picture_source *source, size_t side, bool plain)
{
    f0t_picture_reply reply;
    *out = (f0t_picture){0};
    if (side == 0 || side > 16384)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a side of %zu pixels: it must be from 1 to 16384",
                        side);
    F0T_TRY(ask(worker, &reply, decode_request(worker, source, side, plain), source, "", 0));
    *out = (f0t_picture){
        .width = reply.width, .height = reply.height, .rgb = (const uint8_t *)worker->data};
    if (source->extra)
        take_details(out, &reply);
    return F0T_OK;
}

f0t_status f0t_worker_decode(f0t_picture *out, f0t_worker *worker, const char *path, size_t side,
                             bool plain)
{
    return f0t_worker_decode_source(out, worker, &(f0t_picture_source){.path = path}, side, plain);
}

static void keep_expected(f0t_worker *worker, const question *q)
{
    if (f0t_string_copy(&worker->expected, q->source->path, q->request.path_length) != F0T_OK)
        return;
    worker->expected_data = q->source->data;
    worker->expected_size = q->source->size;
    worker->expected_request = q->request;
    worker->expected_role = q->role;
    if (!send_request(worker, q, deadline_of(worker)))
        end_process(worker, q->role);
}

void f0t_worker_expect(f0t_worker *worker, const f0t_picture_source *source, size_t side,
                       bool plain)
{
    question q = {.request = decode_request(worker, source, side, plain),
                  .source = source,
                  .text = "",
                  .role = DECODE};
    const size_t length = strlen(source->path);
    if (worker->expected || length > F0T_PICTURE_PATH_MAX || !worker->processes[DECODE].pid ||
        open_source(&q.fd, source) != F0T_OK)
        return;
    q.request.path_length = (uint32_t)length;
    if (!is_bitmap(q.fd) && !is_spent(worker, DECODE) && check_owner(worker) == F0T_OK) {
        worker->asked[DECODE]++;
        keep_expected(worker, &q);
    }
    close_file(q.fd);
}

void f0t_worker_expect_none(f0t_worker *worker)
{
    if (worker->expected)
        end_process(worker, worker->expected_role);
}

f0t_status f0t_worker_keywords(const char **text, size_t *length, f0t_worker *worker,
                               const char *path)
{
    f0t_picture_reply reply;
    const f0t_picture_request request = {.kind = F0T_PICTURE_KEYWORDS, .side = 1};
    F0T_TRY(ask(worker, &reply, request, &(f0t_picture_source){.path = path}, "", 0));
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

/* The lines, a NUL, the text. */
static f0t_status ask_merge(f0t_xmp_merged *out, f0t_worker *worker, f0t_picture_kind kind,
                            const char *path, const char *lines, const char *text, size_t length)
{
    f0t_picture_reply reply;
    const f0t_picture_request request = {.kind = kind, .side = 1};
    const size_t lines_size = strlen(lines) + 1;
    char *both;
    *out = (f0t_xmp_merged){0};
    F0T_TRY(f0t_alloc(&both, lines_size + length, 1));
    memcpy(both, lines, lines_size);
    if (length)
        memcpy(both + lines_size, text, length);
    f0t_status status = ask(worker, &reply, request, &(f0t_picture_source){.path = path}, both,
                            lines_size + length);
    f0t_free(both);
    F0T_TRY(status);
    take_merged(worker, out, &reply);
    if (out->changed)
        status = f0t_merge_check(out, text, length, lines, path);
    if (status != F0T_OK) { /* who knows what it is by now */
        end_process(worker, MERGE);
        *out = (f0t_xmp_merged){0};
    }
    return status;
}

static f0t_status read_open(char **out, size_t *length, int fd, size_t size, const char *path)
{
    F0T_TRY(f0t_alloc(out, size + 1, 1));
    ssize_t got = 1;
    for (*length = 0; *length < size && got != 0;) {
        got = pread(fd, *out + *length, size - *length, (off_t)*length);
        if (got < 0 && errno != EINTR) {
            f0t_free(*out);
            return f0t_fail_errno(errno, "%s", path);
        }
        *length += got > 0 ? (size_t)got : 0;
    }
    return F0T_OK;
}

/* The text of a sidecar; none where it does not exist. */
static f0t_status read_sidecar(char **out, size_t *length, const char *path)
{
    struct stat info;
    int fd;
    *out = NULL;
    *length = 0;
    f0t_status status = open_regular(&fd, &info, path);
    if (status == F0T_ERROR_NOT_FOUND)
        return F0T_OK;
    F0T_TRY(status);
    status = (size_t)info.st_size > F0T_PICTURE_TEXT_MAX
                 ? f0t_fail(F0T_ERROR_UNSUPPORTED, "%s: has more than %u MB", path,
                            F0T_PICTURE_TEXT_MAX >> 20)
                 : read_open(out, length, fd, (size_t)info.st_size, path);
    close(fd);
    return status;
}

f0t_status f0t_worker_merge(f0t_xmp_merged *out, f0t_worker *worker, const char *path,
                            const char *lines)
{
    char *text;
    size_t length;
    *out = (f0t_xmp_merged){0};
    F0T_TRY(read_sidecar(&text, &length, path));
    f0t_status status = ask_merge(out, worker, F0T_PICTURE_MERGE, path, lines, text, length);
    f0t_free(text);
    return status;
}

f0t_status f0t_worker_embed(f0t_xmp_merged *out, f0t_worker *worker, const char *path,
                            const char *lines, const char *text, size_t length)
{
    return ask_merge(out, worker, F0T_PICTURE_EMBED, path, lines, text, length);
}

/* ---- The sandbox ---------------------------------------------------------------------------------- */

f0t_sandbox f0t_picture_sandbox(bool ask)
{
    f0t_worker *worker;
    if (!ask || f0t_worker_process_sandbox() != F0T_SANDBOX_UNKNOWN ||
        f0t_worker_create(&worker) != F0T_OK)
        return f0t_worker_process_sandbox();
    make_ready(worker, DECODE);
    f0t_worker_free(worker);
    return f0t_worker_process_sandbox();
}
