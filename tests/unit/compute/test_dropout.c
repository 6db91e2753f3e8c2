#include "../model/nets.h"

static uint16_t *make_halves(const float *from, size_t n)
{
    uint16_t *values = NULL;
    assert_ok(f0t_alloc(&values, n, sizeof *values));
    f0t_f32_to_bf16(values, from, n);
    return values;
}

/* ---- Dropout ------------------------------------------------------------------------------------
 */

static void check_drop(size_t n, double rate)
{
    f0t_dropout dropout = f0t_dropout_make(rate, 42, 7, 1);
    float *x = make_floats(n, 1), *y = make_floats(n, 2);
    uint16_t *x16 = make_halves(x, n), *y16 = make_halves(x, n);
    double *factors = make_doubles(x, n);
    f0t_dropout_factors_ref(factors, n, &dropout);
    f0t_layer_input(y, F0T_F32, x, n, &dropout);
    f0t_layer_input(y16, F0T_BF16, x, n, &dropout);
    f0t_layer_drop(x16, F0T_BF16, n, &dropout);
    for (size_t i = 0; i < n; i++) {
        float want = x[i] * (float)factors[i];
        float twice = f0t_bf16_to_f32_ref(f0t_f32_to_bf16_ref(x[i])) * (float)factors[i];
        assert_true(y[i] == want);
        assert_true(f0t_bf16_to_f32_ref(y16[i]) == f0t_bf16_to_f32_ref(f0t_f32_to_bf16_ref(want)));
        assert_true(f0t_bf16_to_f32_ref(x16[i]) == f0t_bf16_to_f32_ref(f0t_f32_to_bf16_ref(twice)));
    }
    f0t_layer_drop(x, F0T_F32, n, &dropout);
    assert_memory_equal(x, y, n * sizeof *x);
    f0t_free(x);
    f0t_free(y);
    f0t_free(x16);
    f0t_free(y16);
    f0t_free(factors);
}

static void dropout_matches_the_reference(void **state)
{
    static const size_t sizes[] = {1, 127, 128, 129, 16384, 50001};
    static const double rates[] = {0, 0.3, 0.5, 0.999};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t j = 0; j < sizeof rates / sizeof *rates; j++)
            check_drop(sizes[i], rates[j]);
}

static void masks_do_not_depend_on_the_number_of_threads(void **state)
{
    enum { N = 100000 };
    f0t_dropout dropout = f0t_dropout_make(0.3, 1, 2, 0);
    float *x = make_floats(N, 1), *one = make_floats(N, 2), *two = make_floats(N, 3);
    (void)state;
    test_threads(1);
    f0t_layer_input(one, F0T_F32, x, N, &dropout);
    test_threads(2);
    f0t_layer_input(two, F0T_F32, x, N, &dropout);
    test_threads(0);
    assert_memory_equal(one, two, N * sizeof *one);
    f0t_free(x);
    f0t_free(one);
    f0t_free(two);
}

/* How many of the first n elements are dropped. */
static size_t count_dropped(const f0t_dropout *dropout, size_t n)
{
    size_t dropped = 0;
    for (size_t i = 0; i < n; i++)
        dropped += f0t_dropout_number(&dropout->random, i) < dropout->limit;
    return dropped;
}

static void the_share_that_is_dropped_is_the_rate(void **state)
{
    enum { N = 100000 };
    (void)state;
    for (int i = 0; i < 10; i++) {
        f0t_dropout dropout = f0t_dropout_make(0.1 * i, 3, 4, 1);
        double share = (double)count_dropped(&dropout, N) / N;
        assert_true(fabs(share - 0.1 * i) < 0.007);
        assert_true(fabs((double)dropout.scale * (1 - 0.1 * i) - 1) < 1e-4);
    }
}

/* Elements where both of two masks of rate one half agree: half of them when independent. */
static double agreement(const f0t_dropout *x, const f0t_dropout *y)
{
    enum { N = 40000 };
    size_t same = 0;
    for (size_t i = 0; i < N; i++)
        same += (f0t_dropout_number(&x->random, i) < x->limit) ==
                (f0t_dropout_number(&y->random, i) < y->limit);
    return (double)same / N;
}

