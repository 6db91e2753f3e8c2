/* Training of a net by mini-batches: epochs, validation, early stopping, checkpoints. */
#ifndef F0T_MODEL_TRAINER_H
#define F0T_MODEL_TRAINER_H

#include "model/objective.h"

/* Of a new net's output layer (f0t_net_set_random): first directions are short, scores start near 0,
 * where every pair still counts. */
#define F0T_OUTPUT_SCALE 0.1

/* Trains `net`, whose weights are set, and leaves the best weights in it and their validation MiAP
 * in percent in *miap (NaN without a validation part: then the last weights are the best). `options`
 * has no "auto" left (options.h). `identity` names the training for its checkpoint. */
f0t_status f0t_trainer_run(f0t_net *net, double *miap, const f0t_train_data *data,
                           const f0t_objective *objective, const f0t_train_options *options,
                           const char *identity, const f0t_monitor *monitor);

#endif
