#include "batches.h"

static f0t_regression make_regression(size_t images, size_t dims, float **outputs, float **targets)
{
    *outputs = make(images * dims, sizeof(float));
    *targets = make(images * dims, sizeof(float));
    test_random_floats(*outputs, images * dims, 1);
    test_random_floats(*targets, images * dims, 2);
    return (f0t_regression){images, dims, *outputs, *targets, NULL, 0};
}

/* The definition, at most 1e-6 away. */
static void compare(const f0t_regression *at)
{
    double loss = 0, training = 0;
    float *gradient = make(at->images * at->dims, sizeof *gradient);
    f0t_loss_result result;
    assert_ok(f0t_regression_run(&result, gradient, at));
    for (size_t m = 0; m < at->images; m++)
        training += !at->index || at->index[m] != F0T_NO_TARGET;
    for (size_t i = 0; i < at->images * at->dims; i++) {
        size_t m = i / at->dims, row = at->index ? at->index[m] : m;
        bool trains = row != F0T_NO_TARGET;
        double target = trains ? (double)at->targets[row * at->dims + i % at->dims] : 0;
        double difference = trains ? (double)at->outputs[i] - target : 0;
        loss += difference * difference / training;
        double want = 2 * difference / training;
        assert_true(fabs((double)gradient[i] - want) <= 2e-7 * fabs(want));
    }
    assert_true(fabs(result.loss - loss) <= 1e-6 * loss);
    assert_int_equal(result.images, (size_t)training);
    f0t_free(gradient);
}

static void squared_distances_and_their_gradients(void **state)
{
    static const size_t images[] = {0, 1, 2, 63, 64, 65, 200}, dims[] = {0, 1, 7, 300};
    float *outputs, *targets;
    (void)state;
    for (size_t i = 0; i < 7; i++)
        for (size_t d = 0; d < 4; d++) {
            const f0t_regression at = make_regression(images[i], dims[d], &outputs, &targets);
            compare(&at);
            f0t_free(outputs);
            f0t_free(targets);
        }
}

static void images_share_targets_or_have_none(void **state)
{
    const uint32_t index[] = {2, F0T_NO_TARGET, 2, 0, F0T_NO_TARGET};
    float *outputs, *targets;
    f0t_regression at = make_regression(5, 4, &outputs, &targets);
    (void)state;
    at.index = index;
    compare(&at);
    f0t_free(outputs);
    f0t_free(targets);
}

static void images_that_all_have_no_target_give_0(void **state)
{
    const uint32_t index[] = {F0T_NO_TARGET, F0T_NO_TARGET};
    const float outputs[] = {1, 2};
    const f0t_regression at = {2, 1, outputs, NULL, index, 0};
    f0t_loss_result result;
    float gradient[] = {7, 7};
    (void)state;
    assert_ok(f0t_regression_run(&result, gradient, &at));
    assert_true(result.loss == 0 && result.images == 0 && gradient[0] == 0 && gradient[1] == 0);
}

static void threads_change_no_byte_and_the_gradient_may_be_the_outputs(void **state)
{
    enum { IMAGES = 301, DIMS = 19 };
    float *outputs, *targets, first[IMAGES * DIMS];
    f0t_loss_result one, many;
    (void)state;
    for (int threads = 1; threads < 5; threads++) {
        const f0t_regression at = make_regression(IMAGES, DIMS, &outputs, &targets);
        test_threads(1);
        assert_ok(f0t_regression_run(&one, first, &at));
        test_threads(threads);
        assert_ok(f0t_regression_run(&many, outputs, &at));
        assert_true(one.loss == many.loss);
        assert_memory_equal(first, outputs, sizeof first);
        f0t_free(outputs);
        f0t_free(targets);
    }
    test_threads(0);
}

static void numbers_that_are_none_name_the_row(void **state)
{
    float *outputs, *targets, gradient[100 * 3];
    f0t_loss_result result;
    (void)state;
    for (size_t i = 0; i < 300; i += 17) {
        const f0t_regression at = make_regression(100, 3, &outputs, &targets);
        char row[80];
        snprintf(row, sizeof row, "row %zu of the batch: an output or target is NaN or infinite",
                 i / 3);
        (i % 2 ? outputs : targets)[i] = i % 3 ? NAN : INFINITY;
        assert_fails(F0T_ERROR_NUMERIC, row, f0t_regression_run(&result, gradient, &at));
        f0t_free(outputs);
        f0t_free(targets);
    }
}

/* Rows of a part of a mini-batch are divided by the images of the whole. */
static void a_part_has_its_share_of_the_whole(void **state)
{
    const float outputs[] = {1, 2, 3, 4, 5, 6}, targets[6] = {0};
    const f0t_regression whole = {3, 2, outputs, targets, NULL, 0};
    const f0t_regression first = {1, 2, outputs, targets, NULL, 3};
    const f0t_regression rest = {2, 2, outputs + 2, targets + 2, NULL, 3};
    f0t_loss_result all, a, b;
    float g[6], parts[6];
    (void)state;
    assert_ok(f0t_regression_run(&all, g, &whole));
    assert_ok(f0t_regression_run(&a, parts, &first));
    assert_ok(f0t_regression_run(&b, parts + 2, &rest));
    assert_true(fabs(a.loss + b.loss - all.loss) < 1e-12 * all.loss);
    assert_memory_equal(g, parts, sizeof g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squared_distances_and_their_gradients),
        cmocka_unit_test(images_share_targets_or_have_none),
        cmocka_unit_test(images_that_all_have_no_target_give_0),
        cmocka_unit_test(threads_change_no_byte_and_the_gradient_may_be_the_outputs),
        cmocka_unit_test(numbers_that_are_none_name_the_row),
        cmocka_unit_test(a_part_has_its_share_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
