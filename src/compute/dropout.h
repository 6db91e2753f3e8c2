/*
 * What stands between the products of a training step: dropout, and the backward pass through it and
 * through ReLU. Each is one pass over memory; element types are F0T_F32 or F0T_BF16.
 *
 * Element e of a layer is dropped when its 16-bit random number is below round(rate · 2^16); what
 * stays is divided by the share that stays on average ("inverted" dropout), so that applying the
 * net needs no correction. A dropped or clipped unit is 0 in the activations, so the backward pass
 * needs no mask: the gradient passes where the activation is above 0.
 */
#ifndef F0T_COMPUTE_DROPOUT_H
#define F0T_COMPUTE_DROPOUT_H

#include "base/dtype.h"
#include "base/random.h"
#include "base/status.h"

/* Dropout of one layer in one step. */
typedef struct f0t_dropout {
    f0t_random random;
    uint32_t limit; /* numbers below it are dropped; 0: none are */
    float scale;    /* 1 / share that stays */
    uint64_t
        first; /* number of the first element: rows of a mini-batch count as the whole one has them,
                       so that a part of it gets the same masks [0] */
} f0t_dropout;

/* `rate` is at least 0 and below 1. Layer 0 is the input. */
f0t_dropout f0t_dropout_make(double rate, uint64_t seed, uint64_t step, size_t layer);

/* The random number of element e: what the kernels draw, one at a time. Numbers come in groups of
 * 512 from 64 blocks of the generator: number 128 w + 64 h + b of group g is half h of word w of
 * block 64 g + b. */
enum { F0T_DROPOUT_GROUP = 512 };

uint32_t f0t_dropout_number(const f0t_random *random, uint64_t e);

/* y = x after dropout, rounded to `type`; n elements. */
void f0t_layer_input(void *y, f0t_dtype type, const float *x, size_t n, const f0t_dropout *dropout);

/* y = y after dropout, in place. */
void f0t_layer_drop(void *y, f0t_dtype type, size_t n, const f0t_dropout *dropout);

/* Backward through dropout and ReLU: d = d · scale where y > 0, else 0, in place. The sum of each column,
 * before rounding, goes to sums[cols]. */
void f0t_layer_gate(void *d, const void *y, f0t_dtype type, size_t rows, size_t cols, float scale,
                    float *sums);

/* The gradient of the outputs: `to` = d rounded to `type` (`to` may be d in float32), and the sums of
 * its columns. */
void f0t_layer_output(void *to, f0t_dtype type, const float *d, size_t rows, size_t cols,
                      float *sums);

/* The kernels take strips of at most so many columns. */
enum { F0T_STRIP = 512 };

#endif
