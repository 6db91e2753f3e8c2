/* The networks of a blend: how they are trained, and the direction. blend_tags.c has the one with an output per tag. */
#include "model/blend_fit.h"

#include "base/alloc.h"
#include "model/blend_teacher.h"
#include "model/checkpoint.h"
#include "model/options.h"
#include "model/trainer.h"

#include <stdlib.h>
#include <string.h>

enum {
    SMALL_UNITS = 128,
    SMALL_BATCHES = 8, /* per epoch */
    SMALL_EPOCHS = 60,
    DIRECTION_UNITS = 1024,
    DIRECTION_TAGS = 1000 /* the most frequent ones: rare ones teach a direction little */
};
/* A wide layer with much dropout wants more epochs than training has otherwise. */
static const double DIRECTION_EPOCHS = 1.6;
/* With a teacher a step tells more. */
static const double TAUGHT_EPOCHS = 1.2;

/* ---- Training ---------------------------------------------------------------------------------------- */

f0t_status f0t_blend_create_net(f0t_net **out, const f0t_blend_fitting *f,
                                const f0t_train_options *o, size_t outputs)
{
    f0t_net_shape shape = {.inputs = f->data->condition->dim,
                           .hidden_count = o->hidden_count,
                           .outputs = outputs,
                           .bias = true};
    memcpy(shape.hidden, o->hidden, sizeof o->hidden);
    F0T_TRY(f0t_net_shape_check(&shape));
    return f0t_net_create(out, f0t_compute_current(), &shape, o->bf16 ? F0T_BF16 : F0T_F32);
}

bool f0t_blend_has_teacher(const f0t_blend_fitting *f)
{
    return f0t_blend_has_classes(f) &&
           f0t_teacher_can(f->data->class_vectors, f0t_classes_count(f->data->classes),
                           f->data->dim);
}

static f0t_status run_taught(f0t_net *net, const f0t_blend_fitting *f, const f0t_train_data *data,
                             const f0t_train_options *o, const char *identity)
{
    f0t_teacher *teacher;
    double miap;
    F0T_TRY(f0t_teacher_create(&teacher, f->data->classes, f->data->class_vectors, data, o,
                               f->monitor));
    const f0t_objective objective = f0t_teacher_objective(teacher);
    f0t_status status = f0t_trainer_run(&miap, net, data, &objective, o, identity, f->monitor);
    f0t_teacher_free(teacher);
    return status;
}

static f0t_status run_trainer(f0t_net *net, const f0t_blend_fitting *f, const f0t_train_data *from,
                              const f0t_train_options *o, const char *identity)
{
    f0t_train_data data = *from;
    f0t_objective objective;
    double miap;
    data.done = f->done;
    if (data.tags && f0t_blend_has_teacher(f))
        return run_taught(net, f, &data, o, identity);
    F0T_TRY(f0t_objective_ranking(&objective, &data, o));
    f0t_status status = f0t_trainer_run(&miap, net, &data, &objective, o, identity, f->monitor);
    f0t_objective_free(&objective);
    return status;
}

/* Nets are trained one after the other, each time in the same order: one that the checkpoint has is taken from there. The
 * other experts are learned anew, which takes less. */
f0t_status f0t_blend_run_training(f0t_net *net, const f0t_blend_fitting *f,
                                  const f0t_train_data *data, const f0t_train_options *o)
{
    const char *identity = f->data->identity ? f->data->identity : "";
    bool found = false;
    if (!o->checkpoint)
        return run_trainer(net, f, data, o, identity);
    if (o->resume)
        F0T_TRY(f0t_checkpoint_load_done(net, &found, o->checkpoint, identity, f->done->count));
    if (!found)
        F0T_TRY(run_trainer(net, f, data, o, identity));
    F0T_TRY(f0t_net_list_add(f->done, net));
    return found ? F0T_OK : f0t_checkpoint_save(o->checkpoint, identity, f->done, NULL, NULL, NULL);
}

