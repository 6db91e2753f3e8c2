#include "support.h"

#include "io/vectors_text.h"

#include <string.h>

static f0t_line line_of(const char *text)
{
    const char *next;
    return f0t_line_at(text, text + strlen(text), &next);
}

static void assert_row(const char *text, size_t dim, const char *want_word, const float *want)
{
    f0t_line word = {NULL, NULL}, bad;
    float values[8];
    assert_int_equal(f0t_line_parse(line_of(text), dim, values, &word, &bad), F0T_LINE_ROW);
    assert_int_equal(word.end - word.begin, strlen(want_word));
    assert_memory_equal(word.begin, want_word, strlen(want_word));
    assert_memory_equal(values, want, dim * sizeof *want);
}

static const float onetwo[] = {1, -0.5F};

static void a_word_is_what_stands_before_the_numbers(void **state)
{
    (void)state;
    assert_row("the 1 -.5", 2, "the", onetwo);
    assert_row(". . . 1 -.5", 2, ". . .", onetwo);
    assert_row("at name@domain.com 1 -.5", 2, "at name@domain.com", onetwo);
    assert_row("3 4 1 -.5", 2, "3 4", onetwo);
    assert_row("nan 1 -.5", 2, "nan", onetwo);
    assert_row(" 1 -.5", 2, "", onetwo);
}

static void line_ends_and_spaces_do_not_matter(void **state)
{
    (void)state;
    assert_row("the 1 -0.5\r\n", 2, "the", onetwo);
    assert_row("the 1 -0.5 \n", 2, "the", onetwo);
    assert_row("the 1e0 -5e-1 \r\n", 2, "the", onetwo);
    assert_row("the  1   -0.5", 2, "the", onetwo);
}

static void only_the_ascii_space_separates(void **state)
{
    (void)state;
    assert_row("a\xC2\xA0z 1 -.5", 2, "a\xC2\xA0z", onetwo);
    assert_row("\xC2\x85 1 -.5", 2, "\xC2\x85", onetwo);
    assert_row("a\tb 1 -.5", 2, "a\tb", onetwo);
}

static void short_and_wrong_lines_are_told_apart(void **state)
{
    f0t_line word, bad = {NULL, NULL};
    float values[4];
    (void)state;
    assert_int_equal(f0t_line_parse(line_of(""), 2, values, &word, &bad), F0T_LINE_BLANK);
    assert_int_equal(f0t_line_parse(line_of("  \r\n"), 2, values, &word, &bad), F0T_LINE_BLANK);
    assert_int_equal(f0t_line_parse(line_of("the 1"), 2, values, &word, &bad), F0T_LINE_SHORT);
    assert_int_equal(f0t_line_parse(line_of("1 2"), 2, values, &word, &bad), F0T_LINE_SHORT);
    assert_int_equal(f0t_line_parse(line_of("the 1x 2"), 2, values, &word, &bad), F0T_LINE_BAD);
    assert_memory_equal(bad.begin, "1x", 2);
    assert_int_equal(f0t_line_parse(line_of("the 1 0x2"), 2, values, &word, &bad), F0T_LINE_BAD);
}

static void numbers_are_counted_from_the_end(void **state)
{
    (void)state;
    assert_int_equal(f0t_line_numbers(line_of("the 1 2 3")), 3);
    assert_int_equal(f0t_line_numbers(line_of("1 2 3")), 2);
    assert_int_equal(f0t_line_numbers(line_of("the 1 x 3 inf")), 2);
    assert_int_equal(f0t_line_numbers(line_of("the")), 0);
    assert_int_equal(f0t_line_numbers(line_of("")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_is_what_stands_before_the_numbers),
        cmocka_unit_test(line_ends_and_spaces_do_not_matter),
        cmocka_unit_test(only_the_ascii_space_separates),
        cmocka_unit_test(short_and_wrong_lines_are_told_apart),
        cmocka_unit_test(numbers_are_counted_from_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
