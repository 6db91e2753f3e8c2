/*
 * The tags of a comparison: those of the dataset that have a vector, each seen, unseen or neither. All
 * methods rank these, also those that need no vectors.
 */
#ifndef F0T_EVAL_TAGS_H
#define F0T_EVAL_TAGS_H

#include "base/status.h"
#include "fast0tag_tools.h"

/* Bits, so that sets of kinds can be asked for. */
typedef enum f0t_tag_kind {
    F0T_TAG_SEEN = 1,
    F0T_TAG_UNSEEN = 2,
    F0T_TAG_OTHER = 4 /* in the dataset, but in neither of its two lists */
} f0t_tag_kind;

typedef struct f0t_eval_tags {
    const f0t_dataset *dataset;
    f0t_vocab *vocab;
    size_t count;        /* of the vocabulary */
    size_t train_images; /* that tasks have at most, evenly from the first to the last; 0: all */
    uint8_t *kind;       /* [count] f0t_tag_kind */
    uint32_t *index;     /* [tags of the dataset] number in the vocabulary, or F0T_NO_SAMPLE_TAG: no
                        vector, or another spelling of a tag that is of another kind */
} f0t_eval_tags;

/* Looks up the vectors, `centred` or not, and names the tags without one in the log. The
 * kinds are not set yet. */
f0t_status f0t_eval_tags_create(f0t_eval_tags *out, const f0t_dataset *dataset,
                                const f0t_vectors *vectors, bool centred,
                                const f0t_monitor *monitor);
void f0t_eval_tags_free(f0t_eval_tags *tags);

/* Sets the kinds. `unseen` NULL: by the dataset's lists, and where it has none as "20%", two at the
 * least; with fewer than four tags all are seen. "20%" draws that share of all tags, a number that
 * many, by seed, balanced by how common tags are: sorted by the training images that have them, one of each of as
 * many equal strata. Fails with F0T_ERROR_ARGUMENT when it is neither, or leaves fewer than two tags on
 * either side. */
f0t_status f0t_eval_tags_split(f0t_eval_tags *tags, const char *unseen, uint64_t seed);

/* Marks the tags of these kinds in mask[count]; gives how many there are. */
size_t f0t_eval_tags_mask(bool *mask, const f0t_eval_tags *tags, unsigned kinds);

/* Takes a fifth of the seen tags out of mask[count] and into held[count]: they stand in for the unseen ones
 * where something is tuned. The seed draws an order of the tags; `fold` is which fifth of it, from 0: each tag
 * is in one of them. Gives how many were taken: one at least, none when there are not as many fifths (of fewer than
 * ten tags). */
f0t_status f0t_eval_tags_hold_out(size_t *taken, bool *mask, bool *held, const f0t_eval_tags *tags,
                                  uint64_t seed, size_t fold);

/* True when the dataset's lists, not the seed, say what is unseen. */
bool f0t_eval_tags_are_given(const f0t_dataset *dataset, const char *unseen);

#endif
