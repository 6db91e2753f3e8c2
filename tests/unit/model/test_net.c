#include "nets.h"

static const f0t_net_shape paper_like = {6, 2, {12, 3}, 4, true};

static void sizes_of_layers_follow_from_the_shape(void **state)
{
    (void)state;
    assert_int_equal(f0t_net_shape_layers(&paper_like), 3);
    assert_int_equal(f0t_net_shape_inputs(&paper_like, 0), 6);
    assert_int_equal(f0t_net_shape_outputs(&paper_like, 0), 12);
    assert_int_equal(f0t_net_shape_inputs(&paper_like, 2), 3);
    assert_int_equal(f0t_net_shape_outputs(&paper_like, 2), 4);
}

static void impossible_shapes_are_refused(void **state)
{
    f0t_net *net;
    (void)state;
    f0t_net_shape none = {0, 0, {0}, 4, true}, empty = {5, 1, {0}, 4, true};
    f0t_net_shape no_outputs = {5, 0, {0}, 0, true}, deep = {5, 9, {0}, 4, true};
    f0t_net_shape huge = {SIZE_MAX / 2, 1, {4}, 4, true};
    f0t_net_shape large = {(size_t)1 << 30, 1, {(size_t)1 << 31}, 4, true};
    assert_fails(F0T_ERROR_ARGUMENT, "a net needs at least one input",
                 f0t_net_create(&net, &f0t_compute_cpu, &none, F0T_F32));
    assert_fails(F0T_ERROR_ARGUMENT, "layer 1 of the net has no outputs",
                 f0t_net_create(&net, &f0t_compute_cpu, &empty, F0T_F32));
    assert_fails(F0T_ERROR_ARGUMENT, "layer 1",
                 f0t_net_create(&net, &f0t_compute_cpu, &no_outputs, F0T_F32));
    assert_fails(F0T_ERROR_ARGUMENT, "a net has at most 8 hidden layers, not 9",
                 f0t_net_create(&net, &f0t_compute_cpu, &deep, F0T_F32));
    assert_fails(F0T_ERROR_ARGUMENT, "a net with a layer of 4 x 9223372036854775807 is too large",
                 f0t_net_create(&net, &f0t_compute_cpu, &huge, F0T_F32));
    assert_fails(F0T_ERROR_ARGUMENT, "too large",
                 f0t_net_create(&net, &f0t_compute_cpu, &large, F0T_F32));
    assert_fails(F0T_ERROR_ARGUMENT, "a net computes in float32 or bfloat16, not float16",
                 f0t_net_create(&net, &f0t_compute_cpu, &paper_like, F0T_F16));
    assert_null(net);
}

static void arrays_have_names_and_sizes_and_come_back(void **state)
{
    static const char *const names[] = {"layer0.weight", "layer0.bias",   "layer1.weight",
                                        "layer1.bias",   "layer2.weight", "layer2.bias"};
    static const size_t sizes[][2] = {{12, 6}, {1, 12}, {3, 12}, {1, 3}, {4, 3}, {1, 4}};
    (void)state;
    f0t_net *net = make_net(&paper_like, F0T_BF16, 1);
    assert_int_equal(f0t_net_array_count(net), 6);
    for (size_t i = 0; i < 6; i++) {
        f0t_model_array array = f0t_net_array(net, i);
        size_t n = array.rows * array.cols;
        assert_string_equal(array.name, names[i]);
        assert_int_equal(array.rows, sizes[i][0]);
        assert_int_equal(array.cols, sizes[i][1]);
        float *values = make_floats(n, i), *back = make_floats(n, 99);
        assert_ok(f0t_net_array_set(net, i, values));
        assert_ok(f0t_net_array_get(back, net, i));
        assert_memory_equal(values, back, n * sizeof *values);
        f0t_free(values);
        f0t_free(back);
    }
    f0t_net_free(net);
}

static void a_net_without_bias_has_weights_alone(void **state)
{
    f0t_net_shape shape = paper_like;
    (void)state;
    shape.bias = false;
    f0t_net *net = make_net(&shape, F0T_F32, 1);
    assert_int_equal(f0t_net_array_count(net), 3);
    assert_string_equal(f0t_net_array(net, 2).name, "layer2.weight");
    f0t_net_free(net);
}

static double mean_square(const f0t_net *net, size_t i)
{
    f0t_model_array array = f0t_net_array(net, i);
    size_t n = array.rows * array.cols;
    float *values = make_floats(n, 0);
    double sum = 0;
    assert_ok(f0t_net_array_get(values, net, i));
    for (size_t j = 0; j < n; j++)
        sum += (double)values[j] * (double)values[j];
    f0t_free(values);
    return sum / (double)n;
}

