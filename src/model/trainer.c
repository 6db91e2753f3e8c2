#include "model/trainer.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/monitor.h"
#include "model/checkpoint.h"
#include "model/device_check.h"
#include "model/resident.h"
#include "model/step.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Objectives ------------------------------------------------------------------------------ */

/* Of either kind; the members of the other are NULL. */
typedef struct own {
    const f0t_compute *compute;
    f0t_loss_plan *plan;
    const float *directions;
    const uint32_t *rule;
    uint32_t *rows; /* [batch] targets of a mini-batch */
    size_t dim;
    f0t_loss_options loss;
    f0t_loss_plan *reference; /* on the CPU, where it is asked for */
    size_t batch, tags;
} own;

static size_t count_ranked(void *context, const f0t_samples *train, const uint32_t *samples,
                           size_t rows)
{
    const own *o = context;
    size_t count = 0;
    for (size_t r = 0; r < rows; r++)
        count += f0t_loss_trains(
            o->loss.loss, train->offsets[samples[r] + 1] - train->offsets[samples[r]], train->tags);
    return count;
}

static size_t count_targets(void *context, const f0t_samples *train, const uint32_t *samples,
                            size_t rows)
{
    const own *o = context;
    size_t count = 0;
    (void)train;
    for (size_t r = 0; r < rows; r++)
        count += o->rule[samples[r]] != F0T_NO_TARGET;
    return count;
}

static f0t_status ranking_loss(void *context, f0t_loss_result *result, f0t_buffer *gradient,
                               const f0t_buffer *scores, const f0t_loss_batch *batch,
                               const uint32_t *samples)
{
    const own *o = context;
    (void)samples;
    if (scores->compute != o->compute)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a net on %s cannot be trained by a loss on %s",
                        scores->compute->device, o->compute->device);
    return o->compute->loss(result, gradient, scores, o->plan, batch);
}

static f0t_status ranking_loss_sum(void *context, double *sum)
{
    const own *o = context;
    return o->compute->loss_sum(sum, o->plan);
}

static f0t_status ranking_reference(void *context, f0t_loss_result *result, float *gradient,
                                    const f0t_loss_batch *batch, const uint32_t *samples)
{
    own *o = context;
    (void)samples;
    if (!o->reference)
        F0T_TRY(f0t_loss_plan_create(&o->reference, &o->loss, o->batch, o->tags));
    return f0t_loss_run(result, gradient, o->reference, batch);
}

static f0t_regression regression_of(const own *o, const f0t_loss_batch *batch,
                                    const uint32_t *samples)
{
    for (size_t r = 0; r < batch->images; r++)
        o->rows[r] = o->rule[samples[r]];
    return (f0t_regression){.images = batch->images,
                            .dims = o->dim,
                            .outputs = batch->scores,
                            .targets = o->directions,
                            .index = o->rows,
                            .training = batch->training};
}

static f0t_status regression_loss(void *context, f0t_loss_result *result, f0t_buffer *gradient,
                                  const f0t_buffer *outputs, const f0t_loss_batch *batch,
                                  const uint32_t *samples)
{
    const own *o = context;
    const f0t_regression regression = regression_of(o, batch, samples);
    return o->compute->regression(result, gradient, outputs, &regression);
}

static f0t_status regression_reference(void *context, f0t_loss_result *result, float *gradient,
                                       const f0t_loss_batch *batch, const uint32_t *samples)
{
    const f0t_regression regression = regression_of(context, batch, samples);
    return f0t_regression_run(result, gradient, &regression);
}

f0t_status f0t_objective_ranking(f0t_objective *out, const f0t_train_data *data,
                                 const f0t_train_options *options)
{
    own *o;
    f0t_loss_options loss = {.loss = options->loss, .pairs = options->pairs, .seed = options->seed};
    *out =
        (f0t_objective){.tags = data->tags, .loss = ranking_loss, .reference = ranking_reference};
    if (options->pairs != F0T_PAIRS_BATCH) /* these go across the mini-batch */
        out->count = count_ranked;
    F0T_TRY(f0t_alloc_zero(&o, 1, sizeof *o));
    out->context = o;
    o->loss = loss;
    o->batch = options->batch;
    o->tags = data->train->tags;
    o->compute = f0t_compute_current();
    out->loss_sum = o->compute->loss_sum ? ranking_loss_sum : NULL;
    f0t_status status = o->compute->loss_create(&o->plan, &loss, options->batch, data->train->tags);
    if (status != F0T_OK)
        f0t_objective_free(out);
    return status;
}

