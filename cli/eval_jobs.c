/* eval --jobs: methods in processes of their own, each with its part of the threads. What they find is joined into the
 * results file, from which the command then goes on as if it had been interrupted there. */
#include "eval_jobs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct job {
    const char *method;
    char *part;    /* its own results file */
    pid_t process; /* 0: not running */
} job;

typedef struct pool {
    cli_context *cli;
    const eval_jobs *asked;
    job *jobs;
    size_t count;
} pool;

static void add_job(pool *c, const char *method)
{
    const size_t size = strlen(c->asked->results) + strlen(method) + 16;
    job *j = &c->jobs[c->count++];
    *j = (job){.method = method, .part = cli_alloc(size)};
    snprintf(j->part, size, "%s.%s.part", c->asked->results, method);
}

/* Whether a list of names, separated by commas and blanks, has this one. */
static bool is_listed(const char *list, const char *name)
{
    for (size_t length; *list; list += length) {
        list += strspn(list, ", ");
        length = strcspn(list, ", ");
        if (length == strlen(name) && !memcmp(list, name, length))
            return true;
    }
    return false;
}

/* Those that the option names, or all. The last ones of the table take longest, and begin. */
static void list_jobs(pool *c)
{
    const char *list = c->asked->methods;
    size_t all = 0;
    while (f0t_eval_method_name(all))
        all++;
    c->jobs = cli_alloc(all * sizeof *c->jobs);
    for (size_t i = all; i-- > 0;) {
        const char *name = f0t_eval_method_name(i);
        if (!list || is_listed(list, "all") || is_listed(list, name))
            add_job(c, name);
    }
}

static void free_jobs(pool *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->jobs[i].part);
    free(c->jobs);
}

/* What is done need not be done again. */
static f0t_status begin_parts(const pool *c)
{
    const char *const whole[] = {c->asked->results};
    if (access(whole[0], F_OK) != 0)
        return F0T_OK;
    for (size_t i = 0; i < c->count; i++) {
        f0t_status status = f0t_eval_join_results(c->jobs[i].part, whole, 1);
        if (status != F0T_OK)
            return status;
    }
    return F0T_OK;
}

static f0t_status join_parts(const pool *c)
{
    const char **parts = cli_alloc((c->count + 1) * sizeof *parts);
    for (size_t i = 0; i < c->count; i++)
        parts[i] = c->jobs[i].part;
    f0t_status status = f0t_eval_join_results(c->asked->results, parts, c->count);
    for (size_t i = 0; i < c->count && status == F0T_OK; i++)
        unlink(parts[i]);
    free(parts);
    return status;
}

/* In the new process: only warnings and results are said, for progress bars would write over each other. */
static void work(const pool *c, const job *j)
{
    f0t_context_options how = F0T_CONTEXT_OPTIONS;
    f0t_monitor monitor = *c->cli->monitor;
    cli_context mine = *c->cli;
    const int threads = f0t_context_threads(c->cli->context);
    monitor.progress = NULL;
    how.threads = threads / (int)c->asked->jobs > 1 ? threads / (int)c->asked->jobs : 1;
    how.monitor = mine.monitor = &monitor;
    f0t_status status = freopen("/dev/null", "w", stdout) ? F0T_OK : F0T_ERROR_IO;
    if (status == F0T_OK)
        status = f0t_context_create(&mine.context, &how);
    if (status == F0T_OK)
        status = c->asked->run(&mine, c->asked->options, j->method, j->part);
    _exit(status == F0T_OK ? 0 : 1);
}

static bool is_stopped(const pool *c)
{
    return c->cli->monitor->stop && *c->cli->monitor->stop;
}

static void start(const pool *c, job *j)
{
    fflush(NULL);
    j->process = fork();
    if (j->process == 0)
        work(c, j);
    if (j->process < 0) /* this process will do it, later */
        j->process = 0;
}

/* False when no process is left. */
static bool wait_for_one(pool *c)
{
    pid_t ended;
    do
        ended = wait(NULL);
    while (ended < 0 && errno == EINTR);
    for (size_t i = 0; i < c->count; i++)
        if (ended > 0 && c->jobs[i].process == ended)
            c->jobs[i].process = 0;
    return ended > 0;
}

static void run_all(pool *c)
{
    size_t running = 0;
    for (size_t i = 0; i < c->count && !is_stopped(c); i++) {
        if (running == c->asked->jobs && wait_for_one(c))
            running--;
        start(c, &c->jobs[i]);
        running += c->jobs[i].process > 0;
    }
    while (running && wait_for_one(c))
        running--;
}

f0t_status cli_eval_jobs(cli_context *cli, const eval_jobs *asked)
{
    pool c = {.cli = cli, .asked = asked};
    list_jobs(&c);
    f0t_status status = join_parts(&c); /* of a run that was killed */
    if (status == F0T_OK)
        status = begin_parts(&c);
    if (status == F0T_OK) {
        run_all(&c);
        status = join_parts(&c);
    }
    free_jobs(&c);
    return status;
}
