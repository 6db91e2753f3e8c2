/* The keywords that people gave a picture. */
#ifndef F0T_IMAGE_KEYWORDS_H
#define F0T_IMAGE_KEYWORDS_H

#include "base/interner.h"
#include "image/worker.h"
#include "word/same.h"

/* Adds the keywords of the picture at `path` to `out`, each once: those it carries (XMP, IPTC, the
 * metadata of SVG) and those of its sidecars, PATH.xmp and PATH with .xmp in place of its ending. A keyword
 * is a word or, of a hierarchy, a path, "animals|dog": f0t_keyword_leaf is the word. So is a word with two slashes
 * or more, "Places/Europe/Paris" (image/keyword_path.h): "Places|Europe|Paris". Tags that fast0tag
 * wrote are none: they would be learned from; the copies that it made of a person's keywords are some where
 * `copies` says so. A picture whose metadata cannot be read fails; so does one with a sidecar that cannot be
 * read. */
f0t_status f0t_keywords_read(f0t_texts *out, f0t_worker *worker, const char *path, bool copies);

/* Tags of ours that somebody took out of a file, by any program: words, and when the latest such file was changed
 * (seconds since 1970). Zero-initialise. */
typedef struct f0t_removed_tags {
    f0t_texts words;
    int64_t at;
} f0t_removed_tags;

/* f0t_keywords_read, which also says where each was found first, sources[F0T_PICTURE_KEYWORDS_MAX], and adds
 * the tags that were taken out. */
f0t_status f0t_keywords_read_sources(f0t_texts *out, f0t_keyword_source *sources,
                                     f0t_removed_tags *removed, f0t_worker *worker,
                                     const char *path, bool copies);

/* f0t_sidecars_write of the tags that the person has not given the picture in other words that are one with them ("dogs" for
 * "dog"), as `same` has it; NULL: of all. */
f0t_status f0t_sidecars_write_other(const char **path, bool *changed, f0t_sidecars *sidecars,
                                    const char *picture, const char *const *tags, size_t count,
                                    const f0t_same *same);

/* The last part of a path, the word itself where it is none. */
const char *f0t_keyword_leaf(const char *keyword);
/* firsts[i], of as many as there are keywords: the first that is the same word as keyword i. */
f0t_status f0t_keyword_firsts(size_t *firsts, const f0t_texts *keywords);

/* Takes all that we wrote out of the sidecar of `picture`, which was another picture's: our tags, and our copies of that one's
 * keywords. Nothing else is lost. *path and *changed are as of f0t_sidecars_remove; the picture need not exist. */
f0t_status f0t_sidecars_clear(const char **path, bool *changed, f0t_sidecars *sidecars,
                              const char *picture);

/* PATH.xmp, and where `plain` PATH with .xmp in place of its ending; the caller's to free. */
f0t_status f0t_sidecar_path(char **out, const char *path, bool plain);

#endif
