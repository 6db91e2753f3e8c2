/* Features of the pictures of an import, made block by block and kept in DATASET.part. */
#ifndef F0T_IMPORT_PHOTOS_H
#define F0T_IMPORT_PHOTOS_H

#include "image/feature_file.h"
#include "import/import.h"

typedef struct f0t_photo_features {
    f0t_feature_file *part;
    size_t dim;
    size_t *records; /* [pictures] in the part; F0T_NONE: it could not be read */
    size_t *rows;    /* [images of the collection] their records */
    size_t row_count;
    f0t_feature_source source; /* for f0t_import_finish */
} f0t_photo_features;

/* Makes what is missing. Pictures of the dataset that is at job->output already, made by the same
 * backbone and not changed since, are taken from there. */
f0t_status f0t_photo_features_make(f0t_photo_features *features, const f0t_import_job *job,
                                   const f0t_texts *pictures);
/* Says that picture i is the next image of the collection. */
void f0t_photo_features_use(f0t_photo_features *features, size_t i);
/* The part is removed when all is done. */
void f0t_photo_features_free(f0t_photo_features *features, bool done);

#endif
