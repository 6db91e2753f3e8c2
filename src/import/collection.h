/* Images and their tags as an importer has read them, and the way from there to a dataset. */
#ifndef F0T_IMPORT_COLLECTION_H
#define F0T_IMPORT_COLLECTION_H

#include "base/interner.h"
#include "fast0tag_tools.h"
#include "import/synonyms.h"
#include "io/dataset.h"

/* Zero-initialised it is empty. Tags [0, seen) are seen and the next `unseen` ones unseen, where the
 * source says so. */
typedef struct f0t_collection {
    f0t_names tags;
    size_t seen, unseen;
    f0t_rows rows;                     /* one per image */
    f0t_texts images;                  /* one per image, or none at all */
    f0t_paths paths;                   /* of tags that stand in a hierarchy */
    const f0t_synonym_index *synonyms; /* what tags are called instead, or NULL */
    uint64_t renamed;                  /* times that one was */
    uint8_t *split;                    /* [rows.count], or NULL */
    size_t split_capacity;
} f0t_collection;

void f0t_collection_free(f0t_collection *collection);

/* Ends the row of an image. `image` may be NULL (for all or none), split below 0 means none (for
 * all or none). */
f0t_status f0t_collection_end_row(f0t_collection *collection, const char *image, size_t length,
                                  int split);

/* The number of a tag of any text, which is added where it is new: blanks and control characters
 * inside become one space each run, those at the ends go; *found is false when nothing is left.
 * Fails (FORMAT) when it is no UTF-8. */
f0t_status f0t_collection_tag(uint32_t *index, bool *found, f0t_collection *collection,
                              const char *text, size_t length);

/* Which images become rows of the dataset, and which rows of the features file they have. */
typedef struct f0t_selection {
    uint32_t *images; /* [count]; NULL: all in order */
    uint32_t
        *rows; /* [count] of the features file; NULL: row i is that of image i of the dataset */
    size_t count;
} f0t_selection;

void f0t_selection_free(f0t_selection *selection);

/* Rows of features that are made while the dataset is written: for image m of the dataset, asked in
 * ascending order. dim 0: there are none. */
typedef struct f0t_feature_source {
    size_t dim;
    bool half;
    f0t_status (*read)(void *context, size_t m, float *row);
    f0t_status (*end)(void *context, f0t_import_report *report); /* after the last; may be NULL */
    void *context;
} f0t_feature_source;

/* Turns `val` of the selected training images into val, by seed, unless some are val already. */
f0t_status f0t_collection_draw_val(f0t_collection *collection, const f0t_selection *selection,
                                   double val, uint64_t seed);

/* How a dataset is written. */
typedef struct f0t_collection_target {
    const char *path;
    const char *label;                /* before notes: "81: ", or NULL */
    const char *name;                 /* or NULL */
    const char *features;             /* a file to be named by dataset.json, or NULL */
    size_t dim;                       /* of that file */
    const f0t_feature_source *source; /* or what makes the features, or NULL */
    const char *backbone;             /* JSON text, or NULL */
    const char *images;               /* folder of the pictures, or NULL */
    bool replace;
    const f0t_monitor *monitor;
} f0t_collection_target;

/* Writes one dataset and adds it to the report under the name `report_path`. */
f0t_status f0t_collection_write(const f0t_collection *collection, const f0t_selection *selection,
                                const f0t_collection_target *target, const char *report_path,
                                f0t_import_report *report);

#endif
