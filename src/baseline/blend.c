/*
 * blend, our default method: experts whose probabilities are added, and one direction for new words
 * (model/blend.h). Everything is as f0t_train does it, which has no hyper-parameters left to tune: weights are
 * chosen on validation images and on held-out fifths of the training tags, here as there.
 */
#include "model/blend.h"
#include "base/alloc.h"
#include "baseline/scorer.h"
#include "math/matmul.h"
#include "model/model.h"
#include "model/options.h"
#include "word/vocab.h"

#include <string.h>

enum { ROWS = F0T_SCORER_ROWS };

typedef struct fitted_blend {
    f0t_train_options options;
    double miap; /* of held-out images */
    f0t_condition condition;
    f0t_net *net;
    f0t_blend *blend;
} fitted_blend;

static void discard(void *fitted)
{
    fitted_blend *b = fitted;
    if (!b)
        return;
    f0t_blend_free(b->blend);
    f0t_net_free(b->net);
    f0t_condition_free(&b->condition);
    f0t_free(b);
}

/* ---- Learning ---------------------------------------------------------------------------------- */

/* Without knobs there are no trials. */
static f0t_train_options options_of(const f0t_task *task)
{
    f0t_train_options o = F0T_TRAIN_OPTIONS;
    o.method = F0T_METHOD_BLEND;
    o.seed = task->seed;
    o.bf16 = task->bf16;
    o.classes = task->classes;
    if (task->epochs)
        o.epochs = o.patience = task->epochs;
    f0t_train_options_resolve(&o, task->train.count, f0t_task_features(task), task->dim);
    return o;
}

static f0t_status learn(fitted_blend *b, const f0t_task *task)
{
    const f0t_blend_data data = {.dataset = task->dataset,
                                 .train = &task->train,
                                 .val = &task->val,
                                 .vectors = task->vectors,
                                 .dim = task->dim,
                                 .classes = task->classes,
                                 .class_vectors = task->class_vectors,
                                 .condition = &b->condition};
    b->options = options_of(task);
    if (task->train.offsets[task->train.count] == 0)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "none of the %zu training images has a tag to learn",
                        task->train.count);
    if (task->train.count + task->val.count < 2)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "there is one image to learn from; a blend needs two");
    if (b->options.bf16)
        f0t_matmul_bf16_notice(task->monitor);
    F0T_TRY(f0t_condition_create(&b->condition, b->options.condition, task->dataset, &task->train,
                                 task->monitor));
    return f0t_blend_fit(&b->blend, &b->net, &b->miap, &data, &b->options, task->monitor);
}

static f0t_status fit(void **fitted, const f0t_task *task, void *shared, const double *knobs)
{
    fitted_blend *b = NULL;
    (void)shared;
    (void)knobs;
    *fitted = NULL;
    F0T_TRY(f0t_alloc_zero(&b, 1, sizeof *b));
    f0t_status status = learn(b, task);
    if (status != F0T_OK) {
        discard(b);
        return status;
    }
    *fitted = b;
    return F0T_OK;
}

/* ---- Scoring ----------------------------------------------------------------------------------- */

/* A block of images, always of ROWS rows (scorer.h), and what the blend says of them. */
typedef struct block {
    float *features;   /* [ROWS x D] */
    float *learned;    /* [ROWS x T]; NULL: no candidate was learned */
    float *directions; /* [ROWS x d]; NULL: no candidate is new */
    float *offsets;    /* [ROWS] likewise */
} block;

static f0t_status block_create(block *b, const f0t_blend *blend, bool learned, bool words)
{
    *b = (block){0};
    F0T_TRY(f0t_alloc(&b->features, ROWS * blend->features, sizeof *b->features));
    if (learned)
        F0T_TRY(f0t_alloc(&b->learned, ROWS * blend->tags, sizeof *b->learned));
    if (!words)
        return F0T_OK;
    F0T_TRY(f0t_alloc(&b->directions, ROWS * blend->dim, sizeof *b->directions));
    return f0t_alloc(&b->offsets, ROWS, sizeof *b->offsets);
}

static void block_free(block *b)
{
    f0t_free(b->features);
    f0t_free(b->learned);
    f0t_free(b->directions);
    f0t_free(b->offsets);
}

