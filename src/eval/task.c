#include "eval/task.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_ROWS = 1000, BLOCK_FLOATS = 1 << 24 };

/* ---- Tasks --------------------------------------------------------------------------------- */

static f0t_status number_tags(f0t_eval_task *t, const bool *mask)
{
    const float *vectors = f0t_vocab_vectors(t->tags->vocab);
    size_t dim = f0t_vocab_dim(t->tags->vocab), count = 0;
    F0T_TRY(f0t_alloc(&t->place, t->tags->count, sizeof *t->place));
    for (size_t i = 0; i < t->tags->count; i++)
        t->place[i] = mask[i] ? (uint32_t)count++ : F0T_NO_SAMPLE_TAG;
    F0T_TRY(f0t_alloc(&t->vectors, count * dim, sizeof *t->vectors));
    for (size_t i = 0; i < t->tags->count; i++)
        if (mask[i])
            memcpy(t->vectors + t->place[i] * dim, vectors + i * dim, dim * sizeof *vectors);
    t->base.tags = count;
    t->base.dim = dim;
    t->base.vectors = t->vectors;
    t->base.vocab = t->tags->vocab;
    t->base.place = t->place;
    return F0T_OK;
}

/* The training images that are in use, with the tags that number[tags of the dataset] says. */
static f0t_status train_samples(f0t_samples *out, const f0t_eval_tags *tags, const uint32_t *number,
                                size_t count)
{
    f0t_samples all;
    F0T_TRY(f0t_samples_create(&all, tags->dataset, F0T_TRAIN, number, count, true));
    if (!tags->train_images) {
        *out = all;
        return F0T_OK;
    }
    f0t_status status = f0t_samples_thin(out, &all, tags->train_images);
    f0t_samples_free(&all);
    return status;
}

/* From tags of the dataset to training tags, for both parts. */
static f0t_status make_samples(f0t_eval_task *t)
{
    const f0t_dataset *dataset = t->tags->dataset;
    size_t all = f0t_dataset_tag_count(dataset);
    uint32_t *number;
    F0T_TRY(f0t_alloc(&number, all, sizeof *number));
    for (size_t i = 0; i < all; i++) {
        uint32_t index = t->tags->index[i];
        number[i] = index == F0T_NO_SAMPLE_TAG ? F0T_NO_SAMPLE_TAG : t->place[index];
    }
    f0t_status status = train_samples(&t->base.train, t->tags, number, t->base.tags);
    if (status == F0T_OK)
        status = f0t_samples_create(&t->base.val, dataset, F0T_VAL, number, t->base.tags, true);
    f0t_free(number);
    return status;
}

static f0t_status create_task(f0t_eval_task *t, const bool *mask)
{
    F0T_TRY(number_tags(t, mask));
    F0T_TRY(make_samples(t));
    return f0t_condition_create(&t->unit, F0T_CONDITION_UNIT, t->tags->dataset, &t->base.train,
                                NULL);
}

f0t_status f0t_eval_task_create(f0t_eval_task *t, const f0t_eval_tags *tags, const bool *mask)
{
    *t = (f0t_eval_task){.tags = tags, .base = {.dataset = tags->dataset, .effort = 1}};
    f0t_status status = create_task(t, mask);
    t->base.unit = &t->unit;
    if (status != F0T_OK)
        f0t_eval_task_free(t);
    return status;
}

bool f0t_eval_task_has_examples(const f0t_eval_task *t)
{
    return t->base.train.offsets[t->base.train.count] > 0;
}

void f0t_eval_task_free(f0t_eval_task *t)
{
    f0t_samples_free(&t->base.train);
    f0t_samples_free(&t->base.val);
    f0t_condition_free(&t->unit);
    f0t_free(t->vectors);
    f0t_free(t->place);
    *t = (f0t_eval_task){0};
}

/* ---- Splits -------------------------------------------------------------------------------- */

static f0t_status choose_tags(f0t_eval_split *s, const bool *mask)
{
    const f0t_eval_tags *tags = s->task->tags;
    const float *vectors = f0t_vocab_vectors(tags->vocab);
    size_t dim = s->task->base.dim;
    for (size_t i = 0; i < tags->count; i++)
        s->count += mask[i];
    F0T_TRY(f0t_alloc(&s->tags, s->count, sizeof *s->tags));
    F0T_TRY(f0t_alloc(&s->known, s->count, sizeof *s->known));
    F0T_TRY(f0t_alloc(&s->vectors, s->count * dim, sizeof *s->vectors));
    for (size_t i = 0, at = 0; i < tags->count; i++)
        if (mask[i]) {
            s->tags[at] = (uint32_t)i;
            s->known[at] = s->task->place[i];
            memcpy(s->vectors + at++ * dim, vectors + i * dim, dim * sizeof *vectors);
        }
    return F0T_OK;
}

