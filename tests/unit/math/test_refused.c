/* Sizes, types and numbers that no kernel takes, and what is said of them. Sizes are refused before memory is looked at. */
#include "support.h"

#include "math/layers.h"
#include "math/matmul.h"
#include "math/onednn.h"
#include "math/product.h"
#include "math/solve.h"

#include <limits.h>
#include <math.h>

static const size_t HUGE_SIZE = (size_t)1 << 40;

static void types_that_no_product_has(void **state)
{
    static const struct {
        f0t_matmul op;
        const char *message;
    } rows[] = {
        {{.m = 1, .n = 1, .k = 1, .type = F0T_F16},
         "products take float32 or bfloat16, not float16"},
        {{.m = 1, .n = 1, .k = 1, .type = F0T_F32, .result = F0T_BF16},
         "a product of float32 matrices cannot be bfloat16"},
        {{.m = 1, .n = 1, .k = 1, .type = F0T_BF16, .result = F0T_BF16, .accumulate = true},
         "a product can be added to float32 only, not to bfloat16"},
        {{.m = (size_t)1 << 40, .n = (size_t)1 << 40, .k = 1},
         "a matrix of 1099511627776 x 1099511627776 is larger than memory can be"},
    };
    float x = 0;
    f0t_packed *packed;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_fails(F0T_ERROR_ARGUMENT, rows[i].message,
                     f0t_matmul_run(&x, &x, &x, NULL, &rows[i].op));
    assert_fails(F0T_ERROR_ARGUMENT, "a packed matrix is float32 or bfloat16, not float16",
                 f0t_packed_create(&packed, 2, 2, F0T_F16, 1));
    assert_null(packed);
}

static void rows_that_are_too_long(void **state)
{
    const f0t_matmul op = {.m = 1, .n = SIZE_MAX / 8, .k = SIZE_MAX / 8};
    float x = 0;
    (void)state;
    assert_fails(F0T_ERROR_MEMORY, "numbers are too long",
                 f0t_matmul_run_stable(&x, &x, &x, NULL, &op));
}

static void products_that_are_too_large(void **state)
{
    const f0t_product op = {.m = 1, .n = HUGE_SIZE, .k = 1};
    double d = 0;
    float x = 0;
    (void)state;
    assert_fails(F0T_ERROR_UNSUPPORTED, "a matrix of 1 x 1099511627776 x 1 is too large",
                 f0t_product_f64(&d, &d, &d, &op, NULL));
    assert_fails(F0T_ERROR_UNSUPPORTED, "a block of 1 x 1099511627776 is too large",
                 f0t_gram_add(&d, &x, 1, HUGE_SIZE));
    assert_fails(F0T_ERROR_MEMORY, "no products of 1 x 1 x ",
                 f0t_cross_add(&x, &x, &x, SIZE_MAX / 2, 1, 1));
}

static void matrices_that_have_no_solution(void **state)
{
    double a[] = {1, 2, 2, 1}, x[] = {1, 1}, values[600];
    static double large[600 * 600];
    (void)state;
    assert_fails(F0T_ERROR_NUMERIC, "not positive definite: pivot 2 of 2 is not above 0",
                 f0t_cholesky_solve_f64(a, 2, x, 1, NULL));
    assert_fails(F0T_ERROR_UNSUPPORTED, "rows or columns is too large",
                 f0t_cholesky_solve_f64(a, HUGE_SIZE, x, 1, NULL));
    large[600 * 599] = NAN;
    assert_fails(F0T_ERROR_NUMERIC, "the matrix holds NaN or infinity",
                 f0t_eigen_watched(large, 600, values, NULL));
}

static void layouts_have_dimensions(void **state)
{
    f0t_layout *layout;
    const size_t one = 1;
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT, "a layout of 0 dimensions",
                 f0t_layout_create_strided(&layout, 0, &one, &one, F0T_F32));
    assert_null(layout);
}

static void what_onednn_says(void **state)
{
    (void)state;
    assert_ok(f0t_onednn_status(dnnl_success, "add"));
    assert_fails(F0T_ERROR_MEMORY, "oneDNN has no memory to add",
                 f0t_onednn_status(dnnl_out_of_memory, "add"));
    assert_fails(F0T_ERROR_UNSUPPORTED, "oneDNN cannot add on this CPU",
                 f0t_onednn_status(dnnl_unimplemented, "add"));
    assert_fails(F0T_ERROR_INTERNAL, "oneDNN fails to add (status 2)",
                 f0t_onednn_status(dnnl_invalid_arguments, "add"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_that_no_product_has),
        cmocka_unit_test(rows_that_are_too_long),
        cmocka_unit_test(products_that_are_too_large),
        cmocka_unit_test(matrices_that_have_no_solution),
        cmocka_unit_test(layouts_have_dimensions),
        cmocka_unit_test(what_onednn_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
