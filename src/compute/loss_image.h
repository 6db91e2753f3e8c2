/* The losses of one image: what f0t_loss_run calls for each row. */
#ifndef F0T_COMPUTE_LOSS_IMAGE_H
#define F0T_COMPUTE_LOSS_IMAGE_H

#include "compute/loss.h"

/* A thread's memory, and the image that it is at. Each array is for `tags` elements. */
typedef struct f0t_loss_row {
    size_t tags;
    size_t count;             /* relevant tags: as f0t_loss_trains wants them */
    const uint32_t *relevant; /* [count] */
    double scale;             /* what the gradient is multiplied by: 1 / images that train */
    uint32_t *order;          /* [count] listmle's: indices into `relevant` */
    float *scores;            /* [tags] -infinity at relevant tags */
    float *positive;          /* [count] the scores of the relevant tags */
    float *work;              /* [tags] */
    double *tails;            /* [count] */
} f0t_loss_row;

/* Loads row m of the batch: scores, relevant tags and, for listmle, the drawn order. */
void f0t_loss_row_load(f0t_loss_row *row, const f0t_loss_options *options,
                       const f0t_loss_batch *batch, size_t m);

/* The order of listmle among the relevant tags of row m: order[0] is the place in the row's list
 * of the tag that comes first. */
void f0t_loss_order(uint32_t *order, const f0t_loss_options *options, const f0t_loss_batch *batch,
                    size_t m);

/* The loss of the image, and scale · its gradient [tags]. */
double f0t_loss_row_run(float *gradient, f0t_loss loss, f0t_loss_row *row);

#endif
