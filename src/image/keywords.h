/* The keywords that people gave a picture. */
#ifndef F0T_IMAGE_KEYWORDS_H
#define F0T_IMAGE_KEYWORDS_H

#include "image/worker.h"
#include "io/dataset_names.h"

/* Adds the keywords of the picture at `path` to `out`, each once: those it carries (XMP, IPTC, the
 * metadata of SVG) and those of its sidecars, PATH.xmp and PATH with .xmp in place of its ending.
 * Of a hierarchy ("animals|dog", "animals/dog") the last part is the keyword. Tags that fast0tag
 * wrote are none: they would be learned from. A picture whose metadata cannot be read fails; so does
 * one with a sidecar that cannot be read. */
f0t_status f0t_keywords_read(f0t_texts *out, f0t_worker *worker, const char *path);

/* PATH.xmp, and where `plain` PATH with .xmp in place of its ending; the caller's to free. */
f0t_status f0t_sidecar_path(char **out, const char *path, bool plain);

#endif
