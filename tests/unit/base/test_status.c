#include "support.h"

#include <errno.h>
#include <string.h>

static void a_message_is_one_line_and_never_empty(void **state)
{
    (void)state;
    assert_int_equal(f0t_fail(F0T_ERROR_FORMAT, "a\nb\tc"), F0T_ERROR_FORMAT);
    assert_string_equal(f0t_last_error(), "a?b?c");
    f0t_fail(F0T_ERROR_FORMAT, "%s", "\x1B[2J \xC2\x9B \xE2\x80\xA8 \xC2\xA0\xE2\x82\xAC\x7F\xC2");
    assert_string_equal(f0t_last_error(), "?[2J ?? ??? \xC2\xA0\xE2\x82\xAC??");
    /* Bytes of another encoding (9B alone is ESC [ to some terminals), and text turned around. */
    f0t_fail(F0T_ERROR_FORMAT, "%s",
             "a\x9B"
             "2J \xE2\x80\xAE \xE2\x81\xA6 \xF0\x9F\x90\xB6");
    assert_string_equal(f0t_last_error(), "a?2J ??? ??? \xF0\x9F\x90\xB6");
    f0t_fail(F0T_ERROR_IO, "%s", "");
    assert_string_equal(f0t_last_error(), "input/output error");
}

static void a_long_message_is_cut_at_a_character(void **state)
{
    char text[4096];
    (void)state;
    for (size_t shift = 0; shift < 3; shift++) {
        memset(text, 'x', sizeof text);
        for (size_t i = shift; i + 3 < sizeof text; i += 3)
            memcpy(text + i, "\xE2\x82\xAC", 3);
        text[sizeof text - 1] = '\0';
        f0t_fail(F0T_ERROR_FORMAT, "%s", text);
        size_t n = strlen(f0t_last_error());
        assert_true(n <= 1023 && n >= 1020);
        assert_int_equal((n - shift) % 3, 0);
    }
}

static void a_line_is_escaped_and_cut(void **state)
{
    char to[64], small[6];
    (void)state;
    assert_int_equal(f0t_line_escape(to, sizeof to, "a\nb\tc\rd\x1B[0m\xC2\x9B\xFF \xC3\xA9"), 32);
    assert_string_equal(to, "a\\nb\\tc\\rd\\x1b[0m\\xc2\\x9b\\xff \xC3\xA9");
    assert_int_equal(f0t_line_escape(small, sizeof small, "ab\ncdef"), 8);
    assert_string_equal(small, "ab\\nc");
    assert_int_equal(f0t_line_escape(NULL, 0, "\n\n"), 4);
}

static void errno_and_prefix_are_added(void **state)
{
    (void)state;
    assert_int_equal(f0t_fail_errno(ENOENT, "%s", "x.npy"), F0T_ERROR_NOT_FOUND);
    assert_string_equal(f0t_last_error(), "x.npy: No such file or directory");
    assert_int_equal(f0t_fail_errno(EACCES, "y"), F0T_ERROR_IO);
    f0t_fail(F0T_ERROR_FORMAT, "row 3 is short");
    assert_int_equal(f0t_fail_prefix(F0T_ERROR_FORMAT, "%s: ", "f"), F0T_ERROR_FORMAT);
    assert_string_equal(f0t_last_error(), "f: row 3 is short");
}

static void a_caller_may_fail_likewise(void **state)
{
    (void)state;
    assert_int_equal(f0t_error_set(F0T_ERROR_IO, "a.txt: 100% \nfull"), F0T_ERROR_IO);
    assert_string_equal(f0t_last_error(), "a.txt: 100% ?full");
    assert_int_equal(f0t_error_set(F0T_ERROR_IO, NULL), F0T_ERROR_ARGUMENT);
}

static void every_status_has_a_name(void **state)
{
    (void)state;
    for (int s = F0T_OK; s <= F0T_ERROR_INTERNAL; s++)
        assert_string_not_equal(f0t_status_name((f0t_status)s), "unknown status");
    assert_string_equal(f0t_status_name((f0t_status)99), "unknown status");
}

static const char *fruit_at(size_t i)
{
    return i == 0 ? "apple" : i == 1 ? "pear" : NULL;
}

static void a_name_is_found_or_all_are_listed(void **state)
{
    size_t found = 9;
    (void)state;
    assert_int_equal(f0t_name_find(&found, "fruit", "pears", 4, fruit_at), F0T_OK);
    assert_int_equal(found, 1);
    assert_int_equal(f0t_name_find(&found, "fruit", "pears", 5, fruit_at), F0T_ERROR_NOT_FOUND);
    assert_string_equal(f0t_last_error(), "no fruit is called 'pears': apple, pear");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_is_one_line_and_never_empty),
        cmocka_unit_test(a_long_message_is_cut_at_a_character),
        cmocka_unit_test(a_line_is_escaped_and_cut),
        cmocka_unit_test(errno_and_prefix_are_added),
        cmocka_unit_test(a_caller_may_fail_likewise),
        cmocka_unit_test(every_status_has_a_name),
        cmocka_unit_test(a_name_is_found_or_all_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
