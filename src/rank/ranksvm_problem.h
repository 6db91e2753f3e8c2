/*
 * The problem that a ranking SVM solves, as all its solvers see it: the tag vectors, the losses and what
 * a point proves, and how far to go along a direction.
 */
#ifndef F0T_RANK_RANKSVM_PROBLEM_H
#define F0T_RANK_RANKSVM_PROBLEM_H

#include "math/matmul.h"
#include "rank/ranksvm.h"
#include "rank/ranksvm_pairs.h"

/* ---- Tag vectors ------------------------------------------------------------------------------- */

/* Only differences of vectors count, and ‖w‖ does not depend on the axes. So the vectors are
 * centred (smaller numbers, smaller errors) and turned to their principal axes: those without
 * extent are left out (fewer tags than dimensions cost what they are), and along the others the
 * second moments are a diagonal, which makes a good preconditioner. */
struct f0t_ranksvm {
    size_t tags;              /* T */
    size_t dims;              /* of the caller's vectors */
    size_t rank;              /* axes, at least 1 */
    float *vectors;           /* [T x rank] */
    float *given;             /* [T x dims] as they came */
    double *mean;             /* [dims] of the tags' vectors */
    double *moments;          /* [rank]: Σ over tags of the squared coordinate */
    double size;              /* mean squared length of a vector */
    float *gram;              /* [T x T], NULL when T is too large for that */
    f0t_packed *to_scores;    /* rank x T */
    f0t_packed *from_weights; /* T x rank */
    f0t_packed *axes;         /* rank x dims */
};

/* Products that serve all running rules: scores[rows x T] of directions[rows x rank], and
 * sums[rows x rank] of the vectors by weights[rows x T]. */
f0t_status f0t_ranksvm_scores(float *scores, const f0t_ranksvm *svm, const float *directions,
                              size_t rows);
f0t_status f0t_ranksvm_sums(float *sums, const f0t_ranksvm *svm, const float *weights, size_t rows);

/* The directions in the caller's coordinates, to[rows x dims]. */
f0t_status f0t_ranksvm_restore(float *to, const f0t_ranksvm *svm, const float *directions,
                               size_t rows);

/* ---- Losses and bounds ------------------------------------------------------------------------- */

/*
 * What a point proves: its objective is an upper bound of the least one, and its slopes α = h'(z),
 * taken as dual variables, give a lower bound.
 *
 * The dual of λ/2 ‖w‖² + Σ h(1 − w·x), x = p − n being the difference of a pair, is
 * Σ α − Σ h*(α) − λ/2 ‖u‖² with u = Σ α x / λ. For the hinge 0 ≤ α ≤ 1 and h* = 0, for the squared
 * hinge α ≥ 0 and h*(α) = α²/4, for a rounded hinge (ranksvm_pairs.h) h*(α) = α²/2k. Any multiple
 * of α that is allowed may be taken: the best is.
 */

/* The relative duality gap where the options say 0. */
#define F0T_RANKSVM_GAP 5e-4

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
bool f0t_svm_loss_next(f0t_svm_loss *loss, const f0t_svm_task *task, double size);
/* Whether the rounded problem is solved well enough to go on to the next. */
bool f0t_svm_loss_done(const f0t_svm_task *task, f0t_svm_loss loss, const f0t_svm_bounds *bounds);

/* ---- Line search ------------------------------------------------------------------------------- */

/* The slope of a convex function at t. */
typedef double (*f0t_svm_slope)(void *context, double t);

/* A t > 0 at which the slope is at most a tenth of start = slope(0) < 0 in size, or the nearest that
 * was found. Tries 1 first. */
double f0t_svm_step(f0t_svm_slope slope, void *context, double start);

#endif
