/* The losses of loss.h written plainly, in double: what the fast ones are compared with. Always
 * compiled. */
#ifndef F0T_RANK_LOSS_REFERENCE_H
#define F0T_RANK_LOSS_REFERENCE_H

#include "compute/loss.h"

/* The loss of one image and its gradient [tags]. The order of relevant[count] is that of listmle.
 * The image trains (f0t_loss_trains). */
double f0t_loss_image_ref(double *gradient, f0t_loss loss, const double *scores, size_t tags,
                          const uint32_t *relevant, size_t count);

/* As f0t_loss_run, for scores[images x tags] in place of those in the batch. */
f0t_status f0t_loss_ref(double *loss, double *gradient, const double *scores,
                        const f0t_loss_options *options, const f0t_loss_batch *batch);

#endif
