/*
 * What a training needs to resume where it stopped, in one safetensors file: the step's arrays, the
 * best weights so far, and where it was; of a training that is made of several nets also those that are done.
 * Written completely or not at all. Of several processes (base/group.h) the first has the file, and the others get what it
 * read.
 */
#ifndef F0T_MODEL_CHECKPOINT_H
#define F0T_MODEL_CHECKPOINT_H

#include "io/lock.h"
#include "model/step.h"

/* How far a training is. */
typedef struct f0t_train_place {
    size_t epoch;      /* finished epochs */
    size_t batch;      /* finished mini-batches of the current epoch */
    double loss;       /* sum over the images of the current epoch so far */
    double best;       /* validation MiAP of the best weights; NaN before the first epoch's end */
    size_t best_epoch; /* from 1 */
    double seconds;    /* spent so far */
} f0t_train_place;

/* One training at a time uses the file at `path`. A file that is not a checkpoint is refused and not
 * changed. Nothing is locked after a failure. */
f0t_status f0t_checkpoint_claim(f0t_lock *lock, const char *path);

/* `identity` says what is being trained; a checkpoint of another training is refused. `done` are the nets that ended
 * before this one (NULL: none); step NULL: no other has begun. */
f0t_status f0t_checkpoint_save(const char *path, const char *identity, const f0t_net_list *done,
                               const f0t_train_place *place, const f0t_step *step,
                               const f0t_net *best);
/* Leaves everything as it is when there is no such file, or as many nets are not done in it. */
f0t_status f0t_checkpoint_load(f0t_train_place *place, f0t_step *step, f0t_net *best,
                               const char *path, const char *identity, const f0t_net_list *done);
/* Net `number` of those that are done, into one of its shape; *found is false where there is none, and no file. */
f0t_status f0t_checkpoint_load_done(f0t_net *net, bool *found, const char *path,
                                    const char *identity, size_t number);

#endif
