/* The images that one part of a training uses, and their relevant tags among the training tags. */
#ifndef F0T_MODEL_SAMPLES_H
#define F0T_MODEL_SAMPLES_H

#include "base/status.h"

#define F0T_NO_SAMPLE_TAG UINT32_MAX

typedef struct f0t_samples {
    size_t count;       /* images */
    size_t tags;        /* T, of the training vocabulary */
    uint32_t *images;   /* [count] their rows in the dataset */
    size_t *offsets;    /* [count + 1] */
    uint32_t *relevant; /* of sample i: the half-open range [offsets[i], offsets[i + 1]) */
} f0t_samples;

/* The images of `split`. number[t] is the place of the dataset's tag t among the `tags` training
 * tags, or F0T_NO_SAMPLE_TAG. Images without a relevant or without an irrelevant tag make no pair:
 * they are left out unless `all` is asked for. */
f0t_status f0t_samples_create(f0t_samples *out, const f0t_dataset *dataset, f0t_split split,
                              const uint32_t *number, size_t tags, bool all);
/* Those of `from` that make a pair. */
f0t_status f0t_samples_pick(f0t_samples *out, const f0t_samples *from);
void f0t_samples_free(f0t_samples *samples);

/* Order of the samples in this epoch, order[count]: a pure function of seed and epoch. */
void f0t_samples_shuffle(uint32_t *order, size_t count, uint64_t seed, uint64_t epoch);

#endif
