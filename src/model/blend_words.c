/*
 * New words of a blend: how much each part of their direction counts, and what their scores mean. Nothing about
 * words that are to be new is known, so learned tags play them: a fifth of those with a vector is held out, a
 * direction is trained on the others, and the held-out ones are ranked for images that were held out as well.
 */
#include "model/blend_fit.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "base/plan.h"
#include "base/random.h"
#include "compute/scoring.h"
#include "model/stacking.h"

#include <math.h>
#include <string.h>

enum {
    FIFTHS = 5,
    TRIED = 2,       /* of the fifths */
    TAGS_LEAST = 25, /* with fewer tags that have a vector the usual weights are kept */
    IMAGES_MOST = 1000
};
static const double EFFORT = 0.4; /* of a direction that is trained to be judged */

/* Those that ranked held-out fifths of learned tags best, over eight draws of flickr8k's tags, and where the classes teach
 * the direction over sixteen (docs/results.md). */
static const float USUAL_WEIGHTS[F0T_WORD_PARTS] = {[F0T_WORD_NET] = 1,
                                                    [F0T_WORD_VOTES] = 0.2F,
                                                    [F0T_WORD_TAGS] = 0.4F,
                                                    [F0T_WORD_CLASSES] = 0.3F,
                                                    [F0T_WORD_PRIOR] = 0.1F};
static const float TAUGHT_WEIGHTS[F0T_WORD_PARTS] = {[F0T_WORD_NET] = 1,
                                                     [F0T_WORD_VOTES] = 0.2F,
                                                     [F0T_WORD_TAGS] = 0.6F,
                                                     [F0T_WORD_CLASSES] = 0.2F,
                                                     [F0T_WORD_PRIOR] = 0.1F};
/* Of the likely tags beside all parts, where they are worth it; beside those that need no training, by which that is judged;
 * and the points of MiAP that they gain then at least. */
static const float LIKELY_WEIGHT = 0.5F, LIKELY_JUDGED = 0.3F;
static const double LIKELY_GAIN = 1;
/* Where too few images or tags are there to measure it; -4 promised twice what words held out of small collections kept. */
static const double USUAL_CALIBRATION[2] = {1, -5};

/* ---- One fifth ----------------------------------------------------------------------------------------- */

/* The learned tags without a fifth of them, and what the parts say of that fifth. */
typedef struct fifth {
    uint32_t *place;      /* [T] number among those kept, or F0T_NO_SAMPLE_TAG */
    uint32_t *held_place; /* [T] number among those held out, or F0T_NO_SAMPLE_TAG */
    size_t kept, held;
    float *vectors, *frequency; /* of those kept: [kept x d], [kept] */
    float *votes, *own;         /* [images x kept]; NULL: off */
    float *likely;              /* likewise */
    float *held_vectors;        /* [held x d] */
    f0t_word_space space;
    f0t_samples truth;           /* of those held out */
    float *part[F0T_WORD_PARTS]; /* [images x held] scores; NULL: off */
    float *parts_memory, *directions[F0T_WORD_PARTS];
    float *scores; /* [images x held] */
} fifth;

static void fifth_free(fifth *t)
{
    f0t_free(t->place);
    f0t_free(t->held_place);
    f0t_free(t->vectors);
    f0t_free(t->frequency);
    f0t_free(t->votes);
    f0t_free(t->own);
    f0t_free(t->likely);
    f0t_free(t->held_vectors);
    f0t_word_space_free(&t->space);
    f0t_samples_free(&t->truth);
    for (size_t p = 0; p < F0T_WORD_PARTS; p++)
        f0t_free(t->part[p]);
    f0t_free(t->parts_memory);
    f0t_free(t->scores);
}

