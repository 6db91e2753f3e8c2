/*
 * Learning a blend: its experts, then on held-out images the weights. Held out are the validation images; where
 * images are few, a fifth of all in turn (the nets then train to their last epoch, as the final ones do). In
 * the end votes, ridge and frequencies are made of all images, also those that were held out.
 */
#include "model/blend_fit.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "math/elementwise.h"
#include "math/matmul.h"
#include "model/options.h"
#include "model/stacking.h"
#include "model/trainer.h"
#include "rank/miap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL_UNITS = 128,
    SMALL_BATCHES = 8, /* per epoch */
    SMALL_EPOCHS = 60,
    SMALL = 600, /* images */
    FOLDS = 5,
    HELD_LEAST = 50, /* validation images: with fewer, one in HELD_SHARE of all is held out */
    HELD_SHARE = 10,
    HALVED_LEAST = 400,      /* held-out images: half fit the weights, half say what came of it */
    NEIGHBOURS_MOST = 20000, /* images that votes and ridge are made of */
    HELD_MOST = 2000,        /* images, and */
    PAIRS_MOST = 10000000,   /* (image, tag) pairs that weights are fitted on */
    DIRECTION_UNITS = 1024,
    DIRECTION_TAGS = 1000, /* the most frequent ones: rare ones teach a direction little */
    TAGS_UNITS = 2048
};
/* Multiplications of the net with an output per tag: fewer units where there are many tags. */
static const double TAGS_WORK = 3.2e12;
/* A wide layer with much dropout wants more epochs than training has otherwise. */
static const double DIRECTION_EPOCHS = 1.6;
static const double MIXTURE_STRENGTH = 20, LOGISTIC_STRENGTH = 5;

static const double USUAL_WEIGHTS[F0T_LEARNED_EXPERTS] = {
    [F0T_EXPERT_DIRECTION] = 0.2,
    [F0T_EXPERT_TAGS] = 0.4,
    [F0T_EXPERT_VOTES] = 0.25,
    [F0T_EXPERT_RIDGE] = 0.15,
};

static bool uses(const f0t_blend_fitting *f, f0t_expert e)
{
    return !(f->options->without & (1U << e));
}

/* ---- The nets -------------------------------------------------------------------------------------- */

static f0t_status create_net(f0t_net **out, const f0t_blend_fitting *f, const f0t_train_options *o,
                             size_t outputs)
{
    f0t_net_shape shape = {.inputs = f->data->condition->dim,
                           .hidden_count = o->hidden_count,
                           .outputs = outputs,
                           .bias = true};
    memcpy(shape.hidden, o->hidden, sizeof o->hidden);
    F0T_TRY(f0t_net_shape_check(&shape));
    return f0t_net_create(out, f0t_compute_current(), &shape, o->bf16 ? F0T_BF16 : F0T_F32);
}

/* A model lives in the caller's memory, wherever it was trained. */
static f0t_status bring_home(f0t_net **net)
{
    f0t_net *trained = *net;
    if (trained->compute->shares_memory)
        return F0T_OK;
    F0T_TRY(f0t_net_create_copy(net, &f0t_compute_cpu, trained));
    f0t_net_free(trained);
    return F0T_OK;
}

static f0t_status run_training(f0t_net *net, const f0t_blend_fitting *f, const f0t_train_data *data,
                               const f0t_train_options *o)
{
    f0t_objective objective;
    double miap;
    F0T_TRY(f0t_objective_ranking(&objective, data, o));
    f0t_status status = f0t_trainer_run(&miap, net, data, &objective, o, "", f->monitor);
    f0t_objective_free(&objective);
    return status;
}

/* What both nets have in common: one wide layer. Few images need fewer units, and fewer, larger steps: cross-validation
 * trains each net six times. */
static f0t_train_options net_options(const f0t_blend_fitting *f, size_t units, size_t images)
{
    f0t_train_options o = *f->options;
    const size_t most = images > SMALL_UNITS ? images : SMALL_UNITS;
    o.method = F0T_METHOD_NET;
    o.hidden_count = 1;
    o.hidden[0] = units < most ? units : most;
    if (f->small && o.batch == F0T_AUTO_COUNT)
        o.batch = images > SMALL_BATCHES ? images / SMALL_BATCHES : 1;
    if (f->small && o.epochs == F0T_AUTO_COUNT)
        o.epochs = SMALL_EPOCHS;
    o.hidden_dropout = 0.5;
    o.checkpoint = NULL;
    o.epoch = NULL;
    return o;
}

