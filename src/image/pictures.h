/* Pictures in folders: found in a stable order, and told from other files. */
#ifndef F0T_IMAGE_PICTURES_H
#define F0T_IMAGE_PICTURES_H

#include "base/interner.h"

/* Whether a name ends as pictures do that can be decoded: .jpg, .png, .svg, … in either case. */
bool f0t_path_is_picture(const char *path);

/* Whether a name ends as that of something that photo programs keep keywords of: the above, pictures that we
 * cannot decode (.psd, …) and videos. */
bool f0t_path_has_sidecar(const char *path);

/* The names in a folder without those that begin with a dot, and pointers to them in the order of their
 * bytes; the caller's to free, also after a failure. */
f0t_status f0t_walk_names(f0t_texts *names, const char ***sorted, const char *path);

/* Files that were passed over, by the endings of their names. All zero: none. */
enum { F0T_SKIPPED_KINDS = 64, F0T_SKIPPED_LONGEST = 12 };
typedef struct f0t_skipped_files {
    struct {
        char ending[F0T_SKIPPED_LONGEST]; /* ".mov", in lower case */
        size_t count;
    } kinds[F0T_SKIPPED_KINDS];
    size_t kind_count;
    size_t others; /* with no ending, an odd one, or one kind too many */
} f0t_skipped_files;

/* Logs them, the most frequent first: "12 files are no pictures that can be read: 9 .mov, 3 .txt". */
void f0t_skipped_files_tell(const f0t_skipped_files *skipped, const f0t_monitor *monitor);

/* Adds the pictures at `path` to `out`: itself, where it is a file (whatever its name); of a folder
 * all files below it that are named as pictures, sorted by the bytes of their paths, each beginning
 * with `path`. Names that begin with a dot, links to folders, pipes and devices are passed over; other
 * files are counted in `skipped`, but for sidecars (.xmp). Fails when `path` cannot be read; a folder
 * below it that cannot be read is logged. */
f0t_status f0t_walk(f0t_texts *out, f0t_skipped_files *skipped, const char *path,
                    const f0t_monitor *monitor);

/* ---- Namesakes ---------------------------------------------------------------------------------------- */

/* Pictures of one folder whose names differ in their endings alone, and so would share a sidecar NAME.xmp.
 * Here: the names of the folder that was asked for last; zero-initialise. */
typedef struct f0t_namesakes {
    char *folder;
    f0t_texts names;
    const char **sorted;
} f0t_namesakes;

/* The name of another file in the folder of `picture` that photo programs would keep in the same NAME.xmp,
 * whether or not we can read it: a.svg, a.cr2 or a.mov beside a.jpg; NULL where there is none. */
f0t_status f0t_namesakes_find(f0t_namesakes *namesakes, const char **other, const char *picture);
void f0t_namesakes_free(f0t_namesakes *namesakes);

#endif
