#include "devices.h"

static const struct {
    size_t m, n, k;
} sizes[] = {{1, 1, 1},      {3, 5, 7},   {17, 300, 33},  {64, 925, 300},
             {100, 37, 925}, {33, 64, 0}, {128, 256, 512}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* What a product takes, on both devices. */
typedef struct operands {
    f0t_buffer *a[2], *b[2], *bias[2], *c[2];
} operands;

static operands make_operands(const f0t_compute *const *computes, const f0t_matmul *op, bool bias)
{
    float *a = random_floats(op->m * op->k, 1), *b = random_floats(op->k * op->n, 2);
    float *added = random_floats(op->n, 3), *c = random_floats(op->m * op->n, 4);
    operands made = {0};
    for (int i = 0; i < 2; i++) {
        made.a[i] = buffer_of(computes[i], op->type, a, op->m * op->k);
        made.b[i] = buffer_of(computes[i], op->type, b, op->k * op->n);
        made.c[i] = buffer_of(computes[i], op->result, c, op->m * op->n);
        if (bias)
            made.bias[i] = buffer_of(computes[i], F0T_F32, added, op->n);
    }
    f0t_free(a);
    f0t_free(b);
    f0t_free(c);
    f0t_free(added);
    return made;
}

static void check_product(const f0t_matmul *op, bool bias, double tolerance)
{
    const f0t_compute *const computes[] = {&f0t_compute_cpu, gpu()};
    operands of = make_operands(computes, op, bias);
    for (int i = 0; i < 2; i++)
        assert_ok(computes[i]->product(of.c[i], of.a[i], of.b[i], of.bias[i], op));
    assert_near(of.c[0], of.c[1], op->m * op->n, tolerance);
    free_all(of.a, 2);
    free_all(of.b, 2);
    free_all(of.c, 2);
    free_all(of.bias, 2);
}

/* Bit b of `form`: A transposed, B transposed, accumulate, relu, bias. */
static void check_forms(f0t_dtype type, f0t_dtype result, double tolerance)
{
    for (size_t s = 0; s < SIZES; s++)
        for (unsigned form = 0; form < 32; form++) {
            const f0t_matmul op = {.m = sizes[s].m,
                                   .n = sizes[s].n,
                                   .k = sizes[s].k,
                                   .type = type,
                                   .result = result,
                                   .a_transposed = form & 1,
                                   .b_transposed = form & 2,
                                   .accumulate = form & 4 && result == F0T_F32,
                                   .relu = form & 8};
            check_product(&op, form & 16, tolerance);
        }
}

static void float32_products_are_the_cpus(void **state)
{
    (void)state;
    check_forms(F0T_F32, F0T_F32, 2e-6);
}

static void bfloat16_products_are_the_cpus(void **state)
{
    (void)state;
    check_forms(F0T_BF16, F0T_F32, 2e-6);
    check_forms(F0T_BF16, F0T_BF16, 1e-2);
}

static void coarse_products_are_near(void **state)
{
    const f0t_matmul op = {.m = 50, .n = 92, .k = 300, .coarse = true};
    (void)state;
    check_product(&op, true, 2e-3);
}

static void packed_matrices_are_either_way_round(void **state)
{
    enum { M = 31, N = 45, K = 29 };
    const f0t_compute *const computes[] = {&f0t_compute_cpu, gpu()};
    float *a = random_floats(M * K, 1), *b = random_floats(K * N, 2);
    (void)state;
    for (int transposed = 0; transposed < 2; transposed++) {
        f0t_buffer *c[2], *left[2], *packed[2];
        for (int i = 0; i < 2; i++) {
            const f0t_matmul op = {.m = M, .n = N, .k = K, .b_transposed = true};
            left[i] = buffer_of(computes[i], F0T_F32, a, M * K);
            c[i] = buffer_of(computes[i], F0T_F32, NULL, M * N);
            assert_ok(
                f0t_buffer_create_packed(&packed[i], computes[i], F0T_F32, b, K, N, transposed, M));
            assert_ok(computes[i]->product(c[i], left[i], packed[i], NULL, &op));
        }
        assert_near(c[0], c[1], M * N, 2e-6);
        free_all(c, 2);
        free_all(left, 2);
        free_all(packed, 2);
    }
    f0t_free(a);
    f0t_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float32_products_are_the_cpus),
        cmocka_unit_test(bfloat16_products_are_the_cpus),
        cmocka_unit_test(coarse_products_are_near),
        cmocka_unit_test(packed_matrices_are_either_way_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
