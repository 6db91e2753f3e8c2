/* The seen-unseen curve against rankings that are made anew for every constant. */
#include "rankings.h"

#include "eval/stacking.h"

static ranking_case made;
static bool seen[R_TAGS];
static uint32_t relevant[R_TAGS];

static bool is_first(size_t m, size_t tag, size_t k, double constant)
{
    const float *x = made.scores + m * made.tags;
    size_t before = 0;
    for (size_t t = 0; t < made.tags; t++)
        before += x[t] - (seen[t] ? constant : 0) > x[tag] - (seen[tag] ? constant : 0);
    return before < k;
}

static double accuracy(bool kind, size_t k, double constant)
{
    double sum = 0, tags = 0;
    for (size_t t = 0; t < made.tags; t++) {
        double hits = 0;
        if (seen[t] != kind || !relevant[t])
            continue;
        for (size_t m = 0; m < made.images; m++)
            hits += made.truth[m * made.tags + t] && is_first(m, t, k, constant);
        sum += hits / relevant[t];
        tags++;
    }
    return sum / tags;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between any two constants at which some seen tag and some unseen one have the same score. */
static double slow_area(size_t k)
{
    static double at[R_IMAGES * R_TAGS * R_TAGS];
    size_t count = 0;
    for (size_t m = 0; m < made.images; m++)
        for (size_t s = 0; s < made.tags; s++)
            for (size_t u = 0; u < made.tags; u++)
                if (seen[s] && !seen[u])
                    at[count++] = (double)made.scores[m * made.tags + s] -
                                  (double)made.scores[m * made.tags + u];
    qsort(at, count, sizeof *at, compare);
    double s = accuracy(true, k, -1e9), u = accuracy(false, k, -1e9), area = s * u;
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && at[i + 1] == at[i])
            continue;
        const double middle = i + 1 < count ? (at[i] + at[i + 1]) / 2 : 1e9;
        const double next_s = accuracy(true, k, middle), next_u = accuracy(false, k, middle);
        area += (next_u - u) * (s + next_s) / 2;
        s = next_s;
        u = next_u;
    }
    return area;
}

static void draw(uint64_t seed, size_t images, size_t tags, double share)
{
    ranking_case_draw(&made, seed, images, tags, 1000000, share);
    for (size_t t = 0; t < tags; t++) {
        seen[t] = t % 3 != 1;
        relevant[t] = 0;
        for (size_t m = 0; m < images; m++)
            relevant[t] += made.truth[m * tags + t];
    }
}

static f0t_status measure(double *areas, const size_t *cutoffs, size_t count, size_t step)
{
    f0t_stacking *stacking;
    f0t_status status = f0t_stacking_create(&stacking, seen, made.tags, cutoffs, count);
    for (size_t m = 0; m < made.images && status == F0T_OK; m += step) {
        const size_t rows = made.images - m < step ? made.images - m : step;
        const f0t_ranking block = {.images = rows,
                                   .tags = made.tags,
                                   .scores = made.scores + m * made.tags,
                                   .offsets = made.offsets + m,
                                   .relevant = made.relevant};
        status = f0t_stacking_add(stacking, &block);
    }
    if (status == F0T_OK)
        status = f0t_stacking_get(areas, stacking, relevant);
    f0t_stacking_free(stacking);
    return status;
}

static void the_area_is_that_of_all_constants(void **state)
{
    static const size_t cutoffs[] = {1, 3, 6, 40};
    double areas[4];
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        draw(seed, 9, 5 + seed, 0.4);
        assert_ok(measure(areas, cutoffs, 4, 4));
        for (int i = 0; i < 4; i++)
            assert_near(areas[i], slow_area(cutoffs[i]), "area");
    }
}

/* Chao et al.: one tag per image, and the first one is the answer. */
static void a_perfect_order_of_each_kind_has_area_one(void **state)
{
    static const size_t k = 1;
    double area;
    (void)state;
    draw(1, 12, 6, 0);
    for (size_t m = 0; m < made.images; m++) {
        made.truth[m * made.tags + m % made.tags] = true;
        made.scores[m * made.tags + m % made.tags] = 1e7F;
        relevant[m % made.tags]++;
    }
    ranking_case_index(&made);
    assert_ok(measure(&area, &k, 1, 12));
    assert_near(area, 1, "area");
}

/* All tags have the same score: by tag order the first would always be right. */
static void equal_scores_help_nobody(void **state)
{
    static const size_t k = 1;
    double area;
    (void)state;
    draw(1, 60, 40, 0);
    for (size_t m = 0; m < made.images; m++)
        made.truth[m * made.tags] = made.truth[m * made.tags + 1] = true;
    for (size_t i = 0; i < made.images * made.tags; i++)
        made.scores[i] = 0;
    relevant[0] = relevant[1] = (uint32_t)made.images;
    ranking_case_index(&made);
    assert_ok(measure(&area, &k, 1, 60));
    assert_true(area < 0.05);
}

static void infinite_scores_and_kinds_that_do_not_occur(void **state)
{
    static const size_t k = 2;
    double area;
    (void)state;
    draw(2, 20, 7, 0.4);
    for (size_t i = 0; i < 140; i += 3)
        made.scores[i] = i % 2 ? INFINITY : -INFINITY;
    assert_ok(measure(&area, &k, 1, 3));
    assert_true(area >= 0 && area <= 1);
    draw(2, 20, 7, 0);
    assert_ok(measure(&area, &k, 1, 3));
    assert_true(isnan(area));
}

static f0t_status measure_once(void *context)
{
    static const size_t cutoffs[] = {1, 3};
    double areas[2];
    (void)context;
    return measure(areas, cutoffs, 2, 8);
}

static void missing_memory_is_told(void **state)
{
    (void)state;
    draw(3, 20, 7, 0.4);
    test_each_fault(F0T_FAULT_ALLOC, measure_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_area_is_that_of_all_constants),
        cmocka_unit_test(a_perfect_order_of_each_kind_has_area_one),
        cmocka_unit_test(equal_scores_help_nobody),
        cmocka_unit_test(infinite_scores_and_kinds_that_do_not_occur),
        cmocka_unit_test(missing_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
