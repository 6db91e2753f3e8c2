#include "tag/general.h"

#include "support.h"

#include <math.h>
#include <string.h>

static f0t_hypernyms *words;

static int start(void **state)
{
    (void)state;
    return f0t_hypernyms_open(&words, test_source("wordnet"), NULL) != F0T_OK;
}

static int stop(void **state)
{
    (void)state;
    f0t_hypernyms_close(words);
    return 0;
}

static void a_general_word_is_as_sure_as_the_surest_below_it(void **state)
{
    f0t_tag_score tags[4 + F0T_GENERAL_MOST] = {
        {"puppy", 3, 1, 0.4F}, {"sea", 1, 0.5F, 0.3F}, {"Wolf", 0, 2, 0.7F}, {"car", 5, 3, 0.9F}};
    static const char *const want[] = {"puppy",   "sea",     "Wolf",   "car",
                                       "vehicle", "machine", "animal", "dog"};
    static const float sure[] = {0.4F, 0.3F, 0.7F, 0.9F, 0.9F, 0.9F, 0.7F, 0.4F};
    size_t count = 4;
    (void)state;
    assert_ok(f0t_general_add(tags, &count, words));
    assert_int_equal(count, 8);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(tags[i].tag, want[i]);
        assert_true(tags[i].confidence == sure[i]);
        assert_true((tags[i].index == F0T_NONE) == (i >= 4));
    }
    assert_true(tags[6].score == 2);
}

/* The collection's own "Animal" stays where it is, and is never less sure than a dog. */
static void a_tag_that_is_general_itself_is_raised(void **state)
{
    f0t_tag_score tags[3 + F0T_GENERAL_MOST] = {
        {"dog", 0, 5, 0.8F}, {"Animal", 1, 4, 0.2F}, {"vehicle", 2, 9, 0.95F}};
    size_t count = 3;
    (void)state;
    assert_ok(f0t_general_add(tags, &count, words));
    assert_int_equal(count, 4);
    assert_true(tags[1].confidence == 0.8F && tags[1].score == 5 && tags[1].index == 1);
    assert_string_equal(tags[3].tag, "machine");
    assert_true(tags[3].confidence == 0.95F);
}

static void without_confidences_scores_decide(void **state)
{
    f0t_tag_score tags[2 + F0T_GENERAL_MOST] = {{"puppy", 0, 1, NAN}, {"car", 1, 2, NAN}};
    size_t count = 2;
    (void)state;
    assert_ok(f0t_general_add(tags, &count, words));
    assert_int_equal(count, 6);
    assert_string_equal(tags[2].tag, "vehicle");
    assert_string_equal(tags[5].tag, "animal");
    assert_true(isnan(tags[5].confidence));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_general_word_is_as_sure_as_the_surest_below_it),
        cmocka_unit_test(a_tag_that_is_general_itself_is_raised),
        cmocka_unit_test(without_confidences_scores_decide),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
