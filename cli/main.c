/* fast0tag: the table of verbs, and the way from the arguments to one of them. */
#include "cli.h"
#include "pages.h"
#include "processes.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* One per line. */
/* clang-format off */
const cli_verb *const cli_verbs[] = {
    &cli_verb_import,
    &cli_verb_features,
    &cli_verb_vectors,
    &cli_verb_train,
    &cli_verb_tag,
    &cli_verb_untag,
    &cli_verb_index,
    &cli_verb_find,
    &cli_verb_review,
    &cli_verb_accept,
    &cli_verb_reject,
    &cli_verb_write,
    &cli_verb_serve,
    &cli_verb_eval,
    &cli_verb_analyze,
    &cli_verb_quantize,
    &cli_verb_inspect,
    &cli_verb_bench,
    &cli_verb_demo,
    NULL,
};
/* clang-format on */

void *cli_alloc(size_t size)
{
    void *memory = calloc(1, size ? size : 1);
    if (!memory) {
        fprintf(stderr, "fast0tag: out of memory\n");
        exit(CLI_FAILED);
    }
    return memory;
}

f0t_status cli_fail(cli_context *cli, f0t_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(cli->message, sizeof cli->message, format, args);
    va_end(args);
    return status;
}

static int exit_code(f0t_status status)
{
    switch (status) {
    case F0T_OK:
        return CLI_DONE;
    case F0T_ERROR_ARGUMENT:
        return CLI_USAGE;
    case F0T_ERROR_FORMAT:
    case F0T_ERROR_MISMATCH:
    case F0T_ERROR_NOT_FOUND:
    case F0T_ERROR_UNSUPPORTED:
    case F0T_ERROR_NUMERIC:
        return CLI_BAD_INPUT;
    case F0T_ERROR_MEMORY:
    case F0T_ERROR_IO:
    case F0T_ERROR_INTERRUPTED:
    case F0T_ERROR_INTERNAL:
        break;
    }
    return CLI_FAILED;
}

/* A full disk or a closed pipe shows when the last bytes of stdout go out. */
static int close_output(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    if (code)
        return code; /* and it was said why */
    fprintf(stderr, "fast0tag: the results could not be written to standard output\n");
    return CLI_FAILED;
}

/* Processes of the library find it there. */
static f0t_status require_sandbox(cli_context *cli)
{
    if (!cli->sandbox)
        return F0T_OK;
    setenv("F0T_REQUIRE_SANDBOX", "1", 1);
    return f0t_picture_sandbox(true) != F0T_SANDBOX_NONE
               ? F0T_OK
               : cli_fail(
                     cli, F0T_ERROR_IO,
                     "--require-sandbox: there is none for the processes that decode pictures; "
                     "docs/security.md says which kernel and build it needs");
}

static void warn_of_sandbox(const cli_context *cli, const cli_processes *processes)
{
    static const char line[] = "pictures were decoded without a sandbox, which this kernel or "
                               "build does not have: take none from strangers (docs/security.md)";
    if (f0t_picture_sandbox(false) != F0T_SANDBOX_NONE)
        return;
    if (processes->rank > 0 && processes->beside == 0) /* once per machine */
        cli_processes_complain(processes, cli, line);
    else if (processes->rank == 0 && cli->monitor && cli->monitor->log)
        cli->monitor->log(cli->monitor->user, F0T_LOG_WARNING, line);
}

static f0t_status run_warning(cli_context *cli, const void *options, const cli_processes *processes)
{
    f0t_status status = require_sandbox(cli);
    if (status == F0T_OK)
        status = cli->verb->run(cli, options);
    warn_of_sandbox(cli, processes);
    return status;
}

f0t_status cli_agree(cli_context *cli, f0t_status status)
{
    if (f0t_context_processes(cli->context) == 1)
        return status;
    status = f0t_context_agree(cli->context, status, *cli->message ? cli->message : NULL);
    return status == F0T_OK ? F0T_OK : cli_fail(cli, status, "%s", f0t_last_error());
}

/* Under the mpirun of another Open MPI each process is alone, and all would write the same output. */
static f0t_status run_joined(cli_context *cli, const void *options, const cli_processes *processes)
{
    const size_t count = f0t_context_processes(cli->context), rank = f0t_context_rank(cli->context);
    if (count == (size_t)processes->count && rank == (size_t)processes->rank)
        return run_warning(cli, options, processes);
    return cli_fail(cli, F0T_ERROR_UNSUPPORTED,
                    "is process %ld of %ld by mpirun, and %zu of %zu by the Open MPI of this "
                    "fast0tag: start it with that one's mpirun",
                    processes->rank, processes->count, rank, count);
}

