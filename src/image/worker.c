#include "image/worker.h"

#include "base/alloc.h"
#include "base/companion.h"
#include "base/monitor.h"
#include "image/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* The worker ends a picture that takes too much processor time; on a busy machine that is so much longer. */
static const double PATIENCE = 4;

/* Requests that a process lives for. The libraries in it keep a little memory of each picture (13 kB of
 * each SVG), and a limit that is reached in the end would cost a picture. */
enum { LIFETIME = 4096 };

/* The process that decodes: found, started, talked to with a deadline, ended. */
typedef struct process {
    pid_t pid; /* 0: none runs */
    int socket;
} process;

static const char program[] = "fast0tag-picture";

/* ---- The process: finding it --------------------------------------------------------------------------------- */

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

/* ---- The process: starting and ending it ------------------------------------------------------------------------ */

extern char **environ;

static int spawn(pid_t *pid, const char *path, int end)
{
    char name[] = "fast0tag-picture";
    char *const arguments[] = {name, NULL};
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    failed = posix_spawn_file_actions_adddup2(&actions, end, 0);
    if (!failed)
        failed = posix_spawn_file_actions_adddup2(&actions, end, 1);
    if (!failed) /* what its libraries think of a picture comes with the reply */
        failed = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (!failed)
        failed = posix_spawn(pid, path, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* A socket rather than pipes: writing to one whose other end is gone need not raise a signal. */
static f0t_status process_start(process *p, const char *path)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return f0t_fail(F0T_ERROR_IO, "no connection to %s: %s", program, strerror(errno));
    int failed = spawn(&p->pid, path, ends[1]);
    close(ends[1]);
    p->socket = ends[0];
    if (failed) {
        close(ends[0]);
        p->pid = 0;
        return f0t_fail(F0T_ERROR_IO, "%s: cannot be started: %s", path, strerror(failed));
    }
    return F0T_OK;
}

/* Ends it at once. */
static void process_end(process *p)
{
    if (!p->pid)
        return;
    close(p->socket);
    kill(p->pid, SIGKILL);
    while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    p->pid = 0;
}

/* ---- The process: talking to it ------------------------------------------------------------------------------------ */

static bool wait_for(int socket, short events, double deadline)
{
    struct pollfd one = {.fd = socket, .events = events};
    for (;;) {
        double left = deadline - f0t_time();
        int ready = left > 0 ? poll(&one, 1, (int)(1000 * left) + 1) : 0;
        if (ready > 0)
            return true;
        if (ready == 0 || errno != EINTR)
            return false;
    }
}

/* All bytes, before `deadline` (f0t_time). False when the process is gone or the time is over. */
static bool process_send(const process *p, const void *data, size_t size, double deadline)
{
    const char *at = data;
    while (size) {
        if (!wait_for(p->socket, POLLOUT, deadline))
            return false;
        ssize_t sent = send(p->socket, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        at += sent > 0 ? sent : 0;
        size -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

/* What the system does not write to, though it says that it may. */
static void *writable(const void *data)
{
    union {
        const void *in;
        void *out;
    } cast = {.in = data};
    return cast.out;
}

/* The same, with a descriptor for the other side. */
static bool process_send_file(const process *p, const void *data, size_t size, int fd,
                              double deadline)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {.room = {0}};
    struct iovec part = {writable(data), size};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    control.header = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)};
    memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    for (;;) {
        if (!wait_for(p->socket, POLLOUT, deadline))
            return false;
        ssize_t sent = sendmsg(p->socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0)
            return process_send(p, (const char *)data + sent, size - (size_t)sent, deadline);
        if (sent == 0 || (errno != EINTR && errno != EAGAIN))
            return false;
    }
}

static bool process_receive(const process *p, void *data, size_t size, double deadline)
{
    char *at = data;
    while (size) {
        if (!wait_for(p->socket, POLLIN, deadline))
            return false;
        ssize_t got = recv(p->socket, at, size, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
            return false;
        at += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* Somebody may have ended it (the system, for want of memory) since its last reply. */
static bool has_ended(const process *p)
{
    char byte;
    return p->pid && recv(p->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* ---- Workers --------------------------------------------------------------------------------------- */

struct f0t_worker {
    char *program;
    uint32_t pixels, seconds; /* of a picture at most; 0: what the protocol says */
    process process;
    size_t asked; /* of this process */
    char *data;   /* of the last reply */
    size_t room;
    char *expected; /* path of a picture that was asked for and not yet received, or NULL */
    const void *expected_data;
    size_t expected_size;
    f0t_picture_request expected_request;
};

static void forget_expected(f0t_worker *worker)
{
    f0t_free(worker->expected);
    worker->expected = NULL;
}

static void end_process(f0t_worker *worker)
{
    process_end(&worker->process);
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
    end_process(worker);
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

/* ---- A request and its reply -------------------------------------------------------------------- */

static bool send_request(const f0t_worker *worker, const f0t_picture_request *request,
                         const char *path, const char *text, int fd, double deadline)
{
    const process *p = &worker->process;
    return (fd < 0 ? process_send(p, request, sizeof *request, deadline)
                   : process_send_file(p, request, sizeof *request, fd, deadline)) &&
           process_send(p, path, request->path_length, deadline) &&
           process_send(p, text, request->text_length, deadline);
}

/* A file in memory with the bytes of a picture; -1 for one that is in a file of its own. */
static f0t_status open_bytes(int *fd, const f0t_picture_source *source)
{
    *fd = -1;
    if (!source->data)
        return F0T_OK;
    if (source->size > F0T_PICTURE_BYTES_MAX)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "%s: has %zu bytes: at most %u", source->path,
                        source->size, F0T_PICTURE_BYTES_MAX);
    *fd = memfd_create("picture", MFD_CLOEXEC);
    for (size_t done = 0; *fd >= 0 && done < source->size;) {
        ssize_t wrote = write(*fd, (const char *)source->data + done, source->size - done);
        if (wrote > 0) {
            done += (size_t)wrote;
        } else if (errno != EINTR) {
            close(*fd);
            *fd = -1;
        }
    }
    return *fd >= 0 ? F0T_OK
                    : f0t_fail(F0T_ERROR_MEMORY, "%s: no memory for the process that decodes: %s",
                               source->path, strerror(errno));
}

static void close_bytes(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* A worker that a hostile picture took over says what it likes: sizes are checked. */
static bool is_plausible(const f0t_picture_reply *reply, const f0t_picture_request *request)
{
    if (reply->status != F0T_OK ||
        (request->kind != F0T_PICTURE_DECODE && request->kind != F0T_PICTURE_BYTES))
        return reply->length <= 2 * F0T_PICTURE_TEXT_MAX;
    const uint64_t pixels = (uint64_t)reply->width * reply->height;
    const uint64_t least = 3 * pixels + (request->details ? sizeof(f0t_picture_details) : 0),
                   most = least + (request->details ? F0T_PICTURE_THUMBNAIL_MAX : 0);
    return pixels > 0 && pixels <= 2 * (uint64_t)F0T_PICTURE_SHRUNK_MAX && reply->length >= least &&
           reply->length <= most;
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
    *received = process_receive(&worker->process, worker->data, length, deadline);
    worker->data[*received ? length : 0] = 0;
    return F0T_OK;
}

/* Whether this is what was asked for before. Anything else that was is not wanted any more: a new
 * process is sooner ready than the old one is done with it. */
static bool is_expected(f0t_worker *worker, const f0t_picture_request *request,
                        const f0t_picture_source *source)
{
    if (!worker->expected)
        return false;
    const bool same = !memcmp(&worker->expected_request, request, sizeof *request) &&
                      !strcmp(worker->expected, source->path) &&
                      worker->expected_data == source->data &&
                      worker->expected_size == source->size;
    if (same)
        forget_expected(worker);
    else
        end_process(worker);
    return same;
}

static f0t_status talk(f0t_worker *worker, f0t_picture_reply *reply, bool *answered,
                       const f0t_picture_request *request, const f0t_picture_source *source,
                       const char *text)
{
    const double deadline = deadline_of(worker);
    const bool expected = is_expected(worker, request, source);
    int fd = -1;
    *answered = false;
    if (!expected && (worker->asked >= LIFETIME || has_ended(&worker->process)))
        end_process(worker);
    if (!worker->process.pid) {
        worker->asked = 0;
        F0T_TRY(process_start(&worker->process, worker->program));
    }
    worker->asked++;
    if (!expected)
        F0T_TRY(open_bytes(&fd, source));
    *answered = expected || send_request(worker, request, source->path, text, fd, deadline);
    close_bytes(fd);
    *answered = *answered && process_receive(&worker->process, reply, sizeof *reply, deadline) &&
                is_plausible(reply, request);
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
                      const f0t_picture_source *source, const char *text, size_t text_length)
{
    bool answered = false;
    const char *path = source->path;
    const size_t path_length = strlen(path);
    if (path_length > F0T_PICTURE_PATH_MAX || text_length > F0T_PICTURE_TEXT_MAX)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "a path of %zu bytes with %zu bytes of tags is too long", path_length,
                        text_length);
    request.path_length = (uint32_t)path_length;
    request.text_length = (uint32_t)text_length;
    f0t_status status = talk(worker, reply, &answered, &request, source, text);
    if (status == F0T_OK && answered)
        return reply->status == F0T_OK ? F0T_OK : told(worker, reply, path);
    end_process(worker);
    F0T_TRY(status);
    return f0t_fail(F0T_ERROR_FORMAT,
                    "%s: cannot be read: it needs too much memory or time, or is damaged", path);
}

/* ---- What can be asked -------------------------------------------------------------------------- */

static f0t_picture_request decode_request(const f0t_worker *worker,
                                          const f0t_picture_source *source, size_t side, bool plain)
{
    return (f0t_picture_request){.kind = source->data ? F0T_PICTURE_BYTES : F0T_PICTURE_DECODE,
                                 .side = (uint32_t)side,
                                 .plain = plain,
                                 .pixels = worker->pixels,
                                 .seconds = worker->seconds,
                                 .details = source->extra != NULL};
}

/* What follows the pixels; a thumbnail of another length than was said is none. */
static void take_details(f0t_picture *picture, const f0t_picture_reply *reply)
{
    f0t_picture_details details;
    const uint8_t *at = picture->rgb + 3 * (size_t)reply->width * reply->height;
    const size_t rest = reply->length - (size_t)(at - picture->rgb) - sizeof details;
    memcpy(&details, at, sizeof details);
    picture->taken = details.taken;
    picture->whole_width = details.width;
    picture->whole_height = details.height;
    picture->thumbnail = rest && rest == details.thumbnail ? at + sizeof details : NULL;
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

void f0t_worker_expect(f0t_worker *worker, const f0t_picture_source *source, size_t side,
                       bool plain)
{
    f0t_picture_request request = decode_request(worker, source, side, plain);
    const size_t length = strlen(source->path);
    int fd;
    if (!worker->process.pid || worker->expected || worker->asked >= LIFETIME ||
        length > F0T_PICTURE_PATH_MAX || open_bytes(&fd, source) != F0T_OK)
        return;
    request.path_length = (uint32_t)length;
    if (f0t_string_copy(&worker->expected, source->path, length) == F0T_OK) {
        worker->expected_data = source->data;
        worker->expected_size = source->size;
        worker->expected_request = request;
        if (!send_request(worker, &request, source->path, "", fd, deadline_of(worker)))
            end_process(worker);
    }
    close_bytes(fd);
}

void f0t_worker_expect_none(f0t_worker *worker)
{
    if (worker->expected)
        end_process(worker);
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

f0t_status f0t_worker_merge(f0t_xmp_merged *out, f0t_worker *worker, const char *path,
                            const char *lines)
{
    f0t_picture_reply reply;
    const f0t_picture_request request = {.kind = F0T_PICTURE_MERGE, .side = 1};
    *out = (f0t_xmp_merged){0};
    F0T_TRY(
        ask(worker, &reply, request, &(f0t_picture_source){.path = path}, lines, strlen(lines)));
    take_merged(worker, out, &reply);
    return F0T_OK;
}

f0t_status f0t_worker_embed(f0t_xmp_merged *out, f0t_worker *worker, const char *path,
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
    f0t_status status = ask(worker, &reply, request, &(f0t_picture_source){.path = path}, both,
                            lines_size + length);
    f0t_free(both);
    F0T_TRY(status);
    take_merged(worker, out, &reply);
    return F0T_OK;
}
