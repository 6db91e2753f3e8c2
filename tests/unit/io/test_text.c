#include "support.h"

#include "io/text.h"

static void words_are_utf8_in_one_line(void **state)
{
    (void)state;
    assert_true(f0t_text_is_word("caf\xC3\xA9", 5));
    assert_true(f0t_text_is_word("a\xC2\xA0z\xC2\x85", 6));
    assert_false(f0t_text_is_word("caf\xC3", 4));
    assert_false(f0t_text_is_word("\xFF", 1));
    assert_false(f0t_text_is_word("\xED\xA0\x80", 3));
    assert_false(f0t_text_is_word("\xC0\x80", 2));
    assert_false(f0t_text_is_word("a\nb", 3));
    assert_false(f0t_text_is_word("a\0b", 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_utf8_in_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
