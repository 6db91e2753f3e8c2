/*
 * f(x) = A x (section 4.2): ranking SVMs give each distinct rule a direction w, and A minimises
 * Σ_m ‖w_m − A x_m‖² + r ‖A‖², in closed form: A = (Σ w xᵀ) (Σ x xᵀ + r I)⁻¹. One pass over the
 * features, whatever their number; memory for D², a block of rows, and the rules' directions. With fewer
 * images than D / 2 by the N x N matrix of their products.
 */
#ifndef F0T_MODEL_LINEAR_H
#define F0T_MODEL_LINEAR_H

#include "model/validate.h"

/* Values to choose from: decades of λ, as in Figure 2 of the paper, and ridges. */
enum { F0T_LINEAR_LAMBDAS = 6, F0T_LINEAR_RIDGES = 8 };
extern const double f0t_linear_lambdas[F0T_LINEAR_LAMBDAS];
extern const double f0t_linear_ridges[F0T_LINEAR_RIDGES];
/* Where nothing can choose: these of them, both 1 (the paper's default λ). */
enum { F0T_LINEAR_LAMBDA = 2, F0T_LINEAR_RIDGE = 4 };

/* What was chosen, and the validation MiAP in percent it was chosen by (NaN: no validation part). */
typedef struct f0t_linear_choice {
    double lambda;
    double ridge; /* as a share of the mean of x² */
    double miap;
} f0t_linear_choice;

/* Fills `net`, which has no hidden layer and no bias. λ and ridge as in `options`, or the best of a
 * grid by validation MiAP; with many images and tags λ is that of a thousand images. */
f0t_status f0t_linear_fit(f0t_linear_choice *choice, f0t_net *net, const f0t_train_data *data,
                          const f0t_train_options *options, const f0t_monitor *monitor);

/* ---- The two halves of the least squares -------------------------------------------------
 *
 * Sums over the training samples, which cost a pass over the features, and the map for a ridge, which costs a
 * factorisation. */

/* moments[D x D] = Σ x xᵀ, the lower triangle (NULL: not needed), and crossed[count d x D] = Σ w xᵀ
 * with the ranking SVMs' directions w for each of `count` values λ, one after the other. */
f0t_status f0t_linear_sums(double *moments, float *crossed, const f0t_train_data *data,
                           const double *lambdas, size_t count, f0t_hinge hinge,
                           const f0t_monitor *monitor);

/* What the sums are over: features[N x D] and the directions targets[N x count d] of all samples. */
f0t_status f0t_linear_rows(float *features, float *targets, const f0t_train_data *data,
                           const double *lambdas, size_t count, f0t_hinge hinge,
                           const f0t_monitor *monitor);

/* maps[rows x D] = crossed (moments + ridge m I)⁻¹ with m the mean of the moments' diagonal. */
f0t_status f0t_linear_solve(double *maps, const double *moments, const float *crossed, size_t rows,
                            size_t features, double ridge);

/* ---- Fewer images than features ----------------------------------------------------------
 *
 * A = W (K + r I)⁻¹ X with K = X Xᵀ [N x N]: the same map as by the D x D matrix Xᵀ X, for N³ instead of D³. */

typedef struct f0t_linear_few f0t_linear_few;

/* Whether it is faster for these data. */
bool f0t_linear_is_few(const f0t_train_data *data);

/* Reads the features, and solves the ranking SVMs for `count` values λ. */
f0t_status f0t_linear_few_create(f0t_linear_few **out, const f0t_train_data *data,
                                 const double *lambdas, size_t count, f0t_hinge hinge,
                                 const f0t_monitor *monitor);
void f0t_linear_few_free(f0t_linear_few *few);

/* maps[count d x D] for this ridge, as f0t_linear_solve gives them. */
f0t_status f0t_linear_few_solve(double *maps, const f0t_linear_few *few, double ridge);

#endif
