/* eval --jobs: methods in processes of their own. */
#ifndef F0T_CLI_EVAL_JOBS_H
#define F0T_CLI_EVAL_JOBS_H

#include "cli.h"

typedef struct eval_jobs {
    const char *methods; /* as --methods has them; NULL: all */
    const char *results; /* the file that all results come to */
    size_t jobs;         /* processes at a time */
    const void *options;
    /* Compares one method, with results in a file of its own; called in a new process. */
    f0t_status (*run)(cli_context *cli, const void *options, const char *method,
                      const char *results);
} eval_jobs;

/* To be called before anything computes: a thread is not there any more in a process that was forked. What a process
 * could not do is left to the caller, who finds the rest in the results. */
f0t_status cli_eval_jobs(cli_context *cli, const eval_jobs *asked);

#endif
