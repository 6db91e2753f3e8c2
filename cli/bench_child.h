/* A peer that is another program, kept running so that its turns can alternate with ours. */
#ifndef F0T_CLI_BENCH_CHILD_H
#define F0T_CLI_BENCH_CHILD_H

#include "cli.h"

typedef struct bench_child bench_child;

/* Starts bench/SCRIPT with Python and these words after it (NULL past the end), and waits until it says
 * `ready`. NULL, after a warning that says why, when there is no such script here or it cannot run
 * (a missing module). */
bench_child *bench_child_start(const cli_context *cli, const char *script,
                               const char *const *words);
/* Ends it; takes NULL. */
void bench_child_end(bench_child *child);

/* What the child called itself after `ready`: a peer's name. */
const char *bench_child_name(const bench_child *child);

/* One turn: sends `run` and waits for `done`. A bench_contender's run. */
f0t_status bench_child_run(void *child);

#endif
