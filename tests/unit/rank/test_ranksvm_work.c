#include "support.h"

#include "rank/ranksvm_work.h"

#include <math.h>
#include <string.h>

enum { TAGS = 23, RELEVANT = 6, DIMS = 9 };

typedef struct example {
    double scores[TAGS], gram[TAGS * TAGS], gradient_scores[TAGS];
    f0t_svm_set set;
} example;

static const double *gram_row(void *context, size_t i)
{
    return ((const example *)context)->gram + i * TAGS;
}

static void make(example *e, double spread, uint64_t seed)
{
    float vectors[TAGS * DIMS], random[2 * TAGS];
    test_random_floats(vectors, TAGS * DIMS, seed);
    test_random_floats(random, 2 * TAGS, seed + 1);
    for (size_t i = 0; i < TAGS; i++) {
        e->scores[i] = spread * (double)random[i];
        e->gradient_scores[i] = (double)random[TAGS + i];
        for (size_t j = 0; j < TAGS; j++) {
            e->gram[i * TAGS + j] = 0;
            for (size_t k = 0; k < DIMS; k++)
                e->gram[i * TAGS + j] +=
                    (double)vectors[i * DIMS + k] * (double)vectors[j * DIMS + k];
        }
    }
    e->set = (f0t_svm_set){e->scores, RELEVANT, TAGS, gram_row, e};
}

/* L x, pair by pair. */
static void laplacian(double *y, const double *x, const example *e, f0t_svm_loss loss)
{
    memset(y, 0, TAGS * sizeof *y);
    for (size_t p = 0; p < RELEVANT; p++)
        for (size_t n = RELEVANT; n < TAGS; n++) {
            const double z = 1 - e->scores[p] + e->scores[n];
            if (!(z > 0 && loss.k * z < loss.cap))
                continue;
            y[p] += x[p] - x[n];
            y[n] += x[n] - x[p];
        }
}

/* λ e + k L (K e + gradient_scores) must be 0. */
static void check(const example *x, double lambda, f0t_svm_loss loss)
{
    f0t_svm_graph *graph;
    double e[TAGS] = {0}, scores[TAGS], bent[TAGS];
    assert_ok(f0t_svm_graph_create(&graph, TAGS));
    assert_true(f0t_svm_graph_bend(graph, e, x->gradient_scores, &x->set, lambda, loss));
    for (size_t i = 0; i < TAGS; i++) {
        scores[i] = x->gradient_scores[i];
        for (size_t j = 0; j < TAGS; j++)
            scores[i] += x->gram[i * TAGS + j] * e[j];
    }
    laplacian(bent, scores, x, loss);
    for (size_t i = 0; i < TAGS; i++)
        if (!(fabs(lambda * e[i] + loss.k * bent[i]) <= 1e-8 * (loss.k + lambda)))
            fail_msg("lambda %g, k %g: row %zu of the Newton system is off by %g", lambda, loss.k,
                     i, lambda * e[i] + loss.k * bent[i]);
    f0t_svm_graph_free(graph);
}

static void the_step_solves_the_newton_system(void **state)
{
    (void)state;
    const f0t_svm_loss losses[] = {{2, HUGE_VAL}, {0.5, 1}, {5, 1}, {30, 1}};
    example e;
    for (uint64_t seed = 0; seed < 20; seed++) {
        make(&e, 0.4 + 0.1 * (double)seed, seed);
        for (size_t l = 0; l < 4; l++)
            for (double lambda = 1e-3; lambda < 1e3; lambda *= 30)
                check(&e, lambda, losses[l]);
    }
}

/* Two relevant tags far above and two far below: pairs of each alone, nothing in common. */
static void components_without_a_common_tag_are_solved_together(void **state)
{
    (void)state;
    example e;
    make(&e, 0.05, 4);
    for (size_t i = 0; i < TAGS; i++)
        e.scores[i] += (i % 2 ? 10 : -10) + (i < RELEVANT ? 0.9 : 0);
    check(&e, 0.1, (f0t_svm_loss){2, 1});
}

static void an_empty_zone_bends_nothing(void **state)
{
    (void)state;
    f0t_svm_graph *graph;
    example e;
    double step[TAGS] = {0};
    make(&e, 0.1, 1);
    for (size_t i = 0; i < RELEVANT; i++)
        e.scores[i] += 5;
    assert_ok(f0t_svm_graph_create(&graph, TAGS));
    assert_true(
        f0t_svm_graph_bend(graph, step, e.gradient_scores, &e.set, 1, (f0t_svm_loss){2, HUGE_VAL}));
    for (size_t i = 0; i < TAGS; i++)
        assert_true(step[i] == 0);
    f0t_svm_graph_free(graph);
}

static f0t_status create_and_free(void *context)
{
    f0t_svm_graph *graph;
    (void)context;
    f0t_status status = f0t_svm_graph_create(&graph, 8);
    f0t_svm_graph_free(graph);
    return status;
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, create_and_free, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_step_solves_the_newton_system),
        cmocka_unit_test(components_without_a_common_tag_are_solved_together),
        cmocka_unit_test(an_empty_zone_bends_nothing),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