static void random_weights_have_the_stated_variance(void **state)
{
    f0t_net_shape shape = {200, 1, {100}, 150, true};
    f0t_net *net = NULL;
    (void)state;
    assert_ok(f0t_net_create(&net, &f0t_compute_cpu, &shape, F0T_F32));
    assert_ok(f0t_net_set_random(net, 7, 0.5));
    assert_true(fabs(mean_square(net, 0) / (2.0 / 200) - 1) < 0.05);
    assert_true(fabs(mean_square(net, 2) / (0.25 / 100) - 1) < 0.05);
    assert_true(mean_square(net, 1) == 0.0);
    assert_fails(F0T_ERROR_ARGUMENT, "the scale of a net's output layer is not finite",
                 f0t_net_set_random(net, 7, (double)NAN));
    f0t_net_free(net);
}

static void random_weights_are_a_function_of_the_seed(void **state)
{
    (void)state;
    test_threads(1);
    f0t_net *one = make_net(&paper_like, F0T_F32, 3), *other = make_net(&paper_like, F0T_F32, 4);
    test_threads(2);
    f0t_net *two = make_net(&paper_like, F0T_F32, 3);
    test_threads(0);
    float a[72], b[72], c[72];
    assert_ok(f0t_net_array_get(a, one, 0));
    assert_ok(f0t_net_array_get(b, two, 0));
    assert_ok(f0t_net_array_get(c, other, 0));
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, c, sizeof a);
    f0t_net_free(one);
    f0t_net_free(two);
    f0t_net_free(other);
}

static void check_apply(const net_case *c, f0t_dtype precision, double tolerance)
{
    f0t_net *net = make_net(&c->shape, precision, 21);
    size_t outputs = c->rows * c->shape.outputs;
    float *x = make_floats(c->rows * c->shape.inputs, 8), *f = make_floats(outputs, 9);
    double *x64 = make_doubles(x, c->rows * c->shape.inputs), *want = make_doubles(f, outputs);
    f0t_net_ref *ref = NULL;
    assert_ok(f0t_net_ref_create(&ref, net));
    assert_ok(f0t_net_ref_forward(ref, want, &(f0t_batch_ref){.x = x64, .rows = c->rows}));
    assert_ok(f0t_net_apply(f, net, x, c->rows));
    double distance = relative_distance(f, want, outputs);
    if (!(distance <= tolerance))
        fail_msg("%zu x %zu: off by %g", c->rows, c->shape.inputs, distance);
    f0t_net_ref_free(ref);
    f0t_free(x);
    f0t_free(f);
    f0t_free(x64);
    f0t_free(want);
    f0t_net_free(net);
}

static void applied_nets_match_the_reference(void **state)
{
    (void)state;
    for (size_t i = 0; i < case_count(); i++)
        check_apply(&odd_cases[i], F0T_F32, 1e-5);
}

static void nets_in_bfloat16_are_near_the_reference(void **state)
{
    (void)state;
    for (size_t i = 0; i < case_count(); i++)
        check_apply(&odd_cases[i], F0T_BF16, 0.03);
}

static void many_rows_are_applied_in_blocks(void **state)
{
    net_case many = {2500, 1, {3, 1, {5}, 2, true}};
    (void)state;
    check_apply(&many, F0T_F32, 1e-5);
    check_apply(&many, F0T_BF16, 0.03);
}

static void no_rows_give_nothing(void **state)
{
    (void)state;
    f0t_net *net = make_net(&paper_like, F0T_F32, 1);
    assert_ok(f0t_net_apply(NULL, net, NULL, 0));
    f0t_net_free(net);
}

static f0t_status create_and_apply(void *context)
{
    f0t_net *net = NULL;
    float x[12] = {1}, f[8];
    (void)context;
    f0t_matmul_clear();
    F0T_TRY(f0t_net_create(&net, &f0t_compute_cpu, &paper_like, F0T_BF16));
    f0t_status status = f0t_net_apply(f, net, x, 2);
    f0t_net_free(net);
    return status;
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, create_and_apply, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_of_layers_follow_from_the_shape),
        cmocka_unit_test(impossible_shapes_are_refused),
        cmocka_unit_test(arrays_have_names_and_sizes_and_come_back),
        cmocka_unit_test(a_net_without_bias_has_weights_alone),
        cmocka_unit_test(random_weights_have_the_stated_variance),
        cmocka_unit_test(random_weights_are_a_function_of_the_seed),
        cmocka_unit_test(applied_nets_match_the_reference),
        cmocka_unit_test(nets_in_bfloat16_are_near_the_reference),
        cmocka_unit_test(many_rows_are_applied_in_blocks),
        cmocka_unit_test(no_rows_give_nothing),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
