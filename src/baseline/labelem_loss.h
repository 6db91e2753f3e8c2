/*
 * The structured hinge of labelem (Akata et al., CVPR 2015, eq. 3): for every relevant tag p of an
 * image, max over all tags y ≠ p of [1 + s_y − s_p]₊, the image's own other tags among them. Where
 * the maximum is shared, the tag of the lowest index has it. The loss of a batch is the mean over its
 * images with a relevant and an irrelevant tag of the sum over p.
 */
#ifndef F0T_BASELINE_LABELEM_LOSS_H
#define F0T_BASELINE_LABELEM_LOSS_H

#include "rank/loss.h"

/* As f0t_loss_run. */
f0t_status f0t_labelem_loss_run(f0t_loss_result *result, float *gradient,
                                const f0t_loss_batch *batch);

#endif