/* Tags in random order; every FIFTHS-th of those that a direction learns from is held out. */
static f0t_status divide_tags(fifth *t, const f0t_blend_fitting *f, size_t number)
{
    const f0t_blend *b = f->blend;
    const f0t_random random = {f->options->seed, 0x626c656e64};
    uint32_t *order;
    size_t known = 0, chosen;
    F0T_TRY(f0t_alloc(&t->place, b->tags, sizeof *t->place));
    F0T_TRY(f0t_alloc(&t->held_place, b->tags, sizeof *t->held_place));
    F0T_TRY(f0t_blend_choose_tags(t->place, &chosen, f, f->data->train));
    F0T_TRY(f0t_alloc(&order, b->tags, sizeof *order));
    for (size_t i = 0; i < b->tags; i++) {
        order[i] = (uint32_t)i;
        t->held_place[i] = F0T_NO_SAMPLE_TAG;
    }
    f0t_random_shuffle(order, b->tags, &random);
    for (size_t i = 0; i < b->tags; i++) {
        uint32_t *kept = &t->place[order[i]];
        if (*kept == F0T_NO_SAMPLE_TAG)
            continue;
        const bool out = known++ % FIFTHS == number;
        *(out ? &t->held_place[order[i]] : kept) = 0;
        if (out)
            *kept = F0T_NO_SAMPLE_TAG;
    }
    f0t_free(order);
    for (size_t i = 0; i < b->tags; i++) {
        if (t->place[i] == 0)
            t->place[i] = (uint32_t)t->kept++;
        if (t->held_place[i] == 0)
            t->held_place[i] = (uint32_t)t->held++;
    }
    return F0T_OK;
}

/* The columns of those kept of from[images x T]. */
static f0t_status gather_columns(float **out, const fifth *t, const float *from, size_t tags,
                                 size_t images)
{
    if (!from)
        return F0T_OK;
    F0T_TRY(f0t_alloc(out, images * t->kept, sizeof **out));
    for (size_t i = 0; i < tags; i++)
        for (size_t m = 0; m < images && t->place[i] != F0T_NO_SAMPLE_TAG; m++)
            (*out)[m * t->kept + t->place[i]] = from[m * tags + i];
    return F0T_OK;
}

static f0t_status gather_kept(fifth *t, const f0t_blend_fitting *f, size_t images)
{
    const f0t_blend *b = f->blend;
    F0T_TRY(f0t_alloc(&t->vectors, t->kept * b->dim, sizeof *t->vectors));
    F0T_TRY(f0t_alloc(&t->held_vectors, t->held * b->dim, sizeof *t->held_vectors));
    F0T_TRY(f0t_alloc(&t->frequency, t->kept, sizeof *t->frequency));
    for (size_t i = 0; i < b->tags; i++) {
        const float *v = b->vectors + i * b->dim;
        const uint32_t k = t->place[i], h = t->held_place[i];
        if (h != F0T_NO_SAMPLE_TAG)
            memcpy(t->held_vectors + h * b->dim, v, b->dim * sizeof *v);
        if (k == F0T_NO_SAMPLE_TAG)
            continue;
        memcpy(t->vectors + k * b->dim, v, b->dim * sizeof *v);
        t->frequency[k] = b->frequency[i];
    }
    F0T_TRY(gather_columns(&t->votes, t, f->held.expert[F0T_EXPERT_VOTES], b->tags, images));
    F0T_TRY(gather_columns(&t->own, t, f->held.expert[F0T_EXPERT_TAGS], b->tags, images));
    return gather_columns(&t->likely, t, f->held.likely, b->tags, images);
}

/* Of all that is trained here. */
double f0t_blend_words_cost(const f0t_blend_fitting *f, const f0t_samples *train)
{
    return TRIED * f0t_blend_direction_cost(f, train, EFFORT);
}

