#include "io/safetensors_header.h"

#include "base/alloc.h"
#include "base/size.h"
#include "io/json.h"

#include <stdlib.h>
#include <string.h>

/* The data that tensors point into, and the file's name for messages. */
typedef struct space {
    const unsigned char *data;
    size_t size;
    const char *name;
} space;

static const char *const type_names[F0T_DTYPES] = {
    [F0T_F32] = "F32", [F0T_F16] = "F16", [F0T_BF16] = "BF16", [F0T_F64] = "F64",
    [F0T_I32] = "I32", [F0T_I64] = "I64", [F0T_U8] = "U8",     [F0T_BOOL] = "BOOL",
};

const char *f0t_tensors_type_name(f0t_dtype dtype)
{
    return (unsigned)dtype < F0T_DTYPES ? type_names[dtype] : NULL;
}

static f0t_status bad(const space *s, const char *tensor, const char *what)
{
    return f0t_fail(F0T_ERROR_FORMAT, "%s: tensor \"%s\": %s", s->name, tensor, what);
}

static f0t_status read_type(f0t_tensor *t, const json_t *entry, const space *s)
{
    const char *type = json_string_value(json_object_get(entry, "dtype"));
    if (!type)
        return bad(s, t->name, "\"dtype\" must be a text such as \"F32\"");
    for (int i = 0; i < F0T_DTYPES; i++)
        if (!strcmp(type, type_names[i])) {
            t->dtype = (f0t_dtype)i;
            return F0T_OK;
        }
    return f0t_fail(F0T_ERROR_UNSUPPORTED,
                    "%s: tensor \"%s\": type \"%s\" is none of F64, F32, F16, BF16, I64, I32, U8 "
                    "and BOOL",
                    s->name, t->name, type);
}

static f0t_status read_shape(f0t_tensor *t, size_t *bytes, const json_t *entry, const space *s)
{
    const json_t *shape = json_object_get(entry, "shape");
    bool empty = false;
    if (!json_is_array(shape))
        return bad(s, t->name, "\"shape\" must be a list of sizes");
    t->dims = json_array_size(shape);
    if (t->dims > F0T_TENSOR_DIMS)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "%s: tensor \"%s\": %zu dimensions are over %d",
                        s->name, t->name, t->dims, F0T_TENSOR_DIMS);
    *bytes = f0t_dtype_size(t->dtype);
    for (size_t i = 0; i < t->dims; i++) {
        const json_t *size = json_array_get(shape, i);
        if (!json_is_integer(size) || json_integer_value(size) < 0)
            return bad(s, t->name, "\"shape\" must be a list of sizes");
        t->shape[i] = (size_t)json_integer_value(size);
        empty = empty || !t->shape[i];
        if (t->shape[i] && !f0t_size_mul(bytes, *bytes, t->shape[i]))
            return bad(s, t->name, "the sizes in \"shape\" multiply to too much");
    }
    *bytes = empty ? 0 : *bytes;
    t->count = *bytes / f0t_dtype_size(t->dtype);
    return F0T_OK;
}

static f0t_status read_offsets(f0t_tensor *t, size_t bytes, const json_t *entry, const space *s)
{
    const json_t *offsets = json_object_get(entry, "data_offsets");
    const json_t *from = json_array_get(offsets, 0), *to = json_array_get(offsets, 1);
    if (json_array_size(offsets) != 2 || !json_is_integer(from) || !json_is_integer(to) ||
        json_integer_value(from) < 0 || json_integer_value(to) < json_integer_value(from))
        return bad(s, t->name, "\"data_offsets\" must be [begin, end]");
    size_t begin = (size_t)json_integer_value(from), end = (size_t)json_integer_value(to);
    if (end > s->size)
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: the file is cut: tensor \"%s\" ends at byte %zu of the data, and %zu "
                        "are there",
                        s->name, t->name, end, s->size);
    if (end - begin != bytes)
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: tensor \"%s\": type and shape make %zu bytes, the offsets %zu",
                        s->name, t->name, bytes, end - begin);
    t->data = s->data + begin;
    return F0T_OK;
}

static f0t_status read_tensor(f0t_tensor *t, const char *name, const json_t *entry, const space *s)
{
    static const char *const keys[] = {"dtype", "shape", "data_offsets", NULL};
    size_t bytes = 0;
    t->name = name;
    if (!*name)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: a tensor has an empty name", s->name);
    if (!json_is_object(entry))
        return bad(s, name, "must be an object { … }");
    f0t_status status = f0t_json_only(entry, keys, name);
    if (status != F0T_OK)
        return f0t_fail_prefix(status, "%s: tensor ", s->name);
    F0T_TRY(read_type(t, entry, s));
    F0T_TRY(read_shape(t, &bytes, entry, s));
    return read_offsets(t, bytes, entry, s);
}

