#include "support.h"

#include "io/vectors_layout.h"

#include <string.h>

static f0t_vectors_layout layout_of(const char *text, size_t size)
{
    f0t_vectors_layout layout;
    assert_ok(f0t_layout_find(&layout, text, size, true, "v"));
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
        assert_fails(F0T_ERROR_FORMAT,
                     "v: ", f0t_layout_find(&layout, texts[i], strlen(texts[i]), true, "v"));
    assert_fails(F0T_ERROR_UNSUPPORTED, "dimensions",
                 f0t_layout_find(&layout, "5 99999999\nfoo", 14, true, "v"));
}

static void a_header_too_large_for_a_number_is_no_header(void **state)
{
    (void)state;
    assert_layout("99999999999999999999999 3\nthe 1\n", F0T_FORM_TEXT, 1, 0);
}

static void safetensors_begin_with_a_small_length_and_a_brace(void **state)
{
    (void)state;
    assert_true(f0t_layout_is_safetensors("\x08\0\0\0\0\0\0\0{\"a", 11));
    assert_false(f0t_layout_is_safetensors("\x08\0\0\0\0\0\0\0", 8));
    assert_false(f0t_layout_is_safetensors("the 1 2 {", 9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_lines_say_how_many_dimensions_there_are),
        cmocka_unit_test(the_second_line_decides_whether_the_first_is_a_header),
        cmocka_unit_test(raw_numbers_behind_a_header_are_binary),
        cmocka_unit_test(what_is_no_vector_file_is_refused),
        cmocka_unit_test(a_header_too_large_for_a_number_is_no_header),
        cmocka_unit_test(safetensors_begin_with_a_small_length_and_a_brace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