static void scale_epochs(f0t_train_options *o, const f0t_train_options *asked, double factor)
{
    if (asked->epochs == F0T_AUTO_COUNT)
        o->epochs = (size_t)((double)o->epochs * factor + 1);
    if (asked->patience == F0T_AUTO_COUNT)
        o->patience = f0t_train_patience(o->epochs);
}

f0t_status f0t_blend_train_direction(f0t_net **out, const f0t_blend_fitting *f,
                                     const f0t_samples *train, const f0t_samples *val,
                                     const float *vectors, double effort)
{
    const size_t dim = f->data->dim;
    f0t_samples paired = {0};
    f0t_train_options o =
        net_options(f, dim > DIRECTION_UNITS ? dim : (size_t)DIRECTION_UNITS, train->count);
    F0T_TRY(f0t_samples_pick(&paired, train, false));
    f0t_train_options_resolve(&o, paired.count, f->data->condition->dim, dim);
    scale_epochs(&o, f->options, DIRECTION_EPOCHS * effort);
    f0t_status status = create_net(out, f, &o, dim);
    const f0t_train_data data = {.dataset = f->data->dataset,
                                 .condition = f->data->condition,
                                 .train = &paired,
                                 .val = val,
                                 .tags = vectors,
                                 .dim = dim};
    if (status == F0T_OK && train->tags > 1 && paired.count) {
        status = f0t_net_set_random(*out, o.seed, F0T_OUTPUT_SCALE);
        if (status == F0T_OK)
            status = run_training(*out, f, &data, &o);
    }
    f0t_samples_free(&paired);
    return status == F0T_OK ? bring_home(out) : status;
}

/* ---- The direction's tags ---------------------------------------------------------------------------- */

