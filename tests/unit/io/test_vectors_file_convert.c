#include "support.h"

#include "fast0tag.h"
#include "io/vectors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char glove[] = "the 1 -0.5 3\npalm tree 0.25 2 0\ncaf\xC3\xA9 -3 4e-5 1\nthe 9 9 9\n"
                            "bad nan 1 1\nzero 0 0 0\n";

static f0t_vectors *open_file(const char *path)
{
    f0t_vectors *v = NULL;
    assert_ok(f0t_vectors_open(&v, path, NULL, NULL));
    return v;
}

/* The same words and numbers, in the same space. */
static void assert_same(const f0t_vectors *a, const f0t_vectors *b, double tolerance)
{
    size_t dim = f0t_vectors_dim(a), n, m;
    float x[16], y[16];
    assert_int_equal(f0t_vectors_count(a), f0t_vectors_count(b));
    assert_int_equal(dim, f0t_vectors_dim(b));
    for (size_t i = 0; i < f0t_vectors_count(a); i++) {
        const char *word = f0t_vectors_word(&n, a, i), *other = f0t_vectors_word(&m, b, i);
        assert_int_equal(n, m);
        assert_memory_equal(word, other, n);
        assert_int_equal(f0t_vectors_find(b, word, n), i);
        assert_ok(f0t_vectors_get(x, a, i, 1));
        assert_ok(f0t_vectors_get(y, b, i, 1));
        for (size_t j = 0; j < dim; j++)
            assert_true(fabs((double)x[j] - (double)y[j]) <= tolerance);
    }
    assert_memory_equal(f0t_vectors_mean(a), f0t_vectors_mean(b), dim * sizeof(float));
    assert_true(f0t_vectors_fingerprint(a) == f0t_vectors_fingerprint(b));
}

static void the_converted_file_has_the_same_words_and_numbers(void **state)
{
    const char *from = test_text("g.txt", glove), *to = test_path("g.safetensors");
    f0t_vectors_counts counts;
    (void)state;
    assert_ok(f0t_vectors_convert(&counts, to, from, NULL, NULL));
    assert_int_equal(counts.rows, 6);
    assert_int_equal(counts.words, 4);
    assert_int_equal(counts.duplicates, 1);
    assert_int_equal(counts.not_finite, 1);
    f0t_vectors *a = open_file(from), *b = open_file(to);
    assert_same(a, b, 0);
    assert_string_equal(f0t_vectors_format(b), "fast0tag vectors");
    assert_string_equal(f0t_vectors_dtype(b), "float32");
    assert_string_equal(f0t_vectors_source(b), "g.txt");
    f0t_vectors_close(a);
    f0t_vectors_close(b);
}

static void float16_keeps_three_digits_and_the_space(void **state)
{
    const char *from = test_text("g.txt", glove), *to = test_path("h.safetensors");
    const char *again = test_path("again.safetensors");
    f0t_convert_options options = {.size = sizeof(f0t_convert_options), .f16 = true};
    (void)state;
    assert_ok(f0t_vectors_convert(NULL, to, from, &options, NULL));
    f0t_vectors *a = open_file(from), *b = open_file(to);
    assert_same(a, b, 1e-3);
    assert_string_equal(f0t_vectors_dtype(b), "float16");
    assert_ok(f0t_vectors_convert(NULL, again, to, NULL, NULL));
    f0t_vectors *c = open_file(again);
    assert_same(b, c, 0);
    assert_string_equal(f0t_vectors_source(c), "g.txt");
    f0t_vectors_close(a);
    f0t_vectors_close(b);
    f0t_vectors_close(c);
    assert_fails(
        F0T_ERROR_NUMERIC, "word 2 has the number 70000",
        f0t_vectors_convert(NULL, to, test_text("big.txt", "a 1 2\nb 70000 1\n"), &options, NULL));
}

static void a_file_may_be_converted_onto_itself(void **state)
{
    const char *path = test_text("self", glove);
    f0t_vectors *before = open_file(path);
    (void)state;
    assert_ok(f0t_vectors_convert(NULL, path, path, NULL, NULL));
    assert_ok(f0t_vectors_convert(NULL, path, path, NULL, NULL));
    f0t_vectors *after = open_file(path);
    assert_same(before, after, 0);
    f0t_vectors_close(before);
    f0t_vectors_close(after);
}

