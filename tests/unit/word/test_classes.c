#include "support.h"

#include "word/classes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two features; the third class has no name. */
static const char *const labels[] = {"tench, Tinca tinca", "English setter", ""};
static const float weights[] = {1, 0, 0, 2, -1, 1}, bias[] = {0.5F, 0, -1};

static f0t_classes *make(const char *const *names, size_t count)
{
    f0t_classes *classes;
    assert_ok(f0t_classes_create(&classes, names, weights, bias, count, 2));
    return classes;
}

static void they_are_what_they_were_made_of(void **state)
{
    f0t_classes *classes = make(labels, 3);
    (void)state;
    assert_int_equal(f0t_classes_count(classes), 3);
    assert_int_equal(f0t_classes_dim(classes), 2);
    for (size_t c = 0; c < 3; c++)
        assert_string_equal(f0t_classes_label(classes, c), labels[c]);
    assert_null(f0t_classes_label(classes, 3));
    f0t_classes_close(classes);
}

static void what_cannot_be_classes_is_refused(void **state)
{
    static const char *const control[] = {"dog", "c\tat"}, *const latin[] = {"dog", "caf\xe9"};
    static const float bad[] = {1, 0, INFINITY, 0};
    char *length = calloc(1, 1026);
    const char *const both[] = {"dog", memset(length, 'x', 1025)};
    f0t_classes *classes;
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT, "0 classes of 2 features: there are none such",
                 f0t_classes_create(&classes, labels, weights, bias, 0, 2));
    assert_fails(F0T_ERROR_ARGUMENT, "of 0 features",
                 f0t_classes_create(&classes, labels, weights, bias, 3, 0));
    assert_fails(F0T_ERROR_ARGUMENT, "features",
                 f0t_classes_create(&classes, labels, weights, bias, 2, SIZE_MAX));
    assert_fails(F0T_ERROR_FORMAT, "class 2: a control character",
                 f0t_classes_create(&classes, control, weights, bias, 2, 2));
    assert_fails(F0T_ERROR_FORMAT, "class 2: not UTF-8",
                 f0t_classes_create(&classes, latin, weights, bias, 2, 2));
    assert_fails(F0T_ERROR_FORMAT, "class 2: it is longer than 1024 bytes",
                 f0t_classes_create(&classes, both, weights, bias, 2, 2));
    assert_fails(F0T_ERROR_NUMERIC, "the layer of the classes holds NaN or infinity",
                 f0t_classes_create(&classes, labels, bad, bias, 2, 2));
    assert_fails(F0T_ERROR_NUMERIC, "NaN or infinity",
                 f0t_classes_create(&classes, labels, weights, bad + 1, 2, 2));
    assert_null(classes);
    free(length);
}

/* ---- Probabilities --------------------------------------------------------------------------------- */

static void assert_softmax(const float *p, const double *logits, double temperature)
{
    double sum = 0;
    for (size_t c = 0; c < 3; c++)
        sum += exp(logits[c] / temperature);
    for (size_t c = 0; c < 3; c++)
        assert_true(fabs((double)p[c] - exp(logits[c] / temperature) / sum) < 1e-6);
}

static void probabilities_are_the_softmax_of_the_layer(void **state)
{
    static const float x[] = {1, 2, -3, 0.5F};
    static const double logits[] = {1.5, 4, 0, -2.5, 1, 2.5};
    f0t_classes *classes = make(labels, 3);
    float p[6];
    (void)state;
    for (double t = 0.5; t <= 4; t *= 2) {
        assert_ok(f0t_classes_probabilities(p, classes, x, 2, t, NULL));
        assert_softmax(p, logits, t);
        assert_softmax(p + 3, logits + 3, t);
    }
    assert_ok(f0t_classes_probabilities(p, classes, NULL, 0, 1, NULL));
    f0t_classes_close(classes);
}

static void a_layer_without_bias_adds_nothing(void **state)
{
    static const float x[] = {1, 2};
    static const double logits[] = {1, 4, 1};
    f0t_classes *classes;
    float p[3];
    (void)state;
    assert_ok(f0t_classes_create(&classes, labels, weights, NULL, 3, 2));
    assert_ok(f0t_classes_probabilities(p, classes, x, 1, 1, NULL));
    assert_softmax(p, logits, 1);
    f0t_classes_close(classes);
}