/* Directions of the held-out images by a net that has not seen the fifth. */
static f0t_status point(float *directions, const fifth *t, const f0t_blend_fitting *f,
                        size_t images)
{
    f0t_samples train = {0}, val = {0};
    f0t_net *net = NULL;
    const f0t_blend *b = f->blend;
    float *rows = NULL;
    f0t_status status = f0t_samples_retag(&train, f->data->train, t->place, t->kept);
    if (status == F0T_OK)
        status = f0t_samples_retag(&val, f->data->val, t->place, t->kept);
    f0t_plan_step(f->monitor, f0t_blend_direction_cost(f, f->data->train, EFFORT));
    if (status == F0T_OK)
        status = f0t_blend_train_direction(&net, f, &train, &val, t->vectors, EFFORT);
    if (status == F0T_OK)
        status = f0t_alloc(&rows, images * b->features, sizeof *rows);
    if (status == F0T_OK) {
        memcpy(rows, f->held.rows, images * b->features * sizeof *rows);
        f0t_condition_apply(rows, b->condition, images);
        status = f0t_net_apply(directions, net, rows, images);
    }
    f0t_samples_free(&train);
    f0t_samples_free(&val);
    f0t_net_free(net);
    f0t_free(rows);
    return status;
}

static f0t_status score_parts(fifth *t, const f0t_blend_fitting *f, size_t images)
{
    const f0t_blend *b = f->blend;
    float *net;
    F0T_TRY(f0t_alloc(&t->parts_memory, F0T_WORD_PARTS * images * b->dim, sizeof(float)));
    F0T_TRY(f0t_alloc(&t->scores, images * t->held, sizeof *t->scores));
    for (size_t p = 0; p < F0T_WORD_PARTS; p++)
        if (b->word_weights[p] > 0)
            t->directions[p] = t->parts_memory + p * images * b->dim;
    F0T_TRY(f0t_alloc_zero(&net, images * b->dim, sizeof *net));
    f0t_status status = t->directions[F0T_WORD_NET] ? point(net, t, f, images) : F0T_OK;
    const f0t_word_sources sources = {.space = &t->space,
                                      .vectors = t->vectors,
                                      .frequency = t->frequency,
                                      .tags = t->kept,
                                      .count = images,
                                      .rows = f->held.rows,
                                      .directions = net,
                                      .votes = t->votes,
                                      .own = t->own,
                                      .likely = t->likely,
                                      .share = f0t_blend_likely_share(b)};
    if (status == F0T_OK)
        status = f0t_word_parts(t->directions, b, &sources);
    f0t_free(net);
    for (size_t p = 0; p < F0T_WORD_PARTS && status == F0T_OK; p++) {
        if (!t->directions[p])
            continue;
        status = f0t_alloc(&t->part[p], images * t->held, sizeof *t->part[p]);
        if (status == F0T_OK)
            status = f0t_score_once(t->part[p], t->directions[p], images, t->held_vectors, t->held,
                                    b->dim, false);
    }
    return status;
}

static f0t_status fifth_create(fifth *t, const f0t_blend_fitting *f, size_t number, size_t images)
{
    F0T_TRY(divide_tags(t, f, number));
    F0T_TRY(gather_kept(t, f, images));
    F0T_TRY(f0t_word_space_create(&t->space, t->vectors, t->frequency, t->kept, f->blend->dim));
    F0T_TRY(f0t_samples_retag(&t->truth, &f->held.truth, t->held_place, t->held));
    t->truth.count = images;
    return score_parts(t, f, images);
}

/* ---- Weights --------------------------------------------------------------------------------------------- */

/* 1 / the mean deviation of the learned tags' scores along each part. */
static f0t_status measure_scales(float *scales, float *const parts[F0T_WORD_PARTS],
                                 const f0t_word_space *space, size_t images)
{
    float *deviation;
    F0T_TRY(f0t_alloc(&deviation, images, sizeof *deviation));
    f0t_status status = F0T_OK;
    for (size_t p = 0; p < F0T_WORD_PARTS && status == F0T_OK; p++) {
        double sum = 0;
        if (parts[p])
            status = f0t_word_space_moments(NULL, deviation, space, parts[p], images);
        for (size_t m = 0; m < images && parts[p] && status == F0T_OK; m++)
            sum += (double)deviation[m];
        scales[p] = sum > 0 ? (float)((double)images / sum) : 0;
    }
    f0t_free(deviation);
    return status;
}

