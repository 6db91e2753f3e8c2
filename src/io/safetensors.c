/* safetensors. The format: huggingface/safetensors, README.md, and the checks of its tensor.rs. */
#include "io/safetensors.h"

#include "base/alloc.h"
#include "base/size.h"
#include "io/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- The header ------------------------------------------------------------------------------- */

enum { HEADER_MOST = 100000000 }; /* the reference's limit on the header, in bytes */

typedef struct tensors_header {
    json_t *root;        /* owns the names and the metadata */
    json_t *metadata;    /* borrowed from root, NULL when there is none */
    f0t_tensor *tensors; /* [count], by offset; `data` points into the file's bytes */
    size_t count;
} tensors_header;

/* The data that tensors point into, and the file's name for messages. */
typedef struct space {
    const unsigned char *data;
    size_t size;
    const char *name;
} space;

static const char *const type_names[F0T_DTYPES] = {
    [F0T_F32] = "F32", [F0T_F16] = "F16", [F0T_BF16] = "BF16",
    [F0T_F64] = "F64", [F0T_I32] = "I32", [F0T_I64] = "I64",
    [F0T_U8] = "U8",   [F0T_I8] = "I8",   [F0T_BOOL] = "BOOL",
};

const char *f0t_safetensors_type_name(f0t_dtype dtype)
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