static void the_same_input_gives_the_same_bytes(void **state)
{
    const char *from = test_text("g.txt", glove);
    size_t n, m;
    (void)state;
    test_threads(1);
    assert_ok(f0t_vectors_convert(NULL, test_path("one"), from, NULL, NULL));
    test_threads(3);
    assert_ok(f0t_vectors_convert(NULL, test_path("three"), from, NULL, NULL));
    test_threads(0);
    char *a = test_read(test_path("one"), &n), *b = test_read(test_path("three"), &m);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    f0t_free(a);
    f0t_free(b);
}

static void wanted_words_alone_are_kept_and_the_space_stays(void **state)
{
    const char *from = test_text("g.txt", glove), *to = test_path("t.safetensors");
    f0t_names wanted = {0};
    uint32_t index;
    bool added;
    (void)state;
    assert_ok(f0t_names_add(&index, &added, &wanted, "palm tree", 9));
    assert_ok(f0t_names_add(&index, &added, &wanted, "zero", 4));
    assert_ok(f0t_names_add(&index, &added, &wanted, "bad", 3));
    assert_ok(f0t_vectors_rewrite(NULL, to, from, &wanted.view, NULL));
    f0t_vectors *a = open_file(from), *b = open_file(to);
    assert_int_equal(f0t_vectors_count(b), 2);
    assert_int_equal(f0t_vectors_find(b, "zero", 4), 1);
    assert_true(f0t_vectors_fingerprint(a) == f0t_vectors_fingerprint(b));
    assert_memory_equal(f0t_vectors_mean(a), f0t_vectors_mean(b), 3 * sizeof(float));
    f0t_vectors_close(a);
    f0t_vectors_close(b);
    f0t_names_free(&wanted);
    assert_ok(f0t_names_add(&index, &added, &wanted, "absent", 6));
    assert_fails(F0T_ERROR_FORMAT, "has none of the words",
                 f0t_vectors_rewrite(NULL, to, from, &wanted.view, NULL));
    f0t_names_free(&wanted);
}

static void a_failed_conversion_leaves_the_old_file_and_nothing_else(void **state)
{
    const char *to = test_text("kept", "old"), *from = test_text("cut.txt", "a 1 2\nb 1 2\nc 1");
    volatile sig_atomic_t stop = 1;
    f0t_monitor monitor = {.stop = &stop};
    f0t_convert_options options = {.size = sizeof(f0t_convert_options)};
    size_t files = test_files_left(), size;
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "cut.txt:3: ", f0t_vectors_convert(NULL, to, from, NULL, NULL));
    from = test_text("cut.txt", glove);
    assert_fails(F0T_ERROR_INTERRUPTED, "reading",
                 f0t_vectors_convert(NULL, to, from, &options, F0T_WATCHED(&monitor)));
    assert_int_equal(test_files_left(), files);
    char *text = test_read(to, &size);
    assert_string_equal(text, "old");
    f0t_free(text);
}

static f0t_status convert(void *context)
{
    f0t_convert_options options = {.size = sizeof(f0t_convert_options), .f16 = true};
    return f0t_vectors_convert(NULL, test_path("fault.safetensors"), context, &options, NULL);
}

static f0t_status convert_and_open(void *context)
{
    f0t_vectors *v;
    F0T_TRY(f0t_vectors_convert(NULL, test_path("fault2.safetensors"), context, NULL, NULL));
    F0T_TRY(f0t_vectors_open(&v, test_path("fault2.safetensors"), NULL, NULL));
    f0t_vectors_close(v);
    return F0T_OK;
}

static void every_allocation_and_every_write_may_fail(void **state)
{
    char from[256];
    (void)state;
    snprintf(from, sizeof from, "%s", test_text("g.txt", glove));
    test_each_fault(F0T_FAULT_ALLOC, convert, from);
    test_each_fault(F0T_FAULT_WRITE, convert, from);
    test_each_fault(F0T_FAULT_ALLOC, convert_and_open, from);
    snprintf(from, sizeof from, "%s", test_path("fault.safetensors"));
    test_each_fault(F0T_FAULT_ALLOC, convert_and_open, from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_converted_file_has_the_same_words_and_numbers),
        cmocka_unit_test(float16_keeps_three_digits_and_the_space),
        cmocka_unit_test(a_file_may_be_converted_onto_itself),
        cmocka_unit_test(the_same_input_gives_the_same_bytes),
        cmocka_unit_test(wanted_words_alone_are_kept_and_the_space_stays),
        cmocka_unit_test(a_failed_conversion_leaves_the_old_file_and_nothing_else),
        cmocka_unit_test(every_allocation_and_every_write_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
