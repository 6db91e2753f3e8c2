/*
 * f0t_reference_measure: what a model's validation MiAP is to be compared with. Two ways of ranking that
 * need no training: the same list for every image, by how often tags are used, and the tags of the
 * nearest training images. Of a blend they rank the images that it held out, in the same folds.
 */
#include "base/alloc.h"
#include "base/monitor.h"
#include "base/team.h"
#include "compute/scoring.h"
#include "fast0tag_tools.h"
#include "io/json.h"
#include "math/matmul.h"
#include "math/topk.h"
#include "model/blend_fit.h"
#include "model/samples.h"
#include "rank/miap.h"
#include "word/vocab.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* Enough to compare by, and at most seconds: of more images every so-manieth is taken. */
enum { QUERIES_MOST = 2000, IMAGES_MOST = 20000, BLOCK = 512 };

/* Neighbours, and how their weights fall: e⁻³ from the first to the last. */
enum { NEIGHBOURS = 50 };
static const double FALL = 3;

/* Some images of a part. */
typedef struct part {
    f0t_samples samples;
    uint32_t *taken; /* [count] of them */
    size_t count;
} part;

typedef struct measure {
    const f0t_model *model;
    const f0t_dataset *dataset;
    const f0t_monitor *monitor;
    uint32_t *number; /* [tags of the dataset]: place in the vocabulary, or F0T_NO_SAMPLE_TAG */
    size_t tags, features;
    part train, val;
    size_t folds;     /* not 0: the parts are the same, and images see none of their own fold */
    float *frequency; /* [folds, or 1, x tags] share of the training images */
    float *queries;   /* [val.count x features] of length 1 */
    f0t_best *near;
    float *rows;      /* [BLOCK x features] */
    float *products;  /* [BLOCK x BLOCK] */
    float *scores;    /* [BLOCK x tags] */
    float *direction; /* [BLOCK x dim] */
    f0t_miap sums[3]; /* model, frequency, neighbours */
} measure;

static void release(measure *m)
{
    f0t_free(m->number);
    for (int i = 0; i < 2; i++) {
        part *p = i ? &m->train : &m->val;
        f0t_samples_free(&p->samples);
        f0t_free(p->taken);
    }
    f0t_free(m->frequency);
    f0t_free(m->queries);
    f0t_best_free(m->near);
    f0t_free(m->rows);
    f0t_free(m->products);
    f0t_free(m->scores);
    f0t_free(m->direction);
}

/* ---- Images and tags ----------------------------------------------------------------------------- */

/* Numbers the tags that were trained with by their place in the model's vocabulary. */
static f0t_status number_tags(measure *m, const f0t_train_options *options)
{
    uint32_t *tags;
    size_t count, all = f0t_dataset_tag_count(m->dataset);
    F0T_TRY(f0t_alloc(&m->number, all, sizeof *m->number));
    for (size_t t = 0; t < all; t++)
        m->number[t] = F0T_NO_SAMPLE_TAG;
    F0T_TRY(f0t_tags_choose(&tags, &count, m->dataset, options));
    f0t_status status = F0T_OK;
    for (size_t i = 0; status == F0T_OK && i < count; i++) {
        size_t place;
        status =
            f0t_vocab_find(&place, f0t_model_vocab(m->model), f0t_dataset_tag(m->dataset, tags[i]));
        if (status == F0T_OK && place != F0T_NONE)
            m->number[tags[i]] = (uint32_t)place;
    }
    f0t_free(tags);
    return status;
}

/* Of all images as a blend divides them. */
static f0t_status divide(measure *m, const f0t_samples *train, const f0t_samples *val)
{
    const f0t_held_kind held = f0t_blend_holds(train->count, val->count);
    f0t_samples all = {0};
    F0T_TRY(f0t_samples_join(&all, train, val));
    f0t_status status;
    if (held == F0T_HELD_ALL) {
        m->folds = F0T_HELD_FOLDS;
        status = f0t_samples_pick(&m->train.samples, &all, true);
        if (status == F0T_OK)
            status = f0t_samples_pick(&m->val.samples, &all, true);
    } else {
        status = f0t_samples_fold(&m->train.samples, &all, 0, F0T_HELD_SHARE, false);
        if (status == F0T_OK)
            status = f0t_samples_fold(&m->val.samples, &all, 0, F0T_HELD_SHARE, true);
    }
    f0t_samples_free(&all);
    return status;
}

