/* Which of its best tags a picture gets: all, or those that are sure enough. */
#ifndef F0T_TAG_CHOICE_H
#define F0T_TAG_CHOICE_H

#include "tag/known.h"

typedef struct f0t_tag_choice {
    bool by_confidence; /* else all */
    float learned;      /* the least confidence of tags that were learned, */
    float fresh;        /* and of new words */
    const f0t_known_words *words;
} f0t_tag_choice;

/* Fails with F0T_ERROR_UNSUPPORTED when the model has no confidences, or what is asked for cannot be
 * promised. `words` outlive it. */
f0t_status f0t_tag_choice_create(f0t_tag_choice *out, const f0t_tag_options *options,
                                 const f0t_model *model, const f0t_known_words *words,
                                 const f0t_monitor *monitor);

/* Whether it takes word `index` of the vocabulary with this confidence. */
bool f0t_tag_choice_takes(const f0t_tag_choice *choice, uint32_t index, float confidence);

#endif