static f0t_status check_tiling(const tensors_header *h, const space *s)
{
    size_t at = 0;
    for (size_t i = 0; i < h->count; i++) {
        const f0t_tensor *t = &h->tensors[i];
        size_t begin = (size_t)((const unsigned char *)t->data - s->data);
        if (begin != at)
            return f0t_fail(F0T_ERROR_FORMAT,
                            "%s: tensor \"%s\" begins at byte %zu of the data, %s the one before "
                            "it, which ends at %zu",
                            s->name, t->name, begin, begin < at ? "inside" : "leaving a hole after",
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

static f0t_status read_entries(tensors_header *h, const space *s)
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

bool f0t_safetensors_begins(const void *data, size_t size)
{
    /* Its length of the header is a 64-bit number below 100 MB: the high bytes are 0. */
    const unsigned char *bytes = data;
    return size > 8 && !bytes[4] && !bytes[5] && !bytes[6] && !bytes[7] && bytes[8] == '{';
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
    if (claimed > HEADER_MOST || claimed > size - 8)
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: no safetensors file, or a cut one: its header would be %llu bytes "
                        "long, and %zu are there",
                        name, (unsigned long long)claimed, size - 8);
    if (claimed == 0 || bytes[8] != '{')
        return f0t_fail(F0T_ERROR_FORMAT, "%s: no safetensors file: byte 8 is not '{'", name);
    *length = (size_t)claimed;
    return F0T_OK;
}

static void header_free(tensors_header *h)
{
    json_decref(h->root);
    f0t_free(h->tensors);
    *h = (tensors_header){0};
}

/* Reads and checks the header of a file of `size` bytes. On failure there is nothing to free. */
static f0t_status header_parse(tensors_header *h, const void *file, size_t size, const char *name)
{
    const unsigned char *bytes = file;
    size_t length = 0;
    *h = (tensors_header){0};
    F0T_TRY(read_length(&length, bytes, size, name));
    F0T_TRY(f0t_json_parse(&h->root, bytes + 8, length, name));
    space s = {bytes + 8 + length, size - 8 - length, name};
    f0t_status status = read_entries(h, &s);
    if (status != F0T_OK)
        header_free(h);
    return status;
}

/* ---- Reading ---------------------------------------------------------------------------------- */

struct f0t_safetensors {
    char *name;
    f0t_map map; /* of f0t_safetensors_open */
    tensors_header header;
    const char **metadata; /* [2 x metadata_count]: key, value */
    size_t metadata_count;
    void **copies; /* [header.count]: of tensors that lie unaligned in the file */
};

static f0t_status make(f0t_safetensors **out, const char *name)
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

static f0t_status read_all(f0t_safetensors *f, const void *data, size_t size)
{
    F0T_TRY(header_parse(&f->header, data, size, f->name));
    F0T_TRY(list_metadata(f));
    return align_tensors(f);
}

f0t_status f0t_safetensors_open(f0t_safetensors **out, const char *path)
{
    F0T_TRY(make(out, path));
    f0t_status status = f0t_map_open(&(*out)->map, path);
    if (status == F0T_OK)
        status = read_all(*out, (*out)->map.data, (*out)->map.size);
    if (status != F0T_OK) {
        f0t_safetensors_close(*out);
        *out = NULL;
    }
    return status;
}

f0t_status f0t_safetensors_open_memory(f0t_safetensors **out, const void *data, size_t size,
                                       const char *name)
{
    F0T_TRY(make(out, name));
    f0t_status status = read_all(*out, data, size);
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
    header_free(&f->header);
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

f0t_status f0t_safetensors_number(uint64_t *out, const f0t_safetensors *file, const char *key,
                                  int base)
{
    const char *text = f0t_safetensors_metadata(file, key);
    char *end = NULL;
    errno = 0;
    *out = text && *text ? strtoull(text, &end, base) : 0;
    if (!end || *end || errno || text[strspn(text, "0123456789abcdef")])
        return f0t_fail(F0T_ERROR_FORMAT, "%s: metadata \"%s\" is missing or not a number",
                        f0t_safetensors_path(file), key);
    return F0T_OK;
}

f0t_status f0t_safetensors_check(const f0t_safetensors *file)
{
    uint64_t stored;
    uLong sum = crc32(0, NULL, 0);
    if (!f0t_safetensors_metadata(file, "checksum"))
        return F0T_OK;
    F0T_TRY(f0t_safetensors_number(&stored, file, "checksum", 16));
    for (size_t i = 0; i < f0t_safetensors_count(file); i++) {
        const f0t_tensor *t = f0t_safetensors_at(file, i);
        const size_t size = t->count * f0t_dtype_size(t->dtype);
        sum = crc32_z(sum, t->data, size);
        f0t_safetensors_let_go(file, t->data, size);
    }
    F0T_TRY(f0t_safetensors_whole(file));
    return sum == stored
               ? F0T_OK
               : f0t_fail(F0T_ERROR_FORMAT, "%s: the checksum does not match: the file was altered",
                          f0t_safetensors_path(file));
}

f0t_status f0t_safetensors_whole(const f0t_safetensors *f)
{
    return f0t_map_check(&f->map, f->name);
}

void f0t_safetensors_let_go(const f0t_safetensors *f, const void *data, size_t size)
{
    const uintptr_t from = (uintptr_t)data, begin = (uintptr_t)f->map.data;
    /* A tensor that was not aligned in the file is a copy, and may lie on either side of the mapping. */
    if (f->map.mapping && from >= begin && from - begin <= f->map.size &&
        size <= f->map.size - (from - begin))
        f0t_map_forget(&f->map, data, size);
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

/* ---- Writing ---------------------------------------------------------------------------------- */

struct f0t_safetensors_writer {
    char *path;
    f0t_writer *file;
    size_t room;            /* bytes of the header */
    uint64_t begin;         /* of the tensor that is being written, from the begin of the data */
    json_t *root, *entries; /* the metadata; the tensors */
    bool signs;             /* the metadata has a checksum, */
    uLong sum;              /* this */
};

/* Data begins at a multiple of a cache line, as mapped memory does. */
enum { ALIGNMENT = 64 };

static f0t_status reserve(f0t_safetensors_writer *w, size_t header_room)
{
    char spaces[256];
    size_t end;
    if (header_room > HEADER_MOST - ALIGNMENT)
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

void f0t_safetensors_sign(f0t_safetensors_writer *w)
{
    w->signs = true;
    w->sum = crc32(0, NULL, 0);
}

f0t_status f0t_safetensors_write(f0t_safetensors_writer *w, const void *data, size_t size)
{
    if (w->signs)
        w->sum = crc32_z(w->sum, data, size);
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
    json_t *entry =
        json_pack("{s:s, s:o, s:[I,I]}", "dtype", f0t_safetensors_type_name(dtype), "shape", sizes,
                  "data_offsets", (json_int_t)w->begin, (json_int_t)end);
    if (!entry || json_object_set_new(w->entries, name, entry) != 0)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: tensor name \"%s\" is not UTF-8", w->path, name);
    w->begin = end;
    return F0T_OK;
}

/* The JSON, with spaces after it up to the room that was kept. */
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

static f0t_status set_checksum(f0t_safetensors_writer *w)
{
    char text[24];
    snprintf(text, sizeof text, "%016lx", w->sum);
    return w->signs ? f0t_safetensors_set_metadata(w, "checksum", text) : F0T_OK;
}

f0t_status f0t_safetensors_commit(f0t_safetensors_writer *w)
{
    f0t_status status = set_checksum(w);
    if (status == F0T_OK)
        status = finish_header(w);
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
