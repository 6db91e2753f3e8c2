/* Measuring beside peers: shared by the commands of `bench`, which alone see src/. */
#ifndef F0T_CLI_BENCH_H
#define F0T_CLI_BENCH_H

#include "cli.h"

/* What every command of `bench` takes. */
typedef struct bench_options {
    const char *only; /* cases whose name contains it, or NULL */
} bench_options;

/* ---- Measuring ---------------------------------------------------------------------------------
 */

/* One way to do the work. */
typedef struct bench_contender {
    const char *name; /* the peer's; NULL for ours */
    f0t_status (*run)(void *context);
    void *context;
    double seconds; /* of one run: the median of five, interleaved with the others' */
} bench_contender;

/* Runs each once to warm up, then five rounds of all of them in turn. Short work is repeated within
 * a round. */
f0t_status bench_measure(bench_contender *contenders, size_t count);

/* ---- Results -----------------------------------------------------------------------------------
 */

typedef struct bench_report bench_report;

bench_report *bench_report_create(const char *bench);
void bench_report_free(bench_report *report);
/* Rows for the first contender, ours: one per peer, or one without. The value is `work` per
 * second, a larger one is faster. */
void bench_report_add(bench_report *report, const char *name, const char *unit, double work,
                      const bench_contender *contenders, size_t count);
/* As a table, or with --json as a list; fails when there is no row for options->only. */
f0t_status bench_report_print(cli_context *cli, const bench_report *report,
                              const bench_options *options);

/* ---- Commands ----------------------------------------------------------------------------------
 */

bool bench_wanted(const bench_options *options, const char *name);

f0t_status bench_matmul(cli_context *cli, const void *options);
f0t_status bench_kernels(cli_context *cli, const void *options);
f0t_status bench_loss(cli_context *cli, const void *options);
f0t_status bench_rank(cli_context *cli, const void *options);
f0t_status bench_ranksvm(cli_context *cli, const void *options);
f0t_status bench_descriptor(cli_context *cli, const void *options);
f0t_status bench_train(cli_context *cli, const void *options);
f0t_status bench_backbone(cli_context *cli, const void *options);

#endif
