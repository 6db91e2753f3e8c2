/* Where tags stand in the hierarchy of keywords that a collection uses: "People|woman" for "woman". */
#ifndef F0T_IO_DATASET_PATHS_H
#define F0T_IO_DATASET_PATHS_H

#include "base/interner.h"

/* At most one path for a tag, which is the path's last part. All zero is empty. */
typedef struct f0t_paths {
    f0t_names tags;
    f0t_texts paths; /* of each of them */
} f0t_paths;

void f0t_paths_free(f0t_paths *paths);
/* Takes the path unless its tag has one already, or it is no path. Fails (FORMAT) where the text cannot be
 * a line of a file. */
f0t_status f0t_paths_add(f0t_paths *paths, const char *path, size_t length);
f0t_status f0t_paths_copy(f0t_paths *to, const f0t_paths *from);
/* NULL where there is none. */
const char *f0t_paths_find(const f0t_paths *paths, const char *tag);

#endif
