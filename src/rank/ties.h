/*
 * Where the relevant entries of a ranking stand when scores may be equal. Entries with the same score have
 * no order: a metric of the ranking is its mean over all orders that they may have, so that no
 * accident of the order in which tags are listed helps anybody.
 */
#ifndef F0T_RANK_TIES_H
#define F0T_RANK_TIES_H

#include "base/status.h"

/* Entries with one score, a relevant one among them. Without ties, one relevant entry. */
typedef struct f0t_tie {
    uint32_t above;    /* entries with a higher score */
    uint32_t size;     /* entries with this one */
    uint32_t relevant; /* of those */
} f0t_tie;

/* The ties of scores[n], best first, that hold the entries hits[count]; gives how many, at most `count`.
 * ties[count] and values[count] are memory; values become the scores of the ties. No score is NaN; 0 and -0 are
 * equal. Takes n log(count). */
size_t f0t_ties_find(f0t_tie *ties, float *values, const float *scores, size_t n,
                     const uint32_t *hits, size_t count);

/* The same in three steps, for scores that come piece by piece: values[count] are the scores of the relevant
 * entries, and become those of the ties, whose number is returned; then all entries are counted, n of them
 * `stride` apart, any number of times; last the counts are added up. */
size_t f0t_ties_group(f0t_tie *ties, float *values, size_t count);
void f0t_ties_count(f0t_tie *ties, const float *values, size_t groups, const float *scores,
                    size_t n, size_t stride);
void f0t_ties_add_up(f0t_tie *ties, size_t groups);

/* The average precision, 0 … 1: the mean over the relevant entries of (relevant entries so far) / (rank), in
 * expectation over the orders of equal scores. count is above 0. */
double f0t_ties_precision(const f0t_tie *ties, size_t count);

#endif
