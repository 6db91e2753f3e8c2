#include "compute/loss.h"

#include "batches.h"

#include "loss_reference.h"

/* ---- Against the reference ---------------------------------------------------------------------
 */

/* Relative to each element, not to the largest: small gradients are right too. What is below
 * exp(-60) of the largest, or near float's smallest, may be 0. listmle's are differences of numbers
 * near 1, in double. */
static void assert_gradient(const float *got, const double *want, size_t n, f0t_loss loss)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(want[i]));
    double least = loss == F0T_LOSS_LISTMLE ? 1e-14 : 1e-26 * most + 1e-30;
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)got[i] - want[i]) <= 5e-6 * fabs(want[i]) + least))
            fail_msg("%s: gradient %zu of %zu is %.9g, not %.9g", f0t_loss_name(loss), i, n,
                     (double)got[i], want[i]);
}

static void compare(const f0t_loss_options *options, size_t images, size_t tags, float scale)
{
    batch made = make_batch(images, tags, scale, tags + images);
    size_t entries = images * tags;
    double *scores = as_doubles(made.scores, entries), *want = make(entries, sizeof *want), loss;
    float *got = make(entries, sizeof *got);
    f0t_loss_result result;
    memset(got, 0xFF, entries * sizeof *got);
    assert_ok(f0t_loss_ref(&loss, want, scores, options, &made.at));
    assert_ok(run_once(&result, got, options, &made.at));
    if (!(fabs(result.loss - loss) <= 1e-6 * loss))
        fail_msg("%s of %zu x %zu at %g is %.9g, not %.9g", f0t_loss_name(options->loss), images,
                 tags, (double)scale, result.loss, loss);
    for (size_t m = 0; m < images; m++)
        assert_gradient(got + m * tags, want + m * tags, tags, options->loss);
    f0t_free(scores);
    f0t_free(want);
    f0t_free(got);
    free_batch(&made);
}

static void every_loss_equals_the_reference(void **state)
{
    static const size_t tags[] = {1, 2, 3, 15, 16, 17, 33, 100, 150};
    static const float scales[] = {0, 1e-3F, 1, 6, 39, 41, 300, 1e4F};
    size_t shapes = small_run() ? 7 : 9;
    (void)state;
    for (int loss = 0; loss < F0T_LOSSES; loss++)
        for (size_t t = 0; t < shapes; t++)
            for (size_t s = 0; s < 8; s++) {
                f0t_loss_options options = {(f0t_loss)loss, F0T_PAIRS_IMAGE, t};
                compare(&options, 9, tags[t], scales[s]);
            }
}

static void many_tags_lose_no_precision(void **state)
{
    (void)state;
    for (int loss = 0; loss < F0T_LOSSES; loss++) {
        f0t_loss_options options = {(f0t_loss)loss, F0T_PAIRS_IMAGE, 3};
        compare(&options, 1, small_run() ? 3000 : 30000, 4);
    }
}

/* All relevant tags far above all others, and far below. */
static void rankings_that_are_all_right_or_all_wrong(void **state)
{
    static const float gaps[] = {-1e4F, -200, -100, -50, 50, 79, 81, 100, 200, 1e4F};
    (void)state;
    for (size_t g = 0; g < 10; g++)
        for (int loss = 0; loss < F0T_LOSSES; loss++) {
            f0t_loss_options options = {(f0t_loss)loss, F0T_PAIRS_IMAGE, 3};
            batch made = make_batch(6, 40, 1, g);
            for (size_t m = 0; m < 6; m++)
                for (size_t i = made.offsets[m]; i < made.offsets[m + 1]; i++)
                    made.scores[m * 40 + made.relevant[i]] -= gaps[g];
            double *scores = as_doubles(made.scores, 240), want[240], reference;
            float got[240];
            f0t_loss_result result;
            assert_ok(f0t_loss_ref(&reference, want, scores, &options, &made.at));
            assert_ok(run_once(&result, got, &options, &made.at));
            assert_true(fabs(result.loss - reference) <= 1e-6 * reference + 1e-30);
            for (size_t m = 0; m < 6; m++)
                assert_gradient(got + m * 40, want + m * 40, 40, options.loss);
            f0t_free(scores);
            free_batch(&made);
        }
}

