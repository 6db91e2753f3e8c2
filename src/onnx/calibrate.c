#include "onnx/calibrate.h"

#include <math.h>
#include <string.h>

enum { MIDDLE = F0T_ONNX_BINS / 2, LEVELS = 256 };

/* Numbers so small count as 0: a bin of theirs would be no normal float. */
static const float LEAST_RANGE = 1e-30F;

/* ---- Activations ------------------------------------------------------------------------------- */

static void widen(f0t_onnx_histogram *h)
{
    uint64_t half[F0T_ONNX_BINS] = {0};
    for (size_t k = 0; k < F0T_ONNX_BINS; k++)
        half[MIDDLE / 2 + k / 2] += h->bins[k];
    memcpy(h->bins, half, sizeof half);
    h->range *= 2;
}

static void reach(f0t_onnx_histogram *h, float x)
{
    const float size = fabsf(x);
    if (h->range == 0)
        h->range = size > LEAST_RANGE ? size * 1.25F : 0;
    while (size >= h->range && h->range > 0 && h->range < 1e37F)
        widen(h);
}

void f0t_onnx_histogram_add(f0t_onnx_histogram *h, const float *x, size_t count)
{
    float low = h->low, high = h->high;
    for (size_t k = 0; k < count; k++) {
        low = isfinite(x[k]) && x[k] < low ? x[k] : low;
        high = isfinite(x[k]) && x[k] > high ? x[k] : high;
    }
    h->low = low;
    h->high = high;
    reach(h, low);
    reach(h, high);
    const float scale = h->range > 0 ? (float)MIDDLE / h->range : 0;
    for (size_t k = 0; k < count; k++)
        if (isfinite(x[k])) {
            float at = MIDDLE + floorf(x[k] * scale);
            h->bins[(size_t)fmaxf(0, fminf(at, F0T_ONNX_BINS - 1))]++;
        }
}

static f0t_grid grid_of(double low, double high)
{
    low = low < 0 ? low : 0;
    high = high > 0 ? high : 0;
    float scale = (float)((high - low) / (LEVELS - 1));
    if (!(scale > 1e-30F) || !isfinite(scale))
        return (f0t_grid){1, 0};
    return (f0t_grid){scale, (int32_t)rint(-low / (double)scale)};
}

/* ---- Percentile ------------------------------------------------------------------------------ */

static uint64_t total(const f0t_onnx_histogram *h)
{
    uint64_t all = 0;
    for (size_t k = 0; k < F0T_ONNX_BINS; k++)
        all += h->bins[k];
    return all;
}

/* As many as the percentile says lie outside, half of them on each side. */
static f0t_grid by_percentile(const f0t_onnx_histogram *h, double percentile)
{
    double outside = (double)total(h) * (1 - percentile / 100) / 2, below = 0, above = 0;
    size_t first = 0, last = F0T_ONNX_BINS - 1;
    double step = (double)h->range / MIDDLE;
    while (first < last && (below += (double)h->bins[first]) <= outside)
        first++;
    while (last > first && (above += (double)h->bins[last]) <= outside)
        last--;
    double low = ((double)first - MIDDLE) * step, high = ((double)last + 1 - MIDDLE) * step;
    return grid_of(fmax(low, (double)h->low), fmin(high, (double)h->high));
}

/* ---- Entropy --------------------------------------------------------------------------------- */

