/* The project's own form of word vectors: attached to a mapped file, written, and made of any other form. */
#include "io/vectors.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "io/text.h"
#include "io/vectors_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Reading ---------------------------------------------------------------------------------- */

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

static f0t_status check_format(const f0t_safetensors *file)
{
    uint64_t version;
    const char *format = f0t_safetensors_metadata(file, "format");
    if (!format || strcmp(format, F0T_VECTORS_FORMAT) != 0)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: a safetensors file, but not one of word vectors",
                        f0t_safetensors_path(file));
    F0T_TRY(f0t_safetensors_number(&version, file, "version", 10));
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
    return f0t_safetensors_number(&v->words.seed, v->file, "index_seed", 10);
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
    v->parents = f0t_safetensors_metadata(v->file, "parents");
    return f0t_safetensors_number(&v->fingerprint, v->file, "fingerprint", 16);
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

/* ---- Writing ---------------------------------------------------------------------------------- */

enum { HEADER_ROOM = 8192, HALVES = 256, SOURCE_MOST = 1024 };

/* In the header each quotation mark of `parents` takes two bytes. */
static f0t_status create_file(f0t_vectors_writer *w, const char *parents)
{
    size_t room = HEADER_ROOM + (parents ? 2 * strlen(parents) : 0);
    F0T_TRY(f0t_safetensors_create(&w->file, w->path, room));
    f0t_status status =
        parents ? f0t_safetensors_set_metadata(w->file, "parents", parents) : F0T_OK;
    if (status != F0T_OK) {
        f0t_safetensors_abort(w->file);
        w->file = NULL;
    }
    return status;
}

f0t_status f0t_vectors_writer_open(f0t_vectors_writer *w, const char *path, size_t dim, bool f16,
                                   const char *parents)
{
    memset(w, 0, sizeof *w);
    w->path = path;
    w->dim = dim;
    w->f16 = f16;
    if (f16)
        F0T_TRY(f0t_alloc(&w->halves, HALVES, dim * sizeof *w->halves));
    f0t_status status = create_file(w, parents);
    if (status != F0T_OK)
        f0t_free(w->halves);
    return status;
}

static f0t_status put_halves(f0t_vectors_writer *w, const float *values, size_t rows)
{
    size_t n = rows * w->dim;
    f0t_f32_to_f16(w->halves, values, n);
    for (size_t i = 0; i < n; i++)
        if ((w->halves[i] & 0x7C00) == 0x7C00)
            return f0t_fail(F0T_ERROR_NUMERIC,
                            "%s: word %zu has the number %g, too large for float16", w->path,
                            w->rows + i / w->dim + 1, (double)values[i]);
    return f0t_safetensors_write(w->file, w->halves, n * sizeof *w->halves);
}

f0t_status f0t_vectors_writer_put(void *writer, const float *values, size_t rows)
{
    f0t_vectors_writer *w = writer;
    size_t most = w->f16 ? HALVES : rows;
    for (size_t done = 0; done < rows; done += most) {
        size_t n = rows - done < most ? rows - done : most;
        const float *from = values + done * w->dim;
        F0T_TRY(w->f16 ? put_halves(w, from, n)
                       : f0t_safetensors_write(w->file, from, n * w->dim * sizeof *from));
        w->rows += n;
    }
    return F0T_OK;
}

static f0t_status write_tensor(f0t_vectors_writer *w, const char *name, f0t_dtype dtype,
                               size_t count, const void *data)
{
    F0T_TRY(f0t_safetensors_write(w->file, data, count * f0t_dtype_size(dtype)));
    return f0t_safetensors_end_tensor(w->file, name, dtype, 1, &count);
}

static f0t_status write_tensors(f0t_vectors_writer *w, const f0t_vectors_rest *rest)
{
    static const char zeros[8];
    const f0t_words *words = rest->words;
    const f0t_dtype dtype = w->f16 ? F0T_F16 : F0T_F32;
    const size_t shape[] = {w->rows, w->dim};
    size_t over = w->rows * w->dim * f0t_dtype_size(dtype) % 8;
    F0T_TRY(f0t_safetensors_end_tensor(w->file, "vectors", dtype, 2, shape));
    if (over)
        F0T_TRY(write_tensor(w, "padding", F0T_U8, 8 - over, zeros));
    F0T_TRY(write_tensor(w, "offsets", F0T_I64, words->count + 1, words->offsets));
    F0T_TRY(write_tensor(w, "index", F0T_I32, words->slot_count, words->slots));
    F0T_TRY(write_tensor(w, "mean", F0T_F32, w->dim, rest->mean));
    return write_tensor(w, "words", F0T_U8, words->size, words->text);
}

