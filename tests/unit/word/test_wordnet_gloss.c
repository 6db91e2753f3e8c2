#include "tiny.h"
#include "word/wordnet_gloss.h"

static size_t lemma_of(const tiny *t, const char *form)
{
    return f0t_wordnet_lemma(&t->wordnet, form, strlen(form));
}

static void forms_lead_to_their_lemmas(void **state)
{
    (void)state;
    tiny t;
    tiny_open(&t);
    static const char *const pairs[][2] = {
        {"dog", "dog"},     {"dogs", "dog"},    {"geese", "goose"},  {"barked", "bark"},
        {"making", "make"}, {"drove", "drive"}, {"larger", "large"}, {"puppies", "puppy"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_int_equal(lemma_of(&t, pairs[i][0]), tiny_lemma(&t, pairs[i][1]));
    assert_true(lemma_of(&t, "oxen") == F0T_NONE);   /* an exception whose lemma is not there */
    assert_true(lemma_of(&t, "doging") == F0T_NONE); /* "dog" is no verb here */
    assert_true(lemma_of(&t, "s") == F0T_NONE);
    assert_true(lemma_of(&t, "") == F0T_NONE);
    tiny_close(&t);
}

static void glosses_name_lemmas(void **state)
{
    (void)state;
    tiny t;
    f0t_mentions m;
    tiny_open(&t);
    assert_ok(f0t_mentions_find(&m, &t.wordnet));
    /* "a large vehicle with wheels; "the truck and the motor car"": not its own word, and the
     * phrase before the words. */
    static const char *const words[] = {"large", "vehicle", "wheel", "motor car"};
    size_t truck = tiny_synset(&t, F0T_NOUN, "truck"), found = 0;
    for (size_t i = 0; i < m.count; i++)
        if (m.items[i].synset == truck) {
            assert_true(found < 4);
            assert_int_equal(m.items[i].lemma, tiny_lemma(&t, words[found]));
            assert_int_equal(m.items[i].example, found == 3);
            found++;
        }
    assert_int_equal(found, 4);
    f0t_mentions_clear(&m);
    tiny_close(&t);
}

static void strange_glosses_do_no_harm(void **state)
{
    (void)state;
    tiny t;
    f0t_mentions m;
    tiny_open(&t);
    char longest[2000];
    memset(longest, 'a', sizeof longest);
    longest[900] = longest[1000] = ' ';
    static const char *const glosses[] = {
        "", "\"", "''' -- \"dog's-'", "dog dog dog", "\xFF\xC3 dog", "-dog' \"\"\""};
    for (size_t i = 0; i <= sizeof glosses / sizeof *glosses; i++) {
        bool last = i == sizeof glosses / sizeof *glosses;
        t.wordnet.synsets[0].gloss = last ? longest : glosses[i];
        t.wordnet.synsets[0].gloss_length = last ? sizeof longest : strlen(glosses[i]);
        assert_ok(f0t_mentions_find(&m, &t.wordnet));
        f0t_mentions_clear(&m);
    }
    tiny_close(&t);
}

static f0t_status find(void *context)
{
    f0t_mentions m;
    f0t_status status = f0t_mentions_find(&m, &((tiny *)context)->wordnet);
    f0t_mentions_clear(&m);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    tiny t;
    tiny_open(&t);
    test_each_fault(F0T_FAULT_ALLOC, find, &t);
    tiny_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_lead_to_their_lemmas),
        cmocka_unit_test(glosses_name_lemmas),
        cmocka_unit_test(strange_glosses_do_no_harm),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
