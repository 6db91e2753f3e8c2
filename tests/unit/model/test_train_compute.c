/* A whole training and a whole tagging through compute/compute.h, on the CPU and on a second device in plain
 * loops (tests/support/plain_compute.c): what they give agrees. */
#include "collection.h"

#include "base/context.h"
#include "compute/scoring.h"
#include "model/model.h"
#include "model/net.h"
#include "plain_compute.h"

#include <math.h>
#include <stdlib.h>

/* The model of a few epochs, trained on a device. */
static f0t_model *train_on(const f0t_compute *compute, const collection *c,
                           const f0t_train_options *options)
{
    const f0t_context context = {.threads = 2, .compute = compute};
    f0t_model *model;
    F0T_ENTER(&context);
    assert_ok(collection_train(&model, c, options, NULL));
    return model;
}

static double distance(const f0t_net *a, const f0t_net *b)
{
    double far = 0, size = 0;
    for (size_t i = 0; i < f0t_net_array_count(a); i++) {
        const f0t_model_array array = f0t_net_array(a, i);
        const size_t n = array.rows * array.cols;
        float *x = NULL, *y = NULL;
        assert_ok(f0t_alloc(&x, n, sizeof *x));
        assert_ok(f0t_alloc(&y, n, sizeof *y));
        assert_ok(f0t_net_array_get(x, a, i));
        assert_ok(f0t_net_array_get(y, b, i));
        for (size_t k = 0; k < n; k++) {
            far += ((double)x[k] - (double)y[k]) * ((double)x[k] - (double)y[k]);
            size += (double)x[k] * (double)x[k];
        }
        f0t_free(x);
        f0t_free(y);
    }
    return sqrt(far / size);
}

static void check_training(const f0t_train_options *options, double tolerance)
{
    const collection c = collection_create(&(collection_options){.name = "devices"});
    f0t_model *ours = train_on(&f0t_compute_cpu, &c, options);
    plain_count = (plain_counts){0};
    f0t_model *plain = train_on(&plain_compute, &c, options);
    assert_true(plain_count.products > 0 && plain_count.updates > 0);
    assert_int_equal(plain_count.allocs, plain_count.releases);
    assert_ptr_equal(plain->net->compute,
                     &f0t_compute_cpu); /* models live in the caller's memory */
    if (!(distance(ours->net, plain->net) < tolerance))
        fail_msg("the two models differ by %g", distance(ours->net, plain->net));
    f0t_model_free(ours);
    f0t_model_free(plain);
}

static f0t_train_options few_epochs(f0t_method method)
{
    f0t_train_options o = collection_training(method);
    o.epochs = 3;
    o.batch = 100;
    o.hidden_dropout = method == F0T_METHOD_NET ? 0.3 : o.hidden_dropout;
    o.input_dropout = 0.1;
    return o;
}

static void a_training_gives_the_same_on_another_device(void **state)
{
    (void)state;
    f0t_train_options net = few_epochs(F0T_METHOD_NET), linear = few_epochs(F0T_METHOD_LINEAR_RANK);
    check_training(&net, 1e-4);
    assert_true(plain_count.gates > 0 && plain_count.drops > 0 && plain_count.losses > 0);
    linear.optimizer = F0T_OPTIMIZER_SGD;
    check_training(&linear, 1e-5);
}

static void every_loss_trains_on_another_device(void **state)
{
    (void)state;
    for (int loss = 0; loss < F0T_LOSSES; loss++) {
        f0t_train_options o = few_epochs(F0T_METHOD_LINEAR_RANK);
        o.loss = (f0t_loss)loss;
        o.epochs = 1;
        check_training(&o, 1e-4);
    }
    f0t_train_options batch = few_epochs(F0T_METHOD_LINEAR_RANK);
    batch.pairs = F0T_PAIRS_BATCH;
    batch.epochs = 1;
    check_training(&batch, 1e-4);
}

static void regression_and_bfloat16_train_on_another_device(void **state)
{
    f0t_train_options o = few_epochs(F0T_METHOD_NET), half = few_epochs(F0T_METHOD_NET);
    (void)state;
    o.to_ranksvm = true;
    check_training(&o, 1e-4);
    assert_true(plain_count.regressions > 0);
    half.bf16 = true;
    half.epochs = 1;
    check_training(&half, 2e-2);
}

