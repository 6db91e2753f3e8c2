/*
 * An array of parameters that the processes of a run divide among them. Each computes the gradient of all parameters
 * from its rows of a mini-batch; the gradients are added up block by block while later ones are still being computed;
 * each process updates its part of every block, and the parameters go to all others while the next mini-batch is read.
 * So the optimiser's work and its moments are divided, too.
 */
#ifndef F0T_MODEL_DIVIDED_H
#define F0T_MODEL_DIVIDED_H

#include "base/group.h"

enum { F0T_DIVIDED_BLOCK = 1 << 22 }; /* elements, about: few enough that the first travel early */

typedef struct f0t_divided f0t_divided;

/* For an array of rows x cols; blocks are of whole rows. */
f0t_status f0t_divided_create(f0t_divided **out, const f0t_group *group, size_t rows, size_t cols);
/* Waits for what is under way. NULL is fine. */
void f0t_divided_free(f0t_divided *divided);

/* Block b is rows [*first, *first + *rows) of the array. */
size_t f0t_divided_count(const f0t_divided *divided);
void f0t_divided_block(const f0t_divided *divided, size_t b, size_t *first, size_t *rows);

/* Begins to add up block b of the gradient, an array of the whole shape. */
f0t_status f0t_divided_sum(f0t_divided *divided, size_t b, float *gradient);

/* Updates elements [first, first + n) of the array by their gradient. */
typedef f0t_status f0t_divided_update(void *user, size_t first, size_t n);

/* When the sums are there: updates this process's parts, and begins to send the array `to`, whose elements have
 * `size` bytes, to the others. NULL: they see it where it is (common_arrays.h). */
f0t_status f0t_divided_apply(f0t_divided *divided, f0t_divided_update *update, void *user, void *to,
                             size_t size);
/* Until all parts of it are here. */
f0t_status f0t_divided_wait(f0t_divided *divided);

/* Another array of the same shape, of which each process has its parts, becomes whole everywhere. */
f0t_status f0t_divided_gather(f0t_divided *divided, void *array, size_t size);

#endif
