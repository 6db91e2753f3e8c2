#include "onnx/pack.h"

#include "base/alloc.h"

#include <string.h>

void f0t_onnx_pack_clear(f0t_onnx_pack *p)
{
    f0t_free(p->data);
    *p = (f0t_onnx_pack){0};
}

static void append(f0t_onnx_pack *p, const void *data, size_t size)
{
    if (p->status == F0T_OK)
        p->status = f0t_grow(&p->data, &p->capacity, p->size, size, 1);
    if (p->status != F0T_OK || !size)
        return;
    memcpy(p->data + p->size, data, size);
    p->size += size;
}

static void varint(f0t_onnx_pack *p, uint64_t value)
{
    unsigned char bytes[10];
    size_t count = 0;
    do {
        bytes[count++] = (unsigned char)((value & 0x7F) | (value > 0x7F ? 0x80 : 0));
        value >>= 7;
    } while (value);
    append(p, bytes, count);
}

void f0t_onnx_pack_int(f0t_onnx_pack *p, uint32_t number, uint64_t value)
{
    varint(p, (uint64_t)number << 3);
    varint(p, value);
}

void f0t_onnx_pack_bytes(f0t_onnx_pack *p, uint32_t number, const void *data, size_t size)
{
    varint(p, (uint64_t)number << 3 | 2);
    varint(p, size);
    append(p, data, size);
}

void f0t_onnx_pack_text(f0t_onnx_pack *p, uint32_t number, const char *text)
{
    f0t_onnx_pack_bytes(p, number, text, strlen(text));
}

void f0t_onnx_pack_field(f0t_onnx_pack *p, const unsigned char *from, const unsigned char *to)
{
    append(p, from, (size_t)(to - from));
}

void f0t_onnx_pack_message(f0t_onnx_pack *p, uint32_t number, f0t_onnx_pack *inner)
{
    if (p->status == F0T_OK)
        p->status = inner->status;
    f0t_onnx_pack_bytes(p, number, inner->data, inner->size);
    f0t_onnx_pack_clear(inner);
}
