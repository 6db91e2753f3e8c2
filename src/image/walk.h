/* The pictures of a folder, in a stable order. */
#ifndef F0T_IMAGE_WALK_H
#define F0T_IMAGE_WALK_H

#include "io/dataset_names.h"

/* Whether a name ends as pictures do that can be decoded: .jpg, .png, .svg, … in either case. */
bool f0t_path_is_picture(const char *path);

/* Whether a name ends as that of something that photo programs keep keywords of: the above, pictures that we
 * cannot decode (RAW, .psd, …) and videos. */
bool f0t_path_has_sidecar(const char *path);

/* The names in a folder without those that begin with a dot, and pointers to them in the order of their
 * bytes; the caller's to free, also after a failure. */
f0t_status f0t_walk_names(f0t_texts *names, const char ***sorted, const char *path);

/* Adds the pictures at `path` to `out`: itself, where it is a file (whatever its name); of a folder
 * all files below it that are named as pictures, sorted by the bytes of their paths, each beginning
 * with `path`. Names that begin with a dot, links to folders, pipes and devices are passed over. Fails when
 * `path` cannot be read; a folder below it that cannot be read is told to the monitor's log. */
f0t_status f0t_walk(f0t_texts *out, const char *path, const f0t_monitor *monitor);

#endif
