/* Reliability and the map that restores it. */
#include "support.h"

#include "base/random.h"
#include "model/confidence.h"

#include <math.h>

/* Pairs whose logit is 2 z - 1 when the score is z. */
static f0t_reliability *make_pairs(size_t count, double slope, double shift)
{
    f0t_reliability *r;
    const f0t_random random = {.seed = 11};
    assert_ok(f0t_alloc_zero(&r, 1, sizeof *r));
    for (size_t i = 0; i < count; i++) {
        const double z = 2 * f0t_random_normal(&random, 2 * i);
        const double p = f0t_confidence_of_logit(slope * z + shift);
        f0t_reliability_add(r, z, f0t_random_uniform(&random, 2 * i + 1) < p);
    }
    return r;
}

static void logits_and_confidences_turn_into_each_other(void **state)
{
    (void)state;
    for (double z = -24; z <= 24; z += 0.5)
        assert_true(fabs(f0t_logit_of_confidence(f0t_confidence_of_logit(z)) - z) < 1e-4);
    assert_true(f0t_confidence_of_logit(0) == 0.5);
    assert_true(f0t_confidence_of_logit(-1e30) > 0 && f0t_confidence_of_logit(1e30) < 1);
    assert_true(f0t_logit_of_confidence(0) == -F0T_LOGIT_MOST);
    assert_true(f0t_logit_of_confidence(1) == F0T_LOGIT_MOST);
}

static void true_confidences_have_no_error(void **state)
{
    (void)state;
    f0t_reliability *r = make_pairs(100000, 1, 0);
    f0t_reliability_bin bins[F0T_RELIABILITY_BINS];
    assert_int_equal(f0t_reliability_bins(bins, r), F0T_RELIABILITY_BINS);
    for (size_t b = 0; b < F0T_RELIABILITY_BINS; b++) {
        assert_true(fabs(bins[b].pairs - 100000.0 / F0T_RELIABILITY_BINS) < 400);
        assert_true(fabs(bins[b].confidence - bins[b].right) < 0.025);
        assert_true(b == 0 || bins[b].confidence > bins[b - 1].confidence);
    }
    assert_true(f0t_reliability_error(r) < 0.01);
    f0t_free(r);
}

/* Four pairs by hand; bins of equally many are single pairs here. */
static void the_numbers_are_their_definition(void **state)
{
    (void)state;
    f0t_reliability *r;
    assert_ok(f0t_alloc_zero(&r, 1, sizeof *r));
    assert_true(isnan(f0t_reliability_error(r)) && isnan(f0t_reliability_brier(r)));
    static const struct {
        double confidence;
        bool right;
    } pairs[] = {{0.1, false}, {0.3, true}, {0.6, false}, {0.9, true}};
    for (size_t i = 0; i < 4; i++)
        f0t_reliability_add(r, f0t_logit_of_confidence(pairs[i].confidence), pairs[i].right);
    assert_true(fabs(f0t_reliability_error(r) - (0.1 + 0.7 + 0.6 + 0.1) / 4) < 1e-9);
    assert_true(fabs(f0t_reliability_brier(r) - (0.01 + 0.49 + 0.36 + 0.01) / 4) < 1e-9);
    f0t_free(r);
}

/* Equal confidences are one bin, whichever of them are right: their share counts, not their order. */
static void equal_confidences_share_a_bin(void **state)
{
    (void)state;
    f0t_reliability *r;
    f0t_reliability_bin bins[F0T_RELIABILITY_BINS];
    assert_ok(f0t_alloc_zero(&r, 1, sizeof *r));
    for (size_t i = 0; i < 100; i++)
        f0t_reliability_add(r, f0t_logit_of_confidence(0.25), i % 4 == 0);
    assert_int_equal(f0t_reliability_bins(bins, r), 1);
    assert_true(bins[0].pairs == 100 && bins[0].right == 0.25);
    assert_true(f0t_reliability_error(r) < 1e-9);
    f0t_free(r);
}

static void matrices_add_all_pairs(void **state)
{
    (void)state;
    f0t_reliability *a, *b;
    size_t offsets[] = {0, 2, 2};
    uint32_t relevant[] = {0, 2};
    float logits[] = {1, 2, 3, -1, -2, INFINITY};
    const f0t_samples truth = {.count = 2, .tags = 3, .offsets = offsets, .relevant = relevant};
    assert_ok(f0t_alloc_zero(&a, 1, sizeof *a));
    assert_ok(f0t_alloc_zero(&b, 1, sizeof *b));
    assert_ok(f0t_reliability_add_all(a, logits, &truth));
    for (size_t i = 0; i < 6; i++)
        f0t_reliability_add(b, (double)logits[i], i == 0 || i == 2);
    assert_memory_equal(a, b, sizeof *a);
    logits[4] = NAN;
    assert_fails(F0T_ERROR_NUMERIC, "image 1, tag 1: the score is NaN",
                 f0t_reliability_add_all(a, logits, &truth));
    f0t_free(a);
    f0t_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logits_and_confidences_turn_into_each_other),
        cmocka_unit_test(true_confidences_have_no_error),
        cmocka_unit_test(the_numbers_are_their_definition),
        cmocka_unit_test(equal_confidences_share_a_bin),
        cmocka_unit_test(matrices_add_all_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
