#include "tasks.h"

static void an_image_keeps_its_order_in_any_block(void **state)
{
    (void)state;
    made_task m;
    made_task_create(&m, C_SEEN, 0);
    made_check_blocks(&m, &f0t_ranker_random);
    made_task_free(&m);
}

static void images_and_seeds_have_orders_of_their_own(void **state)
{
    (void)state;
    made_task m;
    made_task_create(&m, C_SEEN, 0);
    float *first = made_room(&m), *other = made_room(&m);
    assert_ok(made_scores(first, &m, &f0t_ranker_random, NULL, m.test.count));
    m.task.seed++;
    assert_ok(made_scores(other, &m, &f0t_ranker_random, NULL, m.test.count));
    for (size_t i = 0; i < m.test.count; i++) {
        assert_memory_not_equal(first + i * C_TAGS, other + i * C_TAGS, C_TAGS * sizeof *first);
        for (size_t j = 0; j < i; j++)
            assert_memory_not_equal(first + i * C_TAGS, first + j * C_TAGS, C_TAGS * sizeof *first);
    }
    f0t_free(first);
    f0t_free(other);
    made_task_free(&m);
}

/* Chi-squared with 11 degrees of freedom is above 31.3 once in a thousand. */
static void every_tag_is_first_equally_often(void **state)
{
    (void)state;
    enum { SEEDS = 20 };
    made_task m;
    double counts[C_TAGS] = {0}, squares = 0;
    made_task_create(&m, C_SEEN, 0);
    float *scores = made_room(&m);
    for (m.task.seed = 0; m.task.seed < SEEDS; m.task.seed++) {
        assert_ok(made_scores(scores, &m, &f0t_ranker_random, NULL, m.test.count));
        for (size_t i = 0; i < m.test.count; i++) {
            size_t best = 0;
            for (size_t t = 1; t < C_TAGS; t++)
                best = scores[i * C_TAGS + t] > scores[i * C_TAGS + best] ? t : best;
            counts[best]++;
        }
    }
    const double want = (double)(SEEDS * m.test.count) / C_TAGS;
    for (size_t t = 0; t < C_TAGS; t++)
        squares += (counts[t] - want) * (counts[t] - want) / want;
    assert_true(squares < 31.3);
    f0t_free(scores);
    made_task_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_image_keeps_its_order_in_any_block),
        cmocka_unit_test(images_and_seeds_have_orders_of_their_own),
        cmocka_unit_test(every_tag_is_first_equally_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
