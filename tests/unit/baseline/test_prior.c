#include "tasks.h"

#include <math.h>

static double odds(double with, double images)
{
    return log((with + 0.5) / (images - with + 0.5));
}

/* The training images that have a learned tag, counted one by one. */
static double count_images(const made_task *m, size_t tag)
{
    double count = 0;
    for (size_t i = 0; i < m->task.train.offsets[m->task.train.count]; i++)
        count += m->task.train.relevant[i] == tag;
    return count;
}

static void every_image_has_the_list_that_was_told(void **state)
{
    size_t told[C_TAGS];
    made_task m;
    (void)state;
    made_task_create(&m, C_SEEN, C_SEEN - 2);
    for (size_t t = 0; t < m.tags.count; t++)
        told[t] = 7 * t % 5;
    m.tags.images = told;
    float *scores = made_room(&m);
    assert_ok(made_scores(scores, &m, &f0t_ranker_frequency_told, NULL, 7));
    for (size_t i = 0; i < m.test.count; i++)
        for (size_t t = 0; t < m.tags.count; t++)
            assert_true(fabs((double)scores[i * m.tags.count + t] -
                             odds((double)told[t], (double)m.task.train.count)) < 1e-5);
    f0t_free(scores);
    made_task_free(&m);
}

enum { COLUMNS = C_DIM + 1 };

/* The regression by gradient steps on weights and intercept: another way to the same minimum. */
static void descend(double weights[COLUMNS], const made_task *m, double lambda)
{
    memset(weights, 0, COLUMNS * sizeof *weights);
    for (size_t step = 0; step < 20000; step++) {
        double slope[COLUMNS] = {0};
        for (size_t t = 0; t < m->task.tags; t++) {
            const float *v = m->vectors + t * C_DIM;
            double error = weights[C_DIM] - odds(count_images(m, t), (double)m->task.train.count);
            for (size_t k = 0; k < C_DIM; k++)
                error += weights[k] * (double)v[k];
            for (size_t k = 0; k < C_DIM; k++)
                slope[k] += error * (double)v[k];
            slope[C_DIM] += error;
        }
        for (size_t k = 0; k < COLUMNS; k++)
            weights[k] -=
                0.5 / (double)m->task.tags * (slope[k] + (k < C_DIM ? lambda * weights[k] : 0));
    }
}

static void new_tags_are_predicted_and_learned_ones_counted(void **state)
{
    const double lambda = 3;
    double weights[COLUMNS];
    made_task m;
    size_t predicted = 0;
    (void)state;
    made_task_create(&m, C_SEEN, C_SEEN - 3);
    float *scores = made_room(&m);
    assert_ok(made_scores(scores, &m, &f0t_ranker_frequency_predicted, &lambda, 11));
    descend(weights, &m, lambda);
    for (size_t i = 0; i < m.test.count; i++)
        for (size_t t = 0; t < m.tags.count; t++) {
            double want = weights[C_DIM];
            for (size_t k = 0; k < C_DIM; k++)
                want += weights[k] * (double)m.tags.vectors[t * C_DIM + k];
            if (m.known[t] != F0T_NO_SAMPLE_TAG)
                want = odds(count_images(&m, m.known[t]), (double)m.task.train.count);
            predicted += m.known[t] == F0T_NO_SAMPLE_TAG;
            assert_true(fabs((double)scores[i * m.tags.count + t] - want) < 1e-3);
        }
    assert_int_equal(predicted, m.test.count * (C_TAGS - C_SEEN));
    f0t_free(scores);
    made_task_free(&m);
}

static void every_allocation_may_fail(void **state)
{
    size_t told[C_TAGS] = {0};
    made_task m;
    (void)state;
    made_task_create(&m, C_SEEN, 0);
    m.tags.images = told;
    made_check_faults(&m, &f0t_ranker_frequency_told);
    made_check_faults(&m, &f0t_ranker_frequency_predicted);
    made_task_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_image_has_the_list_that_was_told),
        cmocka_unit_test(new_tags_are_predicted_and_learned_ones_counted),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
