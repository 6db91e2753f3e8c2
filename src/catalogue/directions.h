/*
 * The directions of a catalogue's pictures, ready to be ranked: a file beside the catalogue that is mapped where it
 * lies, so that a million pictures open in milliseconds. It is derived: it can be removed at any time, and is made
 * again from the catalogue when what it was made of has changed. Safetensors with
 *
 *   rows     F32 [N, d]        in the order of the pictures' ids
 *   padding  U8                up to a multiple of 64 bytes, where it is needed
 *   codes    U8 [B, G, 16, 4]  the screen's: compute/screen.h
 *   bounds   F32 [B, 3, 16]
 *   ids      I64 [N]           ascending
 *   mean     F32 [d]           of the rows
 *
 * and in __metadata__ the format, its version, and the stamp: what it was made of.
 */
#ifndef F0T_CATALOGUE_DIRECTIONS_H
#define F0T_CATALOGUE_DIRECTIONS_H

#include "compute/screen.h"
#include "io/safetensors.h"

typedef struct f0t_directions {
    size_t count, dim;
    const float *rows;     /* [count x dim] */
    const int64_t *ids;    /* [count] of the pictures */
    const float *mean;     /* [dim] */
    f0t_screen screen;     /* of the rows */
    f0t_safetensors *file; /* mapped; NULL: in memory, */
    float *own_rows;       /* as what follows */
    int64_t *own_ids;
    float *own_mean;
    f0t_screen *own_screen;
} f0t_directions;

#define F0T_DIRECTIONS_FORMAT "fast0tag-directions"

/* Maps the file. Fails with F0T_ERROR_NOT_FOUND where there is none, F0T_ERROR_MISMATCH where it has another stamp,
 * F0T_ERROR_FORMAT where it is damaged. */
f0t_status f0t_directions_open(f0t_directions **out, const char *path, uint64_t stamp);
f0t_status f0t_directions_open_memory(f0t_directions **out, const void *data, size_t size,
                                      const char *name, uint64_t stamp);
void f0t_directions_close(f0t_directions *directions);

/* Where picture `id` is among them; F0T_NONE: nowhere. */
size_t f0t_directions_find(const f0t_directions *directions, int64_t id);

/* The min(k, count) first pictures along query[dim], best first, ties by id: their numbers and scores, exactly those
 * of all products in float32 (compute/screen.h). */
f0t_status f0t_directions_top(uint32_t *index, float *score, size_t k,
                              const f0t_directions *directions, const float *query);

/* ---- Making them ---------------------------------------------------------------------------- */

typedef struct f0t_directions_writer f0t_directions_writer;

/* `path` NULL: in memory. */
f0t_status f0t_directions_create(f0t_directions_writer **out, const char *path, size_t dim);
/* The next rows[count x dim] of pictures ids[count], which ascend. */
f0t_status f0t_directions_add(f0t_directions_writer *writer, const int64_t *ids, const float *rows,
                              size_t count);
/* Writes beside, renames and maps the file, or keeps the memory. Frees the writer, also on failure. */
f0t_status f0t_directions_commit(f0t_directions **out, f0t_directions_writer *writer,
                                 uint64_t stamp);
void f0t_directions_abort(f0t_directions_writer *writer);

#endif
