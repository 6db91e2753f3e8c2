#include "model/blend_teacher.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "base/team.h"
#include "math/elementwise.h"
#include "model/blend.h"
#include "model/samples.h"
#include "word/classes.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = 256,
    JUDGED = 2000, /* images that say which classes are probable */
    WHOLE = 255    /* a probability of 1 as it is kept */
};
static const float WEIGHT = 0.05F;

struct f0t_teacher {
    size_t tags, classes;   /* T, and those that were chosen */
    float *vectors;         /* [(T + classes) x d] */
    uint8_t *probabilities; /* [samples x classes] */
    f0t_loss_plan *plan;
    float *ranked;  /* [batch x T] scores of the tags alone, then their gradient */
    double *losses; /* [batch] */
};

void f0t_teacher_free(f0t_teacher *t)
{
    if (!t)
        return;
    f0t_free(t->vectors);
    f0t_free(t->probabilities);
    f0t_loss_plan_free(t->plan);
    f0t_free(t->ranked);
    f0t_free(t->losses);
    f0t_free(t);
}

bool f0t_teacher_can(const float *vectors, size_t count, size_t dim)
{
    size_t known = 0;
    for (size_t c = 0; c < count; c++)
        known += f0t_has_vector(vectors + c * dim, dim);
    return known > 1 && 5 * known >= 4 * count;
}

/* ---- What the network says of the images -------------------------------------------------------------- */

/* Takes p[rows x C] of samples [first, first + rows). */
typedef void (*take_rows)(void *user, const float *p, size_t first, size_t rows);

static f0t_status ask_block(float *p, float *features, const f0t_classes *classes,
                            const f0t_dataset *dataset, const uint32_t *images, size_t rows)
{
    for (size_t r = 0; r < rows; r++)
        F0T_TRY(f0t_dataset_read_features(features + r * classes->dim, dataset, images[r], 1));
    F0T_TRY(f0t_classes_logits(p, classes, features, rows));
    for (size_t r = 0; r < rows; r++)
        f0t_softmax(p + r * classes->count, p + r * classes->count, classes->count);
    return F0T_OK;
}

static f0t_status ask(const f0t_classes *classes, const f0t_dataset *dataset,
                      const f0t_samples *samples, take_rows take, void *user,
                      const f0t_monitor *monitor)
{
    float *features = NULL, *p = NULL;
    f0t_stage stage =
        f0t_stage_begin(monitor, "asking the network's classes", "images", samples->count);
    f0t_status status = f0t_alloc(&features, BLOCK * classes->dim, sizeof *features);
    if (status == F0T_OK)
        status = f0t_alloc(&p, BLOCK * classes->count, sizeof *p);
    for (size_t first = 0; first < samples->count && status == F0T_OK; first += BLOCK) {
        const size_t left = samples->count - first, rows = left < BLOCK ? left : BLOCK;
        status = f0t_stage_update(&stage, first);
        if (status == F0T_OK)
            status = ask_block(p, features, classes, dataset, samples->images + first, rows);
        if (status == F0T_OK)
            take(user, p, first, rows);
    }
    if (status == F0T_OK)
        f0t_stage_end(&stage);
    f0t_free(features);
    f0t_free(p);
    return status;
}

/* ---- The classes that teach --------------------------------------------------------------------------- */

/* How probable each class is over all images. */
typedef struct class_sums {
    size_t count;
    double *sums; /* [count] */
} class_sums;

static void add_rows(void *user, const float *p, size_t first, size_t rows)
{
    const class_sums *s = user;
    (void)first;
    for (size_t i = 0; i < rows * s->count; i++)
        s->sums[i % s->count] += (double)p[i];
}

/* The next most probable class, the first among equals; sums of those taken are -1. */
static size_t take_best(class_sums *s)
{
    size_t best = 0;
    for (size_t c = 1; c < s->count; c++)
        best = s->sums[c] > s->sums[best] ? c : best;
    const bool left = s->sums[best] >= 0;
    s->sums[best] = -1;
    return left ? best : F0T_NONE;
}

/* The classes that were chosen, with a layer of their own, and their vectors behind those of the tags. */
static f0t_status gather(f0t_classes *some, f0t_teacher *t, class_sums *sums,
                         const f0t_classes *classes, const float *vectors,
                         const f0t_train_data *data)
{
    const size_t most = classes->count < F0T_TEACHER_CLASSES ? classes->count : F0T_TEACHER_CLASSES;
    const size_t dim = data->dim, D = classes->dim;
    *some = (f0t_classes){.dim = D};
    F0T_TRY(f0t_alloc(&some->weights, most * D, sizeof *some->weights));
    F0T_TRY(f0t_alloc(&some->bias, most, sizeof *some->bias));
    F0T_TRY(f0t_alloc(&t->vectors, (t->tags + most) * dim, sizeof *t->vectors));
    memcpy(t->vectors, data->tags, t->tags * dim * sizeof *t->vectors);
    for (size_t c; some->count < most && (c = take_best(sums)) != F0T_NONE; some->count++) {
        memcpy(some->weights + some->count * D, classes->weights + c * D, D * sizeof(float));
        some->bias[some->count] = classes->bias[c];
        memcpy(t->vectors + (t->tags + some->count) * dim, vectors + c * dim,
               dim * sizeof *vectors);
    }
    t->classes = some->count;
    return F0T_OK;
}

