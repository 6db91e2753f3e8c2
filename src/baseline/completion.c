/*
 * Completing a list of tags by the image and by the tags that are given: the linear ranking of linear-rank
 * looks at the image, co-occurrence at the given tags, log(0.01 P(c) + Sum(c) / given tags) with the Sum of
 * cooccurrence.h. Each is brought to mean 0 and deviation 1 over the tags of the image, and they are added; the weight
 * of the second is the one that ranks best on the validation images, of which half of the tags are given.
 *
 * Ours. Choices: linear-rank at its defaults; without validation images the weight is 0.25.
 */
#include "base/alloc.h"
#include "base/random.h"
#include "baseline/cooccurrence.h"
#include "rank/miap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct fitted {
    void *shared, *direction; /* of linear-rank */
    f0t_cooccurrence *beside;
    double weight;
} fitted;

static const double WEIGHTS[] = {0.25, 0, 0.1, 0.5, 1}; /* the first of equals is taken */
enum { WEIGHTS_COUNT = sizeof WEIGHTS / sizeof *WEIGHTS, VALIDATION_MOST = 2000 };
static const double BACKGROUND = 0.01;
static const float LAST = -1e30F;

static const f0t_ranker *const INNER = &f0t_ranker_linear_rank;

static void discard(void *memory)
{
    fitted *f = memory;
    if (!f)
        return;
    if (f->direction)
        INNER->free(f->direction);
    if (f->shared && INNER->release)
        INNER->release(f->shared);
    f0t_cooccurrence_free(f->beside);
    f0t_free(f);
}

/* ---- Two scores in one ------------------------------------------------------------------------- */

/* To mean 0 and deviation 1; nothing but zeros where all are equal. */
static void standardise(float *scores, size_t count)
{
    double mean = 0, square = 0;
    for (size_t t = 0; t < count; t++)
        mean += (double)scores[t] / (double)count;
    for (size_t t = 0; t < count; t++)
        square += ((double)scores[t] - mean) * ((double)scores[t] - mean) / (double)count;
    const double scale = square > 0 ? 1 / sqrt(square) : 0;
    for (size_t t = 0; t < count; t++)
        scores[t] = (float)(((double)scores[t] - mean) * scale);
}

/* all[tags of the task] and some[candidates] are scratch. */
static void add_given(float *scores, const fitted *f, const f0t_candidates *tags,
                      const uint32_t *given, size_t count, double weight, float *all, float *some)
{
    const f0t_cooccurrence *c = f->beside;
    standardise(scores, tags->count);
    if (!count)
        return;
    f0t_cooccurrence_score(all, c, given, count, F0T_GATHER_SUM);
    for (size_t t = 0; t < tags->count; t++) {
        const size_t tag = tags->known[t];
        some[t] = (float)log(BACKGROUND * (c->count[tag] + 0.5) / (c->images + 1) +
                             (double)all[tag] / (double)count);
    }
    standardise(some, tags->count);
    for (size_t t = 0; t < tags->count; t++)
        scores[t] += (float)weight * some[t];
}

/* ---- The weight ------------------------------------------------------------------------------------ */

/* Validation images with half of their tags given, the others looked for. */
typedef struct trial {
    size_t images, tags;
    uint32_t *given, *asked, *known;
    size_t *given_offsets, *asked_offsets; /* [images + 1] */
    float *features, *scores, *sums;       /* sums[images x tags], and room for a row twice */
} trial;

static f0t_status trial_create(trial *t, const f0t_task *task)
{
    const size_t most = task->val.count;
    t->tags = task->tags;
    t->images = most < VALIDATION_MOST ? most : VALIDATION_MOST;
    const size_t all = task->val.offsets[t->images];
    F0T_TRY(f0t_alloc(&t->given, all, sizeof *t->given));
    F0T_TRY(f0t_alloc(&t->asked, all, sizeof *t->asked));
    F0T_TRY(f0t_alloc(&t->known, t->tags, sizeof *t->known));
    F0T_TRY(f0t_alloc(&t->given_offsets, t->images + 1, sizeof *t->given_offsets));
    F0T_TRY(f0t_alloc(&t->asked_offsets, t->images + 1, sizeof *t->asked_offsets));
    F0T_TRY(f0t_alloc(&t->features, t->images * f0t_task_features(task), sizeof *t->features));
    F0T_TRY(f0t_alloc(&t->scores, t->images * t->tags, sizeof *t->scores));
    return f0t_alloc(&t->sums, (t->images + 2) * t->tags, sizeof *t->sums);
}

static void trial_free(trial *t)
{
    f0t_free(t->given);
    f0t_free(t->asked);
    f0t_free(t->known);
    f0t_free(t->given_offsets);
    f0t_free(t->asked_offsets);
    f0t_free(t->features);
    f0t_free(t->scores);
    f0t_free(t->sums);
}

