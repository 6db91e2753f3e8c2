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
/* What a change replaced, so that it can be put back: all bytes of a sidecar, those of the packet's place in a picture. */
typedef struct f0t_replaced {
    char *bytes; /* [size]; NULL: there was no sidecar, or no packet */
    size_t size;
    uint64_t wrote; /* a hash of what took their place */
} f0t_replaced;

/* Of the last call that changed a file; all zero: none has. */
const f0t_replaced *f0t_sidecars_replaced(const f0t_sidecars *sidecars);
/* The next call that changes a file puts these bytes (borrowed) where it would write others, if what is there is what took
 * their place; f0t_sidecars_is_exact tells whether it did. NULL: none. */
void f0t_sidecars_put_back(f0t_sidecars *sidecars, const f0t_replaced *back);
bool f0t_sidecars_is_exact(const f0t_sidecars *sidecars);

/* f0t_sidecars_write to the sidecar that the options name, whatever others there are. Tags where again[count] is true are
 * written also if somebody took them out of the file. */
f0t_status f0t_sidecars_write_named(const char **path, bool *changed, f0t_sidecars *sidecars,
                                    const char *picture, const char *const *tags, const bool *again,
                                    size_t count);

#endif
