/*
 * What a point proves: its objective is an upper bound of the least one, and its slopes α = h'(z),
 * taken as dual variables, give a lower bound.
 *
 * The dual of λ/2 ‖w‖² + Σ h(1 − w·x), x = p − n being the difference of a pair, is
 * Σ α − Σ h*(α) − λ/2 ‖u‖² with u = Σ α x / λ. For the hinge 0 ≤ α ≤ 1 and h* = 0, for the squared
 * hinge α ≥ 0 and h*(α) = α²/4, for a rounded hinge (ranksvm_kernels.h) h*(α) = α²/2k. Any multiple
 * of α that is allowed may be taken: the best is.
 */
#ifndef F0T_RANK_RANKSVM_BOUNDS_H
#define F0T_RANK_RANKSVM_BOUNDS_H

#include "rank/ranksvm.h"
#include "rank/ranksvm_kernels.h"

/* What is being solved. */
typedef struct f0t_svm_task {
    f0t_hinge hinge;
    double lambda;
    double gap;
} f0t_svm_task;

/* Bounds of the task, and of the same with the rounded loss in place of the hinge. */
typedef struct f0t_svm_bounds {
    double primal, dual;
    double rounded_primal, rounded_dual;
} f0t_svm_bounds;

/* From the sums at w, ‖w‖² and ‖u‖². */
f0t_svm_bounds f0t_svm_bounds_get(const f0t_svm_task *task, f0t_svm_loss loss,
                                  const f0t_svm_sums *sums, double norm, double dual_norm);

/* (upper − lower) / upper, at least 0. */
double f0t_svm_gap(double upper, double lower);

/* The losses that a solution goes through, each the start of the next: from one that is easy, to
 * the squared hinge itself, or to hinges with ever sharper corners. `size` is the mean squared
 * length of the vectors. */
f0t_svm_loss f0t_svm_loss_first(const f0t_svm_task *task, double size);
/* False when there is no next one. */
bool f0t_svm_loss_next(const f0t_svm_task *task, f0t_svm_loss *loss, double size);
/* Whether the rounded problem is solved well enough to go on to the next. */
bool f0t_svm_loss_done(const f0t_svm_task *task, f0t_svm_loss loss, const f0t_svm_bounds *bounds);

#endif