static int by_count(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

f0t_status f0t_blend_choose_tags(uint32_t *place, size_t *count, const f0t_blend_fitting *f,
                                 const f0t_samples *train)
{
    const size_t tags = train->tags, dim = f->data->dim;
    uint64_t *
        order; /* images in the upper half, so that it sorts by them; then the tag, first ones first */
    F0T_TRY(f0t_alloc_zero(&order, tags, sizeof *order));
    for (size_t t = 0; t < tags; t++)
        order[t] = UINT32_MAX - (uint64_t)t;
    for (size_t i = 0; i < train->offsets[train->count]; i++)
        order[train->relevant[i]] += (uint64_t)1 << 32;
    qsort(order, tags, sizeof *order, by_count);
    for (size_t t = 0; t < tags; t++)
        place[t] = F0T_NO_SAMPLE_TAG;
    *count = 0;
    for (size_t i = 0; i < tags && *count < DIRECTION_TAGS; i++) {
        if ((order[i] >> 32) < 2)
            break;
        const size_t t = UINT32_MAX - (order[i] & UINT32_MAX);
        for (size_t j = 0; j < dim && place[t] == F0T_NO_SAMPLE_TAG; j++)
            if (f->data->vectors[t * dim + j] != 0)
                place[t] = 0;
        *count += place[t] == 0;
    }
    uint32_t next = 0;
    for (size_t t = 0; t < tags; t++)
        if (place[t] == 0)
            place[t] = next++;
    f0t_free(order);
    return F0T_OK;
}

static f0t_status take_vectors(float **out, const f0t_blend_fitting *f, const uint32_t *place,
                               size_t tags, size_t count)
{
    const size_t dim = f->data->dim;
    F0T_TRY(f0t_alloc(out, count * dim, sizeof **out));
    for (size_t t = 0; t < tags; t++)
        if (place[t] != F0T_NO_SAMPLE_TAG)
            memcpy(*out + place[t] * dim, f->data->vectors + t * dim, dim * sizeof **out);
    return F0T_OK;
}

static f0t_status train_some_tags(f0t_net **out, const f0t_blend_fitting *f,
                                  const f0t_samples *train, const f0t_samples *val,
                                  const uint32_t *place, size_t count, double effort)
{
    f0t_samples some = {0}, judged = {0};
    float *vectors = NULL;
    f0t_status status = f0t_samples_retag(&some, train, place, count);
    if (status == F0T_OK)
        status = f0t_samples_retag(&judged, val, place, count);
    if (status == F0T_OK)
        status = take_vectors(&vectors, f, place, train->tags, count);
    if (status == F0T_OK)
        status = f0t_blend_train_direction(out, f, &some, &judged, vectors, effort);
    f0t_samples_free(&some);
    f0t_samples_free(&judged);
    f0t_free(vectors);
    return status;
}

static f0t_status train_direction(f0t_net **out, const f0t_blend_fitting *f,
                                  const f0t_samples *train, const f0t_samples *val)
{
    uint32_t *place;
    size_t count = 0;
    F0T_TRY(f0t_alloc(&place, train->tags, sizeof *place));
    f0t_status status = f0t_blend_choose_tags(place, &count, f, train);
    if (!uses(f, F0T_EXPERT_DIRECTION)) { /* off: a net of no tags, which gives 0 */
        for (size_t t = 0; t < train->tags; t++)
            place[t] = F0T_NO_SAMPLE_TAG;
        count = 0;
    }
    if (status == F0T_OK)
        status = train_some_tags(out, f, train, val, place, count, 1);
    f0t_free(place);
    return status;
}

/* ---- The net with an output per tag ------------------------------------------------------------------- */

static size_t tags_units(const f0t_train_options *o, const f0t_samples *train, size_t features)
{
    const double each = (double)train->count * (double)o->epochs * (double)(features + train->tags);
    double units = TAGS_WORK / (each > 1 ? each : 1);
    units = units < 256 ? 256 : units > TAGS_UNITS ? TAGS_UNITS : units;
    return (size_t)units / 64 * 64;
}

/* The outputs begin at the tags' frequencies. */
static f0t_status set_frequencies(f0t_net *net, const float *frequency, size_t tags)
{
    float *bias;
    const size_t last = f0t_net_array_count(net) - 1;
    F0T_TRY(f0t_alloc(&bias, tags, sizeof *bias));
    for (size_t t = 0; t < tags; t++) {
        const float p = frequency[t] < 1e-4F ? 1e-4F : frequency[t] > 0.99F ? 0.99F : frequency[t];
        bias[t] = logf(p / (1 - p));
    }
    f0t_status status = f0t_net_array_set(net, last, bias);
    f0t_free(bias);
    return status;
}

static f0t_status train_tags(f0t_net **out, const f0t_blend_fitting *f, const f0t_samples *train,
                             const f0t_samples *val, const float *frequency)
{
    f0t_train_options o = net_options(f, TAGS_UNITS, train->count);
    const size_t features = f->data->condition->dim;
    o.loss = F0T_LOSS_LOGISTIC;
    f0t_train_options_resolve(&o, train->count, features, f->data->dim);
    const size_t affordable = tags_units(&o, train, features);
    o.hidden[0] = o.hidden[0] < affordable ? o.hidden[0] : affordable;
    const f0t_train_data data = {.dataset = f->data->dataset,
                                 .condition = f->data->condition,
                                 .train = train,
                                 .val = val,
                                 .dim = train->tags};
    F0T_TRY(create_net(out, f, &o, train->tags));
    F0T_TRY(f0t_net_set_random(*out, o.seed + 1, F0T_OUTPUT_SCALE));
    F0T_TRY(set_frequencies(*out, frequency, train->tags));
    F0T_TRY(run_training(*out, f, &data, &o));
    return bring_home(out);
}

/* Some more epochs at a low rate on all images, those held out among them: what is trained on more knows more. */
static f0t_status train_tags_on(f0t_net *net, const f0t_blend_fitting *f, const f0t_samples *all)
{
    f0t_train_options o = net_options(f, TAGS_UNITS, all->count);
    const f0t_samples none = {.tags = all->tags, .offsets = (size_t[]){0}};
    o.loss = F0T_LOSS_LOGISTIC;
    f0t_train_options_resolve(&o, all->count, f->data->condition->dim, f->data->dim);
    scale_epochs(&o, f->options, 0.15);
    o.rate *= 0.2;
    const f0t_train_data data = {.dataset = f->data->dataset,
                                 .condition = f->data->condition,
                                 .train = all,
                                 .val = &none,
                                 .dim = all->tags};
    return run_training(net, f, &data, &o);
}

/* ---- All experts ------------------------------------------------------------------------------------ */

static f0t_status count_frequency(float **out, const f0t_samples *train)
{
    F0T_TRY(f0t_alloc_zero(out, train->tags, sizeof **out));
    for (size_t i = 0; i < train->offsets[train->count]; i++)
        (*out)[train->relevant[i]] += 1;
    for (size_t t = 0; t < train->tags; t++)
        (*out)[t] /= (float)(train->count ? train->count : 1);
    return F0T_OK;
}

static f0t_status fit_neighbours(f0t_blend *b, const f0t_blend_fitting *f, const f0t_samples *some)
{
    float *rows;
    F0T_TRY(f0t_alloc(&rows, some->count * b->features, sizeof *rows));
    f0t_status status =
        f0t_condition_gather(rows, &f->unit, f->data->dataset, some->images, some->count);
    if (status == F0T_OK && uses(f, F0T_EXPERT_VOTES))
        status = f0t_votes_fit(&b->votes, rows, some->count, b->features, some->offsets,
                               some->relevant, b->tags, f->monitor);
    if (status == F0T_OK && uses(f, F0T_EXPERT_RIDGE))
        status = f0t_ridge_fit(&b->ridge, rows, some->count, b->features, some->offsets,
                               some->relevant, b->tags, f->monitor);
    f0t_free(rows);
    return status;
}

/* Votes, ridge and frequencies, in place of those there are. */
static f0t_status fit_counted(f0t_blend *b, const f0t_blend_fitting *f, const f0t_samples *train)
{
    f0t_samples some = {0};
    f0t_votes_free(b->votes);
    f0t_ridge_free(b->ridge);
    f0t_free(b->frequency);
    b->votes = NULL;
    b->ridge = NULL;
    F0T_TRY(count_frequency(&b->frequency, train));
    F0T_TRY(f0t_samples_thin(&some, train, NEIGHBOURS_MOST));
    f0t_status status = fit_neighbours(b, f, &some);
    f0t_samples_free(&some);
    return status;
}

/* Into an empty blend. */
static f0t_status fit_experts(f0t_blend *b, f0t_net **net, const f0t_blend_fitting *f,
                              const f0t_samples *train, const f0t_samples *val)
{
    F0T_TRY(fit_counted(b, f, train));
    if (uses(f, F0T_EXPERT_TAGS))
        F0T_TRY(train_tags(&b->own, f, train, val, b->frequency));
    F0T_TRY(train_direction(net, f, train, val));
    b->net = *net;
    return F0T_OK;
}

static f0t_status create_blend(f0t_blend **out, const f0t_blend_fitting *f)
{
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    (*out)->features = f->data->condition->dim;
    (*out)->tags = f->data->train->tags;
    (*out)->dim = f->data->dim;
    (*out)->condition = f->data->condition;
    (*out)->vectors = f->data->vectors;
    return F0T_OK;
}

/* ---- What experts say of held-out images -------------------------------------------------------------- */

static f0t_status open_held(f0t_held_out *h, const f0t_blend_fitting *f, const f0t_samples *images)
{
    const size_t tags = images->tags ? images->tags : 1;
    size_t most = PAIRS_MOST / tags < HELD_MOST ? PAIRS_MOST / tags : HELD_MOST;
    most = f->small ? images->count : most > HELD_LEAST ? most : HELD_LEAST; /* folds go by place */
    F0T_TRY(f0t_samples_thin(&h->truth, images, most));
    const size_t count = h->truth.count;
    F0T_TRY(f0t_alloc(&h->rows, count * f->data->condition->dim, sizeof *h->rows));
    F0T_TRY(f0t_condition_gather(h->rows, &f->unit, f->data->dataset, h->truth.images, count));
    F0T_TRY(f0t_alloc(&h->blend, count * tags, sizeof *h->blend));
    for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++)
        if (uses(f, (f0t_expert)e))
            F0T_TRY(f0t_alloc(&h->expert[e], count * tags, sizeof *h->expert[e]));
    return F0T_OK;
}

