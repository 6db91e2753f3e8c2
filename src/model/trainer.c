#include "model/trainer.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "model/checkpoint.h"
#include "model/step.h"

#include <math.h>
#include <string.h>

static const double CHECKPOINT_SECONDS = 60; /* between two checkpoints */

/* A training in work. */
typedef struct trainer {
    const f0t_train_data *data;
    const f0t_objective *objective;
    const f0t_train_options *options;
    const f0t_monitor *monitor;
    const char *identity;
    f0t_net *net;
    f0t_net *best;
    f0t_step *step;
    f0t_train_place place;
    size_t batches;     /* of an epoch */
    uint32_t *order;    /* [train->count] samples of this epoch */
    float *features;    /* [batch x D] */
    uint32_t *images;   /* [batch] */
    size_t *offsets;    /* [batch + 1] */
    uint32_t *relevant; /* of the batch */
    double started, saved, epoch_started;
    f0t_stage stage;
} trainer;

/* ---- Memory -------------------------------------------------------------------------------- */

static size_t most_relevant(const f0t_samples *samples)
{
    size_t most = 0;
    for (size_t i = 0; i < samples->count; i++) {
        size_t n = samples->offsets[i + 1] - samples->offsets[i];
        most = n > most ? n : most;
    }
    return most;
}

static f0t_status create_step(trainer *t)
{
    const f0t_train_options *o = t->options;
    f0t_optimizer optimizer = f0t_optimizer_default(o->optimizer);
    optimizer.decay = o->decay;
    f0t_step_options options = {.batch = o->batch,
                                .tags = t->objective->tags,
                                .tag_count = t->data->train->tags,
                                .input_dropout = o->input_dropout,
                                .hidden_dropout = o->hidden_dropout,
                                .seed = o->seed,
                                .optimizer = optimizer};
    return f0t_step_create(&t->step, t->net, &options);
}

static f0t_status allocate(trainer *t)
{
    const f0t_train_options *o = t->options;
    const f0t_samples *train = t->data->train;
    size_t dim = t->data->condition->dim;
    F0T_TRY(f0t_alloc(&t->order, train->count, sizeof *t->order));
    F0T_TRY(f0t_alloc(&t->features, o->batch * dim, sizeof *t->features));
    F0T_TRY(f0t_alloc(&t->images, o->batch, sizeof *t->images));
    F0T_TRY(f0t_alloc(&t->offsets, o->batch + 1, sizeof *t->offsets));
    F0T_TRY(f0t_alloc(&t->relevant, o->batch * most_relevant(train), sizeof *t->relevant));
    F0T_TRY(f0t_net_create(&t->best, f0t_net_get_shape(t->net), f0t_net_get_precision(t->net)));
    return create_step(t);
}

static void release(trainer *t)
{
    f0t_free(t->order);
    f0t_free(t->features);
    f0t_free(t->images);
    f0t_free(t->offsets);
    f0t_free(t->relevant);
    f0t_net_free(t->best);
    f0t_step_free(t->step);
}

/* ---- A mini-batch -------------------------------------------------------------------------- */

static void gather_relevant(trainer *t, const uint32_t *samples, size_t rows)
{
    const f0t_samples *train = t->data->train;
    t->offsets[0] = 0;
    for (size_t r = 0; r < rows; r++) {
        size_t from = train->offsets[samples[r]];
        size_t n = train->offsets[samples[r] + 1] - from;
        memcpy(t->relevant + t->offsets[r], train->relevant + from, n * sizeof *t->relevant);
        t->offsets[r + 1] = t->offsets[r] + n;
        t->images[r] = train->images[samples[r]];
    }
}

/* The rate falls along half a cosine from its start to 0, step by step. */
static double current_rate(const trainer *t)
{
    double done = (double)f0t_step_count(t->step);
    double all = (double)(t->options->epochs * t->batches);
    if (t->options->constant_rate || all <= 0)
        return t->options->rate;
    return t->options->rate * 0.5 * (1 + cos(3.14159265358979323846 * fmin(done / all, 1)));
}

static f0t_status run_backward(trainer *t, const uint32_t *samples, size_t rows,
                               f0t_loss_result *result)
{
    const f0t_objective *objective = t->objective;
    double rate = current_rate(t);
    float *gradient = f0t_step_gradient(t->step);
    f0t_loss_batch batch = {.images = rows,
                            .tags = t->data->train->tags,
                            .scores = objective->tags ? f0t_step_scores(t->step)
                                                      : f0t_step_outputs(t->step),
                            .offsets = t->offsets,
                            .relevant = t->relevant,
                            .number = f0t_step_count(t->step)};
    F0T_TRY(objective->loss(objective->context, result, gradient, &batch, samples));
    F0T_TRY(objective->tags ? f0t_step_backward(t->step, gradient, rate)
                            : f0t_step_backward_outputs(t->step, gradient, rate));
    return objective->update
               ? objective->update(objective->context, t->net, f0t_step_count(t->step), rate)
               : F0T_OK;
}

/* Mini-batches of an epoch differ by one image at the most: a small one at the end would move the
 * weights as far as the others, by the noise of its few images. */
static size_t batch_start(const trainer *t, size_t batch)
{
    size_t count = t->data->train->count, whole = count / t->batches, rest = count % t->batches;
    return batch * whole + (batch < rest ? batch : rest);
}

