/* Requests on standard input, replies on standard output, until the input ends. */
#include "picture.h"
#include "sandbox.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- Limits ------------------------------------------------------------------------------------- */

/* So much more processor time than was used so far; never more than it has in all. */
static void limit_time(rlim_t seconds)
{
    struct rusage used;
    struct rlimit now;
    getrusage(RUSAGE_SELF, &used);
    getrlimit(RLIMIT_CPU, &now);
    now.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + seconds;
    if (now.rlim_cur > now.rlim_max)
        now.rlim_cur = now.rlim_max;
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

/* The lines end with a 0, the packet follows. */
static void merge(answer *to, const char *text, size_t length, bool inside)
{
    const size_t lines = strnlen(text, length);
    const size_t packet = lines < length ? lines + 1 : length;
    xmp_merge(to, text + packet, length - packet, text, lines, inside);
}

static void read_file(answer *to, const f0t_picture_request *request, int fd, const char *name)
{
    if (fd < 0)
        answer_fail(to, F0T_ERROR_INTERNAL, "no file came with it");
    else if (request->kind == F0T_PICTURE_DECODE)
        decode_picture(to, fd, name, request);
    else
        keywords_read(to, fd, name);
}

static void respond(answer *to, sandbox_role role, const f0t_picture_request *request,
                    const char *name, const char *text, int fd)
{
    const bool merges = request->kind == F0T_PICTURE_MERGE || request->kind == F0T_PICTURE_EMBED;
    const bool reads = request->kind == F0T_PICTURE_DECODE || request->kind == F0T_PICTURE_KEYWORDS;
    if (merges && role == SANDBOX_MERGE)
        merge(to, text, request->text_length, request->kind == F0T_PICTURE_EMBED);
    else if (reads && role != SANDBOX_MERGE)
        read_file(to, request, fd, name);
    else
        answer_fail(to, F0T_ERROR_INTERNAL, "there is no request %u here", request->kind);
}

/* In a build for scripts/coverage, what ran is noted with each answer: the library kills the process in the end. */
#ifdef F0T_COVERAGE
void __gcov_dump(void);
void __gcov_reset(void);
static void note_coverage(void)
{
    __gcov_dump();
    __gcov_reset();
}
#else
static void note_coverage(void)
{
}
#endif

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

static bool handle(sandbox_role role, const f0t_picture_request *request, int fd)
{
    answer a = {.status = F0T_OK};
    if (request->path_length > F0T_PICTURE_PATH_MAX ||
        request->text_length > F0T_PICTURE_REQUEST_MAX || !request->side)
        return false;
    char *path = read_text(request->path_length), *text = read_text(request->text_length);
    limit_time(request->seconds ? request->seconds : F0T_PICTURE_SECONDS);
    respond(&a, role, request, path, text, fd);
    note_coverage();
    if (fd >= 0)
        close(fd);
    const bool sent = send_answer(&a);
    free(a.data);
    free(path);
    free(text);
    return sent;
}

/* ---- The process --------------------------------------------------------------------------------- */

/* What the first argument says; false where it says nothing. */
static bool find_role(sandbox_role *role, int argc, char **argv)
{
    static const char *const names[] = {[SANDBOX_DECODE] = F0T_PICTURE_ROLE_DECODE,
                                        [SANDBOX_BITMAP] = F0T_PICTURE_ROLE_BITMAP,
                                        [SANDBOX_MERGE] = F0T_PICTURE_ROLE_MERGE};
    for (size_t i = 0; argc > 1 && i < sizeof names / sizeof *names; i++)
        if (!strcmp(argv[1], names[i])) {
            *role = (sandbox_role)i;
            return true;
        }
    return false;
}

static bool start_libraries(sandbox_role role, const char *program)
{
    if (role != SANDBOX_MERGE)
        decode_start(program, role == SANDBOX_BITMAP);
    return xmp_start();
}

/* Says whether the sandbox is closed; false where that is needed and it is not. */
static bool greet(sandbox_role role, bool needed)
{
    const f0t_picture_greeting greeting = {F0T_PICTURE_GREETING, sandbox_enter(role)};
    return fwrite(&greeting, sizeof greeting, 1, stdout) == 1 && fflush(stdout) == 0 &&
           (greeting.confined || !needed);
}

int main(int argc, char **argv)
{
    f0t_picture_request request;
    sandbox_role role;
    int fd;
    if (!find_role(&role, argc, argv)) {
        fprintf(stderr, "fast0tag-picture reads pictures for fast0tag, which starts it\n");
        return 2;
    }
    sandbox_limit();
    if (!start_libraries(role, argv[0]) ||
        !greet(role, argc > 2 && !strcmp(argv[2], F0T_PICTURE_REQUIRE)) || !end_with_library())
        return 1;
    while (read_request(&request, &fd))
        if (!handle(role, &request, fd))
            return 1;
    return 0;
}
