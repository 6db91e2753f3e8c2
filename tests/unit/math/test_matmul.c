#include "products.h"

#include "base/cpu.h"
#include "base/monitor.h"
#include "math/workspace.h"

/* Emulators are slow: F0T_TEST_SMALL leaves out the large shapes. */
static bool small_only(void)
{
    return getenv("F0T_TEST_SMALL") != NULL;
}

static void small_shapes_match_the_reference_in_every_form(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 17, 64};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    (void)state;
    for (int i = 0; i < SIZES * SIZES * SIZES; i++)
        check_forms(sizes[i % SIZES], sizes[i / SIZES % SIZES], sizes[i / SIZES / SIZES], 0, i,
                    small_only() ? 37 : 7);
}

static void odd_shapes_match_the_reference_in_every_form(void **state)
{
    static const size_t shapes[][3] = {{31, 65, 127}, {1, 925, 300}, {300, 1, 77}, {40, 81, 150}};
    (void)state;
    for (size_t i = 0; i < (small_only() ? 1 : 4); i++)
        check_forms(shapes[i][0], shapes[i][1], shapes[i][2], 0, 0, 1);
}

static void packed_products_match_the_reference_in_every_form(void **state)
{
    static const size_t shapes[][4] = {
        {1, 1, 1, 1}, {5, 16, 31, 5}, {33, 100, 65, 1000}, {1000, 20, 7, 1}, {1, 925, 300, 256}};
    (void)state;
    for (size_t i = 0; i < (small_only() ? 3 : 5); i++)
        check_forms(shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3], 0, 1);
}

/* Compares each 43rd row, the last one too: the reference would take seconds for all. */
static void check_some_rows(const f0t_matmul *op)
{
    enum { STEP = 43 };
    size_t size = f0t_dtype_size(op->type), rows = op->m / STEP + 1;
    char *a = make_matrix(op->m * op->k, op->type, 1), *some = make(rows * op->k, size);
    char *b = make_matrix(op->k * op->n, op->type, 2), *c = make(op->m * op->n, sizeof(float));
    double *want = make(rows * op->n, sizeof *want), *magnitude = make(rows * op->n, sizeof *want);
    size_t width = op->n * f0t_dtype_size(op->result);
    assert_int_equal(op->m % STEP, 1);
    assert_ok(f0t_matmul_run(c, a, b, NULL, op));
    for (size_t i = 0; i < rows; i++) {
        for (size_t l = 0; l < op->k; l++)
            memcpy(some + (i * op->k + l) * size,
                   a + (op->a_transposed ? l * op->m + i * STEP : i * STEP * op->k + l) * size,
                   size);
        memmove(c + i * width, c + i * STEP * width, width);
    }
    f0t_matmul rows_op = *op;
    rows_op.m = rows;
    rows_op.a_transposed = false;
    f0t_matmul_ref(want, magnitude, some, b, NULL, &rows_op);
    assert_near(c, want, magnitude, &rows_op);
    f0t_free(a);
    f0t_free(some);
    f0t_free(b);
    f0t_free(c);
    f0t_free(want);
    f0t_free(magnitude);
}

/* Large enough for each of the kernels that choose_kind has for large matrices. */
static void large_shapes_match_the_reference(void **state)
{
    (void)state;
    for (int form = 0; form < 6 && !small_only(); form++) {
        f0t_dtype type = form % 3 ? F0T_BF16 : F0T_F32, result = form % 3 == 2 ? F0T_BF16 : F0T_F32;
        f0t_matmul op = {
            .m = 517, .n = 530, .k = 515, .type = type, .result = result, .a_transposed = form / 3};
        check_some_rows(&op);
    }
}

static void long_sums_and_long_rows_match_the_reference(void **state)
{
    static const size_t shapes[][3] = {{3, 2, 100003}, {100003, 2, 3}, {2, 100003, 3}};
    (void)state;
    for (int i = 0; i < 3 && !small_only(); i++)
        for (int form = 0; form < 8; form++) {
            product p = {{.m = shapes[i][0],
                          .n = shapes[i][1],
                          .k = shapes[i][2],
                          .type = form & 4 ? F0T_BF16 : F0T_F32,
                          .result = F0T_F32,
                          .a_transposed = form & 1,
                          .b_transposed = form & 2},
                         false};
            check_product(&p, 0);
        }
}

