#include "support.h"

#include "base/dtype.h"
#include "base/kernels.h"

#include <math.h>
#include <string.h>

static uint32_t bits_of(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

static float from_bits(uint32_t u)
{
    float f;
    memcpy(&f, &u, 4);
    return f;
}

/* ---- The definitions ----------------------------------------------------------------------- */

static void halves_have_the_values_of_ieee_754(void **state)
{
    (void)state;
    assert_true(f0t_f16_to_f32_ref(0x0001) == 0x1p-24F);
    assert_true(f0t_f16_to_f32_ref(0x03FF) == 0x1p-14F - 0x1p-24F);
    assert_true(f0t_f16_to_f32_ref(0x0400) == 0x1p-14F);
    assert_true(f0t_f16_to_f32_ref(0x3C00) == 1);
    assert_true(f0t_f16_to_f32_ref(0x3555) == 0.333251953125F);
    assert_true(f0t_f16_to_f32_ref(0x7BFF) == 65504);
    assert_true(f0t_f16_to_f32_ref(0xC000) == -2);
    assert_true(f0t_f16_to_f32_ref(0x7C00) == INFINITY && f0t_f16_to_f32_ref(0xFC00) == -INFINITY);
    assert_true(isnan(f0t_f16_to_f32_ref(0x7C01)) && isnan(f0t_f16_to_f32_ref(0xFFFF)));
    assert_int_equal(bits_of(f0t_f16_to_f32_ref(0x8000)), 0x80000000);
    for (uint32_t h = 0; h < 0x7C00; h++) /* neighbours rise */
        assert_true(f0t_f16_to_f32_ref((uint16_t)h) < f0t_f16_to_f32_ref((uint16_t)(h + 1)));
}

/* Every finite value comes back; a middle of two goes to the even one, what lies beside it to the
 * nearer. That is all that rounding to nearest even says. */
static void check_rounding(float (*wide)(uint16_t), uint16_t (*near)(float), uint32_t infinity)
{
    for (uint32_t h = 0; h < infinity; h++) {
        double a = (double)wide((uint16_t)h), b = (double)wide((uint16_t)(h + 1));
        if (h + 1 == infinity) /* as if the exponent went on */
            b = a + (a - (double)wide((uint16_t)(h - 1)));
        float middle = (float)((a + b) / 2);
        for (uint32_t sign = 0; sign <= 0x8000; sign += 0x8000) {
            float s = sign ? -1.0F : 1.0F;
            assert_int_equal(near(s * (float)a), sign | h);
            assert_int_equal(near(s * nextafterf(middle, 0)), sign | h);
            assert_int_equal(near(s * nextafterf(middle, INFINITY)), sign | (h + 1));
            assert_int_equal(near(s * middle), sign | (h % 2 ? h + 1 : h));
        }
    }
    assert_int_equal(near(INFINITY), infinity);
    assert_int_equal(near(-INFINITY), infinity | 0x8000);
    assert_int_equal(near(-0.0F), 0x8000);
    for (uint32_t nan = 0x7F800001; nan < 0x7FFFFFFF; nan += 4099) {
        assert_true((near(from_bits(nan)) & 0x7FFFu) > infinity);
        assert_true((near(from_bits(nan | 0x80000000)) & 0xFFFFu) > (infinity | 0x8000));
    }
}

static void numbers_go_to_the_nearest_half(void **state)
{
    (void)state;
    check_rounding(f0t_f16_to_f32_ref, f0t_f32_to_f16_ref, 0x7C00);
    assert_int_equal(f0t_f32_to_f16_ref(65519.99F), 0x7BFF);
    assert_int_equal(f0t_f32_to_f16_ref(65520), 0x7C00);
    assert_int_equal(f0t_f32_to_f16_ref(1e38F), 0x7C00);
    assert_int_equal(f0t_f32_to_f16_ref(0x1p-149F), 0);
}

/* A bfloat16 is the upper half of a float32: its middles are where the lower half is 0x8000. */
static void numbers_go_to_the_nearest_bfloat16(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 0x7F80; h++) {
        uint32_t low = h << 16, even = h % 2 ? h + 1 : h;
        assert_int_equal(f0t_f32_to_bf16_ref(from_bits(low)), h);
        assert_int_equal(f0t_f32_to_bf16_ref(from_bits(low | 0x7FFF)), h);
        assert_int_equal(f0t_f32_to_bf16_ref(from_bits(low | 0x8000)), even);
        assert_int_equal(f0t_f32_to_bf16_ref(from_bits(low | 0x8001)), h + 1);
        assert_int_equal(f0t_f32_to_bf16_ref(from_bits(low | 0x80008001)), 0x8000 | (h + 1));
        assert_int_equal(bits_of(f0t_bf16_to_f32_ref((uint16_t)h)), low);
    }
    assert_int_equal(f0t_f32_to_bf16_ref(from_bits(0x7F800001)), 0x7FC0);
    assert_int_equal(f0t_f32_to_bf16_ref(INFINITY), 0x7F80);
}