f0t_status f0t_objective_regression(f0t_objective *out, const f0t_train_data *data,
                                    const f0t_train_options *options, const float *directions,
                                    const uint32_t *rule)
{
    own *o;
    *out = (f0t_objective){
        .loss = regression_loss, .reference = regression_reference, .count = count_targets};
    F0T_TRY(f0t_alloc_zero(&o, 1, sizeof *o));
    out->context = o;
    o->compute = f0t_compute_current();
    o->directions = directions;
    o->rule = rule;
    o->dim = data->dim;
    f0t_status status = f0t_alloc(&o->rows, options->batch, sizeof *o->rows);
    if (status != F0T_OK)
        f0t_objective_free(out);
    return status;
}

void f0t_objective_free(f0t_objective *objective)
{
    own *o = objective->context;
    if (o) {
        if (o->plan)
            o->compute->loss_free(o->plan);
        f0t_loss_plan_free(o->reference);
        f0t_free(o->rows);
        f0t_free(o);
    }
    *objective = (f0t_objective){0};
}

static const double CHECKPOINT_SECONDS = 60; /* between two checkpoints */

/* A running training. */
typedef struct trainer {
    const f0t_train_data *data;
    const f0t_objective *objective;
    const f0t_train_options *options;
    const f0t_monitor *monitor;
    const char *identity;
    const f0t_group *group; /* that shares every mini-batch */
    f0t_net *net;
    f0t_net *best;
    f0t_step *step;
    f0t_train_place place;
    size_t batches;  /* of an epoch */
    uint32_t *order; /* [train->count] samples of this epoch */
    float *features; /* [batch x D], where the device neither has all nor streams; or NULL */
    f0t_resident
        *all; /* [train->count x D] the features of all samples on the net's device, or NULL */
    f0t_validation *validation; /* there, or NULL */
    f0t_device_check *check;    /* of the device; NULL: it is the CPU */
    bool checking, holding;     /* the step that runs; some weights between steps */
    uint32_t *images;           /* [batch] */
    size_t *offsets;            /* [batch + 1] */
    uint32_t *relevant;         /* of the batch */
    float *host[2];             /* scores and gradient, where the net is on a device of its own */
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
                                .tag_count = t->data->train->tags + t->objective->more,
                                .input_dropout = o->input_dropout,
                                .hidden_dropout = o->hidden_dropout,
                                .seed = o->seed,
                                .hidden_slower = 1 - o->hidden_rate,
                                .optimizer = optimizer,
                                .group = t->group};
    return f0t_step_create(&t->step, t->net, &options);
}

static void log_streaming(const trainer *t)
{
    f0t_log(t->monitor, F0T_LOG_INFO,
            "the features do not fit into the memory of the device: "
            "every mini-batch brings its own");
}

/* Features that are on the net's device need not travel with every batch. Where there is no room for them, they do. */
static f0t_status upload_features(trainer *t)
{
    const f0t_train_data *data = t->data;
    const f0t_compute *compute = t->net->compute;
    F0T_TRY(f0t_resident_create(&t->all, data->condition, data->dataset, data->train->images,
                                data->train->count, compute, t->net->precision, t->monitor));
    if (!t->all && !compute->shares_memory && compute->gather)
        log_streaming(t);
    F0T_TRY(f0t_validation_open(&t->validation, data, t->net, t->monitor));
    if (compute->stream && !compute->shares_memory)
        return F0T_OK;
    return f0t_alloc(&t->features, t->options->batch * data->condition->dim, sizeof *t->features);
}

/* A device that has no memory left for a batch gets that of the features back, which come with every batch from then on.
 * Whether it is so. */