static f0t_status set_number(f0t_vectors_writer *w, const char *key, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return f0t_safetensors_set_metadata(w->file, key, text);
}

/* Names of files need not be UTF-8; metadata must. */
static f0t_status set_source(f0t_vectors_writer *w, const char *source)
{
    size_t length = strlen(source);
    bool fits = length <= SOURCE_MOST && f0t_text_is_word(source, length);
    return f0t_safetensors_set_metadata(w->file, "source", fits ? source : "?");
}

static f0t_status write_metadata(f0t_vectors_writer *w, const f0t_vectors_rest *rest)
{
    char text[32];
    const f0t_vectors_counts *counts = &rest->counts;
    F0T_TRY(f0t_safetensors_set_metadata(w->file, "format", F0T_VECTORS_FORMAT));
    F0T_TRY(set_number(w, "version", F0T_VECTORS_VERSION));
    F0T_TRY(set_number(w, "index_seed", rest->words->seed));
    snprintf(text, sizeof text, "%016" PRIx64, rest->fingerprint);
    F0T_TRY(f0t_safetensors_set_metadata(w->file, "fingerprint", text));
    F0T_TRY(set_source(w, rest->source));
    F0T_TRY(set_number(w, "rows", counts->rows));
    F0T_TRY(set_number(w, "duplicates", counts->duplicates));
    F0T_TRY(set_number(w, "empty", counts->empty));
    F0T_TRY(set_number(w, "invalid", counts->invalid));
    F0T_TRY(set_number(w, "not_finite", counts->not_finite));
    return set_number(w, "zero", counts->zero);
}

f0t_status f0t_vectors_writer_finish(f0t_vectors_writer *w, const f0t_vectors_rest *rest,
                                     f0t_status status)
{
    if (status == F0T_OK)
        status = write_tensors(w, rest);
    if (status == F0T_OK)
        status = write_metadata(w, rest);
    if (status == F0T_OK)
        status = f0t_safetensors_commit(w->file);
    else
        f0t_safetensors_abort(w->file);
    f0t_free(w->halves);
    memset(w, 0, sizeof *w);
    return status;
}

/* ---- Converting ------------------------------------------------------------------------------- */

enum { BATCH_BYTES = 1 << 22 };

/* One conversion under way. */
typedef struct conversion {
    const char *to, *from;
    const f0t_words *wanted;
    f0t_convert_options options;
    f0t_gather gather;
    f0t_vectors_writer writer;
    float *mean;
    f0t_vectors_rest rest;
} conversion;

static f0t_status begin(conversion *c, size_t dim, const char *parents)
{
    F0T_TRY(f0t_gather_init(&c->gather, dim, c->wanted, f0t_vectors_writer_put, &c->writer));
    F0T_TRY(f0t_alloc(&c->mean, dim, sizeof *c->mean));
    return f0t_vectors_writer_open(&c->writer, c->to, dim, c->options.f16, parents);
}

/* What the file says besides the vectors, where it comes from these alone. */
static f0t_status describe(conversion *c)
{
    F0T_TRY(f0t_gather_finish(c->mean, &c->gather, c->from));
    c->rest.words = &c->gather.kept.view;
    c->rest.mean = c->mean;
    c->rest.fingerprint = c->gather.fingerprint;
    c->rest.source = f0t_vectors_base_name(c->from);
    c->rest.counts = c->gather.counts;
    f0t_gather_log(&c->gather.counts, c->from, f0t_context_monitor(NULL));
    return F0T_OK;
}

static f0t_status convert_source(conversion *c, f0t_source *source)
{
    bool cut = false;
    F0T_TRY(begin(c, f0t_source_layout(source)->dim, NULL));
    F0T_TRY(f0t_source_run(&cut, source, f0t_gather_take, &c->gather, f0t_context_monitor(NULL)));
    c->gather.counts.cut = cut;
    return describe(c);
}

