#include "memory_wordnet.h"
#include "word/wordnet_nouns.h"

/* "oaf" and "lump" by their synset, "Redhat" as one word of two, "churl" by its definition; "card"
 * and "log" have other senses, "card" a far more frequent one. */
static const char DATA[] =
    "00000001 10 n 01 disparagement 0 000 | unkind talk  \n"
    "00000002 18 n 02 oaf 0 lump 0 001 ;u 00000001 n 0000 | someone slow  \n"
    "00000003 18 n 02 local 0 Redhat 0 001 ;u 00000001 n 0200 | someone who lives there  \n"
    "00000004 18 n 01 churl 0 000 | an offensive term for a neighbour; \"that churl\"  \n"
    "00000005 18 n 02 card 0 log 0 001 ;u 00000001 n 0000 | a person who is dull  \n"
    "00000006 06 n 01 card 0 000 | a piece of stiff paper  \n"
    "00000007 06 n 01 log 0 000 | a piece of a tree  \n"
    "00000008 06 n 01 shell 0 000 | \"an offensive term for it is pod\" is an example  \n"
    "00000009 06 n 01 lance 0 001 ;u 00000010 n 0000 | a weapon  \n"
    "00000010 10 n 01 slang 0 000 | talk among few  \n";
static const char INDEX[] = "card n 2 0 2 2 00000006 00000005\n"
                            "churl n 1 0 1 0 00000004\n"
                            "disparagement n 1 0 1 0 00000001\n"
                            "lance n 1 0 1 0 00000009\n"
                            "local n 1 0 1 0 00000003\n"
                            "log n 2 0 2 2 00000007 00000005\n"
                            "lump n 1 0 1 0 00000002\n"
                            "oaf n 1 0 1 0 00000002\n"
                            "redhat n 1 0 1 0 00000003\n"
                            "shell n 1 0 1 0 00000008\n"
                            "slang n 1 0 1 0 00000010\n";
static const char COUNTS[] = "card%1:06:00:: 1 20\ncard%1:18:00:: 2 1\n"
                             "log%1:06:00:: 1 19\nlog%1:18:00:: 2 1\n";

static void links_words_and_definitions_mark(void **state)
{
    static const char *const bad[] = {"oaf", "lump", "redhat", "churl", "log"};
    static const char *const good[] = {"card",  "local",         "shell", "lance",
                                       "slang", "disparagement", "go"};
    f0t_wordnet w;
    bool marked[32];
    (void)state;
    memory_wordnet(&w, DATA, INDEX, COUNTS);
    assert_in_range(w.sense_count, 1, 32);
    assert_ok(f0t_wordnet_mark_insults(marked, &w));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (!f0t_wordnet_insults(&w, marked,
                                 f0t_words_find(&w.lemmas.view, bad[i], strlen(bad[i]))))
            fail_msg("'%s' is marked", bad[i]);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (f0t_wordnet_insults(&w, marked,
                                f0t_words_find(&w.lemmas.view, good[i], strlen(good[i]))))
            fail_msg("'%s' is not", good[i]);
    f0t_wordnet_clear(&w);
}

/* A pointer may name a word that its synset does not have. */
static void a_word_out_of_range_marks_nothing(void **state)
{
    f0t_wordnet w;
    bool marked[8];
    (void)state;
    memory_wordnet(&w,
                   "00000001 10 n 01 disparagement 0 000 | unkind talk  \n"
                   "00000002 18 n 01 oaf 0 001 ;u 00000001 n ff00 | someone slow  \n",
                   "disparagement n 1 0 1 0 00000001\noaf n 1 0 1 0 00000002\n", "");
    assert_ok(f0t_wordnet_mark_insults(marked, &w));
    assert_false(f0t_wordnet_insults(&w, marked, f0t_words_find(&w.lemmas.view, "oaf", 3)));
    f0t_wordnet_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_words_and_definitions_mark),
        cmocka_unit_test(a_word_out_of_range_marks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
