/* A second compute object (compute/compute.h), by the reference kernels: plain loops, sums in double, memory that
 * the library must not touch. What is computed through it must agree with the CPU's. */
#ifndef F0T_TESTS_PLAIN_COMPUTE_H
#define F0T_TESTS_PLAIN_COMPUTE_H

#include "compute/compute.h"

extern const f0t_compute plain_compute;

/* How many times each kind of operation ran. */
typedef struct plain_counts {
    size_t allocs, releases, products, drops, gates, losses, regressions, updates, tops, gathers,
        streams, places;
    size_t first, most; /* numbers in buffers at the first product, and at that with the most */
} plain_counts;
extern plain_counts plain_count;

/* What it says of its memory. */
extern size_t plain_room_left;
/* Whether products are as rough as a device's may be: float32 sums that are cut off, operands cut off to TF32 where they may
 * be coarse. */
extern bool plain_is_rough;
/* With more numbers than that in buffers there is no memory left for a product. */
extern size_t plain_numbers_most;

#endif
