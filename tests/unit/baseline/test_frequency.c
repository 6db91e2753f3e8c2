#include "tasks.h"

#include <math.h>

/* The training images that have the tag, counted one by one. */
static size_t count_images(const made_task *m, uint32_t tag)
{
    const f0t_samples *s = &m->task.train;
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++)
        for (size_t j = s->offsets[i]; j < s->offsets[i + 1]; j++)
            count += s->relevant[j] == tag;
    return count;
}

static double log_odds(const made_task *m, uint32_t tag)
{
    const double count = (double)count_images(m, tag), all = (double)m->task.train.count;
    return log((count + 0.5) / (all - count + 0.5));
}

/* Log-odds, with half an image on either side: they rank as the numbers do. */
static void the_scores_are_those_of_numbers_of_training_images(void **state)
{
    (void)state;
    made_task m;
    made_task_create(&m, C_SEEN, 4);
    m.tags.count = 3;
    m.known[0] = 8; /* in any order */
    m.known[1] = 0;
    m.known[2] = 5;
    float *scores = made_room(&m);
    assert_ok(made_scores(scores, &m, &f0t_ranker_frequency, NULL, m.test.count));
    for (size_t i = 0; i < m.test.count; i++)
        for (size_t t = 0; t < 3; t++)
            assert_true(fabs((double)scores[i * 3 + t] - log_odds(&m, m.known[t])) < 1e-6);
    assert_true(count_images(&m, 8) > 0 && count_images(&m, 8) != count_images(&m, 0));
    f0t_free(scores);
    made_task_free(&m);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    made_task m;
    made_task_create(&m, C_TAGS, 0);
    made_check_faults(&m, &f0t_ranker_frequency);
    made_task_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scores_are_those_of_numbers_of_training_images),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