/* ---- Parts of a batch -------------------------------------------------------------------------- */

/* Rows [first, end) as a part of the batch, `training` images of which train. */
static f0t_loss_result run_part(float *gradient, const f0t_loss_options *options, const batch *made,
                                size_t first, size_t end, size_t training)
{
    f0t_loss_batch part = made->at;
    f0t_loss_result result;
    part.images = end - first;
    part.scores += first * part.tags;
    part.offsets += first;
    part.first = first;
    part.training = training;
    assert_ok(run_once(&result, gradient + first * part.tags, options, &part));
    return result;
}

/* The mean is over the images of the whole, and listmle's orders are the whole's. */
static void a_divided_batch_has_the_same_loss_and_gradient(void **state)
{
    enum { IMAGES = 23, TAGS = 40 };
    (void)state;
    for (int loss = 0; loss < F0T_LOSSES; loss++) {
        f0t_loss_options options = {(f0t_loss)loss, F0T_PAIRS_IMAGE, 5};
        batch made = make_batch(IMAGES, TAGS, 3, 8);
        float whole[IMAGES * TAGS], parts[IMAGES * TAGS];
        f0t_loss_result result;
        assert_ok(run_once(&result, whole, &options, &made.at));
        const f0t_loss_result a = run_part(parts, &options, &made, 0, 9, result.images);
        const f0t_loss_result b = run_part(parts, &options, &made, 9, IMAGES, result.images);
        assert_int_equal(a.images + b.images, result.images);
        assert_true(fabs(a.loss + b.loss - result.loss) <= 1e-12 * result.loss);
        assert_memory_equal(whole, parts, sizeof whole);
        free_batch(&made);
    }
}

static void pairs_across_the_batch_need_all_of_it(void **state)
{
    const f0t_loss_options options = {F0T_LOSS_RANKNET, F0T_PAIRS_BATCH, 0};
    batch made = make_batch(4, 5, 1, 1);
    float gradient[20];
    f0t_loss_result result;
    (void)state;
    made.at.training = 9;
    assert_fails(F0T_ERROR_UNSUPPORTED,
                 "pairs across the batch need the whole batch, not a part of it",
                 run_once(&result, gradient, &options, &made.at));
    free_batch(&made);
}

/* ---- Which images train, and ties --------------------------------------------------------------
 */

static void images_without_a_pair_train_nothing(void **state)
{
    const float scores[] = {1, 2, 3, 4, 0, 0};
    const size_t offsets[] = {0, 0, 2, 3};
    const uint32_t relevant[] = {0, 1, 1};
    const f0t_loss_batch at = {3, 2, scores, offsets, relevant, 0, 0, 0};
    f0t_loss_result result;
    float g[6];
    (void)state;
    for (int loss = 0; loss < F0T_LOSSES; loss++) {
        f0t_loss_options options = {(f0t_loss)loss, F0T_PAIRS_IMAGE, 0};
        if (loss == F0T_LOSS_LOGISTIC)
            continue;
        assert_ok(run_once(&result, g, &options, &at));
        assert_int_equal(result.images, 1);
        assert_true(g[0] == 0 && g[1] == 0 && g[2] == 0 && g[3] == 0 && g[4] > 0 && g[5] < 0);
    }
}

/* Rows with none, all and one of two tags: the slope of a score is a third of sigmoid(s) − [relevant]. */
static void logistic_trains_with_every_image(void **state)
{
    const float scores[] = {1, 2, 3, 4, 0, -5};
    const double relevant_or_not[] = {0, 0, 1, 1, 0, 1};
    const size_t offsets[] = {0, 0, 2, 3};
    const uint32_t relevant[] = {0, 1, 1};
    f0t_loss_batch at = {3, 2, scores, offsets, relevant, 0, 0, 0};
    const f0t_loss_options options = {F0T_LOSS_LOGISTIC, F0T_PAIRS_IMAGE, 0};
    f0t_loss_result result;
    float g[6];
    (void)state;
    assert_ok(run_once(&result, g, &options, &at));
    assert_int_equal(result.images, 3);
    for (size_t i = 0; i < 6; i++) {
        double slope = 1 / (1 + exp(-(double)scores[i])) - relevant_or_not[i];
        assert_true(fabs((double)g[i] - slope / 3) < 1e-7);
    }
    at.images = 1; /* a batch of nothing but negatives */
    assert_ok(run_once(&result, g, &options, &at));
    assert_int_equal(result.images, 1);
    assert_true(fabs(result.loss - log1p(exp(1)) - log1p(exp(2))) < 1e-6);
    at = (f0t_loss_batch){2, 0, scores, (const size_t[]){0, 0, 0}, relevant, 0, 0, 0};
    assert_ok(run_once(&result, g, &options, &at));
    assert_true(result.loss == 0 && result.images == 0);
}

