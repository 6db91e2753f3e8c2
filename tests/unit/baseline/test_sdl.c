#include "answers.h"

static const double KNOBS[] = {3, 0.3, 0.1, 1e-2, 0}; /* directions, weight, decay, rate, dropout */

static void it_learns_tags_and_ranks_others(void **state)
{
    (void)state;
    assert_true(miap_after(&f0t_ranker_sdl, KNOBS, C_SEEN, 0, C_SEEN) > 0.85);
    needs_no_validation(&f0t_ranker_sdl, KNOBS, 0.85);
}

/* The best of several directions: scores are convex in the tag's vector, not linear. */
static void scores_are_the_best_of_several_directions(void **state)
{
    small_task t;
    question q;
    float vectors[3 * C_DIM];
    size_t below = 0;
    (void)state;
    task_open(&t, &(collection_options){.name = "convex"}, C_SEEN);
    t.task.epochs = 2;
    question_open(&q, &t, 0, 3);
    memcpy(vectors, q.tags.vectors, sizeof vectors);
    for (size_t k = 0; k < C_DIM; k++)
        vectors[2 * C_DIM + k] = (vectors[k] + vectors[C_DIM + k]) / 2;
    q.tags.vectors = vectors;
    assert_ok(answer(&q, &f0t_ranker_sdl, &t.task, KNOBS));
    for (size_t r = 0; r < q.images.count; r++) {
        const float *s = q.scores + r * 3;
        const double middle = ((double)s[0] + (double)s[1]) / 2;
        assert_true((double)s[2] < middle + 1e-5 * (1 + fabs(middle)));
        below += (double)s[2] < middle - 1e-4;
    }
    assert_true(below > 0);
    question_close(&q);
    task_close(&t);
}

static void its_bytes_depend_on_neither_threads_nor_blocks(void **state)
{
    (void)state;
    keeps_its_bytes(&f0t_ranker_sdl, KNOBS);
}

static void failures_leak_nothing(void **state)
{
    (void)state;
    survives_faults(&f0t_ranker_sdl, KNOBS);
    refuses_untagged(&f0t_ranker_sdl, KNOBS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_learns_tags_and_ranks_others),
        cmocka_unit_test(scores_are_the_best_of_several_directions),
        cmocka_unit_test(its_bytes_depend_on_neither_threads_nor_blocks),
        cmocka_unit_test(failures_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
