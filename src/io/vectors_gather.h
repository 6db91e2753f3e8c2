/* What is done with every row of a vector file, wherever its numbers go: words once each, the mean,
 * the fingerprint, and the counts. */
#ifndef F0T_IO_VECTORS_GATHER_H
#define F0T_IO_VECTORS_GATHER_H

#include "base/interner.h"
#include "io/vectors_rows.h"

/* Takes `rows` vectors that follow each other in memory and belong to the next words. */
typedef f0t_status (*f0t_gather_put)(void *context, const float *values, size_t rows);

typedef struct f0t_gather {
    size_t dim;
    const f0t_words *wanted; /* NULL: all words; else only these are put */
    f0t_names kept;          /* the words that were put */
    f0t_names seen;          /* all words, where only some are wanted */
    double *sum;             /* [dim] of all vectors */
    uint64_t fingerprint;    /* the sum of the row hashes: no matter in which order */
    uint64_t summed;
    f0t_vectors_counts counts;
    f0t_gather_put put;
    void *context;
} f0t_gather;

f0t_status f0t_gather_init(f0t_gather *gather, size_t dim, const f0t_words *wanted,
                           f0t_gather_put put, void *context);
void f0t_gather_clear(f0t_gather *gather);

/* A f0t_source_take: `gather` is a f0t_gather. */
f0t_status f0t_gather_take(void *gather, const f0t_word_rows *rows);

/* The mean of all rows into mean[dim]; fails when not a single word was put. */
f0t_status f0t_gather_finish(f0t_gather *gather, const char *name, float *mean);

/* Tells the log what was left out of the file `name`. */
void f0t_gather_log(const f0t_vectors_counts *counts, const char *name, const f0t_monitor *monitor);

#endif
