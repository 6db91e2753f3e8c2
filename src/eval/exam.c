#include "eval/exam.h"

#include "base/alloc.h"
#include "base/monitor.h"

#include <math.h>
#include <string.h>

enum { BLOCK_ROWS = 1000, BLOCK_FLOATS = 1 << 24 };

/* ---- Making an exam ------------------------------------------------------------------------ */

static f0t_status choose_tags(f0t_exam *e, const bool *mask)
{
    const f0t_eval_tags *tags = e->class->tags;
    const float *vectors = f0t_vocab_vectors(tags->vocab);
    size_t dim = e->class->task.dim;
    for (size_t i = 0; i < tags->count; i++)
        e->count += mask[i];
    F0T_TRY(f0t_alloc(&e->tags, e->count, sizeof *e->tags));
    F0T_TRY(f0t_alloc(&e->known, e->count, sizeof *e->known));
    F0T_TRY(f0t_alloc(&e->vectors, e->count * dim, sizeof *e->vectors));
    for (size_t i = 0, at = 0; i < tags->count; i++)
        if (mask[i]) {
            e->tags[at] = (uint32_t)i;
            e->known[at] = e->class->place[i];
            memcpy(e->vectors + at++ * dim, vectors + i * dim, dim * sizeof *vectors);
        }
    return F0T_OK;
}

/* The images' tags among the candidates, and among the training tags. */
static f0t_status find_answers(f0t_exam *e, f0t_split split, uint32_t *number, uint32_t *place)
{
    const f0t_eval_tags *tags = e->class->tags;
    size_t all = f0t_dataset_tag_count(tags->dataset);
    for (size_t i = 0; i < tags->count; i++)
        place[i] = F0T_NO_SAMPLE_TAG;
    for (size_t i = 0; i < e->count; i++)
        place[e->tags[i]] = (uint32_t)i;
    for (size_t t = 0; t < all; t++)
        number[t] = tags->index[t] == F0T_NO_SAMPLE_TAG ? F0T_NO_SAMPLE_TAG : place[tags->index[t]];
    F0T_TRY(f0t_samples_create(&e->answers, tags->dataset, split, number, e->count, true));
    for (size_t t = 0; t < all; t++)
        number[t] = tags->index[t] == F0T_NO_SAMPLE_TAG ? F0T_NO_SAMPLE_TAG
                                                        : e->class->place[tags->index[t]];
    return f0t_samples_create(&e->training, tags->dataset, split, number, e->class->task.tags,
                              true);
}

f0t_status f0t_exam_create(f0t_exam *e, const f0t_class *class, f0t_split split, const bool *mask)
{
    uint32_t *number = NULL, *place = NULL;
    *e = (f0t_exam){.class = class};
    f0t_status status = choose_tags(e, mask);
    if (status == F0T_OK)
        status = f0t_alloc(&number, f0t_dataset_tag_count(class->tags->dataset), sizeof *number);
    if (status == F0T_OK)
        status = f0t_alloc(&place, class->tags->count, sizeof *place);
    if (status == F0T_OK)
        status = find_answers(e, split, number, place);
    f0t_free(number);
    f0t_free(place);
    if (status != F0T_OK)
        f0t_exam_free(e);
    return status;
}

void f0t_exam_free(f0t_exam *e)
{
    f0t_samples_free(&e->answers);
    f0t_samples_free(&e->training);
    f0t_free(e->tags);
    f0t_free(e->vectors);
    f0t_free(e->known);
    *e = (f0t_exam){0};
}

/* ---- Taking it ----------------------------------------------------------------------------- */

typedef struct block {
    size_t most; /* rows */
    float *features, *scores;
    size_t *offsets, *training_offsets;
} block;

static f0t_status block_create(block *b, const f0t_exam *e, bool whole)
{
    size_t dim = f0t_task_features(&e->class->task), images = e->answers.count;
    size_t rows = BLOCK_FLOATS / (dim + e->count + 1);
    *b = (block){.most = rows > BLOCK_ROWS ? BLOCK_ROWS : rows > 1 ? rows : 1};
    if (whole || b->most > images)
        b->most = images;
    F0T_TRY(f0t_alloc(&b->features, b->most * dim, sizeof *b->features));
    F0T_TRY(f0t_alloc(&b->scores, b->most * e->count, sizeof *b->scores));
    F0T_TRY(f0t_alloc(&b->offsets, b->most + 1, sizeof *b->offsets));
    return f0t_alloc(&b->training_offsets, b->most + 1, sizeof *b->training_offsets);
}

static void block_free(block *b)
{
    f0t_free(b->features);
    f0t_free(b->scores);
    f0t_free(b->offsets);
    f0t_free(b->training_offsets);
}

/* The tags of images first, …; offsets begin at 0. */
static const uint32_t *slice(size_t *offsets, const f0t_samples *s, size_t first, size_t rows)
{
    for (size_t r = 0; r <= rows; r++)
        offsets[r] = s->offsets[first + r] - s->offsets[first];
    return s->relevant + s->offsets[first];
}

static f0t_status take_block(double *seconds, const f0t_exam *e, const f0t_candidate *c, block *b,
                             size_t first, size_t rows, f0t_exam_sink sink, void *user)
{
    f0t_candidates tags = {.count = e->count, .vectors = e->vectors, .known = e->known};
    f0t_queries queries = {.count = rows, .features = b->features};
    F0T_TRY(f0t_task_read(c->task, b->features, e->answers.images + first, rows));
    if (c->ranker->oracle) {
        queries.relevant = slice(b->training_offsets, &e->training, first, rows);
        queries.offsets = b->training_offsets;
    }
    double began = f0t_time();
    F0T_TRY(c->ranker->score(b->scores, c->fitted, c->task, &tags, &queries));
    *seconds += f0t_time() - began;
    f0t_ranking ranking = {.images = rows,
                           .tags = e->count,
                           .scores = b->scores,
                           .offsets = b->offsets,
                           .relevant = slice(b->offsets, &e->answers, first, rows)};
    return sink(user, first, &ranking);
}

/* How far it is is told here, by images: a method's own stages would begin anew with each block. */
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

f0t_status f0t_exam_take(double *seconds, const f0t_exam *e, const f0t_candidate *c,
                         f0t_exam_sink sink, void *user)
{
    block b;
    f0t_monitor quiet;
    const f0t_task task = without_progress(c->task, &quiet);
    const f0t_candidate candidate = {c->ranker, &task, c->fitted};
    const size_t count = e->answers.count;
    double spent = 0;
    f0t_stage stage = f0t_stage_begin(c->task->monitor, "ranking", "images", count);
    f0t_status status = block_create(&b, e, c->ranker->whole);
    for (size_t first = 0; first < count && status == F0T_OK; first += b.most) {
        status = f0t_stage_update(&stage, first);
        if (status == F0T_OK)
            status = take_block(&spent, e, &candidate, &b, first,
                                count - first < b.most ? count - first : b.most, sink, user);
    }
    if (status == F0T_OK)
        f0t_stage_end(&stage);
    block_free(&b);
    if (seconds)
        *seconds = spent;
    return status;
}

static f0t_status add_miap(void *user, size_t first, const f0t_ranking *ranking)
{
    (void)first;
    return f0t_miap_add(user, ranking);
}

f0t_status f0t_exam_miap(double *miap, const f0t_exam *e, const f0t_candidate *c)
{
    f0t_miap sum = {0};
    *miap = (double)NAN;
    F0T_TRY(f0t_exam_take(NULL, e, c, add_miap, &sum));
    *miap = f0t_miap_get(&sum);
    return F0T_OK;
}
