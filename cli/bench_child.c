#include "bench_child.h"

#include "base/monitor.h"
#include "base/status.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 16 };

extern char **environ;

struct bench_child {
    pid_t pid;
    FILE *to, *from;
    char name[96];
};

/* The system's Python: that is where Debian's modules are; or the one that F0T_PYTHON names. */
static const char *find_python(void)
{
    const char *given = getenv("F0T_PYTHON");
    if (given && *given)
        return given;
    return access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3";
}

/* posix_spawn takes words that may be written to; it does not. */
static char *unconst(const char *word)
{
    union {
        const char *in;
        char *out;
    } cast = {word};
    return cast.out;
}

/* Closed where no stream can be had: a child that waits for the other end of its pipe ends only then. */
static FILE *open_end(int fd, const char *mode)
{
    FILE *stream = fdopen(fd, mode);
    if (!stream)
        close(fd);
    return stream;
}

static bool spawn(bench_child *child, const char *path, const char *const *words)
{
    int to[2], from[2];
    char *arguments[WORDS + 4] = {unconst(find_python()), unconst("-B"), unconst(path)};
    for (int i = 0; i < WORDS && words[i]; i++)
        arguments[3 + i] = unconst(words[i]);
    if (pipe2(to, O_CLOEXEC) != 0)
        return false;
    if (pipe2(from, O_CLOEXEC) != 0) {
        close(to[0]);
        close(to[1]);
        return false;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], 0);
    posix_spawn_file_actions_adddup2(&actions, from[1], 1);
    int failed = posix_spawnp(&child->pid, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    if (failed)
        child->pid = 0;
    child->to = open_end(to[1], "w");
    child->from = open_end(from[0], "r");
    return !failed;
}

/* The next line is `word` and perhaps more: the rest into `rest`. */
static bool expect(bench_child *child, const char *word, char *rest, size_t size)
{
    char line[128];
    size_t length = strlen(word);
    if (!fgets(line, sizeof line, child->from) || strncmp(line, word, length) != 0)
        return false;
    line[strcspn(line, "\n")] = 0;
    if (rest)
        snprintf(rest, size, "%s", line + length + (line[length] == ' '));
    return true;
}

bench_child *bench_child_start(const cli_context *cli, const char *script, const char *const *words)
{
    char path[256];
    snprintf(path, sizeof path, "bench/%s", script);
    if (access(path, R_OK) != 0) {
        f0t_log(cli->monitor, F0T_LOG_WARNING, "no %s here: measuring without that peer", path);
        return NULL;
    }
    bench_child *child = cli_alloc(sizeof *child);
    signal(SIGPIPE, SIG_IGN);
    if (spawn(child, path, words) && child->from && child->to &&
        expect(child, "ready", child->name, sizeof child->name))
        return child;
    f0t_log(cli->monitor, F0T_LOG_WARNING, "%s cannot run here: measuring without that peer", path);
    bench_child_end(child);
    return NULL;
}

void bench_child_end(bench_child *child)
{
    if (!child)
        return;
    if (child->to)
        fclose(child->to);
    if (child->from)
        fclose(child->from);
    if (child->pid > 0)
        waitpid(child->pid, NULL, 0);
    free(child);
}

const char *bench_child_name(const bench_child *child)
{
    return child->name;
}

f0t_status bench_child_run(void *context)
{
    bench_child *child = context;
    if (fputs("run\n", child->to) < 0 || fflush(child->to) != 0 || !expect(child, "done", NULL, 0))
        return f0t_fail(F0T_ERROR_IO, "the peer %s ended before its time", child->name);
    return F0T_OK;
}
