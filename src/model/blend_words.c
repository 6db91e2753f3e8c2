/*
 * New words of a blend: how much each part of their direction counts, and what their scores mean. Nothing about
 * words that are to be new is known, so learned tags play them: a fifth of those with a vector is held out, a
 * direction is trained on the others, and the held-out ones are ranked for images that were held out as well.
 */
#include "model/blend_fit.h"

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/monitor.h"
#include "base/random.h"
#include "compute/scoring.h"
#include "math/product.h"
#include "math/solve.h"
#include "model/stacking.h"
#include "word/classes.h"

#include <math.h>
#include <string.h>

enum {
    FIFTHS = 5,
    TRIED = 2,       /* of the fifths */
    TAGS_LEAST = 25, /* with fewer tags that have a vector the usual weights are kept */
    IMAGES_MOST = 1000
};
static const double EFFORT = 0.4; /* of a direction that is trained to be judged */

static const float USUAL_WEIGHTS[F0T_WORD_PARTS] = {1, 0.2F, 0.2F, 0.3F};
static const double USUAL_CALIBRATION[2] = {1, -4};

/* ---- The learned tags as a space ------------------------------------------------------------------- */

/* Σ v over the tags that have one, and how many these are. */
static size_t sum_vectors(double *sum, const float *vectors, size_t count, size_t dim)
{
    size_t known = 0;
    for (size_t t = 0; t < count; t++) {
        const float *v = vectors + t * dim;
        known += f0t_has_vector(v, dim);
        for (size_t i = 0; i < dim; i++)
            sum[i] += (double)v[i];
    }
    return known;
}

static void set_moments(f0t_word_space *s, const double *squares, const double *sum, size_t known)
{
    const double n = known ? (double)known : 1;
    for (size_t i = 0; i < s->dim; i++) {
        s->mean[i] = (float)(sum[i] / n);
        for (size_t j = 0; j <= i; j++) {
            const double c = squares[i * s->dim + j] / n - sum[i] / n * (sum[j] / n);
            s->spread[i * s->dim + j] = s->spread[j * s->dim + i] = (float)c;
        }
    }
}

/* (VᵀV + 1)⁻¹, from the lower triangle of VᵀV. */
static f0t_status invert(f0t_word_space *s, double *squares)
{
    double *rows;
    const size_t dim = s->dim;
    F0T_TRY(f0t_alloc_zero(&rows, dim * dim, sizeof *rows));
    for (size_t i = 0; i < dim; i++) {
        rows[i * dim + i] = 1;
        squares[i * dim + i] += 1;
    }
    f0t_status status = f0t_cholesky_solve_f64(squares, dim, rows, dim, NULL);
    for (size_t i = 0; i < dim * dim && status == F0T_OK; i++)
        s->inverse[i] = (float)rows[i];
    f0t_free(rows);
    return status;
}

/* Σ (log frequency − its mean) v: turned by the inverse, it is the direction that explains them. */
static void sum_frequencies(f0t_word_space *s, const float *vectors, const float *frequency,
                            size_t count)
{
    const size_t dim = s->dim;
    double mean = 0, known = 0;
    for (size_t t = 0; t < count; t++)
        if (f0t_has_vector(vectors + t * dim, dim)) {
            mean += log((double)frequency[t] + 1e-4);
            known++;
        }
    mean = known > 0 ? mean / known : 0;
    memset(s->prior, 0, dim * sizeof *s->prior);
    for (size_t t = 0; t < count; t++) {
        const float *v = vectors + t * dim;
        const double w = log((double)frequency[t] + 1e-4) - mean;
        for (size_t i = 0; i < dim; i++)
            s->prior[i] += (float)(w * (double)v[i]);
    }
}

/* prior[d]·inverse, in place. */
static f0t_status turn_prior(f0t_word_space *s)
{
    float *turned;
    F0T_TRY(f0t_alloc(&turned, s->dim, sizeof *turned));
    for (size_t i = 0; i < s->dim; i++) {
        double sum = 0;
        for (size_t j = 0; j < s->dim; j++)
            sum += (double)s->inverse[i * s->dim + j] * (double)s->prior[j];
        turned[i] = (float)sum;
    }
    memcpy(s->prior, turned, s->dim * sizeof *turned);
    f0t_free(turned);
    return F0T_OK;
}

static f0t_status fill_space(f0t_word_space *s, double *squares, double *sum, const float *vectors,
                             const float *frequency, size_t count)
{
    const size_t known = sum_vectors(sum, vectors, count, s->dim);
    F0T_TRY(f0t_gram_add(squares, vectors, count, s->dim));
    set_moments(s, squares, sum, known);
    F0T_TRY(invert(s, squares));
    sum_frequencies(s, vectors, frequency, count);
    return turn_prior(s);
}

