/* Metrics of any scores: those of a comparison, and what is refused. */
#include "rankings.h"

#include "fast0tag_tools.h"

#include <string.h>

static ranking_case made;

static f0t_status measure(f0t_measured **out, const f0t_metrics_options *options)
{
    return f0t_metrics_measure(out, made.scores, made.images, made.tags, made.offsets,
                               made.relevant, options, NULL);
}

static double value_of(const f0t_measured *measured, const char *name)
{
    for (size_t i = 0; i < measured->count; i++)
        if (!strcmp(measured->values[i].name, name))
            return measured->values[i].value;
    fail_msg("no value '%s'", name);
    return 0;
}

static void values_are_those_of_a_comparison(void **state)
{
    static const size_t cutoffs[] = {1, 4};
    bool seen[R_TAGS];
    f0t_metrics_options options = F0T_METRICS_OPTIONS;
    f0t_metric_values want;
    f0t_measured *got;
    (void)state;
    ranking_case_draw(&made, 4, 50, 20, 30, 0.2);
    for (size_t t = 0; t < 20; t++)
        seen[t] = t < 13;
    options.k = cutoffs;
    options.k_count = 2;
    options.seen = seen;
    assert_ok(ranking_measure_kinds(&want, &made, cutoffs, 2, 9, seen));
    assert_ok(measure(&got, &options));
    assert_near(value_of(got, "miap"), 100 * want.miap, "MiAP");
    assert_near(value_of(got, "coverage"), want.coverage, "coverage");
    assert_near(value_of(got, "f4"), 100 * want.cutoffs[1].pooled.f, "F1");
    assert_near(value_of(got, "ausuc4"), 100 * want.cutoffs[1].area, "area");
    for (size_t m = 0; m < made.images; m++) {
        const size_t at = m * made.tags;
        const double ap = slow_precision(made.scores + at, made.truth + at, made.tags, 1);
        assert_near(got->image_precisions[m], ap < 0 ? (double)NAN : 100 * ap, "of an image");
    }
    for (size_t t = 0; t < made.tags; t++) {
        const double ap = slow_precision(made.scores + t, made.truth + t, made.images, made.tags);
        assert_near(got->tag_precisions[t], ap < 0 ? (double)NAN : 100 * ap, "of a tag");
    }
    for (size_t i = 0; i < got->count; i++)
        assert_null(strstr(got->values[i].name, "_s"));
    f0t_measured_free(got);
}

static void defaults_are_three_and_five(void **state)
{
    f0t_measured *got;
    (void)state;
    ranking_case_draw(&made, 4, 50, 20, 30, 0.2);
    assert_ok(measure(&got, NULL));
    assert_true(value_of(got, "p3") > 0 && value_of(got, "p5") > 0);
    assert_true(isnan(value_of(got, "harmonic_miap")));
    f0t_measured_free(got);
    f0t_measured_free(NULL);
}

static void what_is_no_ranking_is_refused(void **state)
{
    static const size_t many[F0T_CUTOFFS_MOST + 1] = {1}, none[] = {0};
    f0t_metrics_options options = F0T_METRICS_OPTIONS;
    f0t_measured *got;
    (void)state;
    ranking_case_draw(&made, 4, 50, 20, 30, 0.2);
    options.k = many;
    options.k_count = F0T_CUTOFFS_MOST + 1;
    assert_fails(F0T_ERROR_ARGUMENT, "K: at most 8 values", measure(&got, &options));
    options.k = none;
    options.k_count = 1;
    assert_fails(F0T_ERROR_ARGUMENT, "K: 0 is no number of first tags", measure(&got, &options));
    made.relevant[2] = 20;
    assert_fails(F0T_ERROR_ARGUMENT, "below 20", measure(&got, NULL));
    assert_null(got);
    ranking_case_draw(&made, 4, 50, 20, 30, 0.2);
    made.offsets[7] = made.offsets[50] + 1;
    assert_fails(F0T_ERROR_ARGUMENT, "row", measure(&got, NULL));
    ranking_case_draw(&made, 4, 50, 20, 30, 0.2);
    made.scores[43] = NAN;
    assert_fails(F0T_ERROR_NUMERIC, "row 2", measure(&got, NULL));
}

static f0t_status measure_once(void *context)
{
    f0t_measured *got;
    (void)context;
    f0t_status status = measure(&got, NULL);
    f0t_measured_free(got);
    return status;
}

static void missing_memory_is_told(void **state)
{
    (void)state;
    ranking_case_draw(&made, 8, 20, 10, 50, 0.3);
    test_each_fault(F0T_FAULT_ALLOC, measure_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_a_comparison),
        cmocka_unit_test(defaults_are_three_and_five),
        cmocka_unit_test(what_is_no_ranking_is_refused),
        cmocka_unit_test(missing_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
