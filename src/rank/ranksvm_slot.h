/*
 * One rule being solved. Slots go through rounds together: each has a query, a direction whose scores a
 * product gives it; some have weights, whose sum of vectors a second product gives. In between each
 * slot takes its own step, on its own.
 *
 * A rule starts with the direction that would be right if all pairs counted. If few tags are near
 * the margin it goes on on a working set (ranksvm_work.h) whose solution the next round checks
 * against all tags; else by Newton steps over all tags, with conjugate gradients, one product
 * with the Hessian per round, or where those are slow by a system of the size of the zone.
 */
#ifndef F0T_RANK_RANKSVM_SLOT_H
#define F0T_RANK_RANKSVM_SLOT_H

#include "rank/ranksvm_work.h"

typedef enum f0t_svm_state {
    F0T_SVM_FREE,      /* no rule */
    F0T_SVM_NEW,       /* needs a first query */
    F0T_SVM_START,     /* the query is the first direction */
    F0T_SVM_WORK,      /* the query is the solution on a working set */
    F0T_SVM_POINT,     /* the query is w, between Newton steps */
    F0T_SVM_EVALUATE,  /* the weights are those of w */
    F0T_SVM_CONJUGATE, /* the query is a conjugate direction */
    F0T_SVM_GRADIENT,  /* the query is the gradient step */
    F0T_SVM_ALONG,     /* the query is the Newton step */
    F0T_SVM_DONE       /* the query is the result */
} f0t_svm_state;

typedef struct f0t_svm_slot {
    /* The rule, and where it is among the values of λ. */
    size_t number;
    size_t series;
    f0t_svm_rule rule;
    f0t_svm_task task;

    f0t_svm_state state;
    bool trivial; /* no pairs, or no vectors: w = 0 */
    f0t_svm_loss loss;
    double solved_k;      /* of the last loss whose problem was solved */
    bool loss_done;       /* the working set's problem is solved with this loss */
    bool near;            /* the working set's problem is solved within the gap */
    f0t_svm_loss entered; /* the loss when a working set was entered last; k = 0: at the start */
    int crowded;          /* times that tags near the margin found no room in the working set */
    int left;             /* times that the working set grew too large */
    bool stiff;           /* conjugate gradients were slow */
    uint32_t rounds;
    double primal, dual; /* bounds; primal without the tags outside the working set */
    double gap;          /* of the result */

    /* The working set. */
    uint32_t *set;      /* [room] */
    double *beta;       /* [room] */
    double *set_scores; /* [room] of w */
    size_t set_count;
    float *result;  /* [dims] the solution in the caller's coordinates */
    bool in_result; /* it is there, and not in the query */

    /* Newton steps over all tags. */
    float *w, *step, *rest; /* [rank] the last two: of the Newton system */
    float *at, *along;      /* [tags] scores of w and of step */
    f0t_svm_sums sums;      /* at w */
    double energy, wanted;  /* of rest, now and to stop at */
    double step_length;     /* along the query */
    double spread;          /* k · pairs in the zone / irrelevant tags, for the preconditioner */
    int conjugate_steps;
    size_t zone_count; /* tags of the zone, in `set`, when the step is solved exactly */
} f0t_svm_slot;

/* What a thread needs to take a step, and the rows of the slot in this round's products. */
typedef struct f0t_svm_thread {
    const f0t_ranksvm *svm;
    f0t_svm_work *work;
    f0t_svm_pairs *pairs;
    float *scratch; /* [tags] */
    float *slopes;  /* [tags] */
} f0t_svm_thread;

typedef struct f0t_svm_rows {
    float *query;   /* [rank] in and out */
    float *scores;  /* [tags] of the query */
    float *weights; /* [tags] out */
    float *sums;    /* [rank] Σ weights · vectors */
} f0t_svm_rows;

/* The first query of a new rule. */
void f0t_svm_slot_begin(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows);
/* After the scores. */
void f0t_svm_slot_score(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows);
/* After the sums; only slots that f0t_svm_slot_sums says so of. */
void f0t_svm_slot_sum(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows);
bool f0t_svm_slot_sums(const f0t_svm_slot *slot);

/* The slot has its result, in its query. */
void f0t_svm_slot_finish(f0t_svm_slot *slot, double primal);

/* A rule that needs more rounds than this ends with the gap it has. */
enum { F0T_SVM_ROUNDS = 2000 };

/* ---- Newton steps over all tags: ranksvm_newton.c ----------------------------------------------- */

/* Begins a step from w, whose sums have come. */
void f0t_svm_newton_begin(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows);
/* After the scores of w or of a conjugate direction, */
void f0t_svm_newton_score(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows);
/* and of the steps of an exact solution. */
void f0t_svm_newton_score_exact(f0t_svm_slot *slot, const f0t_svm_thread *thread,
                                f0t_svm_rows rows);
/* After the sums of a conjugate direction: the next one, or the end of the step. */
void f0t_svm_newton_sum(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows);

/* ---- Working sets: ranksvm_set.c ------------------------------------------------------------------ */

/* The first set, by the scores of the first direction. */
void f0t_svm_set_begin(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows);
/* Goes over from all tags to those near the margin. False, and nothing is done: not twice with the same loss, not
 * when it failed too often, not with too many tags. */
bool f0t_svm_set_enter(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows);
/* After the scores of its solution. */
void f0t_svm_set_score(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows);

/* ---- From λ to λ ---------------------------------------------------------------------------------- */

/* The next λ of a rule whose result was taken; `size` is that of the vectors. */
void f0t_svm_slot_continue(f0t_svm_slot *slot, double lambda, double size);

#endif