/* From tags of the dataset to candidates, into number[tags of the dataset]. */
static f0t_status number_candidates(uint32_t *number, const f0t_eval_split *s)
{
    const f0t_eval_tags *tags = s->task->tags;
    uint32_t *place;
    F0T_TRY(f0t_alloc(&place, tags->count, sizeof *place));
    for (size_t i = 0; i < tags->count; i++)
        place[i] = F0T_NO_SAMPLE_TAG;
    for (size_t i = 0; i < s->count; i++)
        place[s->tags[i]] = (uint32_t)i;
    for (size_t t = 0; t < f0t_dataset_tag_count(tags->dataset); t++)
        number[t] = tags->index[t] == F0T_NO_SAMPLE_TAG ? F0T_NO_SAMPLE_TAG : place[tags->index[t]];
    f0t_free(place);
    return F0T_OK;
}

/* The images' tags among the candidates, and among the training tags. */
static f0t_status find_truth(f0t_eval_split *s, f0t_split split, uint32_t *number)
{
    const f0t_eval_tags *tags = s->task->tags;
    size_t all = f0t_dataset_tag_count(tags->dataset);
    F0T_TRY(number_candidates(number, s));
    F0T_TRY(f0t_samples_create(&s->truth, tags->dataset, split, number, s->count, true));
    for (size_t t = 0; t < all; t++)
        number[t] = tags->index[t] == F0T_NO_SAMPLE_TAG ? F0T_NO_SAMPLE_TAG
                                                        : s->task->place[tags->index[t]];
    return f0t_samples_create(&s->oracle, tags->dataset, split, number, s->task->base.tags, true);
}

f0t_status f0t_eval_split_create(f0t_eval_split *s, const f0t_eval_task *task, f0t_split split,
                                 const bool *mask)
{
    uint32_t *number = NULL;
    *s = (f0t_eval_split){.task = task};
    f0t_status status = choose_tags(s, mask);
    if (status == F0T_OK)
        status = f0t_alloc(&number, f0t_dataset_tag_count(task->tags->dataset), sizeof *number);
    if (status == F0T_OK)
        status = find_truth(s, split, number);
    f0t_free(number);
    if (status != F0T_OK)
        f0t_eval_split_free(s);
    return status;
}

static int compare_tags(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

f0t_status f0t_eval_split_complete(f0t_eval_split *s, uint64_t seed)
{
    f0t_samples *asked = &s->truth, *given = &s->oracle;
    size_t at = 0, kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->known[i] != i)
            return f0t_fail(F0T_ERROR_INTERNAL, "completion of tags that are not learned");
    for (size_t m = 0, first = 0; m < asked->count; m++) {
        const size_t end = asked->offsets[m + 1], count = end - first, half = count / 2;
        const f0t_random random = {seed, UINT64_C(0x68616C66) + asked->images[m]}; /* "half" */
        uint32_t *tags = asked->relevant + first;
        f0t_random_shuffle(tags, count, &random);
        qsort(tags, half, sizeof *tags, compare_tags);
        qsort(tags + half, count - half, sizeof *tags, compare_tags);
        given->offsets[m] = kept;
        memcpy(given->relevant + kept, tags, half * sizeof *tags);
        kept += half;
        asked->offsets[m] = at;
        for (size_t i = half; i < count && half; i++)
            asked->relevant[at++] = tags[i];
        first = end;
    }
    given->offsets[given->count] = kept;
    asked->offsets[asked->count] = at;
    s->completes = true;
    return F0T_OK;
}

void f0t_eval_split_free(f0t_eval_split *s)
{
    f0t_samples_free(&s->truth);
    f0t_samples_free(&s->oracle);
    f0t_free(s->tags);
    f0t_free(s->vectors);
    f0t_free(s->known);
    *s = (f0t_eval_split){0};
}

/* ---- Scoring ------------------------------------------------------------------------------- */

typedef struct block {
    size_t most; /* rows */
    float *features, *scores;
    size_t *offsets, *oracle_offsets;
    size_t *told; /* [candidates] training images that have each; NULL for most methods */
} block;

/* How many training images have each candidate. */
static f0t_status count_images(size_t **out, const f0t_eval_split *s)
{
    const f0t_eval_tags *tags = s->task->tags;
    f0t_samples train = {0};
    uint32_t *number;
    F0T_TRY(f0t_alloc(&number, f0t_dataset_tag_count(tags->dataset), sizeof *number));
    f0t_status status = number_candidates(number, s);
    if (status == F0T_OK)
        status = train_samples(&train, tags, number, s->count);
    if (status == F0T_OK)
        status = f0t_alloc_zero(out, s->count, sizeof **out);
    for (size_t i = 0; status == F0T_OK && i < train.offsets[train.count]; i++)
        (*out)[train.relevant[i]]++;
    f0t_samples_free(&train);
    f0t_free(number);
    return status;
}

