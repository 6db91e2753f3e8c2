#include "tasks.h"

#include "rank/ranksvm.h"

/* One image alone, solved and ranked by hand. */
static void check_scores(const f0t_ranker *ranker, f0t_hinge hinge)
{
    made_task m;
    made_task_create(&m, C_SEEN, C_SEEN);
    float *scores = made_room(&m), w[C_DIM];
    assert_ok(made_scores(scores, &m, ranker, NULL, m.test.count));
    const f0t_tag_sets sets = {m.answers.offsets + 5, m.answers.relevant, 1, C_SEEN};
    const f0t_ranksvm_options options = {.hinge = hinge};
    const double lambda = 1;
    f0t_rules *rules;
    f0t_ranksvm *svm;
    assert_ok(f0t_rules_create(&rules, &sets, NULL, C_SEEN));
    assert_ok(f0t_ranksvm_create(&svm, m.vectors, C_SEEN, C_DIM));
    assert_ok(f0t_ranksvm_solve(w, NULL, svm, rules, &lambda, 1, &options, NULL));
    for (size_t t = 0; t < m.tags.count; t++) {
        double sum = 0;
        for (size_t k = 0; k < C_DIM; k++)
            sum += (double)w[k] * (double)m.tags.vectors[t * C_DIM + k];
        assert_true(fabs(sum - (double)scores[5 * m.tags.count + t]) < 1e-3);
    }
    f0t_rules_free(rules);
    f0t_ranksvm_free(svm);
    f0t_free(scores);
    made_task_free(&m);
}

static void the_scores_are_along_the_direction_of_the_true_training_tags(void **state)
{
    (void)state;
    check_scores(&f0t_ranker_ranksvm, F0T_HINGE_SQUARED);
    check_scores(&f0t_ranker_ranksvm_plain, F0T_HINGE_PLAIN);
}

static void an_image_without_a_training_tag_has_scores_of_zero(void **state)
{
    (void)state;
    made_task m;
    const size_t none[] = {0, 0};
    void *fitted;
    float scores[C_TAGS];
    made_task_create(&m, C_SEEN, 0);
    assert_ok(f0t_ranker_ranksvm.fit(&fitted, &m.task, NULL, NULL));
    f0t_queries one = {.count = 1, .features = m.features, .offsets = none};
    assert_ok(f0t_ranker_ranksvm.score(scores, fitted, &m.task, &m.tags, &one));
    for (size_t t = 0; t < C_TAGS; t++)
        assert_true(scores[t] == 0);
    f0t_ranker_ranksvm.free(fitted);
    made_task_free(&m);
}

static void training_tags_of_the_image_come_first(void **state)
{
    (void)state;
    made_task m;
    made_task_create(&m, C_TAGS, 0);
    assert_true(made_default_miap(&m, &f0t_ranker_ranksvm) > 90);
    made_task_free(&m);
}

/* An image alone has no other rules beside it. */
static void the_blocks_of_images_do_not_matter(void **state)
{
    (void)state;
    made_task m;
    made_task_create(&m, C_SEEN, C_SEEN);
    made_check_blocks(&m, &f0t_ranker_ranksvm);
    made_task_free(&m);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    made_task m;
    made_task_create(&m, C_SEEN, C_SEEN);
    made_check_faults(&m, &f0t_ranker_ranksvm);
    made_task_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scores_are_along_the_direction_of_the_true_training_tags),
        cmocka_unit_test(an_image_without_a_training_tag_has_scores_of_zero),
        cmocka_unit_test(training_tags_of_the_image_come_first),
        cmocka_unit_test(the_blocks_of_images_do_not_matter),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
