#include "tiny.h"
#include "word/wordnet_nouns.h"

static bool has(const f0t_texts *nouns, const char *word)
{
    for (size_t i = 0; i < nouns->count; i++)
        if (!strcmp(f0t_texts_get(nouns, i), word))
            return true;
    return false;
}

static void nouns_are_kinds_of_the_roots(void **state)
{
    static const char *const roots[] = {"animal", "no such word"};
    tiny t;
    f0t_texts nouns = {0};
    (void)state;
    tiny_open(&t);
    assert_ok(f0t_wordnet_nouns(&nouns, &t.wordnet, roots, 2, 0));
    assert_true(has(&nouns, "animal") && has(&nouns, "domestic dog") && has(&nouns, "puppy"));
    assert_true(has(&nouns, "goose"));
    assert_false(has(&nouns, "vehicle") || has(&nouns, "wing") || has(&nouns, "entity"));
    f0t_texts_free(&nouns);
    tiny_close(&t);
}

static void words_that_texts_do_not_use_are_left_out(void **state)
{
    static const char *const roots[] = {"animal"};
    tiny t;
    f0t_texts nouns = {0};
    (void)state;
    tiny_open(&t);
    assert_ok(f0t_wordnet_nouns(&nouns, &t.wordnet, roots, 1, 1));
    assert_int_equal(nouns.count, 1);
    assert_string_equal(f0t_texts_get(&nouns, 0), "dog");
    f0t_texts_free(&nouns);
    tiny_close(&t);
}

static void without_a_root_every_noun_is_one(void **state)
{
    f0t_texts nouns = {0};
    (void)state;
    assert_ok(f0t_wordnet_visible_nouns(&nouns, test_source("wordnet")));
    assert_true(has(&nouns, "dog") && has(&nouns, "trunk"));
    assert_false(has(&nouns, "big"));
    f0t_texts_free(&nouns);
    assert_fails(F0T_ERROR_NOT_FOUND, "wordnet-base",
                 f0t_wordnet_visible_nouns(&nouns, test_path("nowhere")));
    f0t_texts_free(&nouns);
}

static f0t_status find_once(void *context)
{
    f0t_texts nouns = {0};
    (void)context;
    f0t_status status = f0t_wordnet_visible_nouns(&nouns, test_source("wordnet"));
    f0t_texts_free(&nouns);
    return status;
}

static void a_lack_of_memory_is_told(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, find_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nouns_are_kinds_of_the_roots),
        cmocka_unit_test(words_that_texts_do_not_use_are_left_out),
        cmocka_unit_test(without_a_root_every_noun_is_one),
        cmocka_unit_test(a_lack_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
