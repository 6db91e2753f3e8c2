/*
 * A rule on a working set: all its relevant tags and the irrelevant ones that come near the margin,
 * a few dozen of a thousand. There w = Σ β v over the set, scores are products with its Gram
 * matrix, and Newton steps are solved exactly, in double precision.
 */
#ifndef F0T_RANK_RANKSVM_WORK_H
#define F0T_RANK_RANKSVM_WORK_H

#include "rank/ranksvm_problem.h"

/* ---- The graph of the zone --------------------------------------------------------------------- */

/* The bipartite graph of the pairs in the zone, on a working set, and the Newton step it gives. */

/* Nodes are tags that have a pair in the zone, known by their places in the working set. In each
 * connected component one relevant tag is the ground; the other nodes are listed. */
typedef struct f0t_svm_graph {
    size_t room;             /* tags of a working set at most */
    size_t relevant;         /* listed relevant nodes */
    size_t irrelevant;       /* listed irrelevant nodes */
    size_t count;            /* both: the relevant ones first */
    size_t *places;          /* [room] of the listed nodes */
    size_t *grounds;         /* [room] the places of their grounds */
    size_t *parents;         /* [room] while components are joined */
    double *degrees;         /* [room] of all tags of the set, by place */
    double *pairs;           /* [room²/4] 1 where a relevant and an irrelevant tag are a pair */
    double *links;           /* [room²/4] the same for listed nodes */
    double *shares;          /* [room²/4] links divided by the degree of the irrelevant node */
    double *spread;          /* [room²/4] inverse · shares */
    double *schur, *inverse; /* [room²] of relevant nodes */
    double *system;          /* [room²] */
    double *solution;        /* [room] */
    double *columns;         /* [8 x room] */
} f0t_svm_graph;

/* A working set, relevant tags first. */
typedef struct f0t_svm_set {
    const double *scores; /* [count] */
    size_t relevant;
    size_t count;
    /* Row i of the Gram matrix, [count]. */
    const double *(*gram_row)(void *context, size_t i);
    void *context;
} f0t_svm_set;

f0t_status f0t_svm_graph_create(f0t_svm_graph **out, size_t room);
void f0t_svm_graph_free(f0t_svm_graph *graph);

/* Adds to step[count] the e of (λ I + k L K) e = −k L scores', where scores' are those of the
 * gradient step: together they are the Newton step. False when rounding makes the system
 * singular. */
bool f0t_svm_graph_bend(f0t_svm_graph *graph, double *step, const double *gradient_scores,
                        const f0t_svm_set *set, double lambda, f0t_svm_loss loss);

/* ---- A working set ----------------------------------------------------------------------------- */

/* Memory of one thread, for one set at a time. */
typedef struct f0t_svm_work {
    const f0t_ranksvm *svm;
    size_t room;     /* tags that fit */
    size_t relevant; /* the first so many tags of the set are relevant */
    size_t count;
    uint32_t *tags;               /* [room] */
    double *gram;                 /* [count x count], the rows that were asked for */
    bool *has_row;                /* [room] */
    size_t *parts;                /* [room] scratch */
    double *beta;                 /* [room] */
    double *scores;               /* [room] w·v */
    double *slopes;               /* [room] Σ h'(z) over the pairs of each tag */
    double *rest, *rest_scores;   /* [room] what β lacks to be the dual point, and K times it */
    double *step, *step_scores;   /* [room] the Newton step, and K times it */
    double *trial, *trial_slopes; /* [room] scores and slopes along the step */
    double *direction;            /* [rank] Σ β v */
    double *result;               /* [dims] the same in the caller's coordinates, rounded */
    double norm;                  /* its squared length */
    f0t_svm_graph *graph;
} f0t_svm_work;

f0t_status f0t_svm_work_create(f0t_svm_work **out, const f0t_ranksvm *svm, size_t room);
void f0t_svm_work_free(f0t_svm_work *work);

/* Takes the set in tags[count], with β and scores, relevant ones first. */
void f0t_svm_work_load(f0t_svm_work *work, const uint32_t *tags, const double *beta,
                       const double *scores, size_t relevant, size_t count);
/* Σ β v into work->direction. */
void f0t_svm_work_combine(f0t_svm_work *work);
/* The same, rounded. */
void f0t_svm_work_direction(float *w, f0t_svm_work *work);
/* Σ β v over the vectors as the caller gave them, rounded: the result[dims] itself. The scores
 * become its scores, without the rounding of the Gram matrix that steps leave in them. */
void f0t_svm_work_result(float *result, f0t_svm_work *work);

/* Solves the problem of the set, with this loss, from β on, in *steps Newton steps. True when it is
 * solved; `best` holds the bounds of the last point, `dual` never falling. False: steps no longer
 * lead on. */
bool f0t_svm_work_solve(f0t_svm_bounds *best, int *steps, f0t_svm_work *work,
                        const f0t_svm_task *task, f0t_svm_loss loss);

/* Bends a gradient step with the scores work->rest_scores into the Newton step (f0t_svm_graph_bend). */
bool f0t_svm_work_bend(f0t_svm_work *work, double *step, double lambda, f0t_svm_loss loss);

/* The objective of the result over the set. */
double f0t_svm_work_primal(const f0t_svm_work *work, const f0t_svm_task *task);

/* A hinge's solution comes with rounded corners: a little longer it is better. Lengthens it where that
 * brings it within `gap`. */
void f0t_svm_work_lengthen(f0t_svm_bounds *bounds, f0t_svm_work *work, const f0t_svm_task *task,
                           double gap);

#endif