/* Images that have a tag and lack one; of a blend all, which it numbers. */
static f0t_status take_samples(measure *m)
{
    const bool blend = f0t_model_method(m->model) == F0T_METHOD_BLEND;
    F0T_TRY(
        f0t_samples_create(&m->train.samples, m->dataset, F0T_TRAIN, m->number, m->tags, blend));
    F0T_TRY(f0t_samples_create(&m->val.samples, m->dataset, F0T_VAL, m->number, m->tags, blend));
    f0t_samples train = m->train.samples, val = m->val.samples;
    if (!blend || f0t_blend_holds(train.count, val.count) == F0T_HELD_VAL)
        return F0T_OK;
    m->train.samples = m->val.samples = (f0t_samples){0};
    f0t_status status = divide(m, &train, &val);
    f0t_samples_free(&train);
    f0t_samples_free(&val);
    return status;
}

/* Evenly chosen where there are many. */
static f0t_status take_part(part *p, size_t most)
{
    p->count = p->samples.count < most ? p->samples.count : most;
    F0T_TRY(f0t_alloc(&p->taken, p->count, sizeof *p->taken));
    for (size_t i = 0; i < p->count; i++)
        p->taken[i] = (uint32_t)((uint64_t)i * p->samples.count / p->count);
    return F0T_OK;
}

/* Images that count in a MiAP. */
static size_t count_ranked(const part *p, size_t tags)
{
    size_t count = 0;
    for (size_t i = 0; i < p->count; i++) {
        const size_t n = p->samples.offsets[p->taken[i] + 1] - p->samples.offsets[p->taken[i]];
        count += n > 0 && n < tags;
    }
    return count;
}

/* Of images outside of the fold, where there are folds. */
static f0t_status count_tags(measure *m)
{
    const f0t_samples *train = &m->train.samples;
    const size_t folds = m->folds ? m->folds : 1;
    F0T_TRY(f0t_alloc_zero(&m->frequency, folds * m->tags, sizeof *m->frequency));
    for (size_t fold = 0; fold < folds; fold++) {
        float *frequency = m->frequency + fold * m->tags, seen = 0;
        for (size_t i = 0; i < train->count; i++) {
            if (m->folds && i % m->folds == fold)
                continue;
            seen++;
            for (size_t at = train->offsets[i]; at < train->offsets[i + 1]; at++)
                frequency[train->relevant[at]] += 1;
        }
        for (size_t t = 0; t < m->tags; t++)
            frequency[t] /= seen > 0 ? seen : 1;
    }
    return F0T_OK;
}

static const float *frequency_for(const measure *m, size_t image)
{
    return m->frequency + (m->folds ? image % m->folds * m->tags : 0);
}

/* Features of images first, …, as they are. */
static f0t_status read_rows(const measure *m, float *rows, const part *p, size_t first,
                            size_t count)
{
    for (size_t i = 0; i < count; i++)
        F0T_TRY(f0t_dataset_read_features(rows + i * m->features, m->dataset,
                                          p->samples.images[p->taken[first + i]], 1));
    return F0T_OK;
}

static void make_unit(float *rows, size_t count, size_t features)
{
    for (size_t i = 0; i < count; i++) {
        float *row = rows + i * features;
        double sum = 0;
        for (size_t k = 0; k < features; k++)
            sum += (double)row[k] * (double)row[k];
        const float scale = sum > 0 ? (float)(1 / sqrt(sum)) : 0;
        for (size_t k = 0; k < features; k++)
            row[k] *= scale;
    }
}

/* ---- Neighbours ---------------------------------------------------------------------------------- */

