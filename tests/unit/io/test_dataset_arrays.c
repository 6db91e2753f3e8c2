#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const TAGS[] = {"dog", "cat", "tree"};
static const float FEATURES[] = {1, 0, 0, 1, 1, 1, 2, 3};
static const uint8_t LABELS[] = {1, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0};
static const size_t OFFSETS[] = {0, 2, 2, 6, 7};
static const uint32_t INDICES[] = {2, 0, 1, 0, 2, 1, 1}; /* unsorted, and one twice */
static const uint8_t SPLIT[] = {F0T_TRAIN, F0T_VAL, F0T_TEST, F0T_TRAIN};
static const bool UNSEEN[] = {false, true, false};

static f0t_dataset_arrays dense(void)
{
    return (f0t_dataset_arrays){.size = sizeof(f0t_dataset_arrays),
                                .images = 4,
                                .features = FEATURES,
                                .dim = 2,
                                .tags = TAGS,
                                .tag_count = 3,
                                .labels = LABELS,
                                .split = SPLIT,
                                .unseen = UNSEEN};
}

static f0t_dataset_arrays sparse(void)
{
    f0t_dataset_arrays a = dense();
    a.labels = NULL;
    a.offsets = OFFSETS;
    a.indices = INDICES;
    return a;
}

static void check_dataset(const f0t_dataset *d)
{
    static const uint32_t want[] = {0, 2, 0, 1, 2, 1};
    static const size_t starts[] = {0, 2, 2, 5, 6};
    size_t count;
    float row[4];
    assert_int_equal(f0t_dataset_image_count(d), 4);
    assert_int_equal(f0t_dataset_tag_count(d), 3);
    assert_string_equal(f0t_dataset_tag(d, 2), "tree");
    assert_memory_equal(f0t_dataset_offsets(d), starts, sizeof starts);
    assert_memory_equal(f0t_dataset_indices(d), want, sizeof want);
    assert_memory_equal(f0t_dataset_split(d), SPLIT, sizeof SPLIT);
    assert_true(f0t_dataset_split_is_given(d));
    assert_int_equal(f0t_dataset_seen(&count, d)[1], 2);
    assert_int_equal(count, 2);
    assert_int_equal(f0t_dataset_unseen(&count, d)[0], 1);
    assert_int_equal(count, 1);
    assert_int_equal(f0t_dataset_dim(d), 2);
    assert_ok(f0t_dataset_read_features(row, d, 2, 2));
    assert_memory_equal(row, FEATURES + 4, sizeof row);
}

static void labels_are_a_matrix_or_sparse_rows(void **state)
{
    const f0t_dataset_arrays both[] = {dense(), sparse()};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        f0t_dataset *d;
        assert_ok(f0t_dataset_open_arrays(&d, &both[i], NULL, NULL));
        check_dataset(d);
        f0t_dataset_close(d);
    }
}

static void what_is_not_said_is_drawn_or_left_out(void **state)
{
    f0t_dataset_arrays a = {.size = sizeof(f0t_dataset_arrays),
                            .images = 4,
                            .tags = TAGS,
                            .tag_count = 3,
                            .labels = LABELS,
                            .name = "mine"};
    f0t_dataset_options how = {
        .size = sizeof(f0t_dataset_options), .seed = 1, .val = 0.25, .test = 0.5};
    f0t_dataset *d;
    size_t count;
    (void)state;
    assert_ok(f0t_dataset_open_arrays(&d, &a, &how, NULL));
    assert_string_equal(f0t_dataset_name(d), "mine");
    assert_false(f0t_dataset_split_is_given(d));
    assert_int_equal(f0t_dataset_split_count(d, F0T_TEST), 2);
    assert_int_equal(f0t_dataset_dim(d), 0);
    assert_null(f0t_dataset_seen(&count, d));
    f0t_dataset_close(d);
}

static void refuse(const f0t_dataset_arrays *a, const char *text)
{
    f0t_dataset *d;
    assert_fails(F0T_ERROR_ARGUMENT, text, f0t_dataset_open_arrays(&d, a, NULL, NULL));
    assert_null(d);
}

static void wrong_arrays_are_refused(void **state)
{
    static const char *const twice[] = {"dog", "cat", "dog"}, *const blank[] = {"dog", " cat", "x"};
    static const char *const tab[] = {"dog", "a\tb", "x"}, *const none[] = {"dog", NULL, "x"};
    static const char *const bytes[] = {"dog", "\xff", "x"}, *const empty[] = {"dog", "", "x"};
    static const uint8_t two[12] = {2}, part[4] = {0, 3};
    static const size_t fall[] = {0, 2, 1, 3, 4};
    static const uint32_t beyond[] = {2, 0, 1, 3, 2, 1, 1};
    f0t_dataset_arrays a;
    (void)state;
    (a = dense(), a.images = 0, refuse(&a, "0 images: a dataset has 1 to"));
    (a = dense(), a.tags = twice, refuse(&a, "is tag 0 already"));
    (a = dense(), a.tags = blank, refuse(&a, "tag 1"));
    (a = dense(), a.tags = tab, refuse(&a, "tag 1, 'a?b', is no tag: UTF-8 of 1 to"));
    (a = dense(), a.tags = bytes, refuse(&a, "tag 1"));
    (a = dense(), a.tags = empty, refuse(&a, "tag 1"));
    (a = dense(), a.tags = none, refuse(&a, "tags[1] is NULL"));
    (a = dense(), a.tags = NULL, refuse(&a, "tags is NULL"));
    (a = dense(), a.labels = two, refuse(&a, "0 or 1 is expected"));
    (a = dense(), a.labels = NULL, refuse(&a, "either labels"));
    (a = dense(), a.offsets = OFFSETS, refuse(&a, "either labels"));
    (a = sparse(), a.indices = NULL, refuse(&a, "either labels"));
    (a = sparse(), a.offsets = fall, refuse(&a, "the offsets fall after image 1"));
    (a = sparse(), a.indices = beyond, refuse(&a, "tag 3 of 3"));
    (a = dense(), a.split = part, refuse(&a, "image 1 is 3"));
    (a = dense(), a.dim = 0, refuse(&a, "the rows of its features are empty"));
}

