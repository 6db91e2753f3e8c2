/*
 * How much each expert of a blend counts, and what the sum means: weights, calibration and risk, fitted on
 * images that no expert has learned from.
 */
#include "model/blend_fit.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "math/elementwise.h"
#include "model/stacking.h"
#include "rank/miap.h"

#include <math.h>
#include <string.h>

enum { HALVED_LEAST = 400 }; /* held-out images: half fit the weights, half say what came of it */
static const double MIXTURE_STRENGTH = 20, LOGISTIC_STRENGTH = 5;

static const double USUAL_WEIGHTS[F0T_LEARNED_EXPERTS] = {
    [F0T_EXPERT_DIRECTION] = 0.15,
    [F0T_EXPERT_TAGS] = 0.4,
    [F0T_EXPERT_VOTES] = 0.2,
    [F0T_EXPERT_RIDGE] = 0.25,
};

/* Images that fit the weights come first; the others then tell what a confidence is worth. Few serve for both. */
static size_t fitting_images(const f0t_held_out *h)
{
    return h->truth.count < HALVED_LEAST ? h->truth.count : h->truth.count / 2;
}

/* A tag that no training image has is nobody's to predict. */
static f0t_status mark_truth(uint8_t **out, const f0t_held_out *h, const float *frequency)
{
    const size_t tags = h->truth.tags;
    F0T_TRY(f0t_alloc_zero(out, h->truth.count * tags, 1));
    for (size_t i = 0; i < h->truth.count; i++)
        for (size_t j = h->truth.offsets[i]; j < h->truth.offsets[i + 1]; j++)
            (*out)[i * tags + h->truth.relevant[j]] = frequency[h->truth.relevant[j]] > 0;
    return F0T_OK;
}

/* Standardised scores, with the tag's frequency, become probabilities. */
static f0t_status fit_direction(f0t_blend *b, f0t_held_out *h, const uint8_t *truth)
{
    const double usual[3] = {1, 0.8, -0.5};
    double weights[3];
    float *scores = h->expert[F0T_EXPERT_DIRECTION], *frequency = h->blend;
    const size_t pairs = h->truth.count * b->tags;
    for (size_t i = 0; i < pairs; i++)
        frequency[i] = logf(b->frequency[i % b->tags] + 1e-5F);
    f0t_logistic_fit(weights, usual, LOGISTIC_STRENGTH,
                     &(f0t_pairs_table){.pairs = fitting_images(h) * b->tags,
                                        .columns = 2,
                                        .column = {frequency, scores},
                                        .truth = truth});
    for (size_t i = 0; i < 3; i++)
        b->direction[i] = (float)weights[i];
    return f0t_blend_direction_probabilities(scores, b, h->truth.count);
}

static void fit_mixture(f0t_blend *b, const f0t_held_out *h, const uint8_t *truth)
{
    f0t_pairs_table table = {.pairs = fitting_images(h) * b->tags, .truth = truth};
    double usual[F0T_LEARNED_EXPERTS], weights[F0T_LEARNED_EXPERTS], sum = 0;
    size_t who[F0T_LEARNED_EXPERTS];
    for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++) {
        if (!h->expert[e])
            continue;
        who[table.columns] = e;
        usual[table.columns] = USUAL_WEIGHTS[e];
        sum += USUAL_WEIGHTS[e];
        table.column[table.columns++] = h->expert[e];
    }
    for (size_t c = 0; c < table.columns; c++)
        usual[c] = sum > 0 ? usual[c] / sum : 1;
    f0t_mixture_fit(weights, usual, MIXTURE_STRENGTH, &table);
    for (size_t c = 0; c < table.columns; c++)
        b->weights[who[c]] = (float)weights[c];
}

static void mix_held(f0t_held_out *h, const f0t_blend *b)
{
    const size_t pairs = h->truth.count * b->tags;
    memset(h->blend, 0, pairs * sizeof *h->blend);
    for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++)
        for (size_t i = 0; i < pairs && h->expert[e]; i++)
            h->blend[i] += b->weights[e] * h->expert[e][i];
}

