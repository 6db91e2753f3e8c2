/* Requests on standard input, replies on standard output, until the input ends. */
#include "picture.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define MEMORY_LIMIT ((rlim_t)2 << 30)

/* ---- Limits ------------------------------------------------------------------------------------- */

static struct rlimit both(rlim_t value)
{
    return (struct rlimit){value, value};
}

static void limit_all(void)
{
    const struct rlimit none = both(0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_FSIZE, &none);
#if !defined(__SANITIZE_ADDRESS__) /* it maps terabytes */
    const struct rlimit memory = both(MEMORY_LIMIT);
    setrlimit(RLIMIT_AS, &memory);
#endif
}

/* So much more processor time than was used so far. */
static void limit_time(rlim_t seconds)
{
    struct rusage used;
    struct rlimit now;
    getrusage(RUSAGE_SELF, &used);
    getrlimit(RLIMIT_CPU, &now);
    now.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + seconds;
    setrlimit(RLIMIT_CPU, &now);
}

/* ---- The end ------------------------------------------------------------------------------------- */

static void *wait_for_end(void *unused)
{
    struct pollfd other = {.fd = STDIN_FILENO, .events = POLLRDHUP};
    (void)unused;
    while (poll(&other, 1, -1) < 0 && errno == EINTR)
        ;
    _exit(0);
}

/* This program ends with the library's, also in the midst of a picture. PR_SET_PDEATHSIG would not do:
 * it kills when the *thread* that started us ends, and others may go on with us. */
static bool end_with_library(void)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, wait_for_end, NULL) == 0;
}

/* ---- Requests ----------------------------------------------------------------------------------- */

static void merge(answer *to, const char *path, const char *text, size_t length)
{
    size_t old_length;
    void *old = picture_file_read(to, path, &old_length);
    if (to->status == F0T_OK)
        xmp_merge(to, old, old_length, text, length, false);
    free(old);
}

/* The lines end with a 0, the packet follows. */
static void embed(answer *to, const char *text, size_t length)
{
    const size_t lines = strnlen(text, length);
    const size_t packet = lines < length ? lines + 1 : length;
    xmp_merge(to, text + packet, length - packet, text, lines, true);
}

/* The picture in the file that came with the request. */
static void decode_file(answer *to, const f0t_picture_request *request, int fd, const char *name)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd < 0)
        answer_fail(to, F0T_ERROR_INTERNAL, "no bytes came with it");
    else
        decode_picture(to, path, name, request);
}

static void respond(answer *to, const f0t_picture_request *request, const char *path,
                    const char *text, int fd)
{
    switch (request->kind) {
    case F0T_PICTURE_DECODE:
        decode_picture(to, path, path, request);
        break;
    case F0T_PICTURE_BYTES:
        decode_file(to, request, fd, path);
        break;
    case F0T_PICTURE_KEYWORDS:
        keywords_read(to, path);
        break;
    case F0T_PICTURE_MERGE:
        merge(to, path, text, request->text_length);
        break;
    case F0T_PICTURE_EMBED:
        embed(to, text, request->text_length);
        break;
    default:
        answer_fail(to, F0T_ERROR_INTERNAL, "there is no request %u", request->kind);
    }
}

static bool send_answer(const answer *a)
{
    const f0t_picture_reply reply = {(uint32_t)a->status, (uint32_t)a->width, (uint32_t)a->height,
                                     (uint32_t)a->length};
    return fwrite(&reply, sizeof reply, 1, stdout) == 1 &&
           (!a->length || fwrite(a->data, a->length, 1, stdout) == 1) && fflush(stdout) == 0;
}

/* Not by way of stdio, which would read on, over the descriptor of the next request. */
static bool read_all(void *data, size_t size)
{
    char *at = data;
    while (size) {
        const ssize_t got = read(STDIN_FILENO, at, size);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        at += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* A request, and the descriptor that came with it, or -1. */
static bool read_request(f0t_picture_request *request, int *fd)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {request, sizeof *request};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    ssize_t got;
    *fd = -1;
    while ((got = recvmsg(STDIN_FILENO, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        ;
    if (got < 0 && errno == ENOTSOCK)
        return read_all(request, sizeof *request);
    const struct cmsghdr *first = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (first && first->cmsg_type == SCM_RIGHTS && first->cmsg_len == CMSG_LEN(sizeof *fd))
        memcpy(fd, CMSG_DATA(first), sizeof *fd);
    return got > 0 && read_all((char *)request + got, sizeof *request - (size_t)got);
}

static char *read_text(size_t length)
{
    char *text = malloc(length + 1);
    if (!text || !read_all(text, length))
        exit(1);
    text[length] = 0;
    return text;
}

static bool handle(const f0t_picture_request *request, int fd)
{
    answer a = {.status = F0T_OK};
    if (request->path_length > F0T_PICTURE_PATH_MAX ||
        request->text_length > F0T_PICTURE_TEXT_MAX || !request->side)
        return false;
    char *path = read_text(request->path_length), *text = read_text(request->text_length);
    limit_time(request->seconds ? request->seconds : F0T_PICTURE_SECONDS);
    respond(&a, request, path, text, fd);
    if (fd >= 0)
        close(fd);
    const bool sent = send_answer(&a);
    free(a.data);
    free(path);
    free(text);
    return sent;
}

int main(int argc, char **argv)
{
    f0t_picture_request request;
    int fd;
    (void)argc;
    limit_all();
    decode_start(argv[0]);
    if (!end_with_library() || !xmp_start())
        return 1;
    while (read_request(&request, &fd))
        if (!handle(&request, fd))
            return 1;
    return 0;
}