static bool make_room(trainer *t, f0t_status status)
{
    if (status != F0T_ERROR_MEMORY || (!t->all && !t->validation) || !t->net->compute->stream)
        return false;
    f0t_validation_close(t->validation);
    t->validation = NULL;
    f0t_resident_free(t->all);
    t->all = NULL;
    log_streaming(t);
    return true;
}

static f0t_status allocate(trainer *t)
{
    const f0t_train_options *o = t->options;
    const f0t_samples *train = t->data->train;
    F0T_TRY(f0t_alloc(&t->order, train->count, sizeof *t->order));
    F0T_TRY(f0t_alloc(&t->images, o->batch, sizeof *t->images));
    F0T_TRY(f0t_alloc(&t->offsets, o->batch + 1, sizeof *t->offsets));
    F0T_TRY(f0t_alloc(&t->relevant, o->batch * most_relevant(train), sizeof *t->relevant));
    F0T_TRY(f0t_net_create(&t->best, t->net->compute, f0t_net_get_shape(t->net),
                           f0t_net_get_precision(t->net)));
    F0T_TRY(create_step(t));
    F0T_TRY(f0t_device_check_create(&t->check, t->step, t->data, t->objective, o));
    F0T_TRY(upload_features(t));
    for (int i = 0; i < 2 && t->objective->host_loss && !t->net->compute->shares_memory; i++)
        F0T_TRY(f0t_alloc(&t->host[i], f0t_step_scores(t->step)->count, sizeof *t->host[i]));
    return F0T_OK;
}

