#include "onnx/wire.h"

static bool read_varint(f0t_onnx_message *m, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 64 && m->at < m->end; shift += 7) {
        unsigned char byte = *m->at++;
        *out |= (uint64_t)(byte & 0x7F) << shift;
        if (!(byte & 0x80))
            return shift < 63 || byte < 2;
    }
    return false;
}

static bool skip(f0t_onnx_message *m, uint64_t size)
{
    if (size > (uint64_t)(m->end - m->at))
        return false;
    m->at += size;
    return true;
}

static bool read_field(f0t_onnx_message *m, f0t_onnx_field *f)
{
    uint64_t key, length;
    if (!read_varint(m, &key) || key >> 3 == 0 || key >> 3 > 0x1FFFFFFF)
        return false;
    f->number = (uint32_t)(key >> 3);
    f->wire = key & 7;
    switch (f->wire) {
    case 0:
        return read_varint(m, &f->value);
    case 1:
        return skip(m, 8);
    case 2:
        if (!read_varint(m, &length))
            return false;
        f->body.at = m->at;
        if (!skip(m, length))
            return false;
        f->body.end = m->at;
        return true;
    case 5:
        return skip(m, 4);
    default:
        return false;
    }
}

bool f0t_onnx_message_next(f0t_onnx_message *m, f0t_onnx_field *f)
{
    const unsigned char *start = m->at;
    if (m->at == m->end)
        return false;
    *f = (f0t_onnx_field){0};
    if (read_field(m, f))
        return true;
    m->at = start;
    return false;
}
