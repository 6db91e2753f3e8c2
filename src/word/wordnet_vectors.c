/* From WordNet to word vectors: docs/wordnet.md. */
#include "word/wordnet_vectors.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "io/vectors.h"
#include "io/vectors_rows.h"
#include "math/sparse.h"

#include <math.h>
#include <string.h>

/* ---- The recipe ------------------------------------------------------------------------------ */

/* docs/wordnet.md says how the numbers were found. */
const f0t_wordnet_recipe f0t_wordnet_recipe_default = {
    .graph =
        {
            .relation = {[F0T_RELATION_UP] = 1,
                         [F0T_RELATION_DOWN] = 1,
                         [F0T_RELATION_WHOLE] = 0.15,
                         [F0T_RELATION_PART] = 0.3,
                         [F0T_RELATION_SIMILAR] = 1,
                         [F0T_RELATION_DERIVED] = 1.2,
                         [F0T_RELATION_PERTAINS] = 2,
                         [F0T_RELATION_VERB_OF] = 0.5,
                         [F0T_RELATION_TOPIC] = 0.3,
                         [F0T_RELATION_TERM] = 0.1,
                         [F0T_RELATION_SEE_ALSO] = 0.4,
                         [F0T_RELATION_GROUP] = 0.6,
                         [F0T_RELATION_ATTRIBUTE] = 0.4,
                         [F0T_RELATION_ENTAILS] = 0.3},
            .definition = 1,
            .example = 0.1,
            .lemma = 0.7,
            .sense = 1,
            .in_definition = 0.6,
            .in_example = 0.1,
            .rarity = 1,
            .count_more = 0.5,
            .count_power = 1,
            .rank_power = 0.5,
        },
    .walk = {.stop = 0.3, .steps = 6, .least = 5e-4, .shift = 3},
    .spectrum = 0.5,
    .rounds = 2,
};

/* ---- The space ------------------------------------------------------------------------------- */

enum { OVERSAMPLING = 20, SEED = 2016 };

/* Common lemmas, those that tagged texts or definitions use, decide what the dimensions are. Rare ones
 * (two thirds: species, chemicals, persons) have a vector too, but no say. */
typedef struct common {
    uint32_t *lemmas; /* [count] */
    size_t count;
    bool *used; /* [all lemmas] */
} common;

static f0t_status find_common(common *c, const f0t_wordnet *w, const f0t_mentions *mentions)
{
    size_t all = w->lemmas.view.count;
    F0T_TRY(f0t_alloc(&c->lemmas, all, sizeof *c->lemmas));
    F0T_TRY(f0t_alloc_zero(&c->used, all, sizeof *c->used));
    for (size_t i = 0; i < w->sense_count; i++)
        c->used[w->senses[i].lemma] |= w->senses[i].count > 0;
    for (size_t i = 0; i < mentions->count; i++)
        c->used[mentions->items[i].lemma] |= !mentions->items[i].example;
    for (size_t i = 0; i < all; i++)
        if (c->used[i])
            c->lemmas[c->count++] = (uint32_t)i;
    for (size_t i = 0; c->count == 0 && i < all; i++)
        c->lemmas[i] = (uint32_t)i;
    c->count = c->count ? c->count : all;
    return F0T_OK;
}

/* The right singular vectors, each times its value to a power less than 1: a row times this is the
 * row's part of U times the value to the power. */
static f0t_status find_map(f0t_wordnet_space *space, const f0t_sparse *rows,
                           const f0t_wordnet_recipe *recipe, const f0t_monitor *monitor)
{
    size_t d = space->dim;
    f0t_svd_options options = {OVERSAMPLING, recipe->rounds, SEED, monitor};
    float *s;
    F0T_TRY(f0t_alloc(&s, d, sizeof *s));
    f0t_status status = f0t_alloc(&space->map, rows->cols, d * sizeof *space->map);
    if (status == F0T_OK)
        status = f0t_sparse_svd(space->map, s, rows, d, &options);
    for (size_t i = 0; status == F0T_OK && i < d; i++)
        s[i] = s[i] > 0 ? (float)pow((double)s[i], recipe->spectrum - 1) : 0;
    for (size_t i = 0; status == F0T_OK && i < rows->cols * d; i++)
        space->map[i] *= s[i % d];
    f0t_free(s);
    return status;
}

static f0t_status find_dimensions(f0t_wordnet_space *space, common *c, const f0t_wordnet *wordnet,
                                  const f0t_wordnet_recipe *recipe, const f0t_monitor *monitor)
{
    f0t_sparse rows;
    F0T_TRY(find_common(c, wordnet, &space->mentions));
    f0t_log(monitor, F0T_LOG_INFO, "%zu words, %zu meanings; walks from %zu common words",
            wordnet->lemmas.view.count, wordnet->synset_count, c->count);
    F0T_TRY(f0t_wordnet_walk_rows(&rows, &space->walk, c->lemmas, c->count));
    f0t_status status = find_map(space, &rows, recipe, monitor);
    f0t_sparse_clear(&rows);
    return status;
}

f0t_status f0t_wordnet_space_find(f0t_wordnet_space *out, const f0t_wordnet *wordnet, size_t dim,
                                  const f0t_wordnet_recipe *recipe, const f0t_monitor *monitor)
{
    common c = {0};
    memset(out, 0, sizeof *out);
    out->dim = dim;
    F0T_TRY(f0t_mentions_find(&out->mentions, wordnet));
    F0T_TRY(f0t_wordnet_graph_build(&out->graph, wordnet, &out->mentions, &recipe->graph));
    F0T_TRY(f0t_wordnet_walk_init(&out->walk, &out->graph, &recipe->walk));
    f0t_status status = find_dimensions(out, &c, wordnet, recipe, monitor);
    f0t_free(c.lemmas);
    f0t_free(c.used);
    return status;
}

