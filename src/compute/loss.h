/*
 * Losses of the scores that a mini-batch of images gives to the tags, with their gradients
 * (section 4.3 of the paper). For one image, s the scores, p a relevant tag, n an irrelevant one:
 *
 *     ranknet              ω Σ_p Σ_n log(1 + exp(s_n − s_p)), ω = 1 / (pairs of the image)
 *     ranknet-unweighted   the same with ω = 1
 *     hinge                1/T (Σ_p [1 − s_p]₊ + Σ_n [1 + s_n]₊), T the number of tags
 *     squared-hinge        the same with each bracket squared
 *     logistic             Σ_p log(1 + exp(−s_p)) + Σ_n log(1 + exp(s_n))
 *     crammer-singer       Σ_p max_n [1 + s_n − s_p]₊
 *     max-out              [1 + max_n s_n − min_p s_p]₊
 *     listmle              −log of the Plackett-Luce probability (Xia et al., ICML 2008) that the
 *                          relevant tags come first, in an order drawn by seed; all orders of the
 *                          irrelevant after them are summed over, as they have no order of their
 *                          own: Σ_i (log Σ_{j ≥ i or irrelevant} exp(s_j) − s_i), i = 1 … |Y|
 *
 * The loss and gradient of a batch are means over the images that train: those with a relevant and
 * an irrelevant tag, so that a table of losses compares losses alone. logistic is for probabilities:
 * it takes every image, as leaving out those without a relevant tag would raise them all, and is a sum
 * over the tags, so that the slope of a score is sigmoid(s) − [relevant] however many tags there are.
 * Where a maximum or minimum is shared, the tag of the lowest index has it; a bracket that is 0 has the
 * gradient 0.
 *
 * With F0T_PAIRS_BATCH ranknet is the mean over all pairs of a relevant entry of any image and an
 * irrelevant entry of any image of the batch; images without a relevant tag serve as negatives.
 */
#ifndef F0T_COMPUTE_LOSS_H
#define F0T_COMPUTE_LOSS_H

#include "base/status.h"

/* Zero-initialised: ranknet over the pairs within each image. */
typedef struct f0t_loss_options {
    f0t_loss loss;
    f0t_pairs pairs;
    uint64_t seed; /* of listmle's orders */
} f0t_loss_options;

/* The scores of some images and their relevant tags, as rows. */
typedef struct f0t_loss_batch {
    size_t images;
    size_t tags;
    const float *scores;      /* [images x tags] */
    const size_t *offsets;    /* [images + 1] row m has relevant[] in the half-open range */
    const uint32_t *relevant; /* [offsets[m], offsets[m + 1]): ascending, distinct, below `tags` */
    uint64_t number;          /* of the batch in the training; listmle's orders depend on it */
    size_t first; /* of a part of a mini-batch: the number of its first row in the whole [0] */
    size_t
        training; /* and how many images of the whole train: the mean is over them [0: these are all] */
} f0t_loss_batch;

typedef struct f0t_loss_result {
    double loss;   /* 0 when no image trains; of a part of a batch: its share of the whole's */
    size_t images; /* how many trained; with F0T_PAIRS_BATCH all or none */
} f0t_loss_result;

/* Whether an image with so many relevant tags of `tags` trains. */
bool f0t_loss_trains(f0t_loss loss, size_t relevant, size_t tags);

/* How many images of the batch train; fails with F0T_ERROR_ARGUMENT when it is larger than images x tags or its relevant
 * tags are not as said above. */
f0t_status f0t_loss_batch_check(size_t *training, f0t_loss loss, size_t images, size_t tags,
                                const f0t_loss_batch *batch);

/* The memory for batches of at most this size, made once: a run allocates nothing. */
typedef struct f0t_loss_plan f0t_loss_plan;

/* For up to `images` rows of up to `tags` scores: about 24 · tags bytes per thread, and with
 * F0T_PAIRS_BATCH 8 · images · tags bytes more. For the threads of the current context. */
f0t_status f0t_loss_plan_create(f0t_loss_plan **out, const f0t_loss_options *options, size_t images,
                                size_t tags);
void f0t_loss_plan_free(f0t_loss_plan *plan);

/*
 * The loss of a batch and its gradient with respect to the scores [images x tags]. `gradient` may
 * be the scores themselves, which it then overwrites; every element is set, to 0 in rows that do
 * not train. One thread at a time may use a plan. Same input, same bytes for any number of threads.
 *
 * Fails with F0T_ERROR_NUMERIC, naming the row, when a score is NaN or infinite or the loss of a
 * row has no finite value, and with F0T_PAIRS_BATCH when the scores span more than 20480; with
 * F0T_ERROR_ARGUMENT when the batch is larger than planned or its relevant tags are not as said
 * above. The content of `gradient` is then undefined. Scores of ±1e4 and more are fine.
 */
f0t_status f0t_loss_run(f0t_loss_result *result, float *gradient, f0t_loss_plan *plan,
                        const f0t_loss_batch *batch);

/* The outputs of a regression and what they should be. */
typedef struct f0t_regression {
    size_t images;
    size_t dims;
    const float *outputs;  /* [images x dims] */
    const float *targets;  /* [rows x dims] */
    const uint32_t *index; /* [images] the row of `targets` for each image, or F0T_NO_TARGET: that
                              image does not train; NULL: row m for image m */
    size_t training;       /* as in f0t_loss_batch [0] */
} f0t_regression;

#define F0T_NO_TARGET UINT32_MAX

/* Mean over the images that train of ‖output − target‖², and its gradient [images x dims] with
 * respect to the outputs, which it may overwrite as above. */
f0t_status f0t_regression_run(f0t_loss_result *result, float *gradient,
                              const f0t_regression *regression);

#endif
