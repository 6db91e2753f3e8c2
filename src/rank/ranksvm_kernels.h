/*
 * The inner loops of the ranking SVM. Compiled once a CPU level.
 *
 * A loss is h with h'(z) = min(k max(0, z), cap). k = 2 and cap = ∞ is the squared hinge; cap = 1
 * is the hinge with its corner rounded over 0 < z < 1/k. Pairs in the zone, where h is curved, are
 * those with 0 < z and k z < cap.
 */
#ifndef F0T_RANK_RANKSVM_KERNELS_H
#define F0T_RANK_RANKSVM_KERNELS_H

#include "base/cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct f0t_svm_loss {
    double k;
    double cap;
} f0t_svm_loss;

/* Over all pairs: Σ h'(z), Σ h'(z) z, Σ h'(z)², Σ max(0, z), and how many are in the zone. */
typedef struct f0t_svm_sums {
    double slope;
    double moment;
    double square;
    double slack;
    double zone;
} f0t_svm_sums;

/* z = 1 − p[i] + n[j] over np relevant and nn irrelevant scores. gp[i] and gn[j] become the sums of
 * h'(z) over the pairs of i and of j. */
#define F0T_SVM_PAIRS_ARGS(real)                                                         \
    (f0t_svm_sums * sums, real * gp, real * gn, const real *p, size_t np, const real *n, \
     size_t nn, f0t_svm_loss loss)
F0T_KERNEL_DECLARE(void, svm_pairs_f32, F0T_SVM_PAIRS_ARGS(float));
F0T_KERNEL_DECLARE(void, svm_pairs_f64, F0T_SVM_PAIRS_ARGS(double));

/* The Laplacian of the graph of the zone's pairs times a vector: yp[i] = Σ xp[i] − xn[j] over the
 * pairs of i in the zone, yn[j] = Σ xn[j] − xp[i]. */
typedef struct f0t_svm_zone {
    const float *p, *n; /* scores, which say what is in the zone */
    size_t np, nn;
    f0t_svm_loss loss;
} f0t_svm_zone;
F0T_KERNEL_DECLARE(void, svm_zone_product,
                   (float *yp, float *yn, const float *xp, const float *xn,
                    const f0t_svm_zone *zone));

/* row[j] = 1 where the pair of a relevant score and n[j] is in the zone, else 0, added to degrees[j].
 * Returns the sum. */
F0T_KERNEL_DECLARE(double, svm_zone_row,
                   (double *row, double *degrees, double p, const double *n, size_t nn,
                    f0t_svm_loss loss));

/* y[n] = Σ x[i] row i over the rows i = index[0 … count - 1] of a[… x n]. */
F0T_KERNEL_DECLARE(void, svm_sum_rows,
                   (double *y, const double *a, const double *x, const size_t *index, size_t count,
                    size_t n));
/* c = aᵀ b in the lower triangle, for a and b [k x n]; the rows of c are `stride` apart. */
F0T_KERNEL_DECLARE(void, svm_product_lower,
                   (double *c, size_t stride, const double *a, const double *b, size_t k,
                    size_t n));
/* row[j] += own[places[j]] − ground[places[j]] − own[grounds[j]] + ground[grounds[j]]. */
F0T_KERNEL_DECLARE(void, svm_add_grounded,
                   (double *row, const double *own, const double *ground, const size_t *places,
                    const size_t *grounds, size_t count));
/* Solves a x = b for the symmetric positive definite a[n x n], of which the lower triangle is read
 * and overwritten, b being in x. room[8 x n]. False when a is not positive definite. LAPACK does the
 * same, but takes more than twice as long for the 20 to 200 rows of a working set. */
F0T_KERNEL_DECLARE(bool, svm_cholesky, (double *a, double *x, double *room, size_t n));
/* c[m x n] = a[m x k] b[k x n]. */
F0T_KERNEL_DECLARE(void, svm_product_rows,
                   (double *c, const double *a, const double *b, size_t m, size_t k, size_t n));
/* to[count] = from[index[…]]. */
F0T_KERNEL_DECLARE(void, svm_gather,
                   (double *to, const float *from, const uint32_t *index, size_t count));
/* Returns a·b. */
F0T_KERNEL_DECLARE(double, svm_dot, (const float *a, const float *b, size_t n));
F0T_KERNEL_DECLARE(double, svm_dot_mixed, (const float *a, const double *b, size_t n));
F0T_KERNEL_DECLARE(double, svm_dot_f64, (const double *a, const double *b, size_t n));
/* to += scale · from. */
F0T_KERNEL_DECLARE(void, svm_add, (double *to, double scale, const float *from, size_t n));
F0T_KERNEL_DECLARE(void, svm_add_f32, (float *to, float scale, const float *from, size_t n));

/* Those of this CPU. */
typedef struct f0t_svm_kernels {
    void(*pairs_f32) F0T_SVM_PAIRS_ARGS(float);
    void(*pairs_f64) F0T_SVM_PAIRS_ARGS(double);
    void (*zone_product)(float *, float *, const float *, const float *, const f0t_svm_zone *);
    double (*zone_row)(double *, double *, double, const double *, size_t, f0t_svm_loss);
    void (*sum_rows)(double *, const double *, const double *, const size_t *, size_t, size_t);
    void (*product_lower)(double *, size_t, const double *, const double *, size_t, size_t);
    void (*add_grounded)(double *, const double *, const double *, const size_t *, const size_t *,
                         size_t);
    bool (*cholesky)(double *, double *, double *, size_t);
    void (*product_rows)(double *, const double *, const double *, size_t, size_t, size_t);
    void (*gather)(double *, const float *, const uint32_t *, size_t);
    double (*dot)(const float *, const float *, size_t);
    double (*dot_mixed)(const float *, const double *, size_t);
    double (*dot_f64)(const double *, const double *, size_t);
    void (*add)(double *, double, const float *, size_t);
    void (*add_f32)(float *, float, const float *, size_t);
} f0t_svm_kernels;

const f0t_svm_kernels *f0t_svm_kernels_get(void);

#endif
