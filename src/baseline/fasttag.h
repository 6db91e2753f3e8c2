/*
 * One layer of FastTag (Chen, Zheng, Weinberger, "Fast image tagging", ICML 2013).
 *
 * B enriches the tags h of an image, W predicts the enriched tags from its features, and both agree:
 *
 *     Σ_i ‖B h_i − W x_i − b‖² + λ ‖W‖² + γ Σ_i E ‖h_i − B h̃_i‖²
 *
 * where h̃ is h with every tag blanked out with probability p, independently. The expectation is taken
 * in closed form. With q = 1 − p, E h̃ = q h; products of two different tags have both to stay, so
 * E h̃_s h̃_t = q² h_s h_t, and of a tag with itself only that one, so E h̃_t² = q h_t². Hence, over all
 * images, with S = Σ h hᵀ,
 *
 *     Σ E h h̃ᵀ = P = q S,     Σ E h̃ h̃ᵀ = Q = q² S + p q diag(S),
 *     Σ E ‖h − B h̃‖² = tr S − 2 tr(B Pᵀ) + tr(B Q Bᵀ).
 *
 * The paper solves for W with B fixed and for B with W fixed, in turn. As the objective is convex in
 * both together, the turns end where both are solved: W = B R with R the ridge regression from the
 * features to h, and, N being what R explains of the centred S̄,
 *
 *     B (γ Q + S̄ − N) = γ P,
 *
 * one system of T equations. Nothing of it touches the images again.
 */
#ifndef F0T_BASELINE_FASTTAG_H
#define F0T_BASELINE_FASTTAG_H

#include "base/status.h"

/* Sums over the images of a layer's tags, both [T x T]. */
typedef struct f0t_fasttag_sums {
    size_t tags;
    double *all; /* S = Σ h hᵀ */
    double *unexplained; /* S̄ − N: the same of h minus its mean, less N = R Σ x̄ h̄ᵀ, both centred */
} f0t_fasttag_sums;

/* P and Q of S into p[T x T] and q[T x T]. */
void f0t_fasttag_blank_out(double *p, double *q, const double *all, size_t tags, double blank);

/* B[T x T] of the layer. `monitor` may be NULL. */
f0t_status f0t_fasttag_layer(double *b, const f0t_fasttag_sums *sums, double gamma, double blank,
                             const f0t_monitor *monitor);

/* The sums of the next layer, whose tags are B h. */
f0t_status f0t_fasttag_next(f0t_fasttag_sums *sums, const double *b, const f0t_monitor *monitor);

#endif
