#include "collection.h"

#include "base/context.h"
#include "model/options.h"
#include "model/trainer.h"

#include <math.h>

typedef struct training_case {
    f0t_dataset *dataset;
    f0t_condition condition;
    f0t_samples train, val;
    f0t_train_data data;
    f0t_train_options options;
    f0t_net *net;
} training_case;

/* The first `tags` tags of a collection; `all` images, also those that have none of the tags. */
static void open_data(training_case *c, const collection_options *of, size_t tags, bool all)
{
    collection files = collection_create(of);
    uint32_t number[C_TAGS];
    assert_ok(f0t_dataset_open(&c->dataset, files.path, NULL, NULL));
    for (uint32_t t = 0; t < C_TAGS; t++)
        number[t] = t < tags ? t : F0T_NO_SAMPLE_TAG;
    assert_ok(f0t_samples_create(&c->train, c->dataset, F0T_TRAIN, number, tags, all));
    assert_ok(f0t_samples_create(&c->val, c->dataset, F0T_VAL, number, tags, true));
    assert_ok(
        f0t_condition_create(&c->condition, F0T_CONDITION_SCALE, c->dataset, &c->train, NULL));
    c->data = (f0t_train_data){.dataset = c->dataset,
                               .condition = &c->condition,
                               .train = &c->train,
                               .val = &c->val,
                               .dim = tags};
}

static void open_net(training_case *c, const f0t_net_shape *shape)
{
    assert_ok(f0t_net_create(&c->net, &f0t_compute_cpu, shape, F0T_F32));
    assert_ok(f0t_net_set_random(c->net, 1, F0T_OUTPUT_SCALE));
}

/* A linear map whose outputs are the scores of the seen tags. */
static void open_case(training_case *c, bool no_validation)
{
    const f0t_net_shape shape = {.inputs = C_FEATURES, .outputs = C_SEEN, .bias = true};
    *c = (training_case){.options = collection_training(F0T_METHOD_LINEAR_RANK)};
    open_data(c, &(collection_options){.name = "trained", .no_validation = no_validation}, C_SEEN,
              false);
    c->options.epochs = 6;
    f0t_train_options_resolve(&c->options, c->train.count, C_FEATURES, C_DIM);
    open_net(c, &shape);
}

static void close_case(training_case *c)
{
    f0t_samples_free(&c->train);
    f0t_samples_free(&c->val);
    f0t_condition_free(&c->condition);
    f0t_net_free(c->net);
    f0t_dataset_close(c->dataset);
}

/* What the trainer asked of an objective. */
typedef struct watch {
    const training_case *c;
    size_t losses, updates, keeps;
    uint64_t last_step;
    double first_rate, last_rate;
    int threads;
    size_t *seen; /* [train.count] how often each sample came */
} watch;

/* Squared distance to +1 for relevant tags and −1 for others. */
static f0t_status pull(void *context, f0t_loss_result *result, float *gradient,
                       const f0t_loss_batch *batch, const uint32_t *samples)
{
    watch *w = context;
    *result = (f0t_loss_result){.images = batch->images};
    for (size_t m = 0; m < batch->images; m++) {
        const f0t_samples *train = &w->c->train;
        size_t i = samples[m], at = batch->offsets[m];
        w->seen[i]++;
        assert_int_equal(batch->offsets[m + 1] - at, train->offsets[i + 1] - train->offsets[i]);
        for (size_t t = 0; t < C_SEEN; t++) {
            bool is = at < batch->offsets[m + 1] && batch->relevant[at] == t;
            float wrong = batch->scores[m * C_SEEN + t] - (is ? 1 : -1);
            at += is;
            gradient[m * C_SEEN + t] = 2 * wrong / (float)batch->images;
            result->loss += (double)(wrong * wrong) / (double)batch->images;
        }
    }
    assert_int_equal(batch->number, w->losses);
    w->threads = f0t_context_wanted();
    w->losses++;
    return F0T_OK;
}

static f0t_status count_update(void *context, f0t_net *net, uint64_t step, double rate)
{
    watch *w = context;
    assert_ptr_equal(net, w->c->net);
    assert_int_equal(step, w->last_step + 1);
    w->first_rate = w->updates++ ? w->first_rate : rate;
    w->last_step = step;
    w->last_rate = rate;
    assert_int_equal(w->updates, w->losses);
    return F0T_OK;
}

static f0t_status count_keep(void *context)
{
    watch *w = context;
    w->keeps++;
    return F0T_OK;
}

