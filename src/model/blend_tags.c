/* The network of a blend that has an output per tag. */
#include "model/blend_fit.h"

#include "base/alloc.h"
#include "model/options.h"
#include "model/trainer.h"

#include <math.h>
#include <string.h>

enum {
    UNITS_MOST = 2048,
    UNITS_LEAST = 256,
    UNITS_ENOUGH = 1024, /* more of them are worth less than more epochs */
    MANY = 512           /* tags, of which most are rare: these want more epochs */
};
static const double EPOCHS_MOST = 2; /* of the usual */
/* Multiplications of the training: fewer epochs and units where there are many tags. */
static const double WORK_MOST = 3.2e12;

/* The epochs, and the units of the layer. */
static void plan(f0t_train_options *o, const f0t_blend_fitting *f, const f0t_samples *train)
{
    const double epoch = (double)train->count * (double)(f->data->condition->dim + train->tags);
    const double most = WORK_MOST / (epoch > 1 ? epoch : 1); /* units x epochs */
    const double more = most / ((double)o->epochs * UNITS_ENOUGH);
    if (train->tags >= MANY && !f->small && more > 1)
        f0t_blend_scale_epochs(o, f->options, fmin(more, EPOCHS_MOST));
    const double units = fmin(fmax(most / (double)o->epochs, UNITS_LEAST), UNITS_MOST);
    const size_t affordable = (size_t)units / 64 * 64;
    o->hidden[0] = o->hidden[0] < affordable ? o->hidden[0] : affordable;
}

/* The logits of the tags' frequencies. */
static void frequency_logits(float *to, const float *frequency, size_t tags)
{
    for (size_t t = 0; t < tags; t++) {
        const float p = frequency[t] < 1e-4F ? 1e-4F : frequency[t] > 0.99F ? 0.99F : frequency[t];
        to[t] = logf(p / (1 - p));
    }
}

/* place[T]: tags that two images have at least; how many. One image is no rule to learn, and such tags are half of
 * people's keywords. */
static size_t choose_repeated(uint32_t *place, const f0t_samples *train)
{
    uint32_t count = 0;
    memset(place, 0, train->tags * sizeof *place);
    for (size_t i = 0; i < train->offsets[train->count]; i++)
        place[train->relevant[i]] += place[train->relevant[i]] < 2;
    for (size_t t = 0; t < train->tags; t++)
        place[t] = place[t] == 2 ? count++ : F0T_NO_SAMPLE_TAG;
    return count;
}

/* to[T x cols], with the rows of from[K x cols] in their places. */
static void place_rows(float *to, const float *from, const uint32_t *place, size_t tags,
                       size_t cols)
{
    for (size_t t = 0; t < tags; t++)
        if (place[t] != F0T_NO_SAMPLE_TAG)
            memcpy(to + t * cols, from + place[t] * cols, cols * sizeof *to);
}

/* Array i of the net with all outputs: of tags that were not learned weights are 0, and the bias is their frequency. */
static f0t_status widen_array(f0t_net *wide, const f0t_net *net, size_t i, const uint32_t *place,
                              const float *frequency)
{
    const size_t last = f0t_net_array_count(net) - 1;
    const f0t_model_array from = f0t_net_array(net, i), to = f0t_net_array(wide, i);
    float *numbers, *all = NULL;
    F0T_TRY(f0t_alloc(&numbers, from.rows * from.cols, sizeof *numbers));
    f0t_status status = f0t_net_array_get(numbers, net, i);
    if (status == F0T_OK && i + 1 < last)
        status = f0t_net_array_set(wide, i, numbers);
    else if (status == F0T_OK)
        status = f0t_alloc_zero(&all, to.rows * to.cols, sizeof *all);
    if (status == F0T_OK && all) {
        if (i == last)
            frequency_logits(all, frequency, to.cols);
        place_rows(all, numbers, place, i == last ? to.cols : to.rows, i == last ? 1 : to.cols);
        status = f0t_net_array_set(wide, i, all);
    }
    f0t_free(numbers);
    f0t_free(all);
    return status;
}

static f0t_status widen(f0t_net **net, const f0t_blend_fitting *f, const f0t_train_options *o,
                        const uint32_t *place, const float *frequency, size_t tags)
{
    f0t_net *wide;
    F0T_TRY(f0t_blend_create_net(&wide, f, o, tags));
    f0t_status status = F0T_OK;
    for (size_t i = 0; i < f0t_net_array_count(wide) && status == F0T_OK; i++)
        status = widen_array(wide, *net, i, place, frequency);
    f0t_net_free(*net);
    *net = wide;
    return status;
}

