#include "support.h"

#include "fast0tag.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static f0t_status build_to(const char *path, size_t dim)
{
    f0t_wordnet_options options = {
        .size = sizeof(f0t_wordnet_options), .from = test_source("wordnet"), .dim = dim};
    return f0t_vectors_build_wordnet(NULL, path, &options, NULL);
}

static double cosine(const f0t_vectors *v, const char *a, const char *b)
{
    float x[512], y[512];
    size_t i = f0t_vectors_find(v, a, strlen(a)), j = f0t_vectors_find(v, b, strlen(b));
    double dot = 0, xx = 0, yy = 0;
    assert_true(i != F0T_NONE && j != F0T_NONE && f0t_vectors_dim(v) <= 512);
    assert_ok(f0t_vectors_get(x, v, i, 1));
    assert_ok(f0t_vectors_get(y, v, j, 1));
    for (size_t k = 0; k < f0t_vectors_dim(v); k++) {
        dot += (double)x[k] * (double)y[k];
        xx += (double)x[k] * (double)x[k];
        yy += (double)y[k] * (double)y[k];
    }
    assert_true(fabs(xx - 1) < 1e-5);
    return dot / sqrt(xx * yy);
}

static void relatives_are_nearer_than_strangers(void **state)
{
    (void)state;
    static const char *const triples[][3] = {
        {"dog", "puppy", "pine"},   {"dog", "wolf", "truck"},     {"oak", "tree", "car"},
        {"oak", "pine", "engine"},  {"car", "truck", "goose"},    {"car", "wheel", "bird"},
        {"large", "huge", "soil"},  {"bird", "wing", "vehicle"},  {"drive", "vehicle", "oak"},
        {"trunk", "tree", "goose"}, {"motor", "engine", "plant"}, {"big", "large", "dog"},
    };
    f0t_vectors *v;
    const char *path = test_path("tiny.safetensors");
    f0t_vectors_counts counts;
    f0t_wordnet_options options = {
        .size = sizeof(f0t_wordnet_options), .from = test_source("wordnet"), .dim = 16};
    assert_ok(f0t_vectors_build_wordnet(&counts, path, &options, NULL));
    assert_ok(f0t_vectors_open(&v, path, NULL, NULL));
    assert_int_equal(f0t_vectors_dim(v), 16);
    assert_int_equal(f0t_vectors_count(v), counts.words);
    for (size_t i = 0; i < sizeof triples / sizeof *triples; i++)
        if (cosine(v, triples[i][0], triples[i][1]) <= cosine(v, triples[i][0], triples[i][2]))
            fail_msg("%s is nearer to %s than to %s", triples[i][0], triples[i][2], triples[i][1]);
    assert_true(cosine(v, "dog", "domestic dog") > 0.8);
    f0t_vectors_close(v);
}

/* More numbers than the matrix has ranks: the rest is 0. */
static void more_dimensions_than_meanings_are_fine(void **state)
{
    (void)state;
    f0t_vectors *v;
    float x[300];
    const char *path = test_path("wide.safetensors");
    assert_ok(build_to(path, 300));
    assert_ok(f0t_vectors_open(&v, path, NULL, NULL));
    assert_true(cosine(v, "dog", "puppy") > cosine(v, "dog", "pine"));
    assert_ok(f0t_vectors_get(x, v, 0, 1));
    assert_true(x[299] == 0);
    f0t_vectors_close(v);
}

static void the_bytes_are_always_the_same(void **state)
{
    (void)state;
    char *first = NULL;
    size_t size = 0;
    for (int threads = 1; threads <= 3; threads++) {
        size_t n;
        const char *path = test_path("same.safetensors");
        test_threads(threads);
        assert_ok(build_to(path, 12));
        char *bytes = test_read(path, &n);
        if (first) {
            assert_int_equal(n, size);
            assert_memory_equal(bytes, first, n);
            f0t_free(bytes);
        } else {
            first = bytes;
            size = n;
        }
    }
    test_threads(0);
    f0t_free(first);
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    f0t_wordnet_options options = {.size = sizeof(f0t_wordnet_options),
                                   .from = test_path("nowhere")};
    assert_fails(F0T_ERROR_NOT_FOUND, "wordnet-base",
                 f0t_vectors_build_wordnet(NULL, test_path("no.st"), &options, NULL));
    assert_fails(F0T_ERROR_ARGUMENT, " numbers: at most 4096", build_to(test_path("no.st"), 5000));
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere", build_to(test_path("nowhere/no.st"), 4));
}

static f0t_status build_again(void *context)
{
    return build_to(context, 4);
}

static void every_allocation_and_write_may_fail(void **state)
{
    (void)state;
    char path[4096];
    snprintf(path, sizeof path, "%s", test_text("fault.safetensors", "old"));
    size_t before = test_files_left(), size;
    test_threads(1);
    f0t_fault_set(F0T_FAULT_WRITE, 1);
    assert_fails(F0T_ERROR_IO, "", build_to(path, 4));
    f0t_fault_set(F0T_FAULT_WRITE, 0);
    char *old = test_read(path, &size);
    assert_string_equal(old, "old");
    f0t_free(old);
    assert_int_equal(test_files_left(), before);
    test_each_fault(F0T_FAULT_ALLOC, build_again, path);
    test_each_fault(F0T_FAULT_WRITE, build_again, path);
    test_threads(0);
}

static void work_can_be_stopped(void **state)
{
    (void)state;
    volatile sig_atomic_t stop = 1;
    f0t_monitor monitor = {.stop = &stop};
    f0t_wordnet_options options = {
        .size = sizeof(f0t_wordnet_options), .from = test_source("wordnet"), .dim = 4};
    assert_fails(
        F0T_ERROR_INTERRUPTED, "",
        f0t_vectors_build_wordnet(NULL, test_path("stop.st"), &options, F0T_WATCHED(&monitor)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relatives_are_nearer_than_strangers),
        cmocka_unit_test(more_dimensions_than_meanings_are_fine),
        cmocka_unit_test(the_bytes_are_always_the_same),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(every_allocation_and_write_may_fail),
        cmocka_unit_test(work_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
