#include "baseline/losses.h"

#include "base/alloc.h"
#include "base/random.h"
#include "base/team.h"
#include "math/elementwise.h"

#include <math.h>
#include <string.h>

/* ---- Batches ----------------------------------------------------------------------------------- */

static bool trains(const f0t_loss_batch *b, size_t m)
{
    size_t count = b->offsets[m + 1] - b->offsets[m];
    return count > 0 && count < b->tags;
}

static size_t count_training(const f0t_loss_batch *b)
{
    size_t count = 0;
    for (size_t m = 0; m < b->images; m++)
        count += trains(b, m);
    return count;
}

/* What an image with a relevant and an irrelevant tag adds to the sum over the batch's `images` such ones;
 * its share of the gradient goes into gradient[tags], which is 0. */
typedef double (*row_loss)(float *gradient, const float *s, size_t tags, const uint32_t *relevant,
                           size_t count, size_t images);

/* The mean over the images. */
static f0t_status run_rows(f0t_loss_result *result, float *gradient, const f0t_loss_batch *b,
                           row_loss loss)
{
    double sum = 0;
    *result = (f0t_loss_result){.images = count_training(b)};
    for (size_t m = 0; m < b->images; m++) {
        const float *s = b->scores + m * b->tags;
        if (!f0t_finite_f32(s, b->tags))
            return f0t_fail(F0T_ERROR_NUMERIC, "a score of row %zu of the mini-batch is not finite",
                            m);
        memset(gradient + m * b->tags, 0, b->tags * sizeof *gradient);
        if (trains(b, m))
            sum += loss(gradient + m * b->tags, s, b->tags, b->relevant + b->offsets[m],
                        b->offsets[m + 1] - b->offsets[m], result->images);
    }
    result->loss = result->images ? sum / (double)result->images : 0;
    return F0T_OK;
}

/* ---- labelem's structured hinge ---------------------------------------------------------------- */

/* The two highest of n >= 2 scores, lower indices first among equals. */
static void highest_two(size_t top[2], const float *s, size_t n)
{
    top[0] = s[1] > s[0];
    top[1] = !top[0];
    for (size_t t = 2; t < n; t++) {
        if (s[t] > s[top[0]]) {
            top[1] = top[0];
            top[0] = t;
        } else if (s[t] > s[top[1]]) {
            top[1] = t;
        }
    }
}

static double labelem_row(float *gradient, const float *s, size_t tags, const uint32_t *relevant,
                          size_t count, size_t images)
{
    size_t top[2];
    double sum = 0, share = 1 / (double)images;
    highest_two(top, s, tags);
    for (size_t i = 0; i < count; i++) {
        uint32_t p = relevant[i];
        size_t y = top[0] == p ? top[1] : top[0];
        double bracket = 1 + (double)s[y] - (double)s[p];
        if (bracket <= 0)
            continue;
        sum += bracket;
        gradient[y] += (float)share;
        gradient[p] -= (float)share;
    }
    return sum;
}

f0t_status f0t_labelem_loss_run(f0t_loss_result *result, float *gradient,
                                const f0t_loss_batch *batch)
{
    return run_rows(result, gradient, batch, labelem_row);
}

/* ---- conse's softmax --------------------------------------------------------------------------- */

static double softmax_row(float *gradient, const float *s, size_t tags, const uint32_t *relevant,
                          size_t count, size_t images)
{
    const float share = 1 / (float)images;
    double mean = 0;
    for (size_t i = 0; i < count; i++)
        mean += (double)s[relevant[i]] / (double)count;
    double loss = (double)f0t_softmax(gradient, s, tags) - mean;
    for (size_t t = 0; t < tags; t++)
        gradient[t] *= share;
    for (size_t i = 0; i < count; i++)
        gradient[relevant[i]] -= share / (float)count;
    return loss;
}

f0t_status f0t_softmax_loss_run(f0t_loss_result *result, float *gradient,
                                const f0t_loss_batch *batch)
{
    return run_rows(result, gradient, batch, softmax_row);
}

/* ---- WARP -------------------------------------------------------------------------------------- */

struct f0t_warp_loss {
    size_t images, tags;
    uint64_t seed;
    double *harmonic; /* [tags + 1] L(r) */
    double *losses;   /* [images], NaN: a score of the row is not finite */
};

void f0t_warp_loss_free(f0t_warp_loss *w)
{
    if (!w)
        return;
    f0t_free(w->harmonic);
    f0t_free(w->losses);
    f0t_free(w);
}

