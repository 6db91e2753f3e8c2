/* The fit of neighbours' votes: the metric, the images kept, then k and β by leaving one out. */
#include "base/alloc.h"
#include "base/monitor.h"
#include "expert/metric.h"
#include "expert/votes.h"

#include <math.h>
#include <string.h>

static const size_t ks[] = {20, 50, 100, 200};
static const double sharpnesses[] = {0, 5, 10, 15};
enum { KS = 4, SHARPNESSES = 4, ASKED = 2000, BLOCK = 128 };

/* Number i of `some` evenly spaced ones of `all`. */
static size_t spaced(size_t i, size_t some, size_t all)
{
    return (size_t)((double)i * ((double)all / (double)some));
}

/* ---- Leaving one out ---------------------------------------------------------------------------- */

typedef struct search {
    size_t k;          /* the largest */
    uint32_t *index;   /* [BLOCK x k] */
    float *value;      /* [BLOCK x k] */
    int8_t *bytes;     /* [BLOCK x dim] */
    uint32_t *asked;   /* [BLOCK] images */
    double *sums;      /* [T] Σ w y so far; 0 between images */
    unsigned char *is; /* [T] 1 for the tags of the image asked */
    double errors[KS][SHARPNESSES];
} search;

static size_t at_most(size_t k, size_t most)
{
    return k < most ? k : most;
}

static void mark(search *s, const f0t_votes *v, size_t image, unsigned char as)
{
    for (size_t at = v->offsets[image]; at < v->offsets[image + 1]; at++)
        s->is[v->relevant[at]] = as;
}

/* Σ_t (y_t - p_t)² is n - 2 Σ_{t in y} p_t + Σ_t p_t², whose sums grow neighbour by neighbour: one pass is for
 * every k. */
static void add_errors(search *s, const f0t_votes *v, size_t image, const uint32_t *index,
                       const float *value, size_t b)
{
    const double scale = sharpnesses[b] * (double)v->scales[image];
    double total = 0, right = 0, squares = 0;
    size_t j = 0;
    for (size_t i = 0; i < KS; i++) {
        for (; j < at_most(ks[i], s->k); j++) {
            const double w = exp(scale * ((double)value[j] - (double)value[0]));
            total += w;
            for (size_t at = v->offsets[index[j]]; at < v->offsets[index[j] + 1]; at++) {
                double *sum = s->sums + v->relevant[at];
                squares += w * (2 * *sum + w);
                right += s->is[v->relevant[at]] ? w : 0;
                *sum += w;
            }
        }
        s->errors[i][b] += squares / (total * total) - 2 * right / total;
    }
    for (j = 0; j < s->k; j++)
        for (size_t at = v->offsets[index[j]]; at < v->offsets[index[j] + 1]; at++)
            s->sums[v->relevant[at]] = 0;
}

static f0t_status ask_block(search *s, const f0t_votes *v, size_t rows)
{
    for (size_t r = 0; r < rows; r++)
        memcpy(s->bytes + r * v->dim, v->rows + s->asked[r] * v->dim, v->dim);
    F0T_TRY(f0t_votes_nearest(s->index, s->value, v, s->bytes, rows, s->k, s->asked));
    for (size_t r = 0; r < rows; r++) {
        mark(s, v, s->asked[r], 1);
        for (size_t b = 0; b < SHARPNESSES; b++)
            add_errors(s, v, s->asked[r], s->index + r * s->k, s->value + r * s->k, b);
        mark(s, v, s->asked[r], 0);
    }
    return F0T_OK;
}