/* p becomes a logit, and that of the confidence. */
static void calibrate(f0t_blend *b, f0t_held_out *h, const uint8_t *truth)
{
    const double usual[2] = {1, 0};
    double weights[2];
    const size_t pairs = h->truth.count * b->tags;
    for (size_t i = 0; i < pairs; i++) {
        const float p = h->blend[i] < 1e-6F       ? 1e-6F
                        : h->blend[i] > 1 - 1e-6F ? 1 - 1e-6F
                                                  : h->blend[i];
        h->blend[i] = logf(p / (1 - p));
    }
    f0t_logistic_fit(weights, usual, LOGISTIC_STRENGTH,
                     &(f0t_pairs_table){.pairs = fitting_images(h) * b->tags,
                                        .columns = 1,
                                        .column = {h->blend},
                                        .truth = truth});
    for (size_t i = 0; i < 2; i++)
        b->calibration[i] = (float)(i ? weights[i] : fmax(weights[i], F0T_SLOPE_LEAST));
    for (size_t i = 0; i < pairs; i++)
        h->blend[i] = b->calibration[0] * h->blend[i] + b->calibration[1];
}

/* What sets of tags above each threshold are worth, by the images that fitted nothing. */
static f0t_status fit_risk(f0t_blend *b, const f0t_held_out *h)
{
    const size_t fitted = fitting_images(h), first = fitted < h->truth.count ? fitted : 0;
    f0t_samples rest = h->truth;
    rest.count -= first;
    rest.images += first;
    rest.offsets += first;
    return f0t_blend_risk(&b->risk, h->blend + first * b->tags, &rest);
}

f0t_status f0t_blend_risk(f0t_risk_curve *out, const float *logits, const f0t_samples *truth)
{
    float *confidence;
    const size_t pairs = truth->count * truth->tags;
    F0T_TRY(f0t_alloc(&confidence, pairs, sizeof *confidence));
    f0t_sigmoid(confidence, logits, pairs);
    f0t_status status = f0t_risk_curve_fit(out, confidence, truth);
    f0t_free(confidence);
    return status;
}

f0t_status f0t_blend_miap(double *out, const float *scores, const f0t_samples *truth)
{
    f0t_miap sum = {0};
    const f0t_ranking ranking = {.images = truth->count,
                                 .tags = truth->tags,
                                 .scores = scores,
                                 .offsets = truth->offsets,
                                 .relevant = truth->relevant};
    F0T_TRY(f0t_miap_add(&sum, &ranking));
    *out = 100 * f0t_miap_get(&sum);
    return F0T_OK;
}

/* What each expert gives alone, and all together. */
static f0t_status tell(double *miap, const f0t_blend_fitting *f)
{
    const f0t_held_out *h = &f->held;
    double alone;
    for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++) {
        if (!h->expert[e])
            continue;
        F0T_TRY(f0t_blend_miap(&alone, h->expert[e], &h->truth));
        f0t_log(f->monitor, F0T_LOG_INFO, "%-10s MiAP %5.2f on %zu images held out, weight %.2f",
                f0t_expert_name((f0t_expert)e), alone, h->truth.count,
                (double)f->blend->weights[e]);
    }
    F0T_TRY(f0t_blend_miap(miap, h->blend, &h->truth));
    f0t_log(f->monitor, F0T_LOG_INFO, "%-10s MiAP %5.2f", "blend", *miap);
    return F0T_OK;
}

f0t_status f0t_blend_fit_weights(double *miap, f0t_blend_fitting *f)
{
    uint8_t *truth;
    f0t_status status = F0T_OK;
    F0T_TRY(mark_truth(&truth, &f->held, f->blend->frequency));
    if (f->held.expert[F0T_EXPERT_DIRECTION])
        status = fit_direction(f->blend, &f->held, truth);
    if (status == F0T_OK) {
        fit_mixture(f->blend, &f->held, truth);
        mix_held(&f->held, f->blend);
        calibrate(f->blend, &f->held, truth);
    }
    f0t_free(truth);
    F0T_TRY(status);
    F0T_TRY(fit_risk(f->blend, &f->held));
    return tell(miap, f);
}