/* An empty tensor may lie where another begins: it comes first. */
static int by_offset(const void *a, const void *b)
{
    const f0t_tensor *x = a, *y = b;
    uintptr_t p = (uintptr_t)x->data, q = (uintptr_t)y->data;
    return p != q ? (p < q ? -1 : 1) : (x->count > 0) - (y->count > 0);
}

static f0t_status check_tiling(const f0t_tensors_header *h, const space *s)
{
    size_t at = 0;
    for (size_t i = 0; i < h->count; i++) {
        const f0t_tensor *t = &h->tensors[i];
        size_t begin = (size_t)((const unsigned char *)t->data - s->data);
        if (begin != at)
            return f0t_fail(F0T_ERROR_FORMAT,
                            "%s: tensor \"%s\" begins at byte %zu of the data, %s the one before "
                            "it, which ends at %zu",
                            s->name, t->name, begin, begin < at ? "inside" : "behind a hole after",
                            at);
        at = begin + t->count * f0t_dtype_size(t->dtype);
    }
    if (at != s->size)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: the tensors take %zu bytes, and %zu are there",
                        s->name, at, s->size);
    return F0T_OK;
}

static f0t_status check_metadata(const json_t *metadata, const space *s)
{
    if (metadata && !json_is_object(metadata))
        return f0t_fail(F0T_ERROR_FORMAT, "%s: \"__metadata__\" must be an object { … }", s->name);
    for (void *at = json_object_iter((json_t *)(uintptr_t)metadata); at;
         at = json_object_iter_next((json_t *)(uintptr_t)metadata, at))
        if (!json_is_string(json_object_iter_value(at)))
            return f0t_fail(F0T_ERROR_FORMAT, "%s: \"%s\" of \"__metadata__\" must be a text",
                            s->name, json_object_iter_key(at));
    return F0T_OK;
}

static f0t_status read_entries(f0t_tensors_header *h, const space *s)
{
    const char *key;
    json_t *value;
    h->metadata = json_object_get(h->root, "__metadata__");
    F0T_TRY(check_metadata(h->metadata, s));
    F0T_TRY(f0t_alloc_zero(&h->tensors, json_object_size(h->root), sizeof *h->tensors));
    json_object_foreach(h->root, key, value)
    {
        if (value != h->metadata)
            F0T_TRY(read_tensor(&h->tensors[h->count++], key, value, s));
    }
    qsort(h->tensors, h->count, sizeof *h->tensors, by_offset);
    return check_tiling(h, s);
}

/* The JSON is bytes 8 to 8 + length. */
static f0t_status read_length(size_t *length, const unsigned char *bytes, size_t size,
                              const char *name)
{
    uint64_t claimed = 0;
    if (size < 8)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: %zu bytes are too few for a safetensors file", name,
                        size);
    for (int i = 8; i-- > 0;)
        claimed = claimed << 8 | bytes[i];
    if (claimed > F0T_TENSOR_HEADER_MOST || claimed > size - 8)
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: no safetensors file, or a cut one: its header would be %llu bytes "
                        "long, and %zu are there",
                        name, (unsigned long long)claimed, size - 8);
    if (claimed == 0 || bytes[8] != '{')
        return f0t_fail(F0T_ERROR_FORMAT, "%s: no safetensors file: byte 8 is not '{'", name);
    *length = (size_t)claimed;
    return F0T_OK;
}

f0t_status f0t_tensors_header_parse(f0t_tensors_header *h, const void *file, size_t size,
                                    const char *name)
{
    const unsigned char *bytes = file;
    size_t length = 0;
    *h = (f0t_tensors_header){0};
    F0T_TRY(read_length(&length, bytes, size, name));
    F0T_TRY(f0t_json_parse(&h->root, bytes + 8, length, name));
    space s = {bytes + 8 + length, size - 8 - length, name};
    f0t_status status = read_entries(h, &s);
    if (status != F0T_OK)
        f0t_tensors_header_free(h);
    return status;
}

void f0t_tensors_header_free(f0t_tensors_header *h)
{
    json_decref(h->root);
    f0t_free(h->tensors);
    *h = (f0t_tensors_header){0};
}
