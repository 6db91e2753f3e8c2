/* Where the features to be tagged come from: a dataset, a matrix, or pictures. */
#ifndef F0T_CLI_TAG_SOURCE_H
#define F0T_CLI_TAG_SOURCE_H

#include "cli.h"

typedef struct tag_source {
    const char *folder;     /* of a dataset, which its images' names are relative to */
    f0t_features *features; /* of a dataset or matrix, or */
    f0t_backbone *backbone; /* what makes them from */
    f0t_pictures *pictures;
    const char *const *paths;
    size_t rows, dim, block;
} tag_source;

/* From the operands behind the model. `name` is the backbone that was asked for, or NULL: the
 * model's. */
f0t_status tag_source_open(tag_source *source, cli_context *cli, const f0t_model *model,
                           const char *name, const f0t_backbone_options *options);
void tag_source_close(tag_source *source);

/* Rows first, …, first + count - 1, count at most source->block; good[i] is false for a picture that
 * cannot be read; where `strict`, that is a failure. */
f0t_status tag_source_read(const tag_source *source, size_t first, size_t count, float *rows,
                           bool *good, bool strict, const f0t_monitor *monitor);
/* The name of an image, and the path of its picture; NULL where there is none. */
const char *tag_source_image(const tag_source *source, size_t m);
const char *tag_source_picture(const tag_source *source, size_t m, char *room, size_t size);

#endif
