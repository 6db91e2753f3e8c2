#include "answers.h"

static const double KNOBS[] = {0, 0.1, 1e-2}; /* dropout, decay, rate */

static void they_learn_tags_and_rank_others(void **state)
{
    (void)state;
    double seen = miap_after(&f0t_ranker_labelem, KNOBS, C_SEEN, 0, C_SEEN);
    double plus = miap_after(&f0t_ranker_labelem_plus, KNOBS, C_SEEN, 0, C_SEEN);
    assert_true(seen > 0.7);
    assert_true(plus > 0.85);
    needs_no_validation(&f0t_ranker_labelem_plus, KNOBS, 0.85);
}

/* x'W v: linear in the tag's vector. */
static void scores_are_linear_in_the_tags_vector(void **state)
{
    small_task t;
    question q;
    float vectors[3 * C_DIM];
    (void)state;
    task_open(&t, &(collection_options){.name = "bilinear"}, C_SEEN);
    t.task.epochs = 2;
    question_open(&q, &t, 0, 3);
    memcpy(vectors, q.tags.vectors, sizeof vectors);
    for (size_t k = 0; k < C_DIM; k++)
        vectors[2 * C_DIM + k] = 2 * vectors[k] - 3 * vectors[C_DIM + k];
    q.tags.vectors = vectors;
    assert_ok(answer(&q, &f0t_ranker_labelem, &t.task, KNOBS));
    for (size_t r = 0; r < q.images.count; r++) {
        const float *s = q.scores + r * 3;
        assert_true(fabs((double)s[2] - 2 * (double)s[0] + 3 * (double)s[1]) <
                    1e-5 * (1 + fabs((double)s[2])));
    }
    question_close(&q);
    task_close(&t);
}

static void their_bytes_depend_on_neither_threads_nor_blocks(void **state)
{
    (void)state;
    keeps_its_bytes(&f0t_ranker_labelem, KNOBS);
    keeps_its_bytes(&f0t_ranker_labelem_plus, KNOBS);
}

static void failures_leak_nothing(void **state)
{
    (void)state;
    survives_faults(&f0t_ranker_labelem, KNOBS);
    survives_faults(&f0t_ranker_labelem_plus, KNOBS);
    refuses_untagged(&f0t_ranker_labelem, KNOBS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_learn_tags_and_rank_others),
        cmocka_unit_test(scores_are_linear_in_the_tags_vector),
        cmocka_unit_test(their_bytes_depend_on_neither_threads_nor_blocks),
        cmocka_unit_test(failures_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
