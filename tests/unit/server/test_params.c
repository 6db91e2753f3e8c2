#include "support.h"

#include "body.h"
#include "params.h"

#include <stdlib.h>
#include <string.h>

static void set(params *p, const char *name, const char *value)
{
    bool known;
    assert_ok(params_set(p, &known, name, value));
    assert_true(known);
}

static void numbers_and_words_are_read(void **state)
{
    params p = PARAMS_DEFAULT;
    (void)state;
    assert_int_equal(p.k, 5);
    set(&p, "k", "12");
    set(&p, "confidence", "2.5e-1");
    set(&p, "vocabulary", " palm tree ,, dog,");
    set(&p, "vocabulary", "straße");
    assert_int_equal(p.k, 12);
    assert_true(p.confidence > 0.2499 && p.confidence < 0.2501);
    const char **words = params_words(&p);
    assert_int_equal(p.words, 3);
    assert_string_equal(words[0], "palm tree");
    assert_string_equal(words[1], "dog");
    assert_string_equal(words[2], "straße");
    free(words);
    params_free(&p);
    assert_int_equal(p.words, 0);
}

static void wrong_values_are_refused(void **state)
{
    static const char *const bad[] = {
        "",    "0",   "-1",  "1.5", "1001", "1e9",
        "nan", "inf", "0x5", " 5",  "5 ",   "5000000000000000000000000000000000000"};
    params p = PARAMS_DEFAULT;
    bool known;
    char word[1100];
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(F0T_ERROR_ARGUMENT, "k: ", params_set(&p, &known, "k", bad[i]));
    assert_fails(F0T_ERROR_ARGUMENT, "confidence: ", params_set(&p, &known, "confidence", "1.01"));
    assert_fails(F0T_ERROR_ARGUMENT, "confidence: ", params_set(&p, &known, "confidence", "-0.1"));
    assert_ok(params_set(&p, &known, "colour", "red"));
    assert_false(known);
    memset(word, 'x', sizeof word);
    word[1024] = 0;
    set(&p, "vocabulary", word);
    word[1024] = 'x';
    word[1025] = 0;
    assert_fails(F0T_ERROR_ARGUMENT, "vocabulary: ", params_set(&p, &known, "vocabulary", word));
    assert_int_equal(p.k, 5);
    params_free(&p);
}

static void too_many_words_are_refused(void **state)
{
    params p = PARAMS_DEFAULT;
    (void)state;
    for (size_t i = 0; i < PARAMS_WORDS_MOST; i++)
        assert_ok(params_add_word(&p, "w", 1));
    assert_fails(F0T_ERROR_ARGUMENT, "at most 20000 words", params_add_word(&p, "w", 1));
    params_free(&p);
}

static void too_long_words_together_are_refused(void **state)
{
    params p = PARAMS_DEFAULT;
    char word[1023];
    (void)state;
    memset(word, 'x', sizeof word);
    for (size_t i = 0; i < PARAMS_TEXT_MOST / (sizeof word + 1); i++)
        assert_ok(params_add_word(&p, word, sizeof word));
    assert_fails(F0T_ERROR_ARGUMENT, "at most 1048576 bytes", params_add_word(&p, "w", 1));
    params_free(&p);
}

static f0t_status read_text(body *b, const char *text)
{
    return body_read(b, text, strlen(text), 2);
}

static void features_and_parameters_are_read(void **state)
{
    body b;
    (void)state;
    assert_ok(read_text(
        &b, "{\"features\": [[1, -2.5], [3e2, 0]], \"k\": 7, \"vocabulary\": [\"a, b\"]}"));
    assert_int_equal(b.rows, 2);
    assert_int_equal(b.dim, 2);
    assert_true(b.features[1] < -2.49F && b.features[2] > 299.9F);
    assert_int_equal(b.params.k, 7);
    assert_int_equal(b.params.words, 1);
    assert_string_equal(b.params.text, "a, b");
    body_free(&b);
}

static void wrong_bodies_are_refused(void **state)
{
    static const char *const bad[] = {"",
                                      "null",
                                      "{}",
                                      "{\"features\": 1}",
                                      "{\"features\": [1]}",
                                      "{\"features\": [[1], [1, 2]]}",
                                      "{\"features\": [[true]]}",
                                      "{\"features\": [[1e39]]}",
                                      "{\"features\": [[1], [1], [1]]}",
                                      "{\"features\": [[1]], \"features\": [[1]]}",
                                      "{\"features\": [[1]], \"k\": \"3\"}",
                                      "{\"features\": [[1]], \"vocabulary\": {}}",
                                      "{\"features\": [[1]], \"vocabulary\": [\"\"]}",
                                      "{\"features\": [[1]], \"vocabulary\": [\"a\\u0000b\"]}",
                                      "{\"features\": [[1]]} x"};
    body b;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (read_text(&b, bad[i]) != F0T_ERROR_ARGUMENT)
            fail_msg("%s is taken", bad[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_words_are_read),
        cmocka_unit_test(wrong_values_are_refused),
        cmocka_unit_test(too_many_words_are_refused),
        cmocka_unit_test(too_long_words_together_are_refused),
        cmocka_unit_test(features_and_parameters_are_read),
        cmocka_unit_test(wrong_bodies_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