/* What both nets have in common: one wide layer. Few images need fewer units, and fewer, larger steps: cross-validation
 * trains each net six times. */
f0t_train_options f0t_blend_net_options(const f0t_blend_fitting *f, size_t units, size_t images)
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
    o.epoch = NULL;
    return o;
}

void f0t_blend_scale_epochs(f0t_train_options *o, const f0t_train_options *asked, double factor)
{
    if (asked->epochs == F0T_AUTO_COUNT)
        o->epochs = (size_t)((double)o->epochs * factor + 1);
    if (asked->patience == F0T_AUTO_COUNT)
        o->patience = f0t_train_patience(o->epochs);
}

/* ---- The direction --------------------------------------------------------------------------------- */

/* Of `images`, of which `paired` have tags to learn from. */
static f0t_train_options direction_options(const f0t_blend_fitting *f, size_t images, size_t paired,
                                           double effort)
{
    const size_t dim = f->data->dim;
    f0t_train_options o =
        f0t_blend_net_options(f, dim > DIRECTION_UNITS ? dim : (size_t)DIRECTION_UNITS, images);
    f0t_train_options_resolve(&o, paired, f->data->condition->dim, dim);
    f0t_blend_scale_epochs(&o, f->options,
                           (f0t_blend_has_teacher(f) ? TAUGHT_EPOCHS : DIRECTION_EPOCHS) * effort);
    return o;
}

double f0t_blend_direction_cost(const f0t_blend_fitting *f, const f0t_samples *train, double effort)
{
    const size_t dim = f->data->dim,
                 tags = train->tags < DIRECTION_TAGS ? train->tags : DIRECTION_TAGS;
    const f0t_train_options o = direction_options(f, train->count, train->count, effort);
    const size_t layers = o.hidden[0] * (f->data->condition->dim + dim);
    return f0t_blend_uses(f, F0T_EXPERT_DIRECTION)
               ? (double)o.epochs * (double)train->count * (double)(layers + tags * dim)
               : 0;
}

f0t_status f0t_blend_train_direction(f0t_net **out, const f0t_blend_fitting *f,
                                     const f0t_samples *train, const f0t_samples *val,
                                     const float *vectors, double effort)
{
    const size_t dim = f->data->dim;
    f0t_samples paired = {0};
    F0T_TRY(f0t_samples_pick(&paired, train, false));
    const f0t_train_options o = direction_options(f, train->count, paired.count, effort);
    f0t_status status = f0t_blend_create_net(out, f, &o, dim);
    const f0t_train_data data = {.dataset = f->data->dataset,
                                 .condition = f->data->condition,
                                 .train = &paired,
                                 .val = val,
                                 .tags = vectors,
                                 .dim = dim};
    if (status == F0T_OK && train->tags > 1 && paired.count) {
        status = f0t_net_set_random(*out, o.seed, F0T_OUTPUT_SCALE);
        if (status == F0T_OK)
            status = f0t_blend_run_training(*out, f, &data, &o);
    }
    f0t_samples_free(&paired);
    return status == F0T_OK ? f0t_net_bring_home(out) : status;
}
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

f0t_status f0t_blend_learn_direction(f0t_net **out, const f0t_blend_fitting *f,
                                     const f0t_samples *train, const f0t_samples *val)
{
    uint32_t *place;
    size_t count = 0;
    F0T_TRY(f0t_alloc(&place, train->tags, sizeof *place));
    f0t_status status = f0t_blend_choose_tags(place, &count, f, train);
    if (!f0t_blend_uses(f, F0T_EXPERT_DIRECTION)) { /* off: a net of no tags, which gives 0 */
        for (size_t t = 0; t < train->tags; t++)
            place[t] = F0T_NO_SAMPLE_TAG;
        count = 0;
    }
    if (status == F0T_OK)
        status = train_some_tags(out, f, train, val, place, count, 1);
    f0t_free(place);
    return status;
}
