/* Ties against all orders of equal scores, one by one. */
#include "support.h"

#include "base/random.h"
#include "rank/ties.h"

#include <math.h>
#include <string.h>

enum { MOST = 8 };

/* A ranking, its entries in an order that is tried. */
typedef struct tried {
    size_t n;
    float scores[MOST];
    bool relevant[MOST];
    size_t order[MOST];
    double sum, orders;
} tried;

/* Of the order, which falls by score. */
static double precision_of(const tried *t)
{
    double sum = 0, hits = 0;
    for (size_t i = 0; i < t->n; i++)
        if (t->relevant[t->order[i]]) {
            hits++;
            sum += hits / (double)(i + 1);
        }
    return sum / hits;
}

/* All orders that fall by score, of which place `at` is next. */
static void try_orders(tried *t, size_t at)
{
    if (at == t->n) {
        t->sum += precision_of(t);
        t->orders++;
        return;
    }
    for (size_t i = at; i < t->n; i++) {
        bool highest = true;
        for (size_t j = at; j < t->n; j++)
            highest = highest && t->scores[t->order[j]] <= t->scores[t->order[i]];
        if (!highest)
            continue;
        const size_t first = t->order[at];
        t->order[at] = t->order[i];
        t->order[i] = first;
        try_orders(t, at + 1);
        t->order[i] = t->order[at];
        t->order[at] = first;
    }
}

static double find_precision(const tried *t)
{
    f0t_tie ties[MOST];
    float values[MOST];
    uint32_t hits[MOST];
    size_t count = 0;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->relevant[i])
            hits[count++] = i;
    return f0t_ties_precision(ties, f0t_ties_find(ties, values, t->scores, t->n, hits, count));
}

static void precision_is_the_mean_over_all_orders(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        const f0t_random random = {seed, 1};
        tried t = {.n = 1 + seed % MOST};
        for (size_t i = 0; i < t.n; i++) {
            t.scores[i] = (float)f0t_random_below(&random, 2 * i, 1 + seed % 4);
            t.relevant[i] = i == 0 || f0t_random_below(&random, 2 * i + 1, 2);
            t.order[i] = i;
        }
        try_orders(&t, 0);
        const double want = t.sum / t.orders, got = find_precision(&t);
        if (fabs(got - want) > 1e-12)
            fail_msg("seed %d: %.15g, the mean of %.0f orders is %.15g", (int)seed, got, t.orders,
                     want);
    }
}

/* Few relevant entries are counted in one way, many in another. */
static void ties_are_counted(void **state)
{
    enum { N = 300 };
    static float scores[N], values[N];
    static uint32_t hits[N];
    static f0t_tie ties[N];
    const f0t_random random = {7, 1};
    (void)state;
    for (size_t i = 0; i < N; i++)
        scores[i] = (float)f0t_random_below(&random, i, 90) - 45;
    scores[3] = -0.0F;
    scores[4] = INFINITY;
    scores[5] = -INFINITY;
    for (size_t step = 1; step < 100; step += 9) {
        size_t count = 0, relevant = 0;
        for (size_t i = 0; i < N; i += step)
            hits[count++] = (uint32_t)i;
        const size_t found = f0t_ties_find(ties, values, scores, N, hits, count);
        for (size_t g = 0; g < found; g++) {
            size_t above = 0, size = 0, here = 0;
            for (size_t i = 0; i < N; i++) {
                above += scores[i] > values[g];
                size += scores[i] == values[g];
                here += scores[i] == values[g] && i % step == 0;
            }
            assert_true(g == 0 || values[g] < values[g - 1]);
            assert_int_equal(ties[g].above, above);
            assert_int_equal(ties[g].size, size);
            assert_int_equal(ties[g].relevant, here);
            relevant += here;
        }
        assert_int_equal(relevant, count);
    }
}

static void without_ties_it_is_the_plain_mean(void **state)
{
    static const float scores[] = {4, 3, 2, 1};
    static const uint32_t hits[] = {1, 2};
    f0t_tie ties[2];
    float values[2];
    (void)state;
    const size_t found = f0t_ties_find(ties, values, scores, 4, hits, 2);
    assert_true(f0t_ties_precision(ties, found) == (1.0 / 2 + 2.0 / 3) / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(precision_is_the_mean_over_all_orders),
        cmocka_unit_test(ties_are_counted),
        cmocka_unit_test(without_ties_it_is_the_plain_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
