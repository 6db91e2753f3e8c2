/* The reference losses against central differences. */
#include "batches.h"

#include "loss_reference.h"

static double loss_at(const double *scores, const f0t_loss_options *options,
                      const f0t_loss_batch *at, double *unused)
{
    double loss;
    assert_ok(f0t_loss_ref(&loss, unused, scores, options, at));
    return loss;
}

/* Both sides of a kink are of no use: there the slopes of the two sides differ. */
static void check_slope(double gradient, double below, double here, double above, double step)
{
    double left = (here - below) / step, right = (above - here) / step;
    double size = 1 + fabs(gradient);
    if (fabs(left - right) > 1e-3 * size)
        return;
    if (fabs((left + right) / 2 - gradient) > 2e-6 * size)
        fail_msg("slope %.12g, gradient %.12g", (left + right) / 2, gradient);
}

static size_t check_batch(const f0t_loss_options *options, size_t images, size_t tags, float scale,
                          uint64_t seed)
{
    const double step = 1e-5;
    batch made = make_batch(images, tags, scale, seed);
    double *scores = as_doubles(made.scores, images * tags);
    double *gradient = make(images * tags, sizeof *gradient);
    double *unused = make(images * tags, sizeof *unused);
    double here = loss_at(scores, options, &made.at, gradient);
    size_t moving = 0;
    for (size_t i = 0; i < images * tags; i++) {
        double held = scores[i];
        scores[i] = held - step;
        double below = loss_at(scores, options, &made.at, unused);
        scores[i] = held + step;
        double above = loss_at(scores, options, &made.at, unused);
        scores[i] = held;
        check_slope(gradient[i], below, here, above, step);
        moving += gradient[i] != 0;
    }
    f0t_free(scores);
    f0t_free(gradient);
    f0t_free(unused);
    free_batch(&made);
    return moving;
}

static void gradients_are_the_slopes_of_the_losses(void **state)
{
    static const float scales[] = {0.1F, 1, 3, 10};
    static const size_t tags[] = {2, 3, 7, 12};
    (void)state;
    for (int loss = 0; loss < F0T_LOSSES; loss++) {
        f0t_loss_options options = {(f0t_loss)loss, F0T_PAIRS_IMAGE, 5};
        size_t moving = 0;
        for (size_t s = 0; s < 4; s++)
            for (size_t t = 0; t < 4; t++)
                moving += check_batch(&options, 7, tags[t], scales[s], 10 * s + t);
        assert_true(moving > 50);
    }
}

static void so_are_those_of_pairs_across_the_batch(void **state)
{
    const f0t_loss_options options = {F0T_LOSS_RANKNET, F0T_PAIRS_BATCH, 0};
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++)
        assert_true(check_batch(&options, 6, 5, (float)seed + 0.5F, seed) == 30);
}

/* What the definitions give by hand. */
static void losses_of_one_small_image(void **state)
{
    const double scores[] = {2, -1, 0.5, 1};
    const uint32_t relevant[] = {0, 2}; /* irrelevant: -1 and 1 */
    double g[4];
    (void)state;
    double pairs = log1p(exp(-3)) + log1p(exp(-1)) + log1p(exp(-1.5)) + log1p(exp(0.5));
    double got = f0t_loss_image_ref(g, F0T_LOSS_RANKNET, scores, 4, relevant, 2);
    assert_true(fabs(got - pairs / 4) < 1e-15);
    got = f0t_loss_image_ref(g, F0T_LOSS_RANKNET_UNWEIGHTED, scores, 4, relevant, 2);
    assert_true(fabs(got - pairs) < 1e-15);
    assert_true(f0t_loss_image_ref(g, F0T_LOSS_HINGE, scores, 4, relevant, 2) == (0.5 + 2) / 4);
    assert_true(f0t_loss_image_ref(g, F0T_LOSS_SQUARED_HINGE, scores, 4, relevant, 2) == 4.25 / 4);
    assert_true(f0t_loss_image_ref(g, F0T_LOSS_CRAMMER_SINGER, scores, 4, relevant, 2) == 1.5);
    assert_true(f0t_loss_image_ref(g, F0T_LOSS_MAX_OUT, scores, 4, relevant, 2) == 1.5);
    got = f0t_loss_image_ref(g, F0T_LOSS_LOGISTIC, scores, 4, relevant, 2);
    double each = log1p(exp(-2)) + log1p(exp(-1)) + log1p(exp(-0.5)) + log1p(exp(1));
    assert_true(fabs(got - each) < 1e-15);
    double rest = exp(-1) + exp(1) + exp(0.5);
    got = f0t_loss_image_ref(g, F0T_LOSS_LISTMLE, scores, 4, relevant, 2);
    assert_true(fabs(got - (log(rest + exp(2)) - 2 + log(rest) - 0.5)) < 1e-14);
}

/* Summed over all orders of the relevant tags, listmle's probabilities are that of the set, which
 * for scores that are all equal is one over the number of sets. */
static void listmle_is_a_probability(void **state)
{
    const double scores[5] = {3, 3, 3, 3, 3};
    const uint32_t orders[6][3] = {{0, 2, 4}, {0, 4, 2}, {2, 0, 4},
                                   {2, 4, 0}, {4, 0, 2}, {4, 2, 0}};
    double sum = 0, g[5];
    (void)state;
    for (size_t i = 0; i < 6; i++)
        sum += exp(-f0t_loss_image_ref(g, F0T_LOSS_LISTMLE, scores, 5, orders[i], 3));
    assert_true(fabs(sum - 1.0 / 10) < 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_the_slopes_of_the_losses),
        cmocka_unit_test(so_are_those_of_pairs_across_the_batch),
        cmocka_unit_test(losses_of_one_small_image),
        cmocka_unit_test(listmle_is_a_probability),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
