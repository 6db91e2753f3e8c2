#include "support.h"

#include "base/random.h"
#include "io/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* strtof of the C locale is the judge: it reads all of it, and so do we, to the same bits. */
static void assert_as_strtof(const char *text)
{
    char *stop;
    float want = strtof(text, &stop), got = 0;
    const char *end = f0t_number_read(&got, text, text + strlen(text));
    if (end != stop || (bits_of(got) != bits_of(want) && !(isnan(got) && isnan(want))))
        fail_msg("'%s' reads as %a, should be %a", text, (double)got, (double)want);
}

static void the_usual_forms_are_read(void **state)
{
    static const char *const forms[] = {"0",
                                        "-0",
                                        "1",
                                        "+1.5",
                                        "-.5",
                                        "5.",
                                        "1e-5",
                                        "1E5",
                                        "-1.25e+2",
                                        "0.043798",
                                        "-0.20937",
                                        "inf",
                                        "-inf",
                                        "Infinity",
                                        "nan",
                                        "-NaN",
                                        "1e40",
                                        "-1e40",
                                        "1e-60",
                                        "1e-40",
                                        "1.4e-45",
                                        "7.1e-46",
                                        "3.4028235e38",
                                        "3.4028236e38",
                                        "16777217",
                                        "16777219",
                                        "0.1e1",
                                        "00000000000000000000000000001.5",
                                        "1e999999999999",
                                        "1e-999999999999",
                                        "0e999999999999",
                                        "1.17549435e-38",
                                        "1.1754943e-38",
                                        "9007199254740993",
                                        "340282356779733661637539395458142568447"};
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        assert_as_strtof(forms[i]);
}

static void what_is_no_number_is_refused(void **state)
{
    static const char *const forms[] = {"",    "-",  "+",  ".",  "-.",  "e5", ".e5",
                                        "abc", "in", "na", " 1", "--1", ","};
    float value;
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        assert_null(f0t_number_read(&value, forms[i], forms[i] + strlen(forms[i])));
}

static void a_number_ends_where_it_ends(void **state)
{
    static const struct {
        const char *text;
        size_t length;
    } cases[] = {{"1e", 1},   {"1e+", 1},     {"1.5.5", 3}, {"1,5", 1},
                 {"0x10", 1}, {"infinit", 3}, {"1 2", 1}};
    float value;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i].text;
        assert_ptr_equal(f0t_number_read(&value, text, text + strlen(text)),
                         text + cases[i].length);
    }
}

static void nothing_is_read_behind_the_end(void **state)
{
    static const char text[] = "123456.75e2";
    float value = 0;
    (void)state;
    for (size_t n = 1; n < sizeof text - 1; n++) {
        char copy[16];
        snprintf(copy, sizeof copy, "%.*s", (int)n, text);
        const char *end = f0t_number_read(&value, text, text + n);
        assert_true(end && end <= text + n);
        assert_true(value == strtof(copy, NULL));
    }
}

static void random_digits_read_as_strtof_reads_them(void **state)
{
    const f0t_random random = {1, 0};
    uint64_t k = 0;
    (void)state;
    for (int i = 0; i < 300000; i++) {
        char text[64];
        int whole = (int)f0t_random_below(&random, k++, 4),
            digits = (int)f0t_random_below(&random, k++, 22);
        size_t n = 0;
        if (f0t_random_below(&random, k++, 2))
            text[n++] = '-';
        for (int j = 0; j < whole || j == 0; j++)
            text[n++] = (char)('0' + f0t_random_below(&random, k++, 10));
        text[n++] = '.';
        for (int j = 0; j < digits; j++)
            text[n++] = (char)('0' + f0t_random_below(&random, k++, 10));
        int exponent = (int)f0t_random_below(&random, k++, 120) - 60;
        if (f0t_random_below(&random, k++, 2))
            n += (size_t)snprintf(text + n, sizeof text - n, "e%d", exponent);
        text[n] = '\0';
        assert_as_strtof(text);
    }
}

static void every_float_survives_being_printed(void **state)
{
    const f0t_random random = {2, 0};
    (void)state;
    for (uint64_t i = 0; i < 200000; i++) {
        char text[64];
        uint32_t bits = (uint32_t)f0t_random_u64(&random, i);
        float f, got;
        memcpy(&f, &bits, sizeof f);
        if (!isfinite(f))
            continue;
        for (int precision = 6; precision <= 9; precision++) {
            snprintf(text, sizeof text, "%.*g", precision, (double)f);
            assert_as_strtof(text);
        }
        snprintf(text, sizeof text, "%.9g", (double)f);
        assert_non_null(f0t_number_read(&got, text, text + strlen(text)));
        assert_int_equal(bits_of(got), bits);
    }
}

/* The exact middle of two neighbouring floats, written out in full, and one digit to either side.
 */
static void ties_go_to_even_and_their_neighbours_do_not(void **state)
{
    const f0t_random random = {3, 0};
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        char text[512];
        uint32_t bits = (uint32_t)f0t_random_below(&random, i, 0x7F7FFFFF);
        float low, high;
        memcpy(&low, &bits, sizeof low);
        bits++;
        memcpy(&high, &bits, sizeof high);
        snprintf(text, sizeof text, "%.160f", ((double)low + (double)high) / 2);
        assert_as_strtof(text);
        size_t n = strlen(text);
        memcpy(text + n, "0000001", 8);
        assert_as_strtof(text);
        text[n - 1] = '1';
        assert_as_strtof(text);
        snprintf(text, sizeof text, "%.15e", ((double)low + (double)high) / 2);
        assert_as_strtof(text);
        snprintf(text, sizeof text, "%.18e", nextafter(((double)low + (double)high) / 2, 0));
        assert_as_strtof(text);
    }
}

static void a_number_may_have_thousands_of_digits(void **state)
{
    char *text;
    (void)state;
    assert_ok(f0t_alloc(&text, 10001, 1));
    memset(text, '0', 10000);
    text[10000] = '\0';
    memcpy(text, "0.", 2);
    assert_as_strtof(text);
    text[9999] = '7';
    assert_as_strtof(text);
    memset(text, '9', 10000);
    assert_as_strtof(text);
    memcpy(text + 9990, "e-9990", 7);
    assert_as_strtof(text);
    memset(text, '0', 9990);
    memcpy(text, "16777217.", 9);
    text[9989] = '1';
    memcpy(text + 9990, "e0", 3);
    assert_as_strtof(text);
    f0t_free(text);
}

static void a_comma_locale_changes_nothing(void **state)
{
    static const char *const text = "0.1000000000000000055511151231257827";
    float value = 0;
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        test_skip("there is no locale with a decimal comma");
    const char *end = f0t_number_read(&value, text, text + strlen(text));
    setlocale(LC_NUMERIC, "C");
    assert_ptr_equal(end, text + strlen(text));
    assert_true(value == 0.1F);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_usual_forms_are_read),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(a_number_ends_where_it_ends),
        cmocka_unit_test(nothing_is_read_behind_the_end),
        cmocka_unit_test(random_digits_read_as_strtof_reads_them),
        cmocka_unit_test(every_float_survives_being_printed),
        cmocka_unit_test(ties_go_to_even_and_their_neighbours_do_not),
        cmocka_unit_test(a_number_may_have_thousands_of_digits),
        cmocka_unit_test(a_comma_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
