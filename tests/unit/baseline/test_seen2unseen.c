#include "tasks.h"

#include "baseline/tagprop.h"
#include "rank/ranklist.h"

/* The two halves by hand. */
static void the_scores_are_along_the_direction_of_tagprops_list(void **state)
{
    (void)state;
    const double knobs[] = {10, 20, 1};
    const f0t_tagprop_options options = {.k = 20, .by_distance = true, .modulated = true};
    made_task m;
    f0t_neighbours *n;
    f0t_tagger *tagger;
    f0t_ranksvm *svm;
    float *lists, w[C_DIM];
    made_task_create(&m, C_SEEN, 0);
    float *scores = made_room(&m);
    assert_ok(made_scores(scores, &m, &f0t_ranker_seen2unseen, knobs, m.test.count));
    assert_ok(f0t_neighbours_create(&n, &m.task, F0T_TAGPROP_MOST));
    assert_ok(f0t_tagger_create(&tagger, &m.task, n, &options));
    assert_ok(f0t_alloc(&lists, m.test.count * C_SEEN, sizeof *lists));
    assert_ok(f0t_tagger_predict(lists, tagger, &m.task, &m.queries));
    assert_ok(f0t_ranksvm_create(&svm, m.vectors, C_SEEN, C_DIM));
    assert_ok(f0t_ranklist_solve(svm, lists + 3 * C_SEEN, 1, 10, 0, w, NULL, NULL));
    for (size_t t = 0; t < C_TAGS; t++) {
        double sum = 0;
        for (size_t k = 0; k < C_DIM; k++)
            sum += (double)w[k] * (double)m.vectors[t * C_DIM + k];
        assert_true(fabs(sum - (double)scores[3 * C_TAGS + t]) < 0.01);
    }
    f0t_ranksvm_free(svm);
    f0t_tagger_free(tagger);
    f0t_neighbours_free(n);
    f0t_free(lists);
    f0t_free(scores);
    made_task_free(&m);
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
    made_task_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scores_are_along_the_direction_of_tagprops_list),
        cmocka_unit_test(it_ranks_unseen_tags_better_than_chance),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
