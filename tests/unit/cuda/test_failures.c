/* A GPU that is missing, too old, full or lost: the host side of src/cuda with a fake in place of CUDA
 * (tests/support/fake_cuda.h), every call of which fails once. */
#include "../model/collection.h"
#include "devices.h"
#include "fake_cuda.h"

#include "base/context.h"
#include "model/model.h"
#include "model/net.h"

#include <dlfcn.h>
#include <stdlib.h>

/* Of cudaError_t. */
enum { MEMORY = 2, ILLEGAL_ADDRESS = 700 };

static fake_cuda_state *fake;

/* Of what is computed, where nothing is. */
static void leave_out_checks(void)
{
    assert_int_equal(setenv("F0T_DEVICE_CHECK", "0", 1), 0);
}

#ifdef FAKE_CUDA_MODULE
static void load_fake(void)
{
    assert_int_equal(setenv("F0T_CUDA", FAKE_CUDA_MODULE, 1), 0);
    void *library = dlopen(FAKE_CUDA_MODULE, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    fake = dlsym(library, FAKE_CUDA_STATE);
    assert_non_null(fake);
}
#else
static void load_fake(void)
{
    test_skip("no fake of CUDA: its headers are not here");
}
#endif

static fake_cuda_state *faked(void)
{
    if (!fake)
        load_fake();
    fake->fail_at = fake->calls = 0;
    fake->updates = fake->losses = 0;
    fake->instantiated = fake->launched = 0;
    fake->lost = fake->far = fake->late = false;
    fake->error = ILLEGAL_ADDRESS;
    return fake;
}

/* ---- At the start ------------------------------------------------------------------------------ */

static void what_is_missing_is_said(void **state)
{
    const f0t_compute *found;
    fake_cuda_state *f = faked();
    (void)state;
    f->driver = 0;
    assert_fails(F0T_ERROR_NOT_FOUND, "no NVIDIA driver", f0t_device_find(&found, "cuda"));
    f->driver = 11040;
    assert_fails(F0T_ERROR_UNSUPPORTED, "too old: it knows CUDA 11.4",
                 f0t_device_find(&found, "cuda"));
    f->driver = 13000;
    f->devices = 0;
    assert_fails(F0T_ERROR_NOT_FOUND, "CUDA_VISIBLE_DEVICES", f0t_device_find(&found, "cuda"));
    f->devices = 1;
    f->major = 7;
    assert_fails(F0T_ERROR_UNSUPPORTED, "compute capability 7.0", f0t_device_find(&found, "cuda"));
    f->major = 9;
    assert_int_equal(setenv("F0T_CUDA_ROOM", "much", 1), 0);
    assert_fails(F0T_ERROR_ARGUMENT, "F0T_CUDA_ROOM is 'much'", f0t_device_find(&found, "cuda"));
    assert_int_equal(unsetenv("F0T_CUDA_ROOM"), 0);
}

/* A failure is not remembered: the next try may succeed. */
static void every_call_of_the_start_may_fail(void **state)
{
    const f0t_compute *found = NULL;
    fake_cuda_state *f = faked();
    size_t tried = 0;
    (void)state;
    for (;; tried++) {
        f->calls = 0;
        f->fail_at = tried + 1;
        if (f0t_device_find(&found, "cuda") == F0T_OK)
            break;
        assert_non_null(strstr(f0t_last_error(), "GPU"));
    }
    assert_true(tried > 8);
    assert_string_equal(found->device, "cuda");
}

/* ---- During a training --------------------------------------------------------------------------- */

typedef struct watch {
    volatile sig_atomic_t stop;
    size_t stop_after, epochs;
} watch;

static void note(void *user, const f0t_epoch *epoch)
{
    watch *w = user;
    w->epochs++;
    w->stop = epoch->number == w->stop_after;
}

static f0t_status train(const f0t_compute *compute, const collection *c, f0t_train_options o,
                        watch *w)
{
    const f0t_context context = {.threads = 1, .compute = compute};
    const f0t_monitor monitor = {.stop = &w->stop};
    f0t_model *model = NULL;
    F0T_ENTER(&context);
    o.epoch = note;
    o.epoch_user = w;
    f0t_status status = collection_train(&model, c, &o, &monitor);
    f0t_model_free(model);
    return status;
}

static f0t_train_options options_of(int bf16)
{
    f0t_train_options o = collection_training(F0T_METHOD_NET);
    o.epochs = 2;
    o.batch = 200;
    o.bf16 = bf16;
    return o;
}

static const f0t_compute *opened(void)
{
    const f0t_compute *found;
    faked();
    assert_ok(f0t_device_find(&found, "cuda"));
    return found;
}

static void check_line(f0t_status status, f0t_status expected)
{
    if (status != expected)
        fail_msg("call %zu: status %d in place of %d: %s", fake->fail_at, (int)status,
                 (int)expected, f0t_last_error());
    assert_non_null(strstr(f0t_last_error(), "GPU"));
    assert_null(strchr(f0t_last_error(), '\n'));
}

/* Each call in turn. What is freed may fail unseen; and what lacks memory may go on without the features in it: then
 * every parameter was updated and every loss added as often as ever. */
static void fail_each(const f0t_compute *compute, const collection *c, const f0t_train_options *o,
                      int error, bool lost)
{
    watch w = {0};
    fake_cuda_state *f = faked();
    size_t failed = 0;
    assert_ok(train(compute, c, *o, &w));
    faked();
    assert_ok(train(compute, c, *o, &w));
    const size_t live = f->live, calls = f->calls;
    const size_t updates = f->updates, losses = f->losses;
    for (size_t i = 1; i <= calls; i++) {
        faked();
        f->error = error;
        f->lost = lost;
        f->fail_at = i;
        f0t_status status = train(compute, c, *o, &w);
        failed += status != F0T_OK;
        if (status != F0T_OK)
            check_line(status, error == MEMORY ? F0T_ERROR_MEMORY : F0T_ERROR_IO);
        else if (f->updates != updates || f->losses != losses)
            fail_msg("call %zu: %zu updates and %zu losses, without a failure %zu and %zu", i,
                     f->updates, f->losses, updates, losses);
    }
    assert_true(error == MEMORY ? failed < calls / 2 : failed > calls / 2);
    faked();
    assert_ok(train(compute, c, *o, &w)); /* as before, and nothing is left behind */
    assert_int_equal(f->live, live);
}

static void every_call_of_a_training_may_fail(void **state)
{
    const f0t_compute *compute = opened();
    const collection c = collection_create(&(collection_options){.name = "failing"});
    (void)state;
    for (int half = 0; half < 2; half++) {
        const f0t_train_options o = options_of(half);
        fail_each(compute, &c, &o, ILLEGAL_ADDRESS, false);
        fail_each(compute, &c, &o, ILLEGAL_ADDRESS, true);
        fail_each(compute, &c, &o, MEMORY, false);
    }
}

/* The losses that come with more than the scores, and products in bands. */
static void every_call_of_other_losses_may_fail(void **state)
{
    const f0t_compute *compute = opened();
    const collection c = collection_create(&(collection_options){.name = "losses"});
    (void)state;
    for (int across = 0; across < 2; across++) {
        f0t_train_options o = options_of(0);
        o.epochs = 1;
        o.loss = across ? F0T_LOSS_RANKNET : F0T_LOSS_LISTMLE;
        o.pairs = across ? F0T_PAIRS_BATCH : F0T_PAIRS_IMAGE;
        fail_each(compute, &c, &o, ILLEGAL_ADDRESS, false);
        fail_each(compute, &c, &o, MEMORY, false);
    }
}

static void what_is_wrong_with_pairs_across_a_batch_is_said(void **state)
{
    const f0t_compute *compute = opened();
    const size_t offsets[] = {0, 1};
    const uint32_t relevant[] = {1};
    f0t_loss_batch batch = {.images = 1, .tags = 3, .offsets = offsets, .relevant = relevant};
    f0t_buffer *scores = buffer_of(compute, F0T_F32, NULL, 3);
    f0t_loss_plan *plan;
    f0t_loss_result result;
    double sum;
    (void)state;
    assert_ok(compute->loss_create(&plan, &(f0t_loss_options){.pairs = F0T_PAIRS_BATCH}, 1, 3));
    assert_ok(compute->loss(&result, scores, scores, plan, &batch));
    assert_int_equal(result.images, 1);
    fake->far = true;
    assert_fails(F0T_ERROR_NUMERIC, "span -1 to 30000, too far for pairs across it",
                 compute->loss(&result, scores, scores, plan, &batch));
    assert_ok(compute->loss(NULL, scores, scores, plan, &batch));
    assert_fails(F0T_ERROR_NUMERIC, "has the training diverged?", compute->loss_sum(&sum, plan));
    batch.training = 2;
    assert_fails(F0T_ERROR_UNSUPPORTED, "need the whole batch, not a part of it",
                 compute->loss(&result, scores, scores, plan, &batch));
    compute->loss_free(plan);
    f0t_buffer_free(scores);
}

/* The fake's products are 0. */
static void a_gpu_that_computes_nothing_is_found(void **state)
{
    const f0t_compute *compute = opened();
    const collection c = collection_create(&(collection_options){.name = "nothing"});
    watch w = {0};
    (void)state;
    assert_int_equal(unsetenv("F0T_DEVICE_CHECK"), 0);
    for (int half = 0; half < 2; half++) {
        assert_fails(F0T_ERROR_IO, "the device 'cuda' computes wrongly: ",
                     train(compute, &c, options_of(half), &w));
        assert_int_equal(w.epochs, 0);
    }
    leave_out_checks();
}

/* ---- Steps that do not start --------------------------------------------------------------------- */

static const f0t_compute *real;
static size_t open_steps;

static void count_begin(void)
{
    open_steps++;
    real->begin();
}

static f0t_status count_end(void)
{
    open_steps--;
    return real->end();
}

static void a_step_that_fails_ends(void **state)
{
    f0t_compute counting = *opened();
    const collection c = collection_create(&(collection_options){.name = "ending"});
    const f0t_train_options o = options_of(0);
    watch w = {0};
    size_t failed = 0;
    (void)state;
    real = opened();
    counting.begin = count_begin;
    counting.end = count_end;
    for (size_t i = 100; i < 400; i += 7) {
        faked();
        fake->fail_at = i;
        failed += train(&counting, &c, o, &w) != F0T_OK;
        assert_int_equal(open_steps, 0);
    }
    assert_true(failed > 10);
}

/* What was held back is lost where freeing memory would start it: the step says so when it ends, and all before that. */
static void a_part_that_does_not_start_is_not_lost_silently(void **state)
{
    const f0t_compute *compute = opened();
    const uint32_t index[] = {1, 0};
    float numbers[4] = {1, 2, 3, 4}, got[4];
    f0t_buffer *from = buffer_of(compute, F0T_F32, numbers, 4);
    f0t_buffer *to = buffer_of(compute, F0T_F32, NULL, 4);
    (void)state;
    for (int between = 0; between < 2; between++) {
        f0t_buffer *other = buffer_of(compute, F0T_F32, NULL, 4);
        compute->begin();
        assert_ok(compute->gather(to, from, index, 2, 2));
        fake->fail_at = fake->calls + 1; /* the end of what is captured */
        f0t_buffer_free(other);
        if (between)
            assert_fails(F0T_ERROR_IO, "the GPU failed at a step",
                         compute->gather(to, from, index, 2, 2));
        assert_fails(F0T_ERROR_IO, "the GPU failed at a step", compute->end());
        compute->begin();
        assert_ok(compute->gather(to, from, index, 2, 2));
        assert_ok(compute->end());
        assert_ok(compute->download(got, to, 0, 4));
        assert_true(got[0] == 3 && got[3] == 2);
    }
    free_all((f0t_buffer *[]){from, to}, 2);
}

static size_t no_room(void)
{
    return 0;
}

static void every_call_may_fail_with_streamed_features(void **state)
{
    f0t_compute compute = *opened();
    const collection c = collection_create(&(collection_options){.name = "streamed"});
    const f0t_train_options o = options_of(1);
    (void)state;
    compute.room = no_room;
    fail_each(&compute, &c, &o, ILLEGAL_ADDRESS, false);
    fail_each(&compute, &c, &o, ILLEGAL_ADDRESS, true);
}

/* The checkpoint of before is there, byte for byte, and the CPU goes on with it. */
static void a_lost_gpu_leaves_the_checkpoint(void **state)
{
    const f0t_compute *compute = opened();
    const collection c = collection_create(&(collection_options){.name = "lost"});
    f0t_train_options o = options_of(0);
    watch w = {.stop_after = 2};
    size_t before, after;
    (void)state;
    o.epochs = 4;
    o.patience = 4;
    o.resume = true;
    o.checkpoint = test_path("checkpoint");
    assert_fails(F0T_ERROR_INTERRUPTED, "with resume", train(compute, &c, o, &w));
    char *bytes = test_read(o.checkpoint, &before);
    w = (watch){0};
    faked();
    fake->lost = true;
    fake->fail_at = 300;
    check_line(train(compute, &c, o, &w), F0T_ERROR_IO);
    char *left = test_read(o.checkpoint, &after);
    assert_int_equal(before, after);
    assert_memory_equal(bytes, left, before);
    free(bytes);
    free(left);
    faked();
    w = (watch){0};
    assert_ok(train(&f0t_compute_cpu, &c, o, &w));
    assert_int_equal(w.epochs, 2);
}

/* ---- During tagging ------------------------------------------------------------------------------ */

enum { ROWS = 40, INPUTS = 24, OUTPUTS = 12, TAGS = 200 };

static f0t_status tag(const f0t_compute *compute, size_t k)
{
    static float x[ROWS * INPUTS], f[ROWS * OUTPUTS];
    static uint32_t index[ROWS * TAGS];
    const f0t_net_shape shape = {INPUTS, 1, {32}, OUTPUTS, true};
    f0t_net *net = NULL;
    f0t_buffer *scores = NULL;
    f0t_status status = f0t_net_create(&net, compute, &shape, F0T_BF16);
    if (status == F0T_OK)
        status = f0t_net_apply(f, net, x, ROWS);
    if (status == F0T_OK)
        status = f0t_buffer_create(&scores, compute, F0T_F32, ROWS * TAGS);
    if (status == F0T_OK)
        status = compute->top(index, NULL, scores, ROWS, TAGS, k);
    f0t_buffer_free(scores);
    f0t_net_free(net);
    return status;
}

static void every_call_of_tagging_may_fail(void **state)
{
    const f0t_compute *compute = opened();
    (void)state;
    for (size_t k = 5; k < TAGS; k += TAGS - 10) { /* few, and more than the kernels keep */
        assert_ok(tag(compute, k));
        faked();
        assert_ok(tag(compute, k));
        const size_t calls = fake->calls, live = fake->live;
        size_t failed = 0;
        for (size_t i = 1; i <= calls; i++) {
            faked();
            fake->fail_at = i;
            f0t_status status = tag(compute, k);
            failed += status != F0T_OK;
            if (status != F0T_OK)
                check_line(status, F0T_ERROR_IO);
        }
        assert_true(failed > calls / 2);
        faked();
        assert_ok(tag(compute, k));
        assert_int_equal(fake->live, live);
    }
}

/* ---- Copies -------------------------------------------------------------------------------------- */

/* The weights of a net are drawn block after block in the same memory. */
static void what_was_uploaded_may_be_written_over(void **state)
{
    const f0t_compute *compute = opened();
    float block[] = {1, 2, 3}, found[3];
    f0t_buffer *buffer = NULL;
    (void)state;
    fake->late = true;
    assert_ok(f0t_buffer_create(&buffer, compute, F0T_F32, 3));
    assert_ok(compute->upload(buffer, 0, block, 3));
    memset(block, 0, sizeof block);
    assert_ok(compute->download(found, buffer, 0, 3));
    assert_memory_equal(found, ((const float[]){1, 2, 3}), sizeof found);
    f0t_buffer_free(buffer);
    faked();
}

/* ---- Graphs -------------------------------------------------------------------------------------- */

/* One that was made of other kernels has been seen to leave out a new one's, and to say nothing of it. */
static void every_step_is_a_graph_of_its_own(void **state)
{
    const f0t_compute *compute = opened();
    const collection c = collection_create(&(collection_options){.name = "graphs"});
    watch w = {0};
    (void)state;
    for (int half = 1; half >= 0; half--) {
        faked();
        assert_ok(train(compute, &c, options_of(half), &w));
        assert_true(fake->launched > 1);
        assert_int_equal(fake->instantiated, fake->launched);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(every_call_of_the_start_may_fail),
        cmocka_unit_test(every_call_of_a_training_may_fail),
        cmocka_unit_test(every_call_of_other_losses_may_fail),
        cmocka_unit_test(what_is_wrong_with_pairs_across_a_batch_is_said),
        cmocka_unit_test(a_gpu_that_computes_nothing_is_found),
        cmocka_unit_test(a_step_that_fails_ends),
        cmocka_unit_test(a_part_that_does_not_start_is_not_lost_silently),
        cmocka_unit_test(every_call_may_fail_with_streamed_features),
        cmocka_unit_test(a_lost_gpu_leaves_the_checkpoint),
        cmocka_unit_test(every_call_of_tagging_may_fail),
        cmocka_unit_test(what_was_uploaded_may_be_written_over),
        cmocka_unit_test(every_step_is_a_graph_of_its_own),
    };
    leave_out_checks();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
