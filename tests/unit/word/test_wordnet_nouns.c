#include "fast0tag.h"

#include "memory_wordnet.h"
#include "tiny.h"
#include "word/insult.h"
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
    static const char *const roots[] = {"animal", "no such word", NULL};
    const f0t_noun_layer layer = {roots, F0T_NOUN_NAMES, false};
    tiny t;
    f0t_texts nouns = {0};
    (void)state;
    tiny_open(&t);
    assert_ok(f0t_wordnet_nouns(&nouns, &t.wordnet, &layer, 1, 0));
    assert_true(has(&nouns, "animal") && has(&nouns, "domestic dog") && has(&nouns, "puppy"));
    assert_true(has(&nouns, "goose"));
    assert_false(has(&nouns, "vehicle") || has(&nouns, "wing") || has(&nouns, "entity"));
    f0t_texts_free(&nouns);
    tiny_close(&t);
}

static void words_that_texts_do_not_use_are_left_out(void **state)
{
    static const char *const roots[] = {"animal", NULL};
    const f0t_noun_layer layer = {roots, F0T_NOUN_NAMES, false};
    tiny t;
    f0t_texts nouns = {0};
    (void)state;
    tiny_open(&t);
    assert_ok(f0t_wordnet_nouns(&nouns, &t.wordnet, &layer, 1, 1));
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

/* Kinds of people, one with a name of its own, one that WordNet marks, one that the list has. */
static const char DATA[] =
    "00000001 03 n 01 person 0 003 ~ 00000002 n 0000 ~ 00000005 n 0000 ~ 00000006 n 0000 | one  \n"
    "00000002 18 n 01 baker 0 002 ~i 00000003 n 0000 ~ 00000004 n 0000 | who bakes  \n"
    "00000003 18 n 01 Smith 0 000 | a baker of old  \n"
    "00000004 18 n 01 pastrycook 0 000 | who bakes cakes  \n"
    "00000005 18 n 01 doughface 0 000 | a disparaging term for a baker  \n"
    "00000006 18 n 02 blockhead 0 heretic 0 000 | who is not sensible  \n";
static const char INDEX[] = "baker n 1 0 1 0 00000002\n"
                            "blockhead n 1 0 1 0 00000006\n"
                            "doughface n 1 0 1 0 00000005\n"
                            "heretic n 1 0 1 0 00000006\n"
                            "pastrycook n 1 0 1 0 00000004\n"
                            "person n 1 0 1 0 00000001\n"
                            "smith n 1 0 1 0 00000003\n";

static void layers_take_in_and_out(void **state)
{
    static const char *const person[] = {"person", NULL}, *const baker[] = {"baker", NULL};
    const f0t_noun_layer layers[] = {{person, F0T_NOUN_NAMES, false},
                                     {person, F0T_NOUN_NAMES, true},
                                     {person, F0T_NOUN_ITSELF, false},
                                     {baker, F0T_NOUN_KINDS, false}};
    f0t_wordnet w;
    f0t_texts all = {0}, some = {0};
    (void)state;
    memory_wordnet(&w, DATA, INDEX, "");
    assert_ok(f0t_wordnet_nouns(&all, &w, layers, 1, 0));
    assert_true(has(&all, "smith") && has(&all, "heretic"));
    assert_false(has(&all, "blockhead") || has(&all, "doughface"));
    assert_ok(f0t_wordnet_nouns(&some, &w, layers, 4, 0));
    assert_int_equal(some.count, 3);
    assert_true(has(&some, "person") && has(&some, "baker") && has(&some, "pastrycook"));
    f0t_texts_free(&all);
    f0t_texts_free(&some);
    f0t_wordnet_clear(&w);
}

/* Debian's WordNet, if it is there: what is seen stays, what no picture shows of a person goes. */
static void people_are_what_a_picture_shows(void **state)
{
    static const char *const in[] = {"person", "child", "woman", "policeman", "singer", "mother",
                                     "dog",    "hat",   "queen", "boy",       "tool",   "river"};
    static const char *const out[] = {"thief",  "victim",   "prisoner",  "liar",
                                      "sinner", "catholic", "foreigner", "napoleon",
                                      "monkey", "corpse",   "adulterer"};
    f0t_texts nouns = {0};
    (void)state;
    if (f0t_wordnet_visible_nouns(&nouns, F0T_WORDNET_FOLDER) != F0T_OK)
        test_skip("the package wordnet-base is not installed");
    assert_in_range(nouns.count, 2500, 4000);
    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        if (!has(&nouns, in[i]))
            fail_msg("'%s' can be seen", in[i]);
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        if (has(&nouns, out[i]))
            fail_msg("'%s' is not for us to say", out[i]);
    for (size_t i = 0; i < nouns.count; i++) {
        bool insults;
        const char *noun = f0t_texts_get(&nouns, i);
        assert_ok(f0t_word_insults(&insults, noun, strlen(noun)));
        assert_false(insults);
    }
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
        cmocka_unit_test(layers_take_in_and_out),
        cmocka_unit_test(people_are_what_a_picture_shows),
        cmocka_unit_test(a_lack_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
