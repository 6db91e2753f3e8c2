#include "../compute/batches.h"
#include "devices.h"

/* A batch on both devices: the losses and the gradients agree. On the GPU twice, the gradient in the place of the scores:
 * the same bytes. */
static void check_batch(const f0t_loss_options *options, const f0t_loss_batch *at)
{
    const f0t_compute *const computes[] = {&f0t_compute_cpu, gpu()};
    const size_t n = at->images * at->tags;
    f0t_buffer *scores[2], *gradient[2];
    f0t_loss_result result[2], again;
    for (int i = 0; i < 2; i++) {
        f0t_loss_plan *plan;
        scores[i] = buffer_of(computes[i], F0T_F32, at->scores, n);
        gradient[i] = buffer_of(computes[i], F0T_F32, at->scores, n);
        assert_ok(computes[i]->loss_create(&plan, options, at->images, at->tags));
        assert_ok(computes[i]->loss(&result[i], gradient[i], scores[i], plan, at));
        assert_ok(computes[i]->loss(&again, scores[i], scores[i], plan, at));
        assert_near(gradient[i], scores[i], n, 0);
        assert_true(again.loss == result[i].loss);
        computes[i]->loss_free(plan);
    }
    assert_int_equal(result[0].images, result[1].images);
    assert_true(fabs(result[0].loss - result[1].loss) <= 1e-5 * fabs(result[0].loss) + 1e-12);
    assert_near(gradient[0], gradient[1], n, 1e-5);
    free_all(scores, 2);
    free_all(gradient, 2);
}

static void every_loss_is_the_cpus(void **state)
{
    const size_t shapes[][2] = {{1, 2}, {7, 3}, {20, 33}, {11, 925}, {5, 1601}};
    const float scales[] = {0, 1, 30, 1e4F};
    (void)state;
    (void)gpu(); /* without one it skips, before anything is made */
    for (int loss = 0; loss < F0T_LOSSES; loss++)
        for (size_t s = 0; s < 5; s++)
            for (size_t c = 0; c < 4; c++) {
                batch made = make_batch(shapes[s][0], shapes[s][1], scales[c], 5 * s + c);
                check_batch(&(f0t_loss_options){.loss = (f0t_loss)loss, .seed = 4}, &made.at);
                free_batch(&made);
            }
    batch made = make_batch(20, 50, 3, 1);
    made.at.first = 100; /* a part of a larger batch */
    made.at.training = 40;
    check_batch(&(f0t_loss_options){0}, &made.at);
    check_batch(&(f0t_loss_options){.loss = F0T_LOSS_LISTMLE}, &made.at);
    free_batch(&made);
}

/* More than shared memory has room for. */
static void many_tags_are_the_cpus(void **state)
{
    (void)state;
    (void)gpu();
    batch made = make_batch(4, 60001, 2, 9);
    for (int loss = 0; loss < F0T_LOSSES; loss++) {
        const bool pairs = loss == F0T_LOSS_RANKNET || loss == F0T_LOSS_RANKNET_UNWEIGHTED;
        made.at.images = pairs ? 1 : 4; /* which has one relevant tag: it would be long */
        check_batch(&(f0t_loss_options){.loss = (f0t_loss)loss, .seed = 4}, &made.at);
    }
    check_batch(&(f0t_loss_options){.pairs = F0T_PAIRS_BATCH}, &made.at);
    free_batch(&made);
}

/* Up to 8,000 pieces, one, and batches without a relevant or without an irrelevant entry. */
static void pairs_across_a_batch_are_the_cpus(void **state)
{
    const size_t shapes[][2] = {{1, 2}, {2, 2}, {7, 3}, {20, 33}, {11, 925}, {5, 1601}, {1000, 37}};
    const float scales[] = {0, 1, 30, 1e3F, 1e4F};
    const f0t_loss_options options = {.pairs = F0T_PAIRS_BATCH};
    (void)state;
    (void)gpu();
    for (size_t s = 0; s < 7; s++)
        for (size_t c = 0; c < 5; c++) {
            batch made = make_batch(shapes[s][0], shapes[s][1], scales[c], 5 * s + c);
            check_batch(&options, &made.at);
            free_batch(&made);
        }
    batch made = make_batch(4, 30, 1, 2); /* rows 2 and 3 have none, and all */
    for (size_t row = 2; row < 4; row++) {
        f0t_loss_batch one = made.at;
        one.images = 1;
        one.scores += row * 30;
        one.offsets += row;
        check_batch(&options, &one);
    }
    free_batch(&made);
}

static void pairs_that_have_no_value_are_said(void **state)
{
    const f0t_compute *cuda = gpu();
    batch made = make_batch(9, 11, 3e4F, 3);
    f0t_buffer *scores = buffer_of(cuda, F0T_F32, made.scores, 99);
    f0t_buffer *gradient = buffer_of(cuda, F0T_F32, NULL, 99);
    f0t_loss_plan *plan;
    f0t_loss_result result;
    double sum;
    (void)state;
    assert_ok(cuda->loss_create(&plan, &(f0t_loss_options){.pairs = F0T_PAIRS_BATCH}, 9, 11));
    assert_fails(F0T_ERROR_NUMERIC, "too far for pairs across it",
                 cuda->loss(&result, gradient, scores, plan, &made.at));
    assert_ok(cuda->loss(NULL, gradient, scores, plan, &made.at));
    assert_fails(F0T_ERROR_NUMERIC, "too far for pairs across it", cuda->loss_sum(&sum, plan));
    made.scores[5 * 11 + 4] = NAN;
    made.scores[7 * 11 + 4] = INFINITY;
    assert_ok(cuda->upload(scores, 0, made.scores, 99));
    assert_fails(F0T_ERROR_NUMERIC, "row 5 of the batch: a score is NaN",
                 cuda->loss(&result, gradient, scores, plan, &made.at));
    assert_ok(cuda->loss_sum(&sum, plan));
    assert_true(sum == 0);
    cuda->loss_free(plan);
    free_all((f0t_buffer *[]){scores, gradient}, 2);
    free_batch(&made);
}

