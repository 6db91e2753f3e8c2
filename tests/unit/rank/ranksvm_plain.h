/* The ranking SVM as it is written down: every pair in a list, double precision, one dual variable
 * at a time (C.-J. Hsieh et al., A dual coordinate descent method for large-scale linear SVM, ICML
 * 2008). Slow, and what the solver is compared with. */
#ifndef F0T_TESTS_RANKSVM_PLAIN_H
#define F0T_TESTS_RANKSVM_PLAIN_H

#include "rank/ranksvm.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A rule over its vectors, with the differences p − n of all pairs. */
typedef struct plain {
    size_t dims, count;
    double *pairs; /* [count x dims] */
} plain;

static inline bool plain_relevant(const uint32_t *relevant, size_t count, size_t tag)
{
    for (size_t i = 0; i < count; i++)
        if (relevant[i] == tag)
            return true;
    return false;
}

static inline plain plain_create(const float *vectors, size_t tags, size_t dims,
                                 const uint32_t *relevant, size_t count)
{
    plain p = {.dims = dims, .count = 0};
    assert_ok(f0t_alloc(&p.pairs, count * (tags - count) * dims, sizeof *p.pairs));
    for (size_t i = 0; i < count; i++)
        for (size_t t = 0; t < tags; t++) {
            if (plain_relevant(relevant, count, t))
                continue;
            for (size_t j = 0; j < dims; j++)
                p.pairs[p.count * dims + j] =
                    (double)vectors[relevant[i] * dims + j] - (double)vectors[t * dims + j];
            p.count++;
        }
    return p;
}

static inline void plain_free(plain *p)
{
    f0t_free(p->pairs);
}

static inline double plain_dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static inline double plain_objective(const plain *p, const double *w, double lambda,
                                     f0t_hinge hinge)
{
    double sum = lambda / 2 * plain_dot(w, w, p->dims);
    for (size_t i = 0; i < p->count; i++) {
        double z = fmax(0, 1 - plain_dot(p->pairs + i * p->dims, w, p->dims));
        sum += hinge == F0T_HINGE_SQUARED ? z * z : z;
    }
    return sum;
}

static inline double plain_objective_f32(const plain *p, const float *w, double lambda,
                                         f0t_hinge hinge)
{
    double wide[512];
    assert_true(p->dims <= 512);
    for (size_t j = 0; j < p->dims; j++)
        wide[j] = (double)w[j];
    return plain_objective(p, wide, lambda, hinge);
}

/* One pass over the dual variables alpha[count], w = Σ alpha pair / λ. */
static inline void plain_sweep(const plain *p, double *alpha, double *w, double lambda,
                               f0t_hinge hinge)
{
    const double bend = hinge == F0T_HINGE_SQUARED ? 0.5 : 0;
    const double most = hinge == F0T_HINGE_SQUARED ? HUGE_VAL : 1;
    for (size_t i = 0; i < p->count; i++) {
        const double *x = p->pairs + i * p->dims;
        const double curvature = plain_dot(x, x, p->dims) / lambda + bend;
        const double slope = 1 - plain_dot(x, w, p->dims) - bend * alpha[i];
        double next = curvature > 0 ? alpha[i] + slope / curvature : most;
        next = fmin(fmax(next, 0), most);
        for (size_t j = 0; j < p->dims; j++)
            w[j] += (next - alpha[i]) / lambda * x[j];
        alpha[i] = next;
    }
}

static inline double plain_dual(const plain *p, const double *alpha, const double *w, double lambda,
                                f0t_hinge hinge)
{
    double sum = -lambda / 2 * plain_dot(w, w, p->dims);
    for (size_t i = 0; i < p->count; i++)
        sum += alpha[i] - (hinge == F0T_HINGE_SQUARED ? alpha[i] * alpha[i] / 4 : 0);
    return sum;
}

/* The least objective lies between *lower and *upper, which are `gap` apart, relatively, or as near
 * as 20,000 sweeps bring them. */
static inline void plain_solve(const plain *p, double lambda, f0t_hinge hinge, double gap,
                               double *lower, double *upper)
{
    double *alpha, *w;
    assert_ok(f0t_alloc_zero(&alpha, p->count, sizeof *alpha));
    assert_ok(f0t_alloc_zero(&w, p->dims, sizeof *w));
    *lower = 0;
    *upper = plain_objective(p, w, lambda, hinge);
    for (int i = 0; i < 20000 && *upper - *lower > gap * *upper; i++) {
        plain_sweep(p, alpha, w, lambda, hinge);
        if (i % 10)
            continue;
        *lower = fmax(*lower, plain_dual(p, alpha, w, lambda, hinge));
        *upper = fmin(*upper, plain_objective(p, w, lambda, hinge));
    }
    f0t_free(alpha);
    f0t_free(w);
}

/* ---- Data ---------------------------------------------------------------------------------------- */

/* vectors[tags x dims] of length 1. */
static inline float *plain_vectors(size_t tags, size_t dims, uint64_t seed)
{
    float *vectors;
    assert_ok(f0t_alloc(&vectors, tags * dims, sizeof *vectors));
    test_random_floats(vectors, tags * dims, seed);
    for (size_t t = 0; t < tags; t++) {
        double norm = 0;
        for (size_t j = 0; j < dims; j++)
            norm += (double)vectors[t * dims + j] * (double)vectors[t * dims + j];
        for (size_t j = 0; j < dims; j++)
            vectors[t * dims + j] /= (float)sqrt(norm);
    }
    return vectors;
}

/* `count` rules with so many relevant tags each, spread over the tags: rule r has r, r + stride, …
 */
static inline f0t_rules *plain_rules(size_t tags, size_t count, size_t relevant)
{
    const size_t stride = relevant ? tags / relevant : 1;
    f0t_rules *rules;
    assert_ok(f0t_alloc_zero(&rules, 1, sizeof *rules));
    rules->tags = tags;
    rules->count = count;
    assert_ok(f0t_alloc(&rules->offsets, count + 1, sizeof *rules->offsets));
    assert_ok(f0t_alloc(&rules->relevant, count * relevant, sizeof *rules->relevant));
    for (size_t r = 0; r < count; r++) {
        rules->offsets[r] = r * relevant;
        for (size_t i = 0; i < relevant; i++)
            rules->relevant[r * relevant + i] = (uint32_t)(r % stride + i * stride);
    }
    rules->offsets[count] = count * relevant;
    return rules;
}

#endif
