#include "image/worker_process.h"

#include "base/alloc.h"
#include "base/monitor.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static const char program[] = "fast0tag-picture";
static const char *const places[] = {"", "../", "../libexec/fast0tag/", "../../libexec/fast0tag/"};

/* ---- Finding it --------------------------------------------------------------------------------- */

/* Looks in the places that stand in relation to `file`. */
static bool look_around(char *path, const char *file)
{
    const char *slash = strrchr(file, '/');
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        int n =
            snprintf(path, PATH_SIZE, "%.*s/%s%s", (int)(slash - file), file, places[i], program);
        if (n < PATH_SIZE && access(path, X_OK) == 0)
            return true;
    }
    return false;
}

static bool look_around_library(char *path)
{
    Dl_info info;
    return dladdr(program, &info) && info.dli_fname && look_around(path, info.dli_fname);
}

static bool look_around_program(char *path)
{
    char self[PATH_SIZE];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return false;
    self[length] = 0;
    return look_around(path, self);
}

f0t_status f0t_worker_process_find(char **out)
{
    char path[PATH_SIZE];
    const char *given = getenv("F0T_PICTURE");
    if (given && *given)
        return f0t_string_copy(out, given, strlen(given));
    *out = NULL;
    if (!look_around_program(path) && !look_around_library(path))
        return f0t_fail(
            F0T_ERROR_NOT_FOUND,
            "the program %s, which reads pictures, is not installed; set F0T_PICTURE to "
            "its path",
            program);
    return f0t_string_copy(out, path, strlen(path));
}

/* ---- Starting and ending ------------------------------------------------------------------------ */

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
f0t_status f0t_worker_process_start(f0t_worker_process *process, const char *path)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return f0t_fail(F0T_ERROR_IO, "no connection to %s: %s", program, strerror(errno));
    int failed = spawn(&process->pid, path, ends[1]);
    close(ends[1]);
    process->socket = ends[0];
    if (failed) {
        close(ends[0]);
        process->pid = 0;
        return f0t_fail(F0T_ERROR_IO, "%s: cannot be started: %s", path, strerror(failed));
    }
    return F0T_OK;
}

void f0t_worker_process_end(f0t_worker_process *process)
{
    if (!process->pid)
        return;
    close(process->socket);
    kill(process->pid, SIGKILL);
    while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    process->pid = 0;
}

/* ---- Talking ------------------------------------------------------------------------------------ */

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

bool f0t_worker_process_send(const f0t_worker_process *process, const void *data, size_t size,
                             double deadline)
{
    const char *at = data;
    while (size) {
        if (!wait_for(process->socket, POLLOUT, deadline))
            return false;
        ssize_t sent = send(process->socket, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        at += sent > 0 ? sent : 0;
        size -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

bool f0t_worker_process_receive(const f0t_worker_process *process, void *data, size_t size,
                                double deadline)
{
    char *at = data;
    while (size) {
        if (!wait_for(process->socket, POLLIN, deadline))
            return false;
        ssize_t got = recv(process->socket, at, size, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
            return false;
        at += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return true;
}
