/* Word vectors for another language: each word gets those of its English meanings. */
#include "base/alloc.h"
#include "base/monitor.h"
#include "io/text.h"
#include "io/vectors.h"
#include "io/vectors_rows.h"
#include "word/batch.h"
#include "word/dictionary.h"
#include "word/lookup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LENGTH_ROWS = 10000, NAMED_MOST = 5, MEANINGS_MOST = 64 };

/* Below this mean cosine of its meanings with their sum a word is called ambiguous. */
static const double APART = 0.6;

/* One translation of a file under way. */
typedef struct translating {
    const char *to, *from;
    const f0t_translate_options *options;
    f0t_vectors *vectors;
    f0t_dictionary *dictionary;
    size_t dim;
    double length;    /* of a centred vector of the file, in the mean */
    f0t_forms wanted; /* the only words that are kept, where tags are given */
    f0t_names words;  /* of the result, so far */
    struct waiting {
        size_t word; /* of the dictionary */
        bool found, ambiguous;
    } batch[F0T_BATCH];
    size_t held;
    float *values; /* [F0T_BATCH x dim] */
    f0t_vectors_writer writer;
    f0t_vectors_rest rest;
    char source[512];
    uint64_t ambiguous, translated;
    char named[512]; /* some of the ambiguous */
} translating;

/* ---- Meanings ------------------------------------------------------------------------------------ */

