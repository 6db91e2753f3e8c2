#include "io/vectors.h"

#include "base/alloc.h"
#include "io/vectors_gather.h"
#include "io/vectors_source.h"

#include <string.h>

const char *f0t_vectors_form_name(f0t_vectors_form form)
{
    static const char *const names[] = {"text", "text with header", "word2vec binary"};
    return names[form];
}

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
    F0T_TRY(f0t_gather_finish(gather, name, v->mean));
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

/* ---- From a file ----------------------------------------------------------------------------- */

static f0t_status read_rows(f0t_vectors *v, f0t_source *source, f0t_gather *gather,
                            const char *name, const f0t_monitor *monitor)
{
    bool cut;
    F0T_TRY(f0t_source_run(source, f0t_gather_take, gather, &cut, monitor));
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

f0t_status f0t_vectors_read(f0t_vectors *v, f0t_stream *stream, const char *peek, size_t peeked,
                            const f0t_vectors_options *options)
{
    f0t_source *source;
    F0T_TRY(f0t_source_open(&source, stream, peek, peeked, options->tolerant));
    f0t_status status = read_source(v, source, f0t_stream_name(stream), options->monitor);
    f0t_source_close(source);
    return status;
}

/* ---- From arrays ----------------------------------------------------------------------------- */

enum { BLOCK_ROWS = 1024 };

/* Rows that a file would lose would move all behind them. */
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