static void a_product_without_rows_or_columns_touches_nothing(void **state)
{
    float c[] = {7, 7};
    f0t_matmul no_rows = {.m = 0, .n = 2, .k = 3}, no_columns = {.m = 2, .n = 0, .k = 3};
    (void)state;
    assert_ok(f0t_matmul_run(c, NULL, NULL, NULL, &no_rows));
    assert_ok(f0t_matmul_run(c, NULL, NULL, NULL, &no_columns));
    assert_true(c[0] == 7 && c[1] == 7);
}

static void an_empty_sum_is_the_bias_or_zero(void **state)
{
    float c[] = {7, 7, 7, 7}, bias[] = {1.5F, -2};
    f0t_matmul op = {.m = 2, .n = 2, .k = 0};
    (void)state;
    assert_ok(f0t_matmul_run(c, NULL, NULL, NULL, &op));
    assert_true(c[0] == 0 && c[3] == 0);
    assert_ok(f0t_matmul_run(c, NULL, NULL, bias, &op));
    assert_true(c[2] == 1.5F && c[3] == -2);
    op.accumulate = op.relu = true;
    assert_ok(f0t_matmul_run(c, NULL, NULL, bias, &op));
    assert_true(c[2] == 3 && c[3] == 0);
    uint16_t narrow[4];
    f0t_matmul bf16 = {.m = 2, .n = 2, .k = 0, .type = F0T_BF16, .result = F0T_BF16};
    assert_ok(f0t_matmul_run(narrow, NULL, NULL, bias, &bf16));
    assert_int_equal(narrow[2], f0t_f32_to_bf16_ref(1.5F));
}

static void an_empty_packed_matrix_gives_the_bias(void **state)
{
    float c[] = {7, 7}, bias[] = {1, 2};
    f0t_packed *packed;
    f0t_matmul op = {.m = 1, .n = 2, .k = 0};
    (void)state;
    assert_ok(f0t_packed_create(&packed, 0, 2, F0T_F32, 1));
    assert_ok(f0t_packed_set(packed, NULL, false));
    assert_ok(f0t_matmul_run_packed(c, NULL, packed, bias, &op));
    assert_true(c[0] == 1 && c[1] == 2);
    f0t_packed_free(packed);
}

/* The identity times a packed matrix is the matrix. */
static void what_was_packed_comes_back(void **state)
{
    enum { K = 37, N = 101 };
    float plain[K * N], transposed[N * K], back[K * N], identity[K * K] = {0};
    uint16_t identity16[K * K];
    (void)state;
    test_random_floats(plain, K * N, 5);
    for (size_t i = 0; i < K * N; i++)
        transposed[i % N * K + i / N] = plain[i];
    for (size_t i = 0; i < K; i++)
        identity[i * K + i] = 1;
    f0t_f32_to_bf16(identity16, identity, K * K);
    for (int form = 0; form < 4; form++) {
        f0t_dtype type = form & 1 ? F0T_BF16 : F0T_F32;
        const void *left = form & 1 ? (const void *)identity16 : identity;
        const f0t_matmul op = {.m = K, .n = N, .k = K, .type = type};
        f0t_packed *packed;
        assert_ok(f0t_packed_create(&packed, K, N, type, 8));
        assert_ok(f0t_packed_set(packed, form & 2 ? transposed : plain, form & 2));
        assert_ok(f0t_matmul_run_packed(back, left, packed, NULL, &op));
        for (size_t i = 0; i < K * N; i++)
            assert_true(
                back[i] ==
                (type == F0T_F32 ? plain[i] : f0t_bf16_to_f32_ref(f0t_f32_to_bf16_ref(plain[i]))));
        f0t_packed_free(packed);
    }
}

