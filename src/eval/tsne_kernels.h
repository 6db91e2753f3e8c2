/* The inner loops of t-SNE. Compiled once a CPU level. */
#ifndef F0T_EVAL_TSNE_KERNELS_H
#define F0T_EVAL_TSNE_KERNELS_H

#include "base/cpu.h"

#include <stddef.h>

/* The pull (tsne_parts.h) of points x[n], y[n] with likeness p[n] on the point (at_x, at_y), as
 * near x, near y, far x, far y, sum; a point at the same place, itself too, adds 1 to the sum. */
F0T_KERNEL_DECLARE(void, tsne_pull,
                   (float sums[5], const float *x, const float *y, const float *p, size_t n,
                    float at_x, float at_y));

#endif
