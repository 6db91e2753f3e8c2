/* Word vectors in any form. */
#include "report/inspect.h"

#include "io/number.h"
#include "io/vectors.h"
#include "io/vectors_rows.h"

#include <string.h>

/* ---- Is it one? --------------------------------------------------------------------------- */

/* What stands before the first space is a number: then the line is a row of a matrix. */
static bool begins_with_number(f0t_line line)
{
    float number;
    const char *end = f0t_number_read(&number, line.begin, line.end);
    return end && (end == line.end || *end == ' ');
}

/* Text: nine of ten lines have a word and the numbers, at least two; and not all words are numbers. */
static bool looks_like_rows(const f0t_inspector *in, const f0t_vectors_layout *layout)
{
    const char *end = in->head + in->head_size, *next;
    size_t rows = 0, fitting = 0, numbers = 0;
    for (const char *p = in->head + layout->begin; p < end; p = next) {
        f0t_line line = f0t_line_at(p, end, &next);
        bool ended = next[-1] == '\n';
        if (line.begin == line.end || (!ended && !in->whole && rows))
            continue;
        rows++;
        fitting += f0t_line_numbers(line) >= layout->dim || !ended; /* it may be cut */
        numbers += begins_with_number(line);
    }
    return rows && fitting * 10 >= rows * 9 && numbers < rows;
}

static f0t_status matches(bool *yes, const f0t_inspector *in)
{
    f0t_vectors_layout layout;
    *yes = f0t_vectors_layout_find(&layout, in->head, in->head_size, in->whole, in->result.path) ==
               F0T_OK &&
           (layout.form == F0T_FORM_BINARY || (layout.dim > 1 && looks_like_rows(in, &layout)));
    return F0T_OK;
}

/* ---- Text and binary forms ---------------------------------------------------------------- */

/* What is made of the rows as they come. */
typedef struct pass {
    f0t_inspector *in;
    f0t_gather gather;
    f0t_numbers numbers;
} pass;

static f0t_status take(void *context, const f0t_word_rows *rows)
{
    pass *p = context;
    f0t_numbers_add(&p->numbers, rows->values, F0T_F32, rows->count * rows->dim);
    for (size_t i = 0; i < rows->count && p->in->result.row_count < p->in->rows; i++)
        F0T_TRY(f0t_inspector_row(p->in, rows->rows[i].word, rows->rows[i].length,
                                  rows->values + i * rows->dim, rows->dim));
    return f0t_gather_take(&p->gather, rows);
}

static f0t_status put_nowhere(void *context, const float *values, size_t rows)
{
    (void)context, (void)values, (void)rows;
    return F0T_OK;
}

static f0t_status add_counts(f0t_inspector *in, const f0t_vectors_counts *c)
{
    const struct {
        const char *name;
        uint64_t count;
    } counts[] = {{"duplicates", c->duplicates}, {"empty words", c->empty},
                  {"invalid words", c->invalid}, {"not finite", c->not_finite},
                  {"all zero", c->zero},         {"cut rows", c->cut}};
    F0T_TRY(f0t_inspector_count(in, "words", c->words));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].count)
            F0T_TRY(f0t_inspector_count(in, counts[i].name, counts[i].count));
    return F0T_OK;
}

static f0t_status run_pass(f0t_inspector *in, f0t_source *source, pass *p)
{
    bool cut = false;
    const f0t_vectors_layout *layout = f0t_source_layout(source);
    const char *form = f0t_vectors_form_name(layout->form);
    F0T_TRY(f0t_source_run(&cut, source, take, p, in->monitor));
    f0t_vectors_counts counts = p->gather.counts;
    counts.cut = cut;
    const size_t shape[] = {(size_t)counts.words, layout->dim};
    F0T_TRY(f0t_inspector_kind(in, "vectors", "word vectors, %s, %zu words x %zu", form, shape[0],
                               shape[1]));
    F0T_TRY(f0t_inspector_fact(in, "form", "%s", form));
    F0T_TRY(add_counts(in, &counts));
    F0T_TRY(f0t_inspector_count(in, "dimensions", layout->dim));
    F0T_TRY(f0t_inspector_fact(in, "fingerprint", "%016llx",
                               (unsigned long long)p->gather.fingerprint));
    return f0t_inspector_array(in, "vectors", layout->form == F0T_FORM_BINARY ? "float32" : "text",
                               2, shape, &p->numbers);
}

static f0t_status describe_all(f0t_inspector *in, f0t_source *source)
{
    pass p = {.in = in};
    F0T_TRY(f0t_gather_init(&p.gather, f0t_source_layout(source)->dim, NULL, put_nowhere, NULL));
    f0t_status status = run_pass(in, source, &p);
    f0t_gather_clear(&p.gather);
    return status;
}

/* The first line of word2vec's forms promises how many words there are. */
static f0t_status describe_head(f0t_inspector *in, const f0t_vectors_layout *layout)
{
    const char *form = f0t_vectors_form_name(layout->form);
    F0T_TRY(
        f0t_inspector_kind(in, "vectors", "word vectors, %s, %zu dimensions", form, layout->dim));
    F0T_TRY(f0t_inspector_fact(in, "form", "%s", form));
    if (layout->form != F0T_FORM_TEXT)
        F0T_TRY(f0t_inspector_count(in, "promised", layout->rows));
    return f0t_inspector_count(in, "dimensions", layout->dim);
}

static f0t_status describe(f0t_inspector *in)
{
    f0t_stream *stream;
    f0t_source *source;
    F0T_TRY(f0t_inspector_stream(&stream, in));
    f0t_status status = f0t_source_open(&source, stream, NULL, 0, true);
    if (status == F0T_OK)
        status =
            in->quick ? describe_head(in, f0t_source_layout(source)) : describe_all(in, source);
    f0t_source_close(source);
    f0t_stream_close(stream);
    return status;
}

const f0t_inspect_kind f0t_inspect_vectors = {matches, describe};

/* ---- Our own form ------------------------------------------------------------------------- */

static f0t_status show_words(f0t_inspector *in, const f0t_vectors *v)
{
    float values[F0T_INSPECT_SHOWN];
    size_t count = f0t_vectors_count(v), dim = f0t_vectors_dim(v), length;
    size_t shown = dim < F0T_INSPECT_SHOWN ? dim : F0T_INSPECT_SHOWN;
    for (size_t i = 0; i < count && i < in->rows; i++) {
        const char *word = f0t_vectors_word(&length, v, i);
        if (!word)
            return f0t_fail(F0T_ERROR_FORMAT, "%s: word %zu is damaged", in->result.path, i);
        f0t_dtype_to_f32(values, v->data + i * dim * f0t_dtype_size(v->dtype), v->dtype, shown);
        F0T_TRY(f0t_inspector_row(in, word, length, values, dim));
    }
    return F0T_OK;
}

f0t_status f0t_inspect_own_vectors(f0t_inspector *in)
{
    f0t_vectors *v;
    F0T_TRY(f0t_vectors_open_memory(&v, in->map.data, in->map.size, in->result.path, NULL, NULL));
    f0t_status status = f0t_inspector_kind(in, "vectors", "word vectors, %s, %zu words x %zu %s",
                                           f0t_vectors_format(v), f0t_vectors_count(v),
                                           f0t_vectors_dim(v), f0t_vectors_dtype(v));
    if (status == F0T_OK)
        status = show_words(in, v);
    f0t_vectors_close(v);
    return status;
}
