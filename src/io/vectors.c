#include "io/vectors.h"

#include "base/alloc.h"
#include "io/text.h"

#include <string.h>

f0t_status f0t_vectors_peek(f0t_stream *stream, char peek[F0T_VECTORS_PEEK], size_t *peeked,
                            bool *own)
{
    F0T_TRY(f0t_stream_read(stream, peek, F0T_VECTORS_PEEK, peeked));
    *own = f0t_layout_is_safetensors(peek, *peeked);
    if (*own && f0t_stream_is_packed(stream))
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%s: a safetensors file packed by gzip cannot be mapped; unpack it first",
                        f0t_stream_name(stream));
    return F0T_OK;
}

static f0t_status open_stream(f0t_vectors *v, f0t_stream *stream, bool *own,
                              const f0t_vectors_options *options)
{
    char peek[F0T_VECTORS_PEEK];
    size_t peeked;
    F0T_TRY(f0t_vectors_peek(stream, peek, &peeked, own));
    return *own ? F0T_OK : f0t_vectors_read(v, stream, peek, peeked, options);
}

static f0t_status open_with(f0t_vectors *v, f0t_stream *stream, const void *data, size_t size,
                            const char *name, const f0t_vectors_options *options)
{
    static const f0t_vectors_options none;
    f0t_safetensors *file;
    bool own = false;
    f0t_status status = open_stream(v, stream, &own, options ? options : &none);
    f0t_stream_close(stream);
    if (status != F0T_OK || !own)
        return status;
    F0T_TRY(data ? f0t_safetensors_open_memory(&file, data, size, name)
                 : f0t_safetensors_open(&file, name));
    return f0t_vectors_attach(v, file);
}

/* `data` is NULL when `name` is a path. */
static f0t_status open_any(f0t_vectors **out, const void *data, size_t size, const char *name,
                           const f0t_vectors_options *options)
{
    f0t_stream *stream;
    f0t_vectors *v;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&v, 1, sizeof *v));
    f0t_status status =
        data ? f0t_stream_open_memory(&stream, data, size, name) : f0t_stream_open(&stream, name);
    f0t_stream_watch(stream, options ? options->monitor : NULL);
    if (status == F0T_OK)
        status = open_with(v, stream, data, size, name, options);
    if (status != F0T_OK)
        f0t_vectors_close(v);
    else
        *out = v;
    return status;
}

f0t_status f0t_vectors_open(f0t_vectors **out, const char *path, const f0t_vectors_options *options)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(path);
    return open_any(out, NULL, 0, path, options);
}

f0t_status f0t_vectors_open_memory(f0t_vectors **out, const void *data, size_t size,
                                   const char *name, const f0t_vectors_options *options)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(data || !size);
    F0T_REQUIRE(name);
    return open_any(out, data ? data : "", data ? size : 0, name, options);
}

void f0t_vectors_close(f0t_vectors *v)
{
    if (!v)
        return;
    for (size_t i = 0; i < v->chunk_count; i++)
        f0t_free(v->chunks[i]);
    f0t_free(v->chunks);
    f0t_names_free(&v->list);
    f0t_safetensors_close(v->file);
    f0t_free(v->mean);
    f0t_free(v->source);
    f0t_free(v);
}

size_t f0t_vectors_count(const f0t_vectors *v)
{
    return v->words.count;
}

size_t f0t_vectors_dim(const f0t_vectors *v)
{
    return v->dim;
}

/* The words of a mapped file were never looked at before. */
const char *f0t_vectors_word(const f0t_vectors *v, size_t i, size_t *length)
{
    const char *word = f0t_words_at(&v->words, i, length);
    if (word && v->file && !f0t_text_is_word(word, *length)) {
        *length = 0;
        return NULL;
    }
    return word;
}

size_t f0t_vectors_find(const f0t_vectors *v, const char *word, size_t length)
{
    return f0t_words_find(&v->words, word, length);
}

const float *f0t_vectors_row(const f0t_vectors *v, size_t i, float *buffer)
{
    if (!v->data)
        return v->chunks[i / v->chunk_rows] + i % v->chunk_rows * v->dim;
    const char *row = v->data + i * v->dim * f0t_dtype_size(v->dtype);
    if (v->dtype == F0T_F32)
        return (const float *)(const void *)row;
    f0t_dtype_to_f32(buffer, row, v->dtype, v->dim);
    return buffer;
}

f0t_status f0t_vectors_get(const f0t_vectors *v, size_t first, size_t count, float *out)
{
    F0T_REQUIRE(v);
    F0T_REQUIRE(out || !count);
    if (first > v->words.count || count > v->words.count - first)
        return f0t_fail(F0T_ERROR_ARGUMENT, "vectors %zu to %zu of %zu", first, first + count,
                        v->words.count);
    for (size_t i = 0; i < count; i++) {
        float *to = out + i * v->dim;
        const float *row = f0t_vectors_row(v, first + i, to);
        if (row != to)
            memcpy(to, row, v->dim * sizeof *to);
    }
    return F0T_OK;
}

const float *f0t_vectors_mean(const f0t_vectors *v)
{
    return v->mean;
}

uint64_t f0t_vectors_fingerprint(const f0t_vectors *v)
{
    return v->fingerprint;
}

const char *f0t_vectors_format(const f0t_vectors *v)
{
    return v->format;
}

const char *f0t_vectors_dtype(const f0t_vectors *v)
{
    return v->data                                     ? f0t_dtype_name(v->dtype)
           : strcmp(v->format, "word2vec binary") == 0 ? "float32"
           : strcmp(v->format, "arrays") == 0          ? "float32"
                                                       : "decimal";
}

const char *f0t_vectors_source(const f0t_vectors *v)
{
    return v->source;
}

f0t_vectors_counts f0t_vectors_get_counts(const f0t_vectors *v)
{
    return v->counts;
}
