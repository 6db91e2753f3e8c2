/* A second compute object (compute/compute.h), by the reference kernels: plain loops, sums in double, memory that
 * the library must not touch. What is computed through it must agree with the CPU's. */
#ifndef F0T_TESTS_PLAIN_COMPUTE_H
#define F0T_TESTS_PLAIN_COMPUTE_H

#include "compute/compute.h"

extern const f0t_compute plain_compute;

/* How many times each kind of operation ran. */
typedef struct plain_counts {
    size_t allocs, releases, products, drops, gates, losses, regressions, updates, tops, gathers,
        places;
} plain_counts;
extern plain_counts plain_count;

/* What it says of its memory. */
extern size_t plain_room_left;

#endif
