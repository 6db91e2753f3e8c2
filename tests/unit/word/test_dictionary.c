#include "support.h"

#include "word/dictionary.h"

#include <stdio.h>
#include <string.h>

static const char entries[] = "About this file\n"                      /* 0, 16 */
                              "Hund /hunt/ <masc, n>\n"                /* 16 */
                              " [zool.] dog <n>, dawg <n> (slang)\n"   /* */
                              "      \"ein Hund\"  - a dog's life\n"   /* */
                              "   Synonym: {Köter}\n see: {Hunde}\n\n" /* ends at 141 */
                              "Hund <masc>\nmine car <n>; tub\n\n"     /* 141 */
                              "niño /nˈiɲo/\n1. bairn, child\n2. room rm /ar/, infant\n";

/* A number of base 64 in letters, as an index has it. */
static const char *digits(size_t number)
{
    static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static char text[4][3];
    static size_t next;
    char *to = text[next++ % 4];
    to[0] = all[number / 64];
    to[1] = all[number % 64];
    return to;
}

static size_t place(const char *of)
{
    return (size_t)(strstr(entries, of) - entries);
}

/* The index of the entries above; two keys lead to the last one. */
static const char *make_index(void)
{
    static char text[256];
    size_t first = place("Hund /"), second = place("Hund <"), third = place("niño");
    snprintf(text, sizeof text, "00databaseinfo\tA\t%s\nhund\t%s\t%s\n", digits(first),
             digits(first), digits(second - first));
    snprintf(text + strlen(text), sizeof text - strlen(text), "hund\t%s\t%s\n", digits(second),
             digits(third - second));
    for (int i = 0; i < 2; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s\t%s\t%s\n",
                 i ? "niño" : "nino", digits(third), digits(sizeof entries - 1 - third));
    return text;
}

static f0t_dictionary *read_entries(void)
{
    f0t_dictionary *d = NULL;
    const char *index = make_index();
    assert_ok(f0t_dictionary_read(&d, index, strlen(index), entries, sizeof entries - 1, "test"));
    return d;
}

static void assert_translations(const f0t_dictionary *d, size_t word, size_t meaning,
                                const char *expected)
{
    f0t_texts texts = {0};
    char got[256] = "";
    assert_ok(f0t_dictionary_translations(&texts, d, word, meaning));
    for (size_t i = 0; i < texts.count; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", i ? "|" : "",
                 f0t_texts_get(&texts, i));
    assert_string_equal(got, expected);
    f0t_texts_free(&texts);
}

static void entries_have_a_headword_meanings_and_translations(void **state)
{
    (void)state;
    f0t_dictionary *d = read_entries();
    assert_int_equal(f0t_dictionary_count(d), 2);
    assert_string_equal(f0t_dictionary_word(d, 0), "Hund");
    assert_string_equal(f0t_dictionary_word(d, 1), "niño");
    assert_int_equal(f0t_dictionary_meanings(d, 0), 2);
    assert_int_equal(f0t_dictionary_meanings(d, 1), 1);
    assert_translations(d, 0, 0, "dog|dawg");
    assert_translations(d, 0, 1, "mine car|tub");
    assert_translations(d, 1, 0, "bairn|child|room rm|infant");
    f0t_dictionary_close(d);
}

static void assert_refused(const char *index, const char *why)
{
    f0t_dictionary *d = NULL;
    assert_int_equal(
        f0t_dictionary_read(&d, index, strlen(index), entries, sizeof entries - 1, "test"),
        F0T_ERROR_FORMAT);
    assert_non_null(strstr(f0t_last_error(), why));
    assert_null(d);
}

static void an_index_that_is_none_is_refused(void **state)
{
    (void)state;
    assert_refused("", "the dictionary has no entry");
    assert_refused("hund\tA\n", "line 1 of the index is not a word, a place and a length");
    assert_refused("hund\tA\tB\nhund\t?\tB\n", "line 2 of the index is not");
    assert_refused("hund\tAAAAAAAAA\tB\n", "line 1 of the index is not");
    assert_refused("hund\t//////\tB\n",
                   "points outside the entries: the two files do not belong together");
    assert_refused("hund\tA\t//////\n", "points outside");
    assert_refused("hund\tA\t//////// \n", "points outside");
    assert_refused("00databaseinfo\tA\tQ\n", "no entry");
}

static void a_dictionary_that_is_not_there_is_said(void **state)
{
    (void)state;
    f0t_dictionary *d = NULL;
    assert_int_equal(f0t_dictionary_open(&d, "German"), F0T_ERROR_ARGUMENT);
    assert_non_null(strstr(f0t_last_error(),
                           "dictionary 'German': give a language of three letters such as deu"));
    assert_int_equal(f0t_dictionary_open(&d, "zzz"), F0T_ERROR_NOT_FOUND);
    assert_non_null(strstr(f0t_last_error(), "there is no dictionary "));
    assert_int_equal(f0t_dictionary_open(&d, test_path("none.index")), F0T_ERROR_NOT_FOUND);
}

static f0t_status read_once(void *user)
{
    f0t_dictionary *d = NULL;
    const char *index = make_index();
    (void)user;
    f0t_status status =
        f0t_dictionary_read(&d, index, strlen(index), entries, sizeof entries - 1, "test");
    f0t_dictionary_close(d);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, read_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_have_a_headword_meanings_and_translations),
        cmocka_unit_test(an_index_that_is_none_is_refused),
        cmocka_unit_test(a_dictionary_that_is_not_there_is_said),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