static void close_held(f0t_held_out *h)
{
    f0t_samples_free(&h->truth);
    f0t_free(h->rows);
    f0t_free(h->blend);
    for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++)
        f0t_free(h->expert[e]);
}

/* Images first, first + step, … of those held out. */
static f0t_status ask_experts(f0t_held_out *h, const f0t_blend *b, size_t first, size_t step)
{
    for (size_t i = first, n; i < h->truth.count; i += n * step) {
        float *to[F0T_LEARNED_EXPERTS] = {0};
        n = step > 1 ? 1 : h->truth.count - i < 256 ? h->truth.count - i : 256;
        for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++)
            to[e] = h->expert[e] ? h->expert[e] + i * b->tags : NULL;
        F0T_TRY(f0t_blend_experts(to, b, b->net, h->rows + i * b->features, n));
    }
    return F0T_OK;
}

static f0t_status ask_fold(f0t_blend_fitting *f, const f0t_samples *all, size_t fold)
{
    f0t_samples train = {0};
    const f0t_samples none = {.tags = all->tags, .offsets = (size_t[]){0}};
    f0t_blend *b = NULL;
    f0t_net *net = NULL;
    f0t_status status = f0t_samples_fold(&train, all, fold, FOLDS, false);
    if (status == F0T_OK)
        status = create_blend(&b, f);
    if (status == F0T_OK)
        status = fit_experts(b, &net, f, &train, &none);
    if (status == F0T_OK)
        status = ask_experts(&f->held, b, fold, FOLDS);
    f0t_samples_free(&train);
    f0t_blend_free(b);
    f0t_net_free(net);
    return status;
}