static void add_parts(float *scores, const fifth *t, const float *weights, const float *scales,
                      size_t images)
{
    const size_t n = images * t->held;
    memset(scores, 0, n * sizeof *scores);
    for (size_t p = 0; p < F0T_WORD_PARTS; p++)
        for (size_t i = 0; i < n && t->part[p]; i++)
            scores[i] += weights[p] * scales[p] * t->part[p][i];
}

/* The mean over fifths of the held-out tags' MiAP. */
static f0t_status judge(double *out, const fifth *fifths, const float *weights,
                        const float scales[][F0T_WORD_PARTS], size_t images)
{
    double sum = 0;
    for (size_t i = 0; i < TRIED; i++) {
        double miap;
        add_parts(fifths[i].scores, &fifths[i], weights, scales[i], images);
        F0T_TRY(f0t_blend_miap(&miap, fifths[i].scores, &fifths[i].truth));
        sum += isnan(miap) ? 0 : miap;
    }
    *out = sum / TRIED;
    return F0T_OK;
}

static f0t_status check_stop(const f0t_blend_fitting *f)
{
    return f0t_monitor_stopped(f->monitor)
               ? f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted while weighing new words")
               : F0T_OK;
}

/* ---- The likely tags --------------------------------------------------------------------------------------- */

/* What they add to the other parts of one fifth, but the net's. */
static f0t_status judge_likely(double *gain, const f0t_blend_fitting *f, size_t number,
                               size_t images)
{
    fifth t = {0};
    float scales[F0T_WORD_PARTS], weights[F0T_WORD_PARTS];
    double with = 0, without = 0;
    memcpy(weights, f->blend->word_weights, sizeof weights);
    f0t_status status = fifth_create(&t, f, number, images);
    if (status == F0T_OK)
        status = measure_scales(scales, t.directions, &t.space, images);
    for (size_t i = 0; i < 2 && status == F0T_OK; i++) {
        weights[F0T_WORD_LIKELY] = i ? LIKELY_JUDGED : 0;
        add_parts(t.scores, &t, weights, scales, images);
        status = f0t_blend_miap(i ? &with : &without, t.scores, &t.truth);
    }
    fifth_free(&t);
    *gain = isnan(with - without) ? 0 : with - without;
    return status == F0T_OK ? check_stop(f) : status;
}

/* They help where features say little, and cost where a direction can be learned well (docs/results.md). Nothing is trained
 * to tell which: every fifth is asked, what the net of tags and the votes explain standing for all parts. */
static f0t_status weigh_likely(f0t_blend_fitting *f, size_t images)
{
    float *weights = f->blend->word_weights;
    const float net = weights[F0T_WORD_NET];
    double sum = 0, gain = 0;
    if (!f->held.likely || !(weights[F0T_WORD_VOTES] > 0 || weights[F0T_WORD_TAGS] > 0))
        return F0T_OK;
    weights[F0T_WORD_NET] = 0;
    weights[F0T_WORD_LIKELY] = LIKELY_JUDGED;
    f0t_status status = F0T_OK;
    for (size_t i = 0; i < FIFTHS && status == F0T_OK; i++) {
        status = judge_likely(&gain, f, i, images);
        sum += gain;
    }
    weights[F0T_WORD_NET] = net;
    weights[F0T_WORD_LIKELY] = sum / FIFTHS >= LIKELY_GAIN ? LIKELY_WEIGHT : 0;
    return status;
}

/* ---- The weights ------------------------------------------------------------------------------------------- */

/* Each weight in turn to the best value of a grid, from the usual ones on; a change must be worth it. */
static f0t_status search(float *weights, double *best, const f0t_blend_fitting *f,
                         const fifth *fifths, const float scales[][F0T_WORD_PARTS], size_t images)
{
    static const float GRID[] = {0, 0.05F, 0.1F, 0.2F, 0.3F, 0.5F, 0.7F, 1};
    const double worth = 3; /* points of MiAP: two fifths differ by more from a third */
    F0T_TRY(judge(best, fifths, weights, scales, images));
    for (size_t round = 0; round < 2; round++)
        for (size_t p = F0T_WORD_NET + 1; p < F0T_WORD_PARTS; p++) {
            float chosen = weights[p];
            for (size_t g = 0; g < sizeof GRID / sizeof *GRID && fifths[0].part[p]; g++) {
                double miap;
                weights[p] = GRID[g];
                F0T_TRY(check_stop(f));
                F0T_TRY(judge(&miap, fifths, weights, scales, images));
                if (miap > *best + worth) {
                    *best = miap;
                    chosen = GRID[g];
                }
            }
            weights[p] = chosen;
        }
    return F0T_OK;
}

