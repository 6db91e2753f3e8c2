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

static f0t_train_options tags_options(const f0t_blend_fitting *f, size_t images)
{
    f0t_train_options o = f0t_blend_net_options(f, UNITS_MOST, images);
    o.loss = F0T_LOSS_LOGISTIC;
    f0t_train_options_resolve(&o, images, f->data->condition->dim, f->data->dim);
    return o;
}

/* Of learning on, with a net that knows its tags. */
static f0t_train_options more_options(const f0t_blend_fitting *f, size_t images)
{
    f0t_train_options o = tags_options(f, images);
    f0t_blend_scale_epochs(&o, f->options, 0.15);
    o.rate *= 0.2;
    return o;
}

double f0t_blend_tags_cost(const f0t_blend_fitting *f, const f0t_samples *train, bool more)
{
    f0t_train_options o = tags_options(f, train->count);
    plan(&o, f, train);
    const double epochs = (double)(more ? more_options(f, train->count).epochs : o.epochs);
    const size_t layers = o.hidden[0] * (f->data->condition->dim + train->tags);
    return f0t_blend_uses(f, F0T_EXPERT_TAGS) ? epochs * (double)train->count * (double)layers : 0;
}

/* place[T]: tags that two images have at least; how many. One image is no rule to learn, and such tags are half of
 * people's keywords. Of few images all tags are learned. */
static size_t choose_tags(uint32_t *place, const f0t_blend_fitting *f, const f0t_samples *train)
{
    uint32_t count = 0;
    memset(place, 0, train->tags * sizeof *place);
    for (size_t i = 0; i < train->offsets[train->count]; i++)
        place[train->relevant[i]] += place[train->relevant[i]] < 2;
    for (size_t t = 0; t < train->tags; t++)
        place[t] = f->small || place[t] == 2 ? count++ : F0T_NO_SAMPLE_TAG;
    return count;
}

/* Array i from a net of the tags in their places to that of all tags, or `back`. Other rows stay. */
static f0t_status pass_array(f0t_net *all, f0t_net *some, size_t i, const uint32_t *place,
                             bool back)
{
    const size_t last = f0t_net_array_count(all) - 1;
    const f0t_model_array wide = f0t_net_array(all, i), narrow = f0t_net_array(some, i);
    const size_t tags = i == last ? wide.cols : wide.rows, cols = i == last ? 1 : wide.cols;
    float *a = NULL, *s = NULL;
    f0t_status status = f0t_alloc(&a, wide.rows * wide.cols, sizeof *a);
    if (status == F0T_OK)
        status = f0t_alloc(&s, narrow.rows * narrow.cols, sizeof *s);
    if (status == F0T_OK)
        status = f0t_net_array_get(a, all, i);
    if (status == F0T_OK)
        status = f0t_net_array_get(s, some, i);
    if (status == F0T_OK && i + 1 < last) /* of a hidden layer */
        status = back ? f0t_net_array_set(some, i, a) : f0t_net_array_set(all, i, s);
    else if (status == F0T_OK) {
        for (size_t t = 0; t < tags; t++)
            if (place[t] != F0T_NO_SAMPLE_TAG)
                memcpy(back ? s + place[t] * cols : a + t * cols,
                       back ? a + t * cols : s + place[t] * cols, cols * sizeof *a);
        status = back ? f0t_net_array_set(some, i, s) : f0t_net_array_set(all, i, a);
    }
    f0t_free(a);
    f0t_free(s);
    return status;
}

static f0t_status pass_arrays(f0t_net *all, f0t_net *some, const uint32_t *place, bool back)
{
    for (size_t i = 0; i < f0t_net_array_count(all); i++)
        F0T_TRY(pass_array(all, some, i, place, back));
    return F0T_OK;
}

