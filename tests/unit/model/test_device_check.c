/* A device that computes wrongly without saying so (model/device_check.h): faults that are planted into the second device are
 * found, and a sound one is never accused. */
#include "collection.h"

#include "base/context.h"
#include "compute/tolerance.h"
#include "model/device_check.h"
#include "model/model.h"
#include "model/net.h"
#include "model/options.h"
#include "model/trainer.h"
#include "plain_compute.h"

#include <math.h>
#include <stdlib.h>

static f0t_status train(f0t_model **model, const f0t_compute *compute, const collection *c,
                        const f0t_train_options *options)
{
    const f0t_context context = {.threads = 1, .compute = compute};
    F0T_ENTER(&context);
    return collection_train(model, c, options, NULL);
}

static f0t_train_options short_training(uint64_t seed, bool half)
{
    f0t_train_options o = collection_training(F0T_METHOD_NET);
    o.epochs = 3;
    o.batch = 100;
    o.hidden_dropout = 0.3;
    o.input_dropout = 0.1;
    o.seed = seed;
    o.bf16 = half;
    return o;
}

static void check_every_step(bool every)
{
    assert_int_equal(every ? setenv("F0T_DEVICE_CHECK", "all", 1) : unsetenv("F0T_DEVICE_CHECK"),
                     0);
}

/* ---- A device with faults ------------------------------------------------------------------------- */

typedef enum fault {
    NONE,
    NO_SCORES,
    NO_HIDDEN,
    STALE_BATCH,
    WRONG_ROW,
    STALE_STREAM,
    CHANGED_FEATURES,
    NO_DROPOUT,
    NO_GATE,
    STALE_GRADIENT,
    GRADIENT_OF_OTHER_IMAGES,
    LOSS_OF_ANOTHER_BATCH,
    NO_BACKWARD_PRODUCT,
    NO_UPDATE,
    NO_BIAS_UPDATE,
    OTHER_RATE,
    STALE_HALF,
    CHANGED_WEIGHTS,
    CHANGED_TAGS,
    WEIGHTS_CHANGED_BY_VALIDATION,
    WRONG_COPY_OF_THE_BEST,
    FAULTS
} fault;

static const char *const expected_text[FAULTS] = {
    [NO_SCORES] = "the score of tag",
    [NO_HIDDEN] = "what unit",
    [STALE_BATCH] = "feature",
    [WRONG_ROW] = "feature",
    [STALE_STREAM] = "feature",
    [CHANGED_FEATURES] = "the checksum of the features of training image 8 is",
    [NO_DROPOUT] = "what unit",
    [NO_GATE] = "the gradient of the loss by unit",
    [STALE_GRADIENT] = "the gradient of the loss by score",
    [GRADIENT_OF_OTHER_IMAGES] = "the gradient of the loss by score",
    [LOSS_OF_ANOTHER_BATCH] = "the loss is",
    [NO_BACKWARD_PRODUCT] = "the gradient of the loss by unit",
    [NO_UPDATE] = "moment of 'layer0.weight'",
    [NO_BIAS_UPDATE] = "moment of 'layer0.bias'",
    [OTHER_RATE] = "after its update",
    [STALE_HALF] = "the bfloat16 of 'layer",
    [CHANGED_WEIGHTS] = "computes wrongly",
    [CHANGED_TAGS] = "the score of tag",
    [WEIGHTS_CHANGED_BY_VALIDATION] = "which changes no weight",
    [WRONG_COPY_OF_THE_BEST] = "which changes no weight",
};

static f0t_compute faulty;
static fault planted;
static size_t after; /* operations of its kind that are sound */
static double held_back;
static const f0t_buffer *updated; /* the weights of the first layer */
static const f0t_buffer *tags;    /* their vectors, as scores are made of them */

static bool strikes(fault f)
{
    return planted == f && !(after && after--);
}

static f0t_status product(f0t_buffer *c, const f0t_buffer *a, const f0t_buffer *b,
                          const f0t_buffer *bias, const f0t_matmul *op)
{
    if (b == tags && strikes(NO_SCORES))
        return F0T_OK;
    if (op->relu && strikes(NO_HIDDEN))
        return F0T_OK;
    if (b != tags && op->n == 12 && op->k == C_DIM && strikes(NO_BACKWARD_PRODUCT))
        return F0T_OK;
    return plain_compute.product(c, a, b, bias, op);
}

