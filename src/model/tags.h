/* The tags of a dataset that a training uses, and their vectors. */
#ifndef F0T_MODEL_TAGS_H
#define F0T_MODEL_TAGS_H

#include "model/samples.h"

/* The dataset's numbers of the tags that the options ask for; the caller's to free. */
f0t_status f0t_tags_choose(uint32_t **tags, size_t *count, const f0t_dataset *dataset,
                           const f0t_train_options *options);

/* The vocabulary of these tags, and number[tags of the dataset]: the place of each in it, or
 * F0T_NO_SAMPLE_TAG. Both are the caller's to free, also after a failure. */
f0t_status f0t_tags_find(f0t_vocab **vocab, uint32_t **number, const f0t_dataset *dataset,
                         const uint32_t *tags, size_t count, const f0t_vectors *vectors,
                         const f0t_train_options *options, const f0t_monitor *monitor);

#endif
