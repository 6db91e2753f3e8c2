#include "compute/loss_image.h"

#include "base/kernels.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

static size_t count_of(const f0t_loss_batch *batch, size_t m)
{
    return batch->offsets[m + 1] - batch->offsets[m];
}

void f0t_loss_order(uint32_t *order, const f0t_loss_options *options, const f0t_loss_batch *batch,
                    size_t m)
{
    f0t_random random = {options->seed, batch->number << 32 | (uint32_t)(batch->first + m)};
    size_t count = count_of(batch, m);
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    f0t_random_shuffle(order, count, &random);
}

void f0t_loss_row_load(f0t_loss_row *row, const f0t_loss_options *options,
                       const f0t_loss_batch *batch, size_t m)
{
    row->tags = batch->tags;
    row->count = count_of(batch, m);
    row->relevant = batch->relevant + batch->offsets[m];
    memcpy(row->scores, batch->scores + m * batch->tags, batch->tags * sizeof(float));
    for (size_t i = 0; i < row->count; i++) {
        row->positive[i] = row->scores[row->relevant[i]];
        row->scores[row->relevant[i]] = -INFINITY;
    }
    if (options->loss == F0T_LOSS_LISTMLE)
        f0t_loss_order(row->order, options, batch, m);
}

static float largest_irrelevant(const f0t_loss_row *row)
{
    return f0t_kernels()->largest(row->scores, row->tags);
}

/* The place in the row's list of the first of the smallest. */
static size_t smallest_relevant(const f0t_loss_row *row)
{
    size_t least = 0;
    for (size_t i = 1; i < row->count; i++)
        if (row->positive[i] < row->positive[least])
            least = i;
    return least;
}

/* ---- RankNet --------------------------------------------------------------------------------- */

/* The product of factors 1 + z in `excess` stays below this power of e, within float's range; and
 * its rounding error grows with the number of factors. */
enum { MOST_EXCESS = 80, MOST_FACTORS = 16 };

/* exp(s_n − s_p) = exp(s_n − c) exp(c − s_p): one exponential per score rather than per pair, and one
 * logarithm for several relevant tags. No pair has more than `most` = max_n s_n − min_p s_p, half
 * of it on each side of c: no factor overflows, and one that vanishes stands for a pair that adds
 * less than exp(-40). */
static double ranknet_from_exp(float *gradient, f0t_loss_row *row, float centre, double most)
{
    double bound = most > 0 ? most + log1p(exp(-most)) : log1p(exp(most));
    size_t factors =
        bound * MOST_FACTORS < MOST_EXCESS ? MOST_FACTORS : (size_t)(MOST_EXCESS / bound);
    double loss = 0;
    float *t = row->scores;
    f0t_kernels()->row_exp(t, t, row->tags, centre);
    memset(row->work, 0, row->tags * sizeof(float));
    for (size_t i = 0; i < row->count; i++) {
        float u = expf(centre - row->positive[i]);
        row->tails[i] = f0t_kernels()->pairs_from_exp(row->work, gradient, t, u, row->tags);
        if ((i + 1) % factors == 0 || i + 1 == row->count)
            loss += f0t_kernels()->excess_take(row->work, row->tags);
    }
    return loss;
}

static double ranknet_from_scores(float *gradient, f0t_loss_row *row)
{
    double loss = 0;
    for (size_t i = 0; i < row->count; i++)
        row->tails[i] = f0t_kernels()->pairs_from_scores(&loss, gradient, row->scores,
                                                         row->positive[i], row->tags);
    return loss;
}

static double ranknet(float *gradient, f0t_loss_row *row, double weight)
{
    float high = largest_irrelevant(row), low = row->positive[smallest_relevant(row)];
    double most = (double)high - (double)low;
    memset(gradient, 0, row->tags * sizeof(float));
    /* A bound of exactly MOST_EXCESS must leave room for one factor. */
    double loss = most < MOST_EXCESS - 1 ? ranknet_from_exp(gradient, row, high / 2 + low / 2, most)
                                         : ranknet_from_scores(gradient, row);
    double factor = weight * row->scale;
    f0t_kernels()->row_scale(gradient, gradient, row->tags, (float)factor);
    for (size_t i = 0; i < row->count; i++)
        gradient[row->relevant[i]] = (float)(-factor * row->tails[i]);
    return weight * loss;
}

/* ---- Point-wise ------------------------------------------------------------------------------ */

static double hinge(float *gradient, f0t_loss_row *row)
{
    double slope = row->scale / (double)row->tags;
    double loss = f0t_kernels()->row_hinge(gradient, row->scores, row->tags, (float)slope);
    for (size_t i = 0; i < row->count; i++) {
        double bracket = fmax(0, 1 - (double)row->positive[i]);
        loss += bracket;
        gradient[row->relevant[i]] = bracket > 0 ? -(float)slope : 0;
    }
    return loss / (double)row->tags;
}

