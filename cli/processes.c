/* Several processes that run one command together: those that mpirun started. */
#include "processes.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A number of Open MPI's environment; `otherwise` where there is none. */
static long number_of(const char *variable, long otherwise)
{
    const char *text = getenv(variable);
    char *end;
    long value = text ? strtol(text, &end, 10) : otherwise;
    return text && (end == text || *end || value < 0) ? otherwise : value;
}

static FILE *own_errors; /* where a process that is silent may still speak */

static void fall_silent(void)
{
    int copy = dup(STDERR_FILENO);
    own_errors = copy < 0 ? NULL : fdopen(copy, "w");
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        exit(CLI_FAILED);
}

cli_processes cli_processes_find(void)
{
    const cli_processes found = {.count = number_of("OMPI_COMM_WORLD_SIZE", 1),
                                 .rank = number_of("OMPI_COMM_WORLD_RANK", 0),
                                 .beside = number_of("OMPI_COMM_WORLD_LOCAL_RANK", 0)};
    unsetenv("OMPI_COMM_WORLD_SIZE"); /* what this program starts works alone */
    if (found.count > 1 && found.rank > 0)
        fall_silent();
    return found;
}

char *cli_processes_task(const char *name, int argc, char **argv)
{
    size_t size = strlen(name) + 1;
    for (int i = 0; i < argc; i++)
        size += strlen(argv[i]) + 1;
    char *task = cli_alloc(size), *at = task;
    at += sprintf(at, "%s", name);
    for (int i = 0; i < argc; i++)
        at += sprintf(at, "\n%s", argv[i]);
    return task;
}

void cli_processes_linger(const cli_processes *processes)
{
    const struct timespec some = {.tv_nsec = 300000000};
    if (processes->rank > 0)
        nanosleep(&some, NULL);
}

/* Where another process has said why it failed, mpirun ends the others. One that is still there after a while has failed
 * alone. */
static bool is_alone(void)
{
    const struct timespec some = {.tv_sec = 5};
    return nanosleep(&some, NULL) == 0;
}

static void speak(const cli_context *cli, const char *line)
{
    fprintf(own_errors, "fast0tag %s: ", cli->name);
    cli_print_shown(own_errors, line);
    fprintf(own_errors, "\n");
    fflush(own_errors);
}

/* The processes of one machine mostly fail alike, and its first one says so. */
void cli_processes_complain(const cli_processes *processes, const cli_context *cli,
                            const char *line)
{
    if (own_errors && (processes->beside == 0 || is_alone()))
        speak(cli, line);
}

void cli_processes_end(const cli_context *cli, const char *line)
{
    if (own_errors && is_alone())
        speak(cli, line);
}