/* ---- What scores mean ------------------------------------------------------------------------------------- */

/* g[images x d] = the weighted sum of a fifth's directions. */
static void add_directions(float *g, const fifth *t, const f0t_blend *b, const float *scales,
                           size_t images)
{
    const size_t n = images * b->dim;
    memset(g, 0, n * sizeof *g);
    for (size_t p = 0; p < F0T_WORD_PARTS; p++)
        for (size_t i = 0; i < n && t->directions[p]; i++)
            g[i] += b->word_weights[p] * scales[p] * t->directions[p][i];
}

/* The scores of a fifth as new words have them: standardised among the learned tags. */
static f0t_status standardise(fifth *t, const f0t_blend *b, const float *scales, size_t images)
{
    float *g, *mean, *deviation;
    F0T_TRY(f0t_alloc(&g, images * (b->dim + 2), sizeof *g));
    mean = g + images * b->dim;
    deviation = mean + images;
    add_parts(t->scores, t, b->word_weights, scales, images);
    add_directions(g, t, b, scales, images);
    f0t_status status = f0t_word_space_moments(mean, deviation, &t->space, g, images);
    for (size_t m = 0; m < images && status == F0T_OK; m++)
        for (size_t i = m * t->held; i < (m + 1) * t->held; i++)
            t->scores[i] = deviation[m] > 0 ? (t->scores[i] - mean[m]) / deviation[m] : 0;
    f0t_free(g);
    return status;
}

static f0t_status calibrate(f0t_blend *b, const fifth *fifths, size_t images)
{
    size_t pairs = 0, at = 0;
    float *scores = NULL;
    uint8_t *truth = NULL;
    double weights[2];
    for (size_t i = 0; i < TRIED; i++)
        pairs += images * fifths[i].held;
    f0t_status status = f0t_alloc(&scores, pairs, sizeof *scores);
    if (status == F0T_OK)
        status = f0t_alloc_zero(&truth, pairs, 1);
    for (size_t i = 0; i < TRIED && status == F0T_OK; i++) {
        const fifth *t = &fifths[i];
        memcpy(scores + at, t->scores, images * t->held * sizeof *scores);
        for (size_t m = 0; m < images; m++)
            for (size_t j = t->truth.offsets[m]; j < t->truth.offsets[m + 1]; j++)
                truth[at + m * t->held + t->truth.relevant[j]] = 1;
        at += images * t->held;
    }
    if (status == F0T_OK)
        f0t_logistic_fit(
            weights, USUAL_CALIBRATION, 5,
            &(f0t_pairs_table){.pairs = pairs, .columns = 1, .column = {scores}, .truth = truth});
    for (size_t i = 0; i < 2 && status == F0T_OK; i++)
        b->word_calibration[i] = (float)(i ? weights[i] : fmax(weights[i], F0T_SLOPE_LEAST));
    f0t_free(scores);
    f0t_free(truth);
    return status;
}

/* By the tags of one fifth. */
static f0t_status fit_risk(f0t_blend *b, const fifth *t, size_t images)
{
    float *logits;
    F0T_TRY(f0t_alloc(&logits, images * t->held, sizeof *logits));
    for (size_t i = 0; i < images * t->held; i++)
        logits[i] = b->word_calibration[0] * t->scores[i] + b->word_calibration[1];
    f0t_status status = f0t_blend_risk(&b->word_risk, logits, &t->truth);
    f0t_free(logits);
    return status;
}

