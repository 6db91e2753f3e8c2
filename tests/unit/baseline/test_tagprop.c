#include "tasks.h"

static void all_four_kinds_find_the_tags_of_images(void **state)
{
    (void)state;
    made_task m;
    made_task_create(&m, C_TAGS, 0);
    float *scores = made_room(&m);
    for (int kind = 0; kind < 4; kind++) {
        const double knobs[] = {20, kind % 2, kind / 2};
        assert_ok(made_scores(scores, &m, &f0t_ranker_tagprop, knobs, m.test.count));
        assert_true(made_miap(&m, scores) > 80);
        for (size_t i = 0; i < m.test.count * m.tags.count; i++)
            assert_true(scores[i] > 0 && scores[i] < 1.0001F);
    }
    made_check_blocks(&m, &f0t_ranker_tagprop);
    f0t_free(scores);
    made_task_free(&m);
}

/* Photographs: nearest neighbours are near what can be had from these features. */
static void real_photographs_reach_what_is_known(void **state)
{
    (void)state;
    const char *path = test_data("flickr8k");
    f0t_dataset *dataset;
    f0t_condition unit;
    f0t_task task = {.unit = &unit, .effort = 1};
    f0t_miap miap = {0};
    uint32_t *all;
    float *x, *scores;
    void *shared, *fitted;
    const double knobs[] = {50, 1, 0};
    assert_ok(f0t_dataset_open(&dataset, path, NULL, NULL));
    task.dataset = dataset;
    task.tags = f0t_dataset_tag_count(dataset);
    assert_ok(f0t_alloc(&all, task.tags, sizeof *all));
    for (size_t t = 0; t < task.tags; t++)
        all[t] = (uint32_t)t;
    assert_ok(f0t_samples_create(&task.train, dataset, F0T_TRAIN, all, task.tags, true));
    assert_ok(f0t_samples_create(&task.val, dataset, F0T_VAL, all, task.tags, true));
    assert_ok(f0t_condition_create(&unit, F0T_CONDITION_UNIT, dataset, &task.train, NULL));
    assert_ok(f0t_alloc(&x, task.val.count * unit.dim, sizeof *x));
    assert_ok(f0t_alloc(&scores, task.val.count * task.tags, sizeof *scores));
    assert_ok(f0t_task_read(x, &task, task.val.images, task.val.count));
    f0t_candidates tags = {.count = task.tags, .known = all};
    f0t_queries queries = {.count = task.val.count, .features = x};
    assert_ok(f0t_ranker_tagprop.prepare(&shared, &task));
    assert_ok(f0t_ranker_tagprop.fit(&fitted, &task, shared, knobs));
    assert_ok(f0t_ranker_tagprop.score(scores, fitted, &task, &tags, &queries));
    f0t_ranking ranking = {.images = task.val.count,
                           .tags = task.tags,
                           .scores = scores,
                           .offsets = task.val.offsets,
                           .relevant = task.val.relevant};
    assert_ok(f0t_miap_add(&miap, &ranking));
    assert_true(f0t_miap_get(&miap) > 0.56);
    f0t_ranker_tagprop.free(fitted);
    f0t_ranker_tagprop.release(shared);
    f0t_samples_free(&task.train);
    f0t_samples_free(&task.val);
    f0t_condition_free(&unit);
    f0t_dataset_close(dataset);
    f0t_free(all);
    f0t_free(x);
    f0t_free(scores);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    made_task m;
    made_task_create(&m, C_TAGS, 0);
    m.task.train.count = 60; /* each of many faults is a run */
    made_check_faults(&m, &f0t_ranker_tagprop);
    made_task_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_four_kinds_find_the_tags_of_images),
        cmocka_unit_test(real_photographs_reach_what_is_known),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