static f0t_status add_mapped(f0t_word_rows *rows, const f0t_vectors *v, size_t i, const char *path)
{
    size_t length;
    const char *word = f0t_vectors_word(&length, v, i);
    if (!word)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: word %zu is damaged", path, i + 1);
    F0T_TRY(f0t_vectors_get(f0t_word_rows_next(rows), v, i, 1));
    f0t_word_rows_add(rows, word, length);
    return F0T_OK;
}

static f0t_status copy_rows(conversion *c, const f0t_vectors *v, f0t_word_rows *rows,
                            f0t_stage *stage)
{
    size_t count = f0t_vectors_count(v), batch = BATCH_BYTES / (v->dim * sizeof(float)) + 1;
    for (size_t first = 0; first < count; first += batch) {
        size_t end = count - first < batch ? count : first + batch;
        F0T_TRY(f0t_stage_update(stage, first));
        F0T_TRY(f0t_word_rows_reset(rows, v->dim, end - first));
        for (size_t i = first; i < end; i++)
            F0T_TRY(add_mapped(rows, v, i, c->from));
        F0T_TRY(f0t_gather_take(&c->gather, rows));
    }
    f0t_stage_end(stage);
    return F0T_OK;
}

/* Mean, fingerprint, source and parents are handed on: what comes of a file is of the same space. */
static f0t_status convert_own(conversion *c, const f0t_vectors *v)
{
    char name[300];
    f0t_word_rows rows = {0};
    snprintf(name, sizeof name, "reading %s", c->from);
    f0t_stage stage =
        f0t_stage_begin(f0t_context_monitor(NULL), name, "words", f0t_vectors_count(v));
    F0T_TRY(begin(c, v->dim, v->parents));
    f0t_status status = copy_rows(c, v, &rows, &stage);
    f0t_word_rows_clear(&rows);
    F0T_TRY(status);
    F0T_TRY(describe(c));
    c->rest.mean = v->mean;
    c->rest.fingerprint = v->fingerprint;
    c->rest.source = v->source;
    return F0T_OK;
}

static f0t_status finish(conversion *c, f0t_status status)
{
    if (c->writer.file)
        status = f0t_vectors_writer_finish(&c->writer, &c->rest, status);
    f0t_gather_clear(&c->gather);
    f0t_free(c->mean);
    return status;
}

static f0t_status rewrite_own(conversion *c)
{
    f0t_vectors *v;
    F0T_TRY(f0t_vectors_open(&v, c->from, NULL, NULL));
    f0t_status status = finish(c, convert_own(c, v));
    f0t_vectors_close(v);
    return status;
}

static f0t_status rewrite_stream(conversion *c, f0t_stream *stream, bool *own)
{
    char peek[F0T_VECTORS_PEEK];
    size_t peeked;
    f0t_source *source;
    F0T_TRY(f0t_vectors_peek(peek, &peeked, own, stream));
    if (*own)
        return F0T_OK;
    F0T_TRY(f0t_source_open(&source, stream, peek, peeked, c->options.tolerant));
    f0t_status status = finish(c, convert_source(c, source));
    f0t_source_close(source);
    return status;
}

f0t_status f0t_vectors_rewrite(f0t_vectors_counts *counts, const char *to, const char *from,
                               const f0t_words *wanted, const f0t_convert_options *options)
{
    f0t_stream *stream;
    bool own = false;
    conversion c = {.to = to, .from = from, .wanted = wanted};
    if (options)
        c.options = *options;
    F0T_TRY(f0t_stream_open(&stream, from));
    f0t_stream_watch(stream, f0t_context_monitor(NULL));
    f0t_status status = rewrite_stream(&c, stream, &own);
    f0t_stream_close(stream);
    if (status == F0T_OK && own)
        status = rewrite_own(&c);
    if (counts)
        *counts = c.rest.counts;
    return status;
}

f0t_status f0t_vectors_convert(f0t_vectors_counts *counts, const char *to, const char *from,
                               const f0t_convert_options *options, const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(to);
    F0T_REQUIRE(from);
    F0T_READ_OPTIONS(f0t_convert_options, F0T_CONVERT_OPTIONS, options);
    return f0t_vectors_rewrite(counts, to, from, NULL, options);
}
