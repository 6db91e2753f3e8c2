#include "onnx/proto.h"

#include "base/alloc.h"

#include <string.h>

/* ---- The wire format ------------------------------------------------------------------------- */

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

bool f0t_onnx_message_next(f0t_onnx_field *f, f0t_onnx_message *m)
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

/* ---- Messages -------------------------------------------------------------------------------- */

/* What a call of protobuf-c may take, and why it could not. */
typedef struct purse {
    f0t_onnx_budget *budget;
    f0t_status status;
} purse;

/* A small piece of memory is a cache line, and what malloc adds. */
enum { PIECE = 128 };

/* protobuf-c takes its memory from here, so that tests can make each call fail. */
static void *take(void *data, size_t size)
{
    void *memory = NULL;
    purse *p = data;
    if (p->status == F0T_OK)
        p->status = f0t_onnx_budget_take(p->budget, size / PIECE + 1, PIECE);
    if (p->status == F0T_OK)
        p->status = f0t_alloc(&memory, size, 1);
    return p->status == F0T_OK ? memory : NULL;
}

static void give(void *data, void *memory)
{
    (void)data;
    f0t_free(memory);
}

static bool is_dropped(uint32_t number, const uint32_t *dropped)
{
    for (; dropped && *dropped; dropped++)
        if (*dropped == number)
            return true;
    return false;
}

/* Copies the fields that stay into `to` (of the size of the message) and returns how many bytes that
 * were. */
static size_t copy_fields(unsigned char *to, f0t_onnx_message bytes, const uint32_t *dropped)
{
    f0t_onnx_field field;
    size_t used = 0;
    const unsigned char *start = bytes.at;
    while (f0t_onnx_message_next(&field, &bytes)) {
        size_t size = (size_t)(bytes.at - start);
        if (!is_dropped(field.number, dropped)) {
            memcpy(to + used, start, size);
            used += size;
        }
        start = bytes.at;
    }
    return used;
}

static bool must_copy(f0t_onnx_message bytes, const uint32_t *dropped, bool *valid)
{
    f0t_onnx_field field;
    bool copy = false;
    while (f0t_onnx_message_next(&field, &bytes))
        copy |= is_dropped(field.number, dropped);
    *valid = bytes.at == bytes.end;
    return copy;
}

f0t_status f0t_onnx_proto_unpack(void *out, const ProtobufCMessageDescriptor *kind,
                                 f0t_onnx_message bytes, const uint32_t *dropped, const char *what,
                                 f0t_onnx_budget *budget)
{
    bool valid;
    purse p = {budget, F0T_OK};
    ProtobufCAllocator allocator = {take, give, &p};
    ProtobufCMessage *message;
    unsigned char *copy = NULL;
    const unsigned char *data = bytes.at;
    size_t size = (size_t)(bytes.end - bytes.at);
    memset(out, 0, sizeof(void *));
    if (must_copy(bytes, dropped, &valid)) {
        F0T_TRY(f0t_alloc(&copy, size, 1));
        size = copy_fields(copy, bytes, dropped);
        data = copy;
    }
    message = valid ? protobuf_c_message_unpack(kind, &allocator, size, data) : NULL;
    f0t_free(copy);
    if (p.status != F0T_OK) {
        f0t_onnx_proto_free(message);
        return f0t_fail_prefix(p.status, "%s cannot be unpacked: ", what);
    }
    if (!message)
        return f0t_fail(F0T_ERROR_FORMAT, "%s is not a message of onnx.proto", what);
    memcpy(out, &message, sizeof message);
    return F0T_OK;
}

void f0t_onnx_proto_free(void *message)
{
    ProtobufCAllocator allocator = {take, give, NULL};
    if (message)
        protobuf_c_message_free_unpacked(message, &allocator);
}

f0t_onnx_message f0t_onnx_message_find(f0t_onnx_message message, uint32_t number)
{
    f0t_onnx_field field;
    f0t_onnx_message found = {NULL, NULL};
    while (f0t_onnx_message_next(&field, &message))
        if (field.number == number && field.wire == 2)
            found = field.body;
    return found;
}