static f0t_status gather(f0t_buffer *to, const f0t_buffer *from, const uint32_t *index, size_t rows,
                         size_t cols)
{
    const bool features = cols == C_FEATURES && rows > 50;
    uint32_t other[C_IMAGES];
    if (features && strikes(STALE_BATCH))
        return F0T_OK;
    if (features && strikes(WRONG_ROW)) {
        for (size_t r = 0; r < rows; r++)
            other[r] = r % 2 ? index[r] : index[(r + 2) % rows];
        return plain_compute.gather(to, from, other, rows, cols);
    }
    return plain_compute.gather(to, from, index, rows, cols);
}

static f0t_status stream(f0t_buffer *to, size_t first, size_t n, f0t_fill *fill, void *user)
{
    float other[C_FEATURES] = {0.5F};
    f0t_status status = plain_compute.stream(to, first, n, fill, user);
    const bool resident = to->count / C_FEATURES > 200;
    if (!resident && strikes(STALE_STREAM))
        for (size_t r = 0; r < n / C_FEATURES; r++)
            assert_ok(plain_compute.upload(to, first + r * C_FEATURES, other, C_FEATURES));
    if (resident && first == 0 && strikes(CHANGED_FEATURES))
        assert_ok(plain_compute.upload(to, 7 * C_FEATURES, other, C_FEATURES));
    return status;
}

static f0t_status drop(f0t_buffer *y, const f0t_buffer *x, size_t n, const f0t_dropout *dropout)
{
    const f0t_dropout none = {.scale = 1};
    const bool hidden = n % 24 == 0 && y->count == 2400;
    return plain_compute.drop(y, x, n, hidden && strikes(NO_DROPOUT) ? &none : dropout);
}

static f0t_status gate(f0t_buffer *d, const f0t_buffer *y, size_t rows, size_t cols, float scale,
                       f0t_buffer *sums)
{
    return strikes(NO_GATE) ? F0T_OK : plain_compute.gate(d, y, rows, cols, scale, sums);
}

static f0t_status loss(f0t_loss_result *result, f0t_buffer *gradient, const f0t_buffer *scores,
                       f0t_loss_plan *plan, const f0t_loss_batch *batch)
{
    size_t offsets[C_IMAGES + 1];
    f0t_loss_batch other = *batch;
    f0t_buffer *lost = NULL;
    f0t_status status;
    if (strikes(STALE_GRADIENT)) {
        assert_ok(f0t_buffer_create(&lost, gradient->compute, F0T_F32, gradient->count));
        status = plain_compute.loss(result, lost, scores, plan, batch);
        f0t_buffer_free(lost);
        return status;
    }
    if (strikes(GRADIENT_OF_OTHER_IMAGES)) { /* an image has the tags of the one before */
        offsets[0] = 0;
        memcpy(offsets + 1, batch->offsets, batch->images * sizeof *offsets);
        other.offsets = offsets;
    }
    return plain_compute.loss(result, gradient, scores, plan, &other);
}

static f0t_status loss_sum(double *sum, f0t_loss_plan *plan)
{
    F0T_TRY(plain_compute.loss_sum(sum, plan));
    if (strikes(LOSS_OF_ANOTHER_BATCH)) {
        const double of_this = *sum;
        *sum = held_back;
        held_back = of_this != 0 ? of_this : held_back;
    }
    return F0T_OK;
}

static void scale_all(const f0t_buffer *w, float by)
{
    f0t_buffer *to = (f0t_buffer *)(uintptr_t)w;
    float *numbers = NULL;
    assert_ok(f0t_alloc(&numbers, w->count, sizeof *numbers));
    assert_ok(plain_compute.download(numbers, w, 0, w->count));
    for (size_t i = 0; i < w->count; i++)
        numbers[i] *= by;
    assert_ok(plain_compute.upload(to, 0, numbers, w->count));
    f0t_free(numbers);
}

