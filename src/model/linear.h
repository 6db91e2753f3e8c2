/*
 * f(x) = A x (section 4.2): ranking SVMs give each distinct rule a direction w, and A minimises
 * Σ_m ‖w_m − A x_m‖² + r ‖A‖², in closed form: A = (Σ w xᵀ) (Σ x xᵀ + r I)⁻¹. One pass over the
 * features, whatever their number; memory for D², a block of rows, and the rules' directions. With fewer
 * images than D / 2 by the N x N matrix of their products: linear_few.h.
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
 * grid by validation MiAP. */
f0t_status f0t_linear_fit(f0t_net *net, f0t_linear_choice *choice, const f0t_train_data *data,
                          const f0t_train_options *options, const f0t_monitor *monitor);

#endif