static double train_watched(watch *w, training_case *c, bool hooks)
{
    f0t_objective objective = {.context = w, .host_loss = pull};
    double miap;
    *w = (watch){.c = c};
    if (hooks) {
        objective.update = count_update;
        objective.keep = count_keep;
    }
    assert_ok(f0t_alloc_zero(&w->seen, c->train.count, sizeof *w->seen));
    assert_ok(f0t_trainer_run(&miap, c->net, &c->data, &objective, &c->options, "", NULL));
    return miap;
}

static void an_objective_of_the_outputs_is_trained_and_validated(void **state)
{
    training_case c;
    watch w;
    (void)state;
    open_case(&c, false);
    c.options.patience = 1000;
    assert_true(train_watched(&w, &c, true) > 80);
    size_t batches = (c.train.count + c.options.batch - 1) / c.options.batch;
    assert_int_equal(w.losses, 6 * batches);
    assert_int_equal(w.updates, 6 * batches);
    assert_true(w.keeps >= 1 && w.keeps <= 6);
    assert_true(fabs(w.first_rate - c.options.rate) < 1e-12);
    assert_true(w.last_rate < 0.01 * c.options.rate);
    for (size_t i = 0; i < c.train.count; i++)
        assert_int_equal(w.seen[i], 6);
    f0t_free(w.seen);
    close_case(&c);
}

/* On a busy machine threads would wait for each other far longer than they compute. */
static void small_steps_have_one_thread(void **state)
{
    const f0t_net_shape wide = {.inputs = C_FEATURES,
                                .hidden_count = 2,
                                .hidden = {600, 600},
                                .outputs = C_SEEN,
                                .bias = true};
    training_case c;
    watch w;
    (void)state;
    F0T_ENTER(&(const f0t_context){.threads = 3});
    for (int large = 0; large < 2; large++) {
        open_case(&c, false);
        c.options.epochs = 1;
        if (large) {
            f0t_net_free(c.net);
            open_net(&c, &wide);
        }
        train_watched(&w, &c, false);
        assert_int_equal(w.threads, large ? F0T_TEST_THREADS(3) : 1);
        assert_int_equal(f0t_context_wanted(), F0T_TEST_THREADS(3));
        f0t_free(w.seen);
        close_case(&c);
    }
}

static void hooks_may_be_left_out(void **state)
{
    training_case c;
    watch w;
    (void)state;
    open_case(&c, true);
    assert_true(isnan(train_watched(&w, &c, false)));
    assert_int_equal(w.updates + w.keeps, 0);
    f0t_free(w.seen);
    close_case(&c);
}

static void without_validation_every_epoch_is_the_best(void **state)
{
    training_case c;
    watch w;
    (void)state;
    open_case(&c, true);
    train_watched(&w, &c, true);
    assert_int_equal(w.keeps, 6);
    f0t_free(w.seen);
    close_case(&c);
}

static f0t_status refuse(void *context, f0t_net *net, uint64_t step, double rate)
{
    (void)context;
    (void)net;
    (void)rate;
    return step == 3 ? f0t_fail(F0T_ERROR_NUMERIC, "step 3 is refused") : F0T_OK;
}

static void a_hook_that_fails_ends_the_training(void **state)
{
    training_case c;
    watch w = {.c = &c};
    f0t_objective objective = {.context = &w, .host_loss = pull, .update = refuse};
    double miap;
    (void)state;
    open_case(&c, false);
    assert_ok(f0t_alloc_zero(&w.seen, c.train.count, sizeof *w.seen));
    assert_fails(F0T_ERROR_NUMERIC, "step 3",
                 f0t_trainer_run(&miap, c.net, &c.data, &objective, &c.options, "", NULL));
    f0t_free(w.seen);
    close_case(&c);
}

static void picking_leaves_out_samples_without_a_pair(void **state)
{
    uint32_t images[] = {4, 5, 9, 12}, relevant[] = {0, 1, 2, 1, 0, 2};
    size_t offsets[] = {0, 3, 4, 4, 6};
    f0t_samples all = {4, 3, images, offsets, relevant}, picked;
    (void)state;
    assert_ok(f0t_samples_pick(&picked, &all, false));
    assert_int_equal(picked.count, 2);
    assert_int_equal(picked.tags, 3);
    assert_int_equal(picked.images[0], 5);
    assert_int_equal(picked.images[1], 12);
    assert_int_equal(picked.offsets[1], 1);
    assert_int_equal(picked.offsets[2], 3);
    assert_memory_equal(picked.relevant, relevant + 3, 3 * sizeof *relevant);
    f0t_samples_free(&picked);
    assert_ok(f0t_samples_pick(&picked, &all, true));
    assert_int_equal(picked.count, 4);
    assert_memory_equal(picked.images, images, sizeof images);
    assert_memory_equal(picked.offsets, offsets, sizeof offsets);
    assert_memory_equal(picked.relevant, relevant, sizeof relevant);
    f0t_samples_free(&picked);
}

