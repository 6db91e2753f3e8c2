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

f0t_status f0t_eval_context_open(f0t_eval_context *context, f0t_eval_method *method,
                                 const f0t_eval_task *task, double effort);
void f0t_eval_context_close(f0t_eval_context *context, const f0t_ranker *ranker);

/* The setting that tuning chose. */
typedef struct f0t_eval_choice {
    double values[F0T_KNOBS_MAX];
    size_t trials;                /* made */
    size_t fits;                  /* that they took */
    double score;                 /* of the best trial; NaN where nothing could be judged */
    double folds[F0T_TUNE_PARTS]; /* [fold_count] in each of them */
    size_t fold_count;
} f0t_eval_choice;

/* Chooses the knobs; the first values where there is nothing to choose by. The processes of a group (base/group.h) make the same
 * trials together. */
f0t_status f0t_eval_tune(f0t_eval_choice *out, f0t_eval_method *method);

#endif
