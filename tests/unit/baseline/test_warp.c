#include "answers.h"

#include "baseline/scorer.h"

static const double KNOBS[] = {0.1, 1e-2, 0.3};

static void it_learns_tags(void **state)
{
    (void)state;
    assert_true(miap_after(&f0t_ranker_warp, KNOBS, C_SEEN, 0, C_SEEN) > 0.85);
    needs_no_validation(&f0t_ranker_warp, KNOBS, 0.8);
}

/* Candidates in another order, some left out: the same scores in their places. */
static void a_candidate_has_its_own_tags_score(void **state)
{
    small_task t;
    question all, some;
    uint32_t known[] = {4, 0, 8};
    (void)state;
    task_open(&t, &(collection_options){.name = "known"}, C_SEEN);
    t.task.epochs = 1;
    question_open(&all, &t, 0, C_SEEN);
    question_open(&some, &t, 0, 3);
    some.tags.known = known;
    assert_ok(answer(&all, &f0t_ranker_warp, &t.task, KNOBS));
    assert_ok(answer(&some, &f0t_ranker_warp, &t.task, KNOBS));
    for (size_t r = 0; r < all.images.count; r++)
        for (size_t i = 0; i < 3; i++)
            assert_true(some.scores[r * 3 + i] == all.scores[r * C_SEEN + known[i]]);
    question_close(&all);
    question_close(&some);
    task_close(&t);
}

static void its_hidden_layers_are_those_of_the_task(void **state)
{
    static const size_t hidden[] = {7, 5, 3};
    small_task t;
    void *fitted;
    (void)state;
    task_open(&t, &(collection_options){.name = "hidden"}, C_SEEN);
    t.task.epochs = 1;
    t.task.hidden = hidden;
    t.task.hidden_count = 3;
    assert_ok(f0t_ranker_warp.fit(&fitted, &t.task, NULL, KNOBS));
    const f0t_net_shape *shape = f0t_net_get_shape(((const f0t_scorer *)fitted)->net);
    assert_int_equal(shape->hidden_count, 3);
    assert_memory_equal(shape->hidden, hidden, sizeof hidden);
    f0t_ranker_warp.free(fitted);
    task_close(&t);
}

static void its_bytes_depend_on_neither_threads_nor_blocks(void **state)
{
    (void)state;
    keeps_its_bytes(&f0t_ranker_warp, KNOBS);
}

static void failures_leak_nothing(void **state)
{
    (void)state;
    survives_faults(&f0t_ranker_warp, KNOBS);
    refuses_untagged(&f0t_ranker_warp, KNOBS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_learns_tags),
        cmocka_unit_test(a_candidate_has_its_own_tags_score),
        cmocka_unit_test(its_hidden_layers_are_those_of_the_task),
        cmocka_unit_test(its_bytes_depend_on_neither_threads_nor_blocks),
        cmocka_unit_test(failures_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
