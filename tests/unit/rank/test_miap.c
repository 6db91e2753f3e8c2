#include "rank/miap.h"

#include "../compute/batches.h"

#include "math/workspace.h"

/* ---- Against the definition --------------------------------------------------------------------
 */

static bool is_listed(const uint32_t *list, size_t from, size_t to, size_t tag)
{
    for (size_t i = from; i < to; i++)
        if (list[i] == tag)
            return true;
    return false;
}

static bool is_ranked(const f0t_ranking *at, size_t tag)
{
    return !at->columns || is_listed(at->columns, 0, at->column_count, tag);
}

/* The mean over the places that the tag may have among those with its score; relevant others are evenly
 * spread over the other places. */
static double precision_at(const f0t_ranking *at, size_t m, size_t tag)
{
    const float *x = at->scores + m * at->tags;
    double above = 0, equal = 0, hits = 0, others = -1, sum = 0;
    for (size_t t = 0; t < at->tags; t++) {
        const bool hit = is_listed(at->relevant, at->offsets[m], at->offsets[m + 1], t);
        if (!is_ranked(at, t) || x[t] < x[tag])
            continue;
        above += x[t] > x[tag];
        equal += x[t] == x[tag];
        hits += hit && x[t] > x[tag];
        others += hit && x[t] == x[tag];
    }
    for (double place = 1; place <= equal; place++)
        sum += (hits + 1 + (equal > 1 ? others * (place - 1) / (equal - 1) : 0)) / (above + place);
    return sum / equal;
}

static f0t_miap plain_miap(const f0t_ranking *at)
{
    f0t_miap plain = {0, 0, at->images};
    for (size_t m = 0; m < at->images; m++) {
        double sum = 0, count = 0;
        for (size_t i = at->offsets[m]; i < at->offsets[m + 1]; i++)
            if (is_ranked(at, at->relevant[i])) {
                sum += precision_at(at, m, at->relevant[i]);
                count++;
            }
        plain.sum += count > 0 ? sum / count : 0;
        plain.ranked += count > 0;
    }
    return plain;
}

static f0t_ranking ranking_of(const batch *made)
{
    return (f0t_ranking){
        made->at.images, made->at.tags, made->scores, made->offsets, made->relevant, NULL, 0};
}

static void compare(const f0t_ranking *at)
{
    f0t_miap got = {0, 0, 0}, want = plain_miap(at);
    assert_ok(f0t_miap_add(&got, at));
    assert_true(fabs(got.sum - want.sum) <= 1e-12 * want.sum);
    assert_int_equal(got.ranked, want.ranked);
    assert_int_equal(got.images, want.images);
}

/* With `levels` above 0 the scores have so many values: many are equal. */
static void check_shapes(size_t levels)
{
    static const size_t tags[] = {1, 2, 3, 16, 31, 33, 34, 80, 200};
    for (size_t t = 0; t < (small_run() ? 7 : 9); t++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            batch made = make_batch(12, tags[t], 1, seed);
            for (size_t i = 0; levels && i < 12 * tags[t]; i++)
                made.scores[i] = floorf(made.scores[i] * (float)levels);
            f0t_ranking at = ranking_of(&made);
            compare(&at);
            free_batch(&made);
        }
}

static void average_precisions_equal_the_definition(void **state)
{
    (void)state;
    check_shapes(0);
}

static void equal_scores_have_no_order(void **state)
{
    (void)state;
    check_shapes(1);
    check_shapes(3);
}

static void some_columns_are_ranked_alone(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        batch made = make_batch(12, 90, 1, seed);
        f0t_ranking at = ranking_of(&made);
        uint32_t columns[90];
        f0t_random random = {seed, 3};
        for (uint32_t t = 0; t < 90; t++)
            if (f0t_random_uniform(&random, t) < 0.13 * (double)(seed + 1))
                columns[at.column_count++] = t;
        at.columns = columns;
        compare(&at);
        at.column_count = 0;
        compare(&at);
        free_batch(&made);
    }
}

static void infinities_and_zeros_of_both_signs_are_ranked(void **state)
{
    enum { TAGS = 50 };
    float scores[TAGS];
    uint32_t relevant[TAGS];
    size_t offsets[] = {0, 0};
    const f0t_ranking at = {1, TAGS, scores, offsets, relevant, NULL, 0};
    const float values[] = {0.0F, -0.0F, INFINITY, -INFINITY, 1e-45F, -1e-45F, 3e38F};
    (void)state;
    for (size_t i = 0; i < TAGS; i++)
        scores[i] = values[i * i % 7];
    for (; offsets[1] < TAGS - 3; offsets[1]++) { /* few, then many */
        relevant[offsets[1]] = (uint32_t)offsets[1] + 2;
        compare(&at);
    }
}

