#include "io/safetensors.h"

#include "base/alloc.h"
#include "io/safetensors_header.h"

#include <string.h>

struct f0t_safetensors {
    char *name;
    f0t_map map; /* of f0t_safetensors_open */
    f0t_tensors_header header;
    const char **metadata; /* [2 x metadata_count]: key, value */
    size_t metadata_count;
    void **copies; /* [header.count]: of tensors that lie unaligned in the file */
};

bool f0t_safetensors_begins(const void *data, size_t size)
{
    /* Its length of the header is a 64-bit number below 100 MB: the high bytes are 0. */
    const unsigned char *bytes = data;
    return size > 8 && !bytes[4] && !bytes[5] && !bytes[6] && !bytes[7] && bytes[8] == '{';
}

static f0t_status create(f0t_safetensors **out, const char *name)
{
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    f0t_status status = f0t_string_copy(&(*out)->name, name, strlen(name));
    if (status != F0T_OK) {
        f0t_free(*out);
        *out = NULL;
    }
    return status;
}

static f0t_status list_metadata(f0t_safetensors *f)
{
    const char *key;
    json_t *value;
    F0T_TRY(f0t_alloc_zero(&f->metadata, json_object_size(f->header.metadata),
                           2 * sizeof *f->metadata));
    json_object_foreach(f->header.metadata, key, value)
    {
        f->metadata[2 * f->metadata_count] = key;
        f->metadata[2 * f->metadata_count++ + 1] = json_string_value(value);
    }
    return F0T_OK;
}

/* The format does not align tensors. Those that lie unaligned are copied: few files have any. */
static f0t_status align_tensors(f0t_safetensors *f)
{
    F0T_TRY(f0t_alloc_zero(&f->copies, f->header.count, sizeof *f->copies));
    for (size_t i = 0; i < f->header.count; i++) {
        f0t_tensor *t = &f->header.tensors[i];
        size_t size = f0t_dtype_size(t->dtype);
        if ((uintptr_t)t->data % size == 0)
            continue;
        F0T_TRY(f0t_alloc(&f->copies[i], t->count, size));
        if (t->count)
            memcpy(f->copies[i], t->data, t->count * size);
        t->data = f->copies[i];
    }
    return F0T_OK;
}

static f0t_status start(f0t_safetensors *f, const void *data, size_t size)
{
    F0T_TRY(f0t_tensors_header_parse(&f->header, data, size, f->name));
    F0T_TRY(list_metadata(f));
    return align_tensors(f);
}

f0t_status f0t_safetensors_open(f0t_safetensors **out, const char *path)
{
    F0T_TRY(create(out, path));
    f0t_status status = f0t_map_open(&(*out)->map, path);
    if (status == F0T_OK)
        status = start(*out, (*out)->map.data, (*out)->map.size);
    if (status != F0T_OK) {
        f0t_safetensors_close(*out);
        *out = NULL;
    }
    return status;
}

f0t_status f0t_safetensors_open_memory(f0t_safetensors **out, const void *data, size_t size,
                                       const char *name)
{
    F0T_TRY(create(out, name));
    f0t_status status = start(*out, data, size);
    if (status != F0T_OK) {
        f0t_safetensors_close(*out);
        *out = NULL;
    }
    return status;
}

void f0t_safetensors_close(f0t_safetensors *f)
{
    if (!f)
        return;
    for (size_t i = 0; f->copies && i < f->header.count; i++)
        f0t_free(f->copies[i]);
    f0t_free(f->copies);
    f0t_free(f->metadata);
    f0t_tensors_header_free(&f->header);
    f0t_map_close(&f->map);
    f0t_free(f->name);
    f0t_free(f);
}

size_t f0t_safetensors_count(const f0t_safetensors *f)
{
    return f->header.count;
}

const f0t_tensor *f0t_safetensors_at(const f0t_safetensors *f, size_t i)
{
    return &f->header.tensors[i];
}

const f0t_tensor *f0t_safetensors_find(const f0t_safetensors *f, const char *name)
{
    for (size_t i = 0; i < f->header.count; i++)
        if (!strcmp(f->header.tensors[i].name, name))
            return &f->header.tensors[i];
    return NULL;
}

const char *f0t_safetensors_metadata(const f0t_safetensors *f, const char *key)
{
    return json_string_value(json_object_get(f->header.metadata, key));
}

size_t f0t_safetensors_metadata_count(const f0t_safetensors *f)
{
    return f->metadata_count;
}

void f0t_safetensors_metadata_at(const f0t_safetensors *f, size_t i, const char **key,
                                 const char **value)
{
    *key = f->metadata[2 * i];
    *value = f->metadata[2 * i + 1];
}

const char *f0t_safetensors_path(const f0t_safetensors *f)
{
    return f->name;
}
