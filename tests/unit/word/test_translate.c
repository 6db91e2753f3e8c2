#include "support.h"

#include "fast0tag.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* English vectors; their mean is not zero. */
static const char vectors[] = "dog 3 1 0\ncanine 3 1.2 0.1\ntub 0 1 4\nfrisbee 1 5 1\nman 1 1 2\n";
enum { D = 3 };

/* "Hund" means a dog, a canine, or a tub; "Rad" nothing that has a vector; "man" is a word of both. */
static const char entries[] =
    "Hund\ndog\n\nHund\ncanine, dog\n\nHund\ntub, hutch\n\nRad\nwheel\n\nman\ndog\n\n";

static const char *write_dictionary(void)
{
    static char path[512];
    char index[256] = "";
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (const char *at = entries; *at;) {
        const char *end = strstr(at, "\n\n") + 2;
        size_t place = (size_t)(at - entries), size = (size_t)(end - at);
        snprintf(index + strlen(index), sizeof index - strlen(index), "x\t%c%c\t%c\n",
                 digits[place / 64], digits[place % 64], digits[size]);
        at = end;
    }
    test_text("small.dict", entries);
    snprintf(path, sizeof path, "%s", test_text("small.index", index));
    return path;
}

static f0t_vectors *translate(const f0t_translate_options *how, f0t_vectors_counts *counts)
{
    f0t_vectors *v = NULL;
    const char *from = test_text("en.txt", vectors), *dictionary = write_dictionary();
    assert_ok(f0t_vectors_translate(counts, test_path("de.st"), from, dictionary, how, NULL));
    assert_ok(f0t_vectors_open(&v, test_path("de.st"), NULL, NULL));
    return v;
}

static f0t_vectors *open_english(void)
{
    f0t_vectors *v = NULL;
    assert_ok(f0t_vectors_open(&v, test_text("en.txt", vectors), NULL, NULL));
    return v;
}

/* Centred, of length 1. */
static void get_unit(double *to, const f0t_vectors *v, const char *word)
{
    float row[D];
    double square = 0;
    size_t i = f0t_vectors_find(v, word, strlen(word));
    assert_true(i != F0T_NONE);
    assert_ok(f0t_vectors_get(row, v, i, 1));
    for (int k = 0; k < D; k++) {
        to[k] = (double)row[k] - (double)f0t_vectors_mean(v)[k];
        square += to[k] * to[k];
    }
    for (int k = 0; k < D; k++)
        to[k] /= sqrt(square);
}

static double cosine(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* By hand: the meanings are dog, the mean of canine and dog, and tub. */
static void expected_hund(double *to, const f0t_vectors *v)
{
    double m[3][D], canine[D], square = 0;
    get_unit(m[0], v, "dog");
    get_unit(canine, v, "canine");
    get_unit(m[2], v, "tub");
    for (int k = 0; k < D; k++) {
        m[1][k] = m[0][k] + canine[k];
        square += m[1][k] * m[1][k];
        to[k] = 0;
    }
    for (int k = 0; k < D; k++)
        m[1][k] /= sqrt(square);
    for (int i = 0; i < 3; i++) {
        double weight = 0;
        for (int j = 0; j < 3; j++)
            weight += fmax(0, cosine(m[i], m[j]));
        for (int k = 0; k < D; k++)
            to[k] += weight * m[i][k];
    }
    square = cosine(to, to);
    for (int k = 0; k < D; k++)
        to[k] /= sqrt(square);
}

static void a_word_is_what_its_meanings_agree_on(void **state)
{
    f0t_vectors_counts counts;
    f0t_vectors *english = open_english(), *german = translate(NULL, &counts);
    double got[D], want[D], dog[D];
    (void)state;
    expected_hund(want, english);
    get_unit(got, german, "Hund");
    get_unit(dog, english, "dog");
    for (int k = 0; k < D; k++)
        assert_true(fabs(got[k] - want[k]) < 1e-5);
    assert_true(cosine(got, dog) > 0.8);
    assert_true(f0t_vectors_find(german, "Rad", 3) == F0T_NONE);
    f0t_vectors_close(english);
    f0t_vectors_close(german);
}

static void the_space_is_that_of_the_english_words_which_stay(void **state)
{
    f0t_vectors_counts counts;
    f0t_vectors *english = open_english(), *german = translate(NULL, &counts);
    double got[D], want[D];
    (void)state;
    assert_true(f0t_vectors_fingerprint(english) == f0t_vectors_fingerprint(german));
    assert_memory_equal(f0t_vectors_mean(english), f0t_vectors_mean(german), D * sizeof(float));
    get_unit(want, english, "frisbee");
    get_unit(got, german, "frisbee");
    assert_true(cosine(got, want) > 1 - 1e-9);
    /* the dictionary's "man" is the German one */
    get_unit(want, english, "dog");
    get_unit(got, german, "man");
    assert_true(cosine(got, want) > 1 - 1e-6);
    assert_int_equal(counts.words, 6);
    assert_int_equal(counts.duplicates, 1);
    f0t_vectors_close(english);
    f0t_vectors_close(german);
}

static void only_the_words_that_are_asked_for(void **state)
{
    static const char *const tags[] = {"hund", "Frisbee"};
    const f0t_translate_options some = {.size = sizeof some, .tags = tags, .tag_count = 2};
    const f0t_translate_options only = {.size = sizeof only, .only = true};
    f0t_vectors_counts counts;
    (void)state;
    f0t_vectors_close(translate(&some, &counts));
    assert_int_equal(counts.words, 2);
    f0t_vectors_close(translate(&only, &counts));
    assert_int_equal(counts.words, 2); /* Hund and man */
}

static void without_a_meaning_nothing_is_written(void **state)
{
    static const char *const tags[] = {"xyzzy"};
    const f0t_translate_options how = {.size = sizeof how, .tags = tags, .tag_count = 1};
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "none of the words has a meaning in ",
                 f0t_vectors_translate(NULL, test_path("none.st"), test_text("en.txt", vectors),
                                       write_dictionary(), &how, NULL));
    assert_fails(F0T_ERROR_NOT_FOUND, "none.st",
                 f0t_vectors_open(&(f0t_vectors *){NULL}, test_path("none.st"), NULL, NULL));
}

static f0t_status translate_once(void *context)
{
    (void)context;
    return f0t_vectors_translate(NULL, test_path("fault.st"), test_path("en.txt"),
                                 test_path("small.index"), NULL, NULL);
}

static void every_allocation_and_every_write_may_fail(void **state)
{
    (void)state;
    test_text("en.txt", vectors);
    write_dictionary();
    test_each_fault(F0T_FAULT_ALLOC, translate_once, NULL);
    test_each_fault(F0T_FAULT_WRITE, translate_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_is_what_its_meanings_agree_on),
        cmocka_unit_test(the_space_is_that_of_the_english_words_which_stay),
        cmocka_unit_test(only_the_words_that_are_asked_for),
        cmocka_unit_test(without_a_meaning_nothing_is_written),
        cmocka_unit_test(every_allocation_and_every_write_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
