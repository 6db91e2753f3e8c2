/* Small pictures for tests. */
#ifndef F0T_TESTS_PICTURES_H
#define F0T_TESTS_PICTURES_H

#include "support.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static inline void png_number(uint8_t *to, size_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* A chunk of a PNG file (its specification, section 5.3) after to[at); the new end. */
static inline size_t png_chunk(uint8_t *to, size_t at, const char *type, const void *data,
                               size_t size)
{
    png_number(to + at, size);
    memcpy(to + at + 4, type, 4);
    if (size)
        memcpy(to + at + 8, data, size);
    png_number(to + at + 8 + size, crc32_z(crc32(0, NULL, 0), to + at + 4, size + 4));
    return at + size + 12;
}

/* A PNG of these pixels [height x width x channels], 3 or 4 channels; what the header claims may be
 * another size. */
static inline const char *png_write(const char *name, const uint8_t *pixels, size_t width,
                                    size_t height, size_t channels, size_t claimed)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    const size_t row = width * channels, raw = height * (row + 1);
    uint8_t *lines = malloc(raw), header[13] = {0};
    uLongf packed = compressBound((uLong)raw);
    uint8_t *data = malloc(packed), *file = malloc(packed + 200);
    for (size_t y = 0; y < height; y++) {
        lines[y * (row + 1)] = 0;
        memcpy(lines + y * (row + 1) + 1, pixels + y * row, row);
    }
    assert_int_equal(compress(data, &packed, lines, (uLong)raw), Z_OK);
    png_number(header, claimed ? claimed : width);
    png_number(header + 4, claimed ? claimed : height);
    header[8] = 8;
    header[9] = channels == 4 ? 6 : 2;
    memcpy(file, signature, 8);
    size_t at = png_chunk(file, 8, "IHDR", header, sizeof header);
    at = png_chunk(file, at, "IDAT", data, packed);
    at = png_chunk(file, at, "IEND", NULL, 0);
    const char *path = test_file(name, file, at);
    free(lines);
    free(data);
    free(file);
    return path;
}

#endif
