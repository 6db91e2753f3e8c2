/* What one part of a training uses of a dataset: tags with their vectors, and images with the relevant ones among
 * these tags. */
#ifndef F0T_MODEL_SAMPLES_H
#define F0T_MODEL_SAMPLES_H

#include "base/status.h"

/* ---- Tags ------------------------------------------------------------------------------------ */

#define F0T_NO_SAMPLE_TAG UINT32_MAX

/* The dataset's numbers of the tags that the options ask for; the caller's to free. */
f0t_status f0t_tags_choose(uint32_t **tags, size_t *count, const f0t_dataset *dataset,
                           const f0t_train_options *options);

/* The vocabulary of these tags, and number[tags of the dataset]: the place of each in it, or
 * F0T_NO_SAMPLE_TAG. Both are the caller's to free, also after a failure. */
f0t_status f0t_tags_find(f0t_vocab **vocab, uint32_t **number, const f0t_dataset *dataset,
                         const uint32_t *tags, size_t count, const f0t_vectors *vectors,
                         const f0t_train_options *options, const f0t_monitor *monitor);

/* The same, but tags without a vector are in the vocabulary, with 0: what learns tags as themselves needs none. */
f0t_status f0t_tags_find_all(f0t_vocab **vocab, uint32_t **number, const f0t_dataset *dataset,
                             const uint32_t *tags, size_t count, const f0t_vectors *vectors,
                             const f0t_train_options *options, const f0t_monitor *monitor);

/* ---- Images ---------------------------------------------------------------------------------- */

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
/* Takes those away whose images have no tag at all in the dataset, and that nobody has reviewed; gives how many. */
size_t f0t_samples_drop_untagged(f0t_samples *samples, const f0t_dataset *dataset);
/* Those of `from` that make a pair, or all. */
f0t_status f0t_samples_pick(f0t_samples *out, const f0t_samples *from, bool all);
/* Those of `from` that a person has reviewed. */
f0t_status f0t_samples_pick_reviewed(f0t_samples *out, const f0t_samples *from,
                                     const f0t_dataset *dataset);
/* Those of `a`, then those of `b`. */
f0t_status f0t_samples_join(f0t_samples *out, const f0t_samples *a, const f0t_samples *b);
/* Samples fold, fold + folds, fold + 2 folds, … of `from`; or with `inside` false, all others. */
f0t_status f0t_samples_fold(f0t_samples *out, const f0t_samples *from, size_t fold, size_t folds,
                            bool inside);
/* At most `most` of them, evenly spaced. */
f0t_status f0t_samples_thin(f0t_samples *out, const f0t_samples *from, size_t most);
/* The same images with other tags: place[from->tags] is the new number of each below `tags`, or
 * F0T_NO_SAMPLE_TAG. The order of the tags stays. */
f0t_status f0t_samples_retag(f0t_samples *out, const f0t_samples *from, const uint32_t *place,
                             size_t tags);
void f0t_samples_free(f0t_samples *samples);

/* Order of the samples in this epoch, order[count]: a pure function of seed and epoch. */
void f0t_samples_shuffle(uint32_t *order, size_t count, uint64_t seed, uint64_t epoch);

#endif
