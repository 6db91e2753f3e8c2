/* One head of attention against its definition in double, on every CPU level: also where another way is faster. */
#include "support.h"

#include "base/kernels.h"
#include "math/attention.h"

#include <math.h>
#include <string.h>

typedef struct arrays {
    float *q, *k, *v, *result, *room;
} arrays;

static float *some(size_t count, uint64_t seed)
{
    float *numbers = NULL;
    assert_ok(f0t_alloc(&numbers, count, sizeof *numbers));
    test_random_floats(numbers, count, seed);
    return numbers;
}

static arrays make(const f0t_attention *h)
{
    const size_t k_rows = h->k_transposed ? h->n : h->inner;
    return (arrays){some(h->m * h->q_row, 1), some(k_rows * h->k_row, 2), some(h->n * h->v_row, 3),
                    some(h->m * h->result_row, 4), some(f0t_attention_room(h), 5)};
}

static void clear(arrays *a)
{
    float *all[] = {a->q, a->k, a->v, a->result, a->room};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        f0t_free(all[k]);
}

/* Row i of the weights, before they are divided by their sum, which is returned. */
static double weigh(double *weights, const f0t_attention *h, const arrays *a, size_t i)
{
    double top = -INFINITY, sum = 0;
    for (size_t j = 0; j < h->n; j++) {
        weights[j] = 0;
        for (size_t e = 0; e < h->inner; e++)
            weights[j] += (double)h->scale * (double)a->q[i * h->q_row + e] *
                          (double)a->k[h->k_transposed ? j * h->k_row + e : e * h->k_row + j];
        top = fmax(top, weights[j]);
    }
    for (size_t j = 0; j < h->n; j++)
        sum += weights[j] = exp(weights[j] - top);
    return sum;
}

static void check_row(const f0t_attention *h, const arrays *a, const float *before, size_t i)
{
    double weights[256];
    const double sum = weigh(weights, h, a, i);
    for (size_t c = 0; c < h->result_row; c++) {
        const float got = a->result[i * h->result_row + c];
        double want = 0;
        for (size_t j = 0; j < h->n && c < h->width; j++)
            want += weights[j] / sum * (double)a->v[j * h->v_row + c];
        if (c >= h->width)
            want = (double)before[i * h->result_row + c];
        if (!(fabs((double)got - want) <= 1e-5))
            fail_msg("%zu x %zu, inner %zu, width %zu: row %zu, column %zu is %.9g, not %.9g", h->m,
                     h->n, h->inner, h->width, i, c, (double)got, want);
    }
}

static void check(const f0t_attention *h, const f0t_kernel_table *kernels)
{
    arrays a = make(h);
    float *before = some(h->m * h->result_row, 4), *one = some(h->result_row, 6);
    kernels->attention_head(a.result, a.q, a.k, a.v, h, a.room);
    for (size_t i = 0; i < h->m; i++)
        check_row(h, &a, before, i);
    f0t_attention single = *h; /* the last row is the same alone */
    single.m = 1;
    kernels->attention_head(one, a.q + (h->m - 1) * h->q_row, a.k, a.v, &single, a.room);
    assert_memory_equal(one, a.result + (h->m - 1) * h->result_row, h->width * sizeof *one);
    f0t_free(before);
    f0t_free(one);
    clear(&a);
}

/* Sizes that fill panels, tiles and vectors, and that do not; what lies between the rows stays as it is. */
static void heads_match_the_definition(void **state)
{
    static const f0t_attention heads[] = {
        {7, 48, 16, 32, 16, 16, 32, 32, true, 1},
        {50, 50, 64, 64, 200, 210, 220, 230, true, 0.125F},
        {15, 197, 64, 64, 64, 197, 64, 64, false, 0.125F},
        {1, 1, 1, 1, 1, 1, 1, 1, true, 1},
        {9, 17, 5, 3, 6, 20, 4, 7, false, 3},
        {8, 33, 17, 49, 17, 17, 49, 50, true, -0.5F},
        {3, 100, 33, 130, 40, 33, 130, 140, true, 0},
        {14, 16, 48, 16, 48, 16, 16, 16, false, 1},
    };
    (void)state;
    for (f0t_cpu level = 0; level <= f0t_cpu_level(); level++)
        for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
            check(&heads[k], f0t_kernels_of(level));
}

/* Exponents far below that of the largest are 0; a row with what is no number has none, the others do not care. */
static void check_far_products(const f0t_kernel_table *kernels)
{
    const f0t_attention h = {2, 20, 4, 4, 4, 4, 4, 4, true, 1};
    arrays a = make(&h);
    for (size_t k = 0; k < 80; k++)
        a.k[k] = 0;
    a.k[3 * 4] = 300;
    a.k[5 * 4] = -300;
    a.k[6 * 4] = -1e30F;
    a.q[0] = 1;
    kernels->attention_head(a.result, a.q, a.k, a.v, &h, a.room);
    for (size_t c = 0; c < 4; c++)
        assert_true(fabsf(a.result[c] - a.v[3 * 4 + c]) <= 1e-6F);
    a.q[4] = NAN;
    kernels->attention_head(a.result, a.q, a.k, a.v, &h, a.room);
    for (size_t c = 0; c < 8; c++)
        assert_int_equal(isnan(a.result[c]) != 0, c >= 4);
    clear(&a);
}

static void far_products_and_no_numbers(void **state)
{
    (void)state;
    for (f0t_cpu level = 0; level <= f0t_cpu_level(); level++)
        check_far_products(f0t_kernels_of(level));
}

/* Those of this CPU's level. */
static void a_run_takes_the_kernel(void **state)
{
    const f0t_attention h = {9, 17, 5, 3, 6, 20, 4, 7, false, 3};
    arrays a = make(&h), b = make(&h);
    (void)state;
    f0t_attention_run(a.result, a.q, a.k, a.v, &h, a.room);
    f0t_kernels()->attention_head(b.result, b.q, b.k, b.v, &h, b.room);
    assert_memory_equal(a.result, b.result, h.m * h.result_row * sizeof *a.result);
#if defined(__x86_64__)
    assert_int_equal(f0t_attention_native(), f0t_cpu_level() > F0T_CPU_BASE);
#endif
    clear(&a);
    clear(&b);
}

static void room_is_counted(void **state)
{
    f0t_attention h = {.m = 1, .n = 49, .inner = 8, .width = 8};
    (void)state;
    assert_int_equal(f0t_attention_room(&h), 96 * (8 + 7) + 49 * 32);
    h.n = SIZE_MAX / 2;
    assert_int_equal(f0t_attention_room(&h), 0);
    h.n = h.inner = (size_t)1 << 40;
    assert_int_equal(f0t_attention_room(&h), 0);
    h.inner = 1;
    h.width = (size_t)1 << 40;
    assert_int_equal(f0t_attention_room(&h), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_match_the_definition),
        cmocka_unit_test(far_products_and_no_numbers),
        cmocka_unit_test(a_run_takes_the_kernel),
        cmocka_unit_test(room_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
