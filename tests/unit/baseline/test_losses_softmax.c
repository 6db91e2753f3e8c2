#include "baseline/losses.h"

#include "../compute/batches.h"

/* The loss in double, straight from its definition. */
static double reference(const batch *made, const double *scores)
{
    size_t tags = made->at.tags;
    double sum = 0, trained = 0;
    for (size_t m = 0; m < made->at.images; m++) {
        size_t count = made->offsets[m + 1] - made->offsets[m];
        const double *s = scores + m * tags;
        double total = 0;
        if (count == 0 || count == tags)
            continue;
        trained++;
        for (size_t t = 0; t < tags; t++)
            total += exp(s[t]);
        for (size_t i = made->offsets[m]; i < made->offsets[m + 1]; i++)
            sum -= log(exp(s[made->relevant[i]]) / total) / (double)count;
    }
    return trained > 0 ? sum / trained : 0;
}

static void compare(size_t images, size_t tags, float scale)
{
    batch made = make_batch(images, tags, scale, tags);
    float *gradient = make(images * tags, sizeof *gradient);
    double *scores = make(images * tags, sizeof *scores);
    f0t_loss_result result;
    for (size_t i = 0; i < images * tags; i++)
        scores[i] = (double)made.scores[i];
    memset(gradient, 0xFF, images * tags * sizeof *gradient);
    assert_ok(f0t_softmax_loss_run(&result, gradient, &made.at));
    assert_true(fabs(result.loss - reference(&made, scores)) < 1e-5 * (1 + result.loss));
    for (size_t i = 0; i < images * tags; i++) {
        double score = scores[i], step = 1e-5;
        scores[i] = score + step;
        double above = reference(&made, scores);
        scores[i] = score - step;
        double below = reference(&made, scores);
        scores[i] = score;
        assert_true(fabs((double)gradient[i] - (above - below) / (2 * step)) < 1e-6);
    }
    f0t_free(gradient);
    f0t_free(scores);
    free_batch(&made);
}

static void loss_and_gradient_are_those_of_the_definition(void **state)
{
    const size_t tags[] = {2, 3, 17, 60};
    (void)state;
    for (size_t t = 0; t < 4; t++) {
        compare(12, tags[t], 1);
        compare(12, tags[t], 20);
    }
}

static void large_scores_do_not_overflow(void **state)
{
    const float scores[] = {1e4F, -1e4F, 0};
    const uint32_t relevant[] = {1};
    const size_t offsets[] = {0, 1};
    f0t_loss_batch one = {1, 3, scores, offsets, relevant, 0, 0, 0};
    float gradient[3];
    f0t_loss_result result;
    (void)state;
    assert_ok(f0t_softmax_loss_run(&result, gradient, &one));
    assert_true(fabs(result.loss - 2e4) < 1e-2);
    assert_true(gradient[0] == 1 && gradient[1] == -1 && gradient[2] == 0);
}

static void a_score_that_is_no_number_is_refused(void **state)
{
    batch made = make_batch(6, 9, 1, 2);
    float gradient[6 * 9];
    f0t_loss_result result;
    (void)state;
    made.scores[2 * 9] = NAN;
    assert_fails(F0T_ERROR_NUMERIC, "a score of row 2 of the mini-batch is not finite",
                 f0t_softmax_loss_run(&result, gradient, &made.at));
    free_batch(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loss_and_gradient_are_those_of_the_definition),
        cmocka_unit_test(large_scores_do_not_overflow),
        cmocka_unit_test(a_score_that_is_no_number_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