static void release(trainer *t)
{
    f0t_free(t->order);
    f0t_free(t->features);
    f0t_free(t->images);
    f0t_free(t->offsets);
    f0t_free(t->relevant);
    f0t_free(t->host[0]);
    f0t_free(t->host[1]);
    f0t_resident_free(t->all);
    f0t_validation_close(t->validation);
    f0t_net_free(t->best);
    f0t_device_check_free(t->check);
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

/* The objective in the caller's memory: copied, unless it is the net's memory, too. */
static f0t_status run_host_loss(trainer *t, f0t_loss_result *result, f0t_loss_batch *batch,
                                const uint32_t *samples)
{
    const f0t_objective *objective = t->objective;
    const f0t_buffer *scores = f0t_step_scores(t->step);
    f0t_buffer *gradient = f0t_step_gradient(t->step);
    const size_t n = scores->count / t->options->batch * batch->images;
    if (!t->host[0]) {
        batch->scores = scores->data;
        return objective->host_loss(objective->context, result, gradient->data, batch, samples);
    }
    batch->scores = t->host[0];
    F0T_TRY(scores->compute->download(t->host[0], scores, 0, n));
    F0T_TRY(objective->host_loss(objective->context, result, t->host[1], batch, samples));
    return gradient->compute->upload(gradient, 0, t->host[1], n);
}

/* Rows [first, first + rows) of a mini-batch: all of it, or what this process has of it. */
typedef struct part {
    const uint32_t *samples; /* [rows] */
    size_t first, rows;
    size_t
        training; /* samples of the whole mini-batch that train; 0: as many as of the part, which is all */
} part;

static f0t_status run_loss(trainer *t, f0t_loss_result *result, const part *p)
{
    const f0t_objective *objective = t->objective;
    const uint32_t *samples = p->samples;
    f0t_loss_batch batch = {.images = p->rows,
                            .tags = t->data->train->tags,
                            .offsets = t->offsets,
                            .relevant = t->relevant,
                            .number = f0t_step_count(t->step),
                            .first = p->first,
                            .training = p->training};
    if (objective->host_loss)
        return run_host_loss(t, result, &batch, samples);
    return objective->loss(objective->context, result, f0t_step_gradient(t->step),
                           f0t_step_scores(t->step), &batch, samples);
}

static f0t_status run_forward(trainer *t, const part *p)
{
    const f0t_train_data *data = t->data;
    f0t_condition_rows rows = {data->condition, data->dataset, t->images};
    if (t->all)
        return f0t_step_forward_rows(t->step, t->all->rows, p->samples, p->rows, p->first);
    if (!t->features)
        return f0t_step_forward_stream(t->step, f0t_condition_fill, &rows, p->rows, p->first);
    F0T_TRY(f0t_condition_fill(&rows, t->features, p->rows * data->condition->dim));
    return f0t_step_forward(t->step, t->features, p->rows, p->first);
}

/* Each of these takes its memory before it changes anything, and may be tried again where there was none. */
static f0t_status run_gradients(trainer *t, f0t_loss_result *result, const part *p)
{
    if (!p->rows)
        return f0t_step_no_gradients(t->step);
    f0t_status status = run_forward(t, p);
    if (make_room(t, status))
        status = run_forward(t, p);
    F0T_TRY(status);
    status = run_loss(t, result, p);
    if (make_room(t, status))
        status = run_loss(t, result, p);
    F0T_TRY(status);
    status = f0t_step_gradients(t->step);
    return make_room(t, status) ? f0t_step_gradients(t->step) : status;
}

/* The stages of a step (model/step.h). */
static f0t_status run_stages(trainer *t, f0t_loss_result *result, const part *p, double rate)
{
    F0T_TRY(run_gradients(t, result, p));
    f0t_status status = f0t_step_apply(t->step, rate);
    return make_room(t, status) ? f0t_step_apply(t->step, rate) : status;
}

/* A failed step ends, too: what is held back of it is not to start with something else. */
static f0t_status end_step(const f0t_compute *compute, f0t_status status)
{
    f0t_failure failure;
    f0t_failure_keep(&failure, status);
    f0t_status ended = compute->end ? compute->end() : F0T_OK;
    return status == F0T_OK ? ended : f0t_failure_raise(&failure);
}

/* The losses that nobody has waited for. Fails where one of them had no value, before anything that came of it is
 * kept. */
static f0t_status take_losses(trainer *t, double *loss)
{
    *loss = 0;
    if (t->objective->loss_sum)
        F0T_TRY(t->objective->loss_sum(t->objective->context, loss));
    t->place.loss += *loss;
    return F0T_OK;
}

/* A check that finds no memory is left out: the training itself may still have what it needs. */
static f0t_status unless_memory_lacks(trainer *t, f0t_status status)
{
    if (status != F0T_ERROR_MEMORY)
        return status;
    t->checking = false;
    f0t_log(t->monitor, F0T_LOG_WARNING, "epoch %zu: the device was not checked: %s",
            t->place.epoch + 1, f0t_last_error());
    return F0T_OK;
}

static f0t_status check_step(trainer *t, const f0t_loss_result *result, const part *p, double rate)
{
    const f0t_objective *objective = t->objective;
    f0t_checked_step step = {
        .epoch = t->place.epoch,
        .batch = t->place.batch,
        .samples = p->samples,
        .rows = p->rows,
        .first = p->first,
        .training = p->training,
        .offsets = t->offsets,
        .relevant = t->relevant,
        .rate = rate,
        .loss = result ? result->loss : 0,
        .moved = objective->host_loss ? (const float *const *)t->host : NULL,
        .resident = {t->all, t->validation ? f0t_validation_resident(t->validation) : NULL}};
    if (!result) {
        F0T_TRY(take_losses(t, &step.loss));
        step.loss /= (double)p->rows;
    }
    if (objective->count)
        step.training = objective->count(objective->context, t->data->train, p->samples, p->rows);
    return unless_memory_lacks(t, f0t_device_check_after(t->check, &step));
}

static f0t_status run_step(trainer *t, f0t_loss_result *result, const part *p)
{
    const f0t_compute *compute = t->net->compute;
    const f0t_objective *objective = t->objective;
    const double rate = current_rate(t);
    if (compute->begin)
        compute->begin();
    F0T_TRY(end_step(compute, run_stages(t, result, p, rate)));
    if (t->checking)
        F0T_TRY(check_step(t, result, p, rate));
    return objective->update
               ? objective->update(objective->context, t->net, f0t_step_count(t->step), rate)
               : F0T_OK;
}

/* Mini-batches of an epoch differ by at most one image: a small one at the end would move the
 * weights as far as the others, by the noise of its few images. */
static size_t batch_start(const trainer *t, size_t batch)
{
    size_t count = t->data->train->count, whole = count / t->batches, rest = count % t->batches;
    return batch * whole + (batch < rest ? batch : rest);
}

/* The rows of a mini-batch that are this process's. */
static part part_of(const trainer *t, const uint32_t *samples, size_t rows)
{
    const f0t_group *group = t->group;
    const size_t first = f0t_group_part(rows, group->rank, group->size);
    part p = {.samples = samples + first,
              .first = first,
              .rows = f0t_group_part(rows, group->rank + 1, group->size) - first};
    if (group->size > 1)
        p.training = t->objective->count(t->objective->context, t->data->train, samples, rows);
    return p;
}

static bool is_chosen(const trainer *t)
{
    return t->check &&
           f0t_device_check_chooses(t->check, t->place.epoch, t->place.batch, t->batches);
}

/* The loss of a mini-batch that is chosen is taken by itself, also where there is no time for its check: what is reported is
 * the same. */
static f0t_status begin_check(trainer *t)
{
    double before;
    t->checking = is_chosen(t);
    if (!t->checking)
        return F0T_OK;
    F0T_TRY(take_losses(t, &before));
    t->checking = f0t_device_check_has_time(t->check, f0t_time() - t->started);
    return t->checking ? unless_memory_lacks(t, f0t_device_check_before(t->check)) : F0T_OK;
}

static f0t_status end_check(trainer *t)
{
    double loss;
    return is_chosen(t) ? take_losses(t, &loss) : F0T_OK;
}

/* Of a mini-batch in which nothing trains there is no part to compute. */
static f0t_status run_batch(trainer *t)
{
    size_t first = batch_start(t, t->place.batch);
    size_t rows = batch_start(t, t->place.batch + 1) - first;
    part p = part_of(t, t->order + first, rows);
    f0t_loss_result result = {0};
    if (t->group->size > 1 && !p.training)
        p.rows = 0;
    gather_relevant(t, p.samples, p.rows);
    F0T_TRY(begin_check(t));
    F0T_TRY(run_step(t, t->objective->loss_sum ? NULL : &result, &p));
    F0T_TRY(end_check(t));
    t->place.loss += result.loss * (double)rows;
    t->place.batch++;
    return F0T_OK;
}

/* ---- Epochs -------------------------------------------------------------------------------- */

/* The losses of the epoch so far, of all processes. */
static f0t_status total_loss(const trainer *t, double *loss)
{
    *loss = t->place.loss;
    return f0t_group_total(t->group, loss, 1);
}

static f0t_status save_checkpoint(trainer *t)
{
    if (!t->options->checkpoint)
        return F0T_OK;
    double loss;
    F0T_TRY(take_losses(t, &loss));
    double now = f0t_time();
    f0t_train_place place = t->place;
    place.seconds += now - t->started;
    t->saved = now;
    F0T_TRY(f0t_step_complete(t->step, true));
    F0T_TRY(total_loss(t, &place.loss));
    return f0t_checkpoint_save(t->options->checkpoint, t->identity, t->data->done, &place, t->step,
                               t->best);
}

/* An interruption keeps what was done; its own error stays the one that is reported. */
static f0t_status stopped(trainer *t)
{
    F0T_TRY(save_checkpoint(t));
    return f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted in epoch %zu%s", t->place.epoch + 1,
                    t->options->checkpoint ? "; with resume, the same training goes on from there"
                                           : "");
}