static void senseless_products_are_refused(void **state)
{
    float x[16] = {0};
    f0t_matmul half = {.m = 1, .n = 1, .k = 1, .type = F0T_F16};
    f0t_matmul narrow = {.m = 1, .n = 1, .k = 1, .type = F0T_F32, .result = F0T_BF16};
    f0t_matmul added = {.m = 1, .n = 1, .k = 1, .type = F0T_BF16, .result = F0T_BF16};
    f0t_matmul huge = {.m = SIZE_MAX / 2, .n = 4, .k = 1};
    f0t_packed *packed;
    (void)state;
    added.accumulate = true;
    assert_fails(F0T_ERROR_ARGUMENT, "float16", f0t_matmul_run(x, x, x, NULL, &half));
    assert_fails(F0T_ERROR_ARGUMENT, "bfloat16", f0t_matmul_run(x, x, x, NULL, &narrow));
    assert_fails(F0T_ERROR_ARGUMENT, "added", f0t_matmul_run(x, x, x, NULL, &added));
    assert_fails(F0T_ERROR_ARGUMENT, "larger than memory", f0t_matmul_run(x, x, x, NULL, &huge));
    assert_fails(F0T_ERROR_ARGUMENT, "float16", f0t_packed_create(&packed, 1, 1, F0T_F16, 1));
    assert_null(packed);
    assert_ok(f0t_packed_create(&packed, 2, 2, F0T_F32, 1));
    f0t_matmul other = {.m = 1, .n = 3, .k = 2};
    assert_fails(F0T_ERROR_ARGUMENT, "not 2 x 3",
                 f0t_matmul_run_packed(x, x, packed, NULL, &other));
    f0t_packed_free(packed);
}

static f0t_status run_once(void *context)
{
    float a[6] = {1, 2, 3, 4, 5, 6}, c[4];
    uint16_t narrow[6] = {0};
    f0t_packed *packed;
    f0t_matmul op = {.m = 2, .n = 2, .k = 3}, bf16 = op;
    (void)context;
    bf16.type = bf16.result = F0T_BF16;
    f0t_matmul_clear();
    F0T_TRY(f0t_matmul_run(c, a, a, NULL, &op));
    F0T_TRY(f0t_matmul_run(c, narrow, narrow, NULL, &bf16));
    F0T_TRY(f0t_packed_create(&packed, 3, 2, F0T_F32, 2));
    f0t_status status = f0t_matmul_run_packed(c, a, packed, NULL, &op);
    f0t_packed_free(packed);
    return status;
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, run_once, NULL);
}

static void the_second_call_allocates_nothing(void **state)
{
    (void)state;
    for (int form = 0; form < 3; form++) {
        uint16_t narrow[4096] = {0};
        float c[4096];
        f0t_dtype type = form ? F0T_BF16 : F0T_F32, result = form == 2 ? F0T_BF16 : F0T_F32;
        f0t_matmul op = {.m = 20,
                         .n = 30,
                         .k = 40,
                         .type = type,
                         .result = result,
                         .a_transposed = true,
                         .relu = true};
        assert_ok(f0t_matmul_run(c, narrow, narrow, NULL, &op));
        f0t_fault_set(F0T_FAULT_ALLOC, 0);
        assert_ok(f0t_matmul_run(c, narrow, narrow, NULL, &op));
        assert_int_equal(f0t_fault_count(F0T_FAULT_ALLOC), 0);
    }
}

static void the_cache_of_plans_is_bounded(void **state)
{
    float x[256] = {0};
    (void)state;
    for (size_t k = 1; k <= 2 * F0T_MATMUL_KEPT; k++) {
        f0t_matmul op = {.m = 1, .n = 1, .k = k};
        assert_ok(f0t_matmul_run(x, x + 1, x + 1, NULL, &op));
    }
    assert_int_equal(f0t_matmul_kept(), F0T_MATMUL_KEPT);
    f0t_matmul_clear();
    assert_int_equal(f0t_matmul_kept(), 0);
}

static int lines;

static void count_line(void *user, f0t_log_level level, const char *line)
{
    (void)user;
    assert_int_equal(level, F0T_LOG_WARNING);
    assert_non_null(strstr(line, "bfloat16"));
    lines++;
}

static void missing_bf16_is_told_once(void **state)
{
    f0t_monitor monitor = {.log = count_line};
    (void)state;
    f0t_matmul_bf16_notice(&monitor);
    f0t_matmul_bf16_notice(&monitor);
    assert_int_equal(lines, f0t_matmul_bf16_native() ? 0 : 1);
}

/* Registered with ONEDNN_MAX_CPU_ISA at levels without bfloat16, which must then fall back. */
static void an_old_cpu_has_no_native_bf16(void **state)
{
    const char *isa = getenv("ONEDNN_MAX_CPU_ISA");
    (void)state;
    if (isa && (!strcmp(isa, "SSE41") || !strcmp(isa, "AVX2") || !strcmp(isa, "AVX512_CORE")))
        assert_false(f0t_matmul_bf16_native());
    else
        test_skip("ONEDNN_MAX_CPU_ISA does not say SSE41, AVX2 or AVX512_CORE");
}