static void numbers_that_are_none_are_refused_and_large_ones_are_not(void **state)
{
    static const float nan_row[] = {1, 2, NAN, 0}, huge[] = {0, 3e38F}, large[] = {-1e38F, 1e38F};
    f0t_classes *classes = make(labels, 3);
    float p[6];
    (void)state;
    assert_fails(F0T_ERROR_NUMERIC, "row 2 hold NaN, infinity or numbers too large for the classes",
                 f0t_classes_probabilities(p, classes, nan_row, 2, 1, NULL));
    assert_fails(F0T_ERROR_NUMERIC, "row 1",
                 f0t_classes_probabilities(p, classes, huge, 1, 1, NULL));
    assert_ok(f0t_classes_probabilities(p, classes, large, 1, 0.01, NULL));
    assert_true(p[0] == 0 && p[1] + p[2] == 1);
    static const double wrong[] = {0, -1, 0.001, 1000, NAN, INFINITY};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(F0T_ERROR_ARGUMENT, "a temperature is from 0.01 to 100, not ",
                     f0t_classes_probabilities(p, classes, large, 1, wrong[i], NULL));
    f0t_classes_close(classes);
}

/* ---- Vectors ----------------------------------------------------------------------------------------- */

static const char words[] =
    "tinca_tinca 0 2\nsetter 3 0\ntench 0 0\ncats 3 4\nstill 1 0\nlife 0 1\n";

static f0t_vectors *open_vectors(void)
{
    f0t_vectors *vectors;
    assert_ok(f0t_vectors_open_memory(&vectors, words, sizeof words - 1, "words", NULL, NULL));
    return vectors;
}

static void assert_row(const float *row, double x, double y)
{
    assert_true(fabs((double)row[0] - x) < 1e-6 && fabs((double)row[1] - y) < 1e-6);
}

static void a_class_has_the_vector_of_its_first_name_that_has_one(void **state)
{
    static const char *const names[] = {"tench, Tinca tinca",          "setter, Tinca tinca",
                                        "whippet, English setter",     "English setter, cat",
                                        "n02119789 cat, Felis silvae", "whippet",
                                        " ,, still life , ",           "n021197 cat"};
    static const float layer[16] = {0};
    f0t_vectors *vectors = open_vectors();
    f0t_classes *classes;
    float out[16];
    bool found[8];
    (void)state;
    assert_ok(f0t_classes_create(&classes, names, layer, NULL, 8, 2));
    assert_ok(f0t_classes_vectors(out, found, classes, vectors, false, NULL));
    assert_row(out, 0, 1); /* "tench" has no direction */
    assert_row(out + 2, 1, 0);
    assert_row(out + 4, 1, 0); /* of the last word, where no name has one */
    assert_row(out + 6, 0.6, 0.8);
    assert_row(out + 8, 0.6, 0.8);
    assert_row(out + 10, 0, 0);
    assert_row(out + 12, sqrt(0.5), sqrt(0.5));
    assert_row(out + 14, 0.6, 0.8); /* no number of WordNet's, but "cat" is the last word */
    for (size_t c = 0; c < 8; c++)
        assert_int_equal(found[c], c != 5);
    f0t_classes_close(classes);
    f0t_vectors_close(vectors);
}

static void vectors_are_centred_where_tags_are(void **state)
{
    static const char *const name = "setter";
    f0t_vectors *vectors = open_vectors();
    f0t_vocab *vocab;
    f0t_classes *classes = make(labels, 3);
    float out[6];
    f0t_vocab_options options = F0T_VOCAB_OPTIONS;
    (void)state;
    options.centred = true;
    assert_ok(f0t_vocab_create(&vocab, &name, 1, vectors, &options, NULL));
    assert_ok(f0t_classes_vectors(out, NULL, classes, vectors, true, NULL));
    assert_memory_equal(out + 2, f0t_vocab_vectors(vocab), 2 * sizeof *out);
    assert_row(out + 4, 0, 0);
    f0t_vocab_free(vocab);
    f0t_classes_close(classes);
    f0t_vectors_close(vectors);
}

/* ---- Faults ------------------------------------------------------------------------------------------ */

static f0t_status use(void *context)
{
    static const float x[] = {1, 2};
    f0t_classes *classes;
    float p[3], out[6];
    F0T_TRY(f0t_classes_create(&classes, labels, weights, bias, 3, 2));
    f0t_status status = f0t_classes_probabilities(p, classes, x, 1, 1, NULL);
    if (status == F0T_OK)
        status = f0t_classes_vectors(out, NULL, classes, context, true, NULL);
    f0t_classes_close(classes);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    f0t_vectors *vectors = open_vectors();
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, use, vectors);
    f0t_vectors_close(vectors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_what_they_were_made_of),
        cmocka_unit_test(what_cannot_be_classes_is_refused),
        cmocka_unit_test(probabilities_are_the_softmax_of_the_layer),
        cmocka_unit_test(a_layer_without_bias_adds_nothing),
        cmocka_unit_test(numbers_that_are_none_are_refused_and_large_ones_are_not),
        cmocka_unit_test(a_class_has_the_vector_of_its_first_name_that_has_one),
        cmocka_unit_test(vectors_are_centred_where_tags_are),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
