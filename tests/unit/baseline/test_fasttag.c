#include "tasks.h"

#include "baseline/fasttag_layer.h"
#include "baseline/moments.h"

/* One layer by hand: A (R (x − x̄) + ȳ), without validation images that could ask for more. */
static void one_layer_scores_as_its_formula_says(void **state)
{
    (void)state;
    enum { T = C_TAGS, D = C_FEATURES };
    const double knobs[] = {0.1, 2, 0.4, 0};
    made_task m;
    f0t_moments *plain, *centred;
    double r[T * D], n[T * T] = {0}, b[T * T];
    made_task_create(&m, T, 0);
    size_t val = m.task.val.count;
    m.task.val.count = 0;
    float *scores = made_room(&m);
    assert_ok(made_scores(scores, &m, &f0t_ranker_fasttag, knobs, m.test.count));
    assert_ok(f0t_moments_create(&plain, &m.task, NULL));
    assert_ok(f0t_moments_centre(&centred, plain));
    memcpy(r, centred->crossed, sizeof r);
    assert_ok(f0t_moments_solve(centred, knobs[0], r, T));
    for (size_t s = 0; s < T; s++)
        for (size_t t = 0; t < T; t++)
            for (size_t j = 0; j < D; j++)
                n[s * T + t] += r[s * D + j] * centred->crossed[t * D + j];
    const f0t_fasttag_sums sums = {T, plain->pairs, centred->pairs, n};
    assert_ok(f0t_fasttag_layer(b, &sums, knobs[1], knobs[2]));
    for (size_t i = 0; i < m.test.count; i += 10)
        for (size_t s = 0; s < T; s++) {
            double want = 0;
            for (size_t t = 0; t < T; t++) {
                double guess = plain->counts[t] / plain->images;
                for (size_t j = 0; j < D; j++)
                    guess += r[t * D + j] *
                             ((double)m.features[i * D + j] - plain->sum[j] / plain->images);
                want += b[s * T + t] * guess;
            }
            assert_true(fabs(want - (double)scores[i * T + s]) < 1e-4);
        }
    m.task.val.count = val;
    f0t_moments_free(plain);
    f0t_moments_free(centred);
    f0t_free(scores);
    made_task_free(&m);
}

static void it_finds_the_tags_of_images(void **state)
{
    (void)state;
    const double lifted[] = {0.1, 10, 0.1, 1};
    made_task m;
    made_task_create(&m, C_TAGS, 0);
    float *scores = made_room(&m);
    assert_true(made_default_miap(&m, &f0t_ranker_fasttag) > 75);
    assert_ok(made_scores(scores, &m, &f0t_ranker_fasttag, lifted, m.test.count));
    assert_true(made_miap(&m, scores) > 75);
    made_check_blocks(&m, &f0t_ranker_fasttag);
    f0t_free(scores);
    made_task_free(&m);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    made_task m;
    made_task_create(&m, C_TAGS, 0);
    made_check_faults(&m, &f0t_ranker_fasttag);
    made_task_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_layer_scores_as_its_formula_says),
        cmocka_unit_test(it_finds_the_tags_of_images),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
