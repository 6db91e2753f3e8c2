/* What is to be tagged: a dataset, a matrix, or pictures. */
#ifndef F0T_CLI_TAG_SOURCE_H
#define F0T_CLI_TAG_SOURCE_H

#include "cli.h"

typedef struct tag_source {
    const char *folder;     /* of a dataset, which its images' names are relative to */
    f0t_features *features; /* of a dataset or matrix, or */
    f0t_pictures *pictures;
    f0t_tag_input input; /* either of them, for the tagger */
} tag_source;

/* From the operands after the model. `backbone` is the one that was asked for, or NULL: the model's. */
f0t_status tag_source_open(tag_source *source, cli_context *cli, const f0t_model *model,
                           const char *backbone);
void tag_source_close(tag_source *source);

/* The name of an image, and the path of its picture; NULL where there is none. */
const char *tag_source_image(const tag_source *source, size_t m);
const char *tag_source_picture(const tag_source *source, size_t m, char *room, size_t size);

#endif