/* What processes decide together, each with its own reasons. */
typedef struct decision {
    double stop, save; /* above 0: somebody wants it */
} decision;

static f0t_status decide(decision *out, const trainer *t)
{
    double wishes[2] = {f0t_monitor_asked(t->monitor), f0t_time() - t->saved > CHECKPOINT_SECONDS};
    F0T_TRY(f0t_group_total(t->group, wishes, 2));
    *out = (decision){wishes[0], wishes[1]};
    return F0T_OK;
}

static f0t_status run_batches(trainer *t)
{
    size_t images = t->data->train->count;
    while (t->place.batch < t->batches) {
        uint64_t done = (uint64_t)t->place.epoch * images + batch_start(t, t->place.batch);
        decision wanted;
        F0T_TRY(decide(&wanted, t));
        if (wanted.stop > 0)
            return stopped(t);
        if (wanted.save > 0)
            F0T_TRY(save_checkpoint(t));
        (void)f0t_stage_update(&t->stage, done);
        F0T_TRY(run_batch(t));
    }
    double loss;
    F0T_TRY(take_losses(t, &loss));
    return f0t_step_complete(t->step, false);
}

static f0t_status report(const trainer *t, double miap, bool best, double trained, size_t images)
{
    const f0t_train_options *o = t->options;
    double now = f0t_time(), loss;
    F0T_TRY(total_loss(t, &loss));
    f0t_epoch epoch = {.number = t->place.epoch + 1,
                       .epochs = o->epochs,
                       .loss = loss / (double)t->data->train->count,
                       .miap = miap,
                       .best = best,
                       .rate = current_rate(t),
                       .images_per_second = trained > 0 ? (double)images / trained : 0,
                       .seconds = t->place.seconds + now - t->started};
    if (o->epoch) {
        const f0t_context *context = f0t_context_suspend();
        o->epoch(o->epoch_user, &epoch);
        f0t_context_leave(&context);
    }
    return F0T_OK;
}