/* MiAP of all tags where those of a fifth are scored as new words, with this offset. */
static f0t_status judge_together(double *out, const fifth *t, const f0t_blend_fitting *f,
                                 float *scores, float offset, size_t images)
{
    const f0t_blend *b = f->blend;
    f0t_samples truth = f->held.truth;
    truth.count = images;
    memcpy(scores, f->held.blend, images * b->tags * sizeof *scores);
    for (size_t m = 0; m < images; m++)
        for (size_t i = 0; i < b->tags; i++)
            if (t->held_place[i] != F0T_NO_SAMPLE_TAG)
                scores[m * b->tags + i] =
                    b->word_calibration[0] * t->scores[m * t->held + t->held_place[i]] +
                    b->word_calibration[1] + offset;
    return f0t_blend_miap(out, scores, &truth);
}

static f0t_status choose_offset(const f0t_blend_fitting *f, const fifth *fifths, size_t images)
{
    f0t_blend *b = f->blend;
    float *scores;
    double best = -1;
    enum { STEPS_MOST = 8 }; /* to either side, of a quarter each */
    F0T_TRY(f0t_alloc(&scores, images * b->tags, sizeof *scores));
    f0t_status status = F0T_OK;
    for (int i = 0; i <= 2 * STEPS_MOST && status == F0T_OK; i++) {
        const int step = i % 2 ? (i + 1) / 2 : -i / 2; /* 0, 1, -1, 2, …: on ties the smallest */
        double sum = 0, miap = 0;
        for (size_t t = 0; t < TRIED && status == F0T_OK; t++) {
            status = judge_together(&miap, &fifths[t], f, scores, (float)step / 4, images);
            sum += miap;
        }
        if (status == F0T_OK)
            status = check_stop(f);
        if (sum > best) {
            best = sum;
            b->word_offset = (float)step / 4;
        }
    }
    f0t_free(scores);
    return status;
}

/* ---- The whole --------------------------------------------------------------------------------------------- */

static f0t_status fit_by_fifths(f0t_blend_fitting *f, fifth *fifths, size_t images)
{
    f0t_blend *b = f->blend;
    float scales[TRIED][F0T_WORD_PARTS];
    double miap, alone;
    const float net[F0T_WORD_PARTS] = {[F0T_WORD_NET] = 1};
    F0T_TRY(weigh_likely(f, images));
    for (size_t i = 0; i < TRIED; i++) {
        F0T_TRY(fifth_create(&fifths[i], f, i, images));
        F0T_TRY(measure_scales(scales[i], fifths[i].directions, &fifths[i].space, images));
    }
    F0T_TRY(judge(&alone, fifths, net, (const float(*)[F0T_WORD_PARTS])scales, images));
    F0T_TRY(
        search(b->word_weights, &miap, f, fifths, (const float(*)[F0T_WORD_PARTS])scales, images));
    for (size_t i = 0; i < TRIED; i++)
        F0T_TRY(standardise(&fifths[i], b, scales[i], images));
    F0T_TRY(calibrate(b, fifths, images));
    F0T_TRY(fit_risk(b, &fifths[0], images));
    F0T_TRY(choose_offset(f, fifths, images));
    f0t_log(
        f->monitor, F0T_LOG_INFO,
        "new words: MiAP %.2f of held-out tags, %.2f by the direction alone; weights: votes %.2f, "
        "tags %.2f, likely tags %.2f, classes %.2f, prior %.2f; offset %.2f",
        miap, alone, (double)b->word_weights[F0T_WORD_VOTES],
        (double)b->word_weights[F0T_WORD_TAGS], (double)b->word_weights[F0T_WORD_LIKELY],
        (double)b->word_weights[F0T_WORD_CLASSES], (double)b->word_weights[F0T_WORD_PRIOR],
        (double)b->word_offset);
    return F0T_OK;
}

