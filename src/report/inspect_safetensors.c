#include "report/inspect.h"

#include "base/monitor.h"
#include "io/safetensors.h"
#include "io/vectors_file.h"

#include <string.h>

/* A length below 2^32 in eight bytes and '{': text never begins so. */
static f0t_status matches(bool *yes, const f0t_inspector *in)
{
    *yes = in->head_size >= 9 && in->head[8] == '{' && !memcmp(in->head + 4, "\0\0\0\0", 4);
    return F0T_OK;
}

/* The files that this project writes say what they are in their metadata. */
static f0t_status name_kind(f0t_inspector *in, const f0t_safetensors *file)
{
    const char *format = f0t_safetensors_metadata(file, "format");
    size_t count = f0t_safetensors_count(file);
    if (format && !strcmp(format, F0T_VECTORS_FORMAT))
        return f0t_inspect_own_vectors(in);
    if (format && !strcmp(format, "fast0tag-model"))
        return f0t_inspector_kind(in, "model", "model of fast0tag, %zu tensors", count);
    return f0t_inspector_kind(in, "safetensors", "safetensors, %zu tensors", count);
}

static f0t_status add_tensor(f0t_inspector *in, const f0t_tensor *t, f0t_stage *stage,
                             uint64_t *done)
{
    enum { BLOCK = 1 << 18 };
    f0t_numbers numbers = {0};
    size_t size = f0t_dtype_size(t->dtype);
    for (size_t at = 0, part; !in->quick && at < t->count; at += part) {
        part = t->count - at < BLOCK ? t->count - at : BLOCK;
        f0t_numbers_add(&numbers, (const char *)t->data + at * size, t->dtype, part);
        *done += part * size;
        F0T_TRY(f0t_stage_update(stage, *done));
    }
    return f0t_inspector_array(in, t->name, f0t_dtype_name(t->dtype), t->dims, t->shape,
                               in->quick ? NULL : &numbers);
}

static f0t_status describe_tensors(f0t_inspector *in, const f0t_safetensors *file)
{
    uint64_t done = 0;
    f0t_stage stage =
        f0t_stage_begin(in->monitor, "reading the tensors", "bytes", in->quick ? 0 : in->map.size);
    F0T_TRY(name_kind(in, file));
    for (size_t i = 0; i < f0t_safetensors_metadata_count(file); i++) {
        const char *key, *value;
        f0t_safetensors_metadata_at(file, i, &key, &value);
        F0T_TRY(f0t_inspector_metadata(in, key, value));
    }
    for (size_t i = 0; i < f0t_safetensors_count(file); i++)
        F0T_TRY(add_tensor(in, f0t_safetensors_at(file, i), &stage, &done));
    f0t_stage_end(&stage);
    return F0T_OK;
}

static f0t_status describe(f0t_inspector *in)
{
    f0t_safetensors *file;
    if (in->packed)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%s: is a safetensors file packed by gzip: unpack it first",
                        in->result.path);
    F0T_TRY(f0t_safetensors_open_memory(&file, in->map.data, in->map.size, in->result.path));
    f0t_status status = describe_tensors(in, file);
    f0t_safetensors_close(file);
    return status;
}

const f0t_inspect_kind f0t_inspect_safetensors = {matches, describe};
