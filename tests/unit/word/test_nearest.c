#include "support.h"

#include "fast0tag.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static f0t_vectors *open_text(const char *text)
{
    f0t_vectors *v;
    assert_ok(f0t_vectors_open_memory(&v, text, strlen(text), "v", NULL, NULL));
    return v;
}

static void the_largest_cosines_come_first_and_ties_by_order(void **state)
{
    static const float query[2] = {2, 0};
    f0t_vectors *v = open_text("up 0 1\nright 5 0\nzero 0 0\nleft -1 0\nhalf 1 1\nright2 0.1 0\n");
    f0t_neighbour near[10];
    size_t found;
    (void)state;
    assert_ok(f0t_vectors_nearest(near, &found, 10, v, query, NULL));
    assert_int_equal(found, 5);
    static const size_t want[] = {1, 5, 4, 0, 3};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(near[i].index, want[i]);
    assert_true(fabs((double)near[0].cosine - 1) < 1e-6);
    assert_true(fabs((double)near[2].cosine - sqrt(0.5)) < 1e-6);
    assert_true(fabs((double)near[4].cosine + 1) < 1e-6);
    assert_ok(f0t_vectors_nearest(near, &found, 2, v, query, NULL));
    assert_int_equal(found, 2);
    assert_ok(f0t_vectors_nearest(near, &found, 0, v, query, NULL));
    assert_int_equal(found, 0);
    f0t_vectors_close(v);
}

static void a_query_without_direction_fails(void **state)
{
    static const float zero[1] = {0}, nan[1] = {NAN};
    f0t_vectors *v = open_text("a 1\n");
    f0t_neighbour near[1];
    size_t found;
    (void)state;
    assert_fails(F0T_ERROR_NUMERIC, "the vector to compare with is zero or not finite",
                 f0t_vectors_nearest(near, &found, 1, v, zero, NULL));
    assert_fails(F0T_ERROR_NUMERIC, "finite", f0t_vectors_nearest(near, &found, 1, v, nan, NULL));
    f0t_vectors_close(v);
}

static void huge_and_tiny_vectors_have_a_direction(void **state)
{
    static const float query[2] = {1e-30F, 1e-30F};
    f0t_vectors *v = open_text("huge 3e38 3e38\ntiny 1e-40 2e-40\n");
    f0t_neighbour near[2];
    size_t found;
    (void)state;
    assert_ok(f0t_vectors_nearest(near, &found, 2, v, query, NULL));
    assert_int_equal(found, 2);
    assert_int_equal(near[0].index, 0);
    assert_true(fabs((double)near[0].cosine - 1) < 1e-6);
    assert_true(fabs((double)near[1].cosine - 3 / sqrt(10)) < 1e-4);
    f0t_vectors_close(v);
}

/* Against the definition, over more than one block, in memory and mapped, at odd dimensions. */
static void cosines_are_those_of_the_definition(void **state)
{
    enum { ROWS = 17000, DIM = 37, K = 20 };
    float *values;
    char *text;
    size_t size = 0, found;
    f0t_neighbour near[K];
    (void)state;
    assert_ok(f0t_alloc(&values, ROWS, DIM * sizeof *values));
    assert_ok(f0t_alloc(&text, ROWS * 20, DIM));
    test_random_floats(values, ROWS * DIM, 9);
    for (size_t i = 0; i < ROWS; i++) {
        size += (size_t)sprintf(text + size, "w%zu", i);
        for (size_t j = 0; j < DIM; j++)
            size += (size_t)sprintf(text + size, " %.9g", (double)values[i * DIM + j]);
        text[size++] = '\n';
    }
    const char *from = test_file("r.txt", text, size), *to = test_path("r.safetensors");
    assert_ok(f0t_vectors_convert(NULL, to, from, NULL, NULL));
    for (int mapped = 0; mapped < 2; mapped++) {
        f0t_vectors *v;
        assert_ok(f0t_vectors_open(&v, mapped ? to : from, NULL, NULL));
        assert_ok(f0t_vectors_nearest(near, &found, K, v, values + 5 * DIM, NULL));
        assert_int_equal(found, K);
        assert_int_equal(near[0].index, 5);
        for (size_t i = 0; i < K; i++) {
            double dot = 0, aa = 0, bb = 0;
            for (size_t j = 0; j < DIM; j++) {
                double a = (double)values[near[i].index * DIM + j], b = (double)values[5 * DIM + j];
                dot += a * b;
                aa += a * a;
                bb += b * b;
            }
            assert_true(fabs(dot / sqrt(aa * bb) - (double)near[i].cosine) < 1e-6);
            assert_true(i == 0 || near[i].cosine <= near[i - 1].cosine);
        }
        f0t_vectors_close(v);
    }
    f0t_free(values);
    f0t_free(text);
}

static f0t_status search(void *context)
{
    static const float query[1] = {1};
    f0t_neighbour near[1];
    size_t found;
    return f0t_vectors_nearest(near, &found, 1, context, query, NULL);
}

static void every_allocation_may_fail_and_it_can_be_interrupted(void **state)
{
    static const float query[1] = {1};
    volatile sig_atomic_t stop = 1;
    f0t_monitor monitor = {.stop = &stop};
    f0t_vectors *v = open_text("a 1\n");
    f0t_neighbour near[1];
    size_t found;
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, search, v);
    assert_fails(F0T_ERROR_INTERRUPTED, "comparing",
                 f0t_vectors_nearest(near, &found, 1, v, query, F0T_WATCHED(&monitor)));
    f0t_vectors_close(v);
}

static void a_dog_is_near_a_puppy(void **state)
{
    f0t_vectors *v;
    f0t_neighbour near[20];
    float query[300];
    size_t found, length;
    bool puppy = false;
    (void)state;
    assert_ok(f0t_vectors_open(&v, test_data("glove-300d-flickr8k.txt"), NULL, NULL));
    assert_ok(f0t_vectors_get(query, v, f0t_vectors_find(v, "dog", 3), 1));
    assert_ok(f0t_vectors_nearest(near, &found, 20, v, query, NULL));
    for (size_t i = 0; i < found; i++) {
        const char *word = f0t_vectors_word(&length, v, near[i].index);
        puppy = puppy || (length == 5 && memcmp(word, "puppy", 5) == 0);
    }
    assert_true(puppy);
    f0t_vectors_close(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_cosines_come_first_and_ties_by_order),
        cmocka_unit_test(a_query_without_direction_fails),
        cmocka_unit_test(huge_and_tiny_vectors_have_a_direction),
        cmocka_unit_test(cosines_are_those_of_the_definition),
        cmocka_unit_test(every_allocation_may_fail_and_it_can_be_interrupted),
        cmocka_unit_test(a_dog_is_near_a_puppy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
