/*
 * TagProp: tags of the nearest training images, weighted so that they predict each training image's
 * tags from the others (tagprop.h).
 *
 * Source: Guillaumin, Mensink, Verbeek, Schmid, "TagProp: discriminative metric learning in nearest
 * neighbor models for image auto-annotation", ICCV 2009: RK and SD weights, with and without the
 * sigmoids (σRK, σSD). There is one kind of feature here, so nothing to combine distances of (ML).
 *
 * Choices: the distance is that of neighbours.h (on the real photographs of docs/methods.md about a point
 * of MiAP better than the Euclidean one between features of length 1). How many neighbours, which
 * weights and whether sigmoids is tuned. Without sigmoids, tags that no neighbour has would be
 * equal: those are ordered by their frequency.
 */
#include "baseline/tagprop.h"

#include "base/alloc.h"
#include "base/team.h"

#include <math.h>
#include <string.h>

static const double EPSILON = 1e-5;

/* ---- The model --------------------------------------------------------------------------------- */

static f0t_status fill(f0t_tagprop_model *m, bool by_rank, bool modulated)
{
    m->scale = 10;
    F0T_TRY(f0t_alloc_zero(&m->prior, m->tags, sizeof *m->prior));
    if (by_rank) {
        F0T_TRY(f0t_alloc(&m->ranks, m->k, sizeof *m->ranks));
        for (size_t i = 0; i < m->k; i++)
            m->ranks[i] = 1 / (double)m->k;
    }
    if (!modulated)
        return F0T_OK;
    F0T_TRY(f0t_alloc(&m->slope, m->tags, sizeof *m->slope));
    F0T_TRY(f0t_alloc(&m->shift, m->tags, sizeof *m->shift));
    for (size_t t = 0; t < m->tags; t++) {
        m->slope[t] = 10;
        m->shift[t] = -3;
    }
    return F0T_OK;
}

f0t_status f0t_tagprop_model_create(f0t_tagprop_model **out, size_t k, size_t tags, bool by_rank,
                                    bool modulated)
{
    f0t_tagprop_model *m = NULL;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&m, 1, sizeof *m));
    m->k = k;
    m->tags = tags;
    f0t_status status = fill(m, by_rank, modulated);
    if (status != F0T_OK) {
        f0t_tagprop_model_free(m);
        return status;
    }
    *out = m;
    return F0T_OK;
}

void f0t_tagprop_model_free(f0t_tagprop_model *m)
{
    if (!m)
        return;
    f0t_free(m->ranks);
    f0t_free(m->slope);
    f0t_free(m->shift);
    f0t_free(m->prior);
    f0t_free(m);
}

static double distance(float product)
{
    return sqrt(fmax(0, 2 - 2 * (double)product));
}

void f0t_tagprop_weights(double *to, const f0t_tagprop_model *m, const float *products,
                         size_t count)
{
    double sum = 0, nearest = count ? distance(products[0]) : 0;
    for (size_t i = 0; i < count; i++) {
        to[i] = m->ranks ? m->ranks[i] : exp(m->scale * (nearest - distance(products[i])));
        sum += to[i];
    }
    for (size_t i = 0; i < count && sum > 0; i++)
        to[i] /= sum;
}

static double sigmoid(double z)
{
    return z < 0 ? exp(z) / (1 + exp(z)) : 1 / (1 + exp(-z));
}

static double probability(const f0t_tagprop_model *m, size_t tag, double x)
{
    return m->slope ? sigmoid(m->slope[tag] * x + m->shift[tag]) : EPSILON + (1 - 2 * EPSILON) * x;
}

/* p of every tag for an image with these neighbours among the samples, into to[T]. x[T] and weights[k] are
 * scratch. */
static void predict_image(float *to, const f0t_tagprop_model *m, const f0t_samples *s,
                          const uint32_t *neighbours, const float *products, size_t count,
                          double *x, double *weights)
{
    memset(x, 0, m->tags * sizeof *x);
    f0t_tagprop_weights(weights, m, products, count);
    for (size_t i = 0; i < count; i++)
        for (size_t j = s->offsets[neighbours[i]]; j < s->offsets[neighbours[i] + 1]; j++)
            x[s->relevant[j]] += weights[i];
    for (size_t t = 0; t < m->tags; t++)
        to[t] = (float)(probability(m, t, x[t]) + m->prior[t]);
}

/* ---- The likelihood ---------------------------------------------------------------------------- */

