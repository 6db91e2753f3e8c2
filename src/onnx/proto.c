#include "onnx/proto.h"

#include "base/alloc.h"

#include <string.h>

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
    while (f0t_onnx_message_next(&bytes, &field)) {
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
    while (f0t_onnx_message_next(&bytes, &field))
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
    while (f0t_onnx_message_next(&message, &field))
        if (field.number == number && field.wire == 2)
            found = field.body;
    return found;
}
