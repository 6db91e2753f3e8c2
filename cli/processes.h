/* Several processes that run one command together: those that mpirun started. The first one speaks for all. */
#ifndef F0T_CLI_PROCESSES_H
#define F0T_CLI_PROCESSES_H

#include "cli.h"

typedef struct cli_processes {
    long count, rank; /* 1 and 0: the only one */
    long beside;      /* number of this one on its machine */
} cli_processes;

/* What Open MPI's environment says. All but the first are silent from here on. */
cli_processes cli_processes_find(void);

/* The command line as one text, which must be the same in all; to be freed. */
char *cli_processes_task(const char *name, int argc, char **argv);

/* mpirun ends all as soon as one has failed: the one that speaks has time to. */
void cli_processes_linger(const cli_processes *processes);

/* What the first process cannot know of another, such as why it cannot join the others: said by the first process of that
 * machine, or by one that has failed alone. */
void cli_processes_complain(const cli_processes *processes, const cli_context *cli,
                            const char *line);

/* The run has failed, as this process has it. The first one says why, and mpirun ends this one, unless the messages by which
 * they agree are what failed: then nobody else knows. */
void cli_processes_end(const cli_context *cli, const char *line);

#endif
