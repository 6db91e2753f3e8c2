/* The descriptor's inner loops. Compiled once a CPU level. */
#ifndef F0T_IMAGE_DESCRIPTOR_KERNELS_H
#define F0T_IMAGE_DESCRIPTOR_KERNELS_H

#include "base/cpu.h"

#include <stddef.h>
#include <stdint.h>

/* c[n x m] += a · b[inner x m]; element (i, e) of a is at a[i * row + e * step]. m is a multiple of
 * 32. For matrices that stay in the cache: the products of a picture. */
F0T_KERNEL_DECLARE(void, descriptor_product,
                   (float *c, const float *a, size_t row, size_t step, const float *b, size_t n,
                    size_t inner, size_t m));

/* sum[n] += weight x[n]. */
F0T_KERNEL_DECLARE(void, descriptor_add, (float *sum, const float *x, float weight, size_t n));

/* sum[n] += weight x[n] of bytes. */
F0T_KERNEL_DECLARE(void, descriptor_add_bytes,
                   (float *sum, const uint8_t *x, float weight, size_t n));

/* Row y of the working picture as planes[F0T_CELL_PLANES][F0T_WORK_SIDE]: the gradient's share in 8
 * directions, 3 opponent colours, their squares. */
F0T_KERNEL_DECLARE(void, descriptor_pixels, (float *planes, const float *picture, size_t y));

/* Normalises n patches of F0T_PATCH_SIZE gradients in place. */
F0T_KERNEL_DECLARE(void, descriptor_normalise, (float *gradients, size_t n));

/* n rows of F0T_MIXTURE logarithms become shares that add up to 1. */
F0T_KERNEL_DECLARE(void, descriptor_posterior, (float *rows, size_t n));

/* x becomes sign(x) sqrt|x|, then has this length (stays 0 where it was 0). */
F0T_KERNEL_DECLARE(void, descriptor_root, (float *x, size_t n));
F0T_KERNEL_DECLARE(void, descriptor_stretch, (float *x, size_t n, float length));

#endif