/* Offers `wide` training images, which are m->rows, to `count` queries. */
static f0t_status offer(measure *m, size_t first, size_t count, size_t other, size_t wide)
{
    const f0t_matmul op = {.m = count, .n = wide, .k = m->features, .b_transposed = true};
    const int threads = f0t_team_size();
    (void)threads;
    F0T_TRY(f0t_matmul_run(m->products, m->queries + first * m->features, m->rows, NULL, &op));
    for (size_t i = 0; i < count && m->folds; i++)
        for (size_t j = 0; j < wide; j++)
            if ((first + i) % m->folds == (other + j) % m->folds)
                m->products[i * wide + j] = NAN; /* never among the best */
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
    for (size_t i = 0; i < count; i++)
        f0t_best_add(m->near, first + i, m->products + i * wide, wide, (uint32_t)other, UINT32_MAX);
    return F0T_OK;
}

static size_t block_of(size_t first, size_t count)
{
    return count - first < BLOCK ? count - first : BLOCK;
}

static f0t_status find_neighbours(measure *m)
{
    const size_t k = m->train.count < NEIGHBOURS ? m->train.count : NEIGHBOURS;
    f0t_stage stage =
        f0t_stage_begin(m->monitor, "comparing with neighbours", "images", m->train.count);
    F0T_TRY(f0t_best_create(&m->near, m->val.count, k));
    for (size_t other = 0; other < m->train.count; other += BLOCK) {
        const size_t wide = block_of(other, m->train.count);
        F0T_TRY(f0t_stage_update(&stage, other));
        F0T_TRY(read_rows(m, m->rows, &m->train, other, wide));
        make_unit(m->rows, wide, m->features);
        for (size_t first = 0; first < m->val.count; first += BLOCK)
            F0T_TRY(offer(m, first, block_of(first, m->val.count), other, wide));
    }
    for (size_t i = 0; i < m->val.count; i++)
        f0t_best_sort(m->near, i);
    f0t_stage_end(&stage);
    return F0T_OK;
}

/* The weighted tags of the neighbours of query i; frequency decides among the rest. */
static void score_neighbours(const measure *m, float *scores, size_t i)
{
    const f0t_samples *train = &m->train.samples;
    const size_t count = m->near->count[i];
    const float *value = m->near->value + i * m->near->k;
    const uint32_t *index = m->near->index + i * m->near->k;
    const double range = count ? (double)value[0] - (double)value[count - 1] : 0;
    const float *frequency = frequency_for(m, i);
    for (size_t t = 0; t < m->tags; t++)
        scores[t] = 1e-4F * frequency[t];
    for (size_t j = 0; j < count; j++) {
        const double fall = range > 0 ? ((double)value[0] - (double)value[j]) / range : 0;
        const size_t sample = m->train.taken[index[j]];
        for (size_t at = train->offsets[sample]; at < train->offsets[sample + 1]; at++)
            scores[train->relevant[at]] += (float)exp(-FALL * fall);
    }
}

/* ---- Three rankings ------------------------------------------------------------------------------ */

/* Adds the ranking m->scores of `count` images to a sum. */
static f0t_status add_ranking(measure *m, f0t_miap *sum, size_t first, size_t count)
{
    const f0t_samples *val = &m->val.samples;
    for (size_t i = 0; i < count; i++) {
        const size_t sample = m->val.taken[first + i];
        const size_t offsets[2] = {0, val->offsets[sample + 1] - val->offsets[sample]};
        const f0t_ranking one = {.images = 1,
                                 .tags = m->tags,
                                 .scores = m->scores + i * m->tags,
                                 .offsets = offsets,
                                 .relevant = val->relevant + val->offsets[sample]};
        F0T_TRY(f0t_miap_add(sum, &one));
    }
    return F0T_OK;
}

static f0t_status rank_block(measure *m, size_t first, size_t count)
{
    const f0t_vocab *vocab = f0t_model_vocab(m->model);
    if (f0t_model_method(m->model) != F0T_METHOD_BLEND) {
        F0T_TRY(read_rows(m, m->rows, &m->val, first, count));
        F0T_TRY(f0t_model_directions(m->direction, m->model, m->rows, count, NULL));
        F0T_TRY(f0t_score_once(m->scores, m->direction, count, f0t_vocab_vectors(vocab), m->tags,
                               f0t_vocab_dim(vocab), false));
        F0T_TRY(add_ranking(m, &m->sums[0], first, count));
    }
    for (size_t i = 0; i < count; i++)
        memcpy(m->scores + i * m->tags, frequency_for(m, first + i), m->tags * sizeof *m->scores);
    F0T_TRY(add_ranking(m, &m->sums[1], first, count));
    for (size_t i = 0; i < count; i++)
        score_neighbours(m, m->scores + i * m->tags, first + i);
    return add_ranking(m, &m->sums[2], first, count);
}

