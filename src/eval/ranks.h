/*
 * Methods by their ranks over many comparisons (Demšar, "Statistical comparisons of classifiers over multiple data
 * sets", JMLR 2006): in each the best method has rank 1, equal ones share theirs, and two methods differ when their
 * mean ranks are further apart than the critical difference of Nemenyi's test.
 */
#ifndef F0T_EVAL_RANKS_H
#define F0T_EVAL_RANKS_H

#include "base/status.h"

/* ranks[methods] of values[blocks x methods], of which the largest is the best; a block is a draw of unseen tags, or
 * a dataset. A block with a NaN does not count; gives how many do. */
size_t f0t_mean_ranks(double *ranks, const double *values, size_t blocks, size_t methods);

/* The critical difference with a confidence of 95 % for all pairs together. It takes blocks to be independent, which
 * draws from one dataset are not quite. NaN for fewer than two methods, or no block. */
double f0t_critical_difference(size_t methods, size_t blocks);

#endif
