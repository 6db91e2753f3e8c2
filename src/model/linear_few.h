/*
 * The linear map where there are fewer images than features: A = W (K + r I)⁻¹ X with K = X Xᵀ [N x N].
 * The same map as that of linear_sums.h, which uses the D x D matrix Xᵀ X, for N³ instead of D³.
 */
#ifndef F0T_MODEL_LINEAR_FEW_H
#define F0T_MODEL_LINEAR_FEW_H

#include "model/validate.h"

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
