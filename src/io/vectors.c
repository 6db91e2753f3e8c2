/* The object: opening a file, vectors in memory, and what one asks of them. */
#include "io/vectors.h"

#include "base/alloc.h"
#include "base/context.h"
#include "io/text.h"
#include "io/vectors_rows.h"

#include <string.h>

/* ---- In memory -------------------------------------------------------------------------------- */

const char *f0t_vectors_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* Chunks in place of one array that grows: nothing is copied, nothing is there twice. */
static f0t_status add_chunk(f0t_vectors *v)
{
    F0T_TRY(f0t_grow(&v->chunks, &v->chunk_capacity, v->chunk_count, 1, sizeof *v->chunks));
    F0T_TRY(f0t_alloc(&v->chunks[v->chunk_count], v->chunk_rows, v->dim * sizeof(float)));
    v->chunk_count++;
    return F0T_OK;
}

static f0t_status put_rows(void *context, const float *values, size_t rows)
{
    f0t_vectors *v = context;
    while (rows) {
        size_t used = v->words.count % v->chunk_rows;
        if (used == 0)
            F0T_TRY(add_chunk(v));
        size_t n = v->chunk_rows - used < rows ? v->chunk_rows - used : rows;
        memcpy(v->chunks[v->chunk_count - 1] + used * v->dim, values, n * v->dim * sizeof *values);
        v->words.count += n;
        values += n * v->dim;
        rows -= n;
    }
    return F0T_OK;
}

/* All rows were put: what was gathered is the vectors'. */
static f0t_status take_over(f0t_vectors *v, f0t_gather *gather, const char *name)
{
    F0T_TRY(f0t_alloc(&v->mean, v->dim, sizeof *v->mean));
    F0T_TRY(f0t_gather_finish(v->mean, gather, name));
    v->list = gather->kept;
    memset(&gather->kept, 0, sizeof gather->kept);
    v->words = v->list.view;
    v->fingerprint = gather->fingerprint;
    v->counts = gather->counts;
    return F0T_OK;
}

/* An empty one in memory, for vectors of `dim` numbers. */
static f0t_status prepare(f0t_vectors *v, size_t dim, const char *format, const char *name)
{
    const char *base = f0t_vectors_base_name(name);
    v->dim = dim;
    v->dtype = F0T_F32;
    v->chunk_rows = dim < F0T_VECTORS_CHUNK ? F0T_VECTORS_CHUNK / dim : 1;
    v->format = format;
    return f0t_string_copy(&v->source, base, strlen(base));
}

/* ---- In memory, from a file ------------------------------------------------------------------- */

static f0t_status read_rows(f0t_vectors *v, f0t_source *source, f0t_gather *gather,
                            const char *name, const f0t_monitor *monitor)
{
    bool cut;
    F0T_TRY(f0t_source_run(&cut, source, f0t_gather_take, gather, monitor));
    gather->counts.cut = cut;
    F0T_TRY(take_over(v, gather, name));
    f0t_gather_log(&v->counts, name, monitor);
    return F0T_OK;
}

static f0t_status read_source(f0t_vectors *v, f0t_source *source, const char *name,
                              const f0t_monitor *monitor)
{
    f0t_gather gather;
    const f0t_vectors_layout *layout = f0t_source_layout(source);
    F0T_TRY(prepare(v, layout->dim, f0t_vectors_form_name(layout->form), name));
    F0T_TRY(f0t_gather_init(&gather, v->dim, NULL, put_rows, v));
    f0t_status status = read_rows(v, source, &gather, name, monitor);
    f0t_gather_clear(&gather);
    return status;
}

static f0t_status read_stream(f0t_vectors *v, f0t_stream *stream, const char *peek, size_t peeked,
                              const f0t_vectors_options *options)
{
    f0t_source *source;
    F0T_TRY(f0t_source_open(&source, stream, peek, peeked, options->tolerant));
    f0t_status status = read_source(v, source, f0t_stream_name(stream), f0t_context_monitor(NULL));
    f0t_source_close(source);
    return status;
}

/* ---- In memory, from arrays ------------------------------------------------------------------- */

enum { BLOCK_ROWS = 1024 };

/* Rows that a file would lose would move all after them. */
static f0t_status check_block(const f0t_word_rows *block, size_t first, const char *name)
{
    if (block->lost.not_finite)
        return f0t_fail(F0T_ERROR_NUMERIC, "%s: the vector of word %zu has a NaN or an infinity",
                        name, first);
    if (block->lost.empty || block->lost.invalid)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: word %zu is %s", name, first,
                        block->lost.empty ? "empty" : "not UTF-8, or has a newline in it");
    return F0T_OK;
}

static f0t_status fill_block(f0t_word_rows *block, const char *const *words, const float *rows,
                             size_t first, size_t count, size_t dim, const char *name)
{
    F0T_TRY(f0t_word_rows_reset(block, dim, count));
    for (size_t i = first; i < first + count; i++) {
        memcpy(f0t_word_rows_next(block), rows + i * dim, dim * sizeof *rows);
        f0t_word_rows_add(block, words[i], strlen(words[i]));
        F0T_TRY(check_block(block, i, name));
    }
    return F0T_OK;
}

