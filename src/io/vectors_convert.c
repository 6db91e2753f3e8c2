#include "io/vectors_convert.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "io/vectors.h"
#include "io/vectors_file.h"
#include "io/vectors_gather.h"
#include "io/vectors_source.h"

#include <stdio.h>
#include <string.h>

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

static f0t_status begin(conversion *c, size_t dim)
{
    F0T_TRY(f0t_gather_init(&c->gather, dim, c->wanted, f0t_vectors_writer_put, &c->writer));
    F0T_TRY(f0t_alloc(&c->mean, dim, sizeof *c->mean));
    return f0t_vectors_writer_open(&c->writer, c->to, dim, c->options.f16);
}

/* What the file says besides the vectors, where it comes from these alone. */
static f0t_status describe(conversion *c)
{
    F0T_TRY(f0t_gather_finish(&c->gather, c->from, c->mean));
    c->rest.words = &c->gather.kept.view;
    c->rest.mean = c->mean;
    c->rest.fingerprint = c->gather.fingerprint;
    c->rest.source = f0t_vectors_base_name(c->from);
    c->rest.counts = c->gather.counts;
    f0t_gather_log(&c->gather.counts, c->from, c->options.monitor);
    return F0T_OK;
}

static f0t_status convert_source(conversion *c, f0t_source *source)
{
    bool cut = false;
    F0T_TRY(begin(c, f0t_source_layout(source)->dim));
    F0T_TRY(f0t_source_run(source, f0t_gather_take, &c->gather, &cut, c->options.monitor));
    c->gather.counts.cut = cut;
    return describe(c);
}

static f0t_status add_mapped(f0t_word_rows *rows, const f0t_vectors *v, size_t i, const char *path)
{
    size_t length;
    const char *word = f0t_vectors_word(v, i, &length);
    if (!word)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: word %zu is damaged", path, i + 1);
    F0T_TRY(f0t_vectors_get(v, i, 1, f0t_word_rows_next(rows)));
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

/* Mean, fingerprint and source are handed on: what comes of a file is of the same space. */
static f0t_status convert_own(conversion *c, const f0t_vectors *v)
{
    char name[300];
    f0t_word_rows rows = {0};
    snprintf(name, sizeof name, "reading %s", c->from);
    f0t_stage stage = f0t_stage_begin(c->options.monitor, name, "words", f0t_vectors_count(v));
    F0T_TRY(begin(c, v->dim));
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
    F0T_TRY(f0t_vectors_open(&v, c->from, NULL));
    f0t_status status = finish(c, convert_own(c, v));
    f0t_vectors_close(v);
    return status;
}

static f0t_status rewrite_stream(conversion *c, f0t_stream *stream, bool *own)
{
    char peek[F0T_VECTORS_PEEK];
    size_t peeked;
    f0t_source *source;
    F0T_TRY(f0t_vectors_peek(stream, peek, &peeked, own));
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
    f0t_stream_watch(stream, c.options.monitor);
    f0t_status status = rewrite_stream(&c, stream, &own);
    f0t_stream_close(stream);
    if (status == F0T_OK && own)
        status = rewrite_own(&c);
    if (counts)
        *counts = c.rest.counts;
    return status;
}

f0t_status f0t_vectors_convert(f0t_vectors_counts *counts, const char *to, const char *from,
                               const f0t_convert_options *options)
{
    F0T_REQUIRE(to);
    F0T_REQUIRE(from);
    return f0t_vectors_rewrite(counts, to, from, NULL, options);
}