static f0t_status update(const f0t_parameter_buffers *p, const f0t_buffer *gradient, size_t n,
                         const f0t_optimizer *optimizer, uint64_t t, double rate)
{
    if (n == 24 && strikes(NO_BIAS_UPDATE))
        return F0T_OK;
    return plain_compute.update(p, gradient, n, optimizer, t, rate);
}

static f0t_status descend(const f0t_parameter_buffers *p, const f0t_buffer *dy, const f0t_buffer *x,
                          size_t rows, size_t outputs, size_t inputs,
                          const f0t_optimizer *optimizer, uint64_t t, double rate)
{
    f0t_parameter_buffers some = *p;
    if (inputs == C_FEATURES)
        updated = p->w;
    if (inputs == C_FEATURES && strikes(NO_UPDATE))
        return F0T_OK;
    if (strikes(STALE_HALF))
        some.half = NULL;
    if (strikes(OTHER_RATE))
        rate *= 1.01;
    f0t_status status =
        plain_compute.descend(&some, dy, x, rows, outputs, inputs, optimizer, t, rate);
    if (strikes(CHANGED_WEIGHTS))
        scale_all(p->w, 1.001F);
    return status;
}

static f0t_status pack(f0t_buffer *to, const float *from, size_t k, size_t n, bool transposed,
                       size_t rows)
{
    float *other = NULL;
    if (transposed && !tags) /* the validation has some of its own */
        tags = to;
    if (!transposed || !strikes(CHANGED_TAGS))
        return plain_compute.pack(to, from, k, n, transposed, rows);
    assert_ok(f0t_alloc(&other, k * n, sizeof *other));
    for (size_t i = 0; i < k * n; i++)
        other[i] = from[(i + k) % (k * n)];
    f0t_status status = plain_compute.pack(to, other, k, n, transposed, rows);
    f0t_free(other);
    return status;
}

static f0t_status places(f0t_place *to, const f0t_buffer *scores, size_t rows, size_t n,
                         const size_t *offsets, const uint32_t *relevant)
{
    if (strikes(WEIGHTS_CHANGED_BY_VALIDATION))
        scale_all(updated, 1.0001F);
    return plain_compute.places(to, scores, rows, n, offsets, relevant);
}

/* Nets are copied through the caller's memory. */
static f0t_status upload(f0t_buffer *to, size_t first, const float *from, size_t n)
{
    if (updated && to != updated && to->count == updated->count && strikes(WRONG_COPY_OF_THE_BEST))
        return F0T_OK;
    return plain_compute.upload(to, first, from, n);
}

static const f0t_compute *device_with(fault f, size_t sound)
{
    faulty = plain_compute;
    faulty.product = product;
    faulty.gather = gather;
    faulty.stream = stream;
    faulty.drop = drop;
    faulty.gate = gate;
    faulty.loss = loss;
    faulty.loss_sum = loss_sum;
    faulty.update = update;
    faulty.descend = descend;
    faulty.pack = pack;
    faulty.places = places;
    faulty.upload = upload;
    planted = f;
    after = sound;
    held_back = 3;
    tags = updated = NULL;
    return &faulty;
}

static bool is_outside_of_steps(fault f)
{
    return f == CHANGED_FEATURES || f >= CHANGED_TAGS;
}

static void assert_found(const collection *c, fault f, size_t sound, bool half)
{
    const f0t_train_options o = short_training(1, half);
    f0t_model *model;
    plain_room_left = f == STALE_STREAM ? (size_t)1 << 30 : SIZE_MAX;
    f0t_status status = train(&model, device_with(f, is_outside_of_steps(f) ? 0 : sound), c, &o);
    plain_room_left = SIZE_MAX;
    if (status == F0T_OK)
        fail_msg("fault %d (after %zu, bfloat16 %d) is not found", (int)f, sound, half);
    assert_int_equal(status, F0T_ERROR_IO);
    if (!strstr(f0t_last_error(), expected_text[f]))
        fail_msg("fault %d (after %zu, bfloat16 %d): %s", (int)f, sound, half, f0t_last_error());
    assert_non_null(strstr(f0t_last_error(), "the device 'plain' computes wrongly: "));
    assert_non_null(
        strstr(f0t_last_error(), f > CHANGED_TAGS ? " of epoch 1, " : "in mini-batch "));
    assert_non_null(strstr(f0t_last_error(), "train again with --device cpu"));
    assert_null(strchr(f0t_last_error(), '\n'));
}

