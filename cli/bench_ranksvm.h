/* What `bench ranksvm` solves: tag vectors and rules. */
#ifndef F0T_CLI_BENCH_RANKSVM_H
#define F0T_CLI_BENCH_RANKSVM_H

#include "cli.h"

#include "rank/ranksvm.h"

typedef struct bench_tags {
    size_t count, dims;
    float *vectors; /* [count x dims], each of length 1 */
    bool real;      /* of words, not random */
} bench_tags;

/* NUS-WIDE's 925 seen tags below F0T_DATA, or as many random vectors. */
f0t_status bench_tags_seen(cli_context *cli, bench_tags *tags);
/* The tags of NUS-WIDE's ground truth below F0T_DATA and the rules of its images; nothing in both,
 * after a warning, without F0T_DATA. */
f0t_status bench_tags_nuswide(cli_context *cli, bench_tags *tags, f0t_rules **rules);
void bench_tags_free(bench_tags *tags);

/* `count` rules of so many relevant tags, drawn one out of each part of the vocabulary. */
f0t_status bench_rules_draw(f0t_rules **out, size_t count, size_t relevant, size_t tags);

/* Writes vectors.npy and case.json, what bench/ranksvm_peer.py reads, into a new folder: the first
 * `count` rules, with our objectives. */
typedef struct bench_case {
    const bench_tags *tags;
    const f0t_rules *rules;
    size_t count;
    double lambda;
    f0t_hinge hinge;
    const f0t_ranksvm_result *results;
} bench_case;
f0t_status bench_case_write(const bench_case *c, char *folder, size_t size);
void bench_case_remove(const char *folder);

#endif