static void a_batch_that_trains_nothing_has_loss_0(void **state)
{
    const float scores[] = {1, 2, 3, 4};
    const size_t offsets[] = {0, 0, 2};
    const uint32_t relevant[] = {0, 1};
    f0t_loss_batch at = {2, 2, scores, offsets, relevant, 0, 0, 0};
    f0t_loss_result result;
    float g[4] = {7, 7, 7, 7};
    (void)state;
    const f0t_loss_options options = {F0T_LOSS_RANKNET, F0T_PAIRS_IMAGE, 0};
    assert_ok(run_once(&result, g, &options, &at));
    assert_true(result.loss == 0 && result.images == 0);
    assert_true(g[0] == 0 && g[1] == 0 && g[2] == 0 && g[3] == 0);
    at.images = 0;
    assert_ok(run_once(&result, NULL, &options, &at));
    at = (f0t_loss_batch){2, 0, scores, (const size_t[]){0, 0, 0}, relevant, 0, 0, 0};
    assert_ok(run_once(&result, g, &options, &at));
    assert_true(result.loss == 0 && result.images == 0);
}

static void ties_go_to_the_lowest_index(void **state)
{
    const float scores[] = {1, 2, 2, 1, 1, 2};
    const size_t offsets[] = {0, 3};
    const uint32_t relevant[] = {0, 3, 5}; /* irrelevant: 2, 2, 1 */
    const f0t_loss_batch at = {1, 6, scores, offsets, relevant, 0, 0, 0};
    f0t_loss_options options = {F0T_LOSS_MAX_OUT, F0T_PAIRS_IMAGE, 0};
    const float max_out[] = {-1, 1, 0, 0, 0, 0}, crammer[] = {-1, 3, 0, -1, 0, -1};
    f0t_loss_result result;
    float g[6];
    (void)state;
    assert_ok(run_once(&result, g, &options, &at));
    assert_true(result.loss == 2 && !memcmp(g, max_out, sizeof g));
    options.loss = F0T_LOSS_CRAMMER_SINGER;
    assert_ok(run_once(&result, g, &options, &at));
    assert_true(result.loss == 5 && !memcmp(g, crammer, sizeof g));
}

static void brackets_that_are_0_have_no_gradient(void **state)
{
    const float scores[] = {1, 0, -1};
    const size_t offsets[] = {0, 1};
    const uint32_t relevant[] = {0};
    const f0t_loss_batch at = {1, 3, scores, offsets, relevant, 0, 0, 0};
    f0t_loss_result result;
    float g[3];
    (void)state;
    for (int loss = F0T_LOSS_CRAMMER_SINGER; loss <= F0T_LOSS_MAX_OUT; loss++) {
        const f0t_loss_options options = {(f0t_loss)loss, F0T_PAIRS_IMAGE, 0};
        assert_ok(run_once(&result, g, &options, &at));
        assert_true(result.loss == 0 && g[0] == 0 && g[1] == 0 && g[2] == 0);
    }
    const f0t_loss_options options = {F0T_LOSS_HINGE, F0T_PAIRS_IMAGE, 0};
    assert_ok(run_once(&result, g, &options, &at));
    assert_true(result.loss == 1.0 / 3 && g[0] == 0 && g[1] == 1.0F / 3 && g[2] == 0);
}