/* ---- Every CPU level against them ---------------------------------------------------------- */

static void all_65536_halves_are_widened_alike(void **state)
{
    static uint16_t all[65536];
    static float f16[65536], bf16[65536];
    (void)state;
    for (size_t i = 0; i < 65536; i++)
        all[i] = (uint16_t)i;
    for (f0t_cpu level = 0; level <= f0t_cpu_level(); level++) {
        f0t_kernels_of(level)->f16_to_f32(f16, all, 65536);
        f0t_kernels_of(level)->bf16_to_f32(bf16, all, 65536);
        for (size_t i = 0; i < 65536; i++) {
            float want = f0t_f16_to_f32_ref(all[i]);
            if (isnan(want))
                assert_true(isnan(f16[i]));
            else
                assert_int_equal(bits_of(f16[i]), bits_of(want));
            assert_int_equal(bits_of(bf16[i]), bits_of(f0t_bf16_to_f32_ref(all[i])));
        }
    }
}

/* Every upper half of a float32 with the lower halves where rounding changes. */
static void floats_are_narrowed_alike(void **state)
{
    static const uint16_t lower[] = {0,      1,      0x0FFF, 0x1000, 0x1001, 0x1FFF,
                                     0x2000, 0x3000, 0x7FFF, 0x8000, 0x8001, 0xEFFF,
                                     0xF000, 0xFFFF, 0x5A5A, 0xABCD};
    static float from[65536];
    static uint16_t f16[65536], bf16[65536];
    (void)state;
    for (f0t_cpu level = 0; level <= f0t_cpu_level(); level++)
        for (size_t k = 0; k < sizeof lower / sizeof *lower; k++) {
            for (uint32_t i = 0; i < 65536; i++)
                from[i] = from_bits(i << 16 | lower[k]);
            f0t_kernels_of(level)->f32_to_f16_block(f16, from, 65536);
            f0t_kernels_of(level)->f32_to_bf16_block(bf16, from, 65536);
            for (size_t i = 0; i < 65536; i++) {
                if (f16[i] != f0t_f32_to_f16_ref(from[i]) ||
                    bf16[i] != f0t_f32_to_bf16_ref(from[i]))
                    print_error("level %d, float %08x\n", (int)level, bits_of(from[i]));
                assert_int_equal(f16[i], f0t_f32_to_f16_ref(from[i]));
                assert_int_equal(bf16[i], f0t_f32_to_bf16_ref(from[i]));
            }
        }
}

static void any_length_and_alignment_is_converted_and_nothing_more(void **state)
{
    (void)state;
    unsigned char bytes[2 * 70 + 1];
    uint16_t narrowed[70 + 1];
    float widened[70 + 1], from[70];
    test_random_floats(from, 70, 3);
    for (f0t_cpu level = 0; level <= f0t_cpu_level(); level++)
        for (size_t n = 0; n <= 70; n++) {
            for (size_t shift = 0; shift < 2; shift++) {
                for (size_t i = 0; i < sizeof bytes; i++)
                    bytes[i] = (unsigned char)(i * 37 + n);
                widened[n] = 12345;
                f0t_kernels_of(level)->f16_to_f32(widened, bytes + shift, n);
                for (size_t i = 0; i < n; i++) {
                    uint16_t h;
                    memcpy(&h, bytes + shift + 2 * i, 2);
                    float want = f0t_f16_to_f32_ref(h);
                    assert_true(isnan(want) ? isnan(widened[i]) : widened[i] == want);
                }
                assert_true(widened[n] == 12345);
                f0t_kernels_of(level)->bf16_to_f32(widened, bytes + shift, n);
                assert_true(widened[n] == 12345);
            }
            narrowed[n] = 0xABCD;
            f0t_kernels_of(level)->f32_to_f16_block(narrowed, from, n);
            assert_int_equal(narrowed[n], 0xABCD);
            for (size_t i = 0; i < n; i++)
                assert_int_equal(narrowed[i], f0t_f32_to_f16_ref(from[i]));
            f0t_kernels_of(level)->f32_to_bf16_block(narrowed, from, n);
            assert_int_equal(narrowed[n], 0xABCD);
        }
}

