#include "base/alloc.h"
#include "base/monitor.h"
#include "math/svd.h"
#include "word/wordnet_vectors.h"

#include <math.h>
#include <string.h>

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

f0t_status f0t_wordnet_space_get(const f0t_wordnet_space *space, size_t first, size_t count,
                                 float *out)
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
