/* Words without a vector: with dictionaries, and without. */
#include "support.h"

#include "word/foreign.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *empty, *filled;

static int start(void **state)
{
    (void)state;
    static char folders[2][512];
    snprintf(folders[0], sizeof folders[0], "%s", test_path("none"));
    snprintf(folders[1], sizeof folders[1], "%s", test_path("dictd"));
    empty = folders[0];
    filled = folders[1];
    if (mkdir(filled, 0700))
        return -1;
    (void)test_text("dictd/freedict-deu-eng.index",
                    "00databaseshort\tA\tB\nBär\tA\tB\nHund\tA\tB\n\nkein tab\n");
    (void)test_text("dictd/freedict-dan-eng.index", "hund\tA\tB\nog\tC\tD");
    (void)test_text("dictd/freedict-eng-deu.index", "zebbra\tA\tB\n");
    (void)test_text("dictd/freedict-xxx-eng.index", "\xff\xfe\tA\tB\nBaer\xff\tA\tB\n");
    return 0;
}

static void assert_advises(const char *word, const char *nearest, const char *folder,
                           const char *expected)
{
    char advice[F0T_ADVICE_SIZE];
    assert_ok(f0t_foreign_advise(advice, word, nearest, folder));
    if (!*expected)
        assert_string_equal(advice, "");
    if (!strstr(advice, expected))
        fail_msg("'%s': '%s' without '%s'", word, advice, expected);
}

static void a_dictionary_tells_the_language(void **state)
{
    (void)state;
    assert_advises(
        "Bär", "bar", filled,
        "; a dictionary has it (deu): 'fast0tag vectors translate VECTORS --dictionary deu -o");
    assert_advises("bär", NULL, filled, "(deu)");
    assert_advises("HUND", "fund", filled,
                   "(dan, deu): 'fast0tag vectors translate VECTORS --dictionary LANGUAGE");
    assert_advises("zebbra", "zebra", filled, "; did you mean 'zebra'?");
    assert_advises("Hundd", "fund", filled, "; did you mean 'fund'?"); /* no language has it */
    assert_advises("Hundd", NULL, filled, "");
    assert_advises("_", NULL, filled, "");
}

static void without_a_dictionary_only_slips_are_guessed(void **state)
{
    (void)state;
    assert_advises("Hund", "fund", empty, "; if it is of another language, install its dictionary");
    assert_advises("Hund", "hunt", empty, "; if it is of another language");
    assert_advises("Hund", NULL, empty, "; if it is of another language");
    assert_advises("zebbra", "zebra", empty, "; did you mean 'zebra'?");
    assert_advises("Umbrela", "umbrella", empty, "; did you mean 'umbrella'?");
    assert_advises("dgo", "dog", empty, "; did you mean 'dog'?");
    assert_advises("motorcicel", "motorcycle", empty, "; did you mean 'motorcycle'?");
    assert_advises("mumbrella", "umbrella", empty, "; if it is of another language");
}

static f0t_status advise(void *user)
{
    char advice[F0T_ADVICE_SIZE];
    return f0t_foreign_advise(advice, "Hund", "fund", user);
}

static void every_failed_allocation_is_an_error(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, advise, (void *)(uintptr_t)filled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dictionary_tells_the_language),
        cmocka_unit_test(without_a_dictionary_only_slips_are_guessed),
        cmocka_unit_test(every_failed_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
