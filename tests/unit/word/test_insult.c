#include "fast0tag.h"

#include "base/hash.h"
#include "support.h"
#include "tiny.h"
#include "word/insult.h"
#include "word/insult_table.h"
#include "word/wordnet_nouns.h"

#include <inttypes.h>
#include <stdio.h>

static bool insults(const char *word)
{
    bool out;
    assert_ok(f0t_word_insults(&out, word, strlen(word)));
    return out;
}

static void the_list_is_in_order(void **state)
{
    (void)state;
    for (size_t i = 1; i < sizeof insult_hashes / sizeof *insult_hashes; i++)
        assert_true(insult_hashes[i - 1] < insult_hashes[i]);
}

/* Mild ones, so that they can stand here. */
static void any_case_number_and_spelling_is_found(void **state)
{
    (void)state;
    assert_true(insults("blockhead"));
    assert_true(insults("Blockheads"));
    assert_true(insults("BLOCKHEAD"));
    assert_true(insults("trailer trash"));
    assert_true(insults("Trailer-Trash"));
    assert_true(insults("trailer_trash"));
    assert_true(insults("pantywaists"));
}

static void ordinary_words_are_not(void **state)
{
    static const char *const words[] = {
        "",           "boy",     "queen",      "tool",     "cat",     "dog",   "fairy",
        "bull",       "person",  "spade",      "shrimp",   "guinea",  "paddy", "rooster",
        "blackboard", "coat",    "basil",      "grass",    "glass",   "class", "Essex",
        "cockpit",    "peacock", "scunthorpe", "assassin", "Titanic", "hoe",   "gypsy moth",
        "niggle",     "dam",     "matador"};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (insults(words[i]))
            fail_msg("'%s' insults nobody", words[i]);
}

static void text_that_is_not_utf8_is_refused(void **state)
{
    bool out;
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "UTF-8", f0t_word_insults(&out, "\xff", 1));
}

/* A vector file may come without WordNet: the list has what WordNet would have marked. */
static void what_wordnet_knows_as_insults_alone_is_listed(void **state)
{
    f0t_wordnet_folder folder;
    f0t_wordnet w = {0};
    size_t found = 0;
    bool *marked;
    (void)state;
    if (f0t_wordnet_folder_open(&folder, F0T_WORDNET_FOLDER) != F0T_OK) {
        f0t_wordnet_folder_close(&folder);
        test_skip("the package wordnet-base is not installed");
    }
    assert_ok(f0t_wordnet_read(&w, &folder.files));
    marked = test_malloc(w.sense_count * sizeof *marked);
    assert_ok(f0t_wordnet_mark_insults(marked, &w));
    bool *innocent = test_calloc(w.lemmas.view.count, sizeof *innocent);
    for (size_t i = 0; i < w.sense_count; i++)
        innocent[w.senses[i].lemma] |= !marked[i];
    for (size_t i = 0; i < w.lemmas.view.count; i++) {
        size_t length;
        bool listed;
        const char *lemma = f0t_words_at(&length, &w.lemmas.view, i);
        if (innocent[i])
            continue;
        found++;
        assert_true(f0t_wordnet_insults(&w, marked, i));
        assert_ok(f0t_word_insults(&listed, lemma, length));
        if (!listed)
            fail_msg("lemma %zu of WordNet is not in the list", i);
    }
    assert_in_range(found, 100, 200);
    test_free(marked);
    test_free(innocent);
    f0t_wordnet_clear(&w);
    f0t_wordnet_folder_close(&folder);
}

/* A line of the list for each word on the command line. */
static void print_lines(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        printf("    0x%016" PRIx64 ",\n", f0t_hash(F0T_HASH_START, argv[i], strlen(argv[i])));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_is_in_order),
        cmocka_unit_test(any_case_number_and_spelling_is_found),
        cmocka_unit_test(ordinary_words_are_not),
        cmocka_unit_test(text_that_is_not_utf8_is_refused),
        cmocka_unit_test(what_wordnet_knows_as_insults_alone_is_listed),
    };
    if (argc > 1) {
        print_lines(argc, argv);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
