/* libFuzzer's mutations of a safetensors file: of one tensor's bytes, of a number in it, of a size wherever it occurs or
 * in one shape, of a type, of the metadata; tensors go, or come twice. Lengths and offsets follow. */
#include "fuzz.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libFuzzer's interface. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

enum { TENSORS = 64, DIMS = 4, NAME = 64, BYTES = 1 << 16 };

static const struct {
    const char *name;
    size_t size;
} types[] = {{"F32", 4}, {"F64", 8},  {"I32", 4},  {"I64", 8}, {"U8", 1},
             {"F16", 2}, {"BF16", 2}, {"BOOL", 1}, {"I8", 1}};
enum { TYPES = sizeof types / sizeof *types };

typedef struct tensor {
    char name[NAME];
    size_t type, dims, size;
    long long shape[DIMS];
    uint8_t bytes[BYTES];
} tensor;

static struct {
    tensor all[TENSORS];
    size_t count;
    json_t *metadata; /* or NULL */
} file;

static unsigned long long state;

static size_t below(size_t count)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return count ? (size_t)(state >> 33) % count : 0;
}

/* ---- Reading and writing ---------------------------------------------------------------------------- */

static bool read_shape(tensor *t, json_t *shape)
{
    if (!json_is_array(shape) || json_array_size(shape) > DIMS)
        return false;
    t->dims = json_array_size(shape);
    for (size_t i = 0; i < t->dims; i++)
        t->shape[i] = json_integer_value(json_array_get(shape, i));
    return true;
}

static bool read_tensor(const char *name, json_t *entry, const uint8_t *data, size_t size)
{
    tensor *t = &file.all[file.count];
    const char *type = json_string_value(json_object_get(entry, "dtype"));
    json_t *offsets = json_object_get(entry, "data_offsets");
    const json_int_t from = json_integer_value(json_array_get(offsets, 0)),
                     to = json_integer_value(json_array_get(offsets, 1));
    if (file.count == TENSORS || strlen(name) >= NAME || !type || from < 0 || to < from ||
        (size_t)to > size || to - from > BYTES)
        return false;
    snprintf(t->name, sizeof t->name, "%s", name);
    for (t->type = 0; t->type < TYPES && strcmp(types[t->type].name, type) != 0;)
        t->type++;
    t->size = (size_t)(to - from);
    memcpy(t->bytes, data + from, t->size);
    file.count++;
    return t->type < TYPES && read_shape(t, json_object_get(entry, "shape"));
}

static bool read_file(const uint8_t *data, size_t size)
{
    uint64_t length = 0;
    const char *key;
    json_t *value;
    if (size < 8)
        return false;
    memcpy(&length, data, 8);
    if (length > size - 8)
        return false;
    json_t *root = json_loadb((const char *)data + 8, length, 0, NULL);
    bool good = json_is_object(root);
    file.count = 0;
    file.metadata = json_incref(json_object_get(root, "__metadata__"));
    json_object_foreach(root, key, value)
    {
        if (good && strcmp(key, "__metadata__") != 0)
            good = read_tensor(key, value, data + 8 + length, size - 8 - length);
    }
    json_decref(root);
    return good;
}

/* As many bytes as type and shape want: what is there, again and again. False where they are too many. */
static bool fit(tensor *t)
{
    size_t size = types[t->type].size;
    for (size_t i = 0; i < t->dims; i++)
        if (t->shape[i] == 0)
            size = 0;
    for (size_t i = 0; i < t->dims && size; i++) {
        if (t->shape[i] < 0 || (size_t)t->shape[i] > BYTES / size)
            return false;
        size *= (size_t)t->shape[i];
    }
    for (size_t i = t->size; i < size; i++)
        t->bytes[i] = t->size ? t->bytes[i - t->size] : 0;
    t->size = size;
    return true;
}

static json_t *describe(const tensor *t, size_t at)
{
    json_t *shape = json_array();
    for (size_t i = 0; i < t->dims; i++)
        json_array_append_new(shape, json_integer(t->shape[i]));
    return json_pack("{s:s,s:o,s:[I,I]}", "dtype", types[t->type].name, "shape", shape,
                     "data_offsets", (json_int_t)at, (json_int_t)(at + t->size));
}

/* The header as text, with spaces that align the data. */
static char *write_header(size_t *length)
{
    json_t *root = json_object();
    size_t at = 0;
    if (file.metadata)
        json_object_set(root, "__metadata__", file.metadata);
    for (size_t i = 0; i < file.count; at += file.all[i++].size)
        json_object_set_new(root, file.all[i].name, describe(&file.all[i], at));
    char *text = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    const size_t size = text ? strlen(text) : 0;
    *length = (size + 7) / 8 * 8;
    char *aligned = text ? malloc(*length + 1) : NULL;
    if (aligned)
        snprintf(aligned, *length + 1, "%-*s", (int)*length, text);
    free(text);
    return aligned;
}

