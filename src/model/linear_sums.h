/*
 * The two halves of the linear map's least squares: sums over the training samples, which cost a
 * pass over the features, and the map for a ridge, which costs a factorisation.
 */
#ifndef F0T_MODEL_LINEAR_SUMS_H
#define F0T_MODEL_LINEAR_SUMS_H

#include "model/validate.h"

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

#endif