static int compare_tags(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void divide_tags(trial *t, const f0t_task *task)
{
    size_t given = 0, asked = 0;
    for (size_t m = 0; m < t->images; m++) {
        const size_t first = task->val.offsets[m], count = task->val.offsets[m + 1] - first;
        const f0t_random random = {task->seed, UINT64_C(0x68616C66) + task->val.images[m]};
        uint32_t *tags = t->asked + asked;
        t->given_offsets[m] = given;
        t->asked_offsets[m] = asked;
        memcpy(tags, task->val.relevant + first, count * sizeof *tags);
        f0t_random_shuffle(tags, count, &random);
        memcpy(t->given + given, tags + (count - count / 2), count / 2 * sizeof *tags);
        qsort(tags, count - count / 2, sizeof *tags, compare_tags);
        given += count / 2;
        asked += count > 1 ? count - count / 2 : 0;
    }
    t->given_offsets[t->images] = given;
    t->asked_offsets[t->images] = asked;
}

static f0t_status try_weight(double *miap, trial *t, const fitted *f, double weight)
{
    const f0t_candidates tags = {.count = t->tags, .known = t->known};
    f0t_miap sum = {0};
    memcpy(t->sums, t->scores, t->images * t->tags * sizeof *t->sums);
    for (size_t m = 0; m < t->images; m++) {
        const size_t first = t->given_offsets[m], count = t->given_offsets[m + 1] - first;
        float *row = t->sums + m * t->tags, *room = t->sums + t->images * t->tags;
        add_given(row, f, &tags, t->given + first, count, weight, room, room + t->tags);
        for (size_t i = 0; i < count; i++)
            row[t->given[first + i]] = LAST;
    }
    const f0t_ranking ranking = {.images = t->images,
                                 .tags = t->tags,
                                 .scores = t->sums,
                                 .offsets = t->asked_offsets,
                                 .relevant = t->asked};
    F0T_TRY(f0t_miap_add(&sum, &ranking));
    *miap = f0t_miap_get(&sum);
    return F0T_OK;
}

static f0t_status try_weights(trial *t, fitted *f, const f0t_task *task)
{
    const f0t_candidates tags = {.count = t->tags, .vectors = task->vectors, .known = t->known};
    const f0t_queries queries = {.count = t->images, .features = t->features};
    double best = -1;
    for (size_t i = 0; i < t->tags; i++)
        t->known[i] = (uint32_t)i;
    divide_tags(t, task);
    F0T_TRY(f0t_task_read(t->features, task, task->val.images, t->images));
    F0T_TRY(INNER->score(t->scores, f->direction, task, &tags, &queries));
    for (size_t i = 0; i < WEIGHTS_COUNT; i++) {
        double miap;
        F0T_TRY(try_weight(&miap, t, f, WEIGHTS[i]));
        if (miap > best) {
            best = miap;
            f->weight = WEIGHTS[i];
        }
    }
    return F0T_OK;
}

static f0t_status choose_weight(fitted *f, const f0t_task *task)
{
    trial t = {0};
    f0t_status status = trial_create(&t, task);
    if (status == F0T_OK)
        status = try_weights(&t, f, task);
    trial_free(&t);
    return status;
}

/* ---- The method ------------------------------------------------------------------------------------ */

static f0t_status make(fitted *f, const f0t_task *task)
{
    double knobs[F0T_KNOBS_MAX] = {0};
    for (size_t i = 0; i < INNER->knob_count; i++)
        knobs[i] = INNER->knobs[i].values[INNER->knobs[i].first];
    if (INNER->prepare)
        F0T_TRY(INNER->prepare(&f->shared, task));
    F0T_TRY(INNER->fit(&f->direction, task, f->shared, knobs));
    F0T_TRY(f0t_cooccurrence_create(&f->beside, task));
    f->weight = WEIGHTS[0];
    return task->val.count ? choose_weight(f, task) : F0T_OK;
}

static f0t_status fit(void **out, const f0t_task *task, void *shared, const double *knobs)
{
    fitted *f;
    (void)shared;
    (void)knobs;
    F0T_TRY(f0t_alloc_zero(&f, 1, sizeof *f));
    f0t_status status = make(f, task);
    if (status == F0T_OK)
        *out = f;
    else
        discard(f);
    return status;
}

static f0t_status score(float *scores, const void *memory, const f0t_task *task,
                        const f0t_candidates *tags, const f0t_queries *queries)
{
    const fitted *f = memory;
    float *room;
    F0T_TRY(INNER->score(scores, f->direction, task, tags, queries));
    F0T_TRY(f0t_alloc(&room, task->tags + tags->count, sizeof *room));
    for (size_t m = 0; m < queries->count; m++) {
        const size_t first = queries->offsets[m];
        add_given(scores + m * tags->count, f, tags, queries->relevant + first,
                  queries->offsets[m + 1] - first, f->weight, room, room + task->tags);
    }
    f0t_free(room);
    return F0T_OK;
}

const f0t_ranker f0t_ranker_completion = {
    .name = "direction+given",
    .title = "Direction and given tags",
    .source = "linear-rank and co-occurrence, weighted on validation images",
    .closed = true,
    .completes = true,
    .fit = fit,
    .free = discard,
    .score = score,
};
