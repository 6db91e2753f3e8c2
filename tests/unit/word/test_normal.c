#include "support.h"

#include "base/random.h"
#include "word/normal.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

static void assert_key(const char *tag, const char *want)
{
    f0t_word_text key;
    assert_ok(f0t_normal_key(&key, tag, strlen(tag)));
    assert_string_equal(key.data, want);
    f0t_free(key.data);
}

static void a_key_has_small_letters_and_single_spaces(void **state)
{
    (void)state;
    assert_key("Palm_Tree", "palm tree");
    assert_key("  palm \t tree ", "palm tree");
    assert_key("palm-tree", "palm tree");
    assert_key("Palm\xC2\xA0Tree", "palm tree");
    assert_key("palm\xE2\x80\x91tree", "palm tree");
    assert_key("T-Shirt", "t shirt");
    assert_key("__a__", "a");
    assert_key("-5", "-5");
    assert_key("a -b", "a -b");
    assert_key("rock--roll", "rock--roll");
    assert_key("-", "-");
    assert_key("", "");
    assert_key(" _ ", "");
}

static void a_key_is_of_one_unicode_form(void **state)
{
    (void)state;
    assert_key("CAF\xC3\x89", "caf\xC3\xA9");
    assert_key("cafe\xCC\x81", "caf\xC3\xA9");
    assert_key("Stra\xC3\x9F"
               "e",
               "strasse");
    assert_key("\xEF\xAC\x81sh", "fish");
    assert_key("\xEF\xBC\xA1", "a");
    assert_key("soft\xC2\xADhyphen", "softhyphen");
    assert_key("\xCE\xA3\xCE\x91\xCE\xA3", "\xCF\x83\xCE\xB1\xCF\x83");
}

static void assert_idempotent(const char *text, size_t length)
{
    f0t_word_text once, twice;
    assert_ok(f0t_normal_key(&once, text, length));
    if (once.length <= F0T_TAG_MOST) {
        assert_ok(f0t_normal_key(&twice, once.data, once.length));
        if (strcmp(once.data, twice.data) != 0)
            fail_msg("the key of key '%s' is '%s'", once.data, twice.data);
        f0t_free(twice.data);
    }
    f0t_free(once.data);
}

static void the_key_of_a_key_is_itself_for_every_character(void **state)
{
    char text[16];
    (void)state;
    for (utf8proc_int32_t c = 1; c < 0x110000; c++)
        if (utf8proc_codepoint_valid(c) && (c < 0x30000 || c > 0xE0000))
            assert_idempotent(text, (size_t)utf8proc_encode_char(c, (utf8proc_uint8_t *)text));
}

static void the_key_of_a_key_is_itself_for_random_texts(void **state)
{
    static const utf8proc_int32_t picks[] = {
        'a',   'Z',    '_',    '-',  ' ',    '\t',   0x301,  0x345,  0xDF,   0x130,  0x1E9E,
        0x3A3, 0xFDFA, 0x200D, 0xAD, 0x1100, 0x1161, 0xAC00, 0x2011, 0x3099, 0x304B, 0x1F80};
    const f0t_random random = {5, 0};
    uint64_t k = 0;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        char text[64];
        size_t n = 0, count = f0t_random_below(&random, k++, 10);
        for (size_t j = 0; j < count; j++)
            n += (size_t)utf8proc_encode_char(
                picks[f0t_random_below(&random, k++, sizeof picks / sizeof *picks)],
                (utf8proc_uint8_t *)text + n);
        assert_idempotent(text, n);
    }
}

static void assert_case(const char *text, f0t_case how, const char *want)
{
    f0t_word_text got;
    assert_ok(f0t_normal_case(&got, text, strlen(text), how));
    assert_string_equal(got.data, want);
    f0t_free(got.data);
}

static void cases_are_those_of_unicode(void **state)
{
    (void)state;
    assert_case("e\xCC\x81", F0T_CASE_GIVEN, "\xC3\xA9");
    assert_case("\xC3\x89TAT Stra\xC3\x9F"
                "e",
                F0T_CASE_LOWER,
                "\xC3\xA9tat stra\xC3\x9F"
                "e");
    assert_case("Stra\xC3\x9F"
                "e",
                F0T_CASE_FOLDED, "strasse");
    assert_case("new york-city", F0T_CASE_TITLE, "New York-City");
    assert_case("NEW_york", F0T_CASE_TITLE, "New_York");
    assert_case("\xC3\xA9tat", F0T_CASE_UPPER, "\xC3\x89TAT");
    assert_case("", F0T_CASE_UPPER, "");
}

static void parts_are_what_separators_separate(void **state)
{
    static const struct {
        const char *text, *parts;
    } cases[] = {{"palm tree", "palm|tree|"},
                 {"palm_tree", "palm|tree|"},
                 {"t-shirt", "t|shirt|"},
                 {" a  b ", "a|b|"},
                 {"-5", "-5|"},
                 {"a -b", "a|-b|"},
                 {"a- b", "a-|b|"},
                 {"rock--roll", "rock--roll|"},
                 {"x-", "x-|"},
                 {"", ""},
                 {"\xC3\xA9t\xC3\xA9-x", "\xC3\xA9t\xC3\xA9|x|"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char got[64];
        size_t n = 0, begin = 0, end;
        while (f0t_normal_part(&begin, &end, cases[i].text, strlen(cases[i].text))) {
            n += (size_t)sprintf(got + n, "%.*s|", (int)(end - begin), cases[i].text + begin);
            begin = end;
        }
        got[n] = '\0';
        assert_string_equal(got, cases[i].parts);
    }
}

static void bad_text_is_refused(void **state)
{
    char text[F0T_TAG_MOST + 1];
    f0t_word_text out;
    (void)state;
    memset(text, 'x', sizeof text);
    assert_fails(F0T_ERROR_FORMAT, "not valid UTF-8", f0t_normal_key(&out, "a\xFF", 2));
    assert_fails(F0T_ERROR_FORMAT, "a tag of 1025 bytes; 1024 is the most",
                 f0t_normal_key(&out, text, sizeof text));
    assert_fails(F0T_ERROR_FORMAT, "1025 bytes",
                 f0t_normal_case(&out, text, sizeof text, F0T_CASE_LOWER));
    assert_fails(F0T_ERROR_FORMAT, "not valid UTF-8",
                 f0t_normal_case(&out, "\xED\xA0\x80", 3, F0T_CASE_LOWER));
}

static f0t_status make_key(void *context)
{
    f0t_word_text key;
    f0t_status status = f0t_normal_key(&key, context, strlen(context));
    f0t_free(key.data);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    char tag[] = "Palm_Tr\xC3\xA9"
                 "e";
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, make_key, tag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_has_small_letters_and_single_spaces),
        cmocka_unit_test(a_key_is_of_one_unicode_form),
        cmocka_unit_test(the_key_of_a_key_is_itself_for_every_character),
        cmocka_unit_test(the_key_of_a_key_is_itself_for_random_texts),
        cmocka_unit_test(cases_are_those_of_unicode),
        cmocka_unit_test(parts_are_what_separators_separate),
        cmocka_unit_test(bad_text_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
