#include "io/vectors_file.h"

#include "base/alloc.h"
#include "io/vectors.h"
#include "io/vectors_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static f0t_status find_tensor(const f0t_tensor **out, const f0t_safetensors *file, const char *name,
                              f0t_dtype dtype, size_t dims)
{
    *out = f0t_safetensors_find(file, name);
    if (!*out)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: tensor \"%s\" is missing",
                        f0t_safetensors_path(file), name);
    if ((*out)->dtype != dtype || (*out)->dims != dims)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: tensor \"%s\" is not %s with %zu dimensions",
                        f0t_safetensors_path(file), name, f0t_dtype_name(dtype), dims);
    return F0T_OK;
}

static f0t_status read_metadata(uint64_t *out, const f0t_safetensors *file, const char *key,
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

static f0t_status check_format(const f0t_safetensors *file)
{
    uint64_t version;
    const char *format = f0t_safetensors_metadata(file, "format");
    if (!format || strcmp(format, F0T_VECTORS_FORMAT) != 0)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: a safetensors file, but not one of word vectors",
                        f0t_safetensors_path(file));
    F0T_TRY(read_metadata(&version, file, "version", 10));
    if (version != F0T_VECTORS_VERSION)
        return f0t_fail(
            F0T_ERROR_UNSUPPORTED, "%s: version %llu of the format; this program knows version %d",
            f0t_safetensors_path(file), (unsigned long long)version, F0T_VECTORS_VERSION);
    return F0T_OK;
}

/* N, d and the numbers themselves. */
static f0t_status attach_vectors(f0t_vectors *v)
{
    const char *path = f0t_safetensors_path(v->file);
    const f0t_tensor *t = f0t_safetensors_find(v->file, "vectors");
    v->dtype = t && t->dtype == F0T_F16 ? F0T_F16 : F0T_F32;
    F0T_TRY(find_tensor(&t, v->file, "vectors", v->dtype, 2));
    if (t->shape[0] == 0 || t->shape[0] >= INT32_MAX)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: %zu words", path, t->shape[0]);
    if (t->shape[1] == 0 || t->shape[1] > F0T_VECTORS_DIM_MOST)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: vectors of %zu dimensions", path, t->shape[1]);
    v->words.count = t->shape[0];
    v->dim = t->shape[1];
    v->data = t->data;
    return F0T_OK;
}

static f0t_status attach_words(f0t_vectors *v)
{
    const f0t_tensor *words, *offsets, *index;
    F0T_TRY(find_tensor(&words, v->file, "words", F0T_U8, 1));
    F0T_TRY(find_tensor(&offsets, v->file, "offsets", F0T_I64, 1));
    F0T_TRY(find_tensor(&index, v->file, "index", F0T_I32, 1));
    if (offsets->count != v->words.count + 1)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: %zu offsets for %zu words",
                        f0t_safetensors_path(v->file), offsets->count, v->words.count);
    if (index->count <= v->words.count || (index->count & (index->count - 1)) != 0)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: an index of %zu slots for %zu words",
                        f0t_safetensors_path(v->file), index->count, v->words.count);
    v->words.text = words->data;
    v->words.size = words->count;
    v->words.offsets = offsets->data;
    v->words.slots = index->data;
    v->words.slot_count = index->count;
    return read_metadata(&v->words.seed, v->file, "index_seed", 10);
}

static f0t_status attach_rest(f0t_vectors *v)
{
    const f0t_tensor *mean;
    const char *source = f0t_safetensors_metadata(v->file, "source");
    F0T_TRY(find_tensor(&mean, v->file, "mean", F0T_F32, 1));
    if (mean->count != v->dim)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: a mean of %zu numbers for vectors of %zu",
                        f0t_safetensors_path(v->file), mean->count, v->dim);
    F0T_TRY(f0t_alloc(&v->mean, v->dim, sizeof *v->mean));
    memcpy(v->mean, mean->data, v->dim * sizeof *v->mean);
    F0T_TRY(f0t_string_copy(&v->source, source ? source : "?", source ? strlen(source) : 1));
    return read_metadata(&v->fingerprint, v->file, "fingerprint", 16);
}

f0t_status f0t_vectors_attach(f0t_vectors *v, f0t_safetensors *file)
{
    v->file = file;
    v->format = "fast0tag vectors";
    F0T_TRY(check_format(file));
    F0T_TRY(attach_vectors(v));
    F0T_TRY(attach_words(v));
    F0T_TRY(attach_rest(v));
    v->counts.rows = v->counts.words = v->words.count;
    return F0T_OK;
}