static double dot(const float *a, const float *b, size_t dim)
{
    double sum = 0;
    for (size_t i = 0; i < dim; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* To length 1; false where it is zero. */
static bool set_length_1(float *v, size_t dim)
{
    double length = sqrt(dot(v, v, dim));
    if (!(length > 1e-6))
        return false;
    for (size_t i = 0; i < dim; i++)
        v[i] = (float)((double)v[i] / length);
    return true;
}

static void add(float *to, const float *v, double weight, size_t dim)
{
    for (size_t i = 0; i < dim; i++)
        to[i] = (float)((double)to[i] + weight * (double)v[i]);
}

/* The mean of what is found of a meaning's translations into to[dim], of length 1; `one` is memory for a vector. */
static f0t_status find_meaning(float *to, bool *found, float *one, const translating *t,
                               size_t word, size_t meaning)
{
    const f0t_lookup lookup = {t->vectors, true};
    f0t_texts texts = {0};
    f0t_status status = f0t_dictionary_translations(&texts, t->dictionary, word, meaning);
    memset(to, 0, t->dim * sizeof *to);
    for (size_t i = 0; i < texts.count && status == F0T_OK; i++) {
        f0t_found what;
        status = f0t_lookup_tag(&what, one, &lookup, f0t_texts_get(&texts, i),
                                f0t_texts_length(&texts, i));
        if (status != F0T_OK)
            break;
        f0t_free(what.used);
        f0t_free(what.missing);
        if (what.match != F0T_MATCH_NONE)
            add(to, one, 1, t->dim);
    }
    f0t_texts_free(&texts);
    *found = status == F0T_OK && set_length_1(to, t->dim);
    return status;
}

/* The sum of meanings[count x dim], each weighted by its nearness to all of them; *apart says whether they
 * point to different places. False where there is none. */
static bool weigh_meanings(float *to, bool *apart, const float *meanings, size_t count, size_t dim)
{
    double agreement = 0;
    memset(to, 0, dim * sizeof *to);
    for (size_t i = 0; i < count; i++) {
        double weight = 0;
        for (size_t k = 0; k < count; k++)
            weight += fmax(0, dot(meanings + i * dim, meanings + k * dim, dim));
        add(to, meanings + i * dim, weight, dim);
    }
    if (!set_length_1(to, dim))
        return false;
    for (size_t i = 0; i < count; i++)
        agreement += dot(to, meanings + i * dim, dim) / (double)count;
    *apart = agreement < APART;
    return true;
}

/* A word's vector, of the length of the file's. */
static f0t_status translate_word(float *to, struct waiting *waiting, float *memory,
                                 const translating *t)
{
    size_t all = f0t_dictionary_meanings(t->dictionary, waiting->word), count = 0;
    float *one = memory + MEANINGS_MOST * t->dim;
    const float *mean = f0t_vectors_mean(t->vectors);
    for (size_t m = 0; m < all && count < MEANINGS_MOST; m++) {
        bool found;
        F0T_TRY(find_meaning(memory + count * t->dim, &found, one, t, waiting->word, m));
        count += found;
    }
    waiting->found = weigh_meanings(to, &waiting->ambiguous, memory, count, t->dim);
    for (size_t i = 0; i < t->dim; i++)
        to[i] = (float)(t->length * (double)to[i] + (double)mean[i]);
    return F0T_OK;
}

static f0t_status translate_piece(void *user, size_t first, size_t end)
{
    translating *t = user;
    float *memory;
    f0t_status status = F0T_OK;
    F0T_TRY(f0t_alloc(&memory, MEANINGS_MOST + 1, t->dim * sizeof *memory));
    for (size_t i = first; i < end && status == F0T_OK; i++)
        status = translate_word(t->values + i * t->dim, &t->batch[i], memory, t);
    f0t_free(memory);
    return status;
}

/* ---- The words ------------------------------------------------------------------------------------- */

static bool is_wanted(const translating *t, const char *word, size_t length)
{
    return !t->options->tags || f0t_words_find(&t->wanted.list.view, word, length) != F0T_NONE;
}

static void name_ambiguous(translating *t, const char *word)
{
    size_t n = strlen(t->named);
    if (++t->ambiguous <= NAMED_MOST && n + strlen(word) + 3 < sizeof t->named)
        snprintf(t->named + n, sizeof t->named - n, "%s%s", n ? ", " : "", word);
}

/* The words of the batch that have a meaning. */
static f0t_status write_batch(translating *t)
{
    F0T_TRY(f0t_batch_run(t, t->held, translate_piece));
    for (size_t i = 0; i < t->held; i++) {
        const char *word = f0t_dictionary_word(t->dictionary, t->batch[i].word);
        if (!t->batch[i].found)
            continue;
        F0T_TRY(f0t_names_add(&(uint32_t){0}, NULL, &t->words, word, strlen(word)));
        F0T_TRY(f0t_vectors_writer_put(&t->writer, t->values + i * t->dim, 1));
        t->translated++;
        if (t->batch[i].ambiguous)
            name_ambiguous(t, word);
    }
    t->held = 0;
    return F0T_OK;
}

static f0t_status translate_words(translating *t)
{
    size_t count = f0t_dictionary_count(t->dictionary);
    f0t_stage stage = f0t_stage_begin(f0t_context_monitor(NULL), "translating", "words", count);
    for (size_t w = 0; w < count; w++) {
        const char *word = f0t_dictionary_word(t->dictionary, w);
        if (is_wanted(t, word, strlen(word)))
            t->batch[t->held++] = (struct waiting){.word = w};
        if (t->held == F0T_BATCH)
            F0T_TRY(write_batch(t));
        if (w % F0T_BATCH == 0)
            F0T_TRY(f0t_stage_update(&stage, w));
    }
    F0T_TRY(write_batch(t));
    f0t_stage_end(&stage);
    t->rest.counts.rows += count;
    return F0T_OK;
}

/* What the dictionary does not have stays as it is. */
static f0t_status keep_words(translating *t)
{
    size_t count = f0t_vectors_count(t->vectors);
    f0t_stage stage = f0t_stage_begin(f0t_context_monitor(NULL), "keeping", "words", count);
    t->rest.counts.rows += count;
    for (size_t i = 0; i < count; i++) {
        size_t length;
        bool added;
        const char *word = f0t_vectors_word(&length, t->vectors, i);
        if (!word)
            F0T_TRY(f0t_vectors_whole(t->vectors));
        if (!word)
            return f0t_fail(F0T_ERROR_FORMAT, "%s: word %zu is damaged", t->from, i + 1);
        if (!is_wanted(t, word, length))
            continue;
        F0T_TRY(f0t_names_add(&(uint32_t){0}, &added, &t->words, word, length));
        t->rest.counts.duplicates += !added;
        if (added)
            F0T_TRY(
                f0t_vectors_writer_put(&t->writer, f0t_vectors_row(t->vectors, i, t->values), 1));
        if (i % F0T_BATCH == 0)
            F0T_TRY(f0t_stage_update(&stage, i));
    }
    f0t_stage_end(&stage);
    return f0t_vectors_whole(t->vectors);
}

/* ---- The file ---------------------------------------------------------------------------------------- */

static f0t_status measure_length(translating *t)
{
    size_t count = f0t_vectors_count(t->vectors);
    double sum = 0;
    count = count < LENGTH_ROWS ? count : LENGTH_ROWS;
    for (size_t i = 0; i < count; i++) {
        const float *row = f0t_vectors_row(t->vectors, i, t->values), *mean;
        mean = f0t_vectors_mean(t->vectors);
        double square = 0;
        for (size_t k = 0; k < t->dim; k++)
            square += pow((double)row[k] - (double)mean[k], 2);
        sum += sqrt(square);
    }
    t->length = sum > 0 && isfinite(sum) ? sum / (double)count : 1;
    return f0t_vectors_whole(t->vectors);
}

/* "glove.txt by freedict-deu-eng"; names of files need not be UTF-8. */
static void describe_source(translating *t)
{
    const char *from = f0t_vectors_source(t->vectors), *by = f0t_dictionary_name(t->dictionary);
    int n = snprintf(t->source, sizeof t->source, "%s by %s", from, by);
    if (n < 0 || (size_t)n >= sizeof t->source || !f0t_text_is_word(t->source, (size_t)n))
        snprintf(t->source, sizeof t->source, "?");
}

static void tell(const translating *t)
{
    f0t_log(f0t_context_monitor(NULL), F0T_LOG_INFO,
            "%s: %llu of %zu words have a meaning among the vectors", t->rest.source,
            (unsigned long long)t->translated, f0t_dictionary_count(t->dictionary));
    if (t->ambiguous)
        f0t_log(f0t_context_monitor(NULL), F0T_LOG_INFO,
                "%llu words have meanings that lie apart, and a vector between them: %s%s",
                (unsigned long long)t->ambiguous, t->named, t->ambiguous > NAMED_MOST ? ", …" : "");
}

static f0t_status run(translating *t, const char *dictionary)
{
    const f0t_vectors_options how = {.size = sizeof how, .tolerant = t->options->tolerant};
    F0T_TRY(f0t_lookup_want(&t->wanted, t->options->tags, t->options->tag_count));
    F0T_TRY(f0t_dictionary_open(&t->dictionary, dictionary));
    F0T_TRY(f0t_vectors_open(&t->vectors, t->from, &how, NULL));
    t->dim = f0t_vectors_dim(t->vectors);
    F0T_TRY(f0t_alloc(&t->values, F0T_BATCH, t->dim * sizeof *t->values));
    F0T_TRY(measure_length(t));
    F0T_TRY(
        f0t_vectors_writer_open(&t->writer, t->to, t->dim, t->options->f16, t->vectors->parents));
    F0T_TRY(translate_words(t));
    if (!t->options->only)
        F0T_TRY(keep_words(t));
    if (f0t_names_count(&t->words) == 0)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: none of the words has a meaning in %s", dictionary,
                        t->from);
    describe_source(t);
    t->rest.counts.words = f0t_names_count(&t->words);
    t->rest.words = &t->words.view;
    t->rest.mean = f0t_vectors_mean(t->vectors);
    t->rest.fingerprint = f0t_vectors_fingerprint(t->vectors);
    t->rest.source = t->source;
    tell(t);
    return F0T_OK;
}

f0t_status f0t_vectors_translate(f0t_vectors_counts *counts, const char *to, const char *from,
                                 const char *dictionary, const f0t_translate_options *options,
                                 const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(to);
    F0T_REQUIRE(from);
    F0T_REQUIRE(dictionary);
    F0T_READ_OPTIONS(f0t_translate_options, F0T_TRANSLATE_OPTIONS, options);
    F0T_TRY(f0t_require_all(__func__, "tags", options->tags, options->tag_count));
    translating *t;
    F0T_TRY(f0t_alloc_zero(&t, 1, sizeof *t));
    t->to = to;
    t->from = from;
    t->options = options;
    f0t_names_init_stored(&t->words);
    f0t_status status = run(t, dictionary);
    if (t->writer.file)
        status = f0t_vectors_writer_finish(&t->writer, &t->rest, status);
    if (counts)
        *counts = t->rest.counts;
    f0t_vectors_close(t->vectors);
    f0t_dictionary_close(t->dictionary);
    f0t_forms_clear(&t->wanted);
    f0t_names_free(&t->words);
    f0t_free(t->values);
    f0t_free(t);
    return status;
}
