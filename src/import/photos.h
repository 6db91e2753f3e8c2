/* What an import of pictures has beside their keywords: features, and a table of tags. */
#ifndef F0T_IMPORT_PHOTOS_H
#define F0T_IMPORT_PHOTOS_H

#include "image/feature_file.h"
#include "import/csv.h"
#include "import/import.h"

/* ---- Keywords ---------------------------------------------------------------------------------- */

typedef struct f0t_photo_keywords {
    size_t count;        /* of pictures */
    f0t_texts *keywords; /* [count] */
    bool *unreadable;    /* [count] */
    uint64_t failures;   /* how many of them are, */
    char *example;       /* and what was wrong with the first; NULL: none */
} f0t_photo_keywords;

/* Reads those of all pictures. What cannot be read is logged, and ends the work where the options are strict. */
f0t_status f0t_photo_keywords_read(f0t_photo_keywords *out, const f0t_import_job *job,
                                   const f0t_texts *pictures);
void f0t_photo_keywords_free(f0t_photo_keywords *keywords);

/* ---- Features, made block by block and kept in DATASET.part ---------------------------------- */

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
/* Whether picture i has no features yet and can have some; its stamp, then. */
bool f0t_photo_features_lack(f0t_photo_features *features, size_t i, const char *path,
                             f0t_picture_stamp *stamp);
/* Keeps the features of picture i. */
f0t_status f0t_photo_features_keep(f0t_photo_features *features, size_t i,
                                   const f0t_picture_stamp *stamp, const float *row);
/* Makes what is missing with other processes. */
f0t_status f0t_photo_features_share(f0t_photo_features *features, const f0t_import_job *job,
                                    const f0t_texts *pictures);
/* Says that picture i is the next image of the collection. */
void f0t_photo_features_use(f0t_photo_features *features, size_t i);
/* The part is removed when all is done. */
void f0t_photo_features_free(f0t_photo_features *features, bool done);

/* ---- Several processes (base/group.h) ------------------------------------------------------------ */

/* The first one imports. While it reads keywords and makes features, the others do this: they need neither the list of pictures
 * nor the files of the import, and get paths. */
f0t_status f0t_photo_keywords_help(const f0t_import_job *job);
f0t_status f0t_photo_features_help(const f0t_import_job *job);
/* Both, one after the other. */
f0t_status f0t_import_photos_help(const f0t_import_job *job);

/* The texts of the first process to all; those of the others are empty before. */
f0t_status f0t_photo_list_share(f0t_texts *texts);

/* ---- A table of tags: which of its lines each picture has ------------------------------------ */

#define F0T_NO_LINE UINT32_MAX

typedef struct f0t_photo_table {
    f0t_csv_table csv;
    uint32_t *lines; /* [pictures] the table's image, or F0T_NO_LINE */
} f0t_photo_table;

/* Reads the table that the options name. */
f0t_status f0t_photo_table_load(f0t_photo_table *table, const f0t_import_job *job);

/* Finds each picture's line: the one whose name is the longest end of the picture's path, from a slash
 * on. A name that fits no picture so may have another ending than the picture, or none ("IMG_1"), where
 * that fits one picture alone, or a photo in several formats. Reports what is left over; fails when
 * no line fits any picture. */
f0t_status f0t_photo_table_match(f0t_photo_table *table, const f0t_import_job *job,
                                 const f0t_texts *pictures);
void f0t_photo_table_free(f0t_photo_table *table);

#endif
