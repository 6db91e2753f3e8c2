#include "report/png.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { CHANNELS = 3, FILTERS = 3 };

static void put_number(unsigned char out[4], size_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* Length, type, data, checksum of the last two. */
static void add_chunk(f0t_text *to, const char *type, const unsigned char *data, size_t size)
{
    unsigned char number[4];
    uLong sum = crc32(crc32(0, NULL, 0), (const Bytef *)type, 4);
    if (size)
        sum = crc32_z(sum, data, size);
    put_number(number, size);
    f0t_text_add_bytes(to, (const char *)number, 4);
    f0t_text_add_bytes(to, type, 4);
    f0t_text_add_bytes(to, size ? (const char *)data : "", size);
    put_number(number, (size_t)sum);
    f0t_text_add_bytes(to, (const char *)number, 4);
}

/* Filter 0 leaves a byte, 1 takes off the pixel to the left, 2 the one above. */
static unsigned char filtered(const unsigned char *rgb, size_t stride, size_t y, size_t i,
                              int filter)
{
    const unsigned char *row = rgb + y * stride;
    if (filter == 1 && i >= CHANNELS)
        return (unsigned char)(row[i] - row[i - CHANNELS]);
    if (filter == 2 && y > 0)
        return (unsigned char)(row[i] - row[i - stride]);
    return row[i];
}

/* The filter whose bytes are smallest, as signed ones: the heuristic of the standard's section 12.8. */
static int choose_filter(const unsigned char *rgb, size_t stride, size_t y)
{
    uint64_t sums[FILTERS] = {0};
    int best = 0;
    for (int f = 0; f < FILTERS; f++) {
        for (size_t i = 0; i < stride; i++)
            sums[f] += (uint64_t)abs((signed char)filtered(rgb, stride, y, i, f));
        best = sums[f] < sums[best] ? f : best;
    }
    return best;
}

static f0t_status pack(unsigned char **out, size_t *size, const unsigned char *rgb, size_t stride,
                       size_t height)
{
    const size_t length = (stride + 1) * height;
    uLongf room = compressBound(length);
    unsigned char *raw, *packed = NULL;
    F0T_TRY(f0t_alloc(&raw, length, 1));
    f0t_status status = f0t_alloc(&packed, room, 1);
    for (size_t y = 0; status == F0T_OK && y < height; y++) {
        const int filter = choose_filter(rgb, stride, y);
        raw[y * (stride + 1)] = (unsigned char)filter;
        for (size_t i = 0; i < stride; i++)
            raw[y * (stride + 1) + 1 + i] = filtered(rgb, stride, y, i, filter);
    }
    if (status == F0T_OK && compress2(packed, &room, raw, length, 9) != Z_OK)
        status = f0t_fail(F0T_ERROR_MEMORY, "no memory to pack a picture of %zu rows", height);
    f0t_free(raw);
    if (status != F0T_OK)
        f0t_free(packed);
    *out = status == F0T_OK ? packed : NULL;
    *size = room;
    return status;
}

void f0t_png_write(f0t_text *to, const unsigned char *rgb, size_t width, size_t height)
{
    unsigned char head[13] = {0}, *packed = NULL;
    size_t size = 0;
    f0t_status status = F0T_OK;
    if (!width || !height || width > F0T_PNG_SIDE_MOST || height > F0T_PNG_SIDE_MOST)
        status = f0t_fail(F0T_ERROR_ARGUMENT, "a picture of %zu x %zu pixels", width, height);
    else
        status = pack(&packed, &size, rgb, width * CHANNELS, height);
    if (status != F0T_OK) {
        to->status = to->status == F0T_OK ? status : to->status;
        return;
    }
    put_number(head, width);
    put_number(head + 4, height);
    head[8] = 8; /* bits */
    head[9] = 2; /* red, green, blue */
    f0t_text_add_bytes(to, "\x89PNG\r\n\x1A\n", 8);
    add_chunk(to, "IHDR", head, sizeof head);
    add_chunk(to, "IDAT", packed, size);
    add_chunk(to, "IEND", NULL, 0);
    f0t_free(packed);
}