static size_t write_file(uint8_t *to, size_t most)
{
    size_t length, size;
    for (size_t i = 0; i < file.count; i++)
        if (!fit(&file.all[i]))
            return 0;
    char *header = write_header(&length);
    size = 8 + length;
    for (size_t i = 0; i < file.count; i++)
        size += file.all[i].size;
    if (!header || size > most) {
        free(header);
        return 0;
    }
    memcpy(to, &(uint64_t){length}, 8);
    memcpy(to + 8, header, length);
    to += 8 + length;
    for (size_t i = 0; i < file.count; to += file.all[i++].size)
        memcpy(to, file.all[i].bytes, file.all[i].size);
    free(header);
    return size;
}

/* ---- Changes ---------------------------------------------------------------------------------------- */

static void change_bytes(tensor *t)
{
    LLVMFuzzerMutate(t->bytes, t->size, t->size);
}

/* One number becomes one that is at a limit, or that of another place. */
static void change_number(tensor *t)
{
    static const float floats[] = {0, -0.0F, 1, -1, 1e-30F, 1e30F, -3e38F, 1e-45F, 127, 0.5F, 1e9F};
    static const double doubles[] = {0, 1, -1, 1e300, -1e300, 5e-324, 0.5, 1e9, 9007199254740993.0};
    static const int64_t integers[] = {0,   1,         -1,        2,         127,
                                       255, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
    const size_t size = types[t->type].size, count = t->size / size;
    uint8_t *at = t->bytes + below(count) * size;
    if (!count)
        return;
    if (below(4) == 0)
        memcpy(at, t->bytes + below(count) * size, size);
    else if (t->type == 0)
        memcpy(at, &floats[below(sizeof floats / sizeof *floats)], size);
    else if (t->type == 1)
        memcpy(at, &doubles[below(sizeof doubles / sizeof *doubles)], size);
    else
        memcpy(at, &integers[below(sizeof integers / sizeof *integers)], size);
}

static long long other_size(long long from)
{
    const long long size = from < 0 || from > BYTES ? BYTES : from;
    const long long sizes[] = {size + 1, size - 1, 2 * size, 1, 0, (long long)below(40)};
    const long long other = sizes[below(sizeof sizes / sizeof *sizes)];
    return other < 0 ? 0 : other;
}

/* Of this tensor, or wherever there is such a size: then shapes still agree. */
static void change_size(tensor *t, bool everywhere)
{
    const size_t d = below(t->dims);
    const long long from = t->shape[d], to = other_size(from);
    if (!t->dims)
        return;
    t->shape[d] = to;
    for (size_t i = 0; everywhere && i < file.count; i++)
        for (size_t k = 0; k < file.all[i].dims; k++)
            if (file.all[i].shape[k] == from)
                file.all[i].shape[k] = to;
}

/* Many of nothing: no byte of the file confirms that size. */
static void change_to_nothing(tensor *t)
{
    if (t->dims < 2)
        return;
    const size_t d = below(t->dims);
    t->shape[d] = 0;
    t->shape[(d + 1) % t->dims] = 1LL << below(62);
}

static void change_dims(tensor *t)
{
    if (t->dims && below(2)) {
        t->dims--;
    } else if (t->dims < DIMS) {
        t->shape[t->dims++] = 1;
    }
}

static void drop(tensor *t)
{
    memmove(t, t + 1, (size_t)(&file.all[--file.count] - t) * sizeof *t);
}

/* The bytes and shape of one under the name of another. */
static void copy(tensor *to, const tensor *from)
{
    char name[NAME];
    memcpy(name, to->name, NAME);
    if (to != from)
        *to = *from;
    memcpy(to->name, name, NAME);
}

/* A text that is another afterwards, perhaps no longer UTF-8: then the metadata stays as it is. */
static void change_text(void)
{
    char text[1024];
    const size_t which = below(json_object_size(file.metadata));
    void *at = json_object_iter(file.metadata);
    for (size_t i = 0; at && i < which; i++)
        at = json_object_iter_next(file.metadata, at);
    const char *old = at ? json_string_value(json_object_iter_value(at)) : NULL;
    if (!old || strlen(old) >= sizeof text)
        return;
    const size_t length = strlen(old);
    memcpy(text, old, length);
    json_t *new = json_stringn(text, LLVMFuzzerMutate((uint8_t *)text, length, sizeof text));
    if (new)
        json_object_iter_set_new(file.metadata, at, new);
}

static void change_one(void)
{
    const size_t what = below(100);
    tensor *t = &file.all[below(file.count)];
    if (!file.count || what < 8)
        change_text();
    else if (what < 35)
        change_bytes(t);
    else if (what < 62)
        change_number(t);
    else if (what < 76)
        change_size(t, true);
    else if (what < 82)
        change_size(t, false);
    else if (what < 85)
        change_to_nothing(t);
    else if (what < 87)
        change_dims(t);
    else if (what < 91)
        t->type = below(TYPES);
    else if (what < 95)
        drop(t);
    else
        copy(t, &file.all[below(file.count)]);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    size_t made = 0;
    state = seed;
    below(1);
    if (below(20) && read_file(data, size)) {
        for (size_t n = 1 + below(3); n > 0; n--)
            change_one();
        made = write_file(data, most);
    }
    json_decref(file.metadata);
    file.metadata = NULL;
    return made ? made : LLVMFuzzerMutate(data, size, most);
}