static f0t_status warp_allocate(f0t_warp_loss *w)
{
    F0T_TRY(f0t_alloc(&w->harmonic, w->tags + 1, sizeof *w->harmonic));
    F0T_TRY(f0t_alloc(&w->losses, w->images, sizeof *w->losses));
    w->harmonic[0] = 0;
    for (size_t r = 1; r <= w->tags; r++)
        w->harmonic[r] = w->harmonic[r - 1] + 1 / (double)r;
    return F0T_OK;
}

f0t_status f0t_warp_loss_create(f0t_warp_loss **out, size_t images, size_t tags, uint64_t seed)
{
    f0t_warp_loss *w;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&w, 1, sizeof *w));
    w->images = images;
    w->tags = tags;
    w->seed = seed ^ UINT64_C(0x77617270); /* "warp": other numbers than dropout's */
    f0t_status status = warp_allocate(w);
    if (status == F0T_OK)
        *out = w;
    else
        f0t_warp_loss_free(w);
    return status;
}

/* One image. */
typedef struct row {
    const float *scores;
    float *gradient;
    const uint32_t *relevant; /* ascending */
    size_t count;             /* |Y| */
    size_t irrelevant;        /* |Ȳ| */
    f0t_random random;
} row;

/* The irrelevant tag number u in ascending order. */
static size_t irrelevant_tag(const row *r, size_t u)
{
    for (size_t i = 0; i < r->count && r->relevant[i] <= u; i++)
        u++;
    return u;
}

/* Draws for the relevant tag number i until a tag violates the margin; gives that tag and the number
 * of draws, which is above |Ȳ| when none did. Four draws come from a block of the generator; the
 * bias of a 32-bit number scaled to |Ȳ| is below |Ȳ| / 2^32. */
static size_t draw_violator(const row *r, size_t i, size_t *draws)
{
    float bound = r->scores[r->relevant[i]] - 1;
    uint32_t words[4];
    for (size_t n = 0; n < r->irrelevant; n++) {
        if (n % 4 == 0)
            f0t_random_block(words, &r->random, (uint64_t)i << 32 | n / 4);
        size_t tag = irrelevant_tag(r, (size_t)((uint64_t)words[n % 4] * r->irrelevant >> 32));
        if (r->scores[tag] > bound) {
            *draws = n + 1;
            return tag;
        }
    }
    *draws = r->irrelevant + 1;
    return 0;
}

static double warp_row(const f0t_warp_loss *w, const row *r, double share)
{
    double sum = 0;
    for (size_t i = 0; i < r->count; i++) {
        size_t draws, n = draw_violator(r, i, &draws);
        if (draws > r->irrelevant)
            continue;
        uint32_t p = r->relevant[i];
        double weight = w->harmonic[r->irrelevant / draws];
        sum += weight * (1 + (double)r->scores[n] - (double)r->scores[p]);
        r->gradient[n] += (float)(weight * share);
        r->gradient[p] -= (float)(weight * share);
    }
    return sum;
}

static void warp_rows(f0t_warp_loss *w, float *gradient, const f0t_loss_batch *b,
                      const uint32_t *samples, double share)
{
#pragma omp parallel for schedule(static) num_threads(f0t_team_size())
    for (size_t m = 0; m < b->images; m++) {
        size_t count = b->offsets[m + 1] - b->offsets[m];
        row r = {.scores = b->scores + m * b->tags,
                 .gradient = gradient + m * b->tags,
                 .relevant = b->relevant + b->offsets[m],
                 .count = count,
                 .irrelevant = b->tags - count,
                 .random = {w->seed, b->number << 32 | samples[m]}};
        bool finite = f0t_finite_f32(r.scores, b->tags);
        memset(r.gradient, 0, b->tags * sizeof *gradient);
        w->losses[m] = !finite ? (double)NAN : trains(b, m) ? warp_row(w, &r, share) : 0;
    }
}

f0t_status f0t_warp_loss_run(f0t_loss_result *result, float *gradient, f0t_warp_loss *w,
                             const f0t_loss_batch *b, const uint32_t *samples)
{
    double sum = 0;
    *result = (f0t_loss_result){.images = count_training(b)};
    warp_rows(w, gradient, b, samples, result->images ? 1 / (double)result->images : 0);
    for (size_t m = 0; m < b->images; m++) {
        if (isnan(w->losses[m]))
            return f0t_fail(F0T_ERROR_NUMERIC, "a score of row %zu of the mini-batch is not finite",
                            m);
        sum += w->losses[m];
    }
    result->loss = result->images ? sum / (double)result->images : 0;
    return F0T_OK;
}