/* Images are summed in parts whose number does not depend on the threads: the same neighbours give
 * the same bytes. Which neighbours there are, and how far, OpenBLAS may round differently for another
 * number of threads. */
enum { SUM_PARTS = 32 };

/* What one part needs. */
typedef struct sum_part {
    const f0t_tagprop_model *m;
    const f0t_samples *s;
    const f0t_best *best;
    double plus, minus;  /* 1/n⁺, 1/n⁻ */
    const double *empty; /* [T] ln(1 − p(0)), with their sum: */
    double empty_sum;
    double *x;         /* [T] all 0 between images */
    double *by_x;      /* [T] derivative of an image's likelihood by x */
    double *weights;   /* [k] */
    bool *has;         /* [T] all false between images */
    uint32_t *touched; /* [T] */
    size_t touched_count;
    f0t_tagprop_sums sums;
} sum_part;

static void touch(sum_part *p, uint32_t tag)
{
    if (p->x[tag] == 0 && !p->has[tag])
        p->touched[p->touched_count++] = tag;
}

static void gather(sum_part *p, size_t image, size_t count)
{
    const uint32_t *index = p->best->index + image * p->best->k;
    const f0t_samples *s = p->s;
    p->touched_count = 0;
    for (size_t j = s->offsets[image]; j < s->offsets[image + 1]; j++) {
        touch(p, s->relevant[j]);
        p->has[s->relevant[j]] = true;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = s->offsets[index[i]]; j < s->offsets[index[i] + 1]; j++) {
            touch(p, s->relevant[j]);
            /* A weight may be 0: the tag is touched all the same, once. */
            p->x[s->relevant[j]] += p->weights[i] + 1e-300;
        }
}

/* Adds what the touched tags say, and leaves the derivatives in by_x. */
static void add_likelihood(sum_part *p)
{
    const f0t_tagprop_model *m = p->m;
    double sum = p->minus * p->empty_sum;
    for (size_t i = 0; i < p->touched_count; i++) {
        uint32_t tag = p->touched[i];
        double q = fmin(fmax(probability(m, tag, p->x[tag]), 1e-12), 1 - 1e-12);
        double by_q = p->has[tag] ? p->plus / q : -p->minus / (1 - q);
        sum += (p->has[tag] ? p->plus * log(q) : p->minus * log(1 - q)) - p->minus * p->empty[tag];
        p->by_x[tag] = by_q * (m->slope ? m->slope[tag] * q * (1 - q) : 1 - 2 * EPSILON);
    }
    p->sums.likelihood += sum;
}

static void add_derivatives(sum_part *p, size_t image, size_t count)
{
    const uint32_t *index = p->best->index + image * p->best->k;
    const float *products = p->best->value + image * p->best->k;
    double mean = 0;
    for (size_t i = 0; i < count; i++)
        mean += p->weights[i] * distance(products[i]);
    for (size_t i = 0; i < count; i++) {
        double by_weight = 0;
        for (size_t j = p->s->offsets[index[i]]; j < p->s->offsets[index[i] + 1]; j++)
            by_weight += p->by_x[p->s->relevant[j]];
        p->sums.scale += by_weight * p->weights[i] * (mean - distance(products[i]));
        if (p->sums.ranks)
            p->sums.ranks[i] += by_weight;
    }
}

static void add_image(sum_part *p, size_t image)
{
    size_t count = p->best->count[image] < p->m->k ? p->best->count[image] : p->m->k;
    f0t_tagprop_weights(p->weights, p->m, p->best->value + image * p->best->k, count);
    gather(p, image, count);
    add_likelihood(p);
    add_derivatives(p, image, count);
    for (size_t i = 0; i < p->touched_count; i++) {
        p->x[p->touched[i]] = 0;
        p->has[p->touched[i]] = false;
    }
}

/* What the parts have in memory, in three pieces. */
typedef struct slabs {
    double *numbers;   /* [SUM_PARTS x (2 T + 2 k)] and [T] */
    uint32_t *touched; /* [SUM_PARTS x T] */
    bool *has;         /* [SUM_PARTS x T] */
} slabs;

static f0t_status slabs_create(slabs *s, const f0t_tagprop_model *m)
{
    F0T_TRY(f0t_alloc_zero(&s->numbers, SUM_PARTS * 2 * (m->tags + m->k) + m->tags,
                           sizeof *s->numbers));
    F0T_TRY(f0t_alloc(&s->touched, SUM_PARTS * m->tags, sizeof *s->touched));
    return f0t_alloc_zero(&s->has, SUM_PARTS * m->tags, sizeof *s->has);
}

