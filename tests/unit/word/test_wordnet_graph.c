/* The graph of a WordNet, and walks on it compared with dense sums. */
#include "tiny.h"
#include "word/wordnet_vectors.h"

#include <math.h>

typedef struct world {
    tiny t;
    f0t_mentions mentions;
    f0t_wordnet_graph graph;
} world;

static void world_open(world *w)
{
    tiny_open(&w->t);
    assert_ok(f0t_mentions_find(&w->mentions, &w->t.wordnet));
    assert_ok(f0t_wordnet_graph_build(&w->graph, &w->t.wordnet, &w->mentions,
                                      &f0t_wordnet_recipe_default.graph));
}

static void world_close(world *w)
{
    f0t_wordnet_graph_clear(&w->graph);
    f0t_mentions_clear(&w->mentions);
    tiny_close(&w->t);
}

static double chance(const f0t_wordnet_graph *g, size_t from, size_t to)
{
    for (size_t e = g->begin[from]; e < g->begin[from + 1]; e++)
        if (g->to[e] == to)
            return (double)g->p[e];
    return 0;
}

static void steps_from_a_node_are_sorted_and_sum_to_1(void **state)
{
    (void)state;
    world w;
    world_open(&w);
    const f0t_wordnet_graph *g = &w.graph;
    assert_int_equal(g->nodes, w.t.wordnet.synset_count + w.t.wordnet.lemmas.view.count);
    for (size_t i = 0; i < g->nodes; i++) {
        double sum = 0;
        for (size_t e = g->begin[i]; e < g->begin[i + 1]; e++) {
            assert_true(e == g->begin[i] || g->p[e] <= g->p[e - 1]);
            sum += (double)g->p[e];
        }
        assert_true(fabs(sum - 1) < 1e-5);
    }
    world_close(&w);
}

static void frequent_senses_are_likelier(void **state)
{
    (void)state;
    world w;
    world_open(&w);
    size_t trunk = tiny_lemma(&w.t, "trunk");
    const f0t_sense *senses = &w.t.wordnet.senses[w.t.wordnet.first[F0T_NOUN][trunk] - 1];
    size_t node = w.graph.synsets + trunk;
    assert_true(chance(&w.graph, node, senses[0].synset) >
                2 * chance(&w.graph, node, senses[1].synset));
    assert_true(chance(&w.graph, node, senses[1].synset) > 0);
    world_close(&w);
}

/* What the header of the walk says, with dense vectors. */
static void dense_row(double *row, const world *w, const f0t_wordnet_walk_options *o, size_t start)
{
    const f0t_wordnet_graph *g = &w->graph;
    double *x = test_malloc(g->nodes * sizeof *x), *next = test_malloc(g->nodes * sizeof *x);
    memset(x, 0, g->nodes * sizeof *x);
    memset(row, 0, g->synsets * sizeof *row);
    x[start] = 1;
    for (unsigned t = 0; t <= o->steps; t++) {
        memset(next, 0, g->nodes * sizeof *next);
        for (size_t i = 0; i < g->synsets; i++)
            row[i] += o->stop * pow(1 - o->stop, t) * x[i];
        for (size_t i = 0; i < g->nodes; i++)
            for (size_t j = 0; j < g->nodes; j++)
                next[j] += x[i] > 0 ? x[i] * chance(g, i, j) : 0;
        memcpy(x, next, g->nodes * sizeof *x);
    }
    test_free(x);
    test_free(next);
}

static void dense_rows(double *rows, const world *w, const f0t_wordnet_walk_options *o)
{
    size_t n = w->graph.synsets, lemmas = w->graph.nodes - n;
    for (size_t i = 0; i < lemmas; i++)
        dense_row(rows + i * n, w, o, n + i);
    for (size_t j = 0; j < n; j++) {
        double mean = 0;
        for (size_t i = 0; i < lemmas; i++)
            mean += rows[i * n + j] / (double)lemmas;
        for (size_t i = 0; i < lemmas; i++)
            rows[i * n + j] = log1p(rows[i * n + j] / (o->shift * mean));
    }
    for (size_t i = 0; i < lemmas; i++) {
        double square = 0;
        for (size_t j = 0; j < n; j++)
            square += rows[i * n + j] * rows[i * n + j];
        for (size_t j = 0; j < n; j++)
            rows[i * n + j] /= sqrt(square);
    }
}

static void rows_are_those_of_dense_walks(void **state)
{
    (void)state;
    world w;
    world_open(&w);
    size_t n = w.graph.synsets, lemmas = w.graph.nodes - n;
    f0t_wordnet_walk_options o = {.stop = 0.3, .steps = 5, .least = 1e-12, .shift = 2};
    double *want = test_malloc(lemmas * n * sizeof *want), *got = test_malloc(n * sizeof *got);
    uint32_t *all = test_malloc(lemmas * sizeof *all);
    f0t_wordnet_walk walk;
    f0t_sparse rows;
    for (size_t i = 0; i < lemmas; i++)
        all[i] = (uint32_t)i;
    dense_rows(want, &w, &o);
    assert_ok(f0t_wordnet_walk_init(&walk, &w.graph, &o));
    assert_ok(f0t_wordnet_walk_rows(&rows, &walk, all, lemmas));
    for (size_t i = 0; i < lemmas; i++) {
        memset(got, 0, n * sizeof *got);
        for (size_t k = rows.begin[i]; k < rows.begin[i + 1]; k++)
            got[rows.column[k]] += (double)rows.value[k];
        for (size_t j = 0; j < n; j++)
            assert_true(fabs(got[j] - want[i * n + j]) < 1e-4);
    }
    f0t_sparse_clear(&rows);
    f0t_wordnet_walk_clear(&walk);
    test_free(want);
    test_free(got);
    test_free(all);
    world_close(&w);
}

static f0t_status build_and_walk(void *context)
{
    world *w = context;
    f0t_wordnet_graph graph;
    f0t_wordnet_walk walk;
    f0t_sparse rows = {0};
    uint32_t all[3] = {0, 1, 2};
    f0t_status status = f0t_wordnet_graph_build(&graph, &w->t.wordnet, &w->mentions,
                                                &f0t_wordnet_recipe_default.graph);
    if (status != F0T_OK)
        return status;
    status = f0t_wordnet_walk_init(&walk, &graph, &f0t_wordnet_recipe_default.walk);
    if (status == F0T_OK) {
        status = f0t_wordnet_walk_rows(&rows, &walk, all, 3);
        f0t_wordnet_walk_clear(&walk);
    }
    f0t_sparse_clear(&rows);
    f0t_wordnet_graph_clear(&graph);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    world w;
    world_open(&w);
    test_threads(1);
    test_each_fault(F0T_FAULT_ALLOC, build_and_walk, &w);
    test_threads(0);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_from_a_node_are_sorted_and_sum_to_1),
        cmocka_unit_test(frequent_senses_are_likelier),
        cmocka_unit_test(rows_are_those_of_dense_walks),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