/* The outputs begin at the tags' frequencies. */
static f0t_status set_frequencies(f0t_net *net, const float *frequency, size_t tags)
{
    float *bias;
    F0T_TRY(f0t_alloc(&bias, tags, sizeof *bias));
    for (size_t t = 0; t < tags; t++) {
        const float p = frequency[t] < 1e-4F ? 1e-4F : frequency[t] > 0.99F ? 0.99F : frequency[t];
        bias[t] = logf(p / (1 - p));
    }
    f0t_status status = f0t_net_array_set(net, f0t_net_array_count(net) - 1, bias);
    f0t_free(bias);
    return status;
}

/* Of tags that were not learned weights are 0. */
static f0t_status widen(f0t_net **net, const f0t_blend_fitting *f, const f0t_train_options *o,
                        const uint32_t *place, const float *frequency, size_t tags)
{
    f0t_net *all;
    F0T_TRY(f0t_blend_create_net(&all, f, o, tags));
    f0t_status status = set_frequencies(all, frequency, tags);
    if (status == F0T_OK)
        status = pass_arrays(all, *net, place, false);
    f0t_net_free(*net);
    *net = all;
    return status;
}

static f0t_status train_tags(f0t_net **out, const f0t_blend_fitting *f, const f0t_train_options *o,
                             const f0t_samples *train, const f0t_samples *val,
                             const float *frequency)
{
    const f0t_train_data data = {.dataset = f->data->dataset,
                                 .condition = f->data->condition,
                                 .train = train,
                                 .val = val,
                                 .dim = train->tags};
    F0T_TRY(f0t_blend_create_net(out, f, o, train->tags));
    F0T_TRY(f0t_net_set_random(*out, o->seed + 1, F0T_OUTPUT_SCALE));
    F0T_TRY(set_frequencies(*out, frequency, train->tags));
    return f0t_blend_run_training(*out, f, &data, o);
}

/* Of the tags in their places, then with an output for every tag. */
static f0t_status learn_placed(f0t_net **out, const f0t_blend_fitting *f, const f0t_samples *train,
                               const f0t_samples *val, const float *frequency,
                               const uint32_t *place, size_t count)
{
    f0t_samples some = {0}, judged = {0};
    float *counted = NULL;
    f0t_train_options o = tags_options(f, train->count);
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
    size_t count = choose_tags(place, f, train);
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
    const f0t_train_options o = more_options(f, all->count);
    const f0t_samples none = {.tags = all->tags, .offsets = (size_t[]){0}};
    const f0t_train_data data = {.dataset = f->data->dataset,
                                 .condition = f->data->condition,
                                 .train = all,
                                 .val = &none,
                                 .dim = all->tags};
    return train_there(net, f, &data, &o);
}

/* The outputs of tags in their places learn on, the others stay. */
static f0t_status go_on_placed(f0t_net *net, const f0t_blend_fitting *f, const f0t_samples *all,
                               const uint32_t *place, size_t count)
{
    f0t_samples some = {0};
    f0t_net_shape shape = *f0t_net_get_shape(net);
    f0t_net *narrow = NULL;
    shape.outputs = count;
    f0t_status status = f0t_samples_retag(&some, all, place, count);
    if (status == F0T_OK)
        status = f0t_net_create(&narrow, net->compute, &shape, f0t_net_get_precision(net));
    if (status == F0T_OK)
        status = pass_arrays(net, narrow, place, true);
    if (status == F0T_OK)
        status = f0t_blend_learn_more_tags(narrow, f, &some);
    if (status == F0T_OK)
        status = pass_arrays(net, narrow, place, false);
    f0t_samples_free(&some);
    f0t_net_free(narrow);
    return status;
}

f0t_status f0t_blend_go_on_with_tags(f0t_net *net, const f0t_blend_fitting *f,
                                     const f0t_samples *all)
{
    uint32_t *place;
    F0T_TRY(f0t_alloc(&place, all->tags, sizeof *place));
    const size_t count = choose_tags(place, f, f->data->train);
    f0t_status status = count && count < all->tags ? go_on_placed(net, f, all, place, count)
                                                   : f0t_blend_learn_more_tags(net, f, all);
    f0t_free(place);
    return status;
}