/* Images that fit the weights come first; the others then tell what a confidence is worth. Few serve for both. */
static size_t fitting_images(const f0t_held_out *h)
{
    return h->truth.count < HALVED_LEAST ? h->truth.count : h->truth.count / 2;
}

/* ---- Weights ----------------------------------------------------------------------------------------- */

/* A tag that no training image has is nobody's to predict. */
static f0t_status mark_truth(uint8_t **out, const f0t_held_out *h, const float *frequency)
{
    const size_t tags = h->truth.tags;
    F0T_TRY(f0t_alloc_zero(out, h->truth.count * tags, 1));
    for (size_t i = 0; i < h->truth.count; i++)
        for (size_t j = h->truth.offsets[i]; j < h->truth.offsets[i + 1]; j++)
            (*out)[i * tags + h->truth.relevant[j]] = frequency[h->truth.relevant[j]] > 0;
    return F0T_OK;
}

/* Standardised scores, with the tag's frequency, become probabilities. */
static void fit_direction(f0t_blend *b, f0t_held_out *h, const uint8_t *truth)
{
    const double usual[3] = {1, 0.8, -0.5};
    double weights[3];
    float *scores = h->expert[F0T_EXPERT_DIRECTION], *frequency = h->blend;
    const size_t pairs = h->truth.count * b->tags;
    for (size_t i = 0; i < pairs; i++)
        frequency[i] = logf(b->frequency[i % b->tags] + 1e-5F);
    f0t_logistic_fit(weights, usual, LOGISTIC_STRENGTH,
                     &(f0t_pairs_table){.pairs = fitting_images(h) * b->tags,
                                        .columns = 2,
                                        .column = {frequency, scores},
                                        .truth = truth});
    for (size_t i = 0; i < 3; i++)
        b->direction[i] = (float)weights[i];
    f0t_blend_direction_probabilities(scores, b, h->truth.count);
}

static void fit_mixture(f0t_blend *b, const f0t_held_out *h, const uint8_t *truth)
{
    f0t_pairs_table table = {.pairs = fitting_images(h) * b->tags, .truth = truth};
    double usual[F0T_LEARNED_EXPERTS], weights[F0T_LEARNED_EXPERTS], sum = 0;
    size_t who[F0T_LEARNED_EXPERTS];
    for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++) {
        if (!h->expert[e])
            continue;
        who[table.columns] = e;
        usual[table.columns] = USUAL_WEIGHTS[e];
        sum += USUAL_WEIGHTS[e];
        table.column[table.columns++] = h->expert[e];
    }
    for (size_t c = 0; c < table.columns; c++)
        usual[c] = sum > 0 ? usual[c] / sum : 1;
    f0t_mixture_fit(weights, usual, MIXTURE_STRENGTH, &table);
    for (size_t c = 0; c < table.columns; c++)
        b->weights[who[c]] = (float)weights[c];
}