/* ---- Means, blocks, threads --------------------------------------------------------------------
 */

static void a_small_ranking_by_hand(void **state)
{
    const float scores[] = {4, 3, 2, 1, 1, 2, 3, 4, 0, 0, 0, 0};
    const size_t offsets[] = {0, 2, 3, 3};
    const uint32_t relevant[] = {0, 2, 0}; /* 1/1, 2/3; 1/4; none */
    const f0t_ranking at = {3, 4, scores, offsets, relevant, NULL, 0};
    f0t_miap miap = {0, 0, 0};
    (void)state;
    assert_true(isnan(f0t_miap_get(&miap)) && isnan(f0t_miap_get_all(&miap)));
    assert_ok(f0t_miap_add(&miap, &at));
    assert_true(fabs(f0t_miap_get(&miap) - (5.0 / 6 + 0.25) / 2) < 1e-15);
    assert_true(fabs(f0t_miap_get_all(&miap) - (5.0 / 6 + 0.25) / 3) < 1e-15);
}

static void blocks_and_threads_change_no_byte(void **state)
{
    enum { IMAGES = 157, TAGS = 60 };
    batch made = make_batch(IMAGES, TAGS, 1, 4);
    const f0t_ranking all = ranking_of(&made);
    f0t_miap whole = {0, 0, 0};
    (void)state;
    test_threads(1);
    assert_ok(f0t_miap_add(&whole, &all));
    for (int threads = 1; threads < 5; threads++)
        for (size_t block = 1; block < IMAGES; block = block * 3 + 1) {
            f0t_miap parts = {0, 0, 0};
            test_threads(threads);
            for (size_t m = 0; m < IMAGES; m += block) {
                f0t_ranking at = all;
                at.images = IMAGES - m < block ? IMAGES - m : block;
                at.scores += m * TAGS;
                at.offsets += m;
                assert_ok(f0t_miap_add(&parts, &at));
            }
            assert_memory_equal(&parts, &whole, sizeof whole);
        }
    test_threads(0);
    free_batch(&made);
}

/* The sum of each is what is added. */
static void each_image_has_its_precision(void **state)
{
    static const float scores[] = {3, 2, 1, 1, 2, 3, 1, 1, 1};
    static const size_t offsets[] = {0, 1, 3, 3};
    static const uint32_t relevant[] = {1, 0, 2};
    const f0t_ranking at = {
        .images = 3, .tags = 3, .scores = scores, .offsets = offsets, .relevant = relevant};
    double each[3];
    (void)state;
    assert_ok(f0t_miap_each(each, &at));
    assert_true(each[0] == 0.5);
    assert_true(fabs(each[1] - (1 + 2.0 / 3) / 2) < 1e-15);
    assert_true(each[2] == F0T_NOT_RANKED);
}

static void nothing_to_rank_is_no_error(void **state)
{
    const size_t offsets[] = {0, 0, 0};
    f0t_ranking at = {0, 5, NULL, offsets, NULL, NULL, 0};
    f0t_miap miap = {0, 0, 0};
    (void)state;
    assert_ok(f0t_miap_add(&miap, &at));
    at = (f0t_ranking){2, 0, NULL, offsets, NULL, NULL, 0};
    assert_ok(f0t_miap_add(&miap, &at));
    assert_true(miap.images == 2 && miap.ranked == 0);
    assert_true(isnan(f0t_miap_get(&miap)) && f0t_miap_get_all(&miap) == 0);
}

/* ---- What cannot be ----------------------------------------------------------------------------
 */

static void a_score_that_is_no_number_names_the_row_and_adds_nothing(void **state)
{
    const uint32_t columns[] = {0, 1, 3, 4};
    (void)state;
    for (size_t i = 0; i < 30; i++) {
        batch made = make_batch(6, 5, 1, 3);
        f0t_ranking at = ranking_of(&made);
        f0t_miap miap = {1, 2, 3};
        char row[20];
        snprintf(row, sizeof row, "row %zu:", i / 5);
        made.scores[i] = NAN;
        assert_fails(F0T_ERROR_NUMERIC, row, f0t_miap_add(&miap, &at));
        assert_true(miap.sum == 1 && miap.ranked == 2 && miap.images == 3);
        at.columns = columns;
        at.column_count = 4;
        if (i % 5 == 2)
            assert_ok(f0t_miap_add(&miap, &at));
        else
            assert_fails(F0T_ERROR_NUMERIC, row, f0t_miap_add(&miap, &at));
        free_batch(&made);
    }
}

