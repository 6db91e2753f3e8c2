/*
 * The built-in descriptor: features of a picture with nothing to download. It is classical and
 * global: the Fisher vector of dense gradient and colour patches (Perronnin, Sánchez and Mensink,
 * ECCV 2010), histograms of colour over the picture and its halves, the layout of colours, and
 * the picture's shape. docs/descriptor.md says what each part adds and costs.
 */
#ifndef F0T_IMAGE_DESCRIPTOR_H
#define F0T_IMAGE_DESCRIPTOR_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* What computes descriptors: tables, and the scratch of one thread. */
typedef struct f0t_descriptor f0t_descriptor;

/* A part of the vector: each is L2-normalised and multiplied by its weight before all are
 * normalised together. */
typedef struct f0t_descriptor_block {
    const char *name;
    size_t first, count;
    float weight;
} f0t_descriptor_block;

/* How many numbers describe a picture. */
size_t f0t_descriptor_dim(void);

/* Name and version, "builtin-1": descriptors of different versions are not comparable. */
const char *f0t_descriptor_version(void);

/* The parts in their order; they cover the vector. */
const f0t_descriptor_block *f0t_descriptor_blocks(size_t *count);

f0t_status f0t_descriptor_create(f0t_descriptor **out);
void f0t_descriptor_free(f0t_descriptor *descriptor);

/* Describes a picture: rgb[height x width x 3] is 8-bit sRGB, row by row, into out[dim], which has
 * length 1. Any size but 0 will do; a shorter side of 128 pixels or more is enough, and pictures
 * beyond 512 pixels cost time for nothing. Allocates nothing. */
f0t_status f0t_descriptor_run(f0t_descriptor *descriptor, float *out, const uint8_t *rgb,
                              size_t width, size_t height);

#endif
