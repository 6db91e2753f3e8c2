/*
 * The update of parameters by their gradient, in one pass over memory: it reads gradient, moments
 * and parameter, and writes moments, parameter and the parameter's bfloat16 copy.
 */
#ifndef F0T_COMPUTE_OPTIMIZER_H
#define F0T_COMPUTE_OPTIMIZER_H

#include "base/status.h"

/* Step t = 1, 2, … with gradient g and learning rate r:
 *   Adam:  m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g²,
 *          w = w - r decay w - r (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
 *   SGD:   m = momentum m + g + decay w,  w = w - r m
 * `decay` is for weights; biases do not decay. */
typedef struct f0t_optimizer {
    f0t_optimizer_kind kind;
    double beta1, beta2, epsilon; /* Adam */
    double momentum;              /* SGD */
    double decay;
} f0t_optimizer;

/* Adam with 0.9, 0.999, 1e-8; momentum 0.9; no decay. */
f0t_optimizer f0t_optimizer_default(f0t_optimizer_kind kind);
/* Fails, saying why, when a number is not in its range. */
f0t_status f0t_optimizer_check(const f0t_optimizer *optimizer);

/* One array of parameters and what the optimiser remembers about it; n elements each. */
typedef struct f0t_parameters {
    float *w;
    float *m, *v;   /* moments; SGD has no v */
    uint16_t *half; /* w rounded to bfloat16, or NULL */
    bool decays;
} f0t_parameters;

/* Updates n elements from `first` on by their gradient g[n], as step t (from 1) with this learning
 * rate. The same bytes for any division of the elements among calls, threads and CPUs. */
void f0t_optimizer_update(const f0t_parameters *parameters, size_t first, const float *g, size_t n,
                          const f0t_optimizer *optimizer, uint64_t t, double rate);

/* The factors of one step, the same for all elements. */
typedef struct f0t_update_factors {
    float beta1, rest1, beta2, rest2; /* rest = 1 - beta */
    float rate;                       /* Adam: r / (1 - beta1^t) */
    float root;                       /* Adam: 1 / sqrt(1 - beta2^t) */
    float epsilon;
    float keep;            /* Adam: 1 - r decay */
    float momentum, decay; /* SGD */
} f0t_update_factors;

f0t_update_factors f0t_update_factors_make(const f0t_optimizer *optimizer, bool decays, uint64_t t,
                                           double rate);

#endif
