#include "collection.h"

#include "model/linear.h"
#include "rank/ranksvm.h"

#include <math.h>

typedef struct sums_case {
    f0t_dataset *dataset;
    f0t_condition unit;
    f0t_samples train;
    float vectors[C_SEEN * C_DIM];
    f0t_train_data data;
} sums_case;

static void open_case(sums_case *c)
{
    collection files = collection_create(&(collection_options){.name = "sums"});
    uint32_t number[C_TAGS];
    *c = (sums_case){0};
    assert_ok(f0t_dataset_open(&c->dataset, files.path, NULL, NULL));
    for (uint32_t t = 0; t < C_TAGS; t++)
        number[t] = t < C_SEEN ? t : F0T_NO_SAMPLE_TAG;
    assert_ok(f0t_samples_create(&c->train, c->dataset, F0T_TRAIN, number, C_SEEN, false));
    assert_ok(f0t_condition_create(&c->unit, F0T_CONDITION_UNIT, c->dataset, &c->train, NULL));
    for (size_t i = 0; i < C_SEEN * C_DIM; i++)
        c->vectors[i] = collection_vector(i / C_DIM, i % C_DIM);
    c->data = (f0t_train_data){.dataset = c->dataset,
                               .condition = &c->unit,
                               .train = &c->train,
                               .tags = c->vectors,
                               .dim = C_DIM};
}

static void close_case(sums_case *c)
{
    f0t_samples_free(&c->train);
    f0t_condition_free(&c->unit);
    f0t_dataset_close(c->dataset);
}

/* The direction of each sample, solved as a rule of its own. */
static float *solve_samples(const sums_case *c, double lambda)
{
    f0t_ranksvm *svm;
    f0t_rules *rules;
    f0t_ranksvm_options options = {.hinge = F0T_HINGE_SQUARED};
    f0t_tag_sets sets = {c->train.offsets, c->train.relevant, c->train.count, C_SEEN};
    float *directions, *of_samples;
    assert_ok(f0t_rules_create(&rules, &sets, NULL, C_SEEN));
    assert_ok(f0t_ranksvm_create(&svm, c->vectors, C_SEEN, C_DIM));
    assert_ok(f0t_alloc(&directions, rules->count * C_DIM, sizeof(float)));
    assert_ok(f0t_alloc(&of_samples, c->train.count * C_DIM, sizeof(float)));
    assert_ok(f0t_ranksvm_solve(directions, NULL, svm, rules, &lambda, 1, &options, NULL));
    for (size_t i = 0; i < c->train.count; i++)
        memcpy(of_samples + i * C_DIM, directions + rules->of_image[i] * C_DIM,
               C_DIM * sizeof(float));
    f0t_free(directions);
    f0t_ranksvm_free(svm);
    f0t_rules_free(rules);
    return of_samples;
}

static void assert_crossed(const sums_case *c, const float *crossed, double lambda)
{
    float *w = solve_samples(c, lambda), *x;
    assert_ok(f0t_alloc(&x, c->train.count * C_FEATURES, sizeof *x));
    assert_ok(f0t_condition_gather(x, &c->unit, c->dataset, c->train.images, c->train.count));
    for (size_t k = 0; k < C_DIM; k++)
        for (size_t j = 0; j < C_FEATURES; j++) {
            double sum = 0, size = 0;
            for (size_t i = 0; i < c->train.count; i++) {
                double product = (double)w[i * C_DIM + k] * (double)x[i * C_FEATURES + j];
                sum += product;
                size += fabs(product);
            }
            /* a solution is exact to its duality gap only */
            assert_true(fabs(sum - (double)crossed[k * C_FEATURES + j]) < 0.01 * size + 1e-6);
        }
    f0t_free(w);
    f0t_free(x);
}

static void sums_are_those_of_each_sample(void **state)
{
    const double lambdas[] = {0.1, 10};
    enum { D = C_FEATURES };
    sums_case c;
    double moments[D * D];
    float crossed[2 * C_DIM * D], alone[C_DIM * D];
    (void)state;
    open_case(&c);
    assert_ok(f0t_linear_sums(moments, crossed, &c.data, lambdas, 2, F0T_HINGE_SQUARED, NULL));
    assert_crossed(&c, crossed, 0.1);
    assert_crossed(&c, crossed + C_DIM * D, 10);
    assert_ok(f0t_linear_sums(NULL, alone, &c.data, lambdas + 1, 1, F0T_HINGE_SQUARED, NULL));
    assert_crossed(&c, alone, 10);
    double trace = 0;
    for (size_t j = 0; j < D; j++)
        trace += moments[j * D + j];
    assert_true(fabs(trace - (double)c.train.count) < 1e-3); /* features have length 1 */
    close_case(&c);
}

/* maps · (moments + ridge · mean diagonal) gives back what was crossed. */
static void the_solution_solves_its_system(void **state)
{
    enum { D = 7, ROWS = 3 };
    const double ridge = 0.3;
    float x[20 * D], crossed[ROWS * D];
    double moments[D * D] = {0}, maps[ROWS * D], mean = 0;
    (void)state;
    test_random_floats(x, 20 * D, 1);
    test_random_floats(crossed, ROWS * D, 2);
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++)
            for (size_t r = 0; r < 20; r++)
                moments[i * D + j] += (double)x[r * D + i] * (double)x[r * D + j];
    for (size_t j = 0; j < D; j++)
        mean += moments[j * D + j] / D;
    assert_ok(f0t_linear_solve(maps, moments, crossed, ROWS, D, ridge));
    for (size_t r = 0; r < ROWS; r++)
        for (size_t j = 0; j < D; j++) {
            double sum = ridge * mean * maps[r * D + j];
            for (size_t i = 0; i < D; i++)
                sum += maps[r * D + i] * moments[i * D + j];
            assert_true(fabs(sum - (double)crossed[r * D + j]) < 1e-9);
        }
}

static f0t_status run_sums(void *context)
{
    sums_case *c = context;
    const double lambda = 1;
    double moments[C_FEATURES * C_FEATURES], maps[C_DIM * C_FEATURES];
    float crossed[C_DIM * C_FEATURES];
    F0T_TRY(f0t_linear_sums(moments, crossed, &c->data, &lambda, 1, F0T_HINGE_SQUARED, NULL));
    return f0t_linear_solve(maps, moments, crossed, C_DIM, C_FEATURES, 1);
}

static void failed_allocations_leak_nothing(void **state)
{
    sums_case c;
    (void)state;
    open_case(&c);
    test_each_fault(F0T_FAULT_ALLOC, run_sums, &c);
    close_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_each_sample),
        cmocka_unit_test(the_solution_solves_its_system),
        cmocka_unit_test(failed_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
