/*
 * How often dimension alone is enough: of T points in d dimensions, can a direction put y of them before
 * all others? That is a split by a hyperplane that need not go through the origin.
 *
 * Cover's function-counting theorem ("Geometrical and statistical properties of systems of linear
 * inequalities", 1965) counts such splits of points in general position: 2 Σ_{k ≤ d} C(T − 1, k) of all 2^T,
 * wherever the points are. How many of these have y points on one side does depend on where the points are. For
 * points that are drawn from a normal distribution it is known: the points are a random projection of a
 * simplex (Baryshnikov, Vitale 1994), y of them can not be parted from the rest where the kernel of the
 * projection meets the cone {Σ x = 0, x ≥ 0 on the y, x ≤ 0 on the rest}, and the conic Crofton formula
 * (Amelunxen, Lotz, McCoy, Tropp, "Living on the edge", 2014) gives that chance from the cone's angles:
 *
 *     P(T, d, y) = 2 (v_{d−1} + v_{d−3} + …),   v_k = Σ_{a + b = k + 1} C(y, a) C(T − y, b) β(a, b) γ(a, b)
 *
 * with the inner angle β and the outer angle γ of the face of a of the y points and b of the others.
 * Σ_y C(T, y) P(T, d, y) is Cover's number.
 */
#ifndef F0T_EVAL_SEPARABLE_H
#define F0T_EVAL_SEPARABLE_H

#include "base/status.h"

/* log10 of the share of all splits of `points` points in general position that a direction makes. */
double f0t_cover_log10(size_t points, size_t dim);

/* The inner angles for up to `most` points on one side, which all numbers of points share. */
typedef struct f0t_separable {
    size_t dim, most;
    double *inner; /* [most x dim] log β(a, b) */
} f0t_separable;

f0t_status f0t_separable_create(f0t_separable *out, size_t dim, size_t most);
void f0t_separable_free(f0t_separable *separable);

/* log10 of the chance that `chosen` (from 0 to `most`) of `points` normally distributed points can be parted
 * from the others; 0 is certainty. */
double f0t_separable_log10(const f0t_separable *separable, size_t points, size_t chosen);

#endif
