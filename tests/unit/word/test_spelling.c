#include "support.h"

#include "word/spelling.h"

#include <string.h>

static int distance(const char *a, const char *b)
{
    return f0t_spelling_distance(a, strlen(a), b, strlen(b), 3);
}

static void edits_are_counted(void **state)
{
    (void)state;
    assert_int_equal(distance("dog", "dog"), 0);
    assert_int_equal(distance("dog", "Dog"), 0);
    assert_int_equal(distance("dog", "dogs"), 1);
    assert_int_equal(distance("dog", "og"), 1);
    assert_int_equal(distance("dog", "dig"), 1);
    assert_int_equal(distance("dog", "odg"), 1);
    assert_int_equal(distance("", "abc"), 3);
    assert_int_equal(distance("abc", ""), 3);
    assert_int_equal(distance("kitten", "sitting"), 3);
    assert_int_equal(distance("ca", "abc"), 3);
    assert_int_equal(distance("caf\xC3\xA9", "cafe"), 1);
    assert_int_equal(distance("elephant", "building"), 4);
}

static void the_distance_is_the_same_both_ways(void **state)
{
    static const char *const texts[] = {"", "a", "ab", "ba", "abc", "acb", "bca", "abcd", "badc"};
    (void)state;
    for (size_t i = 0; i < 9; i++)
        for (size_t j = 0; j < 9; j++)
            assert_int_equal(distance(texts[i], texts[j]), distance(texts[j], texts[i]));
}

static void what_cannot_be_compared_is_far(void **state)
{
    char text[65];
    (void)state;
    memset(text, 'x', 65);
    assert_int_equal(f0t_spelling_distance(text, 65, text, 65, 3), 4);
    assert_int_equal(f0t_spelling_distance(text, 64, text, 64, 3), 0);
    assert_int_equal(f0t_spelling_distance("\xFF", 1, "a", 1, 3), 4);
}

static f0t_vectors *open_words(void)
{
    static const char text[] = "the 1\ndog 1\ngiraffe 1\ngiraff 1\nElephant 1\nhouse 1\ndgo 1\n";
    f0t_vectors *v;
    assert_ok(f0t_vectors_open_memory(&v, text, sizeof text - 1, "v", NULL, NULL));
    return v;
}

static void the_nearest_word_is_found(void **state)
{
    static const char *const texts[] = {"girafe", "elefant", "xyzzy", "dofg", "hosue", "", "gdo"};
    static const size_t want[] = {2, 4, F0T_NONE, 1, 5, F0T_NONE, 6};
    size_t nearest[7];
    f0t_vectors *v = open_words();
    (void)state;
    assert_ok(f0t_spelling_nearest(nearest, texts, 7, v, NULL));
    for (size_t i = 0; i < 7; i++)
        assert_true(nearest[i] == want[i]);
    f0t_vectors_close(v);
}

static void no_insult_is_suggested(void **state)
{
    static const char text[] = "blockhead 1\nblockheads 1\nbuckhead 1\n";
    static const char *const texts[] = {"blokhead", "buckheda"};
    size_t nearest[2];
    f0t_vectors *v;
    (void)state;
    assert_ok(f0t_vectors_open_memory(&v, text, sizeof text - 1, "v", NULL, NULL));
    assert_ok(f0t_spelling_nearest(nearest, texts, 2, v, NULL));
    assert_true(nearest[0] == 2 && nearest[1] == 2);
    f0t_vectors_close(v);
}

static void it_can_be_interrupted(void **state)
{
    static const char *const texts[] = {"girafe"};
    volatile sig_atomic_t stop = 1;
    f0t_monitor monitor = {.stop = &stop};
    size_t nearest[1];
    f0t_vectors *v = open_words();
    (void)state;
    assert_fails(F0T_ERROR_INTERRUPTED, "spelling",
                 f0t_spelling_nearest(nearest, texts, 1, v, &monitor));
    f0t_vectors_close(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_are_counted),
        cmocka_unit_test(the_distance_is_the_same_both_ways),
        cmocka_unit_test(what_cannot_be_compared_is_far),
        cmocka_unit_test(the_nearest_word_is_found),
        cmocka_unit_test(no_insult_is_suggested),
        cmocka_unit_test(it_can_be_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
