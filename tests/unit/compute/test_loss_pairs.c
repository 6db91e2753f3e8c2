/* RankNet over all pairs of a batch: interpolation against the plain double sum. */
#include "compute/loss_pairs.h"

#include "batches.h"

#include "loss_reference.h"
#include "reference.h"

static const f0t_loss_options options = {F0T_LOSS_RANKNET, F0T_PAIRS_BATCH, 0};

/* A gradient is a float, relative to each element; pairs that add less than exp(-90) may be 0. */
static void assert_near(double got, double want, const char *what)
{
    if (!(fabs(got - want) <= 1e-7 * fabs(want) + 1e-39))
        fail_msg("%s: %.12g, not %.12g (%.3g)", what, got, want, (got - want) / want);
}

/* The loss is a double: it shows the interpolation alone. */
static void assert_loss(double got, double want)
{
    if (!(fabs(got - want) <= 1e-11 * want + 1e-39))
        fail_msg("loss %.15g, not %.15g (%.3g)", got, want, (got - want) / want);
}

static void compare(const batch *made)
{
    size_t entries = made->at.images * made->at.tags;
    double *scores = as_doubles(made->scores, entries), *want = make(entries, sizeof *want), loss;
    float *got = make(entries, sizeof *got);
    f0t_loss_result result;
    memset(got, 0xFF, entries * sizeof *got);
    assert_ok(f0t_loss_ref(&loss, want, scores, &options, &made->at));
    assert_ok(run_once(&result, got, &options, &made->at));
    assert_loss(result.loss, loss);
    for (size_t i = 0; i < entries; i++)
        assert_near((double)got[i], want[i], "gradient");
    f0t_free(scores);
    f0t_free(want);
    f0t_free(got);
}

/* Two pairs, with one score at every place of a piece: no errors cancel. */
static void the_interpolation_error_is_below_1e_11(void **state)
{
    const size_t offsets[] = {0, 1};
    const uint32_t relevant[] = {0};
    float scores[3] = {0}, gradient[3];
    const f0t_loss_batch at = {1, 3, scores, offsets, relevant, 0, 0, 0};
    f0t_loss_plan *plan;
    f0t_loss_result result;
    (void)state;
    test_threads(1);
    assert_ok(f0t_loss_plan_create(&plan, &options, 1, 3));
    for (float place = 0; place < 2.5F; place += small_run() ? 0.5F : 0.111F)
        for (float distance = -60; distance < 60; distance += 0.373F) {
            scores[0] = distance;
            scores[1] = place;
            double far = f0t_softplus_ref((double)place - (double)distance);
            assert_ok(f0t_loss_run(&result, gradient, plan, &at));
            assert_loss(result.loss, (far + f0t_softplus_ref(-(double)distance)) / 2);
        }
    f0t_loss_plan_free(plan);
    test_threads(0);
}

static void pairs_across_the_batch_equal_the_double_sum(void **state)
{
    static const float scales[] = {0, 1e-3F, 0.5F, 2, 7, 30, 200, 1e4F};
    static const size_t tags[] = {1, 2, 5, 40, 120};
    size_t shapes = small_run() ? 4 : 5;
    (void)state;
    for (size_t s = 0; s < 8; s++)
        for (size_t t = 0; t < shapes; t++) {
            batch made = make_batch(20, tags[t], scales[s], 7 * s + t);
            compare(&made);
            free_batch(&made);
        }
}

/* A relevant score far above or below all others: gradients as small as exp(-80) are right. */
static void distances_of_any_size_keep_their_precision(void **state)
{
    (void)state;
    for (int distance = -120; distance <= 120; distance += 7) {
        batch made = make_batch(8, 30, 4, 3);
        for (size_t m = 0; m < 8; m++)
            for (size_t i = made.offsets[m]; i < made.offsets[m + 1]; i++)
                made.scores[m * 30 + made.relevant[i]] += (float)distance;
        if (distance < 80)
            compare(&made);
        else {
            float gradient[240];
            f0t_loss_result result;
            assert_ok(run_once(&result, gradient, &options, &made.at));
            assert_true(result.loss >= 0 && result.loss < 1e-30);
        }
        free_batch(&made);
    }
}