static double squared_hinge(float *gradient, f0t_loss_row *row)
{
    double slope = row->scale / (double)row->tags;
    double loss = f0t_kernels()->row_squared_hinge(gradient, row->scores, row->tags, (float)slope);
    for (size_t i = 0; i < row->count; i++) {
        double bracket = fmax(0, 1 - (double)row->positive[i]);
        loss += bracket * bracket;
        gradient[row->relevant[i]] = (float)(-2 * bracket * slope);
    }
    return loss / (double)row->tags;
}

/* exp of what is not positive alone: nothing overflows. */
static double logistic(float *gradient, f0t_loss_row *row)
{
    double loss = f0t_kernels()->row_logistic(gradient, row->scores, row->tags, (float)row->scale);
    for (size_t i = 0; i < row->count; i++) {
        double score = (double)row->positive[i], e = exp(-fabs(score));
        loss += fmax(0, -score) + log1p(e);
        gradient[row->relevant[i]] = (float)(-row->scale * (score > 0 ? e : 1) / (1 + e));
    }
    return loss;
}

/* ---- Largest violations ---------------------------------------------------------------------- */

static size_t place_of(const float *x, float value)
{
    size_t i = 0;
    while (x[i] != value)
        i++;
    return i;
}

static double crammer_singer(float *gradient, f0t_loss_row *row)
{
    float high = largest_irrelevant(row);
    double loss = 0, active = 0;
    memset(gradient, 0, row->tags * sizeof(float));
    for (size_t i = 0; i < row->count; i++) {
        double bracket = 1 + (double)high - (double)row->positive[i];
        if (bracket <= 0)
            continue;
        loss += bracket;
        active++;
        gradient[row->relevant[i]] = -(float)row->scale;
    }
    gradient[place_of(row->scores, high)] = (float)(active * row->scale);
    return loss;
}

static double max_out(float *gradient, f0t_loss_row *row)
{
    float high = largest_irrelevant(row);
    size_t low = smallest_relevant(row);
    double bracket = 1 + (double)high - (double)row->positive[low];
    memset(gradient, 0, row->tags * sizeof(float));
    if (bracket <= 0)
        return 0;
    gradient[place_of(row->scores, high)] = (float)row->scale;
    gradient[row->relevant[low]] = -(float)row->scale;
    return bracket;
}

/* ---- ListMLE --------------------------------------------------------------------------------- */

/* log(exp(a) + exp(b)); a may be -infinity. */
static double log_add(double a, double b)
{
    double high = a > b ? a : b, low = a > b ? b : a;
    return high + log1p(exp(low - high));
}

/* tails[i] = log of what choice i is among: itself, the relevant after it, all irrelevant. The
 * derivative by a score s that is among the choices 0 … i is Σ exp(s − tails) over them, and for
 * the relevant −1. All sums are kept as logarithms: scores may be far apart. */
static double listmle(float *gradient, f0t_loss_row *row)
{
    float high = largest_irrelevant(row);
    double sum = f0t_kernels()->row_exp(row->scores, row->scores, row->tags, high);
    double tail = (double)high + log(sum), loss = 0, chosen = -INFINITY;
    for (size_t i = row->count; i-- > 0;) {
        double score = (double)row->positive[row->order[i]];
        tail = log_add(tail, score);
        row->tails[i] = tail;
        loss += tail - score;
    }
    for (size_t i = 0; i < row->count; i++) {
        chosen = log_add(chosen, -row->tails[i]);
        row->tails[i] = chosen;
    }
    double factor = row->scale * exp((double)high + chosen);
    f0t_kernels()->row_scale(gradient, row->scores, row->tags, (float)factor);
    for (size_t i = 0; i < row->count; i++) {
        double score = (double)row->positive[row->order[i]];
        gradient[row->relevant[row->order[i]]] = (float)(row->scale * expm1(score + row->tails[i]));
    }
    return loss;
}

double f0t_loss_row_run(float *gradient, f0t_loss loss, f0t_loss_row *row)
{
    double pairs = (double)row->count * (double)(row->tags - row->count);
    switch (loss) {
    case F0T_LOSS_RANKNET:
        return ranknet(gradient, row, 1 / pairs);
    case F0T_LOSS_RANKNET_UNWEIGHTED:
        return ranknet(gradient, row, 1);
    case F0T_LOSS_HINGE:
        return hinge(gradient, row);
    case F0T_LOSS_SQUARED_HINGE:
        return squared_hinge(gradient, row);
    case F0T_LOSS_CRAMMER_SINGER:
        return crammer_singer(gradient, row);
    case F0T_LOSS_MAX_OUT:
        return max_out(gradient, row);
    case F0T_LOSS_LISTMLE:
        return listmle(gradient, row);
    case F0T_LOSS_LOGISTIC:
        return logistic(gradient, row);
    case F0T_LOSSES:
        break;
    }
    return NAN;
}