/* As a device that counts gives them. */
static f0t_place *places_of(const f0t_ranking *at)
{
    f0t_place *places = NULL;
    assert_ok(f0t_alloc_zero(&places, at->offsets[at->images] + 1, sizeof *places));
    for (size_t m = 0; m < at->images; m++)
        for (size_t i = at->offsets[m]; i < at->offsets[m + 1]; i++)
            for (size_t t = 0; t < at->tags; t++) {
                const float *row = at->scores + m * at->tags, own = row[at->relevant[i]];
                places[i].above += row[t] > own;
                places[i].equal += row[t] == own;
            }
    return places;
}

static void places_give_the_same_as_scores(void **state)
{
    (void)state;
    for (size_t levels = 1; levels < 40; levels += 7) {
        batch made = make_batch(30, 50, (float)levels, levels);
        f0t_ranking at = ranking_of(&made);
        f0t_miap scores = {0}, places = {0};
        f0t_place *counted = places_of(&at);
        assert_ok(f0t_miap_add(&scores, &at));
        assert_ok(f0t_miap_add_places(&places, counted, at.offsets, 11));
        assert_ok(f0t_miap_add_places(&places, counted + at.offsets[11], at.offsets + 11, 19));
        assert_memory_equal(&scores, &places, sizeof scores);
        f0t_free(counted);
        free_batch(&made);
    }
}

static void wrong_lists_are_refused(void **state)
{
    const float scores[8] = {0};
    size_t offsets[] = {0, 2, 4};
    uint32_t relevant[] = {0, 2, 1, 3}, columns[] = {0, 3};
    f0t_ranking at = {2, 4, scores, offsets, relevant, columns, 2};
    f0t_miap miap = {0, 0, 0};
    (void)state;
    assert_ok(f0t_miap_add(&miap, &at));
    columns[1] = 4;
    assert_fails(F0T_ERROR_ARGUMENT, "ranked columns: tags must ascend below 4; 4 does not fit",
                 f0t_miap_add(&miap, &at));
    columns[1] = 0;
    assert_fails(F0T_ERROR_ARGUMENT, "columns", f0t_miap_add(&miap, &at));
    columns[1] = 3;
    relevant[3] = 4;
    assert_fails(F0T_ERROR_ARGUMENT, "row 1: relevant tags must ascend below 4; 4 does not fit",
                 f0t_miap_add(&miap, &at));
    relevant[3] = 3;
    offsets[1] = 5;
    assert_fails(F0T_ERROR_ARGUMENT, "row ", f0t_miap_add(&miap, &at));
    offsets[0] = 6;
    assert_fails(F0T_ERROR_ARGUMENT, "row 0: relevant tags from 6 to 5", f0t_miap_add(&miap, &at));
}

static f0t_status add_once(void *context)
{
    f0t_miap miap = {0, 0, 0};
    f0t_workspace_clear();
    return f0t_miap_add(&miap, context);
}

static void every_failing_allocation_is_reported(void **state)
{
    batch made = make_batch(6, 50, 1, 3);
    f0t_ranking at = ranking_of(&made);
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, add_once, &at);
    f0t_workspace_clear();
    free_batch(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(average_precisions_equal_the_definition),
        cmocka_unit_test(equal_scores_have_no_order),
        cmocka_unit_test(some_columns_are_ranked_alone),
        cmocka_unit_test(infinities_and_zeros_of_both_signs_are_ranked),
        cmocka_unit_test(a_small_ranking_by_hand),
        cmocka_unit_test(blocks_and_threads_change_no_byte),
        cmocka_unit_test(each_image_has_its_precision),
        cmocka_unit_test(nothing_to_rank_is_no_error),
        cmocka_unit_test(a_score_that_is_no_number_names_the_row_and_adds_nothing),
        cmocka_unit_test(places_give_the_same_as_scores),
        cmocka_unit_test(wrong_lists_are_refused),
        cmocka_unit_test(every_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
