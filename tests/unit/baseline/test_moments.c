#include "answers.h"
#include "tasks.h"

#include "baseline/moments.h"

/* The sums by definition, from all features at once. */
static void check(const made_task *m, const f0t_task_moments *got, const double *weights)
{
    const f0t_samples *s = &m->task.train;
    double *x, squares = 0, sum = 0, crossed = 0, pairs = 0, total = 0;
    float *read;
    assert_ok(f0t_alloc(&read, s->count * C_FEATURES, sizeof *read));
    assert_ok(f0t_alloc(&x, s->count * C_FEATURES, sizeof *x));
    assert_ok(f0t_task_read(read, &m->task, s->images, s->count));
    for (size_t i = 0; i < s->count; i++) {
        const double w = weights ? weights[i] : 1, a = (double)read[i * C_FEATURES + 7],
                     b = (double)read[i * C_FEATURES + 3];
        bool has2 = false, has5 = false;
        for (size_t k = s->offsets[i]; k < s->offsets[i + 1]; k++) {
            has2 = has2 || s->relevant[k] == 2;
            has5 = has5 || s->relevant[k] == 5;
        }
        total += w;
        squares += w * a * b;
        sum += w * a;
        crossed += has2 ? w * a : 0;
        pairs += has2 && has5 ? w : 0;
    }
    assert_true(fabs(got->images - total) < 1e-9 * total);
    assert_true(fabs(got->squares[7 * C_FEATURES + 3] - squares) < 1e-4);
    assert_true(fabs(got->sum[7] - sum) < 1e-6);
    assert_true(fabs(got->crossed[2 * C_FEATURES + 7] - crossed) < 1e-6);
    assert_true(fabs(got->pairs[2 * m->task.tags + 5] - pairs) < 1e-9 * total);
    assert_true(got->pairs[2 * m->task.tags + 5] == got->pairs[5 * m->task.tags + 2]);
    f0t_free(x);
    f0t_free(read);
}

static void the_sums_are_those_of_their_definition(void **state)
{
    (void)state;
    made_task m;
    f0t_task_moments *plain, *weighted;
    double *weights;
    made_task_create(&m, C_SEEN, 0);
    assert_ok(f0t_alloc(&weights, m.task.train.count, sizeof *weights));
    for (size_t i = 0; i < m.task.train.count; i++)
        weights[i] = 0.5 + (double)(i % 7);
    assert_ok(f0t_task_moments_create(&plain, &m.task, NULL));
    assert_ok(f0t_task_moments_create(&weighted, &m.task, weights));
    check(&m, plain, NULL);
    check(&m, weighted, weights);
    f0t_task_moments_free(plain);
    f0t_task_moments_free(weighted);
    f0t_free(weights);
    made_task_free(&m);
}

static void solving_gives_the_ridge_regression(void **state)
{
    (void)state;
    made_task m;
    f0t_task_moments *moments;
    double map[C_FEATURES], trace = 0;
    made_task_create(&m, C_SEEN, 0);
    assert_ok(f0t_task_moments_create(&moments, &m.task, NULL));
    memcpy(map, moments->crossed, sizeof map);
    assert_ok(f0t_task_moments_solve(map, 1, moments, 0.1, NULL));
    for (size_t j = 0; j < C_FEATURES; j++)
        trace += moments->squares[j * C_FEATURES + j];
    for (size_t i = 0; i < C_FEATURES; i++) {
        double sum = 0.1 * trace / C_FEATURES * map[i];
        for (size_t j = 0; j < C_FEATURES; j++)
            sum += map[j] * moments->squares[(i > j ? i : j) * C_FEATURES + (i > j ? j : i)];
        assert_true(fabs(sum - moments->crossed[i]) < 1e-9 * trace);
    }
    f0t_task_moments_free(moments);
    made_task_free(&m);
}

/* More than one block of columns. Sums of squares are OpenBLAS' own. */
static void threads_do_not_change_the_sums(void **state)
{
    (void)state;
    small_task t;
    f0t_task_moments *one, *two;
    task_open(&t, &(collection_options){.name = "columns", .features = C_FEATURES_MOST}, C_SEEN);
    test_threads(1);
    assert_ok(f0t_task_moments_create(&one, &t.task, NULL));
    test_threads(2);
    assert_ok(f0t_task_moments_create(&two, &t.task, NULL));
    test_threads(0);
    assert_memory_equal(one->sum, two->sum, C_FEATURES_MOST * sizeof *one->sum);
    assert_memory_equal(one->crossed, two->crossed,
                        C_SEEN * C_FEATURES_MOST * sizeof *one->crossed);
    f0t_task_moments_free(one);
    f0t_task_moments_free(two);
    task_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sums_are_those_of_their_definition),
        cmocka_unit_test(solving_gives_the_ridge_regression),
        cmocka_unit_test(threads_do_not_change_the_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
