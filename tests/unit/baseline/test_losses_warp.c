#include "baseline/losses.h"

#include "../compute/batches.h"

/* A batch whose margins are at least 1/8 away from being violated or not: scores lie on quarters,
 * those of relevant tags an eighth beside. */
static batch make_clear(size_t images, size_t tags, float scale, uint64_t seed)
{
    batch made = make_batch(images, tags, scale, seed);
    for (size_t i = 0; i < images * tags; i++)
        made.scores[i] = roundf(made.scores[i] * 4) / 4;
    for (size_t m = 0; m < images; m++)
        for (size_t i = made.offsets[m]; i < made.offsets[m + 1]; i++)
            made.scores[m * tags + made.relevant[i]] += 0.125F;
    return made;
}

static uint32_t *make_samples(size_t images)
{
    uint32_t *samples = make(images, sizeof *samples);
    for (size_t m = 0; m < images; m++)
        samples[m] = (uint32_t)(7 * m + 3);
    return samples;
}

static double loss_of(const batch *made, const uint32_t *samples, float *gradient, uint64_t seed)
{
    f0t_warp_loss *loss;
    f0t_loss_result result;
    assert_ok(f0t_warp_loss_create(&loss, made->at.images, made->at.tags, seed));
    assert_ok(f0t_warp_loss_run(&result, gradient, loss, &made->at, samples));
    f0t_warp_loss_free(loss);
    return result.loss;
}

static void the_gradient_is_that_of_the_loss_with_its_draws(void **state)
{
    enum { IMAGES = 11, TAGS = 23 };
    batch made = make_clear(IMAGES, TAGS, 2, 5);
    uint32_t *samples = make_samples(IMAGES);
    float gradient[IMAGES * TAGS], scratch[IMAGES * TAGS], step = 1.0F / 64;
    double largest = 0;
    (void)state;
    loss_of(&made, samples, gradient, 1);
    for (size_t i = 0; i < (size_t)IMAGES * TAGS; i++) {
        float score = made.scores[i];
        made.scores[i] = score + step;
        double above = loss_of(&made, samples, scratch, 1);
        made.scores[i] = score - step;
        double below = loss_of(&made, samples, scratch, 1);
        made.scores[i] = score;
        double want = (above - below) / (2 * (double)step);
        assert_true(fabs((double)gradient[i] - want) < 1e-5);
        largest = fmax(largest, fabs(want));
    }
    assert_true(largest > 0.05);
    f0t_free(samples);
    free_batch(&made);
}

/* E[L(⌊n / N⌋)] for N, the first of at most n draws that hits, each with probability q. */
static double expected_weight(size_t n, double q)
{
    double sum = 0, reached = 1;
    for (size_t draw = 1; draw <= n; draw++, reached *= 1 - q) {
        double weight = 0;
        for (size_t j = 1; j <= n / draw; j++)
            weight += 1 / (double)j;
        sum += reached * q * weight;
    }
    return sum;
}

/* The mean of image m's loss over all draws. */
static double expected_loss(const batch *made, size_t m)
{
    size_t tags = made->at.tags, count = made->offsets[m + 1] - made->offsets[m];
    const float *s = made->scores + m * tags;
    const uint32_t *relevant = made->relevant + made->offsets[m];
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double brackets = 0;
        size_t violators = 0;
        for (size_t t = 0; t < tags; t++) {
            bool is = false;
            for (size_t k = 0; k < count; k++)
                is = is || relevant[k] == t;
            double bracket = 1 + (double)s[t] - (double)s[relevant[i]];
            if (is || bracket <= 0)
                continue;
            brackets += bracket;
            violators++;
        }
        if (violators)
            sum += brackets / (double)violators *
                   expected_weight(tags - count, (double)violators / (double)(tags - count));
    }
    return sum;
}

static void the_mean_over_draws_is_that_of_all_irrelevant_tags(void **state)
{
    enum { IMAGES = 12, TAGS = 31, DRAWS = 4000 };
    batch made = make_clear(IMAGES, TAGS, 2, 9);
    float gradient[IMAGES * TAGS];
    uint32_t *samples = make_samples(IMAGES);
    double sum = 0, squares = 0, want = 0, trained = 0;
    (void)state;
    for (size_t m = 0; m < IMAGES; m++) {
        size_t count = made.offsets[m + 1] - made.offsets[m];
        if (count > 0 && count < TAGS) {
            want += expected_loss(&made, m);
            trained++;
        }
    }
    for (made.at.number = 0; made.at.number < DRAWS; made.at.number++) {
        double loss = loss_of(&made, samples, gradient, 1);
        sum += loss;
        squares += loss * loss;
    }
    double mean = sum / DRAWS, deviation = sqrt((squares / DRAWS - mean * mean) / DRAWS);
    assert_true(deviation > 0 && deviation < 0.02 * mean);
    assert_true(fabs(mean - want / trained) < 4 * deviation);
    f0t_free(samples);
    free_batch(&made);
}

static void draws_depend_on_seed_batch_and_sample_alone(void **state)
{
    enum { IMAGES = 40, TAGS = 50 };
    batch made = make_clear(IMAGES, TAGS, 1, 2);
    size_t bytes = (size_t)IMAGES * TAGS * sizeof(float);
    float *one = make(1, bytes), *two = make(1, bytes);
    uint32_t *samples = make_samples(IMAGES);
    (void)state;
    test_threads(1);
    loss_of(&made, samples, one, 1);
    test_threads(2);
    loss_of(&made, samples, two, 1);
    assert_memory_equal(one, two, bytes);
    test_threads(0);
    loss_of(&made, samples, two, 2);
    assert_memory_not_equal(one, two, bytes);
    made.at.number++;
    loss_of(&made, samples, two, 1);
    assert_memory_not_equal(one, two, bytes);
    made.at.number--;
    assert_true(made.offsets[1] == 1); /* row 0 trains */
    samples[0]++;
    loss_of(&made, samples, two, 1);
    assert_memory_not_equal(one, two, TAGS * sizeof *one);
    assert_memory_equal(one + TAGS, two + TAGS, bytes - TAGS * sizeof *one);
    f0t_free(one);
    f0t_free(two);
    f0t_free(samples);
    free_batch(&made);
}

static void a_score_that_is_no_number_is_refused(void **state)
{
    batch made = make_clear(6, 9, 1, 2);
    float gradient[6 * 9];
    uint32_t *samples = make_samples(6);
    f0t_warp_loss *loss;
    f0t_loss_result result;
    (void)state;
    made.scores[4 * 9 + 2] = INFINITY;
    assert_ok(f0t_warp_loss_create(&loss, 6, 9, 1));
    assert_fails(F0T_ERROR_NUMERIC, "a score of row 4 of the mini-batch is not finite",

                 f0t_warp_loss_run(&result, gradient, loss, &made.at, samples));
    f0t_warp_loss_free(loss);
    f0t_free(samples);
    free_batch(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_is_that_of_the_loss_with_its_draws),
        cmocka_unit_test(the_mean_over_draws_is_that_of_all_irrelevant_tags),
        cmocka_unit_test(draws_depend_on_seed_batch_and_sample_alone),
        cmocka_unit_test(a_score_that_is_no_number_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
