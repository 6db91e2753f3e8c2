/*
 * A device that computes wrongly without saying so: now and then a step of a training is followed by the CPU.
 *
 * A step is a chain: features, layers, scores, the loss and its gradient, the gradients of layers, the update. What stands
 * at each place stays in the device's memory until the next step, so that every link is followed by itself, from what the
 * device had before it: some rows of the mini-batch, and some units of each layer. Tolerances are those of one
 * operation (compute/tolerance.h).
 *
 *     of some rows         features after dropout, all of them; some units of each layer, from all units below and the
 *                          weights before the step; some scores; the whole gradient of the scores; the gradient of some
 *                          units of each layer
 *     of all rows          the gradients of some weights and biases, the loss of the mini-batch
 *     of these weights     moments and weights after the update, and their copy in bfloat16
 *     resident features    the checksums of all rows
 *
 * Rows, units and the mini-batch are drawn by seed. Nothing that is trained depends on whether it is checked. What the CPU
 * computes anyway, the loss of an objective with host_loss, is checked for the way there and back.
 */
#ifndef F0T_MODEL_DEVICE_CHECK_H
#define F0T_MODEL_DEVICE_CHECK_H

#include "model/resident.h"
#include "model/step.h"
#include "model/trainer.h"

typedef struct f0t_device_check f0t_device_check;

/* *out is NULL where the CPU is the device. F0T_DEVICE_CHECK=0 leaves all checks out, F0T_DEVICE_CHECK=all makes one of
 * every step. `step` and `objective` must stay. */
f0t_status f0t_device_check_create(f0t_device_check **out, const f0t_step *step,
                                   const f0t_train_data *data, const f0t_objective *objective,
                                   const f0t_train_options *options);
void f0t_device_check_free(f0t_device_check *check);

/* Whether a mini-batch, of `batches` of the epoch, is the one to check; and whether there is time for it: one check at
 * least, and no more than 1 % of the `seconds` that the training has run. */
bool f0t_device_check_chooses(const f0t_device_check *check, size_t epoch, size_t batch,
                              size_t batches);
bool f0t_device_check_has_time(const f0t_device_check *check, double seconds);

/* A step that is checked. */
typedef struct f0t_checked_step {
    size_t epoch, batch;     /* from 0 */
    const uint32_t *samples; /* [rows] */
    size_t rows, first, training;
    const size_t *offsets; /* [rows + 1] */
    const uint32_t *relevant;
    double rate, loss; /* the device's loss of these rows; NaN: it has none of its own */
    const float *const
        *moved; /* of an objective with host_loss: the scores and the gradient that were copied */
    const f0t_resident *resident[2]; /* what stays there; NULL: nothing */
} f0t_checked_step;

/* Before the step, and when it has ended. Fails with F0T_ERROR_IO, naming what differs. */
f0t_status f0t_device_check_before(f0t_device_check *check);
f0t_status f0t_device_check_after(f0t_device_check *check, const f0t_checked_step *step);

/* Some weights of `net`, and whether those of a net that should have the same ones are still these bits, `when`: "after the
 * validation of epoch 3". */
f0t_status f0t_device_check_hold(f0t_device_check *check, const f0t_net *net);
f0t_status f0t_device_check_same(f0t_device_check *check, const f0t_net *net, const char *when);

/* Checks so far, and the seconds that they took. */
uint64_t f0t_device_check_count(const f0t_device_check *check, double *seconds);

#endif
