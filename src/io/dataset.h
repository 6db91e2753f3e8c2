/* A dataset inside (fast0tag.h): what it holds, reading one from wherever its files are, and what importers
 * need of a dataset writer besides its public functions. */
#ifndef F0T_IO_DATASET_H
#define F0T_IO_DATASET_H

#include "base/interner.h"
#include "io/npy.h"

enum { F0T_TAG_LONGEST = 1024 }; /* bytes: a whole text in place of a tag is a wrong separator */

/* ---- Rows (dataset.c) ------------------------------------------------------------------------- */

/* The tags of many images as indices: row m is indices in the half-open range [offsets[m],
 * offsets[m + 1]). Built row by row; zero-initialise it for none. */
typedef struct f0t_rows {
    size_t *offsets; /* [count + 1]; NULL before the first row has ended */
    size_t count, offsets_capacity;
    uint32_t *indices;
    size_t used, indices_capacity; /* used: with those of the row that has not ended */
    uint64_t repeats;              /* indices that a row had twice and that were merged */
} f0t_rows;

/* Adds an index to the row that is being built. */
f0t_status f0t_rows_add(f0t_rows *rows, uint32_t index);
/* Ends the row: its indices are sorted, and each is there once. */
f0t_status f0t_rows_end(f0t_rows *rows);
/* The indices of row m. */
const uint32_t *f0t_rows_get(size_t *count, const f0t_rows *rows, size_t m);
void f0t_rows_free(f0t_rows *rows);

/* ---- Paths of tags (dataset.c) ---------------------------------------------------------------- */

/* Where tags stand in the hierarchy of keywords that a collection uses: "People|woman" for "woman".
 * At most one path for a tag, which is the path's last part. Zero-initialise it for none. */
typedef struct f0t_paths {
    f0t_names tags;
    f0t_texts paths; /* of each of them */
} f0t_paths;

void f0t_paths_free(f0t_paths *paths);
/* Takes the path unless its tag has one already, or it is no path. Fails (FORMAT) where the text cannot be
 * a line of a file. */
f0t_status f0t_paths_add(f0t_paths *paths, const char *path, size_t length);
f0t_status f0t_paths_copy(f0t_paths *to, const f0t_paths *from);
/* NULL where there is none. */
const char *f0t_paths_find(const f0t_paths *paths, const char *tag);

/* ---- Aliases of tags (dataset.c) -------------------------------------------------------------- */

/* What cleaning made one with a tag, "dogs" for "dog" and "bike" for "bicycle": forms (word/form.h), each with the tag that
 * it is. Zero-initialise it for none. */
typedef struct f0t_aliases {
    f0t_names forms;
    f0t_texts tags; /* of each form */
} f0t_aliases;

void f0t_aliases_free(f0t_aliases *aliases);
/* Takes the form unless it has a tag already; *added says so. */
f0t_status f0t_aliases_add(f0t_aliases *aliases, bool *added, const char *form, const char *tag);

/* ---- The object ------------------------------------------------------------------------------- */

/* A list of tags, or none. */
typedef struct f0t_tag_list {
    uint32_t *tags;
    size_t count;
    bool given;
} f0t_tag_list;

struct f0t_dataset {
    const f0t_dataset *of; /* whose images and features it has, for a view; else NULL */
    char *path, *name, *backbone;
    char *features_path; /* NULL without features */
    f0t_npy *features;
    size_t dim;
    f0t_names tags;
    f0t_rows rows; /* one per image */
    uint8_t *split;
    bool split_given;
    f0t_dataset_options drawn; /* how, where the split is not given */
    f0t_texts images;
    bool has_images;
    f0t_tag_list seen, unseen;
    f0t_paths paths;
    f0t_aliases aliases; /* of its tags */
    void *owned;         /* features in memory that go with the dataset; or NULL */
    bool *
        reviewed; /* [images] a person has decided about its tags: that it has none says something; or NULL */
};

/* Whether a person has decided about the tags of image m. */
static inline bool f0t_dataset_is_reviewed(const f0t_dataset *dataset, size_t m)
{
    const f0t_dataset *base = dataset->of ? dataset->of : dataset;
    return base->reviewed && base->reviewed[m];
}

/* ---- Reading (dataset_load.c) ----------------------------------------------------------------- */

/* Where files come from: gives the file of this name as a stream, NULL when there is none. */
typedef struct f0t_dataset_source {
    f0t_status (*open)(void *context, const char *name, f0t_stream **out);
    void *context;
} f0t_dataset_source;

/* Reads all but the features; dataset->path is what messages call the dataset. The dataset is
 * zero-initialised; the caller frees it with f0t_dataset_close, also after a failure. */
f0t_status f0t_dataset_load(f0t_dataset *dataset, const f0t_dataset_source *source,
                            const f0t_dataset_options *options);

/* The dataset that features are of; NULL for a bare matrix. */
const f0t_dataset *f0t_features_dataset(const f0t_features *features);

/* Draws the split of `count` images by seed into split[count]. */
f0t_status f0t_dataset_draw_split(uint8_t *split, size_t count, const f0t_dataset_options *options);

/* Fails with NUMERIC, naming row and column (from 0; the first row given is row `first`), when
 * rows[count x dim] has a NaN or an infinity. */
f0t_status f0t_features_check(const float *rows, size_t first, size_t count, size_t dim,
                              const char *file);

/* ---- Views (dataset_view.c) ------------------------------------------------------------------- */

/* A dataset with the images, features, split and paths of `of`, which must stay open, and with tags of its own,
 * no list of seen or unseen ones among them. Takes over what *tags and *rows (one per image) hold, unless it
 * fails. */
f0t_status f0t_dataset_view(f0t_dataset **out, const f0t_dataset *of, f0t_names *tags,
                            f0t_rows *rows);

/* ---- Writing (dataset_writer.c) --------------------------------------------------------------- */

/* The directory that is being written: beside the one that it will be. */
const char *f0t_dataset_writer_folder(const f0t_dataset_writer *writer);

/* paths.txt: where the collection's hierarchy has its tags. */
f0t_status f0t_dataset_write_paths(f0t_dataset_writer *writer, const f0t_paths *paths);

#endif
