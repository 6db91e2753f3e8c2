#include "tensors.h"

#include "io/safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { DIGITS = 16 };

/* Of all tensors. */
static void set_checksum(uint8_t *data, size_t size)
{
    static const char key[] = "\"checksum\":\"";
    f0t_safetensors *file;
    char text[DIGITS + 1];
    uLong sum = crc32(0, NULL, 0);
    if (f0t_safetensors_open_memory(&file, data, size, "fuzz.safetensors") != F0T_OK)
        return;
    for (size_t i = 0; i < f0t_safetensors_count(file); i++) {
        const f0t_tensor *t = f0t_safetensors_at(file, i);
        sum = crc32_z(sum, t->data, t->count * f0t_dtype_size(t->dtype));
    }
    f0t_safetensors_close(file);
    uint8_t *at = memmem(data, size, key, sizeof key - 1);
    const size_t end = at ? (size_t)(at - data) + sizeof key - 1 + DIGITS : size;
    if (end >= size || data[end] != '"')
        return;
    snprintf(text, sizeof text, "%016lx", sum);
    memcpy(data + end - DIGITS, text, DIGITS);
}

uint8_t *tensors_signed_copy(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        return NULL;
    if (size)
        memcpy(copy, data, size);
    set_checksum(copy, size);
    return copy;
}
