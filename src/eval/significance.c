#include "eval/significance.h"

#include "base/alloc.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double f0t_scores_mean(const f0t_scores *s)
{
    double sum = 0, draws = 0;
    for (size_t d = 0; d < s->draws; d++) {
        double scores = 0, images = 0;
        for (size_t i = 0; i < s->images; i++) {
            const double score = s->scores[d * s->images + i];
            scores += isnan(score) ? 0 : score;
            images += !isnan(score);
        }
        sum += images > 0 ? scores / images : 0;
        draws += images > 0;
    }
    return draws > 0 ? sum / draws : (double)NAN;
}

/* ---- The bootstrap -------------------------------------------------------------------------- */

/* `count` of `count` things, with replacement. */
static void resample(uint16_t *counts, size_t count, const f0t_random *random)
{
    uint32_t block[4];
    for (size_t i = 0; i < count; i++)
        counts[i] = 0;
    for (size_t i = 0; i < count; i++) {
        if (i % 4 == 0)
            f0t_random_block(block, random, i / 4);
        uint16_t *to = &counts[(uint64_t)block[i % 4] * count >> 32];
        *to = (uint16_t)(*to < UINT16_MAX ? *to + 1 : *to);
    }
}

f0t_status f0t_resamples_create(f0t_resamples *out, size_t draws, size_t images, uint64_t seed)
{
    *out = (f0t_resamples){.draws = draws, .images = images};
    f0t_status status = f0t_alloc(&out->draw_counts, F0T_RESAMPLES * draws, sizeof(uint16_t));
    if (status == F0T_OK)
        status = f0t_alloc(&out->image_counts, F0T_RESAMPLES * images, sizeof(uint16_t));
    if (status != F0T_OK) {
        f0t_resamples_free(out);
        return status;
    }
    for (size_t r = 0; r < F0T_RESAMPLES; r++) {
        resample(out->image_counts + r * images, images, &(f0t_random){seed, 2 * r});
        resample(out->draw_counts + r * draws, draws, &(f0t_random){seed, 2 * r + 1});
    }
    return F0T_OK;
}

void f0t_resamples_free(f0t_resamples *resamples)
{
    f0t_free(resamples->draw_counts);
    f0t_free(resamples->image_counts);
    *resamples = (f0t_resamples){0};
}

