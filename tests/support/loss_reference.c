#include "loss_reference.h"

#include "base/alloc.h"
#include "compute/loss_image.h"
#include "reference.h"

#include <math.h>

/* One image: relevant is in listmle's order. */
typedef struct image {
    const double *scores;
    size_t tags;
    const uint32_t *relevant;
    size_t count;
} image;

static bool is_relevant(const image *at, size_t tag)
{
    for (size_t i = 0; i < at->count; i++)
        if (at->relevant[i] == tag)
            return true;
    return false;
}

static double ranknet(double *gradient, const image *at, double weight)
{
    double loss = 0;
    for (size_t n = 0; n < at->tags; n++) {
        if (is_relevant(at, n))
            continue;
        for (size_t i = 0; i < at->count; i++) {
            double x = at->scores[n] - at->scores[at->relevant[i]];
            loss += weight * f0t_softplus_ref(x);
            gradient[n] += weight * f0t_sigmoid_ref(x);
            gradient[at->relevant[i]] -= weight * f0t_sigmoid_ref(x);
        }
    }
    return loss;
}

static double pointwise(double *gradient, const image *at, bool squared)
{
    double loss = 0, weight = 1 / (double)at->tags;
    for (size_t t = 0; t < at->tags; t++) {
        double target = is_relevant(at, t) ? 1 : -1;
        double bracket = fmax(0, 1 - target * at->scores[t]);
        loss += weight * (squared ? bracket * bracket : bracket);
        gradient[t] = -target * weight * (squared ? 2 * bracket : bracket > 0);
    }
    return loss;
}

static double logistic(double *gradient, const image *at)
{
    double loss = 0;
    for (size_t t = 0; t < at->tags; t++) {
        double target = is_relevant(at, t) ? 1 : -1;
        loss += f0t_softplus_ref(-target * at->scores[t]);
        gradient[t] = -target * f0t_sigmoid_ref(-target * at->scores[t]);
    }
    return loss;
}

static size_t argmax_irrelevant(const image *at)
{
    size_t most = at->tags;
    for (size_t t = 0; t < at->tags; t++)
        if (!is_relevant(at, t) && (most == at->tags || at->scores[t] > at->scores[most]))
            most = t;
    return most;
}

static size_t argmin_relevant(const image *at)
{
    size_t least = at->tags;
    for (size_t t = 0; t < at->tags; t++)
        if (is_relevant(at, t) && (least == at->tags || at->scores[t] < at->scores[least]))
            least = t;
    return least;
}

static double violation(double *gradient, const image *at, size_t p, size_t n)
{
    double bracket = 1 + at->scores[n] - at->scores[p];
    if (bracket <= 0)
        return 0;
    gradient[n] += 1;
    gradient[p] -= 1;
    return bracket;
}

static double crammer_singer(double *gradient, const image *at)
{
    double loss = 0;
    for (size_t i = 0; i < at->count; i++)
        loss += violation(gradient, at, at->relevant[i], argmax_irrelevant(at));
    return loss;
}

/* Choice i is among all tags but the i relevant ones before it. */
static bool is_left(const image *at, size_t tag, size_t i)
{
    const image before = {at->scores, at->tags, at->relevant, i};
    return !is_relevant(&before, tag);
}

static double listmle(double *gradient, const image *at)
{
    double loss = 0;
    for (size_t i = 0; i < at->count; i++) {
        double most = -INFINITY, sum = 0;
        for (size_t t = 0; t < at->tags; t++)
            if (is_left(at, t, i))
                most = fmax(most, at->scores[t]);
        for (size_t t = 0; t < at->tags; t++)
            if (is_left(at, t, i))
                sum += exp(at->scores[t] - most);
        for (size_t t = 0; t < at->tags; t++)
            if (is_left(at, t, i))
                gradient[t] += exp(at->scores[t] - most) / sum;
        gradient[at->relevant[i]] -= 1;
        loss += most + log(sum) - at->scores[at->relevant[i]];
    }
    return loss;
}

