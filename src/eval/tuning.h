/* Tuning a method: settings that are tried on the folds of a protocol. */
#ifndef F0T_EVAL_TUNING_H
#define F0T_EVAL_TUNING_H

#include "eval/protocol.h"

/* A method that is run by the protocol. */
typedef struct f0t_eval_method {
    const f0t_eval_protocol *protocol;
    const f0t_ranker *ranker;
    const f0t_eval_protocol_options *options;
    f0t_monitor monitor; /* of the method: warnings, progress, stop */
} f0t_eval_method;

/* What the fits of a method to one task share. */
typedef struct f0t_eval_context {
    f0t_task task;
    void *shared;
} f0t_eval_context;

/* Of the fit that is tested. */
f0t_status f0t_eval_context_open(f0t_eval_context *context, f0t_eval_method *method,
                                 const f0t_eval_task *task);
void f0t_eval_context_close(f0t_eval_context *context, const f0t_ranker *ranker);

/* The setting that tuning chose. */
typedef struct f0t_eval_choice {
    double values[F0T_KNOBS_MAX];
    size_t trials;  /* made; 0: nothing was tuned */
    size_t fits;    /* that they took */
    double effort;  /* of each: the part of the epochs; 0: two settings cost too much */
    double seconds; /* of the budget that they took; both NaN: nothing to choose, or to choose by */
    double score;   /* of the best trial; NaN where nothing could be judged */
    double folds[F0T_TUNE_PARTS]; /* [fold_count] in each of them */
    size_t fold_count;
} f0t_eval_choice;

/* The budget counts seconds of a core that does so many operations a second, about what a core with AVX-512 does in bfloat16. A
 * trial costs what f0t_ranker.cost says, not what a clock says. */
#define F0T_TUNE_OPERATIONS 1e11

/* Chooses the knobs; what is used without tuning where there is nothing to choose by, or where two settings cost more than the budget. Trials
 * have all epochs where eight settings then are within the budget, else a half or a quarter of them. The processes of a group (base/group.h) make the same
 * trials together. */
f0t_status f0t_eval_tune(f0t_eval_choice *out, f0t_eval_method *method);

#endif