static f0t_status run_batch(trainer *t)
{
    size_t first = batch_start(t, t->place.batch);
    size_t rows = batch_start(t, t->place.batch + 1) - first;
    const uint32_t *samples = t->order + first;
    f0t_loss_result result;
    gather_relevant(t, samples, rows);
    F0T_TRY(
        f0t_condition_gather(t->data->condition, t->features, t->data->dataset, t->images, rows));
    F0T_TRY(f0t_step_forward(t->step, t->features, rows));
    F0T_TRY(run_backward(t, samples, rows, &result));
    t->place.loss += result.loss * (double)rows;
    t->place.batch++;
    return F0T_OK;
}

/* ---- Epochs -------------------------------------------------------------------------------- */

static f0t_status copy_weights(f0t_net *to, const f0t_net *from)
{
    for (size_t i = 0; i < f0t_net_array_count(from); i++) {
        f0t_array array = f0t_net_array(from, i);
        float *numbers;
        F0T_TRY(f0t_alloc(&numbers, array.rows * array.cols, sizeof *numbers));
        f0t_status status = f0t_net_array_get(from, i, numbers);
        if (status == F0T_OK)
            status = f0t_net_array_set(to, i, numbers);
        f0t_free(numbers);
        F0T_TRY(status);
    }
    return F0T_OK;
}

static f0t_status save_checkpoint(trainer *t)
{
    if (!t->options->checkpoint)
        return F0T_OK;
    double now = f0t_time();
    f0t_train_place place = t->place;
    place.seconds += now - t->started;
    t->saved = now;
    return f0t_checkpoint_save(t->options->checkpoint, t->identity, &place, t->step, t->best);
}

/* An interruption keeps what was done; its own error stays the one that is told. */
static f0t_status stopped(trainer *t)
{
    F0T_TRY(save_checkpoint(t));
    return f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted in epoch %zu%s", t->place.epoch + 1,
                    t->options->checkpoint ? "; the same command with --resume goes on from there"
                                           : "");
}

static f0t_status run_batches(trainer *t)
{
    size_t images = t->data->train->count;
    while (t->place.batch < t->batches) {
        uint64_t done = (uint64_t)t->place.epoch * images + batch_start(t, t->place.batch);
        if (f0t_monitor_stopped(t->monitor))
            return stopped(t);
        (void)f0t_stage_update(&t->stage, done);
        F0T_TRY(run_batch(t));
        if (f0t_time() - t->saved > CHECKPOINT_SECONDS)
            F0T_TRY(save_checkpoint(t));
    }
    return F0T_OK;
}

static void report(const trainer *t, double miap, bool best, double trained, size_t images)
{
    const f0t_train_options *o = t->options;
    double now = f0t_time();
    f0t_epoch epoch = {.number = t->place.epoch + 1,
                       .epochs = o->epochs,
                       .loss = t->place.loss / (double)t->data->train->count,
                       .miap = miap,
                       .best = best,
                       .rate = current_rate(t),
                       .images_per_second = trained > 0 ? (double)images / trained : 0,
                       .seconds = t->place.seconds + now - t->started};
    if (o->epoch)
        o->epoch(o->epoch_user, &epoch);
}

/* Keeps the weights when they are the best so far. Without a validation part the last are. */
static f0t_status keep_best(trainer *t, double miap, bool *best)
{
    *best = isnan(miap) || isnan(t->place.best) || miap > t->place.best;
    if (!*best)
        return F0T_OK;
    t->place.best = miap;
    t->place.best_epoch = t->place.epoch + 1;
    F0T_TRY(copy_weights(t->best, t->net));
    return t->objective->keep ? t->objective->keep(t->objective->context) : F0T_OK;
}

static f0t_status run_epoch(trainer *t)
{
    bool best;
    double miap, began = f0t_time();
    size_t done = batch_start(t, t->place.batch);
    f0t_samples_shuffle(t->order, t->data->train->count, t->options->seed, t->place.epoch);
    F0T_TRY(run_batches(t));
    double trained = f0t_time() - began;
    const f0t_net *net = t->net;
    F0T_TRY(f0t_validate(&miap, &net, 1, t->data));
    F0T_TRY(keep_best(t, miap, &best));
    report(t, miap, best, trained, t->data->train->count - done);
    t->place.epoch++;
    t->place.batch = 0;
    t->place.loss = 0;
    return F0T_OK;
}

static bool is_finished(const trainer *t)
{
    return t->place.epoch >= t->options->epochs ||
           t->place.epoch >= t->place.best_epoch + t->options->patience;
}

static f0t_status run_epochs(trainer *t)
{
    if (t->options->resume && t->options->checkpoint)
        F0T_TRY(
            f0t_checkpoint_load(t->options->checkpoint, t->identity, &t->place, t->step, t->best));
    t->started = t->saved = f0t_time();
    t->stage = f0t_stage_begin(t->monitor, "training", "images",
                               (uint64_t)t->options->epochs * t->data->train->count);
    while (!is_finished(t))
        F0T_TRY(run_epoch(t));
    f0t_stage_end(&t->stage);
    return copy_weights(t->net, t->best);
}

f0t_status f0t_trainer_run(f0t_net *net, double *miap, const f0t_train_data *data,
                           const f0t_objective *objective, const f0t_train_options *options,
                           const char *identity, const f0t_monitor *monitor)
{
    trainer t = {.data = data,
                 .objective = objective,
                 .options = options,
                 .monitor = monitor,
                 .identity = identity,
                 .net = net,
                 .place = {.best = (double)NAN}};
    t.batches = (data->train->count + options->batch - 1) / options->batch;
    f0t_status status = allocate(&t);
    if (status == F0T_OK)
        status = run_epochs(&t);
    *miap = t.place.best;
    release(&t);
    return status;
}
