#include "model/confidence.h"

#include <math.h>
#include <string.h>

double f0t_confidence_of_logit(double logit)
{
    const double z = fmin(fmax(logit, -F0T_LOGIT_MOST), F0T_LOGIT_MOST);
    return 1 / (1 + exp(-z));
}

double f0t_logit_of_confidence(double confidence)
{
    const double z = log(confidence) - log1p(-confidence);
    return fmin(fmax(z, -F0T_LOGIT_MOST), F0T_LOGIT_MOST);
}

/* ---- Reliability --------------------------------------------------------------------------- */

void f0t_reliability_add(f0t_reliability *to, double logit, bool right)
{
    enum { PER_LOGIT = F0T_RELIABILITY_CELLS / (2 * F0T_LOGIT_MOST) };
    const double z = fmin(fmax(logit, -F0T_LOGIT_MOST), F0T_LOGIT_MOST);
    const double confidence = f0t_confidence_of_logit(z), off = confidence - right;
    const size_t at = (size_t)((z + F0T_LOGIT_MOST) * PER_LOGIT);
    const size_t cell = at < F0T_RELIABILITY_CELLS ? at : F0T_RELIABILITY_CELLS - 1;
    to->pairs[cell]++;
    to->right[cell] += right;
    to->logit[cell] += z;
    to->confidence[cell] += confidence;
    to->squares += off * off;
}

f0t_status f0t_reliability_add_all(f0t_reliability *to, const float *logits,
                                   const f0t_samples *truth)
{
    for (size_t m = 0; m < truth->count; m++) {
        const float *row = logits + m * truth->tags;
        size_t next = truth->offsets[m];
        for (size_t t = 0; t < truth->tags; t++) {
            const bool right = next < truth->offsets[m + 1] && truth->relevant[next] == t;
            next += right;
            if (isnan(row[t]))
                return f0t_fail(F0T_ERROR_NUMERIC, "image %zu, tag %zu: the score is NaN", m, t);
            f0t_reliability_add(to, (double)row[t], right);
        }
    }
    return F0T_OK;
}

static double count_pairs(const f0t_reliability *from)
{
    double sum = 0;
    for (size_t c = 0; c < F0T_RELIABILITY_CELLS; c++)
        sum += from->pairs[c];
    return sum;
}

/* Sums into bins; a cell goes where its middle pair belongs. */
static void fill_bins(f0t_reliability_bin *bins, const f0t_reliability *from, double all)
{
    double before = 0;
    for (size_t c = 0; c < F0T_RELIABILITY_CELLS; c++) {
        const double share = (before + from->pairs[c] / 2) / all;
        const size_t at = (size_t)(share * F0T_RELIABILITY_BINS);
        f0t_reliability_bin *bin =
            bins + (at < F0T_RELIABILITY_BINS ? at : F0T_RELIABILITY_BINS - 1);
        before += from->pairs[c];
        bin->pairs += from->pairs[c];
        bin->confidence += from->confidence[c];
        bin->right += from->right[c];
    }
}

size_t f0t_reliability_bins(f0t_reliability_bin out[F0T_RELIABILITY_BINS],
                            const f0t_reliability *from)
{
    const double all = count_pairs(from);
    size_t used = 0;
    memset(out, 0, F0T_RELIABILITY_BINS * sizeof *out);
    if (all == 0)
        return 0;
    fill_bins(out, from, all);
    for (size_t b = 0; b < F0T_RELIABILITY_BINS; b++)
        if (out[b].pairs > 0)
            out[used++] = (f0t_reliability_bin){.pairs = out[b].pairs,
                                                .confidence = out[b].confidence / out[b].pairs,
                                                .right = out[b].right / out[b].pairs};
    return used;
}

double f0t_reliability_error(const f0t_reliability *from)
{
    f0t_reliability_bin bins[F0T_RELIABILITY_BINS];
    const size_t used = f0t_reliability_bins(bins, from);
    double sum = 0, pairs = 0;
    for (size_t b = 0; b < used; b++) {
        sum += bins[b].pairs * fabs(bins[b].confidence - bins[b].right);
        pairs += bins[b].pairs;
    }
    return used ? sum / pairs : (double)NAN;
}

double f0t_reliability_brier(const f0t_reliability *from)
{
    const double pairs = count_pairs(from);
    return pairs > 0 ? from->squares / pairs : (double)NAN;
}
