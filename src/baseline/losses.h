/*
 * The losses that methods of the comparison minimise, beside those of our own (compute/loss.h). The loss of
 * a batch is the mean over its images with a relevant and an irrelevant tag.
 */
#ifndef F0T_BASELINE_LOSSES_H
#define F0T_BASELINE_LOSSES_H

#include "compute/loss.h"

/* The structured hinge of labelem (Akata et al., CVPR 2015, eq. 3): for every relevant tag p of an image,
 * max over all tags y ≠ p of [1 + s_y − s_p]₊, the image's own other tags among them; an image has the
 * sum over p. Where the maximum is shared, the tag of the lowest index has it. As f0t_loss_run. */
f0t_status f0t_labelem_loss_run(f0t_loss_result *result, float *gradient,
                                const f0t_loss_batch *batch);

/* Cross entropy of a softmax over all tags against the uniform distribution over an image's relevant tags:
 * log Σ_t exp(s_t) − (1/|Y|) Σ_{p ∈ Y} s_p. As f0t_loss_run. */
f0t_status f0t_softmax_loss_run(f0t_loss_result *result, float *gradient,
                                const f0t_loss_batch *batch);

/* ---- WARP -------------------------------------------------------------------------------------- */

/*
 * The weighted approximate-rank pairwise loss, WARP (Weston, Bengio, Usunier, "WSABIE: Scaling up to
 * large vocabulary image annotation", IJCAI 2011; Gong, Jia, Leung, Toshev, Ioffe, "Deep
 * convolutional ranking for multilabel image annotation", ICLR 2014). For each relevant tag p of an
 * image, irrelevant tags are drawn, with replacement, until one of them, n, violates the margin:
 *
 *     1 + s_n − s_p > 0   at the N-th draw;  then  L(r) (1 + s_n − s_p),  r = ⌊|Ȳ| / N⌋,
 *
 * with L(r) = 1 + 1/2 + … + 1/r: r estimates how many irrelevant tags violate it. After |Ȳ| draws
 * without a violation p adds nothing. The sources have (tags − 1) in place of |Ȳ|: the same for an
 * image with one relevant tag, and what it must be for one with several, as only irrelevant tags are
 * drawn.
 *
 * An image has the sum over p. The draws are a pure function of (seed, batch number, sample, p).
 */

typedef struct f0t_warp_loss f0t_warp_loss;

/* For batches of up to so many images and tags. */
f0t_status f0t_warp_loss_create(f0t_warp_loss **out, size_t images, size_t tags, uint64_t seed);
void f0t_warp_loss_free(f0t_warp_loss *loss);

/* As f0t_loss_run; samples[images] tell the rows apart from those of other batches. */
f0t_status f0t_warp_loss_run(f0t_loss_result *result, float *gradient, f0t_warp_loss *loss,
                             const f0t_loss_batch *batch, const uint32_t *samples);

#endif
