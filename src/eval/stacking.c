#include "eval/stacking.h"

#include "base/alloc.h"
#include "base/random.h"
#include "math/topk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t NONE = UINT32_MAX;

/* As the constant passes `at`, a seen tag leaves the first K of an image and an unseen one enters them: those
 * of the two that are relevant, else NONE. Before all other events, at minus infinity, all enter that are
 * among the first K when all seen tags rank before all unseen ones. */
typedef struct event {
    double at;
    uint32_t leaves, enters;
} event;

typedef struct curve {
    size_t k;
    event *events;
    size_t count, capacity;
} curve;

struct f0t_stacking {
    size_t tags, images, most; /* most: the largest K */
    size_t counts[2];          /* of unseen and seen tags */
    uint32_t *kinds[2];        /* [counts] which these are */
    bool *seen;                /* [tags] */
    curve *curves;             /* [curve_count] */
    size_t curve_count;
};

static f0t_status fill(f0t_stacking *s, const bool *seen, const size_t *cutoffs, size_t count)
{
    F0T_TRY(f0t_alloc(&s->seen, s->tags, sizeof *s->seen));
    memcpy(s->seen, seen, s->tags * sizeof *s->seen);
    for (int kind = 0; kind < 2; kind++)
        F0T_TRY(f0t_alloc(&s->kinds[kind], s->tags, sizeof *s->kinds[kind]));
    for (size_t t = 0; t < s->tags; t++)
        s->kinds[seen[t]][s->counts[seen[t]]++] = (uint32_t)t;
    F0T_TRY(f0t_alloc_zero(&s->curves, count, sizeof *s->curves));
    s->curve_count = count;
    for (size_t i = 0; i < count; i++) {
        s->curves[i].k = cutoffs[i] < s->tags ? cutoffs[i] : s->tags;
        s->most = s->curves[i].k > s->most ? s->curves[i].k : s->most;
    }
    return F0T_OK;
}

f0t_status f0t_stacking_create(f0t_stacking **out, const bool *seen, size_t tags,
                               const size_t *cutoffs, size_t count)
{
    f0t_stacking *s;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&s, 1, sizeof *s));
    s->tags = tags;
    f0t_status status = fill(s, seen, cutoffs, count);
    if (status == F0T_OK)
        *out = s;
    else
        f0t_stacking_free(s);
    return status;
}

void f0t_stacking_free(f0t_stacking *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->curve_count; i++)
        f0t_free(s->curves[i].events);
    f0t_free(s->curves);
    f0t_free(s->kinds[0]);
    f0t_free(s->kinds[1]);
    f0t_free(s->seen);
    f0t_free(s);
}

/* ---- Adding -------------------------------------------------------------------------------- */

/* The first tags of an image among those of one kind. */
typedef struct best {
    size_t count;
    uint32_t *tags;  /* NONE: not relevant */
    float *scores;   /* falling */
    float *gathered; /* [tags] memory */
    uint32_t *order; /* [tags] memory */
} best;

/* Equal scores are put in random order: nobody gains by the order in which tags are listed. */
static void find_best(best *b, const f0t_stacking *s, bool kind, const float *scores,
                      const bool *relevant)
{
    const size_t n = s->counts[kind];
    const f0t_random random = {s->images, 2 + (uint64_t)kind};
    memcpy(b->order, s->kinds[kind], n * sizeof *b->order);
    f0t_random_shuffle(b->order, n, &random);
    for (size_t i = 0; i < n; i++)
        b->gathered[i] = scores[b->order[i]];
    b->count = f0t_topk_row(b->tags, b->scores, b->gathered, n, s->most);
    for (size_t i = 0; i < b->count; i++)
        b->tags[i] = relevant[b->order[b->tags[i]]] ? b->order[b->tags[i]] : NONE;
}

static f0t_status add_event(curve *c, double at, uint32_t leaves, uint32_t enters)
{
    if (leaves == NONE && enters == NONE)
        return F0T_OK;
    F0T_TRY(f0t_grow(&c->events, &c->capacity, c->count, 1, sizeof *c->events));
    c->events[c->count++] = (event){at, leaves, enters};
    return F0T_OK;
}

/* The seen tag at place i is among the first K as long as no more than K − i unseen ones are before it:
 * it leaves when the unseen tag at place K + 1 − i passes it, which thereby enters. */
static f0t_status add_image(curve *c, const best *seen, const best *unseen)
{
    for (size_t i = 1; i <= c->k; i++) {
        const bool leaves = i <= seen->count, enters = c->k + 1 - i <= unseen->count;
        const uint32_t a = leaves ? seen->tags[i - 1] : NONE;
        const uint32_t b = enters ? unseen->tags[c->k - i] : NONE;
        F0T_TRY(add_event(c, -INFINITY, NONE, leaves ? a : b));
        if (!leaves || !enters)
            continue;
        const double at = (double)seen->scores[i - 1] - (double)unseen->scores[c->k - i];
        F0T_TRY(add_event(c, isnan(at) ? 0 : at, a, b)); /* infinity less infinity */
    }
    return F0T_OK;
}