/* ---- What stays on the device ----------------------------------------------------------------- */

static void note_miap(void *user, const f0t_epoch *epoch)
{
    double *at = user;
    at[epoch->number - 1] = epoch->miap;
}

/* A check of the device gathers, too. */
static void leave_out_checks(bool are_left_out)
{
    assert_int_equal(
        are_left_out ? setenv("F0T_DEVICE_CHECK", "0", 1) : unsetenv("F0T_DEVICE_CHECK"), 0);
}

/* Features and validation: with room for them, and without, on a device that cannot stream. */
static void a_device_validates_what_it_trains(void **state)
{
    f0t_compute one_that_only_uploads = plain_compute;
    one_that_only_uploads.stream = NULL;
    const collection c = collection_create(&(collection_options){.name = "validation"});
    f0t_train_options o = few_epochs(F0T_METHOD_NET);
    double ours[3], there[3], brought[3];
    (void)state;
    o.epoch = note_miap;
    o.epoch_user = ours;
    f0t_model_free(train_on(&f0t_compute_cpu, &c, &o));
    plain_count = (plain_counts){0};
    o.epoch_user = there;
    f0t_model_free(train_on(&plain_compute, &c, &o));
    assert_true(plain_count.places >= 3 && plain_count.gathers > 3);
    assert_int_equal(plain_count.allocs, plain_count.releases);
    plain_count = (plain_counts){0};
    plain_room_left = (size_t)1 << 30; /* a training needs as much beside them */
    o.epoch_user = brought;
    leave_out_checks(true);
    f0t_model_free(train_on(&one_that_only_uploads, &c, &o));
    leave_out_checks(false);
    plain_room_left = SIZE_MAX;
    assert_int_equal(plain_count.places + plain_count.gathers + plain_count.streams, 0);
    for (size_t e = 0; e < 3; e++) {
        assert_true(fabs(there[e] - ours[e]) < 0.1);
        assert_true(fabs(brought[e] - there[e]) < 1e-9);
    }
}

/* Features that come with every batch are the numbers of those that lie there, and so is what comes of them. */
static void streamed_features_give_the_same_bits(void **state)
{
    const collection c = collection_create(&(collection_options){.name = "streamed"});
    (void)state;
    for (int half = 0; half < 2; half++) {
        f0t_train_options o = few_epochs(F0T_METHOD_NET);
        double there[3], streamed[3];
        o.bf16 = half;
        o.epoch = note_miap;
        o.epoch_user = there;
        f0t_model *model = train_on(&plain_compute, &c, &o);
        plain_count = (plain_counts){0};
        plain_room_left = (size_t)1 << 30;
        o.epoch_user = streamed;
        leave_out_checks(true);
        f0t_model *other = train_on(&plain_compute, &c, &o);
        leave_out_checks(false);
        plain_room_left = SIZE_MAX;
        assert_true(plain_count.streams > 3 && plain_count.places >= 3);
        assert_int_equal(plain_count.gathers, 0);
        assert_memory_equal(there, streamed, sizeof there);
        assert_true(distance(model->net, other->net) == 0);
        f0t_model_free(model);
        f0t_model_free(other);
    }
}

/* No memory for the first batch, or for the first validation, beside the features: they go, the training goes on. */
static void features_that_leave_no_memory_are_streamed(void **state)
{
    const collection c = collection_create(&(collection_options){.name = "full"});
    const f0t_train_options o = few_epochs(F0T_METHOD_NET);
    (void)state;
    plain_count = (plain_counts){0};
    f0t_model *model = train_on(&plain_compute, &c, &o);
    const size_t limits[] = {plain_count.first - 1, plain_count.most - 1};
    for (size_t i = 0; i < 2; i++) {
        plain_count = (plain_counts){0};
        plain_numbers_most = limits[i];
        f0t_model *other = train_on(&plain_compute, &c, &o);
        plain_numbers_most = SIZE_MAX;
        assert_true(plain_count.streams > 3);
        assert_int_equal(plain_count.allocs, plain_count.releases);
        assert_true(distance(model->net, other->net) == 0);
        f0t_model_free(other);
    }
    f0t_model_free(model);
}