f0t_status f0t_word_space_create(f0t_word_space *s, const float *vectors, const float *frequency,
                                 size_t count, size_t dim)
{
    double *squares = NULL, *sum = NULL;
    *s = (f0t_word_space){.dim = dim};
    f0t_status status = f0t_alloc(&s->mean, dim, sizeof *s->mean);
    if (status == F0T_OK)
        status = f0t_alloc(&s->spread, dim * dim, sizeof *s->spread);
    if (status == F0T_OK)
        status = f0t_alloc(&s->inverse, dim * dim, sizeof *s->inverse);
    if (status == F0T_OK)
        status = f0t_alloc(&s->prior, dim, sizeof *s->prior);
    if (status == F0T_OK)
        status = f0t_alloc_zero(&squares, dim * dim, sizeof *squares);
    if (status == F0T_OK)
        status = f0t_alloc_zero(&sum, dim, sizeof *sum);
    if (status == F0T_OK)
        status = fill_space(s, squares, sum, vectors, frequency, count);
    f0t_free(squares);
    f0t_free(sum);
    if (status != F0T_OK)
        f0t_word_space_free(s);
    return status;
}

/* ---- The backbone's classes -------------------------------------------------------------------------- */

static f0t_status copy_floats(float **out, const float *from, size_t count)
{
    F0T_TRY(f0t_alloc(out, count, sizeof **out));
    memcpy(*out, from, count * sizeof **out);
    return F0T_OK;
}

/* The nearest numbers of float16, as the model file has them. */
static f0t_status round_floats(float **out, const float *from, size_t count)
{
    uint16_t half;
    F0T_TRY(f0t_alloc(out, count, sizeof **out));
    for (size_t i = 0; i < count; i++) {
        f0t_f32_to_f16(&half, from + i, 1);
        (*out)[i] = f0t_f16_to_f32_ref(half);
        if (!isfinite((*out)[i]))
            return f0t_fail(F0T_ERROR_NUMERIC, "a weight of the classes, %g, is out of range",
                            (double)from[i]);
    }
    return F0T_OK;
}

/* Lengths of some features as the dataset has them. */
static f0t_status measure_length(float *out, const f0t_blend_fitting *f)
{
    const f0t_samples *s = &f->held.truth;
    const size_t dim = f->blend->features, count = s->count < 256 ? s->count : 256;
    float *row;
    double sum = 0;
    F0T_TRY(f0t_alloc(&row, dim, sizeof *row));
    f0t_status status = F0T_OK;
    for (size_t i = 0; i < count && status == F0T_OK; i++) {
        double square = 0;
        status = f0t_dataset_read_features(row, f->data->dataset, s->images[i], 1);
        for (size_t j = 0; j < dim && status == F0T_OK; j++)
            square += (double)row[j] * (double)row[j];
        sum += sqrt(square);
    }
    *out = count ? (float)(sum / (double)count) : 1;
    f0t_free(row);
    return status;
}

/* The mean direction of the held-out images: first 0, then what comes out. */
static f0t_status centre_classes(f0t_blend *b, const f0t_held_out *h)
{
    const size_t count = h->truth.count < IMAGES_MOST ? h->truth.count : IMAGES_MOST;
    float *directions;
    F0T_TRY(f0t_alloc(&directions, count * b->dim, sizeof *directions));
    float *const to[F0T_WORD_PARTS] = {[F0T_WORD_CLASSES] = directions};
    f0t_status status = f0t_word_parts(to, b, &b->space, NULL, 0, NULL, NULL, NULL, h->rows, count);
    for (size_t i = 0; i < count * b->dim && status == F0T_OK; i++)
        b->classes.mean[i % b->dim] += directions[i] / (float)count;
    f0t_free(directions);
    return status;
}

static f0t_status take_classes(f0t_blend_fitting *f)
{
    const f0t_classes *from = f->data->classes;
    f0t_blend *b = f->blend;
    f0t_class_directions *c = &b->classes;
    if (!from || (f->options->without & (1U << F0T_EXPERT_CLASSES)))
        return F0T_OK;
    if (from->dim != b->features)
        return f0t_fail(F0T_ERROR_MISMATCH,
                        "the classes' network makes %zu features, the dataset has %zu", from->dim,
                        b->features);
    c->count = from->count;
    F0T_TRY(round_floats(&c->weights, from->weights, from->count * from->dim));
    F0T_TRY(copy_floats(&c->bias, from->bias, from->count));
    F0T_TRY(copy_floats(&c->vectors, f->data->class_vectors, from->count * b->dim));
    F0T_TRY(f0t_alloc_zero(&c->mean, b->dim, sizeof *c->mean));
    F0T_TRY(measure_length(&c->length, f));
    return centre_classes(b, &f->held);
}

