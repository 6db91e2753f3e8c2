/* Features that the user has as an npy file, in the order of the source or of a list of ids. */
#ifndef F0T_IMPORT_FEATURES_H
#define F0T_IMPORT_FEATURES_H

#include "import/import.h"
#include "io/npy.h"

typedef struct f0t_given_features {
    const char *path;
    f0t_npy *npy;
    size_t dim, total; /* columns, rows */
    f0t_selection selection;
    bool refer;                /* the file can be named as it is; else `source` copies its rows */
    f0t_feature_source source; /* points into this struct */
} f0t_given_features;

/* A part of an image's name that identifies it: text[*start, *start + *length). */
typedef void (*f0t_key_of)(size_t *start, size_t *length, const char *text);

/* The file's name without folders and ending: "b" of "a/b.jpg". */
void f0t_key_base(size_t *start, size_t *length, const char *text);

/* Opens options->features and finds, with options->ids, which of the images have which row: by the
 * whole name, else by key where that is unique. Says in the report what is left out. */
f0t_status f0t_given_features_open(f0t_given_features *given, f0t_import_job *job,
                                   const f0t_texts *images, size_t image_count, f0t_key_of key_of);
void f0t_given_features_close(f0t_given_features *given);

#endif
