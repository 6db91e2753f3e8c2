#include "../model/nets.h"

/* Parameters in float and the same in double. */
typedef struct both {
    size_t n;
    f0t_parameters fast;
    double *w, *m, *v;
} both;

static both make_both(size_t n, bool half)
{
    both b = {.n = n};
    b.fast.w = make_floats(n, 1);
    b.fast.m = make_floats(n, 2);
    b.fast.v = make_floats(n, 3);
    for (size_t i = 0; i < n; i++)
        b.fast.v[i] = fabsf(b.fast.v[i]);
    b.fast.decays = true;
    if (half)
        assert_ok(f0t_alloc_zero(&b.fast.half, n, sizeof(uint16_t)));
    b.w = make_doubles(b.fast.w, n);
    b.m = make_doubles(b.fast.m, n);
    b.v = make_doubles(b.fast.v, n);
    return b;
}

static void free_both(both *b)
{
    f0t_free(b->fast.w);
    f0t_free(b->fast.m);
    f0t_free(b->fast.v);
    f0t_free(b->fast.half);
    f0t_free(b->w);
    f0t_free(b->m);
    f0t_free(b->v);
}

static void check_update(f0t_optimizer_kind kind, size_t n, bool half)
{
    f0t_optimizer optimizer = f0t_optimizer_default(kind);
    optimizer.decay = 0.01;
    both b = make_both(n, half);
    for (uint64_t t = 1; t <= 3; t++) {
        float *g = make_floats(n, 10 + t);
        double *g64 = make_doubles(g, n);
        f0t_optimizer_update(&b.fast, 0, g, n, &optimizer, t, 0.1);
        f0t_optimizer_update_ref(b.w, b.m, b.v, g64, n, true, &optimizer, t, 0.1);
        f0t_free(g);
        f0t_free(g64);
    }
    for (size_t i = 0; i < n; i++) {
        assert_true(fabs((double)b.fast.w[i] - b.w[i]) < 1e-5);
        assert_true(fabs((double)b.fast.m[i] - b.m[i]) < 1e-5);
        if (kind == F0T_OPTIMIZER_ADAM)
            assert_true(fabs((double)b.fast.v[i] - b.v[i]) < 1e-6);
        if (half)
            assert_int_equal(b.fast.half[i], f0t_f32_to_bf16_ref(b.fast.w[i]));
    }
    free_both(&b);
}

static void updates_match_the_reference(void **state)
{
    static const size_t sizes[] = {1, 2, 15, 16, 255, 256, 257, 1000, 40001};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int form = 0; form < 4; form++)
            check_update(form & 1 ? F0T_OPTIMIZER_ADAM : F0T_OPTIMIZER_SGD, sizes[i], form & 2);
}

static void pieces_and_threads_give_the_same_bytes(void **state)
{
    enum { N = 50000 };
    f0t_optimizer adam = f0t_optimizer_default(F0T_OPTIMIZER_ADAM);
    both whole = make_both(N, true), pieces = make_both(N, true);
    float *g = make_floats(N, 77);
    (void)state;
    test_threads(2);
    f0t_optimizer_update(&whole.fast, 0, g, N, &adam, 5, 1e-3);
    test_threads(1);
    for (size_t first = 0; first < N; first += 777) {
        size_t n = N - first < 777 ? N - first : 777;
        f0t_optimizer_update(&pieces.fast, first, g + first, n, &adam, 5, 1e-3);
    }
    test_threads(0);
    assert_memory_equal(whole.fast.w, pieces.fast.w, N * sizeof(float));
    assert_memory_equal(whole.fast.m, pieces.fast.m, N * sizeof(float));
    assert_memory_equal(whole.fast.v, pieces.fast.v, N * sizeof(float));
    assert_memory_equal(whole.fast.half, pieces.fast.half, N * sizeof(uint16_t));
    f0t_free(g);
    free_both(&whole);
    free_both(&pieces);
}

static void a_gradient_of_zero_at_the_start_leaves_the_weight(void **state)
{
    float w = 3, m = 0, v = 0, g = 0;
    f0t_optimizer adam = f0t_optimizer_default(F0T_OPTIMIZER_ADAM);
    (void)state;
    f0t_optimizer_update(&(f0t_parameters){.w = &w, .m = &m, .v = &v}, 0, &g, 1, &adam, 1, 0.1);
    assert_true(w == 3.0F && m == 0.0F && v == 0.0F);
}

static void numbers_out_of_range_are_refused(void **state)
{
    f0t_optimizer good = f0t_optimizer_default(F0T_OPTIMIZER_ADAM), bad;
    (void)state;
    assert_ok(f0t_optimizer_check(&good));
    bad = good;
    bad.beta1 = 1;
    assert_fails(F0T_ERROR_ARGUMENT, "Adam's first decay rate is ", f0t_optimizer_check(&bad));
    bad = good;
    bad.beta2 = -0.1;
    assert_fails(F0T_ERROR_ARGUMENT, "second decay rate", f0t_optimizer_check(&bad));
    bad = good;
    bad.momentum = (double)NAN;
    assert_fails(F0T_ERROR_ARGUMENT, "the momentum is nan: it must be at least 0 and below 1",
                 f0t_optimizer_check(&bad));
    bad = good;
    bad.epsilon = -1;
    assert_fails(F0T_ERROR_ARGUMENT, "Adam's epsilon is -1: it must not be negative",
                 f0t_optimizer_check(&bad));
    bad = good;
    bad.decay = (double)INFINITY;
    assert_fails(F0T_ERROR_ARGUMENT, "the weight decay is inf: it must not be negative",
                 f0t_optimizer_check(&bad));
}

/* Numbers that are no longer normal are slow. */
static void moments_without_a_gradient_become_0(void **state)
{
    enum { N = 40, STEPS = 900 };
    const f0t_optimizer optimizer = f0t_optimizer_default(F0T_OPTIMIZER_ADAM);
    float nothing[N] = {0};
    (void)state;
    both b = make_both(N, false);
    for (size_t i = 0; i < N; i++)
        b.fast.v[i] = 1e-36F;
    for (uint64_t t = 1; t <= STEPS; t++)
        f0t_optimizer_update(&b.fast, 0, nothing, N, &optimizer, t, 0);
    for (size_t i = 0; i < N; i++)
        assert_true(b.fast.m[i] == 0 && b.fast.v[i] == 0);
    free_both(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(updates_match_the_reference),
        cmocka_unit_test(pieces_and_threads_give_the_same_bytes),
        cmocka_unit_test(a_gradient_of_zero_at_the_start_leaves_the_weight),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(moments_without_a_gradient_become_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