/* Keeps the weights when they are the best so far. Without a validation part the last are. */
static f0t_status keep_best(trainer *t, double miap, bool *best)
{
    *best = isnan(miap) || isnan(t->place.best) || miap > t->place.best;
    if (!*best)
        return F0T_OK;
    t->place.best = miap;
    t->place.best_epoch = t->place.epoch + 1;
    F0T_TRY(f0t_net_copy(t->best, t->net));
    return t->objective->keep ? t->objective->keep(t->objective->context) : F0T_OK;
}

static f0t_status validate(trainer *t, double *miap)
{
    const f0t_net *net = t->net;
    if (t->validation) {
        f0t_status status = f0t_validation_run(miap, t->validation, net);
        if (!make_room(t, status))
            return status;
    }
    return f0t_validate(miap, &net, 1, t->data);
}

static bool is_finished(const trainer *t)
{
    return t->place.epoch >= t->options->epochs ||
           t->place.epoch >= t->place.best_epoch + t->options->patience;
}

/* Some weights of `net`, to compare others with, where there is time: after the first epoch and at the end always. */
static f0t_status hold(trainer *t, const f0t_net *net)
{
    t->holding = t->check && (t->place.epoch == 0 || is_finished(t) ||
                              f0t_device_check_has_time(t->check, f0t_time() - t->started));
    if (!t->holding)
        return F0T_OK;
    f0t_status status = f0t_device_check_hold(t->check, net);
    t->holding = status == F0T_OK;
    return unless_memory_lacks(t, status);
}

static f0t_status compare_held(trainer *t, const f0t_net *net, const char *when)
{
    return t->holding ? unless_memory_lacks(t, f0t_device_check_same(t->check, net, when)) : F0T_OK;
}

/* Keeps the weights where they are the best so far, and sees that neither that nor the validation has changed them. */
static f0t_status validate_and_keep(trainer *t, double *miap, bool *best)
{
    char when[64];
    F0T_TRY(hold(t, t->net));
    F0T_TRY(validate(t, miap));
    F0T_TRY(keep_best(t, *miap, best));
    snprintf(when, sizeof when, "after the validation of epoch %zu", t->place.epoch + 1);
    F0T_TRY(compare_held(t, t->net, when));
    return *best ? compare_held(t, t->best, when) : F0T_OK;
}

static f0t_status run_epoch(trainer *t)
{
    bool best;
    double miap, began = f0t_time();
    size_t done = batch_start(t, t->place.batch);
    f0t_samples_shuffle(t->order, t->data->train->count, t->options->seed, t->place.epoch);
    F0T_TRY(run_batches(t));
    double trained = f0t_time() - began;
    F0T_TRY(validate_and_keep(t, &miap, &best));
    F0T_TRY(report(t, miap, best, trained, t->data->train->count - done));
    t->place.epoch++;
    t->place.batch = 0;
    t->place.loss = 0;
    return F0T_OK;
}