static f0t_status best_create(best *b, const f0t_stacking *s)
{
    F0T_TRY(f0t_alloc(&b->tags, s->most, sizeof *b->tags));
    F0T_TRY(f0t_alloc(&b->scores, s->most, sizeof *b->scores));
    F0T_TRY(f0t_alloc(&b->gathered, s->tags, sizeof *b->gathered));
    return f0t_alloc(&b->order, s->tags, sizeof *b->order);
}

static void best_free(best *b)
{
    f0t_free(b->tags);
    f0t_free(b->scores);
    f0t_free(b->gathered);
    f0t_free(b->order);
}

static f0t_status add_row(f0t_stacking *s, best b[2], const float *scores, const bool *relevant)
{
    for (int kind = 0; kind < 2; kind++)
        find_best(&b[kind], s, kind, scores, relevant);
    for (size_t i = 0; i < s->curve_count; i++)
        F0T_TRY(add_image(&s->curves[i], &b[1], &b[0]));
    return F0T_OK;
}

/* Images without a relevant tag change nothing. */
static f0t_status add_rows(f0t_stacking *s, best b[2], bool *relevant, const f0t_ranking *block)
{
    for (size_t m = 0; m < block->images; m++, s->images++) {
        const uint32_t *list = block->relevant + block->offsets[m];
        const size_t count = block->offsets[m + 1] - block->offsets[m];
        for (size_t i = 0; i < count; i++)
            relevant[list[i]] = true;
        if (count)
            F0T_TRY(add_row(s, b, block->scores + m * s->tags, relevant));
        for (size_t i = 0; i < count; i++)
            relevant[list[i]] = false;
    }
    return F0T_OK;
}

f0t_status f0t_stacking_add(f0t_stacking *s, const f0t_ranking *block)
{
    best b[2] = {{0}, {0}};
    bool *relevant = NULL;
    f0t_status status = f0t_alloc_zero(&relevant, s->tags, sizeof *relevant);
    for (int kind = 0; kind < 2 && status == F0T_OK; kind++)
        status = best_create(&b[kind], s);
    if (status == F0T_OK)
        status = add_rows(s, b, relevant, block);
    best_free(&b[0]);
    best_free(&b[1]);
    f0t_free(relevant);
    return status;
}

/* ---- The area ------------------------------------------------------------------------------ */

static int compare_events(const void *a, const void *b)
{
    const double x = ((const event *)a)->at, y = ((const event *)b)->at;
    return (x > y) - (x < y);
}

/* Tags of a kind that some image has. */
static double count_occurring(const f0t_stacking *s, bool kind, const uint32_t *relevant)
{
    double count = 0;
    for (size_t i = 0; i < s->counts[kind]; i++)
        count += relevant[s->kinds[kind][i]] > 0;
    return count;
}

/* Accuracy on unseen and seen tags, [2]: a tag enters or leaves the first K of one of its images. */
static void move(double accuracy[2], const f0t_stacking *s, uint32_t tag, double sign,
                 const double occurring[2], const uint32_t *relevant)
{
    if (tag != NONE)
        accuracy[s->seen[tag]] += sign / (occurring[s->seen[tag]] * (double)relevant[tag]);
}

/* By the trapezoidal rule between the points of the curve; before its first point it is level. */
static double area_of(const f0t_stacking *s, const event *events, size_t count,
                      const double occurring[2], const uint32_t *relevant)
{
    double area = 0, accuracy[2] = {0, 0};
    for (size_t i = 0; i < count;) {
        const double at = events[i].at, unseen = accuracy[0], seen = accuracy[1];
        for (; i < count && events[i].at == at; i++) {
            move(accuracy, s, events[i].leaves, -1, occurring, relevant);
            move(accuracy, s, events[i].enters, 1, occurring, relevant);
        }
        const bool first = at == -INFINITY;
        area += (accuracy[0] - unseen) * (first ? accuracy[1] : (seen + accuracy[1]) / 2);
    }
    return area;
}

f0t_status f0t_stacking_get(double *areas, const f0t_stacking *s, const uint32_t *relevant)
{
    const double occurring[2] = {count_occurring(s, false, relevant),
                                 count_occurring(s, true, relevant)};
    for (size_t i = 0; i < s->curve_count; i++) {
        const curve *c = &s->curves[i];
        event *sorted;
        areas[i] = (double)NAN;
        if (occurring[0] == 0 || occurring[1] == 0)
            continue;
        F0T_TRY(f0t_alloc(&sorted, c->count, sizeof *sorted));
        if (c->count)
            memcpy(sorted, c->events, c->count * sizeof *sorted);
        qsort(sorted, c->count, sizeof *sorted, compare_events);
        areas[i] = area_of(s, sorted, c->count, occurring, relevant);
        f0t_free(sorted);
    }
    return F0T_OK;
}