static f0t_status block_create(block *b, const f0t_eval_split *s, const f0t_ranker *ranker)
{
    size_t dim = f0t_task_features(&s->task->base), images = s->truth.count;
    size_t rows = BLOCK_FLOATS / (dim + s->count + 1);
    *b = (block){.most = rows > BLOCK_ROWS ? BLOCK_ROWS : rows > 1 ? rows : 1};
    if (ranker->whole || b->most > images)
        b->most = images;
    F0T_TRY(f0t_alloc(&b->features, b->most * dim, sizeof *b->features));
    F0T_TRY(f0t_alloc(&b->scores, b->most * s->count, sizeof *b->scores));
    F0T_TRY(f0t_alloc(&b->offsets, b->most + 1, sizeof *b->offsets));
    F0T_TRY(f0t_alloc(&b->oracle_offsets, b->most + 1, sizeof *b->oracle_offsets));
    return ranker->told ? count_images(&b->told, s) : F0T_OK;
}

static void block_free(block *b)
{
    f0t_free(b->features);
    f0t_free(b->scores);
    f0t_free(b->offsets);
    f0t_free(b->oracle_offsets);
    f0t_free(b->told);
}

/* The tags of `rows` images from `first` on; offsets begin at 0. */
static const uint32_t *slice(size_t *offsets, const f0t_samples *s, size_t first, size_t rows)
{
    for (size_t r = 0; r <= rows; r++)
        offsets[r] = s->offsets[first + r] - s->offsets[first];
    return s->relevant + s->offsets[first];
}

/* A score below any other, which a logit may have: what is given is not ranked. */
static const float LAST = -1e30F;

static void put_last(float *scores, const f0t_eval_split *s, size_t first, size_t rows)
{
    for (size_t m = 0; m < rows; m++)
        for (size_t i = s->oracle.offsets[first + m]; i < s->oracle.offsets[first + m + 1]; i++)
            scores[m * s->count + s->oracle.relevant[i]] = LAST;
}

static f0t_status score_block(double *seconds, const f0t_eval_split *s, const f0t_eval_fit *fit,
                              block *b, size_t first, size_t rows, f0t_eval_sink sink, void *user)
{
    f0t_candidates tags = {.count = s->count,
                           .vectors = s->vectors,
                           .known = s->known,
                           .images = b->told,
                           .tags = s->tags};
    f0t_queries queries = {.count = rows,
                           .features = b->features,
                           .first = first,
                           .all = s->truth.count,
                           .rows = s->truth.images + first,
                           .part = s->part};
    F0T_TRY(f0t_task_read(b->features, fit->task, s->truth.images + first, rows));
    if (fit->ranker->oracle || (fit->ranker->completes && s->completes)) {
        queries.relevant = slice(b->oracle_offsets, &s->oracle, first, rows);
        queries.offsets = b->oracle_offsets;
    }
    double began = f0t_time();
    F0T_TRY(fit->ranker->score(b->scores, fit->fitted, fit->task, &tags, &queries));
    *seconds += f0t_time() - began;
    if (s->completes)
        put_last(b->scores, s, first, rows);
    f0t_ranking ranking = {.images = rows,
                           .tags = s->count,
                           .scores = b->scores,
                           .offsets = b->offsets,
                           .relevant = slice(b->offsets, &s->truth, first, rows)};
    return sink(user, first, &ranking);
}

/* Progress is reported here, by images: a method's own stages would begin anew with each block. */
static f0t_task without_progress(const f0t_task *task, f0t_monitor *quiet)
{
    f0t_task same = *task;
    if (task->monitor) {
        *quiet = *task->monitor;
        quiet->progress = NULL;
        same.monitor = quiet;
    }
    return same;
}

f0t_status f0t_eval_split_score_some(double *seconds, const f0t_eval_split *s,
                                     const f0t_eval_fit *fit, size_t first, size_t end,
                                     f0t_eval_sink sink, void *user)
{
    block b;
    f0t_monitor quiet;
    const f0t_task task = without_progress(fit->task, &quiet);
    const f0t_eval_fit quiet_fit = {fit->ranker, &task, fit->fitted};
    const size_t begin = first;
    double spent = 0;
    f0t_stage stage = f0t_stage_begin(fit->task->monitor, "ranking", "images", end - begin);
    f0t_status status = block_create(&b, s, fit->ranker);
    for (; first < end && status == F0T_OK; first += b.most) {
        status = f0t_stage_update(&stage, first - begin);
        if (status == F0T_OK)
            status = score_block(&spent, s, &quiet_fit, &b, first,
                                 end - first < b.most ? end - first : b.most, sink, user);
    }
    if (status == F0T_OK)
        f0t_stage_end(&stage);
    block_free(&b);
    if (seconds)
        *seconds = spent;
    return status;
}

f0t_status f0t_eval_split_score(double *seconds, const f0t_eval_split *s, const f0t_eval_fit *fit,
                                f0t_eval_sink sink, void *user)
{
    return f0t_eval_split_score_some(seconds, s, fit, 0, s->truth.count, sink, user);
}
