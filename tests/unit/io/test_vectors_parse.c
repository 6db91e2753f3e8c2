#include "support.h"

#include "io/safetensors.h"
#include "io/vectors_rows.h"

#include <string.h>

/* ---- One line of text ------------------------------------------------------------------------ */

static f0t_line line_of(const char *text)
{
    const char *next;
    return f0t_line_at(text, text + strlen(text), &next);
}

static void assert_row(const char *text, size_t dim, const char *want_word, const float *want)
{
    f0t_line word = {NULL, NULL}, bad;
    float values[8];
    assert_int_equal(f0t_line_parse(values, &word, &bad, line_of(text), dim), F0T_LINE_ROW);
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
    assert_int_equal(f0t_line_parse(values, &word, &bad, line_of(""), 2), F0T_LINE_BLANK);
    assert_int_equal(f0t_line_parse(values, &word, &bad, line_of("  \r\n"), 2), F0T_LINE_BLANK);
    assert_int_equal(f0t_line_parse(values, &word, &bad, line_of("the 1"), 2), F0T_LINE_SHORT);
    assert_int_equal(f0t_line_parse(values, &word, &bad, line_of("1 2"), 2), F0T_LINE_SHORT);
    assert_int_equal(f0t_line_parse(values, &word, &bad, line_of("the 1x 2"), 2), F0T_LINE_BAD);
    assert_memory_equal(bad.begin, "1x", 2);
    assert_int_equal(f0t_line_parse(values, &word, &bad, line_of("the 1 0x2"), 2), F0T_LINE_BAD);
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

/* ---- The form of a file ---------------------------------------------------------------------- */

static f0t_vectors_layout layout_of(const char *text, size_t size)
{
    f0t_vectors_layout layout;
    assert_ok(f0t_vectors_layout_find(&layout, text, size, true, "v"));
    return layout;
}

static void assert_layout(const char *text, f0t_vectors_form form, size_t dim, size_t begin)
{
    f0t_vectors_layout layout = layout_of(text, strlen(text));
    assert_int_equal(layout.form, form);
    assert_int_equal(layout.dim, dim);
    assert_int_equal(layout.begin, begin);
}

static void most_lines_say_how_many_dimensions_there_are(void **state)
{
    (void)state;
    assert_layout("the 1 2 3\nof 1 2 3\n", F0T_FORM_TEXT, 3, 0);
    assert_layout("a 5 1 2 3\nof 1 2 3\nto 1 2 3", F0T_FORM_TEXT, 3, 0);
    assert_layout("the 1 2 3\nof 1 2\n", F0T_FORM_TEXT, 3, 0);
    assert_layout("\xEF\xBB\xBFthe 1 2 3\r\n", F0T_FORM_TEXT, 3, 3);
    assert_layout("\n\nthe 1 2\n", F0T_FORM_TEXT, 2, 0);
}

static void the_second_line_decides_whether_the_first_is_a_header(void **state)
{
    (void)state;
    assert_layout("2 3\nthe 1 2 3\nof 1 2 3\n", F0T_FORM_HEADER_TEXT, 3, 4);
    assert_layout("2 3 \r\nthe 1 2 3\r\n", F0T_FORM_HEADER_TEXT, 3, 6);
    assert_layout("2000 1998\nthe 1\nof 2\n", F0T_FORM_TEXT, 1, 0);
    assert_layout("2 1\nthe 1\nof 2\n", F0T_FORM_HEADER_TEXT, 1, 4);
    assert_layout("2000 1\nthe 1\nof 2\n", F0T_FORM_TEXT, 1, 0);
    assert_layout("2 3\nthe 1 2\n", F0T_FORM_HEADER_TEXT, 3, 4);
    assert_layout("2 3\nthe 0", F0T_FORM_HEADER_TEXT, 3, 4);
    assert_layout("2 3", F0T_FORM_HEADER_TEXT, 3, 3);
    assert_layout("2 3\n\xC2\xBF qu\xC3\xA9 1 2 3\n", F0T_FORM_HEADER_TEXT, 3, 4);
}

static void raw_numbers_behind_a_header_are_binary(void **state)
{
    static const char small[] = "1 2\nthe \x00\x00\x80\x3F\x00\x00\x00\x40\n";
    static const char newline_first[] = "1 2\nthe \x0A\x41\x41\x3E\xCD\xCC\xCC\x3D";
    (void)state;
    assert_int_equal(layout_of(small, sizeof small - 1).form, F0T_FORM_BINARY);
    assert_int_equal(layout_of(newline_first, sizeof newline_first - 1).form, F0T_FORM_BINARY);
    assert_int_equal(layout_of(small, sizeof small - 1).begin, 4);
    assert_int_equal(layout_of(small, sizeof small - 1).rows, 1);
}

static void what_is_no_vector_file_is_refused(void **state)
{
    static const char *const texts[] = {
        "", "\n", "hello", "hello world\nfoo bar\n", "word\t1\t2\n", "5 0\nfoo\n", "\xEF\xBB\xBF"};
    f0t_vectors_layout layout;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_fails(F0T_ERROR_FORMAT, "v: ",
                     f0t_vectors_layout_find(&layout, texts[i], strlen(texts[i]), true, "v"));
    assert_fails(F0T_ERROR_UNSUPPORTED, "vectors of 99999999 dimensions",
                 f0t_vectors_layout_find(&layout, "5 99999999\nfoo", 14, true, "v"));
}

static void a_header_too_large_for_a_number_is_no_header(void **state)
{
    (void)state;
    assert_layout("99999999999999999999999 3\nthe 1\n", F0T_FORM_TEXT, 1, 0);
}

static void safetensors_begin_with_a_small_length_and_a_brace(void **state)
{
    (void)state;
    assert_true(f0t_safetensors_begins("\x08\0\0\0\0\0\0\0{\"a", 11));
    assert_false(f0t_safetensors_begins("\x08\0\0\0\0\0\0\0", 8));
    assert_false(f0t_safetensors_begins("the 1 2 {", 9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_is_what_stands_before_the_numbers),
        cmocka_unit_test(line_ends_and_spaces_do_not_matter),
        cmocka_unit_test(only_the_ascii_space_separates),
        cmocka_unit_test(short_and_wrong_lines_are_told_apart),
        cmocka_unit_test(numbers_are_counted_from_the_end),
        cmocka_unit_test(most_lines_say_how_many_dimensions_there_are),
        cmocka_unit_test(the_second_line_decides_whether_the_first_is_a_header),
        cmocka_unit_test(raw_numbers_behind_a_header_are_binary),
        cmocka_unit_test(what_is_no_vector_file_is_refused),
        cmocka_unit_test(a_header_too_large_for_a_number_is_no_header),
        cmocka_unit_test(safetensors_begin_with_a_small_length_and_a_brace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