static void results_do_not_depend_on_what_ran_before(void **state)
{
    enum { M = 40, N = 50, K = 60 };
    float a[M * K], b[K * N], first[M * N], second[M * N];
    f0t_matmul op = {.m = M, .n = N, .k = K}, other = {.m = N, .n = M, .k = K};
    (void)state;
    test_random_floats(a, M * K, 1);
    test_random_floats(b, K * N, 2);
    assert_ok(f0t_matmul_run(first, a, b, NULL, &op));
    assert_ok(f0t_matmul_run(second, b, a, NULL, &other));
    assert_ok(f0t_matmul_run(second, a, b, NULL, &op));
    assert_memory_equal(first, second, sizeof first);
}

static void nan_and_infinity_pass_through(void **state)
{
    enum { N = 70, K = 3 };
    float a[K] = {1, 1, 1}, b[K * N] = {0}, c[N];
    f0t_matmul op = {.m = 1, .n = N, .k = K};
    (void)state;
    b[N + 3] = NAN;
    b[N + 5] = INFINITY;
    assert_ok(f0t_matmul_run(c, a, b, NULL, &op));
    assert_true(isnan(c[3]) && isinf(c[5]) && c[4] == 0);
}

/* Without AVX-512 the same but for rounding. */
static void check_same_rows(const float *want, const float *got, size_t count)
{
    double largest = 0;
    if (f0t_cpu_level() == F0T_CPU_WIDEST)
        assert_memory_equal(want, got, count * sizeof *want);
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs((double)want[i]));
    for (size_t i = 0; i < count; i++)
        assert_true(fabs((double)want[i] - (double)got[i]) <= 1e-5 * largest);
}

static void rows_do_not_depend_on_how_many_there_are(void **state)
{
    enum { ROWS = 40, INPUTS = 300, OUTPUTS = 70 };
    (void)state;
    static float a[ROWS * INPUTS], b[OUTPUTS * INPUTS], bias[OUTPUTS], whole[ROWS * OUTPUTS],
        part[ROWS * OUTPUTS];
    f0t_matmul op = {.m = ROWS, .n = OUTPUTS, .k = INPUTS, .b_transposed = true};
    test_random_floats(a, ROWS * INPUTS, 1);
    test_random_floats(b, OUTPUTS * INPUTS, 2);
    test_random_floats(bias, OUTPUTS, 3);
    assert_ok(f0t_matmul_run_stable(whole, a, b, bias, &op));
    for (op.m = 1; op.m <= ROWS; op.m++) {
        memset(part, 0, sizeof part);
        assert_ok(f0t_matmul_run_stable(part, a, b, bias, &op));
        check_same_rows(whole, part, op.m * OUTPUTS);
    }
    op.m = 0;
    assert_ok(f0t_matmul_run_stable(part, a, b, bias, &op));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_shapes_match_the_reference_in_every_form),
        cmocka_unit_test(odd_shapes_match_the_reference_in_every_form),
        cmocka_unit_test(packed_products_match_the_reference_in_every_form),
        cmocka_unit_test(large_shapes_match_the_reference),
        cmocka_unit_test(long_sums_and_long_rows_match_the_reference),
        cmocka_unit_test(a_product_without_rows_or_columns_touches_nothing),
        cmocka_unit_test(an_empty_sum_is_the_bias_or_zero),
        cmocka_unit_test(an_empty_packed_matrix_gives_the_bias),
        cmocka_unit_test(what_was_packed_comes_back),
        cmocka_unit_test(senseless_products_are_refused),
        cmocka_unit_test(every_failed_allocation_is_reported),
        cmocka_unit_test(the_second_call_allocates_nothing),
        cmocka_unit_test(the_cache_of_plans_is_bounded),
        cmocka_unit_test(missing_bf16_is_told_once),
        cmocka_unit_test(an_old_cpu_has_no_native_bf16),
        cmocka_unit_test(results_do_not_depend_on_what_ran_before),
        cmocka_unit_test(nan_and_infinity_pass_through),
        cmocka_unit_test(rows_do_not_depend_on_how_many_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
