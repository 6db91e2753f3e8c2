/*
 * The seen-unseen curve of Chao et al. (An Empirical Study and Analysis of Generalized Zero-Shot Learning,
 * ECCV 2016): a constant is subtracted from the scores of all seen tags, from minus to plus infinity, and the
 * accuracy on seen tags is drawn against that on unseen ones. Accuracy here is the mean over tags of the
 * share of a tag's images that have it among their first K: theirs, where images have one tag and K is 1.
 */
#ifndef F0T_EVAL_STACKING_H
#define F0T_EVAL_STACKING_H

#include "rank/miap.h"

typedef struct f0t_stacking f0t_stacking;

/* seen[tags] says which kind each is; copied. The first K tags count, for each K of cutoffs[count]. */
f0t_status f0t_stacking_create(f0t_stacking **out, const bool *seen, size_t tags,
                               const size_t *cutoffs, size_t count);
void f0t_stacking_free(f0t_stacking *stacking);
/* All tags of the block are ranked. */
f0t_status f0t_stacking_add(f0t_stacking *stacking, const f0t_ranking *block);
/* The area under the curve for each K, 0 … 1, exactly: over every constant at which something changes; NaN
 * where no image has a seen tag, or an unseen one. relevant[tags] is how many images have each tag. */
f0t_status f0t_stacking_get(double *areas, const f0t_stacking *stacking, const uint32_t *relevant);

#endif