/* The mean: the same images twice change no loss, and halve the gradient of each. */
static void the_loss_does_not_depend_on_the_batch_size(void **state)
{
    batch made = make_batch(8, 20, 2, 1);
    const f0t_loss_options options = {F0T_LOSS_RANKNET, F0T_PAIRS_IMAGE, 0};
    float scores[320], once[160], twice[320];
    size_t offsets[17];
    uint32_t relevant[320];
    f0t_loss_result first, second;
    (void)state;
    size_t count = made.offsets[8];
    for (size_t i = 0; i < 2; i++) {
        memcpy(scores + i * 160, made.scores, sizeof once);
        memcpy(relevant + i * count, made.relevant, count * sizeof *relevant);
        for (size_t m = 0; m <= 8; m++)
            offsets[i * 8 + m] = i * count + made.offsets[m];
    }
    const f0t_loss_batch at = {16, 20, scores, offsets, relevant, 0, 0, 0};
    assert_ok(run_once(&first, once, &options, &made.at));
    assert_ok(run_once(&second, twice, &options, &at));
    assert_true(fabs(first.loss - second.loss) < 1e-15 && second.images == 2 * first.images);
    for (size_t i = 0; i < 160; i++)
        assert_true(twice[i] == once[i] / 2 && twice[160 + i] == once[i] / 2);
    free_batch(&made);
}

static void listmle_draws_another_order_for_each_batch_and_seed(void **state)
{
    batch made = make_batch(20, 30, 2, 1);
    float a[600], b[600];
    f0t_loss_options options = {F0T_LOSS_LISTMLE, F0T_PAIRS_IMAGE, 1};
    f0t_loss_result first, second;
    (void)state;
    assert_ok(run_once(&first, a, &options, &made.at));
    assert_ok(run_once(&second, b, &options, &made.at));
    assert_true(first.loss == second.loss && !memcmp(a, b, sizeof a));
    options.seed = 2;
    assert_ok(run_once(&second, b, &options, &made.at));
    assert_true(first.loss != second.loss);
    options.seed = 1;
    made.at.number++;
    assert_ok(run_once(&second, b, &options, &made.at));
    assert_true(first.loss != second.loss);
    free_batch(&made);
}

/* ---- Threads, memory and names -----------------------------------------------------------------
 */

