/* Word vectors of several files in one: each word's vector is what every file has for it, side by side, or, of files
 * that are of one space already, what the first file that has it says. */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/monitor.h"
#include "io/text.h"
#include "io/vectors.h"
#include "io/vectors_rows.h"
#include "word/batch.h"
#include "word/lookup.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCE_MOST = 1024 };

/* One of the files that are joined. */
typedef struct parent {
    f0t_vectors *vectors;
    double weight;
    /* words of the result that got their block by this spelling, by another one or another form, by the
     * mean of their parts, or not at all */
    uint64_t exact, other, parts, none;
} parent;

/* A word that waits for its vector; the text is a file's. */
typedef struct waiting {
    const char *word;
    size_t length;
} waiting;

/* One join under way. */
typedef struct joining {
    const char *to;
    const char *const *from; /* [count] */
    const f0t_join_options *options;
    size_t count, dim;
    parent parents[F0T_JOIN_MOST];
    f0t_forms wanted; /* the only words that are kept, where tags are given */
    f0t_names words;  /* of the result, so far */
    waiting batch[F0T_BATCH];
    size_t held;            /* of the batch */
    float *values;          /* [F0T_BATCH x dim] */
    unsigned char *matches; /* [F0T_BATCH x count]: f0t_match of each block */
    f0t_vectors_writer writer;
    f0t_vectors_rest rest;
    float *mean; /* [dim] */
    char source[SOURCE_MOST];
} joining;

/* ---- The vector of a word --------------------------------------------------------------------- */

/* The blocks of one word, each of length 1 or all zero, into to[dim]. */
static f0t_status find_blocks(float *to, unsigned char *matches, const joining *j, waiting word)
{
    for (size_t i = 0; i < j->count; i++) {
        const f0t_lookup lookup = {j->parents[i].vectors, true};
        size_t dim = f0t_vectors_dim(lookup.vectors);
        f0t_found found;
        F0T_TRY(f0t_lookup_tag(&found, to, &lookup, word.word, word.length));
        f0t_free(found.used);
        f0t_free(found.missing);
        matches[i] = (unsigned char)found.match;
        if (found.match == F0T_MATCH_NONE)
            memset(to, 0, dim * sizeof *to);
        to += dim;
    }
    return F0T_OK;
}

/* The vector of the first file that has the word, of length 1 or all zero, into to[dim]. */
static f0t_status find_aligned(float *to, unsigned char *matches, const joining *j, waiting word)
{
    bool done = false;
    memset(to, 0, j->dim * sizeof *to);
    for (size_t i = 0; i < j->count; i++) {
        const f0t_lookup lookup = {j->parents[i].vectors, true};
        f0t_found found;
        matches[i] = F0T_MATCH_NONE;
        if (done || f0t_vectors_find(lookup.vectors, word.word, word.length) == F0T_NONE)
            continue;
        F0T_TRY(f0t_lookup_tag(&found, to, &lookup, word.word, word.length));
        f0t_free(found.used);
        f0t_free(found.missing);
        matches[i] = (unsigned char)found.match;
        done = found.match != F0T_MATCH_NONE;
    }
    return F0T_OK;
}

/* Weights the blocks and brings the whole to length 1. Each block that is there has length 1, so that the
 * weights alone say how; they are taken over the largest of them, whose square cannot overflow. */
static void weight_blocks(float *to, const unsigned char *matches, const joining *j)
{
    double most = 0, square = 0, weights[F0T_JOIN_MOST];
    for (size_t i = 0; i < j->count; i++) {
        weights[i] = matches[i] == F0T_MATCH_NONE ? 0 : j->parents[i].weight;
        most = fmax(most, weights[i]);
    }
    for (size_t i = 0; i < j->count && most > 0; i++)
        square += weights[i] / most * (weights[i] / most);
    for (size_t i = 0; i < j->count && most > 0; i++) {
        size_t dim = f0t_vectors_dim(j->parents[i].vectors);
        double scale = weights[i] / most / sqrt(square);
        for (size_t k = 0; k < dim; k++)
            to[k] = (float)((double)to[k] * scale);
        to += dim;
    }
}

