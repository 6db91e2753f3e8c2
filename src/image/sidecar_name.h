/* Which of two names a picture's sidecar has: PICTURE.xmp, or PICTURE with .xmp in place of its ending (plain). */
#ifndef F0T_IMAGE_SIDECAR_NAME_H
#define F0T_IMAGE_SIDECAR_NAME_H

#include "image/pictures.h"

/* How many pictures of a collection have the one sidecar and not the other. */
typedef struct f0t_sidecar_usage {
    size_t full, plain;
} f0t_sidecar_usage;

/* Counts a picture, unless it has both sidecars, or none. */
f0t_status f0t_sidecar_usage_add(f0t_sidecar_usage *usage, const char *picture);

/* Counts the pictures of the collection that `picture` belongs to. */
typedef f0t_status (*f0t_sidecar_census)(void *user, f0t_sidecar_usage *usage, const char *picture);

/* The name for tags of ours. The sidecar that is there is used; a plain one is not there where it is another file's, too
 * (f0t_namesakes_find). Of two, the one that has tags of ours, then the one that most pictures of the collection have; `plain`
 * says it where none is there, or nothing else decides. */
f0t_status f0t_sidecar_choose(bool *out, f0t_namesakes *namesakes, const char *picture, bool plain,
                              f0t_sidecar_census census, void *user);

/* Whether XMP has tags of ours, or notes of what became of them. */
bool f0t_xmp_is_ours(const void *text, size_t length);
/* Whether there is a file at `path` with such XMP. */
f0t_status f0t_sidecar_has_ours(bool *out, const char *path);

/* ---- Sidecars of a catalogue, whose pictures are the collection (src/image/sidecar.c) ------------------- */

f0t_status f0t_sidecars_choose(bool *plain, f0t_sidecars *sidecars, const char *picture,
                               f0t_sidecar_census census, void *user);
/* f0t_sidecars_write to the sidecar that the options name, whatever others there are. */
f0t_status f0t_sidecars_write_named(const char **path, bool *changed, f0t_sidecars *sidecars,
                                    const char *picture, const char *const *tags, size_t count);

#endif
