#include "support.h"

#include "report/text.h"

#include <locale.h>
#include <math.h>
#include <string.h>

static void check_form(const char *want, f0t_text *text)
{
    assert_int_equal(text->status, F0T_OK);
    assert_string_equal(text->bytes, want);
    f0t_text_free(text);
}

static void forms_escape_what_comes_from_files(void **state)
{
    f0t_text text = {0};
    (void)state;
    f0t_text_form(&text, "<a b=\"%s\">%d %zu %% %f %.1f %.0f</a>", "<'\"&>\n", -3, (size_t)7, 12.5,
                  0.25, 2.5);
    check_form("<a b=\"&lt;&#39;&quot;&amp;&gt;?\">-3 7 % 12.5 0.3 3</a>", &text);
}

static void numbers_have_a_point_in_every_locale(void **state)
{
    f0t_text text = {0};
    (void)state;
    assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
    f0t_text_form(&text, "%f %.2f", 0.5, 1.0);
    f0t_text_label(&text, 0.125);
    setlocale(LC_ALL, "C");
    check_form("0.5 1.000.125", &text);
}

static void check_number(const char *want, double value, int decimals)
{
    f0t_text text = {0};
    f0t_text_number(&text, value, decimals);
    check_form(want, &text);
}

static void numbers_round_and_drop_zeros(void **state)
{
    (void)state;
    check_number("-0.3", -0.25, 1);
    check_number("0.0", -0.01, 1);
    check_number("100", 99.999, -2);
    check_number("99.99", 99.99, -2);
    check_number("0", -0.001, -2);
    check_number("120", 120, 0);
    check_number("1.000000000", 1, 40);
    check_number("–", (double)NAN, 2);
    check_number("–", (double)INFINITY, 2);
    check_number("–", 1e300, 2);
}

static void check_label(const char *want, double value)
{
    f0t_text text = {0};
    f0t_text_label(&text, value);
    check_form(want, &text);
}

static void labels_are_short(void **state)
{
    (void)state;
    check_label("0", 0);
    check_label("0.001", 0.001);
    check_label("0.05", 0.05);
    check_label("250000", 250000);
    check_label("10⁶", 1e6);
    check_label("2·10⁻⁵", 2e-5);
    check_label("-10¹²", -1e12);
    check_label("–", (double)NAN);
}

/* The vectors of RFC 4648, section 10. */
static void base64_is_as_the_standard_says(void **state)
{
    static const char *const want[] = {"",         "Zg==",     "Zm8=",    "Zm9v",
                                       "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
    (void)state;
    for (size_t n = 0; n < 7; n++) {
        f0t_text text = {0};
        f0t_text_add(&text, "");
        f0t_text_base64(&text, "foobar", n);
        check_form(want[n], &text);
    }
}

static f0t_status save_some(void *context)
{
    f0t_text text = {0};
    for (int i = 0; i < 200; i++)
        f0t_text_form(&text, "line %d of %s\n", i, "a text that grows");
    f0t_status status = f0t_text_save(&text, context);
    f0t_text_free(&text);
    return status;
}

static void every_failure_is_kept_until_the_end(void **state)
{
    char path[256];
    (void)state;
    strcpy(path, test_text("some.txt", "old"));
    test_each_fault(F0T_FAULT_ALLOC, save_some, path);
    test_each_fault(F0T_FAULT_WRITE, save_some, path);
    strcpy(path, test_path("nowhere/x"));
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere", save_some(path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_escape_what_comes_from_files),
        cmocka_unit_test(numbers_have_a_point_in_every_locale),
        cmocka_unit_test(numbers_round_and_drop_zeros),
        cmocka_unit_test(labels_are_short),
        cmocka_unit_test(base64_is_as_the_standard_says),
        cmocka_unit_test(every_failure_is_kept_until_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