static void threads_change_no_byte_and_the_gradient_may_be_the_scores(void **state)
{
    enum { IMAGES = 130, TAGS = 77 };
    float first[IMAGES * TAGS], other[IMAGES * TAGS];
    (void)state;
    for (int loss = 0; loss < F0T_LOSSES; loss++)
        for (int threads = 1; threads <= 5; threads++) {
            f0t_loss_options options = {(f0t_loss)loss, F0T_PAIRS_IMAGE, 3};
            batch made = make_batch(IMAGES, TAGS, 3, 8);
            f0t_loss_result result, one;
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

static void a_plan_serves_smaller_batches_and_other_numbers_of_threads(void **state)
{
    batch large = make_batch(50, 64, 3, 1), small = make_batch(7, 9, 3, 2);
    const f0t_loss_options options = {F0T_LOSS_RANKNET, F0T_PAIRS_IMAGE, 3};
    float first[50 * 64], again[50 * 64];
    f0t_loss_plan *plan;
    f0t_loss_result one, two;
    (void)state;
    test_threads(2);
    assert_ok(f0t_loss_plan_create(&plan, &options, 50, 64));
    assert_ok(f0t_loss_run(&one, first, plan, &large.at));
    assert_ok(f0t_loss_run(&two, again, plan, &small.at));
    test_threads(8);
    assert_ok(f0t_loss_run(&two, again, plan, &large.at));
    test_threads(0);
    assert_true(one.loss == two.loss);
    assert_memory_equal(first, again, sizeof first);
    f0t_loss_plan_free(plan);
    free_batch(&large);
    free_batch(&small);
}

static f0t_status create(void *context)
{
    f0t_loss_plan *plan;
    F0T_TRY(f0t_loss_plan_create(&plan, context, 10, 20));
    f0t_loss_plan_free(plan);
    return F0T_OK;
}

static void every_failing_allocation_is_reported(void **state)
{
    f0t_loss_options options = {F0T_LOSS_RANKNET, F0T_PAIRS_IMAGE, 0};
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, create, &options);
    options.pairs = F0T_PAIRS_BATCH;
    test_each_fault(F0T_FAULT_ALLOC, create, &options);
}

static void a_run_allocates_nothing(void **state)
{
    batch made = make_batch(20, 30, 2, 1);
    float gradient[600];
    f0t_loss_result result;
    (void)state;
    for (int pairs = F0T_PAIRS_IMAGE; pairs <= F0T_PAIRS_BATCH; pairs++) {
        const f0t_loss_options options = {F0T_LOSS_RANKNET, (f0t_pairs)pairs, 0};
        f0t_loss_plan *plan;
        assert_ok(f0t_loss_plan_create(&plan, &options, 20, 30));
        f0t_fault_set(F0T_FAULT_ALLOC, 1);
        assert_ok(f0t_loss_run(&result, gradient, plan, &made.at));
        f0t_fault_set(F0T_FAULT_ALLOC, 0);
        f0t_loss_plan_free(plan);
    }
    free_batch(&made);
}

static void losses_have_names(void **state)
{
    f0t_loss loss;
    (void)state;
    for (int i = 0; i < F0T_LOSSES; i++) {
        assert_ok(f0t_loss_find(&loss, f0t_loss_name((f0t_loss)i)));
        assert_int_equal(loss, i);
    }
    assert_string_equal(f0t_loss_name(F0T_LOSS_SQUARED_HINGE), "squared-hinge");
    assert_null(f0t_loss_name(F0T_LOSSES));
    assert_fails(F0T_ERROR_NOT_FOUND, "'softmax': ranknet", f0t_loss_find(&loss, "softmax"));
}

/* ---- What cannot be ----------------------------------------------------------------------------
 */

static void numbers_that_are_none_name_the_row(void **state)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    (void)state;
    for (int loss = 0; loss <= F0T_LOSSES; loss++)
        for (size_t i = 0; i < 30; i++) {
            /* One more than there are losses: the pairs of the batch. */
            f0t_loss_options options = {(f0t_loss)(loss % F0T_LOSSES),
                                        loss < F0T_LOSSES ? F0T_PAIRS_IMAGE : F0T_PAIRS_BATCH, 0};
            batch made = make_batch(5, 6, 1, 3);
            char row[64];
            float gradient[30];
            f0t_loss_result result;
            snprintf(row, sizeof row, "row %zu of the batch: a score is NaN or infinite", i / 6);
            made.scores[i] = bad[i % 3];
            assert_fails(F0T_ERROR_NUMERIC, row, run_once(&result, gradient, &options, &made.at));
            free_batch(&made);
        }
}

static void a_loss_beyond_all_numbers_is_no_loss(void **state)
{
    const float scores[] = {3e38F, -3e38F};
    const size_t offsets[] = {0, 1};
    const uint32_t relevant[] = {1};
    const f0t_loss_batch at = {1, 2, scores, offsets, relevant, 0, 0, 0};
    f0t_loss_options options = {F0T_LOSS_RANKNET, F0T_PAIRS_IMAGE, 0};
    float gradient[2];
    f0t_loss_result result;
    (void)state;
    assert_fails(F0T_ERROR_NUMERIC, "row 0 of the batch: the loss is infinite",
                 run_once(&result, gradient, &options, &at));
    options.pairs = F0T_PAIRS_BATCH;
    assert_fails(F0T_ERROR_NUMERIC, "too far for pairs across it: has the training diverged?",
                 run_once(&result, gradient, &options, &at));
}