/* Faults that begin in the middle of a training, in the first step that is checked after that. */
static void every_kind_of_fault_is_found(void **state)
{
    const collection c = collection_create(&(collection_options){.name = "faults"});
    (void)state;
    check_every_step(true);
    for (int half = 0; half < 2; half++)
        for (fault f = NONE + 1; f < FAULTS; f++)
            if (f != STALE_HALF || half)
                assert_found(&c, f, 5, half);
    check_every_step(false);
}

/* One check is made at least, whatever the time. */
static void faults_are_found_by_the_first_check(void **state)
{
    const collection c = collection_create(&(collection_options){.name = "first"});
    (void)state;
    for (fault f = NONE + 1; f < FAULTS; f++)
        if (f != STALE_HALF)
            assert_found(&c, f, 0, false);
}

/* ---- A loss of the caller's ------------------------------------------------------------------------ */

typedef enum copies { SOUND, STALE_SCORES, LOST_GRADIENT, NOTHING_WRITTEN } copies;

static copies planted_copies;
static size_t pulls;

/* Scores to 1. */
static f0t_status pull(void *context, f0t_loss_result *result, float *gradient,
                       const f0t_loss_batch *batch, const uint32_t *samples)
{
    (void)context;
    (void)samples;
    pulls++;
    *result = (f0t_loss_result){.images = batch->images};
    for (size_t i = 0; i < batch->images * batch->tags; i++)
        gradient[i] = 2 * (batch->scores[i] - 1) / (float)batch->images;
    return F0T_OK;
}

/* Whether numbers of this buffer are the scores of a mini-batch, or their gradient. */
static bool is_table(const f0t_buffer *buffer, size_t n)
{
    return buffer->type == F0T_F32 && buffer->count == (size_t)100 * C_SEEN && n > 50 * C_SEEN;
}

static f0t_status download_stale(float *to, const f0t_buffer *from, size_t first, size_t n)
{
    if (planted_copies == STALE_SCORES && is_table(from, n)) {
        for (size_t i = 0; i < n; i++)
            to[i] = 0.25F;
        return F0T_OK;
    }
    return plain_compute.download(to, from, first, n);
}

static f0t_status upload_lost(f0t_buffer *to, size_t first, const float *from, size_t n)
{
    return planted_copies == LOST_GRADIENT && is_table(to, n)
               ? F0T_OK
               : plain_compute.upload(to, first, from, n);
}

static f0t_status product_nothing(f0t_buffer *c, const f0t_buffer *a, const f0t_buffer *b,
                                  const f0t_buffer *bias, const f0t_matmul *op)
{
    return planted_copies == NOTHING_WRITTEN && op->n == C_SEEN
               ? F0T_OK
               : plain_compute.product(c, a, b, bias, op);
}

/* A linear map whose outputs are the scores of the seen tags. */
static f0t_status train_by_pull(copies wrong)
{
    const f0t_net_shape shape = {.inputs = C_FEATURES, .outputs = C_SEEN, .bias = true};
    const collection files = collection_create(&(collection_options){.name = "pulled"});
    const f0t_objective objective = {.host_loss = pull};
    f0t_train_options o = collection_training(F0T_METHOD_LINEAR_RANK);
    f0t_compute device = plain_compute;
    f0t_dataset *dataset;
    f0t_samples train, val;
    f0t_condition condition;
    f0t_net *net;
    uint32_t number[C_TAGS];
    double miap;
    for (uint32_t t = 0; t < C_TAGS; t++)
        number[t] = t < C_SEEN ? t : F0T_NO_SAMPLE_TAG;
    assert_ok(f0t_dataset_open(&dataset, files.path, NULL, NULL));
    assert_ok(f0t_samples_create(&train, dataset, F0T_TRAIN, number, C_SEEN, false));
    assert_ok(f0t_samples_create(&val, dataset, F0T_VAL, number, C_SEEN, true));
    assert_ok(f0t_condition_create(&condition, F0T_CONDITION_SCALE, dataset, &train, NULL));
    o.epochs = 3;
    o.batch = 100;
    f0t_train_options_resolve(&o, train.count, C_FEATURES, C_DIM);
    planted_copies = wrong;
    device.download = download_stale;
    device.upload = upload_lost;
    device.product = product_nothing;
    assert_ok(f0t_net_create(&net, &device, &shape, F0T_F32));
    assert_ok(f0t_net_set_random(net, 1, F0T_OUTPUT_SCALE));
    const f0t_train_data data = {
        .dataset = dataset, .condition = &condition, .train = &train, .val = &val, .dim = C_SEEN};
    f0t_status status = f0t_trainer_run(&miap, net, &data, &objective, &o, "", NULL);
    f0t_net_free(net);
    f0t_samples_free(&train);
    f0t_samples_free(&val);
    f0t_condition_free(&condition);
    f0t_dataset_close(dataset);
    return status;
}