static f0t_status run_in_context(cli_context *cli, const void *options,
                                 const cli_processes *processes, const char *task)
{
    f0t_context_options how = F0T_CONTEXT_OPTIONS;
    how.threads = cli->threads;
    how.device = cli->device;
    how.monitor = cli->monitor;
    how.processes = processes->count > 1 ? "mpi" : NULL;
    how.task = task;
    how.coarse_sums = cli->coarse_sums;
    if (processes->count > 1 && !cli->verb->processes)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "is for one process: start it without mpirun");
    f0t_status status = f0t_context_create(&cli->context, &how);
    if (status != F0T_OK) {
        if (status != F0T_ERROR_MISMATCH && status != F0T_ERROR_INTERRUPTED) /* known to all */
            cli_processes_complain(processes, cli, f0t_last_error());
        return status;
    }
    status = cli_agree(cli, run_joined(cli, options, processes));
    if (status != F0T_OK)
        cli_processes_end(cli, cli->message);
    f0t_context_free(cli->context);
    return status;
}

static int run_verb(cli_context *cli, const void *options, const cli_processes *processes,
                    const char *task)
{
    cli->monitor = cli_monitor_start(cli->quiet, processes->rank > 0);
    f0t_status status = run_in_context(cli, options, processes, task);
    cli_monitor_end();
    if (status != F0T_OK) {
        fprintf(stderr, "fast0tag %s: ", cli->name);
        cli_print_shown(stderr, *cli->message ? cli->message : f0t_last_error());
    }
    if (status == F0T_ERROR_ARGUMENT)
        fprintf(stderr, "; 'fast0tag %s -h' explains it", cli->name);
    if (status != F0T_OK)
        fprintf(stderr, "\n");
    return close_output(exit_code(status));
}

static int run(const cli_verb *verb, const char *name, const cli_processes *processes, int argc,
               char **argv)
{
    bool help = false;
    cli_context cli = {.verb = verb};
    void *options = cli_alloc(verb->options_size);
    if (verb->defaults)
        memcpy(options, verb->defaults, verb->options_size);
    snprintf(cli.name, sizeof cli.name, "%s", name);
    int code = cli_parse(&cli, options, argc, argv, &help);
    if (help) {
        cli_help_verb(stdout, verb, name);
        code = close_output(CLI_DONE);
    } else if (code == CLI_DONE) {
        char *task = cli_processes_task(name, argc, argv);
        code = run_verb(&cli, options, processes, task);
        free(task);
    }
    if (code != CLI_DONE)
        cli_processes_linger(processes);
    cli_parse_free(&cli, options);
    free(options);
    return code;
}

static int no_such_verb(const cli_verb *group, const char *name, const char *word)
{
    const char *near = cli_nearest_verb(group ? group->verbs : cli_verbs, word);
    fprintf(stderr, "fast0tag: there is no command '%s%s%s'", name, *name ? " " : "", word);
    if (near)
        fprintf(stderr, "; did you mean 'fast0tag %s%s%s'?\n", name, *name ? " " : "", near);
    else
        fprintf(stderr, "; 'fast0tag%s%s -h' lists them\n", *name ? " " : "", name);
    return CLI_USAGE;
}

static bool is_help(const char *word)
{
    return !strcmp(word, "-h") || !strcmp(word, "--help") || !strcmp(word, "help");
}

/* help, help VERB, help VERB VERB: what -h after the words would show. */
static int show_help(int argc, char **argv)
{
    char name[64];
    int used;
    const cli_verb *verb = cli_find_verb(argc, argv, &used, name, sizeof name);
    if (used < argc && !is_help(argv[used]) && (!verb || verb->verbs))
        return no_such_verb(verb, name, argv[used]);
    if (verb)
        cli_help_verb(stdout, verb, name);
    else
        cli_help_program(stdout);
    return close_output(CLI_DONE);
}

/* The options that replace a verb; -1: there is none. The last two are for the build. */
static int run_option(int argc, char **argv)
{
    if (is_help(argv[1]))
        return show_help(argc - 2, argv + 2);
    if (!strcmp(argv[1], "--version"))
        printf("fast0tag %s\n", f0t_version());
    else if (argc == 3 && !strcmp(argv[1], "--manual-pages"))
        return cli_write_manual_pages(argv[2]);
    else if (argc == 3 && !strcmp(argv[1], "--completion"))
        return close_output(cli_write_completion(argv[2]));
    else
        return -1;
    return close_output(CLI_DONE);
}

int main(int argc, char **argv)
{
    char name[64];
    int used;
    const cli_processes processes = cli_processes_find();
    if (argc < 2) {
        cli_help_program(stderr);
        return CLI_USAGE;
    }
    int code = run_option(argc, argv);
    if (code >= 0)
        return code;
    const cli_verb *verb = cli_find_verb(argc - 1, argv + 1, &used, name, sizeof name);
    if (verb && verb->run)
        return run(verb, name, &processes, argc - 1 - used, argv + 1 + used);
    if (argc <= 1 + used || is_help(argv[1 + used])) {
        bool asked = argc > 1 + used;
        cli_help_verb(asked ? stdout : stderr, verb, name);
        return asked ? close_output(CLI_DONE) : CLI_USAGE;
    }
    return no_such_verb(verb, name, argv[1 + used]);
}