/* What it cost that several processes have trained: `before` is the traffic when they began, `first` the step. */
static void log_traffic(const trainer *t, const f0t_group_traffic *before, uint64_t first)
{
    f0t_group_traffic now;
    const double steps = (double)(f0t_step_count(t->step) - first);
    t->group->traffic(&now);
    const double moving = now.moving - before->moving, waited = now.waited - before->waited;
    if (t->group->size == 1 || !(steps > 0) || !(moving > 0))
        return;
    f0t_log(t->monitor, F0T_LOG_INFO,
            "%zu processes: each sent %.2f MB per step; messages took %.3f s per step, of which it "
            "waited %.3f s",
            t->group->size, 1e-6 * (double)(now.bytes - before->bytes) / steps, moving / steps,
            waited / steps);
}

/* The best weights become the net's. */
static f0t_status take_best(trainer *t)
{
    double seconds, all = f0t_time() - t->started;
    if (!t->check)
        return f0t_net_copy(t->net, t->best);
    F0T_TRY(hold(t, t->best));
    F0T_TRY(f0t_net_copy(t->net, t->best));
    F0T_TRY(compare_held(t, t->net, "after the training"));
    const uint64_t count = f0t_device_check_count(t->check, &seconds);
    f0t_log(t->monitor, F0T_LOG_INFO,
            "%" PRIu64 " mini-batches went through the CPU as well, with the same results: %.3f s "
            "of %.1f s",
            count, seconds, all);
    return F0T_OK;
}

static f0t_status run_epochs(trainer *t, const f0t_group_traffic *before)
{
    if (t->options->resume && t->options->checkpoint)
        F0T_TRY(f0t_checkpoint_load(&t->place, t->step, t->best, t->options->checkpoint,
                                    t->identity, t->data->done));
    if (t->place.batch && t->place.batch >= t->batches)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: no epoch of this training has %zu mini-batches",
                        t->options->checkpoint, t->place.batch);
    if (t->group->rank > 0)
        t->place.loss = 0; /* process 0 has that of all */
    const uint64_t first = f0t_step_count(t->step);
    t->started = t->saved = f0t_time();
    t->stage = f0t_stage_begin(t->monitor, "training", "images",
                               (uint64_t)t->options->epochs * t->data->train->count);
    while (!is_finished(t))
        F0T_TRY(run_epoch(t));
    f0t_stage_end(&t->stage);
    log_traffic(t, before, first);
    return take_best(t);
}

/* Multiplications of a step, or a block of the validation, from which on it is shared. A core does so many in a hundred
 * microseconds, and the twenty regions of a step take as long to meet in; on a busy machine, a hundred times as long. */
static const double SHARED = 5e6;

static size_t larger(size_t x, size_t y)
{
    return x > y ? x : y;
}

static bool is_small(const f0t_net *net, const f0t_train_data *data, const f0t_train_options *o)
{
    const size_t step = data->train->count < o->batch ? data->train->count : o->batch;
    const double rows = (double)larger(step, data->val->count);
    double each =
        2 * (double)data->train->tags * (double)data->dim * (double)larger(data->directions, 1);
    for (size_t l = 0; l < net->layer_count; l++)
        each += (l ? 3 : 2) * (double)net->layers[l].inputs * (double)net->layers[l].outputs;
    return net->compute->shares_memory && each * rows < SHARED;
}

f0t_status f0t_trainer_run(double *miap, f0t_net *net, const f0t_train_data *data,
                           const f0t_objective *objective, const f0t_train_options *options,
                           const char *identity, const f0t_monitor *monitor)
{
    trainer t = {.data = data,
                 .objective = objective,
                 .options = options,
                 .monitor = monitor,
                 .identity = identity,
                 .group = objective->count ? f0t_group_current() : &f0t_group_alone,
                 .net = net,
                 .place = {.best = (double)NAN}};
    t.batches = (data->train->count + options->batch - 1) / options->batch;
    F0T_ENTER(is_small(net, data, options) ? F0T_ALONE : NULL);
    f0t_group_traffic before;
    t.group->traffic(&before);
    F0T_TRY(f0t_group_same(t.group, "the training's data or options", identity, strlen(identity)));
    f0t_status status = allocate(&t);
    if (status == F0T_OK)
        status = run_epochs(&t, &before);
    *miap = t.place.best;
    release(&t);
    return status;
}
