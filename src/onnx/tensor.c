/* TensorProto: the shape, and the elements in one of the four places where they may stand. */
#include "onnx/graph.h"

#include "base/alloc.h"
#include "base/size.h"

#include <string.h>

/* ---- External data --------------------------------------------------------------------------- */

/* Weights in files of their own (onnx/docs/ExternalData.md): location, offset and length. */

enum { FILES_MOST = 4096 };

static f0t_status open_file(f0t_onnx_graph *graph, const char *location)
{
    if (graph->file_count >= FILES_MOST)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "weights in more than %d files", (int)FILES_MOST);
    F0T_TRY(
        f0t_grow(&graph->files, &graph->file_capacity, graph->file_count, 1, sizeof *graph->files));
    f0t_onnx_file *file = &graph->files[graph->file_count];
    *file = (f0t_onnx_file){0};
    F0T_TRY(f0t_map_open_below(&file->map, graph->folder, location));
    graph->file_count++;
    return f0t_string_copy(&file->location, location, strlen(location));
}

static f0t_status find_file(const f0t_map **out, f0t_onnx_graph *graph, const char *location)
{
    for (size_t k = 0; k < graph->file_count; k++)
        if (graph->files[k].location && strcmp(graph->files[k].location, location) == 0) {
            *out = &graph->files[k].map;
            return F0T_OK;
        }
    F0T_TRY(open_file(graph, location));
    *out = &graph->files[graph->file_count - 1].map;
    return F0T_OK;
}

static f0t_status read_number(uint64_t *out, const char *text, const char *key)
{
    size_t used = 0;
    uint64_t value = 0;
    for (; text[used] >= '0' && text[used] <= '9'; used++)
        if (__builtin_mul_overflow(value, 10U, &value) ||
            __builtin_add_overflow(value, (uint64_t)(text[used] - '0'), &value))
            break;
    if (!used || text[used])
        return f0t_fail(F0T_ERROR_FORMAT, "the %s of its external data is '%s', not a number", key,
                        text);
    *out = value;
    return F0T_OK;
}

typedef struct place {
    const char *location;
    uint64_t offset, length;
    bool has_length;
} place;

static f0t_status read_place(place *out, const f0t_onnx_tensor_proto *proto)
{
    *out = (place){0};
    for (size_t k = 0; k < proto->n_external_data; k++) {
        const char *key = proto->external_data[k]->key, *value = proto->external_data[k]->value;
        if (!key || !value)
            continue;
        if (strcmp(key, "location") == 0)
            out->location = value;
        else if (strcmp(key, "offset") == 0)
            F0T_TRY(read_number(&out->offset, value, key));
        else if (strcmp(key, "length") == 0) {
            F0T_TRY(read_number(&out->length, value, key));
            out->has_length = true;
        }
    }
    return F0T_OK;
}

/* The bytes that external_data names. */
static f0t_status find_external(f0t_onnx_message *out, f0t_onnx_graph *graph,
                                const f0t_onnx_tensor_proto *proto)
{
    place at;
    const f0t_map *map;
    F0T_TRY(read_place(&at, proto));
    if (!at.location)
        return f0t_fail(F0T_ERROR_FORMAT, "its external data has no location");
    if (!graph || !graph->folder)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "its data is in the file '%s', which cannot be reached from here",
                        at.location);
    F0T_TRY(find_file(&map, graph, at.location));
    if (at.offset > map->size || (at.has_length && at.length > map->size - at.offset))
        return f0t_fail(F0T_ERROR_FORMAT,
                        "its external data ends after the end of '%s' (%zu bytes)", at.location,
                        map->size);
    out->at = map->data + at.offset;
    out->end = at.has_length ? out->at + at.length : map->data + map->size;
    return F0T_OK;
}

/* ---- Tensors --------------------------------------------------------------------------------- */

static f0t_status read_shape(f0t_onnx_array *out, const f0t_onnx_tensor_proto *proto)
{
    size_t dims[F0T_ONNX_RANK];
    if (!f0t_onnx_array_type_name(proto->data_type))
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "its elements are of type %d of onnx.proto",
                        proto->data_type);
    if (proto->segment)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "it is in segments");
    if (proto->n_dims > F0T_ONNX_RANK)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "it has %zu dimensions (at most %d are known)",
                        proto->n_dims, (int)F0T_ONNX_RANK);
    for (size_t d = 0; d < proto->n_dims; d++) {
        if (proto->dims[d] < 0)
            return f0t_fail(F0T_ERROR_FORMAT, "dimension %zu is %lld", d,
                            (long long)proto->dims[d]);
        dims[d] = (size_t)proto->dims[d];
    }
    return f0t_onnx_array_shape(out, (f0t_onnx_array_type)proto->data_type, proto->n_dims, dims);
}