static void vectors_come_from_arrays(void **state)
{
    static const float rows[] = {1, 0, 0.5F, 0.5F, 0, 0};
    f0t_vectors *v;
    float mean[2], row[2];
    size_t length;
    (void)state;
    assert_ok(f0t_vectors_create(&v, TAGS, rows, 3, 2, NULL));
    assert_int_equal(f0t_vectors_count(v), 3);
    assert_int_equal(f0t_vectors_dim(v), 2);
    assert_int_equal(f0t_vectors_find(v, "tree", 4), 2);
    assert_memory_equal(f0t_vectors_word(&length, v, 1), "cat", 3);
    assert_ok(f0t_vectors_get(row, v, 1, 1));
    assert_memory_equal(row, rows + 2, sizeof row);
    memcpy(mean, f0t_vectors_mean(v), sizeof mean);
    assert_float_equal(mean[0], 0.5, 1e-6);
    assert_string_equal(f0t_vectors_format(v), "arrays");
    assert_string_equal(f0t_vectors_source(v), "memory");
    assert_int_equal(f0t_vectors_get_counts(v).zero, 1);
    f0t_vectors_close(v);
}

/* The same words and numbers are the same space, whether they come from a file or from arrays. */
static void arrays_and_text_are_one_space(void **state)
{
    static const float rows[] = {1, 0, 0.5F, 0.5F, 0, 0};
    static const char text[] = "dog 1 0\ncat 0.5 0.5\ntree 0 0\n";
    f0t_vectors *a, *b;
    (void)state;
    assert_ok(f0t_vectors_create(&a, TAGS, rows, 3, 2, "x"));
    assert_ok(f0t_vectors_open_memory(&b, text, strlen(text), "text", NULL, NULL));
    assert_true(f0t_vectors_fingerprint(a) == f0t_vectors_fingerprint(b));
    f0t_vectors_close(a);
    f0t_vectors_close(b);
}

static void wrong_vectors_are_refused(void **state)
{
    static const char *const twice[] = {"dog", "dog"}, *const line[] = {"dog", "a\nb"};
    static const char *const empty[] = {"", "x"};
    const float rows[] = {1, 2, 3, (float)NAN};
    f0t_vectors *v;
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT, "of the words were there before",
                 f0t_vectors_create(&v, twice, FEATURES, 2, 2, NULL));
    assert_fails(F0T_ERROR_ARGUMENT, "word 1 is not UTF-8, or has a newline in it",
                 f0t_vectors_create(&v, line, FEATURES, 2, 2, NULL));
    assert_fails(F0T_ERROR_ARGUMENT, "word 0", f0t_vectors_create(&v, empty, FEATURES, 2, 2, NULL));
    assert_fails(F0T_ERROR_NUMERIC, "word 1 has a NaN or an infinity",
                 f0t_vectors_create(&v, TAGS, rows, 2, 2, NULL));
    assert_fails(F0T_ERROR_ARGUMENT,
                 "0 words with vectors of 2 numbers: one of 65536 at the most is needed at least",
                 f0t_vectors_create(&v, TAGS, rows, 0, 2, NULL));
    assert_fails(F0T_ERROR_ARGUMENT, "0 numbers", f0t_vectors_create(&v, TAGS, rows, 2, 0, NULL));
    assert_fails(F0T_ERROR_ARGUMENT, "rows is NULL", f0t_vectors_create(&v, TAGS, NULL, 2, 2, ""));
    assert_null(v);
}

/* Many words: more than a block, more than a chunk. */
static void many_words_are_kept(void **state)
{
    enum { COUNT = 70000 };
    char(*text)[8] = calloc(COUNT, sizeof *text);
    const char **words = calloc(COUNT, sizeof *words);
    float *rows = calloc(COUNT, sizeof *rows), row;
    f0t_vectors *v;
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(text[i], sizeof text[i], "w%zu", i);
        words[i] = text[i];
        rows[i] = (float)i;
    }
    assert_ok(f0t_vectors_create(&v, words, rows, COUNT, 1, NULL));
    assert_int_equal(f0t_vectors_find(v, "w69999", 6), 69999);
    assert_ok(f0t_vectors_get(&row, v, 69999, 1));
    assert_true(row == 69999);
    f0t_vectors_close(v);
    free(rows);
    free(words);
    free(text);
}

static f0t_status open_both(void *context)
{
    static const float rows[] = {1, 0, 0.5F, 0.5F, 0, 0};
    const f0t_dataset_arrays a = sparse();
    f0t_vectors *v = NULL;
    f0t_dataset *d = NULL;
    (void)context;
    f0t_status status = f0t_vectors_create(&v, TAGS, rows, 3, 2, NULL);
    if (status == F0T_OK)
        status = f0t_dataset_open_arrays(&d, &a, NULL, NULL);
    f0t_vectors_close(v);
    f0t_dataset_close(d);
    return status;
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, open_both, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_a_matrix_or_sparse_rows),
        cmocka_unit_test(what_is_not_said_is_drawn_or_left_out),
        cmocka_unit_test(wrong_arrays_are_refused),
        cmocka_unit_test(vectors_come_from_arrays),
        cmocka_unit_test(arrays_and_text_are_one_space),
        cmocka_unit_test(wrong_vectors_are_refused),
        cmocka_unit_test(many_words_are_kept),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
