#include "image/worker_process.h"

#include "base/monitor.h"
#include "image/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char program_name[] = "fast0tag-picture";

/* Seconds that a process may take to start, on the busiest machine. */
static const double START = 60;

/* ---- What it gets ------------------------------------------------------------------------------------- */

/* Where fonts and libraries are, the language of messages, the time zone; how sanitizers and malloc behave. */
static const char *const passed[] = {"HOME",
                                     "LANG",
                                     "LANGUAGE",
                                     "LC_ALL",
                                     "LC_CTYPE",
                                     "LC_MESSAGES",
                                     "LC_NUMERIC",
                                     "LOCPATH",
                                     "TZ",
                                     "PATH",
                                     "TMPDIR",
                                     "XDG_CACHE_HOME",
                                     "XDG_DATA_HOME",
                                     "XDG_DATA_DIRS",
                                     "XDG_CONFIG_HOME",
                                     "FONTCONFIG_FILE",
                                     "FONTCONFIG_PATH",
                                     "LD_LIBRARY_PATH",
                                     "LD_PRELOAD",
                                     "ASAN_OPTIONS",
                                     "UBSAN_OPTIONS",
                                     "LSAN_OPTIONS",
                                     "TSAN_OPTIONS",
                                     "MALLOC_PERTURB_",
                                     "GCOV_PREFIX"};

extern char **environ;

static bool is_passed(const char *setting)
{
    const size_t length = strcspn(setting, "=");
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (strlen(passed[i]) == length && !memcmp(passed[i], setting, length))
            return true;
    return false;
}

/* Borrows from the caller's. A variable may be there twice: the first counts. */
static void fill_environment(char *out[sizeof passed / sizeof *passed + 1])
{
    size_t count = 0;
    for (char **e = environ; e && *e && count < sizeof passed / sizeof *passed; e++)
        if (is_passed(*e))
            out[count++] = *e;
    out[count] = NULL;
}

static bool is_required(void)
{
    const char *value = secure_getenv("F0T_REQUIRE_SANDBOX");
    return value && *value && strcmp(value, "0") != 0;
}

/* ---- Starting and ending it ------------------------------------------------------------------------------- */

static int add_actions(posix_spawn_file_actions_t *actions, int end)
{
    int failed = posix_spawn_file_actions_adddup2(actions, end, 0);
    if (!failed)
        failed = posix_spawn_file_actions_adddup2(actions, 0, 1);
    if (!failed) /* what its libraries think of a picture comes with the reply */
        failed = posix_spawn_file_actions_addopen(actions, 2, "/dev/null", O_WRONLY, 0);
    if (!failed)
        failed = posix_spawn_file_actions_addclosefrom_np(actions, 3);
    return failed;
}

static int set_signals(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int failed = posix_spawnattr_setsigmask(attributes, &none);
    if (!failed)
        failed = posix_spawnattr_setsigdefault(attributes, &all);
    if (!failed)
        failed =
            posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    return failed;
}