static void wrong_options_are_refused(void **state)
{
    f0t_loss_options options = {F0T_LOSS_HINGE, F0T_PAIRS_BATCH, 0};
    f0t_loss_plan *plan;
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT,
                 "pairs across the batch are for the loss ranknet, not for hinge",
                 f0t_loss_plan_create(&plan, &options, 2, 2));
    assert_null(plan);
    options.loss = F0T_LOSSES;
    assert_fails(F0T_ERROR_ARGUMENT, " is no loss", f0t_loss_plan_create(&plan, &options, 2, 2));
    options = (f0t_loss_options){F0T_LOSS_RANKNET, (f0t_pairs)7, 0};
    assert_fails(F0T_ERROR_ARGUMENT, "7 is no choice of pairs",
                 f0t_loss_plan_create(&plan, &options, 2, 2));
    options.pairs = F0T_PAIRS_IMAGE;
    assert_fails(F0T_ERROR_MEMORY, " images with scores of 5 tags",
                 f0t_loss_plan_create(&plan, &options, SIZE_MAX / 2, 5));
    assert_fails(F0T_ERROR_MEMORY, "", f0t_loss_plan_create(&plan, &options, 1, SIZE_MAX - 5));
    options.pairs = F0T_PAIRS_BATCH;
    assert_fails(F0T_ERROR_UNSUPPORTED, " scores is too large for pairs across it",
                 f0t_loss_plan_create(&plan, &options, 1 << 20, 1 << 20));
}

static void wrong_batches_are_refused(void **state)
{
    const f0t_loss_options options = {F0T_LOSS_RANKNET, F0T_PAIRS_IMAGE, 0};
    const float scores[12] = {0};
    size_t offsets[] = {0, 2, 4};
    uint32_t relevant[] = {0, 2, 1, 3};
    f0t_loss_batch at = {2, 4, scores, offsets, relevant, 0, 0, 0};
    f0t_loss_plan *plan;
    f0t_loss_result result;
    float gradient[12];
    (void)state;
    assert_ok(f0t_loss_plan_create(&plan, &options, 2, 4));
    assert_ok(f0t_loss_run(&result, gradient, plan, &at));
    relevant[3] = 4;
    assert_fails(F0T_ERROR_ARGUMENT,
                 "row 1 of the batch: relevant tags must ascend below 4; 4 does not fit",
                 f0t_loss_run(&result, gradient, plan, &at));
    relevant[3] = 1;
    assert_fails(F0T_ERROR_ARGUMENT, "must ascend below 4; 1 does not fit",
                 f0t_loss_run(&result, gradient, plan, &at));
    relevant[3] = 3;
    offsets[1] = 5;
    assert_fails(F0T_ERROR_ARGUMENT, "row 0 of the batch: relevant tags from 0 to 5, of 4 tags",
                 f0t_loss_run(&result, gradient, plan, &at));
    offsets[1] = 2;
    offsets[2] = 1;
    assert_fails(F0T_ERROR_ARGUMENT, "row 1", f0t_loss_run(&result, gradient, plan, &at));
    offsets[2] = 4;
    at.images = 3;
    assert_fails(F0T_ERROR_ARGUMENT, "a batch of 3 images and 4 tags, planned for 2 and 4",
                 f0t_loss_run(&result, gradient, plan, &at));
    f0t_loss_plan_free(plan);
    f0t_loss_plan_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_loss_equals_the_reference),
        cmocka_unit_test(many_tags_lose_no_precision),
        cmocka_unit_test(rankings_that_are_all_right_or_all_wrong),
        cmocka_unit_test(a_divided_batch_has_the_same_loss_and_gradient),
        cmocka_unit_test(pairs_across_the_batch_need_all_of_it),
        cmocka_unit_test(images_without_a_pair_train_nothing),
        cmocka_unit_test(logistic_trains_with_every_image),
        cmocka_unit_test(a_batch_that_trains_nothing_has_loss_0),
        cmocka_unit_test(ties_go_to_the_lowest_index),
        cmocka_unit_test(brackets_that_are_0_have_no_gradient),
        cmocka_unit_test(the_loss_does_not_depend_on_the_batch_size),
        cmocka_unit_test(listmle_draws_another_order_for_each_batch_and_seed),
        cmocka_unit_test(threads_change_no_byte_and_the_gradient_may_be_the_scores),
        cmocka_unit_test(a_plan_serves_smaller_batches_and_other_numbers_of_threads),
        cmocka_unit_test(every_failing_allocation_is_reported),
        cmocka_unit_test(a_run_allocates_nothing),
        cmocka_unit_test(losses_have_names),
        cmocka_unit_test(numbers_that_are_none_name_the_row),
        cmocka_unit_test(a_loss_beyond_all_numbers_is_no_loss),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(wrong_batches_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