/* scores[rows x count]: of new words along the directions, of learned tags their own. */
static f0t_status take_scores(float *scores, const block *b, const f0t_blend *blend,
                              const f0t_candidates *tags, size_t rows)
{
    const float among = b->learned ? blend->word_offset : 0;
    if (b->directions)
        F0T_TRY(f0t_scorer_product(scores, b->directions, rows, tags->vectors, tags->count,
                                   blend->dim));
    for (size_t r = 0; r < rows; r++)
        for (size_t t = 0; t < tags->count; t++) {
            float *s = &scores[r * tags->count + t];
            if (tags->known[t] == F0T_NO_SAMPLE_TAG)
                *s += b->offsets[r] + among;
            else
                *s = b->learned[r * blend->tags + tags->known[t]];
        }
    return F0T_OK;
}

static f0t_status score_block(float *scores, block *b, const f0t_blend *blend,
                              const f0t_candidates *tags, const float *features, size_t rows)
{
    const size_t D = blend->features;
    memcpy(b->features, features, rows * D * sizeof *features);
    memset(b->features + rows * D, 0, (ROWS - rows) * D * sizeof *features);
    F0T_TRY(f0t_blend_score(b->learned, b->directions, b->offsets, blend, NULL, b->features, ROWS));
    return take_scores(scores, b, blend, tags, rows);
}

static f0t_status score(float *scores, const void *fitted, const f0t_task *task,
                        const f0t_candidates *tags, const f0t_queries *queries)
{
    const f0t_blend *blend = ((const fitted_blend *)fitted)->blend;
    block b;
    size_t learned = 0;
    (void)task;
    for (size_t t = 0; t < tags->count; t++)
        learned += tags->known[t] != F0T_NO_SAMPLE_TAG;
    f0t_status status = block_create(&b, blend, learned > 0, learned < tags->count);
    for (size_t first = 0; first < queries->count && status == F0T_OK; first += ROWS) {
        const size_t rows = queries->count - first < ROWS ? queries->count - first : ROWS;
        status = score_block(scores + first * tags->count, &b, blend, tags,
                             queries->features + first * blend->features, rows);
    }
    block_free(&b);
    return status;
}

/* ---- As a model -------------------------------------------------------------------------------- */

/* The training tags. */
static f0t_status list_tags(f0t_vocab **out, const f0t_task *task)
{
    const char **tags;
    F0T_TRY(f0t_alloc(&tags, task->tags, sizeof *tags));
    for (size_t i = 0; i < f0t_vocab_count(task->vocab); i++)
        if (task->place[i] != F0T_NO_SAMPLE_TAG)
            tags[task->place[i]] = f0t_vocab_tag(task->vocab, i);
    const f0t_vocab_parts parts = {.tags = tags,
                                   .count = task->tags,
                                   .vectors = task->vectors,
                                   .dim = task->dim,
                                   .centred = f0t_vocab_centred(task->vocab),
                                   .fingerprint = f0t_vocab_fingerprint(task->vocab)};
    const f0t_status status = f0t_vocab_restore(out, &parts);
    f0t_free(tags);
    return status;
}

static f0t_status save(const void *fitted, const f0t_task *task, const char *path)
{
    const fitted_blend *b = fitted;
    f0t_model *model;
    F0T_TRY(f0t_alloc_zero(&model, 1, sizeof *model));
    model->method = F0T_METHOD_BLEND;
    f0t_status status = list_tags(&model->vocab, task);
    if (status == F0T_OK)
        status = f0t_model_describe(model, &b->options, b->miap, task->dataset);
    model->condition = b->condition; /* lent, as net and blend are */
    model->net = b->net;
    model->blend = b->blend;
    if (status == F0T_OK)
        status = f0t_model_save(model, path);
    model->condition = (f0t_condition){0};
    model->net = NULL;
    model->blend = NULL;
    f0t_model_free(model);
    return status;
}

const f0t_ranker f0t_ranker_blend = {.name = "blend",
                                     .title = "Fast0Tag (blend)",
                                     .source = "fast0tag: docs/methods.md",
                                     .calibrated = true,
                                     .divided = true,
                                     .fit = fit,
                                     .free = discard,
                                     .save = save,
                                     .score = score};
