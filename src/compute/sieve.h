/*
 * Many rows on a device, ranked along directions: the first k exactly, by products in bfloat16.
 *
 * The score of a row is that of a screen (compute/screen.h), the same bits. Rounded to bfloat16, a row v and a direction q
 * are off by at most 2^-9 of their lengths, so that the product of the rounded ones is off by at most
 *
 *     |q| |v| (2^-8 + what float32 sums lose)
 *
 * by Cauchy and Schwarz. The device gives some more than k by these products; rows that are further than twice the bound
 * below the k-th of them are not among the first, and the scores of all others are computed from the rows themselves, by
 * the caller's processor. Where even the last that the device gave is within the bound, there may be more: such a
 * direction is not certain.
 */
#ifndef F0T_COMPUTE_SIEVE_H
#define F0T_COMPUTE_SIEVE_H

#include "compute/compute.h"

typedef struct f0t_sieve f0t_sieve;

/* Of rows[count x dim], which must stay. *out is NULL where they are not finite, or the device has no memory for them. */
f0t_status f0t_sieve_create(f0t_sieve **out, const f0t_compute *compute, const float *rows,
                            size_t count, size_t dim);
void f0t_sieve_free(f0t_sieve *sieve);

/* Whether so many can be found. */
bool f0t_sieve_takes(const f0t_sieve *sieve, size_t k);
/* The min(k, count) first rows along each of directions[n x dim], which are finite, best first, into index and score
 * (may be NULL), both [n x min(k, count)], and whether they are certain into certain[n]. */
f0t_status f0t_sieve_top(uint32_t *index, float *score, bool *certain, size_t k,
                         const f0t_sieve *sieve, const float *directions, size_t n);

#endif
