/*
 * F·Vᵀ: the scores S[rows x count] of tags with vectors V[count x dim] along directions F[rows x dim], and
 * the tags that come first.
 */
#ifndef F0T_COMPUTE_SCORING_H
#define F0T_COMPUTE_SCORING_H

#include "compute/compute.h"
#include "compute/screen.h"
#include "compute/sieve.h"

typedef struct f0t_scoring {
    const f0t_compute *compute;
    size_t count, dim;
    bool row_stable, coarse;
    f0t_buffer view;          /* V where it is the caller's memory */
    f0t_buffer *owned;        /* V packed, or on another device; NULL: `view` */
    const f0t_screen *screen; /* of V's rows, or NULL */
    f0t_screen *own_screen;   /* the same, where it was made here */
    f0t_sieve *sieve;         /* in its place on another device, or NULL */
} f0t_scoring;

/* Zero-initialised: V as it lies, for scores that are asked for once. */
typedef struct f0t_scoring_options {
    size_t
        packed_for; /* not 0: V is packed for about so many rows at a time, which pays for a V that is used
                          often. V is then not needed after f0t_scoring_open */
    /* f0t_scoring_top goes through a screen (compute/screen.h), which is exact and reads a quarter of the bytes: for
     * a large V, which must stay until close. `screen` has one of V's rows; it must stay, too. Another device has a sieve
     * (compute/sieve.h) instead. */
    bool screened;
    const f0t_screen *screen;
    bool row_stable; /* scores do not depend on how many rows there are (f0t_matmul_run_stable) */
    bool coarse;     /* as in f0t_matmul */
} f0t_scoring_options;

/* `vectors` must stay until close, unless they are packed. */
f0t_status f0t_scoring_open(f0t_scoring *out, const f0t_compute *compute, const float *vectors,
                            size_t count, size_t dim, const f0t_scoring_options *options);
void f0t_scoring_close(f0t_scoring *scoring);

/* On the device. */
f0t_status f0t_scoring_run(f0t_buffer *scores, const f0t_scoring *scoring,
                           const f0t_buffer *directions, size_t rows);

/* From and to the caller's memory. */
f0t_status f0t_scoring_scores(float *scores, const f0t_scoring *scoring, const float *directions,
                              size_t rows);

/* The min(k, count) tags that come first along each direction, best first, ties by order; `score` may be NULL. */
f0t_status f0t_scoring_top(uint32_t *index, float *score, size_t k, const f0t_scoring *scoring,
                           const float *directions, size_t rows);

/* f0t_scoring_scores of vectors that are used once. */
f0t_status f0t_score_once(float *scores, const float *directions, size_t rows, const float *vectors,
                          size_t count, size_t dim, bool row_stable);

/* Of several directions per image: the highest score of each tag, [rows x directions x count] into [rows x count],
 * which may be the same memory. */
void f0t_score_highest(float *to, const float *scores, size_t rows, size_t directions,
                       size_t count);

#endif
