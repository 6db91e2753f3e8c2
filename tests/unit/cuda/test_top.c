#include "devices.h"

/* Rows of random numbers, of few different ones, of one, with NaN and infinities. */
static float *make_rows(size_t rows, size_t n)
{
    float *x = random_floats(rows * n, n);
    for (size_t i = 0; i < rows * n; i++) {
        const size_t r = i / n;
        if (r % 4 == 1)
            x[i] = x[i] < 0 ? -0.0F : floorf(x[i] * 3) * 0.5F;
        if (r % 4 == 2)
            x[i] = 7;
        if (r % 4 == 3)
            x[i] = x[i] < -0.5F ? NAN : x[i] > 0.9F ? INFINITY : x[i] < -0.3F ? -INFINITY : x[i];
    }
    return x;
}

static void check_top(size_t rows, size_t n, size_t k)
{
    const f0t_compute *const computes[] = {&f0t_compute_cpu, gpu()};
    const size_t kept = k < n ? k : n;
    float *x = make_rows(rows, n), *value[2];
    uint32_t *index[2];
    for (int i = 0; i < 2; i++) {
        f0t_buffer *scores = buffer_of(computes[i], F0T_F32, x, rows * n);
        assert_ok(f0t_alloc(&index[i], rows * kept, sizeof *index[i]));
        assert_ok(f0t_alloc(&value[i], rows * kept, sizeof *value[i]));
        assert_ok(computes[i]->top(index[i], value[i], scores, rows, n, k));
        assert_ok(computes[i]->top(index[i], NULL, scores, rows, n, k));
        f0t_buffer_free(scores);
    }
    assert_memory_equal(index[0], index[1], rows * kept * sizeof *index[0]);
    for (size_t i = 0; i < rows * kept; i++)
        assert_true(value[0][i] == value[1][i] || (isnan(value[0][i]) && isnan(value[1][i])));
    for (int i = 0; i < 2; i++) {
        f0t_free(index[i]);
        f0t_free(value[i]);
    }
    f0t_free(x);
}

static void the_first_are_the_cpus(void **state)
{
    const size_t counts[] = {1, 5, 255, 257, 8192, 8193, 100000};
    const size_t ks[] = {1, 5, 10, 100, 128, 129, 1000};
    (void)state;
    for (size_t s = 0; s < 7; s++)
        for (size_t j = 0; j < 7; j++)
            check_top(8, counts[s], ks[j]);
    check_top(1, 1000000, 10);
    check_top(1, 1000000, 128);
    check_top(3000, 100, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_are_the_cpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
