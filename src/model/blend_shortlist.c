#include "model/blend_shortlist.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "base/team.h"
#include "compute/screen.h"
#include "math/elementwise.h"
#include "math/matmul.h"
#include "math/topk.h"
#include "math/workspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FREQUENT = 256, /* tags that are always scored */
    BLOCK_ROWS =
        256, /* that go through the nets together, and through the screens: codes are read once for all */
    STEP = F0T_SCREEN_STEP,
    CHUNK_BLOCKS = 16, /* of the screens, whose bounds for STEP rows stay in a near cache */
    CHUNK = CHUNK_BLOCKS * F0T_SCREEN_BLOCK,
    WORD = 64, /* bits */
    CHUNK_WORDS = CHUNK / WORD
};

/* The experts whose scores are products. */
enum { TAGS, RIDGE, DIRECTION, EXPERTS };

/* p_t = link(inner · row_t + offset_t), with `inner` of the image. */
typedef struct expert {
    float weight; /* 0: off */
    bool clips;   /* link: to [0, 1]; else the logistic function */
    size_t dim;
    const float *rows; /* [T x dim] the blend's */
    float *frequent;   /* [F x dim] those of the frequent tags */
    float *offset;     /* [T] by place */
    f0t_screen *rare;  /* of the rare tags; of the direction those that have a vector */
} expert;

/* A tag's place: frequent ones come first, in the order of their numbers, then rare ones with a vector, then others. */
struct f0t_shortlist {
    const f0t_blend *blend;
    size_t frequent, rare;
    uint32_t *order; /* [T] the tag at each place */
    float *known;    /* [T] by place: 1 for tags with a vector, else 0 */
    float *rest;     /* [T] by place: what is the same for all images */
    expert experts[EXPERTS];
    f0t_votes votes; /* the blend's, of places */
    uint32_t *relevant;
};

void f0t_shortlist_free(f0t_shortlist *s)
{
    if (!s)
        return;
    f0t_free(s->order);
    f0t_free(s->known);
    f0t_free(s->rest);
    f0t_free(s->relevant);
    for (size_t e = 0; e < EXPERTS; e++) {
        f0t_free(s->experts[e].frequent);
        f0t_free(s->experts[e].offset);
        f0t_screen_free(s->experts[e].rare);
    }
    f0t_free(s);
}

/* ---- Making one ------------------------------------------------------------------------------------ */

/* Bounds hold where no expert counts against a tag. */
static bool is_bounded(const f0t_blend *b)
{
    for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++)
        if (!(b->weights[e] >= 0 && isfinite(b->weights[e])))
            return false;
    return b->calibration[0] > 0 && b->direction[1] >= 0 && b->dim <= F0T_SCREEN_DIM_MOST &&
           b->features <= F0T_SCREEN_DIM_MOST;
}

/* The last layer is read as it lies. */
static bool is_plain(const f0t_net *net)
{
    return !net || (net->compute->shares_memory && net->precision == F0T_F32 &&
                    net->layer_count == 2 && net->layers[1].inputs <= F0T_SCREEN_DIM_MOST);
}