/* Many equal scores, at the ends of pieces too. */
static void scores_on_the_ends_of_pieces(void **state)
{
    batch made = make_batch(12, 25, 1, 4);
    (void)state;
    for (size_t i = 0; i < 300; i++)
        made.scores[i] = 2.5F * (float)(i * 7 % 11) - 3;
    compare(&made);
    for (size_t i = 0; i < 300; i++)
        made.scores[i] = 0.1F * (float)(i % 200);
    compare(&made);
    free_batch(&made);
}

/* More than one segment in a piece. */
static void many_scores_in_one_piece(void **state)
{
    batch made = make_batch(300, 40, 1, 5);
    (void)state;
    for (size_t m = 0; m <= 300; m++) /* few are relevant: the plain sum takes long */
        made.offsets[m] = m / 10;
    for (size_t i = 0; i < 30; i++)
        made.relevant[i] = (uint32_t)i;
    compare(&made);
    free_batch(&made);
}

static void images_without_a_relevant_tag_are_negatives(void **state)
{
    const float scores[] = {0, 0, 0, 1, 2, 3};
    const size_t offsets[] = {0, 1, 1};
    const uint32_t relevant[] = {1};
    const f0t_loss_batch at = {2, 3, scores, offsets, relevant, 0, 0, 0};
    f0t_loss_result result;
    float g[6];
    (void)state;
    assert_ok(run_once(&result, g, &options, &at));
    assert_int_equal(result.images, 2);
    double loss = 2 * log1p(1) + log1p(exp(1)) + log1p(exp(2)) + log1p(exp(3));
    assert_near(result.loss, loss / 5, "loss");
    for (int i = 3; i < 6; i++)
        assert_near((double)g[i], 1 / (1 + exp(2 - i)) / 5, "gradient");
}

static void a_batch_of_one_kind_has_no_pair(void **state)
{
    const float scores[] = {1, 2, 3, 4};
    const size_t none[] = {0, 0, 0}, all[] = {0, 2, 4};
    const uint32_t relevant[] = {0, 1, 0, 1};
    f0t_loss_batch at = {2, 2, scores, none, relevant, 0, 0, 0};
    f0t_loss_result result;
    float g[4] = {7, 7, 7, 7};
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_ok(run_once(&result, g, &options, &at));
        assert_true(result.loss == 0 && result.images == 0);
        assert_true(g[0] == 0 && g[1] == 0 && g[2] == 0 && g[3] == 0);
        at.offsets = all;
    }
    at.images = 0;
    assert_ok(run_once(&result, g, &options, &at));
}

static void threads_change_no_byte_and_the_gradient_may_be_the_scores(void **state)
{
    enum { IMAGES = 130, TAGS = 77 };
    float first[IMAGES * TAGS], other[IMAGES * TAGS];
    f0t_loss_result one, result;
    (void)state;
    for (int threads = 1; threads <= 5; threads++) {
        batch made = make_batch(IMAGES, TAGS, 9, 8);
        test_threads(1);
        assert_ok(run_once(&one, first, &options, &made.at));
        test_threads(threads);
        assert_ok(run_once(&result, other, &options, &made.at));
        assert_memory_equal(first, other, sizeof first);
        assert_ok(run_once(&result, made.scores, &options, &made.at));
        assert_memory_equal(first, made.scores, sizeof first);
        assert_true(result.loss == one.loss);
        free_batch(&made);
    }
    test_threads(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_interpolation_error_is_below_1e_11),
        cmocka_unit_test(pairs_across_the_batch_equal_the_double_sum),
        cmocka_unit_test(distances_of_any_size_keep_their_precision),
        cmocka_unit_test(scores_on_the_ends_of_pieces),
        cmocka_unit_test(many_scores_in_one_piece),
        cmocka_unit_test(images_without_a_relevant_tag_are_negatives),
        cmocka_unit_test(a_batch_of_one_kind_has_no_pair),
        cmocka_unit_test(threads_change_no_byte_and_the_gradient_may_be_the_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