static void slabs_free(slabs *s)
{
    f0t_free(s->numbers);
    f0t_free(s->touched);
    f0t_free(s->has);
}

static void part_place(sum_part *p, const slabs *s, size_t i)
{
    const size_t T = p->m->tags, k = p->m->k;
    p->x = s->numbers + T + i * 2 * (T + k);
    p->by_x = p->x + T;
    p->weights = p->by_x + T;
    p->sums.ranks = p->weights + k;
    p->touched = s->touched + i * T;
    p->has = s->has + i * T;
}

static void sum_parts(f0t_tagprop_sums *sums, sum_part *parts, size_t images)
{
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (size_t i = 0; i < SUM_PARTS; i++)
        for (size_t m = images * i / SUM_PARTS; m < images * (i + 1) / SUM_PARTS; m++)
            add_image(&parts[i], m);
    for (size_t i = 0; i < SUM_PARTS; i++) {
        sums->likelihood += parts[i].sums.likelihood;
        sums->scale += parts[i].sums.scale;
        for (size_t j = 0; sums->ranks && j < parts[i].m->k; j++)
            sums->ranks[j] += parts[i].sums.ranks[j];
    }
}

/* What all parts have alike. */
static sum_part whole(const f0t_tagprop_model *m, const f0t_samples *s, const f0t_best *best,
                      double *empty)
{
    const double positive = (double)s->offsets[s->count];
    const double negative = (double)s->count * (double)m->tags - positive;
    sum_part p = {.m = m,
                  .s = s,
                  .best = best,
                  .plus = positive > 0 ? 1 / positive : 0,
                  .minus = negative > 0 ? 1 / negative : 0,
                  .empty = empty};
    for (size_t t = 0; t < m->tags; t++) {
        empty[t] = log(fmax(1 - probability(m, t, 0), 1e-12));
        p.empty_sum += empty[t];
    }
    return p;
}

f0t_status f0t_tagprop_likelihood(f0t_tagprop_sums *sums, const f0t_tagprop_model *m,
                                  const f0t_samples *s, const f0t_best *best)
{
    sum_part parts[SUM_PARTS];
    slabs memory = {0};
    f0t_status status = slabs_create(&memory, m);
    if (status == F0T_OK) {
        sums->likelihood = sums->scale = 0;
        for (size_t j = 0; sums->ranks && j < m->k; j++)
            sums->ranks[j] = 0;
        const sum_part one = whole(m, s, best, memory.numbers);
        for (size_t i = 0; i < SUM_PARTS; i++) {
            parts[i] = one;
            part_place(&parts[i], &memory, i);
        }
        sum_parts(sums, parts, s->count);
    }
    slabs_free(&memory);
    return status;
}

/* ---- A model with its images ------------------------------------------------------------------- */

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
        predict_image(to + i * task->tags, t->model, &task->train, best->index + i * best->k,
                      best->value + i * best->k, best->count[i], scratch, scratch + task->tags);
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

/* ---- The method -------------------------------------------------------------------------------- */

static const double NEIGHBOURS[] = {20, 50, 100, 200, F0T_TAGPROP_MOST};
static const double SWITCH[] = {0, 1};
enum { K, BY_DISTANCE, MODULATED, KNOBS };

static const f0t_knob KNOB_LIST[KNOBS] = {
    {"neighbours", NEIGHBOURS, sizeof NEIGHBOURS / sizeof *NEIGHBOURS, 3},
    {"by-distance", SWITCH, 2, 1},
    {"sigmoid", SWITCH, 2, 1},
};

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

/* Distances of all pairs of images, and the passes that learn; as measured with 226 and 45 tags. */
static double cost(const f0t_task *task, const double *knobs)
{
    const double images = (double)task->train.count;
    (void)knobs;
    return images * (5 * images * (double)f0t_task_features(task) + 2e5 * (double)task->tags);
}

const f0t_ranker f0t_ranker_tagprop = {
    .name = "tagprop",
    .title = "TagProp",
    .source = "Guillaumin, Mensink, Verbeek, Schmid: TagProp, ICCV 2009",
    .closed = true,
    .divided = true,
    .knobs = KNOB_LIST,
    .knob_count = KNOBS,
    .prepare = prepare,
    .release = release,
    .cost = cost,
    .fit = fit,
    .free = discard,
    .score = score,
};