/* Its networks on the device, its other experts on the CPU. */
static void a_blend_trains_on_another_device(void **state)
{
    const collection c = collection_create(&(collection_options){.name = "blend"});
    f0t_train_options o = F0T_TRAIN_OPTIONS;
    (void)state;
    o.method = F0T_METHOD_BLEND;
    o.epochs = 2;
    o.batch = 100;
    plain_count = (plain_counts){0};
    f0t_model *ours = train_on(&f0t_compute_cpu, &c, &o);
    f0t_model *plain = train_on(&plain_compute, &c, &o);
    assert_true(plain_count.products > 0 && plain_count.gathers > 0);
    assert_int_equal(plain_count.allocs, plain_count.releases);
    assert_true(distance(ours->net, plain->net) < 1e-3);
    f0t_model_free(ours);
    f0t_model_free(plain);
}

/* ---- Tagging --------------------------------------------------------------------------------------- */

enum { ROWS = 37, TOP = 5 };

/* Features to directions to the tags that come first, all on one device. */
static void tag_on(uint32_t *index, float *score, const f0t_compute *compute,
                   const f0t_model *model, const float *features, size_t packed_for)
{
    const f0t_vocab *vocab = f0t_model_vocab(model);
    float directions[ROWS * C_DIM];
    f0t_net *net = NULL;
    f0t_scoring scoring;
    assert_ok(f0t_net_create_copy(&net, compute, model->net));
    assert_ok(f0t_net_apply(directions, net, features, ROWS));
    assert_ok(f0t_scoring_open(&scoring, compute, f0t_vocab_vectors(vocab), f0t_vocab_count(vocab),
                               C_DIM, &(f0t_scoring_options){.packed_for = packed_for}));
    assert_ok(f0t_scoring_top(index, score, TOP, &scoring, directions, ROWS));
    f0t_scoring_close(&scoring);
    f0t_net_free(net);
}

static void tagging_gives_the_same_on_another_device(void **state)
{
    const collection c = collection_create(&(collection_options){.name = "tagging"});
    const f0t_train_options options = few_epochs(F0T_METHOD_NET);
    uint32_t ours[ROWS * TOP], plain[ROWS * TOP], packed[ROWS * TOP];
    float our_score[ROWS * TOP], plain_score[ROWS * TOP], packed_score[ROWS * TOP];
    float features[ROWS * C_FEATURES];
    (void)state;
    f0t_model *model = train_on(&f0t_compute_cpu, &c, &options);
    test_random_floats(features, ROWS * C_FEATURES, 3);
    tag_on(ours, our_score, &f0t_compute_cpu, model, features, 0);
    tag_on(packed, packed_score, &f0t_compute_cpu, model, features, ROWS);
    plain_count = (plain_counts){0};
    tag_on(plain, plain_score, &plain_compute, model, features, 0);
    assert_int_equal(plain_count.tops, 1);
    assert_int_equal(plain_count.allocs, plain_count.releases);
    for (size_t i = 0; i < ROWS * TOP; i++) {
        assert_int_equal(plain[i], ours[i]);
        assert_int_equal(packed[i], ours[i]);
        assert_true(fabsf(plain_score[i] - our_score[i]) <= 1e-4F * (1 + fabsf(our_score[i])));
        assert_true(fabsf(packed_score[i] - our_score[i]) <= 1e-5F * (1 + fabsf(our_score[i])));
    }
    f0t_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_training_gives_the_same_on_another_device),
        cmocka_unit_test(every_loss_trains_on_another_device),
        cmocka_unit_test(regression_and_bfloat16_train_on_another_device),
        cmocka_unit_test(a_device_validates_what_it_trains),
        cmocka_unit_test(streamed_features_give_the_same_bits),
        cmocka_unit_test(features_that_leave_no_memory_are_streamed),
        cmocka_unit_test(a_blend_trains_on_another_device),
        cmocka_unit_test(tagging_gives_the_same_on_another_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