static int spawn(pid_t *pid, const char *path, char *const arguments[], int end)
{
    char *environment[sizeof passed / sizeof *passed + 1];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    fill_environment(environment);
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    failed = posix_spawnattr_init(&attributes);
    if (!failed) {
        failed = add_actions(&actions, end);
        if (!failed)
            failed = set_signals(&attributes);
        if (!failed)
            failed = posix_spawn(pid, path, &actions, &attributes, arguments, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* A socket rather than pipes: writing to one whose other end is gone need not raise a signal. */
static f0t_status start(f0t_worker_process *p, const char *path, const char *role, bool required)
{
    char name[] = "fast0tag-picture", kind[16], require[] = F0T_PICTURE_REQUIRE;
    char *const arguments[] = {name, kind, required ? require : NULL, NULL};
    int ends[2];
    snprintf(kind, sizeof kind, "%s", role);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return f0t_fail(F0T_ERROR_IO, "no connection to %s: %s", program_name, strerror(errno));
    int failed = spawn(&p->pid, path, arguments, ends[1]);
    close(ends[1]);
    *p = (f0t_worker_process){.pid = failed ? 0 : p->pid, .owner = getpid(), .socket = ends[0]};
    if (!failed)
        return F0T_OK;
    close(ends[0]);
    return f0t_fail(F0T_ERROR_IO, "%s: cannot be started: %s", path, strerror(failed));
}

void f0t_worker_process_end(f0t_worker_process *p)
{
    if (!p->pid)
        return;
    close(p->socket);
    if (p->owner == getpid()) {
        kill(p->pid, SIGKILL);
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    p->pid = 0;
}

f0t_status f0t_worker_process_check(const f0t_worker_process *p)
{
    return !p->pid || p->owner == getpid()
               ? F0T_OK
               : f0t_fail(F0T_ERROR_UNSUPPORTED,
                          "a process that was forked cannot use what its parent has opened: open "
                          "it in the child (Python: multiprocessing with 'spawn')");
}

/* ---- The greeting ------------------------------------------------------------------------------------------- */

/* What the processes of this program have said so far. */
static atomic_int known_sandbox = F0T_SANDBOX_UNKNOWN;

/* One that has none is not made good by those that come after it. */
static void keep_sandbox(bool confined)
{
    int unknown = F0T_SANDBOX_UNKNOWN;
    if (confined)
        atomic_compare_exchange_strong(&known_sandbox, &unknown, F0T_SANDBOX_CLOSED);
    else
        atomic_store(&known_sandbox, F0T_SANDBOX_NONE);
}

static f0t_status refuse(f0t_worker_process *p, f0t_status status, const char *format,
                         const char *text)
{
    f0t_worker_process_end(p);
    return f0t_fail(status, format, text);
}

f0t_status f0t_worker_process_start(f0t_worker_process *p, const char *path, const char *role)
{
    f0t_picture_greeting greeting;
    const bool required = is_required();
    F0T_TRY(start(p, path, role, required));
    if (!f0t_worker_process_receive(p, &greeting, sizeof greeting, f0t_time() + START))
        return refuse(p, F0T_ERROR_IO, "%s: ended as it started: is there too little memory?",
                      path);
    if (greeting.greeting != F0T_PICTURE_GREETING)
        return refuse(p, F0T_ERROR_MISMATCH, "%s: is of another version than the library", path);
    keep_sandbox(greeting.confined == 1);
    if (required && greeting.confined != 1)
        return refuse(p, F0T_ERROR_UNSUPPORTED,
                      "pictures are not read: a sandbox is required, and %s",
                      "there is none: the kernel needs Landlock and seccomp, fast0tag-picture "
                      "libseccomp (docs/security.md)");
    return F0T_OK;
}

f0t_sandbox f0t_worker_process_sandbox(void)
{
    return (f0t_sandbox)atomic_load(&known_sandbox);
}

/* ---- Talking to it ------------------------------------------------------------------------------------------- */

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

static bool send_bytes(const f0t_worker_process *p, const void *data, size_t size, double deadline)
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
static bool send_file(const f0t_worker_process *p, const void *data, size_t size, int fd,
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
            return send_bytes(p, (const char *)data + sent, size - (size_t)sent, deadline);
        if (sent == 0 || (errno != EINTR && errno != EAGAIN))
            return false;
    }
}

bool f0t_worker_process_send(const f0t_worker_process *p, const void *data, size_t size, int fd,
                             double deadline)
{
    return fd < 0 ? send_bytes(p, data, size, deadline) : send_file(p, data, size, fd, deadline);
}

bool f0t_worker_process_receive(const f0t_worker_process *p, void *data, size_t size,
                                double deadline)
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

double f0t_worker_process_time(const f0t_worker_process *p)
{
    clockid_t clock;
    struct timespec used;
    if (!p->pid || clock_getcpuclockid(p->pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return 0;
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

bool f0t_worker_process_has_ended(const f0t_worker_process *p)
{
    char byte;
    return p->pid && recv(p->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}
