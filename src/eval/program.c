#include "eval/program.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static const char PRINTED[] = "printed.txt";

enum { PRINTED_MOST = 1 << 20, WAIT_NS = 5000000, LINE = 200 };

/* The arguments are not written to; posix_spawn's type says that they may be. */
static int spawn(pid_t *pid, const char *program, const char *folder, const char *printed)
{
    char *arguments[3] = {NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    memcpy(&arguments[0], &program, sizeof program);
    memcpy(&arguments[1], &folder, sizeof folder);
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    failed = posix_spawnattr_init(&attributes);
    if (!failed) {
        failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        if (!failed)
            failed = posix_spawn_file_actions_addopen(&actions, 1, printed,
                                                      O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (!failed)
            failed = posix_spawn_file_actions_adddup2(&actions, 1, 2);
        if (!failed)
            failed = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        if (!failed)
            failed = posix_spawnp(pid, program, &actions, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* The group too: a script's children would work on. */
static void end_all(pid_t pid)
{
    int status;
    kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
}

static f0t_status wait_for(int *exit_status, pid_t pid, const char *program, size_t timeout,
                           const f0t_monitor *monitor)
{
    const double until = f0t_time() + (double)timeout;
    const struct timespec pause = {.tv_nsec = WAIT_NS};
    for (;;) {
        const pid_t ended = waitpid(pid, exit_status, WNOHANG);
        if (ended == pid)
            return F0T_OK;
        if (ended < 0 && errno != EINTR)
            return f0t_fail(F0T_ERROR_IO, "%s: lost: %s", program, strerror(errno));
        if (f0t_monitor_stopped(monitor)) {
            end_all(pid);
            return f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted while %s ran", program);
        }
        if (f0t_time() > until) {
            end_all(pid);
            return f0t_fail(F0T_ERROR_IO, "%s: took longer than %zu s", program, timeout);
        }
        nanosleep(&pause, NULL);
    }
}

/* The last line that is not empty; "" when there is none. */
static void last_line(char line[LINE], const char *printed)
{
    char *text = NULL;
    size_t size;
    *line = 0;
    if (f0t_file_read(&text, &size, printed, PRINTED_MOST, NULL) != F0T_OK)
        return;
    while (size && (text[size - 1] == '\n' || text[size - 1] == '\r' || text[size - 1] == ' '))
        text[--size] = 0;
    const char *last = strrchr(text, '\n');
    f0t_line_clean(line, snprintf(line, LINE, "%s", last ? last + 1 : text) >= LINE);
    f0t_free(text);
}

static f0t_status judge(int exit_status, const char *program, const char *printed)
{
    char line[LINE];
    if (WIFEXITED(exit_status) && WEXITSTATUS(exit_status) == 0)
        return F0T_OK;
    last_line(line, printed);
    if (WIFEXITED(exit_status))
        return f0t_fail(F0T_ERROR_IO, "%s: exited with %d%s%s", program, WEXITSTATUS(exit_status),
                        *line ? ": " : "", line);
    return f0t_fail(F0T_ERROR_IO, "%s: killed by signal %d%s%s", program, WTERMSIG(exit_status),
                    *line ? ": " : "", line);
}

f0t_status f0t_program_run(const char *program, const char *folder, size_t timeout,
                           const f0t_monitor *monitor)
{
    char *printed;
    pid_t pid;
    int exit_status = 0;
    F0T_TRY(f0t_path_join(&printed, folder, PRINTED));
    const int failed = spawn(&pid, program, folder, printed);
    f0t_status status =
        failed ? f0t_fail(F0T_ERROR_IO, "%s: cannot be started: %s", program, strerror(failed))
               : wait_for(&exit_status, pid, program, timeout, monitor);
    if (status == F0T_OK)
        status = judge(exit_status, program, printed);
    f0t_free(printed);
    return status;
}
