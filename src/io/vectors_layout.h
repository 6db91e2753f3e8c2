/* Which form a vector file has, found in its first bytes. */
#ifndef F0T_IO_VECTORS_LAYOUT_H
#define F0T_IO_VECTORS_LAYOUT_H

#include "base/status.h"

typedef enum f0t_vectors_form {
    F0T_FORM_TEXT,        /* GloVe */
    F0T_FORM_HEADER_TEXT, /* word2vec, fastText .vec */
    F0T_FORM_BINARY       /* word2vec */
} f0t_vectors_form;

typedef struct f0t_vectors_layout {
    f0t_vectors_form form;
    size_t dim;
    uint64_t rows;         /* that the header says there are */
    size_t begin;          /* bytes before the first row */
    uint64_t lines_before; /* lines before the first row */
} f0t_vectors_layout;

/* True when the bytes begin as a safetensors file does, which is never how text begins. */
bool f0t_layout_is_safetensors(const void *data, size_t size);

/* `text` is the beginning of the file `name`, all of it when `whole`. */
f0t_status f0t_layout_find(f0t_vectors_layout *out, const char *text, size_t size, bool whole,
                           const char *name);

#endif
