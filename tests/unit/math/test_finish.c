/* Numbers without a finite value in what convolutions do to a result: as ONNX has it for Relu, Clip, Sigmoid and Swish. */
#include "support.h"

#include "base/cpu.h"
#include "math/finish.h"

static const f0t_after relu = {F0T_ACTIVATION_RELU, 0, 0}, clip = {F0T_ACTIVATION_CLIP, -1, 6},
                       leaky = {F0T_ACTIVATION_RELU, 0.1F, 0}, swish = {F0T_ACTIVATION_SWISH, 1, 0},
                       sigmoid = {F0T_ACTIVATION_SIGMOID, 0, 0};

static void limits_are_read(void **state)
{
    f0t_finish f;
    (void)state;
    assert_true(f0t_finish_read(&f, NULL, 0));
    assert_true(f.kind == F0T_FINISH_LIMITS && isinf(f.low) && f.low < 0 && isinf(f.high));
    assert_true(f0t_finish_read(&f, &relu, 1));
    assert_true(f.kind == F0T_FINISH_LIMITS && f.low == 0 && isinf(f.high) && f.high > 0);
    assert_true(f0t_finish_read(&f, &clip, 1));
    assert_true(f.kind == F0T_FINISH_LIMITS && f.low == -1 && f.high == 6);
    assert_true(f0t_finish_read(&f, &swish, 1));
    assert_int_equal(f.kind, F0T_FINISH_SWISH);
    assert_true(f0t_finish_read(&f, &sigmoid, 1));
    assert_int_equal(f.kind, F0T_FINISH_SIGMOID);
    assert_false(f0t_finish_read(&f, &leaky, 1));
    assert_false(f0t_finish_read(&f, (const f0t_after[]){relu, clip}, 2));
}

#if defined(__x86_64__)

enum { LANES = 16, NUMBERS = 6 };

static const float numbers[NUMBERS] = {INFINITY, -INFINITY, NAN, 3e38F, -3e38F, 0.5F};

/* What becomes of `numbers`. */
F0T_AVX512 static void run(float *out, const f0t_after *after)
{
    float lanes[LANES] = {0};
    f0t_finish f;
    assert_true(f0t_finish_read(&f, after, after ? 1 : 0));
    for (size_t i = 0; i < NUMBERS; i++)
        lanes[i] = numbers[i];
    const __m512 x = _mm512_loadu_ps(lanes);
    _mm512_storeu_ps(lanes, f.kind == F0T_FINISH_LIMITS ? f0t_finish_one(x, &f, F0T_FINISH_LIMITS)
                            : f.kind == F0T_FINISH_SWISH
                                ? f0t_finish_one(x, &f, F0T_FINISH_SWISH)
                                : f0t_finish_one(x, &f, F0T_FINISH_SIGMOID));
    for (size_t i = 0; i < NUMBERS; i++)
        out[i] = lanes[i];
}

static void becomes(const f0t_after *after, const float want[NUMBERS])
{
    float got[NUMBERS];
    run(got, after);
    for (size_t i = 0; i < NUMBERS; i++) {
        const bool same = isnan(want[i]) || isinf(want[i])
                              ? isnan(want[i]) ? isnan(got[i]) : got[i] == want[i]
                              : fabsf(got[i] - want[i]) <= 1e-6F * fmaxf(1, fabsf(want[i]));
        if (!same)
            fail_msg("activation %d of %g is %g, not %g", after ? (int)after->kind : -1,
                     (double)numbers[i], (double)got[i], (double)want[i]);
    }
}

static void what_is_not_finite_stays_so(void **state)
{
    (void)state;
    if (f0t_cpu_level() != F0T_CPU_WIDEST)
        test_skip("this CPU has no AVX-512, or F0T_MAX_CPU is set");
    becomes(NULL, numbers);
    becomes(&relu, (const float[]){INFINITY, 0, NAN, 3e38F, 0, 0.5F});
    becomes(&clip, (const float[]){6, -1, NAN, 6, -1, 0.5F});
    becomes(&sigmoid, (const float[]){1, 0, NAN, 1, 0, 0.622459331F});
    becomes(&swish, (const float[]){INFINITY, 0, NAN, 3e38F, 0, 0.311229666F});
}

#else

static void what_is_not_finite_stays_so(void **state)
{
    (void)state;
    test_skip("this is for AVX-512 alone");
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(limits_are_read),
                                       cmocka_unit_test(what_is_not_finite_stays_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