/* A tag and its rank among others: the upper half sorts. */
static int ascending(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static f0t_status order_tags(f0t_shortlist *s)
{
    const f0t_blend *b = s->blend;
    uint64_t *keys;
    F0T_TRY(f0t_alloc(&s->order, b->tags, sizeof *s->order));
    F0T_TRY(f0t_alloc(&s->known, b->tags, sizeof *s->known));
    F0T_TRY(f0t_alloc(&keys, b->tags, sizeof *keys));
    for (size_t t = 0; t < b->tags; t++) { /* frequencies are within [0, 1], unless a file lies */
        const double rarity = fmin(fmax(1 - (double)b->frequency[t], 0), 1);
        keys[t] = (uint64_t)(rarity * UINT32_MAX) << 32 | t;
    }
    qsort(keys, b->tags, sizeof *keys, ascending);
    for (size_t i = 0; i < b->tags; i++) {
        const size_t t = keys[i] & UINT32_MAX;
        const bool rare = i >= s->frequent;
        keys[i] =
            (uint64_t)(rare ? 2 - f0t_has_vector(b->vectors + t * b->dim, b->dim) : 0) << 32 | t;
    }
    qsort(keys, b->tags, sizeof *keys, ascending);
    for (size_t i = 0; i < b->tags; i++) {
        s->order[i] = (uint32_t)(keys[i] & UINT32_MAX);
        s->known[i] = f0t_has_vector(b->vectors + s->order[i] * b->dim, b->dim);
    }
    f0t_free(keys);
    return F0T_OK;
}

static f0t_status number_votes(f0t_shortlist *s)
{
    uint32_t *place;
    if (!s->blend->votes || !(s->blend->weights[F0T_EXPERT_VOTES] > 0))
        return F0T_OK;
    s->votes = *s->blend->votes;
    const size_t count = s->votes.offsets[s->votes.images];
    F0T_TRY(f0t_alloc(&s->relevant, count, sizeof *s->relevant));
    F0T_TRY(f0t_alloc(&place, s->blend->tags, sizeof *place));
    for (size_t i = 0; i < s->blend->tags; i++)
        place[s->order[i]] = (uint32_t)i;
    for (size_t i = 0; i < count; i++)
        s->relevant[i] = place[s->votes.relevant[i]];
    f0t_free(place);
    s->votes.relevant = s->relevant;
    return F0T_OK;
}

static f0t_status screen_rows(expert *e, const uint32_t *order, size_t count)
{
    enum { AT_ONCE = 256 };
    float *some;
    F0T_TRY(f0t_screen_create(&e->rare, e->dim));
    F0T_TRY(f0t_alloc(&some, AT_ONCE * e->dim, sizeof *some));
    f0t_status status = F0T_OK;
    for (size_t i = 0, n; i < count && status == F0T_OK; i += n) {
        n = count - i < AT_ONCE ? count - i : AT_ONCE;
        for (size_t j = 0; j < n; j++)
            memcpy(some + j * e->dim, e->rows + order[i + j] * e->dim, e->dim * sizeof *some);
        status = f0t_screen_append(e->rare, some, n);
    }
    f0t_free(some);
    return status;
}

/* Of tags in their places; offset[T] of tags by number. */
static f0t_status lay_out(expert *e, const f0t_shortlist *s, const float *offset, size_t screened)
{
    const size_t tags = s->frequent + s->rare;
    F0T_TRY(f0t_alloc(&e->frequent, s->frequent * e->dim, sizeof *e->frequent));
    F0T_TRY(f0t_alloc(&e->offset, tags, sizeof *e->offset));
    for (size_t i = 0; i < s->frequent; i++)
        memcpy(e->frequent + i * e->dim, e->rows + s->order[i] * e->dim,
               e->dim * sizeof *e->frequent);
    for (size_t i = 0; i < tags; i++)
        e->offset[i] = offset[s->order[i]];
    return screen_rows(e, s->order + s->frequent, screened);
}

static f0t_status lay_out_direction(f0t_shortlist *s)
{
    const f0t_blend *b = s->blend;
    expert *e = &s->experts[DIRECTION];
    float *logs;
    size_t screened = 0;
    while (screened < s->rare && s->known[s->frequent + screened] > 0)
        screened++;
    F0T_TRY(f0t_alloc(&logs, b->tags, sizeof *logs));
    f0t_blend_log_frequencies(logs, b->frequency, b->tags);
    for (size_t t = 0; t < b->tags; t++)
        logs[t] = b->direction[0] * logs[t] + b->direction[2];
    *e = (expert){.weight = b->weights[F0T_EXPERT_DIRECTION], .dim = b->dim, .rows = b->vectors};
    f0t_status status = lay_out(e, s, logs, screened);
    f0t_free(logs);
    return status;
}

static f0t_status lay_out_experts(f0t_shortlist *s)
{
    const f0t_blend *b = s->blend;
    if (b->own && b->weights[F0T_EXPERT_TAGS] > 0) {
        const f0t_net_layer *last = &b->own->layers[1];
        s->experts[TAGS] = (expert){
            .weight = b->weights[F0T_EXPERT_TAGS], .dim = last->inputs, .rows = last->weight->data};
        F0T_TRY(lay_out(&s->experts[TAGS], s, last->bias->data, s->rare));
    }
    if (b->ridge && b->weights[F0T_EXPERT_RIDGE] > 0) {
        s->experts[RIDGE] = (expert){.weight = b->weights[F0T_EXPERT_RIDGE],
                                     .clips = true,
                                     .dim = b->ridge->map ? b->ridge->rank : b->ridge->features,
                                     .rows = b->ridge->weights};
        F0T_TRY(lay_out(&s->experts[RIDGE], s, b->ridge->base, s->rare));
    }
    return b->weights[F0T_EXPERT_DIRECTION] > 0 ? lay_out_direction(s) : F0T_OK;
}

/* The frequencies, and what the direction says of rare tags without a vector. */
static f0t_status set_rest(f0t_shortlist *s)
{
    const f0t_blend *b = s->blend;
    const expert *direction = &s->experts[DIRECTION];
    F0T_TRY(f0t_alloc(&s->rest, b->tags, sizeof *s->rest));
    for (size_t i = 0; i < b->tags; i++) {
        float p = 0;
        if (direction->rare && i >= s->frequent + direction->rare->count)
            f0t_sigmoid(&p, &direction->offset[i], 1);
        s->rest[i] =
            b->weights[F0T_EXPERT_FREQUENCY] * b->frequency[s->order[i]] + direction->weight * p;
    }
    return F0T_OK;
}

static f0t_status fill(f0t_shortlist *s)
{
    F0T_TRY(order_tags(s));
    F0T_TRY(number_votes(s));
    F0T_TRY(lay_out_experts(s));
    return set_rest(s);
}

f0t_status f0t_shortlist_create(f0t_shortlist **out, const f0t_blend *b)
{
    *out = NULL;
    if (b->tags < F0T_SHORTLIST_TAGS || !is_bounded(b) || !is_plain(b->own))
        return F0T_OK;
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    (*out)->blend = b;
    (*out)->frequent = FREQUENT;
    (*out)->rare = b->tags - FREQUENT;
    f0t_status status = fill(*out);
    if (status != F0T_OK) {
        f0t_shortlist_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- What an image gives --------------------------------------------------------------------------- */

/* Of the rows of a block. */
typedef struct block {
    float *rows, *conditioned; /* [n x D] */
    float *inner[EXPERTS];     /* [n x dim]; NULL: off */
    float *shift;              /* [n] of the direction's scores, for tags with a vector */
    float *deviation;          /* [n] */
    float *votes;              /* [n x T] */
    float *scores, *p;         /* [n x F] */
    float *limit;              /* [n] what p of a rare tag must be above */
    f0t_screen_queries *queries[EXPERTS];
    float *bound;    /* [threads x (EXPERTS · STEP + 1) x CHUNK] */
    uint64_t *marks; /* [n x words] a bit for each rare tag that may be among the first */
    size_t words;
    f0t_best *best;
    f0t_workspace *room; /* what all these are in */
} block;

static void queries_free(block *g)
{
    for (size_t e = 0; e < EXPERTS; e++) {
        f0t_screen_queries_free(g->queries[e]);
        g->queries[e] = NULL;
    }
}

static void block_free(block *g)
{
    queries_free(g);
    f0t_best_free(g->best);
    f0t_free(g->marks);
    f0t_workspace_give(g->room);
}

/* Where each array begins, in a room that may be NULL; returns what all take. */
static size_t divide(block *g, const f0t_shortlist *s, size_t n, float *room)
{
    const f0t_blend *b = s->blend;
    const size_t F = s->frequent, lanes = (size_t)f0t_team_size();
    struct {
        float **array;
        size_t count;
    } parts[9 + EXPERTS] = {{&g->rows, n * b->features},
                            {&g->conditioned, n * b->features},
                            {&g->shift, n},
                            {&g->deviation, n},
                            {&g->votes, n * b->tags},
                            {&g->scores, n * F},
                            {&g->p, n * F},
                            {&g->limit, n},
                            {&g->bound, lanes * (EXPERTS * STEP + 1) * CHUNK}};
    size_t count = 9, at = 0;
    for (size_t e = 0; e < EXPERTS; e++)
        if (s->experts[e].rare) {
            parts[count].array = &g->inner[e];
            parts[count++].count = n * s->experts[e].dim;
        }
    for (size_t i = 0; i < count; i++) {
        *parts[i].array = room ? room + at : NULL;
        at += (parts[i].count + 15) / 16 * 16; /* a line of the cache */
    }
    return at;
}

static f0t_status block_create(block *g, const f0t_shortlist *s, size_t n, size_t k)
{
    F0T_TRY(f0t_workspace_take(&g->room, divide(g, s, n, NULL) * sizeof(float)));
    (void)divide(g, s, n, g->room->data);
    if (!s->relevant)
        memset(g->votes, 0, n * s->blend->tags * sizeof *g->votes);
    g->words = (s->rare + CHUNK - 1) / CHUNK * CHUNK_WORDS;
    F0T_TRY(f0t_alloc(&g->marks, n * g->words, sizeof *g->marks));
    return f0t_best_create(&g->best, n, k);
}

/* f(x), so long that products with it are the logits of its probabilities, but for the shift. */
static f0t_status point(block *g, const f0t_shortlist *s, const f0t_net *net, size_t n)
{
    const f0t_blend *b = s->blend;
    float *directions = g->inner[DIRECTION];
    F0T_TRY(f0t_net_apply(directions, net, g->conditioned, n));
    F0T_TRY(f0t_word_space_moments(g->shift, g->deviation, &b->space, directions, n));
    for (size_t r = 0; r < n; r++) {
        const float factor = g->deviation[r] > 0 ? b->direction[1] / g->deviation[r] : 0;
        g->shift[r] *= -factor;
        for (size_t i = r * b->dim; i < (r + 1) * b->dim; i++)
            directions[i] *= factor;
    }
    return F0T_OK;
}

static f0t_status ask_images(block *g, const f0t_shortlist *s, const f0t_net *net, size_t n)
{
    const f0t_blend *b = s->blend;
    if (g->inner[TAGS] || g->inner[DIRECTION]) {
        memcpy(g->conditioned, g->rows, n * b->features * sizeof *g->rows);
        f0t_condition_apply(g->conditioned, b->condition, n);
    }
    if (g->inner[TAGS]) {
        const f0t_compute *compute = b->own->compute;
        const f0t_buffer from = f0t_buffer_view(compute, F0T_F32, n * b->features, g->conditioned);
        f0t_buffer to = f0t_buffer_view(compute, F0T_F32, n * s->experts[TAGS].dim, g->inner[TAGS]);
        F0T_TRY(f0t_net_layer_forward(&to, b->own, 0, &from, n));
    }
    if (g->inner[DIRECTION])
        F0T_TRY(point(g, s, net, n));
    if (g->inner[RIDGE])
        F0T_TRY(f0t_ridge_inner(g->inner[RIDGE], b->ridge, g->rows, n));
    return s->relevant ? f0t_votes_score(g->votes, &s->votes, g->rows, n) : F0T_OK;
}

/* ---- Scores ---------------------------------------------------------------------------------------- */

/* p[n] += weight · link(scores[n]), which are lost. */
static void add_linked(float *p, const expert *e, float *scores, size_t n)
{
    const float weight = e->weight;
    if (e->clips) {
        for (size_t i = 0; i < n; i++) {
            const float above = scores[i] > 0 ? scores[i] : 0;
            p[i] += weight * (above < 1 ? above : 1);
        }
        return;
    }
    f0t_sigmoid(scores, scores, n);
    for (size_t i = 0; i < n; i++)
        p[i] += weight * scores[i];
}

/* What no expert's product is needed for, of the places [first, first + n). */
static void begin(float *p, const block *g, const f0t_shortlist *s, size_t r, size_t first,
                  size_t n)
{
    const float weight = s->blend->weights[F0T_EXPERT_VOTES];
    const float *votes = g->votes + r * s->blend->tags + first, *rest = s->rest + first;
    for (size_t i = 0; i < n; i++)
        p[i] = rest[i] + weight * votes[i];
}

static f0t_status score_frequent(block *g, const f0t_shortlist *s, size_t n)
{
    const size_t F = s->frequent;
    for (size_t r = 0; r < n; r++)
        begin(g->p + r * F, g, s, r, 0, F);
    for (size_t e = 0; e < EXPERTS; e++) {
        const expert *x = &s->experts[e];
        const f0t_matmul op = {.m = n, .n = F, .k = x->dim, .b_transposed = true};
        if (!x->rare)
            continue;
        F0T_TRY(f0t_matmul_run_stable(g->scores, g->inner[e], x->frequent, x->offset, &op));
        for (size_t r = 0; r < n; r++) {
            float *scores = g->scores + r * F;
            const float shift = e == DIRECTION ? g->shift[r] : 0;
            for (size_t i = 0; i < F && e == DIRECTION; i++)
                scores[i] += shift * s->known[i];
            add_linked(g->p + r * F, x, scores, F);
        }
    }
    return F0T_OK;
}

/* Of one place. */
static float score_one(const block *g, const f0t_shortlist *s, size_t r, size_t place)
{
    float p;
    begin(&p, g, s, r, place, 1);
    for (size_t e = 0; e < EXPERTS; e++) {
        const expert *x = &s->experts[e];
        if (!x->rare || place - s->frequent >= x->rare->count)
            continue;
        float score = (float)f0t_kernels()->exact_product(
            g->inner[e] + r * x->dim, x->rows + s->order[place] * x->dim, x->dim);
        score += x->offset[place] + (e == DIRECTION ? g->shift[r] : 0);
        add_linked(&p, x, &score, 1);
    }
    return p;
}

/* ---- The first -------------------------------------------------------------------------------------- */

/* Below 1e-6 all are equal, and above 1 - 1e-6 (f0t_blend_logits); what is no number is the least. */
static const float LEAST = 1e-6F;

static void keep_inside(float *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float above = p[i] > LEAST ? p[i] : LEAST;
        p[i] = above < 1 - LEAST ? above : 1 - LEAST;
    }
}

static void add(block *g, const f0t_shortlist *s, size_t r, float p, size_t place)
{
    f0t_blend_logits(&p, s->blend, 1);
    f0t_best_add(g->best, r, &p, 1, s->order[place], UINT32_MAX);
}

/* The first k of the frequent tags: a rare one must be above the last of them. What is rounded is less than a thousandth. */
static void take_frequent(block *g, const f0t_shortlist *s, size_t r)
{
    uint32_t index[F0T_SHORTLIST_MOST];
    const size_t F = s->frequent, k = g->best->k;
    float *p = g->p + r * F;
    keep_inside(p, F);
    (void)f0t_topk_row(index, NULL, p, F, k);
    for (size_t i = 0; i < k; i++)
        add(g, s, r, p[index[i]], index[i]);
    const float least = p[index[k - 1]];
    g->limit[r] = least > 2 * LEAST ? least * 0.999F : -1;
}

/* Of the rows of places first … first + n - 1 of the rare tags, those an expert has. */
static size_t count_at(const expert *e, size_t first, size_t n)
{
    const size_t left = e->rare->count > first ? e->rare->count - first : 0;
    return left < n ? left : n;
}

/* Marks the tags of a chunk that row r may have, from the experts' bounds upper[e], CHUNK for each of STEP rows. */
static void mark_row(block *g, const f0t_shortlist *s, float *p, const float *upper, size_t chunk,
                     size_t r)
{
    const f0t_kernel_table *kernels = f0t_kernels();
    const size_t first = chunk * CHUNK, left = s->rare - first, n = left < CHUNK ? left : CHUNK;
    const size_t place = s->frequent + first;
    uint64_t *marks = g->marks + r * g->words + chunk * CHUNK_WORDS;
    kernels->bound_rest(p, s->rest + place, g->votes + r * s->blend->tags + place,
                        s->blend->weights[F0T_EXPERT_VOTES], n);
    for (size_t e = 0; e < EXPERTS; e++) {
        const expert *x = &s->experts[e];
        if (x->rare)
            (x->clips ? kernels->bound_clipped : kernels->bound_logistic)(
                p, upper + e * STEP * CHUNK, x->offset + place, e == DIRECTION ? g->shift[r] : 0,
                x->weight, count_at(x, first, n));
    }
    memset(marks, 0, CHUNK_WORDS * sizeof *marks);
    for (size_t i = 0; (i = kernels->find_above(p, i, n, g->limit[r])) < n; i++)
        marks[i / WORD] |= UINT64_C(1) << i % WORD;
}

static void mark_chunk(block *g, const f0t_shortlist *s, size_t chunk, size_t n)
{
    float *p = g->bound + (size_t)f0t_team_member() * (EXPERTS * STEP + 1) * CHUNK,
          *upper = p + CHUNK;
    for (size_t first = 0, some; first < n; first += some) {
        some = n - first < STEP ? n - first : STEP;
        for (size_t e = 0; e < EXPERTS; e++) {
            const f0t_screen *rare = s->experts[e].rare;
            const size_t rows = rare ? count_at(&s->experts[e], chunk * CHUNK, CHUNK) : 0;
            if (rows)
                f0t_screen_bound(upper + e * STEP * CHUNK, CHUNK, rare, g->queries[e], first, some,
                                 chunk * CHUNK_BLOCKS, f0t_screen_blocks(rows));
        }
        for (size_t i = 0; i < some; i++)
            mark_row(g, s, p, upper + i * CHUNK, chunk, first + i);
    }
}

/* Scores the tags that are marked. */
static void take_row(uint32_t *tag, float *logit, block *g, const f0t_shortlist *s, size_t r)
{
    const size_t k = g->best->k;
    const uint64_t *marks = g->marks + r * g->words;
    for (size_t w = 0; w < g->words; w++)
        for (uint64_t left = marks[w]; left; left &= left - 1) {
            const size_t place = s->frequent + w * WORD + (size_t)__builtin_ctzll(left);
            add(g, s, r, score_one(g, s, r, place), place);
        }
    f0t_best_sort(g->best, r);
    for (size_t i = g->best->count[r]; i < k; i++) { /* none: the frequent ones are k */
        g->best->index[r * k + i] = s->order[0];
        g->best->value[r * k + i] = -INFINITY;
    }
    memcpy(tag, g->best->index + r * k, k * sizeof *tag);
    memcpy(logit, g->best->value + r * k, k * sizeof *logit);
    g->best->count[r] = 0;
}

/* ---- The whole ------------------------------------------------------------------------------------- */

static f0t_status encode(block *g, const f0t_shortlist *s, size_t n)
{
    for (size_t e = 0; e < EXPERTS; e++)
        if (s->experts[e].rare)
            F0T_TRY(f0t_screen_queries_create(&g->queries[e], g->inner[e], n, s->experts[e].dim));
    return F0T_OK;
}

static f0t_status rank_block(uint32_t *tag, float *logit, block *g, const f0t_shortlist *s,
                             const f0t_net *net, size_t n)
{
    const size_t k = g->best->k, chunks = g->words / CHUNK_WORDS;
    const int threads = f0t_team_size();
    (void)threads;
    F0T_TRY(ask_images(g, s, net, n));
    F0T_TRY(score_frequent(g, s, n));
    queries_free(g);
    F0T_TRY(encode(g, s, n));
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (size_t r = 0; r < n; r++)
            take_frequent(g, s, r);
#pragma omp for schedule(dynamic)
        for (size_t c = 0; c < chunks; c++)
            mark_chunk(g, s, c, n);
#pragma omp for schedule(static)
        for (size_t r = 0; r < n; r++)
            take_row(tag + r * k, logit + r * k, g, s, r);
    }
    return F0T_OK;
}

f0t_status f0t_shortlist_top(uint32_t *tag, float *logit, size_t k, const f0t_shortlist *s,
                             const f0t_net *net, const float *features, size_t rows)
{
    const f0t_blend *b = s->blend;
    const size_t most = rows < BLOCK_ROWS ? rows : BLOCK_ROWS;
    block g = {0};
    f0t_status status = k ? block_create(&g, s, most, k) : F0T_OK;
    for (size_t first = 0, n; first < rows && k && status == F0T_OK; first += n) {
        n = rows - first < most ? rows - first : most;
        memcpy(g.rows, features + first * b->features, n * b->features * sizeof *g.rows);
        f0t_rows_normalise(g.rows, n, b->features);
        status = rank_block(tag + first * k, logit + first * k, &g, s, net ? net : b->net, n);
    }
    block_free(&g);
    return status;
}