static f0t_status join_piece(void *user, size_t first, size_t end)
{
    joining *j = user;
    for (size_t i = first; i < end; i++) {
        float *to = j->values + i * j->dim;
        unsigned char *matches = j->matches + i * j->count;
        if (j->options->aligned) {
            F0T_TRY(find_aligned(to, matches, j, j->batch[i]));
            continue;
        }
        F0T_TRY(find_blocks(to, matches, j, j->batch[i]));
        weight_blocks(to, matches, j);
    }
    return F0T_OK;
}

static void count_matches(joining *j, const unsigned char *matches)
{
    size_t missing = 0;
    for (size_t i = 0; i < j->count; i++) {
        parent *p = &j->parents[i];
        p->exact += matches[i] == F0T_MATCH_EXACT;
        p->parts += matches[i] == F0T_MATCH_PARTS;
        p->none += matches[i] == F0T_MATCH_NONE;
        p->other += matches[i] != F0T_MATCH_EXACT && matches[i] != F0T_MATCH_PARTS &&
                    matches[i] != F0T_MATCH_NONE;
        missing += matches[i] == F0T_MATCH_NONE;
    }
    j->rest.counts.zero += missing == j->count;
}

/* Writes the words that wait. */
static f0t_status write_batch(joining *j)
{
    F0T_TRY(f0t_batch_run(j, j->held, join_piece));
    for (size_t i = 0; i < j->held; i++)
        count_matches(j, j->matches + i * j->count);
    F0T_TRY(f0t_vectors_writer_put(&j->writer, j->values, j->held));
    j->held = 0;
    return F0T_OK;
}

/* ---- The words -------------------------------------------------------------------------------- */

/* Whether the word is new to the result; counts it in any case. */
static f0t_status take_word(bool *taken, joining *j, const char *word, size_t length)
{
    f0t_vectors_counts *counts = &j->rest.counts;
    uint32_t index;
    *taken = false;
    counts->rows++;
    counts->empty += length == 0;
    counts->invalid += length > F0T_TAG_MOST;
    if (length == 0 || length > F0T_TAG_MOST ||
        (j->options->tags && f0t_words_find(&j->wanted.list.view, word, length) == F0T_NONE))
        return F0T_OK;
    F0T_TRY(f0t_names_add(&index, taken, &j->words, word, length));
    counts->words += *taken;
    counts->duplicates += !*taken;
    return F0T_OK;
}

static f0t_status join_words_of(joining *j, size_t file, f0t_stage *stage)
{
    const f0t_vectors *v = j->parents[file].vectors;
    for (size_t i = 0; i < f0t_vectors_count(v); i++) {
        size_t length;
        bool taken;
        const char *word = f0t_vectors_word(&length, v, i);
        if (!word)
            return f0t_fail(F0T_ERROR_FORMAT, "%s: word %zu is damaged", j->from[file], i + 1);
        F0T_TRY(take_word(&taken, j, word, length));
        if (taken)
            j->batch[j->held++] = (waiting){word, length};
        if (j->held == F0T_BATCH)
            F0T_TRY(write_batch(j));
        if (i % F0T_BATCH == 0)
            F0T_TRY(f0t_stage_update(stage, j->rest.counts.rows));
    }
    return f0t_vectors_whole(v);
}

static f0t_status join_words(joining *j)
{
    uint64_t total = 0;
    for (size_t i = 0; i < j->count; i++)
        total += f0t_vectors_count(j->parents[i].vectors);
    f0t_stage stage = f0t_stage_begin(f0t_context_monitor(NULL), "joining", "words", total);
    for (size_t i = 0; i < j->count; i++)
        F0T_TRY(join_words_of(j, i, &stage));
    F0T_TRY(write_batch(j));
    f0t_stage_end(&stage);
    if (j->rest.counts.words == 0)
        return f0t_fail(F0T_ERROR_FORMAT, "none of the files has one of the words");
    return F0T_OK;
}

/* ---- What the file says of its parents -------------------------------------------------------- */

/* Names of files need not be UTF-8, and those that files give may be of any length. */
static const char *source_of(const joining *j, size_t i)
{
    const char *source = f0t_vectors_source(j->parents[i].vectors);
    size_t length = strlen(source);
    return length < SOURCE_MOST && f0t_text_is_word(source, length) ? source : "?";
}

