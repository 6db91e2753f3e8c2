/* Whether processes that tag together have the same before them. */
#ifndef F0T_TAG_ALIKE_H
#define F0T_TAG_ALIKE_H

#include "base/group.h"
#include "model/model.h"

/* Fails in every process where model, vocabulary or input are not the same in all. Of features some rows are compared, of
 * pictures the paths, or the names and sizes. */
f0t_status f0t_tagging_alike(const f0t_group *group, const f0t_model *model, const f0t_vocab *vocab,
                             const f0t_tag_input *input);

#endif