/* ---- One fifth ----------------------------------------------------------------------------------------- */

/* The learned tags without a fifth of them, and what the parts say of that fifth. */
typedef struct fifth {
    uint32_t *place;      /* [T] number among those kept, or F0T_NO_SAMPLE_TAG */
    uint32_t *held_place; /* [T] number among those held out, or F0T_NO_SAMPLE_TAG */
    size_t kept, held;
    float *vectors, *frequency, *votes; /* of those kept: [kept x d], [kept], [images x kept] */
    float *held_vectors;                /* [held x d] */
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

static f0t_status gather_kept(fifth *t, const f0t_blend_fitting *f, size_t images)
{
    const f0t_blend *b = f->blend;
    const float *votes = f->held.expert[F0T_EXPERT_VOTES];
    F0T_TRY(f0t_alloc(&t->vectors, t->kept * b->dim, sizeof *t->vectors));
    F0T_TRY(f0t_alloc(&t->held_vectors, t->held * b->dim, sizeof *t->held_vectors));
    F0T_TRY(f0t_alloc(&t->frequency, t->kept, sizeof *t->frequency));
    F0T_TRY(f0t_alloc(&t->votes, images * t->kept, sizeof *t->votes));
    for (size_t i = 0; i < b->tags; i++) {
        const float *v = b->vectors + i * b->dim;
        const uint32_t k = t->place[i], h = t->held_place[i];
        if (h != F0T_NO_SAMPLE_TAG)
            memcpy(t->held_vectors + h * b->dim, v, b->dim * sizeof *v);
        if (k == F0T_NO_SAMPLE_TAG)
            continue;
        memcpy(t->vectors + k * b->dim, v, b->dim * sizeof *v);
        t->frequency[k] = b->frequency[i];
        for (size_t m = 0; m < images && votes; m++)
            t->votes[m * t->kept + k] = votes[m * b->tags + i];
    }
    return F0T_OK;
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
    if (status == F0T_OK)
        status = f0t_word_parts(t->directions, b, &t->space, t->vectors, t->kept, t->frequency, net,
                                t->votes, f->held.rows, images);
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

/* Each weight in turn to the best value of a grid, from the usual ones on; a change must be worth it. */
static f0t_status search(float *weights, double *best, const f0t_blend_fitting *f,
                         const fifth *fifths, const float scales[][F0T_WORD_PARTS], size_t images)
{
    static const float GRID[] = {0, 0.05F, 0.1F, 0.2F, 0.3F, 0.5F, 0.7F, 1};
    const double worth = 2; /* points of MiAP: two fifths differ by more from a third */
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
        "classes %.2f, prior %.2f; offset %.2f",
        miap, alone, (double)b->word_weights[F0T_WORD_VOTES],
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
    f0t_status status = f0t_word_parts(parts, b, &b->space, b->vectors, b->tags, b->frequency, net,
                                       f->held.expert[F0T_EXPERT_VOTES], f->held.rows, images);
    if (status == F0T_OK)
        status = measure_scales(b->word_scales, parts, &b->space, images);
    b->word_scales[F0T_WORD_NET] = 1;
    f0t_free(memory);
    return status;
}

/* Parts that are there, with their usual weights. */
static void start(f0t_blend_fitting *f)
{
    const bool on[F0T_WORD_PARTS] = {
        [F0T_WORD_NET] = !(f->options->without & (1U << F0T_EXPERT_DIRECTION)),
        [F0T_WORD_VOTES] = f->held.expert[F0T_EXPERT_VOTES] != NULL,
        [F0T_WORD_CLASSES] = f->blend->classes.count > 0,
        [F0T_WORD_PRIOR] = !(f->options->without & (1U << F0T_EXPERT_PRIOR))};
    for (size_t p = 0; p < F0T_WORD_PARTS; p++)
        f->blend->word_weights[p] = on[p] ? USUAL_WEIGHTS[p] : 0;
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
    F0T_TRY(take_classes(f));
    start(f);
    fifth fifths[TRIED] = {0};
    f0t_status status = f->small || known < TAGS_LEAST ? F0T_OK : fit_by_fifths(f, fifths, images);
    for (size_t i = 0; i < TRIED; i++)
        fifth_free(&fifths[i]);
    return status == F0T_OK ? set_scales(f, images) : status;
}