static void mix_held(f0t_held_out *h, const f0t_blend *b)
{
    const size_t pairs = h->truth.count * b->tags;
    memset(h->blend, 0, pairs * sizeof *h->blend);
    for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++)
        for (size_t i = 0; i < pairs && h->expert[e]; i++)
            h->blend[i] += b->weights[e] * h->expert[e][i];
}

/* p becomes a logit, and that of the confidence. */
static void calibrate(f0t_blend *b, f0t_held_out *h, const uint8_t *truth)
{
    const double usual[2] = {1, 0};
    double weights[2];
    const size_t pairs = h->truth.count * b->tags;
    for (size_t i = 0; i < pairs; i++) {
        const float p = h->blend[i] < 1e-6F       ? 1e-6F
                        : h->blend[i] > 1 - 1e-6F ? 1 - 1e-6F
                                                  : h->blend[i];
        h->blend[i] = logf(p / (1 - p));
    }
    f0t_logistic_fit(weights, usual, LOGISTIC_STRENGTH,
                     &(f0t_pairs_table){.pairs = fitting_images(h) * b->tags,
                                        .columns = 1,
                                        .column = {h->blend},
                                        .truth = truth});
    for (size_t i = 0; i < 2; i++)
        b->calibration[i] = (float)(i ? weights[i] : fmax(weights[i], F0T_SLOPE_LEAST));
    for (size_t i = 0; i < pairs; i++)
        h->blend[i] = b->calibration[0] * h->blend[i] + b->calibration[1];
}

/* What sets of tags above each threshold are worth, by the images that fitted nothing. */
static f0t_status fit_risk(f0t_blend *b, const f0t_held_out *h)
{
    const size_t fitted = fitting_images(h), first = fitted < h->truth.count ? fitted : 0;
    f0t_samples rest = h->truth;
    rest.count -= first;
    rest.images += first;
    rest.offsets += first;
    return f0t_blend_risk(&b->risk, h->blend + first * b->tags, &rest);
}

f0t_status f0t_blend_risk(f0t_risk_curve *out, const float *logits, const f0t_samples *truth)
{
    float *confidence;
    const size_t pairs = truth->count * truth->tags;
    F0T_TRY(f0t_alloc(&confidence, pairs, sizeof *confidence));
    f0t_sigmoid(confidence, logits, pairs);
    f0t_status status = f0t_risk_curve_fit(out, confidence, truth);
    f0t_free(confidence);
    return status;
}

f0t_status f0t_blend_miap(double *out, const float *scores, const f0t_samples *truth)
{
    f0t_miap sum = {0};
    const f0t_ranking ranking = {.images = truth->count,
                                 .tags = truth->tags,
                                 .scores = scores,
                                 .offsets = truth->offsets,
                                 .relevant = truth->relevant};
    F0T_TRY(f0t_miap_add(&sum, &ranking));
    *out = 100 * f0t_miap_get(&sum);
    return F0T_OK;
}

/* What each expert gives alone, and all together. */
static f0t_status tell(double *miap, const f0t_blend_fitting *f)
{
    const f0t_held_out *h = &f->held;
    double alone;
    for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++) {
        if (!h->expert[e])
            continue;
        F0T_TRY(f0t_blend_miap(&alone, h->expert[e], &h->truth));
        f0t_log(f->monitor, F0T_LOG_INFO, "%-10s MiAP %5.2f on %zu images held out, weight %.2f",
                f0t_expert_name((f0t_expert)e), alone, h->truth.count,
                (double)f->blend->weights[e]);
    }
    F0T_TRY(f0t_blend_miap(miap, h->blend, &h->truth));
    f0t_log(f->monitor, F0T_LOG_INFO, "%-10s MiAP %5.2f", "blend", *miap);
    return F0T_OK;
}

