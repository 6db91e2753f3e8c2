/*
 * A rule on a working set: all its relevant tags and the irrelevant ones that come near the margin,
 * a few dozen of a thousand. There w = Σ β v over the set, scores are products with its Gram
 * matrix, and Newton steps are solved exactly, in double precision.
 */
#ifndef F0T_RANK_RANKSVM_WORK_H
#define F0T_RANK_RANKSVM_WORK_H

#include "rank/ranksvm_bounds.h"
#include "rank/ranksvm_graph.h"
#include "rank/ranksvm_space.h"

/* Memory of one thread, for one set at a time. */
typedef struct f0t_svm_work {
    const f0t_ranksvm *svm;
    size_t room;     /* tags that fit */
    size_t relevant; /* the first so many tags of the set are relevant */
    size_t count;
    uint32_t *tags;               /* [room] */
    double *gram;                 /* [count x count] */
    double *beta;                 /* [room] */
    double *scores;               /* [room] w·v */
    double *slopes;               /* [room] Σ h'(z) over the pairs of each tag */
    double *rest, *rest_scores;   /* [room] what β lacks to be the dual point, and K times it */
    double *step, *step_scores;   /* [room] the Newton step, and K times it */
    double *trial, *trial_slopes; /* [room] scores and slopes along the step */
    double *direction;            /* [rank] */
    f0t_svm_graph *graph;
} f0t_svm_work;

f0t_status f0t_svm_work_create(f0t_svm_work **out, const f0t_ranksvm *svm, size_t room);
void f0t_svm_work_free(f0t_svm_work *work);

/* Takes the set in tags[count], beta[count], relevant ones first. */
void f0t_svm_work_load(f0t_svm_work *work, const uint32_t *tags, const double *beta,
                       size_t relevant, size_t count);
/* Σ β v into work->direction. */
void f0t_svm_work_combine(f0t_svm_work *work);
/* w = Σ β v, rounded, and the scores of w as rounded. */
void f0t_svm_work_direction(f0t_svm_work *work, float *w);
/* The scores of w. */
void f0t_svm_work_scores(f0t_svm_work *work, const float *w);

/* Solves the problem of the set, with this loss, from β on, in *steps Newton steps. True when it is
 * solved; `best` holds the bounds of the last point, `dual` never falling. False: steps no longer
 * lead on. */
bool f0t_svm_work_solve(f0t_svm_work *work, const f0t_svm_task *task, f0t_svm_loss loss,
                        f0t_svm_bounds *best, int *steps);

/* The objective over the set, ‖w‖² being `norm`. */
double f0t_svm_work_primal(const f0t_svm_work *work, const f0t_svm_task *task, double norm);

/* How many times as long w should be for the least hinge objective, which is put into *primal. */
double f0t_svm_work_length(f0t_svm_work *work, const f0t_svm_task *task, double *primal);

#endif