static f0t_status ask_all(search *s, const f0t_votes *v, const f0t_monitor *monitor)
{
    const size_t asked = at_most(ASKED, v->images);
    f0t_stage stage = f0t_stage_begin(monitor, "comparing the training images", "images", asked);
    for (size_t first = 0; first < asked; first += BLOCK) {
        const size_t rows = at_most(BLOCK, asked - first);
        F0T_TRY(f0t_stage_update(&stage, first));
        for (size_t r = 0; r < rows; r++)
            s->asked[r] = (uint32_t)spaced(first + r, asked, v->images);
        F0T_TRY(ask_block(s, v, rows));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

static f0t_status allocate_search(search *s, const f0t_votes *v)
{
    F0T_TRY(f0t_alloc(&s->index, BLOCK * s->k, sizeof *s->index));
    F0T_TRY(f0t_alloc(&s->value, BLOCK * s->k, sizeof *s->value));
    F0T_TRY(f0t_alloc(&s->bytes, BLOCK * v->dim, sizeof *s->bytes));
    F0T_TRY(f0t_alloc(&s->asked, BLOCK, sizeof *s->asked));
    F0T_TRY(f0t_alloc_zero(&s->sums, v->tags, sizeof *s->sums));
    return f0t_alloc_zero(&s->is, v->tags, sizeof *s->is);
}

/* The first of equal ones: the smallest k, the smallest β. */
static void take_best(f0t_votes *v, const search *s)
{
    double least = INFINITY;
    for (size_t i = 0; i < KS; i++)
        for (size_t b = 0; b < SHARPNESSES; b++)
            if (s->errors[i][b] < least) {
                least = s->errors[i][b];
                v->k = at_most(ks[i], s->k);
                v->sharpness = sharpnesses[b];
            }
}

static f0t_status tune(f0t_votes *v, const f0t_monitor *monitor)
{
    search s = {.k = at_most(ks[KS - 1], v->images / 3)};
    v->k = 1;
    if (v->images < 2)
        return F0T_OK;
    s.k = s.k ? s.k : 1;
    f0t_status status = allocate_search(&s, v);
    if (status == F0T_OK)
        status = ask_all(&s, v, monitor);
    if (status == F0T_OK)
        take_best(v, &s);
    f0t_free(s.index);
    f0t_free(s.value);
    f0t_free(s.bytes);
    f0t_free(s.asked);
    f0t_free(s.sums);
    f0t_free(s.is);
    return status;
}

/* ---- The images --------------------------------------------------------------------------------- */

typedef struct source {
    const float *rows;
    size_t count;
    const size_t *offsets;
    const uint32_t *relevant;
} source;

static f0t_status take_metric(f0t_votes *v, const source *from, const f0t_monitor *monitor)
{
    /* Centred rows have no extent along more axes than there are other rows. */
    const size_t most = at_most(F0T_VOTES_AXES, from->count > 2 ? from->count - 1 : 1);
    f0t_metric *metric;
    F0T_TRY(f0t_metric_create(&metric, from->rows, from->count, v->features, most, monitor));
    v->dim = metric->dim;
    v->map = metric->map;
    v->shift = metric->shift;
    metric->map = metric->shift = NULL;
    f0t_metric_free(metric);
    return F0T_OK;
}

static f0t_status take_rows(f0t_votes *v, const source *from)
{
    const size_t D = v->features;
    f0t_status status = F0T_OK;
    float *block;
    F0T_TRY(f0t_alloc(&v->rows, v->images * v->dim, sizeof *v->rows));
    F0T_TRY(f0t_alloc(&v->scales, v->images, sizeof *v->scales));
    F0T_TRY(f0t_alloc(&block, BLOCK * D, sizeof *block));
    for (size_t first = 0; first < v->images && status == F0T_OK; first += BLOCK) {
        const size_t rows = at_most(BLOCK, v->images - first);
        for (size_t r = 0; r < rows; r++)
            memcpy(block + r * D, from->rows + spaced(first + r, v->images, from->count) * D,
                   D * sizeof *block);
        status = f0t_votes_bytes(v->rows + first * v->dim, v->scales + first, v, block, rows);
    }
    f0t_free(block);
    return status;
}

static f0t_status take_tags(f0t_votes *v, const source *from)
{
    F0T_TRY(f0t_alloc(&v->offsets, v->images + 1, sizeof *v->offsets));
    v->offsets[0] = 0;
    for (size_t i = 0; i < v->images; i++) {
        const size_t image = spaced(i, v->images, from->count);
        v->offsets[i + 1] = v->offsets[i] + from->offsets[image + 1] - from->offsets[image];
    }
    F0T_TRY(f0t_alloc(&v->relevant, v->offsets[v->images], sizeof *v->relevant));
    for (size_t i = 0; i < v->images; i++)
        memcpy(v->relevant + v->offsets[i],
               from->relevant + from->offsets[spaced(i, v->images, from->count)],
               (v->offsets[i + 1] - v->offsets[i]) * sizeof *v->relevant);
    return F0T_OK;
}

static f0t_status fit(f0t_votes *v, const source *from, const f0t_monitor *monitor)
{
    F0T_TRY(take_metric(v, from, monitor));
    F0T_TRY(take_rows(v, from));
    F0T_TRY(take_tags(v, from));
    return tune(v, monitor);
}

f0t_status f0t_votes_fit(f0t_votes **out, const float *rows, size_t count, size_t features,
                         const size_t *offsets, const uint32_t *relevant, size_t tags,
                         const f0t_monitor *monitor)
{
    const source from = {rows, count, offsets, relevant};
    f0t_votes *v = NULL;
    *out = NULL;
    if (!count || !features)
        return f0t_fail(F0T_ERROR_ARGUMENT, "neighbours' votes need images with features");
    F0T_TRY(f0t_alloc_zero(&v, 1, sizeof *v));
    v->images = at_most(count, F0T_VOTES_IMAGES);
    v->features = features;
    v->tags = tags;
    f0t_status status = fit(v, &from, monitor);
    if (status != F0T_OK) {
        f0t_votes_free(v);
        return status;
    }
    *out = v;
    return F0T_OK;
}
