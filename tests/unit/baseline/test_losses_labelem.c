#include "baseline/losses.h"

#include "../compute/batches.h"

/* Every relevant tag against every other tag. */
static double reference(double *gradient, const batch *made)
{
    size_t tags = made->at.tags;
    double sum = 0, trained = 0;
    for (size_t m = 0; m < made->at.images; m++) {
        size_t count = made->offsets[m + 1] - made->offsets[m];
        trained += count > 0 && count < tags;
    }
    for (size_t i = 0; i < made->at.images * tags; i++)
        gradient[i] = 0;
    for (size_t m = 0; m < made->at.images; m++) {
        size_t count = made->offsets[m + 1] - made->offsets[m];
        const float *s = made->scores + m * tags;
        for (size_t i = made->offsets[m]; i < made->offsets[m + 1] && count < tags; i++) {
            size_t p = made->relevant[i], most = p ? 0 : 1;
            for (size_t y = 0; y < tags; y++)
                if (y != p && s[y] > s[most])
                    most = y;
            double bracket = 1 + (double)s[most] - (double)s[p];
            if (bracket > 0) {
                sum += bracket / trained;
                gradient[m * tags + most] += 1 / trained;
                gradient[m * tags + p] -= 1 / trained;
            }
        }
    }
    return sum;
}

static void compare(size_t images, size_t tags, float scale, bool ties)
{
    batch made = make_batch(images, tags, scale, tags);
    float *gradient = make(images * tags, sizeof *gradient);
    double *want = make(images * tags, sizeof *want);
    f0t_loss_result result;
    for (size_t i = 0; ties && i < images * tags; i++)
        made.scores[i] = roundf(made.scores[i]);
    memset(gradient, 0xFF, images * tags * sizeof *gradient);
    assert_ok(f0t_labelem_loss_run(&result, gradient, &made.at));
    assert_true(fabs(result.loss - reference(want, &made)) < 1e-9 * (1 + result.loss));
    for (size_t i = 0; i < images * tags; i++)
        assert_true(fabs((double)gradient[i] - want[i]) < 1e-5);
    f0t_free(gradient);
    f0t_free(want);
    free_batch(&made);
}

static void it_equals_the_search_of_all_pairs(void **state)
{
    const size_t tags[] = {2, 3, 8, 50};
    (void)state;
    for (size_t t = 0; t < 4; t++) {
        compare(15, tags[t], 1, false);
        compare(15, tags[t], 3, true);
        compare(15, tags[t], 0, true);
    }
}

/* The image's own tags stand against each other: the defect that labelem+ does not have. */
static void an_images_own_tags_stand_against_each_other(void **state)
{
    const float scores[] = {3, 2, -5};
    const uint32_t relevant[] = {0, 1};
    const size_t offsets[] = {0, 2};
    f0t_loss_batch one = {1, 3, scores, offsets, relevant, 0, 0, 0};
    float gradient[3];
    f0t_loss_result result;
    (void)state;
    assert_ok(f0t_labelem_loss_run(&result, gradient, &one));
    assert_true(fabs(result.loss - 2) < 1e-12);
    assert_true(gradient[0] == 1 && gradient[1] == -1 && gradient[2] == 0);
}

static void a_score_that_is_no_number_is_refused(void **state)
{
    batch made = make_batch(6, 9, 1, 2);
    float gradient[6 * 9];
    f0t_loss_result result;
    (void)state;
    made.scores[5 * 9] = NAN;
    assert_fails(F0T_ERROR_NUMERIC, "a score of row 5 of the mini-batch is not finite",
                 f0t_labelem_loss_run(&result, gradient, &made.at));
    free_batch(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_equals_the_search_of_all_pairs),
        cmocka_unit_test(an_images_own_tags_stand_against_each_other),
        cmocka_unit_test(a_score_that_is_no_number_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