/* "glove.txt + 0.7 WordNet" */
static void describe_source(joining *j)
{
    size_t n = 0;
    for (size_t i = 0; i < j->count && n < sizeof j->source; i++) {
        char weight[32] = "";
        if (j->parents[i].weight < 1 || j->parents[i].weight > 1)
            snprintf(weight, sizeof weight, "%.9g ", j->parents[i].weight);
        n += (size_t)snprintf(j->source + n, sizeof j->source - n, "%s%s%s", i ? " + " : "", weight,
                              source_of(j, i));
    }
    if (n >= sizeof j->source)
        snprintf(j->source, sizeof j->source, "%zu files", j->count);
}

/* The same for programs, as JSON; *text is jansson's. */
static f0t_status list_parents(char **text, const joining *j)
{
    json_t *all = json_array();
    for (size_t i = 0; i < j->count; i++) {
        const f0t_vectors *v = j->parents[i].vectors;
        char space[17];
        snprintf(space, sizeof space, "%016" PRIx64, f0t_vectors_fingerprint(v));
        json_array_append_new(all, json_pack("{s:s, s:s, s:f, s:I}", "source", source_of(j, i),
                                             "fingerprint", space, "weight", j->parents[i].weight,
                                             "dim", (json_int_t)f0t_vectors_dim(v)));
    }
    bool whole = json_array_size(all) == j->count;
    *text = whole ? json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(all);
    return *text ? F0T_OK : f0t_fail(F0T_ERROR_MEMORY, "%s: no memory for its header", j->to);
}

/* Of the spaces that were joined, their weights over the largest of them, and their order. */
static uint64_t find_fingerprint(const joining *j)
{
    const uint64_t key = j->options->aligned ? UINT64_C(0x6E67696C61) /* "align" */
                                             : UINT64_C(0x6E696F6A);  /* "join" */
    uint64_t parts[2 * F0T_JOIN_MOST] = {0};
    double most = 0;
    for (size_t i = 0; i < j->count; i++)
        most = fmax(most, j->parents[i].weight);
    for (size_t i = 0; i < j->count; i++) {
        float weight = (float)(j->parents[i].weight / most);
        parts[2 * i] = f0t_vectors_fingerprint(j->parents[i].vectors);
        memcpy(&parts[2 * i + 1], &weight, sizeof weight);
    }
    return f0t_siphash(parts, 2 * j->count * sizeof *parts, key, j->count);
}

/* Of aligned files: a word that two languages have means what the first says. */
static void log_aligned(const joining *j)
{
    for (size_t i = 0; i < j->count; i++)
        f0t_log(
            f0t_context_monitor(NULL), F0T_LOG_INFO, "%s: %llu words", j->from[i],
            (unsigned long long)(j->parents[i].exact + j->parents[i].other + j->parents[i].parts));
    if (j->rest.counts.duplicates)
        f0t_log(f0t_context_monitor(NULL), F0T_LOG_INFO,
                "%llu words are in several files, and mean what the first of them says",
                (unsigned long long)j->rest.counts.duplicates);
}

static void log_parents(const joining *j)
{
    if (j->options->aligned) {
        log_aligned(j);
        return;
    }
    for (size_t i = 0; i < j->count; i++) {
        const parent *p = &j->parents[i];
        f0t_log(f0t_context_monitor(NULL), F0T_LOG_INFO,
                "%s: %llu words as they are, %llu by another spelling or form, %llu by the words "
                "of a phrase, %llu not at all",
                j->from[i], (unsigned long long)p->exact, (unsigned long long)p->other,
                (unsigned long long)p->parts, (unsigned long long)p->none);
    }
}

/* ---- The join --------------------------------------------------------------------------------- */

static f0t_status set_weights(joining *j)
{
    for (size_t i = 0; i < j->count; i++) {
        double weight = j->options->weights ? j->options->weights[i] : 1;
        if (!isfinite(weight) || weight <= 0)
            return f0t_fail(F0T_ERROR_ARGUMENT, "weight %zu is %g: give a number above 0", i + 1,
                            weight);
        j->parents[i].weight = weight;
    }
    return F0T_OK;
}

