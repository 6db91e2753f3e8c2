#include "products.h"

#include "math/tiles.h"

static void need_tiles(void)
{
    if (!f0t_tiles_native())
        test_skip("this CPU has no AMX tiles for bfloat16, or F0T_MAX_CPU is set");
}

/* Borders of tiles, of pairs of tiles and of blocks. */
static void shapes_around_tiles_match_the_reference(void **state)
{
    static const size_t shapes[][3] = {{16, 16, 32},  {17, 33, 65},   {32, 31, 64},
                                       {33, 16, 127}, {257, 40, 100}, {16, 513, 1100}};
    (void)state;
    need_tiles();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        check_forms(shapes[i][0], shapes[i][1], shapes[i][2], 0, (int)i, i < 4 ? 3 : 11);
        check_forms(shapes[i][0], shapes[i][1], shapes[i][2], 1, (int)i, i < 4 ? 3 : 11);
    }
}

static void small_products_are_not_for_tiles(void **state)
{
    f0t_matmul op = {.m = 16, .n = 16, .k = 32, .type = F0T_BF16, .result = F0T_F32};
    (void)state;
    assert_true(f0t_tiles_fit(&op));
    op.m = 15;
    assert_false(f0t_tiles_fit(&op));
    op.m = 16, op.k = 31;
    assert_false(f0t_tiles_fit(&op));
    op.k = 32, op.type = F0T_F32;
    assert_false(f0t_tiles_fit(&op));
}

/* C of m rows, B packed when `packed` is given. */
static float *multiply(size_t m, size_t n, size_t k, const f0t_packed *packed)
{
    const f0t_matmul op = {
        .m = m, .n = n, .k = k, .type = F0T_BF16, .result = F0T_F32, .b_transposed = true};
    uint16_t *a = make_matrix(m * k, F0T_BF16, 1), *b = make_matrix(n * k, F0T_BF16, 2);
    float *c = make(m * n, sizeof *c);
    assert_ok(packed ? f0t_matmul_run_packed(c, a, packed, NULL, &op)
                     : f0t_matmul_run(c, a, b, NULL, &op));
    f0t_free(a);
    f0t_free(b);
    return c;
}

static void a_matrix_packed_in_parts_is_the_same(void **state)
{
    enum { M = 5, N = 75, K = 70, PART = 48 };
    need_tiles();
    float *wide = make((size_t)N * K, sizeof *wide);
    uint16_t *narrow = make_matrix((size_t)N * K, F0T_BF16, 2);
    f0t_packed *whole, *parts;
    (void)state;
    f0t_dtype_to_f32(wide, narrow, F0T_BF16, (size_t)N * K);
    assert_ok(f0t_packed_create(&whole, K, N, F0T_BF16, M));
    assert_ok(f0t_packed_create(&parts, K, N, F0T_BF16, M));
    assert_ok(f0t_packed_set(whole, wide, true));
    assert_ok(f0t_packed_set_columns(parts, wide, 0, PART));
    assert_ok(f0t_packed_set_columns(parts, wide + PART * K, PART, N - PART));
    assert_fails(F0T_ERROR_UNSUPPORTED, "set in these parts",
                 f0t_packed_set_columns(parts, wide, 8, 16));
    assert_fails(F0T_ERROR_UNSUPPORTED, "set in these parts",
                 f0t_packed_set_columns(parts, wide, 0, 8));
    float *one = multiply(M, N, K, whole), *other = multiply(M, N, K, parts);
    assert_memory_equal(one, other, sizeof(float) * M * N);
    f0t_free(one);
    f0t_free(other);
    f0t_packed_free(whole);
    f0t_packed_free(parts);
    f0t_free(wide);
    f0t_free(narrow);
}

static void rows_do_not_depend_on_other_rows_or_threads(void **state)
{
    enum { N = 300, K = 1100 };
    (void)state;
    need_tiles();
    float *many = multiply(300, N, K, NULL);
    for (int threads = 1; threads <= 3; threads++) {
        test_threads(threads);
        float *few = multiply(17, N, K, NULL);
        assert_memory_equal(many, few, sizeof(float) * 17 * N);
        f0t_free(few);
    }
    test_threads(0);
    f0t_free(many);
}

static void a_matrix_beyond_memory_has_no_room(void **state)
{
    (void)state;
    assert_int_equal(f0t_tiles_room(SIZE_MAX / 4, SIZE_MAX / 4), 0);
    if (f0t_tiles_native())
        assert_int_equal(f0t_tiles_room(33, 33), 4 * 2 * 512);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_around_tiles_match_the_reference),
        cmocka_unit_test(small_products_are_not_for_tiles),
        cmocka_unit_test(a_matrix_packed_in_parts_is_the_same),
        cmocka_unit_test(rows_do_not_depend_on_other_rows_or_threads),
        cmocka_unit_test(a_matrix_beyond_memory_has_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
