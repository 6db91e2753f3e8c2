#include "io/safetensors.h"

#include "base/alloc.h"
#include "base/size.h"
#include "io/safetensors_header.h"

#include <string.h>

struct f0t_safetensors_writer {
    char *path;
    f0t_writer *file;
    size_t room;            /* bytes of the header */
    uint64_t begin;         /* of the tensor that is being written, from the begin of the data */
    json_t *root, *entries; /* the metadata; the tensors */
};

/* Data begins at a multiple of a cache line, as mapped memory does. */
enum { ALIGNMENT = 64 };

static f0t_status reserve(f0t_safetensors_writer *w, size_t header_room)
{
    char spaces[256];
    size_t end;
    if (header_room > F0T_TENSOR_HEADER_MOST - ALIGNMENT)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: a header of %zu bytes", w->path, header_room);
    (void)f0t_size_round_up(&end, 8 + header_room, ALIGNMENT);
    w->room = end - 8;
    memset(spaces, ' ', sizeof spaces);
    for (size_t done = 0, part; done < end; done += part) {
        part = end - done < sizeof spaces ? end - done : sizeof spaces;
        F0T_TRY(f0t_writer_write(w->file, spaces, part));
    }
    return F0T_OK;
}

static f0t_status start(f0t_safetensors_writer *w, const char *path, size_t header_room)
{
    F0T_TRY(f0t_string_copy(&w->path, path, strlen(path)));
    w->root = json_object();
    w->entries = json_object();
    if (!w->root || !w->entries)
        return f0t_fail(F0T_ERROR_MEMORY, "%s: no memory for its header", path);
    F0T_TRY(f0t_writer_open(&w->file, path));
    return reserve(w, header_room);
}

f0t_status f0t_safetensors_create(f0t_safetensors_writer **out, const char *path,
                                  size_t header_room)
{
    f0t_safetensors_writer *w;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&w, 1, sizeof *w));
    f0t_status status = start(w, path, header_room);
    if (status != F0T_OK)
        f0t_safetensors_abort(w);
    else
        *out = w;
    return status;
}

f0t_status f0t_safetensors_set_metadata(f0t_safetensors_writer *w, const char *key,
                                        const char *value)
{
    json_t *metadata = json_object_get(w->root, "__metadata__");
    json_t *text = json_string(value);
    if (!metadata) {
        metadata = json_object();
        json_object_set_new(w->root, "__metadata__", metadata);
    }
    if (!text || json_object_set_new(metadata, key, text) != 0)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: metadata \"%s\" is not UTF-8", w->path, key);
    return F0T_OK;
}

f0t_status f0t_safetensors_write(f0t_safetensors_writer *w, const void *data, size_t size)
{
    return f0t_writer_write(w->file, data, size);
}

static f0t_status check_tensor(const f0t_safetensors_writer *w, uint64_t end, const char *name,
                               f0t_dtype dtype, size_t dims, const size_t *shape)
{
    size_t bytes = f0t_dtype_size(dtype);
    bool fits = dims <= F0T_TENSOR_DIMS;
    for (size_t i = 0; fits && i < dims; i++)
        fits = shape[i] <= PTRDIFF_MAX && f0t_size_mul(&bytes, bytes, shape[i]);
    if (!*name || !strcmp(name, "__metadata__") || json_object_get(w->entries, name))
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: \"%s\" is empty, reserved, or there already",
                        w->path, name);
    if (!fits || bytes != end - w->begin)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "%s: tensor \"%s\" got %llu bytes, its shape and type need %zu", w->path,
                        name, (unsigned long long)(end - w->begin), bytes);
    if (w->begin % f0t_dtype_size(dtype) != 0)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: tensor \"%s\" begins unaligned, at byte %llu",
                        w->path, name, (unsigned long long)w->begin);
    return F0T_OK;
}

f0t_status f0t_safetensors_end_tensor(f0t_safetensors_writer *w, const char *name, f0t_dtype dtype,
                                      size_t dims, const size_t *shape)
{
    uint64_t end = f0t_writer_position(w->file) - 8 - w->room;
    F0T_TRY(check_tensor(w, end, name, dtype, dims, shape));
    json_t *sizes = json_array();
    for (size_t i = 0; i < dims; i++)
        json_array_append_new(sizes, json_integer((json_int_t)shape[i]));
    json_t *entry = json_pack("{s:s, s:o, s:[I,I]}", "dtype", f0t_tensors_type_name(dtype), "shape",
                              sizes, "data_offsets", (json_int_t)w->begin, (json_int_t)end);
    if (!entry || json_object_set_new(w->entries, name, entry) != 0)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: tensor name \"%s\" is not UTF-8", w->path, name);
    w->begin = end;
    return F0T_OK;
}

/* The JSON, with spaces behind it up to the room that was kept. */
static f0t_status write_header(f0t_safetensors_writer *w, char *header)
{
    for (size_t i = 0; i < 8; i++)
        header[i] = (char)(w->room >> 8 * i & 0xFF);
    memset(header + 8, ' ', w->room);
    size_t used = json_dumpb(w->root, header + 8, w->room, JSON_COMPACT);
    if (used == 0 || used > w->room)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: the header needs %zu bytes, %zu were kept",
                        w->path, used, w->room);
    return f0t_writer_patch(w->file, 0, header, 8 + w->room);
}

static f0t_status finish_header(f0t_safetensors_writer *w)
{
    char *header;
    if (w->begin != f0t_writer_position(w->file) - 8 - w->room)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: the last tensor was not ended", w->path);
    if (json_object_update(w->root, w->entries) != 0)
        return f0t_fail(F0T_ERROR_MEMORY, "%s: no memory for its header", w->path);
    F0T_TRY(f0t_alloc(&header, 8 + w->room, 1));
    f0t_status status = write_header(w, header);
    f0t_free(header);
    return status;
}

f0t_status f0t_safetensors_commit(f0t_safetensors_writer *w)
{
    f0t_status status = finish_header(w);
    status = f0t_writer_finish(w->file, status);
    w->file = NULL;
    f0t_safetensors_abort(w);
    return status;
}

void f0t_safetensors_abort(f0t_safetensors_writer *w)
{
    if (!w)
        return;
    f0t_writer_abort(w->file);
    json_decref(w->root);
    json_decref(w->entries);
    f0t_free(w->path);
    f0t_free(w);
}
