/*
 * TagProp: tags of the nearest training images, weighted so that they predict each training image's
 * tags from the others (tagprop_model.h).
 *
 * Source: Guillaumin, Mensink, Verbeek, Schmid, "TagProp: discriminative metric learning in nearest
 * neighbor models for image auto-annotation", ICCV 2009: RK and SD weights, with and without the
 * sigmoids (σRK, σSD). There is one kind of feature here, so nothing to combine distances of (ML).
 *
 * Choices: the distance is that of metric.h (on the real photographs of docs/methods.md about a point
 * of MiAP better than the Euclidean one between features of length 1). How many neighbours, which
 * weights and whether sigmoids is tuned. Without sigmoids, tags that no neighbour has would be
 * equal: those are ordered by their frequency.
 */
#include "baseline/tagprop.h"

#include "base/alloc.h"
#include "base/team.h"
#include "baseline/methods.h"

static const double NEIGHBOURS[] = {20, 50, 100, 200, F0T_TAGPROP_MOST};
static const double SWITCH[] = {0, 1};
enum { K, BY_DISTANCE, MODULATED, KNOBS };

static const f0t_knob KNOB_LIST[KNOBS] = {
    {"neighbours", NEIGHBOURS, sizeof NEIGHBOURS / sizeof *NEIGHBOURS, 3},
    {"by-distance", SWITCH, 2, 1},
    {"sigmoid", SWITCH, 2, 1},
};

f0t_status f0t_tagprop_create(f0t_tagprop **out, const f0t_task *task, f0t_neighbours *neighbours,
                              const f0t_tagprop_options *o)
{
    f0t_tagprop *t = NULL;
    const size_t most = neighbours->own->k;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&t, 1, sizeof *t));
    t->neighbours = neighbours;
    neighbours->users++;
    f0t_status status = f0t_tagprop_model_create(&t->model, o->k < most ? o->k : most, task->tags,
                                                 !o->by_distance, o->modulated);
    if (status == F0T_OK)
        status = f0t_tagprop_learn(t->model, &task->train, neighbours->own, task->monitor);
    if (status != F0T_OK) {
        f0t_tagprop_free(t);
        return status;
    }
    *out = t;
    return F0T_OK;
}

void f0t_tagprop_free(f0t_tagprop *t)
{
    if (!t || t->users-- > 0)
        return;
    f0t_neighbours_free(t->neighbours);
    f0t_tagprop_model_free(t->model);
    f0t_free(t);
}

/* Scratch of T + k numbers for each image would be much: there is one for each part of them. */
enum { PARTS = 16 };

static void predict_part(float *to, const f0t_tagprop *t, const f0t_task *task,
                         const f0t_best *best, double *scratch, size_t part)
{
    for (size_t i = best->rows * part / PARTS; i < best->rows * (part + 1) / PARTS; i++)
        f0t_tagprop_model_predict(to + i * task->tags, t->model, &task->train,
                                  best->index + i * best->k, best->value + i * best->k,
                                  best->count[i], scratch, scratch + task->tags);
}

f0t_status f0t_tagprop_predict(float *to, const f0t_tagprop *t, const f0t_task *task,
                               const f0t_queries *queries)
{
    f0t_best *best = NULL;
    double *scratch = NULL;
    const size_t room = task->tags + t->model->k;
    int threads = f0t_team_size();
    (void)threads;
    F0T_TRY(f0t_neighbours_search(&best, t->neighbours, queries->features, queries->count,
                                  t->model->k));
    f0t_status status = f0t_alloc(&scratch, PARTS * room, sizeof *scratch);
    if (status == F0T_OK) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
        for (size_t part = 0; part < PARTS; part++)
            predict_part(to, t, task, best, scratch + part * room, part);
    }
    f0t_best_free(best);
    f0t_free(scratch);
    return status;
}

/* ---- The method ---------------------------------------------------------------------------------- */

static f0t_status prepare(void **shared, const f0t_task *task)
{
    f0t_neighbours *n;
    F0T_TRY(f0t_neighbours_create(&n, task, F0T_TAGPROP_MOST));
    *shared = n;
    return F0T_OK;
}

static void release(void *shared)
{
    f0t_neighbours_free(shared);
}

static f0t_status fit(void **fitted, const f0t_task *task, void *shared, const double *knobs)
{
    const f0t_tagprop_options options = {.k = (size_t)knobs[K],
                                         .by_distance = knobs[BY_DISTANCE] > 0,
                                         .modulated = knobs[MODULATED] > 0};
    f0t_tagprop *t;
    F0T_TRY(f0t_tagprop_create(&t, task, shared, &options));
    *fitted = t;
    return F0T_OK;
}

static void discard(void *fitted)
{
    f0t_tagprop_free(fitted);
}

static f0t_status score(float *scores, const void *fitted, const f0t_task *task,
                        const f0t_candidates *tags, const f0t_queries *queries)
{
    float *all = NULL;
    f0t_status status = f0t_alloc(&all, queries->count * task->tags, sizeof *all);
    if (status == F0T_OK)
        status = f0t_tagprop_predict(all, fitted, task, queries);
    for (size_t i = 0; status == F0T_OK && i < queries->count; i++)
        for (size_t t = 0; t < tags->count; t++)
            scores[i * tags->count + t] = all[i * task->tags + tags->known[t]];
    f0t_free(all);
    return status;
}

const f0t_ranker f0t_ranker_tagprop = {
    .name = "tagprop",
    .title = "TagProp",
    .source = "Guillaumin, Mensink, Verbeek, Schmid: TagProp, ICCV 2009",
    .closed = true,
    .knobs = KNOB_LIST,
    .knob_count = KNOBS,
    .prepare = prepare,
    .release = release,
    .fit = fit,
    .free = discard,
    .score = score,
};
