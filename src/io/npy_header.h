/* The header of an .npy file: magic, version, and a dictionary written as a Python literal.
 * The format: numpy/lib/format.py, NEP 1. */
#ifndef F0T_IO_NPY_HEADER_H
#define F0T_IO_NPY_HEADER_H

#include "io/npy.h"

typedef struct f0t_npy_header {
    int version;
    f0t_dtype dtype;
    bool swapped, fortran;
    size_t dims, shape[F0T_NPY_DIMS];
    size_t count;  /* elements */
    size_t offset; /* of the first element in the file */
} f0t_npy_header;

/* Reads the header of a file of `size` bytes and checks it against that size: nothing may be
 * missing, and nothing may follow. `name` is for messages. */
f0t_status f0t_npy_header_parse(f0t_npy_header *header, const void *file, size_t size,
                                const char *name);

/* Reads the dictionary, text[0, size), which begins at byte `offset` of the file: dtype, swapped,
 * fortran, dims and shape. `version` is known already. */
f0t_status f0t_npy_dict_parse(f0t_npy_header *header, const char *text, size_t size, size_t offset,
                              const char *name);

#endif
