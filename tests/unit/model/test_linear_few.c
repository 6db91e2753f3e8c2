/* Few images: the map by way of the N x N matrix is the one by way of the D x D matrix. */
#include "collection.h"

#include "model/linear.h"

#include <math.h>

enum { FEATURES = 96, IMAGES = 20 };

typedef struct few_case {
    f0t_dataset *dataset;
    f0t_condition unit;
    f0t_samples train;
    float vectors[C_SEEN * C_DIM];
    f0t_train_data data;
} few_case;

static void open_case(few_case *c)
{
    collection files =
        collection_create(&(collection_options){.name = "few", .features = FEATURES});
    uint32_t number[C_TAGS];
    *c = (few_case){0};
    assert_ok(f0t_dataset_open(&c->dataset, files.path, NULL, NULL));
    for (uint32_t t = 0; t < C_TAGS; t++)
        number[t] = t < C_SEEN ? t : F0T_NO_SAMPLE_TAG;
    assert_ok(f0t_samples_create(&c->train, c->dataset, F0T_TRAIN, number, C_SEEN, false));
    assert_true(c->train.count > FEATURES);
    assert_ok(f0t_condition_create(&c->unit, F0T_CONDITION_UNIT, c->dataset, &c->train, NULL));
    for (size_t i = 0; i < C_SEEN * C_DIM; i++)
        c->vectors[i] = collection_vector(i / C_DIM, i % C_DIM);
    c->data = (f0t_train_data){.dataset = c->dataset,
                               .condition = &c->unit,
                               .train = &c->train,
                               .tags = c->vectors,
                               .dim = C_DIM};
}

static void close_case(few_case *c)
{
    f0t_samples_free(&c->train);
    f0t_condition_free(&c->unit);
    f0t_dataset_close(c->dataset);
}

static void both_ways_lead_to_one_map(void **state)
{
    static double moments[FEATURES * FEATURES], maps[2 * C_DIM * FEATURES],
        other[2 * C_DIM * FEATURES];
    static float crossed[2 * C_DIM * FEATURES];
    const double lambdas[] = {0.1, 10}, ridges[] = {0.01, 1, 30};
    f0t_linear_few *few;
    few_case c;
    (void)state;
    open_case(&c);
    assert_false(f0t_linear_is_few(&c.data));
    c.train.count = IMAGES;
    assert_true(f0t_linear_is_few(&c.data));
    assert_ok(f0t_linear_sums(moments, crossed, &c.data, lambdas, 2, F0T_HINGE_SQUARED, NULL));
    assert_ok(f0t_linear_few_create(&few, &c.data, lambdas, 2, F0T_HINGE_SQUARED, NULL));
    for (size_t i = 0; i < 3; i++) {
        double size = 0, apart = 0;
        assert_ok(f0t_linear_solve(maps, moments, crossed, 2 * C_DIM, FEATURES, ridges[i]));
        assert_ok(f0t_linear_few_solve(other, few, ridges[i]));
        for (size_t k = 0; k < 2 * C_DIM * FEATURES; k++) {
            size = fmax(size, fabs(maps[k]));
            apart = fmax(apart, fabs(maps[k] - other[k]));
        }
        assert_true(size > 0 && apart < 1e-3 * size);
    }
    f0t_linear_few_free(few);
    close_case(&c);
}

static f0t_status run_few(void *context)
{
    static double maps[C_DIM * FEATURES];
    const few_case *c = context;
    const double lambda = 1;
    f0t_linear_few *few;
    F0T_TRY(f0t_linear_few_create(&few, &c->data, &lambda, 1, F0T_HINGE_SQUARED, NULL));
    f0t_status status = f0t_linear_few_solve(maps, few, 1);
    f0t_linear_few_free(few);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    few_case c;
    (void)state;
    open_case(&c);
    c.train.count = IMAGES;
    test_each_fault(F0T_FAULT_ALLOC, run_few, &c);
    close_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_lead_to_one_map),
        cmocka_unit_test(every_allocation_may_fail),
    };
    test_threads(1); /* faults come in one order */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
