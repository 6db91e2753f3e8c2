#include "tasks.h"

#include "baseline/neighbours.h"

enum { IMAGES = 2500, FEATURES = 6, NEAR = 20 };

/* Enough images for several blocks, one of them cut. */
static f0t_dataset *big_dataset(f0t_task *task, f0t_condition *unit)
{
    f0t_dataset_info info = {.size = sizeof(f0t_dataset_info), .dim = FEATURES, .replace = true};
    f0t_dataset_writer *w;
    f0t_dataset *dataset;
    const f0t_random random = {5, 0};
    const uint32_t number = 0;
    const char *tag = "dog", *path = test_path("big");
    assert_ok(f0t_dataset_create(&w, path, &info));
    for (size_t m = 0; m < IMAGES; m++) {
        float x[FEATURES];
        for (size_t j = 0; j < FEATURES; j++)
            x[j] = (float)f0t_random_normal(&random, m / 2 * FEATURES + j); /* each twice */
        f0t_dataset_row row = {.size = sizeof(f0t_dataset_row),
                               .tags = &tag,
                               .tag_count = 1,
                               .has_split = true,
                               .split = F0T_TRAIN,
                               .features = x};
        assert_ok(f0t_dataset_write(w, &row));
    }
    assert_ok(f0t_dataset_commit(w));
    assert_ok(f0t_dataset_open(&dataset, path, NULL, NULL));
    *task = (f0t_task){.dataset = dataset, .unit = unit, .tags = 1};
    assert_ok(f0t_samples_create(&task->train, dataset, F0T_TRAIN, &number, 1, true));
    assert_ok(f0t_condition_create(unit, F0T_CONDITION_UNIT, dataset, &task->train, NULL));
    return dataset;
}

static double product(const f0t_neighbours *n, size_t i, size_t j)
{
    double sum = 0;
    for (size_t k = 0; k < FEATURES; k++)
        sum += (double)n->rows[i * FEATURES + k] * (double)n->rows[j * FEATURES + k];
    return sum;
}

/* No other image is nearer than the last of the list, which has each image once, itself never. */
static void check_list(const f0t_neighbours *n, size_t i, const f0t_best *best, size_t row,
                       bool own)
{
    bool *in;
    assert_ok(f0t_alloc_zero(&in, IMAGES, sizeof *in));
    assert_int_equal(best->count[row], NEAR);
    for (size_t k = 0; k < NEAR; k++) {
        uint32_t j = best->index[row * NEAR + k];
        assert_true(j < IMAGES && !in[j] && !(own && j == i));
        in[j] = true;
        assert_true(fabs(product(n, i, j) - (double)best->value[row * NEAR + k]) < 1e-5);
        assert_true(k == 0 || best->value[row * NEAR + k] <= best->value[row * NEAR + k - 1]);
    }
    for (size_t j = 0; j < IMAGES; j++)
        if (!in[j] && !(own && j == i))
            assert_true(product(n, i, j) < (double)best->value[row * NEAR + NEAR - 1] + 1e-6);
    f0t_free(in);
}

static void the_nearest_are_those_of_all_comparisons(void **state)
{
    (void)state;
    f0t_task task;
    f0t_condition unit;
    f0t_neighbours *n;
    f0t_best *found;
    float *queries;
    f0t_dataset *dataset = big_dataset(&task, &unit);
    assert_ok(f0t_neighbours_create(&n, &task, NEAR));
    for (size_t i = 0; i < IMAGES; i += 7) {
        check_list(n, i, n->own, i, true);
        assert_int_equal(n->own->index[i * NEAR], i ^ 1); /* its twin */
    }
    assert_ok(f0t_alloc(&queries, IMAGES * FEATURES, sizeof *queries));
    assert_ok(f0t_task_read(queries, &task, task.train.images, IMAGES));
    assert_ok(f0t_neighbours_search(&found, n, queries, IMAGES, NEAR));
    for (size_t i = 0; i < IMAGES; i += 11)
        check_list(n, i, found, i, false);
    f0t_best_free(found);
    f0t_free(queries);
    f0t_neighbours_free(n);
    f0t_samples_free(&task.train);
    f0t_condition_free(&unit);
    f0t_dataset_close(dataset);
}

static void there_are_never_more_neighbours_than_other_images(void **state)
{
    (void)state;
    made_task m;
    f0t_neighbours *n;
    made_task_create(&m, C_SEEN, 0);
    size_t count = m.task.train.count;
    m.task.train.count = 5;
    assert_ok(f0t_neighbours_create(&n, &m.task, 100));
    assert_int_equal(n->own->k, 4);
    f0t_neighbours_free(n);
    m.task.train.count = count;
    made_task_free(&m);
}

static void tasks_over_the_same_images_share_them(void **state)
{
    f0t_neighbour_store store = {0};
    f0t_neighbours *first, *second, *other;
    f0t_condition unit;
    f0t_task task;
    f0t_dataset *dataset = big_dataset(&task, &unit);
    (void)state;
    task.store = &store;
    assert_ok(f0t_neighbours_create(&first, &task, NEAR));
    assert_true(store.lent == 0 && store.seconds > 0);
    assert_ok(f0t_neighbours_create(&second, &task, NEAR));
    assert_ptr_equal(first, second);
    assert_true(store.lent == store.seconds);
    f0t_neighbours_free(first);
    assert_ok(f0t_neighbours_create(&other, &task, NEAR / 2));
    assert_int_equal(other->own->k, NEAR / 2);
    check_list(second, 3, second->own, 3, true); /* it lives as long as its last user */
    f0t_neighbours_free(second);
    f0t_neighbour_store_free(&store);
    assert_int_equal(other->own->k, NEAR / 2);
    f0t_neighbours_free(other);
    f0t_samples_free(&task.train);
    f0t_condition_free(&unit);
    f0t_dataset_close(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_are_those_of_all_comparisons),
        cmocka_unit_test(there_are_never_more_neighbours_than_other_images),
        cmocka_unit_test(tasks_over_the_same_images_share_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