double f0t_loss_image_ref(double *gradient, f0t_loss loss, const double *scores, size_t tags,
                          const uint32_t *relevant, size_t count)
{
    const image at = {scores, tags, relevant, count};
    for (size_t t = 0; t < tags; t++)
        gradient[t] = 0;
    switch (loss) {
    case F0T_LOSS_RANKNET:
        return ranknet(gradient, &at, 1 / ((double)count * (double)(tags - count)));
    case F0T_LOSS_RANKNET_UNWEIGHTED:
        return ranknet(gradient, &at, 1);
    case F0T_LOSS_HINGE:
        return pointwise(gradient, &at, false);
    case F0T_LOSS_SQUARED_HINGE:
        return pointwise(gradient, &at, true);
    case F0T_LOSS_CRAMMER_SINGER:
        return crammer_singer(gradient, &at);
    case F0T_LOSS_MAX_OUT:
        return violation(gradient, &at, argmin_relevant(&at), argmax_irrelevant(&at));
    case F0T_LOSS_LISTMLE:
        return listmle(gradient, &at);
    case F0T_LOSS_LOGISTIC:
        return logistic(gradient, &at);
    case F0T_LOSSES:
        break;
    }
    return NAN;
}

/* A batch as one image of all its entries: relevant[i] becomes the place of the entry. */
static double batch_pairs(double *gradient, const double *scores, const f0t_loss_batch *batch,
                          uint32_t *relevant)
{
    size_t count = 0, entries = batch->images * batch->tags;
    for (size_t m = 0; m < batch->images; m++)
        for (size_t i = batch->offsets[m]; i < batch->offsets[m + 1]; i++)
            relevant[count++] = (uint32_t)(m * batch->tags + batch->relevant[i]);
    if (count && count < entries)
        return f0t_loss_image_ref(gradient, F0T_LOSS_RANKNET, scores, entries, relevant, count);
    for (size_t i = 0; i < entries; i++)
        gradient[i] = 0;
    return 0;
}

static double one_image(double *gradient, const double *scores, const f0t_loss_options *options,
                        const f0t_loss_batch *batch, size_t m, uint32_t *relevant)
{
    size_t count = batch->offsets[m + 1] - batch->offsets[m];
    for (size_t t = 0; t < batch->tags; t++)
        gradient[t] = 0;
    if (!f0t_loss_trains(options->loss, count, batch->tags))
        return 0;
    f0t_loss_order(relevant, options, batch, m);
    for (size_t i = 0; i < count; i++)
        relevant[i] = batch->relevant[batch->offsets[m] + relevant[i]];
    return f0t_loss_image_ref(gradient, options->loss, scores, batch->tags, relevant, count);
}

static double mean_of_images(double *gradient, const double *scores,
                             const f0t_loss_options *options, const f0t_loss_batch *batch,
                             uint32_t *relevant)
{
    double loss = 0, training = 0;
    for (size_t m = 0; m < batch->images; m++) {
        size_t count = batch->offsets[m + 1] - batch->offsets[m];
        training += f0t_loss_trains(options->loss, count, batch->tags);
        loss += one_image(gradient + m * batch->tags, scores + m * batch->tags, options, batch, m,
                          relevant);
    }
    for (size_t i = 0; training > 0 && i < batch->images * batch->tags; i++)
        gradient[i] /= training;
    return training > 0 ? loss / training : 0;
}

f0t_status f0t_loss_ref(double *loss, double *gradient, const double *scores,
                        const f0t_loss_options *options, const f0t_loss_batch *batch)
{
    uint32_t *relevant;
    F0T_TRY(f0t_alloc(&relevant, batch->images * batch->tags, sizeof *relevant));
    *loss = options->pairs == F0T_PAIRS_BATCH
                ? batch_pairs(gradient, scores, batch, relevant)
                : mean_of_images(gradient, scores, options, batch, relevant);
    f0t_free(relevant);
    return F0T_OK;
}
