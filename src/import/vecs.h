/*
 * INRIA's vector files as in the release of TagProp (Guillaumin et al., ICCV 2009): records of a
 * dimension and that many values, little-endian. Known forms, by what the header and the values are:
 *   .hvecs    u16 dimension, u16 values   (annotations, histograms)
 *   .hvecs32  u32 dimension, u32 values   (colour histograms)
 *   .fvec(s)  u32 dimension, f32 values   (Gist)
 *   .ivecs    u32 dimension, i32 values;  .bvecs u32 dimension, u8 values
 * and .hvecs with a u32 dimension, written by other tools. The form is taken from the bytes (every
 * record has the same dimension, and records fill the file), the name only tells integers of 32 bits
 * from floats.
 */
#ifndef F0T_IMPORT_VECS_H
#define F0T_IMPORT_VECS_H

#include "io/file.h"

typedef struct f0t_vecs {
    f0t_map map;
    const unsigned char *data; /* the bytes, mapped or the caller's */
    size_t size;
    char *name;
    size_t count, dim;    /* vectors, values of each */
    size_t header, width; /* bytes of a dimension and of a value */
    bool is_float, is_signed;
} f0t_vecs;

/* The caller closes it, also after a failure. */
f0t_status f0t_vecs_open(f0t_vecs *vecs, const char *path);
/* From memory, which must live as long. */
f0t_status f0t_vecs_open_memory(f0t_vecs *vecs, const void *data, size_t size, const char *name);
void f0t_vecs_close(f0t_vecs *vecs);

/* Vector i as float32 into to[dim]. Fails (NUMERIC) at a NaN or an infinity. */
f0t_status f0t_vecs_read(float *to, const f0t_vecs *vecs, size_t i);

#endif