/* The neighbours of a finished blend are the validation images, too: what counts is what it gave on images
 * while they were held out. */
static f0t_status recall_blend(double *miap, const f0t_model *model)
{
    const char *text = f0t_model_training(model);
    json_t *json;
    F0T_TRY(f0t_json_parse(&json, text, strlen(text), "the model's training"));
    const json_t *value = json_object_get(json, "validation_miap");
    *miap = json_is_number(value) ? json_number_value(value) : (double)NAN;
    json_decref(json);
    return F0T_OK;
}

static f0t_status allocate(measure *m)
{
    F0T_TRY(f0t_alloc(&m->queries, m->val.count * m->features, sizeof *m->queries));
    F0T_TRY(f0t_alloc(&m->rows, BLOCK * m->features, sizeof *m->rows));
    F0T_TRY(f0t_alloc(&m->products, BLOCK * BLOCK, sizeof *m->products));
    F0T_TRY(f0t_alloc(&m->scores, BLOCK * m->tags, sizeof *m->scores));
    return f0t_alloc(&m->direction, BLOCK * f0t_model_dim(m->model), sizeof *m->direction);
}

static f0t_status run(measure *m, const f0t_train_options *options)
{
    F0T_TRY(number_tags(m, options));
    F0T_TRY(take_samples(m));
    F0T_TRY(take_part(&m->train, IMAGES_MOST));
    F0T_TRY(take_part(&m->val, QUERIES_MOST));
    F0T_TRY(count_tags(m));
    F0T_TRY(allocate(m));
    F0T_TRY(read_rows(m, m->queries, &m->val, 0, m->val.count));
    make_unit(m->queries, m->val.count, m->features);
    F0T_TRY(find_neighbours(m));
    for (size_t first = 0; first < m->val.count; first += BLOCK)
        F0T_TRY(rank_block(m, first, block_of(first, m->val.count)));
    return F0T_OK;
}

f0t_status f0t_reference_measure(f0t_reference *out, const f0t_model *model,
                                 const f0t_dataset *dataset, const f0t_train_options *options,
                                 const f0t_context *context)
{
    F0T_ENTER(context);
    const f0t_monitor *monitor = f0t_context_monitor(context);
    F0T_REQUIRE(out);
    F0T_REQUIRE(model);
    F0T_REQUIRE(dataset);
    F0T_REQUIRE(options);
    F0T_READ_OPTIONS(f0t_train_options, F0T_TRAIN_OPTIONS, options);
    measure m = {.model = model,
                 .dataset = dataset,
                 .monitor = monitor,
                 .tags = f0t_vocab_count(f0t_model_vocab(model)),
                 .features = f0t_dataset_dim(dataset)};
    *out =
        (f0t_reference){.model = (double)NAN, .frequency = (double)NAN, .neighbours = (double)NAN};
    if (m.features != f0t_model_input_dim(model))
        return f0t_fail(F0T_ERROR_MISMATCH, "%s has %zu features, the model takes %zu",
                        f0t_dataset_path(dataset), m.features, f0t_model_input_dim(model));
    f0t_status status = run(&m, options);
    if (status == F0T_OK)
        *out = (f0t_reference){.model = 100 * f0t_miap_get(&m.sums[0]),
                               .frequency = 100 * f0t_miap_get(&m.sums[1]),
                               .neighbours = 100 * f0t_miap_get(&m.sums[2]),
                               .images = count_ranked(&m.val, m.tags),
                               .compared = m.train.count};
    if (status == F0T_OK && f0t_model_method(model) == F0T_METHOD_BLEND)
        status = recall_blend(&out->model, model);
    release(&m);
    return status;
}
