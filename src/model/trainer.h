/* Training of a net by mini-batches: epochs, validation, early stopping, checkpoints. */
#ifndef F0T_MODEL_TRAINER_H
#define F0T_MODEL_TRAINER_H

#include "model/validate.h"

/* Regression targets for --target ranksvm: sample i of the training part regresses onto
 * directions[rule[i]]; NULL members: the ranking loss is used. */
typedef struct f0t_train_target {
    const float *directions; /* [rules x d] */
    const uint32_t *rule;    /* [train->count] */
} f0t_train_target;

/* Trains `net`, whose weights are set, and leaves the best weights in it and their validation MiAP
 * in percent in *miap. `options` has no "auto"
 * left (defaults.h). `identity` names the training for its checkpoint. */
f0t_status f0t_trainer_run(f0t_net *net, double *miap, const f0t_train_data *data,
                           const f0t_train_target *target, const f0t_train_options *options,
                           const char *identity, const f0t_monitor *monitor);

#endif