static void seeds_steps_and_layers_have_masks_of_their_own(void **state)
{
    f0t_dropout base = f0t_dropout_make(0.5, 1, 1, 1), seed = f0t_dropout_make(0.5, 2, 1, 1);
    f0t_dropout step = f0t_dropout_make(0.5, 1, 2, 1), layer = f0t_dropout_make(0.5, 1, 1, 2);
    (void)state;
    assert_true(agreement(&base, &base) == 1.0);
    assert_true(fabs(agreement(&base, &seed) - 0.5) < 0.02);
    assert_true(fabs(agreement(&base, &step) - 0.5) < 0.02);
    assert_true(fabs(agreement(&base, &layer) - 0.5) < 0.02);
}

static void a_dropped_infinity_is_zero(void **state)
{
    float x[64], y[64];
    f0t_dropout dropout = f0t_dropout_make(0.5, 1, 1, 1);
    (void)state;
    for (int i = 0; i < 64; i++)
        x[i] = i % 2 ? INFINITY : NAN;
    f0t_layer_input(y, F0T_F32, x, 64, &dropout);
    for (size_t i = 0; i < 64; i++)
        if (f0t_dropout_number(&dropout.random, i) < dropout.limit)
            assert_true(y[i] == 0.0F);
        else
            assert_true(!(fabsf(y[i]) < INFINITY));
}

/* ---- The backward pass --------------------------------------------------------------------------- */

static void check_gate(size_t rows, size_t cols)
{
    size_t n = rows * cols;
    const float scale = 1.25F;
    float *d = make_floats(n, 1), *y = make_floats(n, 2), *sums = make_floats(cols, 3);
    float *gated = make_floats(n, 1), *sums16 = make_floats(cols, 5);
    uint16_t *y16 = make_halves(y, n), *gated16 = make_halves(d, n);
    f0t_layer_gate(gated, y, F0T_F32, rows, cols, scale, sums);
    f0t_layer_gate(gated16, y16, F0T_BF16, rows, cols, scale, sums16);
    for (size_t c = 0; c < cols; c++) {
        double sum = 0;
        for (size_t i = c; i < n; i += cols) {
            float want = y[i] > 0 ? d[i] * scale : 0.0F;
            float wide = f0t_bf16_to_f32_ref(f0t_f32_to_bf16_ref(d[i])) * scale;
            float want16 = y[i] > 0 ? f0t_bf16_to_f32_ref(f0t_f32_to_bf16_ref(wide)) : 0.0F;
            assert_true(gated[i] == want);
            assert_true(f0t_bf16_to_f32_ref(gated16[i]) == want16);
            sum += (double)want;
        }
        assert_true(fabs((double)sums[c] - sum) < 1e-4 * (1 + (double)rows / 100));
        assert_true(fabs((double)sums16[c] - sum) < 0.01 * sqrt((double)rows) + 0.01);
    }
    f0t_free(d);
    f0t_free(y);
    f0t_free(sums);
    f0t_free(gated);
    f0t_free(sums16);
    f0t_free(y16);
    f0t_free(gated16);
}

static void the_way_back_matches_the_plain_loop(void **state)
{
    static const size_t shapes[][2] = {{1, 1}, {1, 17}, {9, 511}, {3, 512}, {5, 513}, {300, 1100}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_gate(shapes[i][0], shapes[i][1]);
}

static void output_gradients_are_rounded_and_summed(void **state)
{
    enum { ROWS = 37, COLS = 601, N = ROWS * COLS };
    float *d = make_floats(N, 1), *copy = make_floats(N, 2), *sums = make_floats(COLS, 3);
    uint16_t *d16 = make_halves(copy, N);
    (void)state;
    f0t_layer_output(copy, F0T_F32, d, ROWS, COLS, sums);
    assert_memory_equal(copy, d, N * sizeof *d);
    f0t_layer_output(d16, F0T_BF16, d, ROWS, COLS, sums);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(d16[i], f0t_f32_to_bf16_ref(d[i]));
    for (size_t c = 0; c < COLS; c++) {
        double sum = 0;
        for (size_t r = 0; r < ROWS; r++)
            sum += (double)d[r * COLS + c];
        assert_true(fabs((double)sums[c] - sum) < 1e-5);
    }
    f0t_free(d);
    f0t_free(copy);
    f0t_free(sums);
    f0t_free(d16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dropout_matches_the_reference),
        cmocka_unit_test(masks_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(the_share_that_is_dropped_is_the_rate),
        cmocka_unit_test(seeds_steps_and_layers_have_masks_of_their_own),
        cmocka_unit_test(a_dropped_infinity_is_zero),
        cmocka_unit_test(the_way_back_matches_the_plain_loop),
        cmocka_unit_test(output_gradients_are_rounded_and_summed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