/* ---- All types ----------------------------------------------------------------------------- */

static void every_type_becomes_float32(void **state)
{
    (void)state;
    static const float f32[] = {1.5F, -2};
    static const uint16_t f16[] = {0x3E00, 0xC000}, bf16[] = {0x3FC0, 0xC000};
    static const double f64[] = {1.5, 1e300};
    static const int32_t i32[] = {-7, 16777217};
    static const int64_t i64[] = {INT64_MIN, 5};
    static const uint8_t u8[] = {0, 255}, boolean[] = {0, 2};
    static const int8_t i8[] = {-128, 127};
    static const struct {
        const void *from;
        f0t_dtype type;
        float want[2];
    } cases[] = {
        {f32, F0T_F32, {1.5F, -2}},     {f16, F0T_F16, {1.5F, -2}},
        {bf16, F0T_BF16, {1.5F, -2}},   {f64, F0T_F64, {1.5F, INFINITY}},
        {i32, F0T_I32, {-7, 16777216}}, {i64, F0T_I64, {-9223372036854775808.0F, 5}},
        {u8, F0T_U8, {0, 255}},         {i8, F0T_I8, {-128, 127}},
        {boolean, F0T_BOOL, {0, 1}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (size_t shift = 0; shift < 8; shift++) {
            unsigned char bytes[32];
            float to[2];
            size_t size = f0t_dtype_size(cases[k].type);
            memcpy(bytes + shift, cases[k].from, 2 * size);
            f0t_dtype_to_f32(to, bytes + shift, cases[k].type, 2);
            assert_true(to[0] == cases[k].want[0] && to[1] == cases[k].want[1]);
        }
    f0t_dtype_to_f32(NULL, NULL, F0T_F32, 0);
}

static void types_have_sizes_and_names(void **state)
{
    static const size_t sizes[F0T_DTYPES] = {4, 2, 2, 8, 4, 8, 1, 1, 1};
    (void)state;
    for (int t = 0; t < F0T_DTYPES; t++) {
        assert_int_equal(f0t_dtype_size((f0t_dtype)t), sizes[t]);
        assert_non_null(f0t_dtype_name((f0t_dtype)t));
    }
    assert_string_equal(f0t_dtype_name(F0T_BF16), "bfloat16");
}

static void bytes_are_swapped(void **state)
{
    (void)state;
    unsigned char bytes[] = "abcdefgh";
    f0t_swap_bytes(bytes, 1, 8);
    assert_memory_equal(bytes, "abcdefgh", 8);
    f0t_swap_bytes(bytes, 2, 4);
    assert_memory_equal(bytes, "badcfehg", 8);
    f0t_swap_bytes(bytes, 4, 2);
    assert_memory_equal(bytes, "cdabghef", 8);
    f0t_swap_bytes(bytes, 8, 1);
    assert_memory_equal(bytes, "fehgbadc", 8);
    f0t_swap_bytes(bytes, 8, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_have_the_values_of_ieee_754),
        cmocka_unit_test(numbers_go_to_the_nearest_half),
        cmocka_unit_test(numbers_go_to_the_nearest_bfloat16),
        cmocka_unit_test(all_65536_halves_are_widened_alike),
        cmocka_unit_test(floats_are_narrowed_alike),
        cmocka_unit_test(any_length_and_alignment_is_converted_and_nothing_more),
        cmocka_unit_test(every_type_becomes_float32),
        cmocka_unit_test(types_have_sizes_and_names),
        cmocka_unit_test(bytes_are_swapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