static f0t_status set_scales(f0t_blend_fitting *f, size_t images)
{
    f0t_blend *b = f->blend;
    float *memory, *parts[F0T_WORD_PARTS] = {0}, *net;
    const size_t size = images * b->dim;
    F0T_TRY(f0t_alloc_zero(&memory, (F0T_WORD_PARTS + 1) * size, sizeof *memory));
    net = memory + F0T_WORD_PARTS * size;
    for (size_t p = 0; p < F0T_WORD_PARTS; p++)
        if (b->word_weights[p] > 0 && p != F0T_WORD_NET)
            parts[p] = memory + p * size;
    const f0t_word_sources sources = {.space = &b->space,
                                      .vectors = b->vectors,
                                      .frequency = b->frequency,
                                      .tags = b->tags,
                                      .count = images,
                                      .rows = f->held.rows,
                                      .directions = net,
                                      .votes = f->held.expert[F0T_EXPERT_VOTES],
                                      .own = f->held.expert[F0T_EXPERT_TAGS],
                                      .likely = f->held.likely,
                                      .share = f0t_blend_likely_share(b)};
    f0t_status status = f0t_word_parts(parts, b, &sources);
    if (status == F0T_OK)
        status = measure_scales(b->word_scales, parts, &b->space, images);
    b->word_scales[F0T_WORD_NET] = 1;
    f0t_free(memory);
    return status;
}

/* q of the held-out images, where an expert makes it. */
static f0t_status take_likely(f0t_blend_fitting *f, size_t images)
{
    if (!(f0t_blend_likely_share(f->blend) > 0))
        return F0T_OK;
    F0T_TRY(f0t_alloc(&f->held.likely, images * f->blend->tags, sizeof *f->held.likely));
    f0t_blend_likely(f->held.likely, f->held.expert, f->blend, images);
    return F0T_OK;
}

/* Parts that are there, with their usual weights. */
static void start(f0t_blend_fitting *f)
{
    const bool on[F0T_WORD_PARTS] = {
        [F0T_WORD_NET] = !(f->options->without & (1U << F0T_EXPERT_DIRECTION)),
        [F0T_WORD_VOTES] = f->held.expert[F0T_EXPERT_VOTES] != NULL,
        [F0T_WORD_TAGS] = f->held.expert[F0T_EXPERT_TAGS] != NULL,
        [F0T_WORD_CLASSES] = f->blend->classes.count > 0,
        [F0T_WORD_PRIOR] = !(f->options->without & (1U << F0T_EXPERT_PRIOR))};
    const float *usual = f0t_blend_has_teacher(f) ? TAUGHT_WEIGHTS : USUAL_WEIGHTS;
    for (size_t p = 0; p < F0T_WORD_PARTS; p++)
        f->blend->word_weights[p] = on[p] ? usual[p] : 0;
    for (size_t i = 0; i < 2; i++)
        f->blend->word_calibration[i] = (float)USUAL_CALIBRATION[i];
}

/* Tags that a direction learns from, of which some can play new words. */
static f0t_status count_tags(size_t *count, const f0t_blend_fitting *f)
{
    uint32_t *place;
    F0T_TRY(f0t_alloc(&place, f->blend->tags, sizeof *place));
    f0t_status status = f0t_blend_choose_tags(place, count, f, f->data->train);
    f0t_free(place);
    return status;
}

f0t_status f0t_blend_fit_words(f0t_blend_fitting *f)
{
    f0t_blend *b = f->blend;
    const size_t held = f->held.truth.count, images = held < IMAGES_MOST ? held : IMAGES_MOST;
    size_t known;
    F0T_TRY(count_tags(&known, f));
    F0T_TRY(f0t_word_space_create(&b->space, b->vectors, b->frequency, b->tags, b->dim));
    F0T_TRY(f0t_blend_take_classes(f));
    F0T_TRY(take_likely(f, images));
    start(f);
    fifth fifths[TRIED] = {0};
    f0t_status status = f->small || known < TAGS_LEAST ? F0T_OK : fit_by_fifths(f, fifths, images);
    for (size_t i = 0; i < TRIED; i++)
        fifth_free(&fifths[i]);
    return status == F0T_OK ? set_scales(f, images) : status;
}
