/*
 * The loss of several directions per image (sdl.c). With A[K x d] the directions of an image, a tag t is scored by the
 * best of them, s_t = max_k A_k·t, and the image costs
 *
 *     2 ((1 − ω) (1 + v) 1/|Y| Σ_p Σ_n log(1 + exp(s_n − s_p)) + ω Σ_j var_k A_kj)
 *
 * where v = Σ_j var over the relevant tags p of p_j says how diverse its tags are (0 for one tag). Variances are those
 * of a sample (K − 1 and |Y| − 1 in the denominator). The batch costs the mean over the images that have a relevant
 * and an irrelevant tag; the others cost nothing.
 */
#ifndef F0T_BASELINE_SDL_LOSS_H
#define F0T_BASELINE_SDL_LOSS_H

#include "compute/loss.h"

typedef struct f0t_sdl_loss f0t_sdl_loss;

/* For up to `images` rows, with the vectors[tags x dim], which must stay; weight is ω, in [0, 1). */
f0t_status f0t_sdl_loss_create(f0t_sdl_loss **out, size_t images, const float *vectors, size_t tags,
                               size_t dim, size_t directions, double weight);
void f0t_sdl_loss_free(f0t_sdl_loss *loss);

/* batch->scores are the directions[images x K x d]; the gradient is with respect to them. Where two directions score a
 * tag the same, the first has the gradient. */
f0t_status f0t_sdl_loss_run(f0t_loss_result *result, float *gradient, f0t_sdl_loss *loss,
                            const f0t_loss_batch *batch);

#endif
