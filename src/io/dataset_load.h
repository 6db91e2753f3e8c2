/* A dataset in memory, and reading one from wherever its files are. */
#ifndef F0T_IO_DATASET_LOAD_H
#define F0T_IO_DATASET_LOAD_H

#include "base/interner.h"
#include "io/dataset_paths.h"
#include "io/dataset_rows.h"
#include "io/npy.h"

/* A list of tags, or none. */
typedef struct f0t_tag_list {
    uint32_t *tags;
    size_t count;
    bool given;
} f0t_tag_list;

struct f0t_dataset {
    char *path, *name, *backbone;
    char *features_path; /* NULL without features */
    f0t_npy *features;
    size_t dim;
    f0t_names tags;
    f0t_rows rows; /* one an image */
    uint8_t *split;
    bool split_given;
    f0t_texts images;
    bool has_images;
    f0t_tag_list seen, unseen;
    f0t_paths paths;
};

/* Where files come from: gives the file of this name as a stream, NULL when there is none. */
typedef struct f0t_dataset_source {
    f0t_status (*open)(void *context, const char *name, f0t_stream **out);
    void *context;
} f0t_dataset_source;

/* Reads all but the features; dataset->path is what messages call the dataset. The dataset starts
 * all zero; the caller frees it with f0t_dataset_close, also after a failure. */
f0t_status f0t_dataset_load(f0t_dataset *dataset, const f0t_dataset_source *source,
                            const f0t_dataset_options *options);

/* Draws the split of `count` images by seed into split[count]. */
f0t_status f0t_dataset_draw_split(uint8_t *split, size_t count, const f0t_dataset_options *options);

/* Fails with NUMERIC, naming row and column (from 0; the first row given is row `first`), when
 * rows[count x dim] has a NaN or an infinity. */
f0t_status f0t_features_check(const float *rows, size_t first, size_t count, size_t dim,
                              const char *file);

#endif
