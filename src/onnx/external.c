/* Weights in files of their own (onnx/docs/ExternalData.md): location, offset and length. */
#include "onnx/graph.h"

#include "base/alloc.h"

#include <string.h>

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

f0t_status f0t_onnx_external_find(f0t_onnx_message *out, f0t_onnx_graph *graph,
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
                        "its external data ends behind the end of '%s' (%zu bytes)", at.location,
                        map->size);
    out->at = map->data + at.offset;
    out->end = at.has_length ? out->at + at.length : map->data + map->size;
    return F0T_OK;
}
