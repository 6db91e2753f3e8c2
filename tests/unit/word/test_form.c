/* One keyword: whether a person wrote it, and which forms are one word. */
#include "support.h"

#include "word/form.h"

#include <string.h>

static void what_no_person_means_is_found(void **state)
{
    static const char *const no_words[] = {"2005",
                                           "12 07 2019",
                                           "x",
                                           "!?",
                                           "img 1234",
                                           "img20190304 101112",
                                           "dsc01234",
                                           "p1010123",
                                           "pxl 202001",
                                           "holiday.jpg",
                                           "jpg",
                                           "pngs",
                                           "www.x.org",
                                           "a@b.org",
                                           "http://x",
                                           "untitled",
                                           "img",
                                           "hash(0x84a3)",
                                           "3f2504e0 4f89",
                                           "photoshop",
                                           "d41d8cd98f00"};
    static const char *const words[] = {
        "dog",        "boeing 747",   "2cv",          "f 16",
        "july 2019",  "sam 2019",     "p 12",         "photo",
        "other",      "new york",     "k\xC3\xB6ln",  "black and white photography",
        "img test 1", "facade",       "r2d2",         "st. gallen",
        "a@home",     "20th century", "\xE7\x8A\xAC", "mov"};
    (void)state;
    for (size_t i = 0; i < sizeof no_words / sizeof *no_words; i++)
        if (!f0t_clean_is_no_word(no_words[i]))
            fail_msg("'%s' is taken for a word", no_words[i]);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (f0t_clean_is_no_word(words[i]))
            fail_msg("'%s' is taken for no word", words[i]);
}

static uint32_t add(f0t_names *names, const char *text)
{
    uint32_t index = 0;
    assert_ok(f0t_names_add(&index, NULL, names, text, strlen(text)));
    return index;
}

static void singulars_and_joined_words_are_found_among_the_forms(void **state)
{
    f0t_names names = {0};
    uint32_t found[F0T_INFLECT_MOST], joined = 0;
    char longest[600];
    (void)state;
    memset(longest, 'a', sizeof longest);
    longest[300] = ' ';
    longest[sizeof longest - 1] = 0;
    const uint32_t gull = add(&names, "sea gull"), gulls = add(&names, "sea gulls"),
                   seagull = add(&names, "seagull"), alone = add(&names, "dogs"),
                   far = add(&names, longest);
    assert_int_equal(f0t_clean_singulars(found, &names, gulls), 1);
    assert_int_equal(found[0], gull);
    assert_int_equal(f0t_clean_singulars(found, &names, alone), 0);
    assert_int_equal(f0t_clean_singulars(found, &names, seagull), 0);
    assert_int_equal(f0t_clean_singulars(found, &names, far), 0);
    assert_true(f0t_clean_joined(&joined, &names, gull));
    assert_int_equal(joined, seagull);
    assert_false(f0t_clean_joined(&joined, &names, seagull));
    assert_false(f0t_clean_joined(&joined, &names, gulls));
    assert_false(f0t_clean_joined(&joined, &names, far));
    f0t_names_free(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_no_person_means_is_found),
        cmocka_unit_test(singulars_and_joined_words_are_found_among_the_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