static f0t_status gather_arrays(f0t_gather *gather, const char *const *words, const float *rows,
                                size_t count, const char *name)
{
    f0t_word_rows block = {0};
    f0t_status status = F0T_OK;
    for (size_t first = 0; first < count && status == F0T_OK; first += BLOCK_ROWS) {
        const size_t some = count - first < BLOCK_ROWS ? count - first : BLOCK_ROWS;
        status = fill_block(&block, words, rows, first, some, gather->dim, name);
        if (status == F0T_OK)
            status = f0t_gather_take(gather, &block);
    }
    f0t_word_rows_clear(&block);
    if (status == F0T_OK && gather->counts.duplicates)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: %llu of the words were there before", name,
                        (unsigned long long)gather->counts.duplicates);
    return status;
}

static f0t_status copy_arrays(f0t_vectors *v, const char *const *words, const float *rows,
                              size_t count, size_t dim, const char *name)
{
    f0t_gather gather;
    F0T_TRY(prepare(v, dim, "arrays", name));
    F0T_TRY(f0t_gather_init(&gather, dim, NULL, put_rows, v));
    f0t_status status = gather_arrays(&gather, words, rows, count, name);
    if (status == F0T_OK)
        status = take_over(v, &gather, name);
    f0t_gather_clear(&gather);
    return status;
}

f0t_status f0t_vectors_create(f0t_vectors **out, const char *const *words, const float *rows,
                              size_t count, size_t dim, const char *name)
{
    f0t_vectors *v;
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_TRY(f0t_require_all(__func__, "words", words, count));
    F0T_REQUIRE(rows || !count);
    if (!count || !dim || dim > F0T_VECTORS_DIM_MOST)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "%zu words with vectors of %zu numbers: one of %d at "
                        "the most is needed at least",
                        count, dim, F0T_VECTORS_DIM_MOST);
    F0T_TRY(f0t_alloc_zero(&v, 1, sizeof *v));
    f0t_status status = copy_arrays(v, words, rows, count, dim, name ? name : "memory");
    if (status != F0T_OK)
        f0t_vectors_close(v);
    else
        *out = v;
    return status;
}

/* ---- Opening ---------------------------------------------------------------------------------- */

f0t_status f0t_vectors_peek(char peek[F0T_VECTORS_PEEK], size_t *peeked, bool *own,
                            f0t_stream *stream)
{
    F0T_TRY(f0t_stream_read(peek, peeked, stream, F0T_VECTORS_PEEK));
    *own = f0t_safetensors_begins(peek, *peeked);
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
    F0T_TRY(f0t_vectors_peek(peek, &peeked, own, stream));
    return *own ? F0T_OK : read_stream(v, stream, peek, peeked, options);
}

static f0t_status open_with(f0t_vectors *v, f0t_stream *stream, const void *data, size_t size,
                            const char *name, const f0t_vectors_options *options)
{
    static const f0t_vectors_options none = F0T_VECTORS_OPTIONS;
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
    f0t_stream_watch(stream, f0t_context_monitor(NULL));
    if (status == F0T_OK)
        status = open_with(v, stream, data, size, name, options);
    if (status != F0T_OK)
        f0t_vectors_close(v);
    else
        *out = v;
    return status;
}

f0t_status f0t_vectors_open(f0t_vectors **out, const char *path, const f0t_vectors_options *options,
                            const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(path);
    F0T_READ_OPTIONS(f0t_vectors_options, F0T_VECTORS_OPTIONS, options);
    return open_any(out, NULL, 0, path, options);
}

f0t_status f0t_vectors_open_memory(f0t_vectors **out, const void *data, size_t size,
                                   const char *name, const f0t_vectors_options *options,
                                   const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(data || !size);
    F0T_REQUIRE(name);
    F0T_READ_OPTIONS(f0t_vectors_options, F0T_VECTORS_OPTIONS, options);
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

/* ---- Asking ----------------------------------------------------------------------------------- */

size_t f0t_vectors_count(const f0t_vectors *v)
{
    return v->words.count;
}

size_t f0t_vectors_dim(const f0t_vectors *v)
{
    return v->dim;
}

/* The words of a mapped file were never looked at before. */
const char *f0t_vectors_word(size_t *length, const f0t_vectors *v, size_t i)
{
    const char *word = f0t_words_at(length, &v->words, i);
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

f0t_status f0t_vectors_whole(const f0t_vectors *v)
{
    return v->file ? f0t_safetensors_whole(v->file) : F0T_OK;
}

void f0t_vectors_let_go(const f0t_vectors *v)
{
    if (v->file)
        f0t_safetensors_let_go(v->file, v->data,
                               v->words.count * v->dim * f0t_dtype_size(v->dtype));
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

f0t_status f0t_vectors_get(float *out, const f0t_vectors *v, size_t first, size_t count)
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
    return f0t_vectors_whole(v);
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