/* Σ p·log(p / q) between the histogram with its outliers at the limits [first, last], and the same on 256 levels. */
static double divergence(const f0t_onnx_histogram *h, size_t first, size_t last)
{
    const size_t width = last - first + 1;
    double below = 0, above = 0, sum = 0, all = (double)total(h), loss = 0;
    for (size_t k = 0; k < F0T_ONNX_BINS; k++) {
        below += k < first ? (double)h->bins[k] : 0;
        above += k > last ? (double)h->bins[k] : 0;
    }
    for (size_t level = 0; level < LEVELS; level++) {
        size_t from = first + level * width / LEVELS, to = first + (level + 1) * width / LEVELS;
        size_t filled = 0;
        sum = 0;
        for (size_t k = from; k < to; k++) {
            sum += (double)h->bins[k];
            filled += h->bins[k] != 0;
        }
        for (size_t k = from; k < to; k++) {
            double p = (double)h->bins[k] + (k == first ? below : 0) + (k == last ? above : 0);
            double q = h->bins[k] ? sum / (double)filled : 0;
            if (p > 0)
                loss += p / all * log(p / fmax(q, 1e-3));
        }
    }
    return loss;
}

static double inside(double bin)
{
    return fmax(0, fmin(bin, F0T_ONNX_BINS - 1));
}

/* Limits that shrink together. */
static f0t_grid by_entropy(const f0t_onnx_histogram *given)
{
    enum { TRIES = 64 };
    f0t_onnx_histogram without = *given;
    const f0t_onnx_histogram *h = &without;
    if (without.bins[MIDDLE] >
        without.bins[MIDDLE + 1]) /* every grid has 0, which is most of a relu's result */
        without.bins[MIDDLE] = without.bins[MIDDLE + 1];
    const double step = (double)h->range / MIDDLE;
    double best = INFINITY, low = (double)h->low, high = (double)h->high;
    for (int t = TRIES; t >= TRIES / 8; t--) {
        double part = (double)t / TRIES;
        size_t first = (size_t)inside(MIDDLE + floor((double)h->low * part / step));
        size_t last = (size_t)inside(MIDDLE + ceil((double)h->high * part / step) - 1);
        if (last < first || last - first + 1 < LEVELS)
            continue;
        double loss = divergence(h, first, last);
        if (loss < best) {
            best = loss;
            low = (double)h->low * part;
            high = (double)h->high * part;
        }
    }
    return grid_of(low, high);
}

f0t_grid f0t_onnx_histogram_grid(const f0t_onnx_histogram *h, const f0t_onnx_calibration *how)
{
    if (!(h->range > 0))
        return (f0t_grid){1, 0};
    return how->entropy ? by_entropy(h) : by_percentile(h, how->percentile);
}

/* ---- Weights --------------------------------------------------------------------------------- */

static float largest(const float *x, size_t count)
{
    float most = 0;
    for (size_t k = 0; k < count; k++)
        most = isfinite(x[k]) && fabsf(x[k]) > most ? fabsf(x[k]) : most;
    return most;
}

/* The sum of squares by which numbers differ from whole ones, which are at most 2^22. */
static float rounding_loss(const float *x, size_t count, float factor)
{
    enum { LANES = 16 };
    static const float WHOLE =
        0x1.8p23F; /* added and taken off, it leaves no digits behind the point */
    float sums[LANES] = {0}, rest = 0;
    size_t k = 0;
    for (; k + LANES <= count; k += LANES)
        for (size_t i = 0; i < LANES; i++) {
            const float y = x[k + i] * factor, off = y - ((y + WHOLE) - WHOLE);
            sums[i] += off * off;
        }
    for (; k < count; k++) {
        const float y = x[k] * factor, off = y - ((y + WHOLE) - WHOLE);
        rest += off * off;
    }
    for (size_t i = 0; i < LANES; i++)
        rest += sums[i];
    return rest;
}

float f0t_onnx_weight_scale(const float *weights, size_t count, int most)
{
    const float size = largest(weights, count);
    if (!(size > LEAST_RANGE)) /* a filter of nothing has some scale all the same */
        return 1.0F / (float)most;
    float best = INFINITY, scale = size / (float)most;
    for (int steps = most; 2 * steps >= most; steps--) {
        const float step = size / (float)steps,
                    loss = rounding_loss(weights, count, (float)steps / size) * step * step;
        if (loss < best) {
            best = loss;
            scale = step;
        }
    }
    return scale;
}
