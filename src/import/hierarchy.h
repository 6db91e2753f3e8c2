/* Keywords that are paths, and the tags that a collection has of them: of "Places|Europe|Paris" it is "Paris" and,
 * where levels are learned, "Europe" and "Places" as well. */
#ifndef F0T_IMPORT_HIERARCHY_H
#define F0T_IMPORT_HIERARCHY_H

#include "import/collection.h"

/* Zero-initialised it knows no path; to be freed in any case. */
typedef struct f0t_hierarchy {
    bool levels;     /* learn every level of a path, else the last one alone */
    f0t_names roots; /* the first levels of paths that were seen */
    f0t_names paths; /* "Places|Europe|Paris", with the last level as the tag is written, */
    size_t *counts;  /* [paths] and on how many images */
    size_t counts_capacity;
} f0t_hierarchy;

void f0t_hierarchy_free(f0t_hierarchy *hierarchy);

/* Sees a keyword of any image before tags are made: whether "Places/Paris" is a path, and "AC/DC" is none, depends on
 * whether the collection has other paths that begin with "Places". */
f0t_status f0t_hierarchy_see(f0t_hierarchy *hierarchy, const char *keyword);

/* Adds the words that will be tags to `words`. */
f0t_status f0t_hierarchy_words(f0t_names *words, const f0t_hierarchy *hierarchy,
                               const f0t_texts *keywords);

/* Adds the tags of an image's keywords to the row that is being built. Keywords that are the same word but for letters'
 * case, whatever their paths, are one tag. */
f0t_status f0t_hierarchy_add(f0t_hierarchy *hierarchy, f0t_collection *collection,
                             const f0t_texts *keywords);

/* Gives each tag its place in the hierarchy (collection->paths): of several the one that most images have. */
f0t_status f0t_hierarchy_end(f0t_hierarchy *hierarchy, f0t_collection *collection);

#endif