static f0t_status check_mean(const f0t_vectors *v, const char *path)
{
    for (size_t i = 0; i < f0t_vectors_dim(v); i++)
        if (!isfinite(f0t_vectors_mean(v)[i]))
            return f0t_fail(F0T_ERROR_FORMAT, "%s: its mean is not finite", path);
    return F0T_OK;
}

static f0t_status add_dim(joining *j, size_t i)
{
    const size_t dim = f0t_vectors_dim(j->parents[i].vectors);
    if (!j->options->aligned || !i)
        j->dim += dim;
    else if (dim != j->dim)
        return f0t_fail(F0T_ERROR_MISMATCH,
                        "%s has vectors of %zu dimensions, %s of %zu: aligned files have as many",
                        j->from[i], dim, j->from[0], j->dim);
    return F0T_OK;
}

static f0t_status open_parents(joining *j)
{
    const f0t_vectors_options how = {.size = sizeof how, .tolerant = j->options->tolerant};
    for (size_t i = 0; i < j->count; i++) {
        F0T_TRY(f0t_vectors_open(&j->parents[i].vectors, j->from[i], &how, NULL));
        F0T_TRY(check_mean(j->parents[i].vectors, j->from[i]));
        F0T_TRY(add_dim(j, i));
    }
    if (j->dim > F0T_VECTORS_DIM_MOST)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "vectors of %zu dimensions in all; %d is the most",
                        j->dim, F0T_VECTORS_DIM_MOST);
    return F0T_OK;
}

static f0t_status open_writer(joining *j)
{
    char *parents;
    F0T_TRY(list_parents(&parents, j));
    f0t_status status =
        f0t_vectors_writer_open(&j->writer, j->to, j->dim, j->options->f16, parents);
    free(parents);
    return status;
}

static f0t_status run(joining *j)
{
    F0T_TRY(set_weights(j));
    F0T_TRY(f0t_lookup_want(&j->wanted, j->options->tags, j->options->tag_count));
    F0T_TRY(open_parents(j));
    F0T_TRY(f0t_alloc(&j->values, F0T_BATCH, j->dim * sizeof *j->values));
    F0T_TRY(f0t_alloc(&j->matches, F0T_BATCH, j->count));
    F0T_TRY(f0t_alloc_zero(&j->mean, j->dim, sizeof *j->mean));
    F0T_TRY(open_writer(j));
    F0T_TRY(join_words(j));
    describe_source(j);
    log_parents(j);
    j->rest.words = &j->words.view;
    j->rest.mean = j->mean; /* zero: the blocks are centred, and centring again changes nothing */
    j->rest.fingerprint = find_fingerprint(j);
    j->rest.source = j->source;
    return F0T_OK;
}

static void clear(joining *j)
{
    for (size_t i = 0; i < j->count; i++)
        f0t_vectors_close(j->parents[i].vectors);
    f0t_forms_clear(&j->wanted);
    f0t_names_free(&j->words);
    f0t_free(j->values);
    f0t_free(j->matches);
    f0t_free(j->mean);
    f0t_free(j);
}

f0t_status f0t_vectors_join(f0t_vectors_counts *counts, const char *to, const char *const *from,
                            size_t from_count, const f0t_join_options *options,
                            const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(to);
    F0T_TRY(f0t_require_all(__func__, "from", from, from_count));
    F0T_READ_OPTIONS(f0t_join_options, F0T_JOIN_OPTIONS, options);
    F0T_TRY(f0t_require_all(__func__, "tags", options->tags, options->tag_count));
    if (from_count < 2 || from_count > F0T_JOIN_MOST)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%zu files to join: give 2 to %d", from_count,
                        F0T_JOIN_MOST);
    if (options->aligned && options->weights)
        return f0t_fail(F0T_ERROR_ARGUMENT, "aligned files have no weights: each word is of one");
    joining *j;
    F0T_TRY(f0t_alloc_zero(&j, 1, sizeof *j));
    j->to = to;
    j->from = from;
    j->options = options;
    j->count = from_count;
    f0t_names_init_stored(&j->words);
    f0t_status status = run(j);
    if (j->writer.file)
        status = f0t_vectors_writer_finish(&j->writer, &j->rest, status);
    if (counts)
        *counts = j->rest.counts;
    clear(j);
    return status;
}