static void a_loss_of_the_callers_is_checked_for_its_copies(void **state)
{
    (void)state;
    assert_ok(train_by_pull(SOUND));
    assert_true(pulls > 3);
    assert_fails(F0T_ERROR_IO, "a copy of score", train_by_pull(STALE_SCORES));
    assert_fails(F0T_ERROR_IO, "a copy of gradient of the loss by score",
                 train_by_pull(LOST_GRADIENT));
    assert_fails(F0T_ERROR_IO, "what unit", train_by_pull(NOTHING_WRITTEN));
}

/* ---- A sound device -------------------------------------------------------------------------------- */

static f0t_status gather_here(f0t_buffer *to, const f0t_buffer *from, const uint32_t *index,
                              size_t rows, size_t cols)
{
    const size_t bytes = cols * f0t_dtype_size(from->type);
    for (size_t r = 0; r < rows; r++)
        memcpy((char *)to->data + r * bytes, (const char *)from->data + index[r] * bytes, bytes);
    return F0T_OK;
}

/* The CPU's own operations, as those of a device whose memory is not the caller's. */
static f0t_compute cpu_as_a_device(void)
{
    f0t_compute device = f0t_compute_cpu;
    device.shares_memory = false;
    device.gather = gather_here;
    return device;
}

static void assert_sound(const f0t_compute *compute, const collection *c, f0t_train_options o)
{
    f0t_model *model;
    f0t_status status = train(&model, compute, c, &o);
    if (status != F0T_OK)
        fail_msg("seed %lu, loss %d, bfloat16 %d: %s", (unsigned long)o.seed, (int)o.loss, o.bf16,
                 f0t_last_error());
    f0t_model_free(model);
}

/* In double precision, in float32, and with everything cut off that may be. */
static void a_sound_device_is_never_accused(void **state)
{
    const collection c = collection_create(&(collection_options){.name = "sound", .features = 300});
    const f0t_compute here = cpu_as_a_device();
    (void)state;
    check_every_step(true);
    for (uint64_t seed = 0; seed < 12; seed++)
        for (int half = 0; half < 2; half++) {
            f0t_train_options o = short_training(seed, half);
            o.epochs = 1;
            o.rate = seed % 3 ? 0.01 : 1; /* that diverges */
            plain_is_rough = seed % 2;
            assert_sound(&plain_compute, &c, o);
            o.epochs = 5;
            assert_sound(&here, &c, o);
        }
    plain_is_rough = false;
    check_every_step(false);
}

static void every_loss_is_sound(void **state)
{
    const collection c = collection_create(&(collection_options){.name = "losses"});
    const f0t_compute here = cpu_as_a_device();
    (void)state;
    check_every_step(true);
    for (int loss = 0; loss <= F0T_LOSSES; loss++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            f0t_train_options o = short_training(seed, seed % 2);
            o.loss = (f0t_loss)(loss % F0T_LOSSES);
            o.pairs = loss == F0T_LOSSES ? F0T_PAIRS_BATCH : F0T_PAIRS_IMAGE;
            o.optimizer = seed < 2 ? F0T_OPTIMIZER_ADAM : F0T_OPTIMIZER_SGD;
            assert_sound(&plain_compute, &c, o);
            assert_sound(&here, &c, o);
        }
    check_every_step(false);
}

/* ---- What it costs --------------------------------------------------------------------------------- */

