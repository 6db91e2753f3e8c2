/* Compiled once a CPU level: optimizer.h has what others call. */
#ifndef F0T_MODEL_OPTIMIZER_KERNELS_H
#define F0T_MODEL_OPTIMIZER_KERNELS_H

#include "base/kernels.h"

#include <stddef.h>
#include <stdint.h>

/* The factors of one step, the same for all elements. */
typedef struct f0t_update_factors {
    float beta1, rest1, beta2, rest2; /* rest = 1 - beta */
    float rate;                       /* Adam: r / (1 - beta1^t) */
    float root;                       /* Adam: 1 / sqrt(1 - beta2^t) */
    float epsilon;
    float keep;            /* Adam: 1 - r decay */
    float momentum, decay; /* SGD */
} f0t_update_factors;

#endif
