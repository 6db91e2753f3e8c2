/* Whole trainings on the GPU: the CPU's curve, the same bytes every time, and from one device to the other. */
#include "../model/collection.h"
#include "devices.h"

#include "model/model.h"
#include "model/net.h"

#include <unistd.h>

enum { EPOCHS = 6 };

typedef struct curve {
    double loss[EPOCHS], miap[EPOCHS];
    size_t count, stop_after;
    volatile sig_atomic_t stop;
} curve;

static void note(void *user, const f0t_epoch *epoch)
{
    curve *c = user;
    c->loss[epoch->number - 1] = epoch->loss;
    c->miap[epoch->number - 1] = epoch->miap;
    c->stop = ++c->count == c->stop_after;
}

static f0t_train_options options_of(f0t_method method)
{
    f0t_train_options o = collection_training(method);
    o.epochs = EPOCHS;
    o.batch = 100;
    o.hidden_dropout = method == F0T_METHOD_NET ? 0.3 : o.hidden_dropout;
    return o;
}

static f0t_status train_on(f0t_model **model, const f0t_compute *compute, const collection *c,
                           f0t_train_options o, curve *out)
{
    const f0t_context context = {.threads = 2, .compute = compute};
    const f0t_monitor monitor = {.stop = &out->stop};
    F0T_ENTER(&context);
    o.epoch = note;
    o.epoch_user = out;
    return collection_train(model, c, &o, &monitor);
}

static void check_curve(const f0t_train_options *o, double tolerance)
{
    const f0t_compute *cuda = gpu();
    const collection c = collection_create(&(collection_options){.name = "curve"});
    curve one = {0}, other = {0};
    f0t_model *model;
    assert_ok(train_on(&model, &f0t_compute_cpu, &c, *o, &one));
    f0t_model_free(model);
    assert_ok(train_on(&model, cuda, &c, *o, &other));
    assert_ptr_equal(model->net->compute, &f0t_compute_cpu);
    f0t_model_free(model);
    assert_int_equal(one.count, other.count);
    for (size_t e = 0; e < one.count; e++)
        if (!(fabs(one.loss[e] - other.loss[e]) <= tolerance * fabs(one.loss[e])))
            fail_msg("epoch %zu: a loss of %.9g, on the CPU %.9g", e + 1, other.loss[e],
                     one.loss[e]);
    assert_true(one.loss[0] > one.loss[one.count - 1]);
}

static void the_losses_fall_as_on_the_cpu(void **state)
{
    f0t_train_options o = options_of(F0T_METHOD_NET);
    (void)state;
    check_curve(&o, 1e-4);
    o.bf16 = true;
    check_curve(&o, 1e-2);
    for (int loss = 1; loss < F0T_LOSSES; loss++) {
        o = options_of(F0T_METHOD_NET);
        o.loss = (f0t_loss)loss;
        check_curve(&o, 5e-3);
    }
    o = options_of(F0T_METHOD_NET);
    o.to_ranksvm = true;
    check_curve(&o, 1e-4);
    o = options_of(F0T_METHOD_LINEAR_RANK);
    o.optimizer = F0T_OPTIMIZER_SGD;
    o.loss = F0T_LOSS_LISTMLE;
    check_curve(&o, 1e-4);
    o = options_of(F0T_METHOD_LINEAR_RANK);
    o.pairs = F0T_PAIRS_BATCH;
    check_curve(&o, 1e-4);
}

static float *weights_of(const f0t_model *model, size_t *count)
{
    float *all = NULL;
    *count = 0;
    for (size_t i = 0; i < f0t_net_array_count(model->net); i++) {
        const f0t_model_array a = f0t_net_array(model->net, i);
        *count += a.rows * a.cols;
    }
    assert_ok(f0t_alloc(&all, *count, sizeof *all));
    for (size_t i = 0, at = 0; i < f0t_net_array_count(model->net); i++) {
        const f0t_model_array a = f0t_net_array(model->net, i);
        assert_ok(f0t_net_array_get(all + at, model->net, i));
        at += a.rows * a.cols;
    }
    return all;
}

/* Both give the same bytes. */
static void check_bytes(const f0t_compute *one, const f0t_compute *other)
{
    const f0t_compute *devices[2] = {one, other};
    const collection c = collection_create(&(collection_options){.name = "bytes"});
    for (int form = 0; form < 4; form++) {
        float *weights[2];
        curve curves[2] = {0};
        size_t count = 0;
        for (int i = 0; i < 2; i++) {
            f0t_train_options o = options_of(F0T_METHOD_NET);
            f0t_model *model;
            o.bf16 = form > 0;
            o.loss = form == 2 ? F0T_LOSS_LISTMLE : F0T_LOSS_RANKNET;
            o.pairs = form == 3 ? F0T_PAIRS_BATCH : F0T_PAIRS_IMAGE;
            o.hidden[0] = 264;
            o.hidden[1] = 136;
            assert_ok(train_on(&model, devices[i], &c, o, &curves[i]));
            weights[i] = weights_of(model, &count);
            f0t_model_free(model);
        }
        assert_memory_equal(weights[0], weights[1], count * sizeof(float));
        assert_memory_equal(curves[0].loss, curves[1].loss, sizeof curves[0].loss);
        assert_memory_equal(curves[0].miap, curves[1].miap, sizeof curves[0].miap);
        f0t_free(weights[0]);
        f0t_free(weights[1]);
    }
}

static void the_same_seed_gives_the_same_bytes(void **state)
{
    (void)state;
    check_bytes(gpu(), gpu());
}

static size_t no_room(void)
{
    return 0;
}

static void streamed_features_give_the_same_bytes(void **state)
{
    f0t_compute streaming = *gpu();
    (void)state;
    streaming.room = no_room;
    check_bytes(gpu(), &streaming);
}

static void steps_that_are_no_graphs_give_the_same_bytes(void **state)
{
    f0t_compute launching = *gpu();
    (void)state;
    launching.begin = NULL;
    launching.end = NULL;
    check_bytes(gpu(), &launching);
}

/* Begun on one device, interrupted, resumed on the other. */
static void check_resumed(const f0t_compute *first, const f0t_compute *second)
{
    const collection c = collection_create(&(collection_options){.name = "resumed"});
    f0t_train_options o = options_of(F0T_METHOD_NET);
    curve whole = {0}, one = {.stop_after = 3}, other = {0};
    f0t_model *model;
    assert_ok(train_on(&model, second, &c, o, &whole));
    f0t_model_free(model);
    o.checkpoint = test_path("checkpoint");
    o.resume = true;
    assert_fails(F0T_ERROR_INTERRUPTED, "with resume", train_on(&model, first, &c, o, &one));
    assert_ok(train_on(&model, second, &c, o, &other));
    f0t_model_free(model);
    assert_int_equal(other.count, EPOCHS - 3);
    for (size_t e = 3; e < EPOCHS; e++)
        assert_true(fabs(other.loss[e] - whole.loss[e]) <= 1e-4 * whole.loss[e]);
    unlink(o.checkpoint);
}

static void a_training_goes_on_where_the_other_device_stopped(void **state)
{
    const f0t_compute *cuda = gpu();
    (void)state;
    check_resumed(&f0t_compute_cpu, cuda);
    check_resumed(cuda, &f0t_compute_cpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_losses_fall_as_on_the_cpu),
        cmocka_unit_test(the_same_seed_gives_the_same_bytes),
        cmocka_unit_test(streamed_features_give_the_same_bytes),
        cmocka_unit_test(steps_that_are_no_graphs_give_the_same_bytes),
        cmocka_unit_test(a_training_goes_on_where_the_other_device_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