static f0t_status fit_weights(double *miap, f0t_blend_fitting *f)
{
    uint8_t *truth;
    F0T_TRY(mark_truth(&truth, &f->held, f->blend->frequency));
    if (f->held.expert[F0T_EXPERT_DIRECTION])
        fit_direction(f->blend, &f->held, truth);
    fit_mixture(f->blend, &f->held, truth);
    mix_held(&f->held, f->blend);
    calibrate(f->blend, &f->held, truth);
    f0t_free(truth);
    F0T_TRY(fit_risk(f->blend, &f->held));
    return tell(miap, f);
}

/* ---- The whole --------------------------------------------------------------------------------------- */

static f0t_status fit_large(double *miap, f0t_blend_fitting *f, const f0t_samples *all)
{
    F0T_TRY(fit_experts(f->blend, &f->net, f, f->data->train, f->data->val));
    F0T_TRY(open_held(&f->held, f, f->data->val));
    F0T_TRY(ask_experts(&f->held, f->blend, 0, 1));
    F0T_TRY(fit_weights(miap, f));
    if (f->blend->own)
        F0T_TRY(train_tags_on(f->blend->own, f, all));
    F0T_TRY(fit_counted(f->blend, f, all));
    return f0t_blend_fit_words(f); /* while f->data is without the images held out */
}

static f0t_status fit_small(double *miap, f0t_blend_fitting *f, const f0t_samples *all)
{
    const f0t_samples none = {.tags = all->tags, .offsets = (size_t[]){0}};
    F0T_TRY(open_held(&f->held, f, all));
    for (size_t fold = 0; fold < FOLDS; fold++)
        F0T_TRY(ask_fold(f, all, fold));
    F0T_TRY(fit_experts(f->blend, &f->net, f, all, &none));
    F0T_TRY(fit_weights(miap, f));
    return f0t_blend_fit_words(f);
}

/* Where hardly any validation image was given, a tenth of all is held out. */
static f0t_status fit_divided(double *miap, f0t_blend_fitting *f, const f0t_samples *all)
{
    f0t_samples train = {0}, val = {0};
    f0t_blend_data data = *f->data;
    const f0t_blend_data *given = f->data;
    f0t_status status = f0t_samples_fold(&train, all, 0, HELD_SHARE, false);
    if (status == F0T_OK)
        status = f0t_samples_fold(&val, all, 0, HELD_SHARE, true);
    data.train = &train;
    data.val = &val;
    f->data = &data;
    if (status == F0T_OK)
        status = fit_large(miap, f, all);
    f->data = given;
    f0t_samples_free(&train);
    f0t_samples_free(&val);
    return status;
}

static f0t_status fit_by_size(double *miap, f0t_blend_fitting *f, const f0t_samples *all)
{
    if (all->count < 2)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: has one image to learn from; a blend needs two",
                        f0t_dataset_path(f->data->dataset));
    f->small = all->count < SMALL;
    if (f->small)
        return fit_small(miap, f, all);
    return f->data->val->count < HELD_LEAST ? fit_divided(miap, f, all) : fit_large(miap, f, all);
}

static f0t_status fit_all(double *miap, f0t_blend_fitting *f)
{
    f0t_samples all = {0};
    F0T_TRY(f0t_condition_create(&f->unit, F0T_CONDITION_UNIT, f->data->dataset, f->data->train,
                                 f->monitor));
    F0T_TRY(create_blend(&f->blend, f));
    F0T_TRY(f0t_samples_join(&all, f->data->train, f->data->val));
    f0t_status status = fit_by_size(miap, f, &all);
    f0t_samples_free(&all);
    return status;
}

f0t_status f0t_blend_fit(f0t_blend **out, f0t_net **net, double *miap, const f0t_blend_data *data,
                         const f0t_train_options *options, const f0t_monitor *monitor)
{
    f0t_blend_fitting f = {.data = data, .options = options, .monitor = monitor};
    *out = NULL;
    *net = NULL;
    f0t_status status = fit_all(miap, &f);
    f0t_condition_free(&f.unit);
    close_held(&f.held);
    if (status != F0T_OK) {
        f0t_blend_free(f.blend);
        f0t_net_free(f.net);
        return status;
    }
    *out = f.blend;
    *net = f.net;
    return F0T_OK;
}
