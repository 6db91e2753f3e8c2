/* When two texts are the same tag. */
#include "support.h"

#include "base/fault.h"
#include "fast0tag.h"
#include "word/same.h"

#include <string.h>

static const char *const TAGS[] = {"dog",     "Trees",     "child", "sea gull", "glass",
                                   "glasses", "palm tree", "C++",   "photo",    "axe"};
enum { COUNT = sizeof TAGS / sizeof *TAGS };

static f0t_same make(void)
{
    f0t_same same = {0};
    bool added;
    assert_ok(f0t_same_add_tags(&same, TAGS, COUNT));
    assert_ok(f0t_same_add(&same, &added, "bike", 0));
    assert_true(added);
    assert_ok(f0t_same_add(&same, &added, "bike", 1));
    assert_false(added);
    assert_ok(f0t_same_add(&same, &added, "trees", 0));
    assert_false(added);
    return same;
}

static void assert_is(const f0t_same *same, const char *text, const char *tag)
{
    size_t found;
    assert_ok(f0t_same_find(&found, same, text));
    if (tag ? found == F0T_NONE || strcmp(TAGS[found], tag) != 0 : found != F0T_NONE)
        fail_msg("'%s' is '%s', not '%s'", text, found == F0T_NONE ? "nothing" : TAGS[found],
                 tag ? tag : "nothing");
}

static void case_number_spelling_and_synonyms_do_not_matter(void **state)
{
    f0t_same same = make();
    (void)state;
    static const char *const is[][2] = {{"dog", "dog"},
                                        {"dogs", "dog"},
                                        {"DOGS", "dog"},
                                        {" Dog! ", "dog"},
                                        {"tree", "Trees"},
                                        {"children", "child"},
                                        {"Seagulls", "sea gull"},
                                        {"SEA-GULL", "sea gull"},
                                        {"sea_gulls", "sea gull"},
                                        {"palmtrees", "palm tree"},
                                        {"Bikes", "dog"},
                                        {"photos", "photo"},
                                        {"axes", "axe"},
                                        {"c++", "C++"}};
    for (size_t i = 0; i < sizeof is / sizeof *is; i++)
        assert_is(&same, is[i][0], is[i][1]);
    f0t_same_free(&same);
}

static void what_is_known_by_itself_is_nothing_else(void **state)
{
    f0t_same same = make();
    (void)state;
    assert_is(&same, "GLASS", "glass");
    assert_is(&same, "Glasses", "glasses");
    f0t_same_free(&same);
}

/* The plural of an axis is no plural of an axe; other words are other tags. */
static void other_words_are_other_tags(void **state)
{
    f0t_same same = make();
    (void)state;
    static const char *const none[] = {"axis", "cat", "palm", "tree palm", "", "  ", "!", "\xFF"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_is(&same, none[i], NULL);
    char longest[2000];
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = 0;
    assert_is(&same, longest, NULL);
    f0t_same_free(&same);
}

/* The relation is the same whichever of the two is known. */
static void either_of_two_may_be_the_known_one(void **state)
{
    static const char *const pairs[][2] = {
        {"cookie", "cookies"}, {"Bus", "buses"},       {"leaf", "leaves"}, {"sea lion", "SeaLions"},
        {"woman", "Women"},    {"church", "churches"}, {"city", "Cities"}, {"potato", "potatoes"}};
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (size_t k = 0; k < 2; k++) {
            f0t_same same = {0};
            size_t found;
            assert_ok(f0t_same_add_tags(&same, &pairs[i][k], 1));
            assert_ok(f0t_same_find(&found, &same, pairs[i][1 - k]));
            if (found != 0)
                fail_msg("'%s' is not '%s'", pairs[i][1 - k], pairs[i][k]);
            f0t_same_free(&same);
        }
}

static void assert_are(const f0t_same *same, const char *a, const char *b, bool expected)
{
    bool are;
    assert_ok(f0t_same_are(&are, same, a, b));
    if (are != expected)
        fail_msg("'%s' and '%s'", a, b);
}

static void two_texts_are_compared_by_what_is_known(void **state)
{
    f0t_same same = make();
    (void)state;
    assert_are(&same, "Dogs", "DOG", true);
    assert_are(&same, "bikes", "dog", true);
    assert_are(&same, "glass", "glasses", false);
    assert_are(&same, "kitten", "Kittens", true);
    assert_are(&same, "kitten", "dog", false);
    assert_are(&same, "kitten", "cat", false);
    f0t_same_free(&same);
}

static void assert_root(const char *text, const char *want)
{
    char *root;
    assert_ok(f0t_same_root(&root, text));
    assert_string_equal(root, want);
    f0t_free(root);
}

static void texts_that_differ_in_number_and_spelling_have_one_root(void **state)
{
    (void)state;
    assert_root("Sea-Gulls!", "seagull");
    assert_root("seagull", "seagull");
    assert_root("women", "woman");
    assert_root("glasses", "glass");
    assert_root("glass", "glass");
    assert_root("\xff", "");
}

static f0t_status make_root(void *context)
{
    char *root = NULL;
    (void)context;
    f0t_status status = f0t_same_root(&root, "Sea Lions");
    f0t_free(root);
    return status;
}

static f0t_status make_and_find(void *context)
{
    f0t_same same = {0};
    size_t found;
    (void)context;
    f0t_status status = f0t_same_add_tags(&same, TAGS, COUNT);
    if (status == F0T_OK)
        status = f0t_same_find(&found, &same, "Sea Lions");
    if (status == F0T_OK)
        status = f0t_same_find(&found, &same, "Seagulls");
    f0t_same_free(&same);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, make_and_find, NULL);
    test_each_fault(F0T_FAULT_ALLOC, make_root, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_number_spelling_and_synonyms_do_not_matter),
        cmocka_unit_test(what_is_known_by_itself_is_nothing_else),
        cmocka_unit_test(other_words_are_other_tags),
        cmocka_unit_test(either_of_two_may_be_the_known_one),
        cmocka_unit_test(two_texts_are_compared_by_what_is_known),
        cmocka_unit_test(texts_that_differ_in_number_and_spelling_have_one_root),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