static f0t_status use_raw(f0t_onnx_array *out, f0t_onnx_message raw)
{
    size_t needed = out->count * f0t_onnx_array_type_size(out->type);
    if ((size_t)(raw.end - raw.at) != needed)
        return f0t_fail(F0T_ERROR_FORMAT, "it has %zu bytes, its shape and type need %zu",
                        (size_t)(raw.end - raw.at), needed);
    out->raw = raw.at;
    return F0T_OK;
}

static f0t_status check_count(const f0t_onnx_array *out, size_t count)
{
    if (count != out->count)
        return f0t_fail(F0T_ERROR_FORMAT, "it has %zu elements, its shape says %zu", count,
                        out->count);
    return F0T_OK;
}

static f0t_status copy_floats(f0t_onnx_array *out, const f0t_onnx_tensor_proto *proto)
{
    bool wide = out->type == F0T_ONNX_DOUBLE;
    F0T_TRY(check_count(out, wide ? proto->n_double_data : proto->n_float_data));
    F0T_TRY(f0t_onnx_array_alloc(out));
    for (size_t k = 0; k < out->count; k++)
        out->f[k] = wide ? (float)proto->double_data[k] : proto->float_data[k];
    return F0T_OK;
}

/* Half floats stand as bits in int32_data. */
static f0t_status copy_halves(f0t_onnx_array *out, const f0t_onnx_tensor_proto *proto)
{
    F0T_TRY(check_count(out, proto->n_int32_data));
    F0T_TRY(f0t_onnx_array_alloc(out));
    for (size_t k = 0; k < out->count; k++) {
        uint16_t bits = (uint16_t)proto->int32_data[k];
        f0t_onnx_array one = {.type = out->type, .count = 1, .f = &out->f[k]};
        f0t_onnx_array_decode(&one, (const unsigned char *)&bits);
    }
    return F0T_OK;
}

static f0t_status copy_integers(f0t_onnx_array *out, const f0t_onnx_tensor_proto *proto)
{
    bool wide = out->type == F0T_ONNX_INT64;
    bool unsigned_wide = out->type == F0T_ONNX_UINT64 || out->type == F0T_ONNX_UINT32;
    F0T_TRY(check_count(out, wide            ? proto->n_int64_data
                             : unsigned_wide ? proto->n_uint64_data
                                             : proto->n_int32_data));
    F0T_TRY(f0t_onnx_array_alloc(out));
    for (size_t k = 0; k < out->count; k++) {
        int64_t value = wide            ? proto->int64_data[k]
                        : unsigned_wide ? (int64_t)proto->uint64_data[k]
                                        : proto->int32_data[k];
        out->i[k] = f0t_onnx_array_wrap(out->type, value);
    }
    return F0T_OK;
}

f0t_status f0t_onnx_tensor_from_proto(f0t_onnx_array *out, const f0t_onnx_tensor_proto *proto,
                                      f0t_onnx_message raw, f0t_onnx_graph *graph)
{
    *out = (f0t_onnx_array){0};
    F0T_TRY(read_shape(out, proto));
    if (proto->has_data_location && proto->data_location == 1) {
        F0T_TRY(find_external(&raw, graph, proto));
        return use_raw(out, raw);
    }
    if (raw.at)
        return use_raw(out, raw);
    if (out->type == F0T_ONNX_FLOAT || out->type == F0T_ONNX_DOUBLE)
        return copy_floats(out, proto);
    return f0t_onnx_array_type_is_float(out->type) ? copy_halves(out, proto)
                                                   : copy_integers(out, proto);
}

static f0t_status fail_named(f0t_status status, const char *name)
{
    return status == F0T_OK ? F0T_OK : f0t_fail_prefix(status, "tensor '%s': ", name);
}

f0t_status f0t_onnx_tensor_read(f0t_onnx_array *out, char **name, f0t_onnx_message bytes,
                                f0t_onnx_graph *graph)
{
    static const uint32_t dropped[] = {F0T_ONNX_TENSOR_RAW, 12 /* doc_string */, 0};
    f0t_onnx_tensor_proto *proto;
    f0t_onnx_budget own = f0t_onnx_budget_load((size_t)(bytes.end - bytes.at), NULL);
    *name = NULL;
    *out = (f0t_onnx_array){0};
    F0T_TRY(f0t_onnx_proto_unpack(&proto, &f0t_onnx__tensor_proto__descriptor, bytes, dropped,
                                  "a tensor", graph ? graph->budget : &own));
    const char *given = proto->name ? proto->name : "";
    f0t_status status =
        fail_named(f0t_onnx_tensor_from_proto(
                       out, proto, f0t_onnx_message_find(bytes, F0T_ONNX_TENSOR_RAW), graph),
                   given);
    if (status == F0T_OK)
        status = f0t_string_copy(name, given, strlen(given));
    if (status != F0T_OK)
        f0t_onnx_array_clear(out);
    f0t_onnx_proto_free(proto);
    return status;
}
