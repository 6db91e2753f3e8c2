/* Whether a file shows the picture that the catalogue knows, edited, or another one. */
#ifndef F0T_CATALOGUE_RESEMBLANCE_H
#define F0T_CATALOGUE_RESEMBLANCE_H

#include "image/worker.h"

/* What is known of a picture besides its content. */
typedef struct f0t_look {
    int64_t taken;          /* F0T_NO_DATE: not known */
    uint32_t width, height; /* upright; 0: not known */
    const void *thumbnail;  /* [size] JPEG; size 0: none */
    size_t size;
} f0t_look;

typedef enum f0t_resemblance {
    F0T_RESEMBLANCE_SAME,
    F0T_RESEMBLANCE_OTHER,
    F0T_RESEMBLANCE_UNSURE /* there is too little to compare, or what there is does not agree */
} f0t_resemblance;

/* The same picture has the same thumbnail, whatever its metadata say; or the same time, the same sides (or, turned, the other
 * way round) and nearly the same thumbnail. The worker decodes the thumbnails. */
f0t_status f0t_resemblance_judge(f0t_resemblance *out, f0t_worker *worker, const f0t_look *before,
                                 const f0t_look *now);

#endif