static f0t_status choose(f0t_classes *some, f0t_teacher *t, const f0t_classes *classes,
                         const float *vectors, const f0t_train_data *data,
                         const f0t_monitor *monitor)
{
    f0t_samples judged = {0};
    class_sums sums = {.count = classes->count};
    f0t_status status = f0t_samples_thin(&judged, data->train, JUDGED);
    if (status == F0T_OK)
        status = f0t_alloc_zero(&sums.sums, sums.count, sizeof *sums.sums);
    if (status == F0T_OK)
        status = ask(classes, data->dataset, &judged, add_rows, &sums, monitor);
    for (size_t c = 0; c < sums.count && status == F0T_OK; c++)
        if (!f0t_has_vector(vectors + c * data->dim, data->dim))
            sums.sums[c] = -1;
    if (status == F0T_OK)
        status = gather(some, t, &sums, classes, vectors, data);
    f0t_samples_free(&judged);
    f0t_free(sums.sums);
    return status;
}

static void keep_rows(void *user, const float *p, size_t first, size_t rows)
{
    const f0t_teacher *t = user;
    uint8_t *to = t->probabilities + first * t->classes;
    for (size_t i = 0; i < rows * t->classes; i++)
        to[i] = (uint8_t)lrintf(p[i] * WHOLE);
}

static f0t_status learn(f0t_teacher *t, const f0t_classes *classes, const float *vectors,
                        const f0t_train_data *data, const f0t_monitor *monitor)
{
    f0t_classes some = {0};
    f0t_status status = choose(&some, t, classes, vectors, data, monitor);
    if (status == F0T_OK)
        status = f0t_alloc(&t->probabilities, data->train->count * t->classes, 1);
    if (status == F0T_OK)
        status = ask(&some, data->dataset, data->train, keep_rows, t, monitor);
    f0t_free(some.weights);
    f0t_free(some.bias);
    return status;
}

static f0t_status create(f0t_teacher *t, const f0t_classes *classes, const float *vectors,
                         const f0t_train_data *data, const f0t_train_options *o,
                         const f0t_monitor *monitor)
{
    const f0t_loss_options loss = {.loss = o->loss, .pairs = o->pairs, .seed = o->seed};
    t->tags = data->train->tags;
    F0T_TRY(f0t_loss_plan_create(&t->plan, &loss, o->batch, t->tags));
    F0T_TRY(f0t_alloc(&t->ranked, o->batch * t->tags, sizeof *t->ranked));
    F0T_TRY(f0t_alloc(&t->losses, o->batch, sizeof *t->losses));
    return learn(t, classes, vectors, data, monitor);
}

f0t_status f0t_teacher_create(f0t_teacher **out, const f0t_classes *classes, const float *vectors,
                              const f0t_train_data *data, const f0t_train_options *options,
                              const f0t_monitor *monitor)
{
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    f0t_status status = create(*out, classes, vectors, data, options, monitor);
    if (status != F0T_OK) {
        f0t_teacher_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- The loss ----------------------------------------------------------------------------------------- */

/* Of the tags, which are the first columns of scores and gradient. */
static f0t_status rank(f0t_loss_result *result, float *gradient, f0t_teacher *t,
                       const f0t_loss_batch *batch)
{
    const size_t columns = t->tags + t->classes, row = t->tags * sizeof *gradient;
    f0t_loss_batch tags = *batch;
    for (size_t m = 0; m < batch->images; m++)
        memcpy(t->ranked + m * t->tags, batch->scores + m * columns, row);
    tags.scores = t->ranked;
    F0T_TRY(f0t_loss_run(result, t->ranked, t->plan, &tags));
    for (size_t m = 0; m < batch->images; m++)
        memcpy(gradient + m * columns, t->ranked + m * t->tags, row);
    return F0T_OK;
}

/* The loss of an image whose classes have these scores; `share` of the mean. */
static double teach(float *gradient, const float *scores, const uint8_t *p, size_t classes,
                    float share)
{
    double kept = 0, mean = 0; /* probabilities were rounded */
    for (size_t c = 0; c < classes; c++) {
        kept += p[c];
        mean += p[c] * (double)scores[c];
    }
    if (!(kept > 0)) { /* none is probable */
        memset(gradient, 0, classes * sizeof *gradient);
        return 0;
    }
    const double loss = (double)f0t_softmax(gradient, scores, classes) - mean / kept;
    for (size_t c = 0; c < classes; c++)
        gradient[c] = share * (gradient[c] - (float)(p[c] / kept));
    return (double)share * loss;
}

static f0t_status run_loss(void *context, f0t_loss_result *result, float *gradient,
                           const f0t_loss_batch *batch, const uint32_t *samples)
{
    f0t_teacher *t = context;
    const size_t columns = t->tags + t->classes;
    const float share = WEIGHT / (float)batch->images;
    F0T_TRY(rank(result, gradient, t, batch));
#pragma omp parallel for schedule(static) num_threads(f0t_team_size())
    for (size_t m = 0; m < batch->images; m++)
        t->losses[m] =
            teach(gradient + m * columns + t->tags, batch->scores + m * columns + t->tags,
                  t->probabilities + samples[m] * t->classes, t->classes, share);
    for (size_t m = 0; m < batch->images; m++)
        result->loss += t->losses[m];
    return isfinite(result->loss)
               ? F0T_OK
               : f0t_fail(F0T_ERROR_NUMERIC, "the loss of the network's classes is not finite");
}

f0t_objective f0t_teacher_objective(f0t_teacher *t)
{
    return (f0t_objective){
        .context = t, .tags = t->vectors, .more = t->classes, .host_loss = run_loss};
}
