/* General words beside the tags of a picture. */
#ifndef F0T_TAG_GENERAL_H
#define F0T_TAG_GENERAL_H

#include "fast0tag.h"

enum { F0T_GENERAL_MOST = 32 }; /* of a picture */

/* Adds the general words of tags[count] after them, the surest first; returns how many tags there are then, at most
 * count + F0T_GENERAL_MOST. What shows a dog shows an animal: a general word is as sure as the surest of the tags below
 * it, or surer where it is a tag itself, and so is its score. */
f0t_status f0t_general_add(f0t_tag_score *tags, size_t *count, const f0t_hypernyms *hypernyms);

#endif