/* ---- logistic, of outputs that are the scores ---------------------------------------------------- */

/* Images that have none of the tags are examples of none. */
static void open_logistic(training_case *c, const collection_options *of, size_t tags,
                          const f0t_net_shape *shape)
{
    *c = (training_case){.options = F0T_TRAIN_OPTIONS};
    c->options.loss = F0T_LOSS_LOGISTIC;
    open_data(c, of, tags, true);
    open_net(c, shape);
}

static double train_logistic(training_case *c)
{
    f0t_objective objective;
    double miap;
    f0t_train_options_resolve(&c->options, c->train.count, C_FEATURES, C_DIM);
    assert_ok(f0t_objective_ranking(&objective, &c->data, &c->options));
    assert_ok(f0t_trainer_run(&miap, c->net, &c->data, &objective, &c->options, "", NULL));
    f0t_objective_free(&objective);
    return miap;
}

/* The images look all the same: what is left to learn is how often a tag occurs among all of them. */
static void logistic_learns_probabilities(void **state)
{
    enum { FEW = 3 };
    const f0t_net_shape shape = {.inputs = C_FEATURES, .outputs = FEW, .bias = true};
    training_case c;
    float x[C_FEATURES], scores[FEW];
    double shares[FEW] = {0};
    size_t without = 0;
    (void)state;
    open_logistic(&c, &(collection_options){.name = "alike", .no_validation = true, .alike = true},
                  FEW, &shape);
    c.options.method = F0T_METHOD_LINEAR_RANK;
    c.options.batch = c.train.count;
    c.options.epochs = 300;
    c.options.rate = 0.05;
    c.options.decay = c.options.input_dropout = 0;
    train_logistic(&c);
    assert_ok(f0t_condition_gather(x, &c.condition, c.dataset, c.train.images, 1));
    assert_ok(f0t_net_apply(scores, c.net, x, 1));
    for (size_t i = 0; i < c.train.count; i++)
        without += c.train.offsets[i + 1] == c.train.offsets[i];
    assert_true(without > c.train.count / 10);
    for (size_t i = 0; i < c.train.offsets[c.train.count]; i++)
        shares[c.train.relevant[i]] += 1 / (double)c.train.count;
    for (size_t t = 0; t < FEW; t++)
        assert_true(fabs(1 / (1 + exp(-(double)scores[t])) - shares[t]) < 1e-4);
    close_case(&c);
}

static void count_epoch(void *user, const f0t_epoch *epoch)
{
    *(size_t *)user = epoch->number;
}

static void logistic_stops_early_with_hidden_layers_and_dropout(void **state)
{
    const f0t_net_shape shape = {.inputs = C_FEATURES,
                                 .hidden_count = 2,
                                 .hidden = {48, 24},
                                 .outputs = C_SEEN,
                                 .bias = true};
    training_case c;
    size_t epochs = 0;
    (void)state;
    open_logistic(&c, &(collection_options){.name = "deep"}, C_SEEN, &shape);
    c.options.hidden_count = 2;
    memcpy(c.options.hidden, shape.hidden, 2 * sizeof *shape.hidden);
    c.options.batch = 32;
    c.options.epochs = 500;
    c.options.patience = 6;
    c.options.rate = 0.01;
    c.options.decay = 0.01;
    c.options.input_dropout = 0.1;
    c.options.hidden_dropout = 0.2;
    c.options.epoch = count_epoch;
    c.options.epoch_user = &epochs;
    assert_true(train_logistic(&c) > 85);
    assert_true(epochs > 6 && epochs < 500);
    close_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_objective_of_the_outputs_is_trained_and_validated),
        cmocka_unit_test(small_steps_have_one_thread),
        cmocka_unit_test(hooks_may_be_left_out),
        cmocka_unit_test(without_validation_every_epoch_is_the_best),
        cmocka_unit_test(a_hook_that_fails_ends_the_training),
        cmocka_unit_test(picking_leaves_out_samples_without_a_pair),
        cmocka_unit_test(logistic_learns_probabilities),
        cmocka_unit_test(logistic_stops_early_with_hidden_layers_and_dropout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