/* The mean in one sample; NaN where no image of it has a score. */
static double resampled_mean(const f0t_scores *s, const uint16_t *draws, const uint16_t *images)
{
    double sum = 0, taken = 0;
    for (size_t d = 0; d < s->draws; d++) {
        const double *row = s->scores + d * s->images;
        double scores = 0, weight = 0;
        for (size_t i = 0; i < s->images && draws[d]; i++) {
            scores += isnan(row[i]) ? 0 : images[i] * row[i];
            weight += isnan(row[i]) ? 0 : images[i];
        }
        sum += weight > 0 ? draws[d] * scores / weight : 0;
        taken += weight > 0 ? draws[d] : 0;
    }
    return taken > 0 ? sum / taken : (double)NAN;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void f0t_scores_resample(double means[F0T_RESAMPLES], const f0t_scores *s,
                         const f0t_resamples *resamples)
{
    for (size_t r = 0; r < F0T_RESAMPLES; r++)
        means[r] = resampled_mean(s, resamples->draw_counts + r * s->draws,
                                  resamples->image_counts + r * s->images);
}

void f0t_resampled_interval(double *low, double *high, double values[F0T_RESAMPLES])
{
    size_t count = 0;
    for (size_t r = 0; r < F0T_RESAMPLES; r++)
        if (!isnan(values[r]))
            values[count++] = values[r];
    qsort(values, count, sizeof *values, compare_doubles);
    *low = count ? values[count / 40] : (double)NAN;
    *high = count ? values[count - 1 - count / 40] : (double)NAN;
}

double f0t_resampled_p(const double differences[F0T_RESAMPLES])
{
    double below = 0, above = 0, count = 0;
    for (size_t r = 0; r < F0T_RESAMPLES; r++) {
        below += differences[r] <= 0;
        above += differences[r] >= 0;
        count += !isnan(differences[r]);
    }
    return count > 0 ? fmin(1, 2 * (fmin(below, above) + 1) / (count + 1)) : (double)NAN;
}

/* ---- The paired test ------------------------------------------------------------------------ */

/* Images that have both scores in a draw. */
static double count_pairs(const f0t_scores *a, const f0t_scores *b, size_t draw)
{
    double count = 0;
    for (size_t i = draw * a->images; i < (draw + 1) * a->images; i++)
        count += !isnan(a->scores[i]) && !isnan(b->scores[i]);
    return count;
}

/* What each image adds to the difference of the means. */
static bool find_differences(double *differences, const f0t_scores *a, const f0t_scores *b)
{
    bool any = false;
    for (size_t d = 0; d < a->draws; d++) {
        const double pairs = count_pairs(a, b, d), *of_a = a->scores + d * a->images,
                     *of_b = b->scores + d * b->images;
        any = any || pairs > 0;
        for (size_t i = 0; i < a->images; i++)
            if (!isnan(of_a[i]) && !isnan(of_b[i]))
                differences[i] += (of_a[i] - of_b[i]) / pairs;
    }
    return any;
}

static double flipped_sum(const double *differences, size_t count, const f0t_random *random)
{
    double sum = 0;
    uint64_t coins = 0;
    for (size_t i = 0; i < count; i++, coins >>= 1) {
        if (i % 64 == 0)
            coins = f0t_random_u64(random, i / 64);
        sum += coins & 1 ? differences[i] : -differences[i];
    }
    return sum;
}

f0t_status f0t_scores_compare(double *p, const f0t_scores *a, const f0t_scores *b, uint64_t seed)
{
    double *differences, whole = 0;
    size_t as_large = 0;
    F0T_TRY(f0t_alloc_zero(&differences, a->images, sizeof *differences));
    const bool any = find_differences(differences, a, b);
    for (size_t i = 0; i < a->images; i++)
        whole += differences[i];
    /* Sums of the same numbers in another order may differ in the last digits. */
    const double bound = fabs(whole) * (1 - 1e-9);
    for (uint64_t flip = 0; flip < F0T_FLIPS; flip++)
        as_large += fabs(flipped_sum(differences, a->images, &(f0t_random){seed, flip})) >= bound;
    *p = any ? (double)(as_large + 1) / (F0T_FLIPS + 1) : (double)NAN;
    f0t_free(differences);
    return F0T_OK;
}

/* ---- The same over draws --------------------------------------------------------------------- */

/* The difference of means in each draw that has both; gives how many. */
static size_t difference_of_draws(double *differences, const f0t_scores *a, const f0t_scores *b)
{
    size_t count = 0;
    for (size_t d = 0; d < a->draws; d++) {
        const f0t_scores one_a = {1, a->images, a->scores + d * a->images};
        const f0t_scores one_b = {1, b->images, b->scores + d * b->images};
        const double difference = f0t_scores_mean(&one_a) - f0t_scores_mean(&one_b);
        if (!isnan(difference))
            differences[count++] = difference;
    }
    return count;
}

/* The sum with the signs that the bits of `signs` say. */
static double signed_sum(const double *differences, size_t count, uint64_t signs)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += signs >> i & 1 ? differences[i] : -differences[i];
    return sum;
}

static double flip_draws(const double *differences, size_t count, uint64_t seed)
{
    double whole = 0;
    const bool exact = count <= F0T_DRAWS_EXACT;
    const uint64_t flips = exact ? UINT64_C(1) << count : F0T_FLIPS;
    size_t as_large = exact ? 0 : 1; /* itself, which is one of all */
    for (size_t i = 0; i < count; i++)
        whole += differences[i];
    for (uint64_t flip = 0; flip < flips; flip++)
        as_large += fabs(exact ? signed_sum(differences, count, flip)
                               : flipped_sum(differences, count, &(f0t_random){seed, flip})) >=
                    fabs(whole) * (1 - 1e-9);
    return (double)as_large / (double)(flips + !exact);
}

f0t_status f0t_draws_compare(double *p, const f0t_scores *a, const f0t_scores *b, uint64_t seed)
{
    double *differences;
    F0T_TRY(f0t_alloc(&differences, a->draws, sizeof *differences));
    const size_t count = difference_of_draws(differences, a, b);
    *p = count > 1 ? flip_draws(differences, count, seed) : (double)NAN;
    f0t_free(differences);
    return F0T_OK;
}

/* ---- Many tests ------------------------------------------------------------------------------ */

/* p[i] times the number of tests that are not ahead of it, and no less than those ahead have. */
f0t_status f0t_holm(double *p, size_t count)
{
    double *raw;
    F0T_TRY(f0t_alloc(&raw, count, sizeof *raw));
    memcpy(raw, p, count * sizeof *raw);
    for (size_t i = 0; i < count; i++) {
        double most = raw[i];
        for (size_t j = 0; j < count; j++) {
            double left = 0;
            for (size_t k = 0; k < count; k++)
                left += raw[k] >= raw[j];
            if (raw[j] <= raw[i])
                most = fmax(most, raw[j] * left);
        }
        p[i] = isnan(raw[i]) ? raw[i] : fmin(1, most);
    }
    f0t_free(raw);
    return F0T_OK;
}
