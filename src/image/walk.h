/* The pictures of a folder, in a stable order. */
#ifndef F0T_IMAGE_WALK_H
#define F0T_IMAGE_WALK_H

#include "io/dataset_names.h"

/* Whether a name ends as pictures do that can be decoded: .jpg, .png, .svg, … in either case. */
bool f0t_path_is_picture(const char *path);

/* Adds the pictures at `path` to `out`: itself, where it is a file (whatever its name); of a folder
 * all files below it that are named as pictures, sorted by the bytes of their paths, each beginning
 * with `path`. Names that begin with a dot, links to folders, pipes and devices are passed over. Fails when
 * `path` cannot be read; a folder below it that cannot be read is told to the monitor's log. */
f0t_status f0t_walk(f0t_texts *out, const char *path, const f0t_monitor *monitor);

#endif