static void note(void *user, const f0t_epoch *epoch)
{
    double *at = user;
    at[epoch->number - 1] = epoch->loss;
}

static void a_check_changes_nothing(void **state)
{
    const collection c = collection_create(&(collection_options){.name = "unchanged"});
    f0t_model *models[3];
    double losses[3][3];
    (void)state;
    for (int i = 0; i < 3; i++) {
        f0t_train_options o = short_training(3, true);
        o.epoch = note;
        o.epoch_user = losses[i];
        assert_int_equal(setenv("F0T_DEVICE_CHECK", i == 0 ? "0" : i == 1 ? "" : "all", 1), 0);
        assert_ok(train(&models[i], &plain_compute, &c, &o));
    }
    check_every_step(false);
    for (int i = 1; i < 3; i++) {
        for (size_t e = 0; e < 3; e++)
            assert_true(fabs(losses[i][e] - losses[0][e]) < 1e-12);
        for (size_t a = 0; a < f0t_net_array_count(models[0]->net); a++) {
            const f0t_model_array array = f0t_net_array(models[0]->net, a);
            float ours[24 * C_FEATURES], others[24 * C_FEATURES];
            assert_ok(f0t_net_array_get(ours, models[0]->net, a));
            assert_ok(f0t_net_array_get(others, models[i]->net, a));
            assert_memory_equal(ours, others, array.rows * array.cols * sizeof *ours);
        }
    }
    for (int i = 0; i < 3; i++)
        f0t_model_free(models[i]);
}

static size_t lacking;

/* A check alone gathers single numbers. */
static f0t_status gather_without_memory(f0t_buffer *to, const f0t_buffer *from,
                                        const uint32_t *index, size_t rows, size_t cols)
{
    if (cols == 1)
        lacking++;
    return cols == 1 ? f0t_fail(F0T_ERROR_MEMORY, "no memory for one more")
                     : plain_compute.gather(to, from, index, rows, cols);
}

static f0t_status gather_lost(f0t_buffer *to, const f0t_buffer *from, const uint32_t *index,
                              size_t rows, size_t cols)
{
    return cols == 1 ? f0t_fail(F0T_ERROR_IO, "the device is lost")
                     : plain_compute.gather(to, from, index, rows, cols);
}

static void a_check_without_memory_is_left_out(void **state)
{
    const collection c = collection_create(&(collection_options){.name = "memory"});
    f0t_compute device = plain_compute;
    f0t_model *model;
    f0t_train_options o = short_training(5, false);
    (void)state;
    device.gather = gather_without_memory;
    assert_sound(&device, &c, o);
    assert_true(lacking > 0);
    device.gather = gather_lost;
    assert_fails(F0T_ERROR_IO, "the device is lost", train(&model, &device, &c, &o));
}

static f0t_status train_some(void *context)
{
    f0t_train_options o = short_training(5, true);
    f0t_model *model = NULL;
    o.epochs = 1;
    f0t_status status = train(&model, &plain_compute, context, &o);
    f0t_model_free(model);
    return status;
}

/* Some of them are for what a training can do without: features that stay there, a check. */
static void every_allocation_may_fail(void **state)
{
    collection c = collection_create(&(collection_options){.name = "allocations"});
    bool reached = true;
    (void)state;
    for (uint64_t nth = 1; reached; nth++) {
        plain_count = (plain_counts){0};
        f0t_fault_set(F0T_FAULT_ALLOC, nth);
        f0t_status status = train_some(&c);
        reached = f0t_fault_count(F0T_FAULT_ALLOC) >= nth;
        f0t_fault_set(F0T_FAULT_ALLOC, 0);
        assert_true(status == F0T_OK || (reached && status == F0T_ERROR_MEMORY));
        assert_true(plain_count.allocs - plain_count.releases <= 1); /* that failed inside */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_fault_is_found),
        cmocka_unit_test(faults_are_found_by_the_first_check),
        cmocka_unit_test(a_loss_of_the_callers_is_checked_for_its_copies),
        cmocka_unit_test(a_sound_device_is_never_accused),
        cmocka_unit_test(every_loss_is_sound),
        cmocka_unit_test(a_check_changes_nothing),
        cmocka_unit_test(a_check_without_memory_is_left_out),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
