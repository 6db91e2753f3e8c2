#include "tasks.h"

#include "baseline/tagprop.h"
#include "rank/ranklist.h"

/* TagProp's lists of the test images; tags that it cannot tell apart are equal. */
static float *tagprop_lists(const made_task *m, const f0t_tagprop_options *options)
{
    f0t_neighbours *n;
    f0t_tagprop *tagprop;
    float *lists;
    assert_ok(f0t_neighbours_create(&n, &m->task, F0T_TAGPROP_MOST));
    assert_ok(f0t_tagprop_create(&tagprop, &m->task, n, options));
    memset(tagprop->model->prior, 0, m->task.tags * sizeof *tagprop->model->prior);
    assert_ok(f0t_alloc(&lists, m->test.count * m->task.tags, sizeof *lists));
    assert_ok(f0t_tagprop_predict(lists, tagprop, &m->task, &m->queries));
    f0t_tagprop_free(tagprop);
    f0t_neighbours_free(n);
    return lists;
}

static size_t count_ties(const float *list)
{
    size_t ties = 0;
    for (size_t i = 0; i < C_SEEN; i++)
        for (size_t j = 0; j < i; j++)
            ties += list[i] == list[j];
    return ties;
}

/* The two halves by hand. Gives the ties in the lists that were looked at. */
static size_t compare_with_halves(size_t k, bool sigmoid)
{
    const double knobs[] = {10, (double)k, sigmoid};
    const f0t_tagprop_options options = {.k = k, .by_distance = true, .modulated = sigmoid};
    made_task m;
    f0t_ranksvm *svm;
    float w[C_DIM];
    size_t ties = 0;
    made_task_create(&m, C_SEEN, 0);
    float *scores = made_room(&m), *lists = tagprop_lists(&m, &options);
    assert_ok(made_scores(scores, &m, &f0t_ranker_seen2unseen, knobs, m.test.count));
    assert_ok(f0t_ranksvm_create(&svm, m.vectors, C_SEEN, C_DIM));
    for (size_t i = 3; i < m.test.count; i += 20) {
        ties += count_ties(lists + i * C_SEEN);
        assert_ok(f0t_ranklist_solve(w, NULL, svm, lists + i * C_SEEN, 1, 10, 0, NULL));
        for (size_t t = 0; t < C_TAGS; t++) {
            double sum = 0;
            for (size_t d = 0; d < C_DIM; d++)
                sum += (double)w[d] * (double)m.vectors[t * C_DIM + d];
            assert_true(fabs(sum - (double)scores[i * C_TAGS + t]) < 0.01);
        }
    }
    f0t_ranksvm_free(svm);
    f0t_free(lists);
    f0t_free(scores);
    made_task_free(&m);
    return ties;
}

static void the_scores_are_along_the_direction_of_tagprops_list(void **state)
{
    (void)state;
    compare_with_halves(20, true);
}

/* With few neighbours several tags have none of them: the order of those is not learned. */
static void tags_that_no_neighbour_has_make_no_pair(void **state)
{
    (void)state;
    assert_true(compare_with_halves(3, false) > 12);
}

/* Another method's list in the place of TagProp's: the two halves by hand. */
static void any_method_may_rank_the_seen_tags(void **state)
{
    const f0t_ranker *over;
    made_task m;
    f0t_ranksvm *svm;
    float w[C_DIM];
    double knobs[F0T_KNOBS_MAX], lambda = 10;
    (void)state;
    assert_ok(f0t_ranker_find(&over, "seen2unseen:linear"));
    for (size_t i = 0; i < f0t_ranker_linear.knob_count; i++)
        knobs[i] = f0t_ranker_linear.knobs[i].values[f0t_ranker_linear.knobs[i].first];
    made_task_create(&m, C_SEEN, 0);
    float *scores = made_room(&m), *lists = made_room(&m);
    assert_ok(made_scores(lists, &m, &f0t_ranker_linear, knobs, m.test.count));
    assert_ok(made_scores(scores, &m, over, &lambda, m.test.count));
    assert_ok(f0t_ranksvm_create(&svm, m.vectors, C_SEEN, C_DIM));
    for (size_t i = 3; i < m.test.count; i += 20) {
        /* The seen tags are the first of all that made_scores ranks. */
        assert_ok(f0t_ranklist_solve(w, NULL, svm, lists + i * C_TAGS, 1, lambda, 0, NULL));
        for (size_t t = 0; t < C_TAGS; t++) {
            double sum = 0;
            for (size_t d = 0; d < C_DIM; d++)
                sum += (double)w[d] * (double)m.vectors[t * C_DIM + d];
            assert_true(fabs(sum - (double)scores[i * C_TAGS + t]) < 0.01);
        }
    }
    f0t_ranksvm_free(svm);
    f0t_free(lists);
    f0t_free(scores);
    made_task_free(&m);
}

static void methods_that_it_does_not_extend_are_told(void **state)
{
    const f0t_ranker *over;
    (void)state;
    for (size_t i = 0; f0t_rankers_seen2unseen[i]; i++) {
        assert_ok(f0t_ranker_find(&over, f0t_rankers_seen2unseen[i]->name));
        assert_ptr_equal(over, f0t_rankers_seen2unseen[i]);
    }
    assert_fails(F0T_ERROR_NOT_FOUND, "seen2unseen:cca",
                 f0t_ranker_find(&over, "seen2unseen:random"));
}

/* Three unseen tags: by chance about 64. */
static void it_ranks_unseen_tags_better_than_chance(void **state)
{
    (void)state;
    made_task m;
    made_task_create(&m, C_SEEN, C_SEEN);
    assert_true(made_default_miap(&m, &f0t_ranker_seen2unseen) > 70);
    made_check_blocks(&m, &f0t_ranker_seen2unseen);
    made_task_free(&m);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    made_task m;
    made_task_create(&m, C_SEEN, C_SEEN);
    m.task.train.count = 60;
    made_check_faults(&m, &f0t_ranker_seen2unseen);
    const f0t_ranker *over;
    assert_ok(f0t_ranker_find(&over, "seen2unseen:linear"));
    made_check_faults(&m, over);
    made_task_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scores_are_along_the_direction_of_tagprops_list),
        cmocka_unit_test(tags_that_no_neighbour_has_make_no_pair),
        cmocka_unit_test(any_method_may_rank_the_seen_tags),
        cmocka_unit_test(methods_that_it_does_not_extend_are_told),
        cmocka_unit_test(it_ranks_unseen_tags_better_than_chance),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