/* A net of `train`'s tags, which begins at their frequencies. */
static f0t_status train_tags(f0t_net **out, const f0t_blend_fitting *f, const f0t_train_options *o,
                             const f0t_samples *train, const f0t_samples *val,
                             const float *frequency)
{
    float *bias;
    const f0t_train_data data = {.dataset = f->data->dataset,
                                 .condition = f->data->condition,
                                 .train = train,
                                 .val = val,
                                 .dim = train->tags};
    F0T_TRY(f0t_blend_create_net(out, f, o, train->tags));
    F0T_TRY(f0t_net_set_random(*out, o->seed + 1, F0T_OUTPUT_SCALE));
    F0T_TRY(f0t_alloc(&bias, train->tags, sizeof *bias));
    frequency_logits(bias, frequency, train->tags);
    f0t_status status = f0t_net_array_set(*out, f0t_net_array_count(*out) - 1, bias);
    f0t_free(bias);
    return status == F0T_OK ? f0t_blend_run_training(*out, f, &data, o) : status;
}

/* Of the tags in their places, then with an output for every tag. */
static f0t_status learn_placed(f0t_net **out, const f0t_blend_fitting *f, const f0t_samples *train,
                               const f0t_samples *val, const float *frequency,
                               const uint32_t *place, size_t count)
{
    f0t_samples some = {0}, judged = {0};
    float *counted = NULL;
    const size_t features = f->data->condition->dim;
    f0t_train_options o = f0t_blend_net_options(f, UNITS_MOST, train->count);
    o.loss = F0T_LOSS_LOGISTIC;
    f0t_train_options_resolve(&o, train->count, features, f->data->dim);
    f0t_status status = f0t_samples_retag(&some, train, place, count);
    if (status == F0T_OK)
        status = f0t_samples_retag(&judged, val, place, count);
    if (status == F0T_OK)
        status = f0t_alloc(&counted, count, sizeof *counted);
    if (status == F0T_OK) {
        for (size_t t = 0; t < train->tags; t++)
            if (place[t] != F0T_NO_SAMPLE_TAG)
                counted[place[t]] = frequency[t];
        plan(&o, f, &some);
        status = train_tags(out, f, &o, &some, &judged, counted);
    }
    if (status == F0T_OK && count < train->tags)
        status = widen(out, f, &o, place, frequency, train->tags);
    f0t_samples_free(&some);
    f0t_samples_free(&judged);
    f0t_free(counted);
    return status == F0T_OK ? f0t_net_bring_home(out) : status;
}

f0t_status f0t_blend_learn_tags(f0t_net **out, const f0t_blend_fitting *f, const f0t_samples *train,
                                const f0t_samples *val, const float *frequency)
{
    uint32_t *place;
    F0T_TRY(f0t_alloc(&place, train->tags, sizeof *place));
    size_t count = choose_repeated(place, train);
    if (!count) /* all of them, then */
        for (; count < train->tags; count++)
            place[count] = (uint32_t)count;
    f0t_status status = learn_placed(out, f, train, val, frequency, place, count);
    f0t_free(place);
    return status;
}

/* A net that is at home goes on where the context computes. */
static f0t_status train_there(f0t_net *net, const f0t_blend_fitting *f, const f0t_train_data *data,
                              const f0t_train_options *o)
{
    f0t_net *there;
    if (f0t_compute_current()->shares_memory)
        return f0t_blend_run_training(net, f, data, o);
    F0T_TRY(f0t_net_create_copy(&there, f0t_compute_current(), net));
    f0t_status status = f0t_blend_run_training(there, f, data, o);
    if (status == F0T_OK)
        status = f0t_net_copy(net, there);
    f0t_net_free(there);
    return status;
}

f0t_status f0t_blend_learn_more_tags(f0t_net *net, const f0t_blend_fitting *f,
                                     const f0t_samples *all)
{
    f0t_train_options o = f0t_blend_net_options(f, UNITS_MOST, all->count);
    const f0t_samples none = {.tags = all->tags, .offsets = (size_t[]){0}};
    o.loss = F0T_LOSS_LOGISTIC;
    f0t_train_options_resolve(&o, all->count, f->data->condition->dim, f->data->dim);
    f0t_blend_scale_epochs(&o, f->options, 0.15);
    o.rate *= 0.2;
    const f0t_train_data data = {.dataset = f->data->dataset,
                                 .condition = f->data->condition,
                                 .train = all,
                                 .val = &none,
                                 .dim = all->tags};
    return train_there(net, f, &data, &o);
}