/* Nobody waits for them, and they add up to the same. */
static void losses_add_up(void **state)
{
    const f0t_compute *cuda = gpu();
    const f0t_loss_options all[] = {{0}, {.loss = F0T_LOSS_LISTMLE}, {.pairs = F0T_PAIRS_BATCH}};
    (void)state;
    for (int l = 0; l < 3; l++) {
        const f0t_loss_options options = all[l];
        f0t_loss_plan *plan;
        double wanted = 0, sum = -1;
        assert_ok(cuda->loss_create(&plan, &options, 30, 40));
        for (uint64_t b = 0; b < 25; b++) {
            batch made = make_batch(30 - b, 40, 2, b);
            f0t_buffer *scores = buffer_of(cuda, F0T_F32, made.scores, (30 - b) * 40);
            f0t_buffer *gradient = buffer_of(cuda, F0T_F32, NULL, (30 - b) * 40);
            f0t_loss_result one;
            assert_ok(cuda->loss(NULL, gradient, scores, plan, &made.at));
            assert_ok(cuda->loss(&one, gradient, scores, plan, &made.at));
            wanted += one.loss * (double)(30 - b);
            free_all((f0t_buffer *[]){scores, gradient}, 2);
            free_batch(&made);
        }
        assert_ok(cuda->loss_sum(&sum, plan));
        assert_true(fabs(sum - wanted) < 1e-9 * wanted);
        assert_ok(cuda->loss_sum(&sum, plan));
        assert_true(sum == 0);
        cuda->loss_free(plan);
    }
}

static void scores_without_a_value_name_the_row(void **state)
{
    const f0t_compute *cuda = gpu();
    batch made = make_batch(9, 11, 1, 3);
    f0t_loss_plan *plan, *none;
    f0t_loss_result result;
    double sum;
    (void)state;
    made.scores[5 * 11 + 4] = NAN;
    made.scores[7 * 11 + 4] = INFINITY;
    assert_ok(cuda->loss_create(&plan, &(f0t_loss_options){0}, 9, 11));
    f0t_buffer *scores = buffer_of(cuda, F0T_F32, made.scores, 99);
    f0t_buffer *gradient = buffer_of(cuda, F0T_F32, NULL, 99);
    assert_fails(F0T_ERROR_NUMERIC, "row 5 of the batch",
                 cuda->loss(&result, gradient, scores, plan, &made.at));
    assert_ok(cuda->loss(NULL, gradient, scores, plan, &made.at));
    assert_fails(F0T_ERROR_NUMERIC, "row 5 of the batch", cuda->loss_sum(&sum, plan));
    assert_ok(cuda->loss_sum(&sum, plan));
    made.at.images = 10;
    assert_fails(F0T_ERROR_ARGUMENT, "planned for",
                 cuda->loss(&result, gradient, scores, plan, &made.at));
    assert_fails(F0T_ERROR_ARGUMENT, "no loss",
                 cuda->loss_create(&none, &(f0t_loss_options){.loss = F0T_LOSSES}, 1, 1));
    free_all((f0t_buffer *[]){scores, gradient}, 2);
    cuda->loss_free(plan);
    free_batch(&made);
}

static void regression_is_the_cpus(void **state)
{
    enum { IMAGES = 13, DIMS = 301, TARGETS = 5 };
    const f0t_compute *const computes[] = {&f0t_compute_cpu, gpu()};
    float *x = random_floats(IMAGES * DIMS, 1), *targets = random_floats(TARGETS * DIMS, 2);
    uint32_t index[IMAGES];
    f0t_buffer *outputs[2], *gradient[2];
    f0t_loss_result result[2];
    (void)state;
    for (uint32_t m = 0; m < IMAGES; m++)
        index[m] = m % 4 == 1 ? F0T_NO_TARGET : m % TARGETS;
    const f0t_regression r = {.images = IMAGES, .dims = DIMS, .targets = targets, .index = index};
    for (int i = 0; i < 2; i++) {
        outputs[i] = buffer_of(computes[i], F0T_F32, x, IMAGES * DIMS);
        gradient[i] = buffer_of(computes[i], F0T_F32, NULL, IMAGES * DIMS);
        assert_ok(computes[i]->regression(&result[i], gradient[i], outputs[i], &r));
    }
    assert_int_equal(result[0].images, result[1].images);
    assert_true(fabs(result[0].loss - result[1].loss) < 1e-9 * result[0].loss);
    assert_near(gradient[0], gradient[1], IMAGES * DIMS, 1e-6);
    targets[2 * DIMS] = NAN;
    assert_fails(F0T_ERROR_NUMERIC, "row 2 of the batch",
                 computes[1]->regression(&result[1], gradient[1], outputs[1], &r));
    free_all(outputs, 2);
    free_all(gradient, 2);
    f0t_free(x);
    f0t_free(targets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_loss_is_the_cpus),
        cmocka_unit_test(many_tags_are_the_cpus),
        cmocka_unit_test(pairs_across_a_batch_are_the_cpus),
        cmocka_unit_test(pairs_that_have_no_value_are_said),
        cmocka_unit_test(losses_add_up),
        cmocka_unit_test(scores_without_a_value_name_the_row),
        cmocka_unit_test(regression_is_the_cpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