void f0t_wordnet_space_clear(f0t_wordnet_space *space)
{
    f0t_mentions_clear(&space->mentions);
    f0t_wordnet_graph_clear(&space->graph);
    f0t_wordnet_walk_clear(&space->walk);
    f0t_free(space->map);
    memset(space, 0, sizeof *space);
}

static void set_length_1(float *row, size_t n)
{
    double square = 0;
    for (size_t i = 0; i < n; i++)
        square += (double)row[i] * (double)row[i];
    for (size_t i = 0; square > 0 && i < n; i++)
        row[i] = (float)((double)row[i] / sqrt(square));
}

f0t_status f0t_wordnet_space_get(float *out, const f0t_wordnet_space *space, size_t first,
                                 size_t count)
{
    f0t_sparse rows = {0};
    uint32_t *lemmas;
    F0T_TRY(f0t_alloc(&lemmas, count, sizeof *lemmas));
    for (size_t i = 0; i < count; i++)
        lemmas[i] = (uint32_t)(first + i);
    f0t_status status = f0t_wordnet_walk_rows(&rows, &space->walk, lemmas, count);
    f0t_free(lemmas);
    F0T_TRY(status);
    f0t_sparse_multiply(out, &rows, space->map, space->dim);
    for (size_t i = 0; i < count; i++)
        set_length_1(out + i * space->dim, space->dim);
    f0t_sparse_clear(&rows);
    return F0T_OK;
}

/* ---- The vector file ------------------------------------------------------------------------- */

enum { DIM = 300, DIM_MOST = 4096, BATCH = 4096 };

/* One build under way. */
typedef struct build {
    const char *to;
    f0t_wordnet_options options;
    f0t_wordnet_folder folder;
    f0t_wordnet wordnet;
    f0t_wordnet_space space;
    f0t_gather gather;
    f0t_vectors_writer writer;
    f0t_word_rows rows;
    float *mean; /* [dim] */
    f0t_vectors_rest rest;
} build;

static f0t_status put_batch(build *b, size_t first, size_t count)
{
    const f0t_words *lemmas = &b->wordnet.lemmas.view;
    F0T_TRY(f0t_word_rows_reset(&b->rows, b->options.dim, count));
    F0T_TRY(f0t_wordnet_space_get(b->rows.values, &b->space, first, count));
    for (size_t i = first; i < first + count; i++) {
        size_t length;
        const char *word = f0t_words_at(&length, lemmas, i);
        f0t_word_rows_add(&b->rows, word, length);
    }
    return f0t_gather_take(&b->gather, &b->rows);
}

static f0t_status put_all(build *b)
{
    size_t total = b->wordnet.lemmas.view.count;
    f0t_stage stage = f0t_stage_begin(f0t_context_monitor(NULL), "vectors", "words", total);
    for (size_t first = 0; first < total; first += BATCH) {
        F0T_TRY(f0t_stage_update(&stage, first));
        F0T_TRY(put_batch(b, first, total - first < BATCH ? total - first : BATCH));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

static f0t_status write_vectors(build *b)
{
    size_t dim = b->options.dim;
    F0T_TRY(f0t_gather_init(&b->gather, dim, NULL, f0t_vectors_writer_put, &b->writer));
    F0T_TRY(f0t_alloc(&b->mean, dim, sizeof *b->mean));
    F0T_TRY(f0t_vectors_writer_open(&b->writer, b->to, dim, b->options.f16, NULL));
    F0T_TRY(put_all(b));
    F0T_TRY(f0t_gather_finish(b->mean, &b->gather, b->options.from));
    b->rest = (f0t_vectors_rest){.words = &b->gather.kept.view,
                                 .mean = b->mean,
                                 .fingerprint = b->gather.fingerprint,
                                 .source = "WordNet",
                                 .counts = b->gather.counts};
    return F0T_OK;
}

static f0t_status run(build *b)
{
    F0T_TRY(f0t_wordnet_folder_open(&b->folder, b->options.from));
    F0T_TRY(f0t_wordnet_folder_read(&b->wordnet, &b->folder));
    F0T_TRY(f0t_wordnet_space_find(&b->space, &b->wordnet, b->options.dim,
                                   &f0t_wordnet_recipe_default, f0t_context_monitor(NULL)));
    F0T_TRY(write_vectors(b));
    return f0t_wordnet_folder_check(&b->folder);
}

f0t_status f0t_vectors_build_wordnet(f0t_vectors_counts *counts, const char *to,
                                     const f0t_wordnet_options *options, const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(to);
    F0T_READ_OPTIONS(f0t_wordnet_options, F0T_WORDNET_OPTIONS, options);
    build b = {.to = to, .options = *options};
    b.options.from = b.options.from ? b.options.from : F0T_WORDNET_FOLDER;
    b.options.dim = b.options.dim ? b.options.dim : DIM;
    if (b.options.dim > DIM_MOST)
        return f0t_fail(F0T_ERROR_ARGUMENT, "vectors of %zu numbers: at most %d", b.options.dim,
                        DIM_MOST);
    f0t_status status = run(&b);
    if (b.writer.file)
        status = f0t_vectors_writer_finish(&b.writer, &b.rest, status);
    if (counts)
        *counts = b.rest.counts;
    f0t_word_rows_clear(&b.rows);
    f0t_gather_clear(&b.gather);
    f0t_free(b.mean);
    f0t_wordnet_space_clear(&b.space);
    f0t_wordnet_clear(&b.wordnet);
    f0t_wordnet_folder_close(&b.folder);
    return status;
}
