#include "support.h"

#include "math/topk.h"

#include <math.h>

enum { N = 1000, K = 17 };

/* The row in pieces of these widths, from its end when `backwards`. */
static void add_pieces(f0t_best *best, size_t row, const float *x, size_t width, bool backwards,
                       uint32_t skip)
{
    const size_t pieces = (N + width - 1) / width;
    for (size_t p = 0; p < pieces; p++) {
        size_t first = (backwards ? pieces - 1 - p : p) * width;
        f0t_best_add(best, row, x + first, N - first < width ? N - first : width, (uint32_t)first,
                     skip);
    }
    f0t_best_sort(best, row);
}

static void pieces_in_any_order_give_the_top_of_the_whole(void **state)
{
    (void)state;
    float x[N], value[K];
    uint32_t index[K];
    for (uint64_t seed = 0; seed < 20; seed++) {
        test_random_floats(x, N, seed);
        if (seed % 2) /* many ties */
            for (size_t i = 0; i < N; i++)
                x[i] = floorf(4 * x[i]);
        f0t_topk_row(index, value, x, N, K);
        for (size_t width = 1; width <= N; width = width * 3 + 1)
            for (int backwards = 0; backwards < 2; backwards++) {
                f0t_best *best;
                assert_ok(f0t_best_create(&best, 2, K));
                add_pieces(best, 1, x, width, backwards, UINT32_MAX);
                assert_int_equal(best->count[0], 0);
                assert_int_equal(best->count[1], K);
                assert_memory_equal(best->index + K, index, sizeof index);
                assert_memory_equal(best->value + K, value, sizeof value);
                f0t_best_free(best);
            }
    }
}

static void the_skipped_index_and_nan_are_left_out(void **state)
{
    (void)state;
    float x[N], value[K + 2];
    uint32_t index[K + 2];
    f0t_best *best;
    test_random_floats(x, N, 3);
    f0t_topk_row(index, value, x, N, K + 2);
    x[index[4]] = NAN;
    assert_ok(f0t_best_create(&best, 1, K));
    add_pieces(best, 0, x, 64, true, index[0]);
    for (size_t i = 0, from = 1; i < K; i++, from++) {
        from += from == 4;
        assert_int_equal(best->index[i], index[from]);
    }
    f0t_best_free(best);
}

static void fewer_numbers_than_asked_for_are_all_kept(void **state)
{
    (void)state;
    const float x[3] = {1, 3, 2};
    f0t_best *best;
    assert_ok(f0t_best_create(&best, 1, K));
    f0t_best_add(best, 0, x, 3, 10, UINT32_MAX);
    f0t_best_sort(best, 0);
    assert_int_equal(best->count[0], 3);
    assert_int_equal(best->index[0], 11);
    assert_int_equal(best->index[1], 12);
    assert_int_equal(best->index[2], 10);
    f0t_best_free(best);
    assert_ok(f0t_best_create(&best, 1, 0));
    f0t_best_add(best, 0, x, 3, 10, UINT32_MAX);
    f0t_best_sort(best, 0);
    assert_int_equal(best->count[0], 0);
    f0t_best_free(best);
}

static f0t_status create_once(void *context)
{
    (void)context;
    f0t_best *best;
    F0T_TRY(f0t_best_create(&best, 5, 5));
    f0t_best_free(best);
    return F0T_OK;
}

static void sizes_that_do_not_fit_and_missing_memory_are_said(void **state)
{
    (void)state;
    f0t_best *best;
    assert_fails(F0T_ERROR_MEMORY, "no memory", f0t_best_create(&best, SIZE_MAX / 2, 4));
    test_each_fault(F0T_FAULT_ALLOC, create_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_in_any_order_give_the_top_of_the_whole),
        cmocka_unit_test(the_skipped_index_and_nan_are_left_out),
        cmocka_unit_test(fewer_numbers_than_asked_for_are_all_kept),
        cmocka_unit_test(sizes_that_do_not_fit_and_missing_memory_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
