/*
 * The weights and gradients of a step in memory that all processes of a run see (base/common.h), in place of messages. Each
 * process has gradients of its own, which the others read; weights are one array for all, of which each process writes its
 * part.
 */
#ifndef F0T_MODEL_COMMON_ARRAYS_H
#define F0T_MODEL_COMMON_ARRAYS_H

#include "base/common.h"
#include "compute/compute.h"

enum { F0T_COMMON_PIECE = 1 << 16 }; /* elements to be summed at a time: they stay in the cache */

typedef struct f0t_common_arrays f0t_common_arrays;

/* A buffer that moves there. One array for all processes has the same numbers in each; of others each has its own, and what
 * was in it is lost. */
typedef struct f0t_common_array {
    f0t_buffer *buffer;
    bool one;
} f0t_common_array;

/* All call it, with the same. *out is NULL where there is no such memory: the buffers stay where they are. */
f0t_status f0t_common_arrays_create(f0t_common_arrays **out, const f0t_group *group,
                                    const f0t_common_array *all, size_t count);
/* The buffers that are one for all have memory of their own again, the others none. NULL is fine. */
void f0t_common_arrays_free(f0t_common_arrays *arrays);

/* Where the processes meet. */
f0t_common *f0t_common_arrays_memory(const f0t_common_arrays *arrays);

/* to[n] = the sum over the processes of elements [first, first + n) of a buffer of float32 of which each has its own: the same
 * bytes as f0t_group's sum. */
void f0t_common_arrays_sum(float *to, const f0t_common_arrays *arrays, const f0t_buffer *of,
                           size_t first, size_t n);

#endif
