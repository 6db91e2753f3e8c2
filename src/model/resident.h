/*
 * Conditioned features that stay in the memory of a device, and their checksums.
 *
 * Every row has one: the sum of its numbers with signs that are drawn by seed, so that neither other rows nor other columns
 * have the same. The CPU adds it up while the features are uploaded, the device when it is asked for, from what it has then.
 */
#ifndef F0T_MODEL_RESIDENT_H
#define F0T_MODEL_RESIDENT_H

#include "compute/compute.h"
#include "model/condition.h"

typedef struct f0t_resident {
    f0t_buffer *rows; /* [count x dim] */
    size_t count, dim;
    f0t_buffer *signs; /* [dim] of the type of the rows */
    f0t_buffer *sums;  /* [count] by the device */
    float *sign;       /* [dim] */
    float *expected;   /* [count] by the CPU, */
    float *size;       /* and the sums of absolute values */
    float *found;      /* [count] */
} f0t_resident;

/* The features of these images as rows of `type`. *out stays NULL where `compute` does not gather rows, or has no room
 * for these and what a training needs beside them. */
f0t_status f0t_resident_create(f0t_resident **out, const f0t_condition *condition,
                               const f0t_dataset *dataset, const uint32_t *images, size_t count,
                               const f0t_compute *compute, f0t_dtype type,
                               const f0t_monitor *monitor);
void f0t_resident_free(f0t_resident *resident);

/* A row whose checksum is another one than at the start. */
typedef struct f0t_resident_fault {
    size_t row; /* F0T_NONE: there is none */
    double found, expected;
} f0t_resident_fault;
f0t_status f0t_resident_check(f0t_resident_fault *out, const f0t_resident *resident);

#endif
