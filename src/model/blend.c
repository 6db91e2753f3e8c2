#include "model/blend.h"

#include "base/alloc.h"
#include "base/context.h"
#include "compute/scoring.h"
#include "math/elementwise.h"
#include "math/matmul.h"
#include "math/workspace.h"

#include <math.h>
#include <string.h>

/* Rows at a time: their experts' probabilities are in memory together. */
enum { BLOCK_ROWS = 256 };

/* Probabilities are kept off 0 and 1, where logits are infinite. */
static const float LEAST = 1e-6F;

void f0t_word_space_free(f0t_word_space *s)
{
    f0t_free(s->mean);
    f0t_free(s->spread);
    f0t_free(s->inverse);
    f0t_free(s->prior);
    *s = (f0t_word_space){0};
}

void f0t_blend_free(f0t_blend *b)
{
    if (!b)
        return;
    f0t_net_free(b->own);
    f0t_votes_free(b->votes);
    f0t_ridge_free(b->ridge);
    f0t_free(b->frequency);
    f0t_word_space_free(&b->space);
    f0t_free(b->classes.weights);
    f0t_free(b->classes.bias);
    f0t_free(b->classes.vectors);
    f0t_free(b->classes.mean);
    f0t_free(b);
}

/* ---- Learned tags ---------------------------------------------------------------------------------- */

bool f0t_has_vector(const float *vector, size_t dim)
{
    for (size_t i = 0; i < dim; i++)
        if (vector[i] != 0)
            return true;
    return false;
}

/* What every image needs of the tags. */
typedef struct tag_facts {
    float *known; /* [T] 1 for tags that have a vector, else 0 */
    double count; /* of these */
    float *logs;  /* [T] of the frequencies */
} tag_facts;

static void free_facts(tag_facts *f)
{
    f0t_free(f->known);
    f0t_free(f->logs);
}

void f0t_blend_log_frequencies(float *logs, const float *frequency, size_t n)
{
    for (size_t t = 0; t < n; t++)
        logs[t] = frequency[t] + 1e-5F;
    f0t_ln(logs, logs, n);
}

static f0t_status collect_facts(tag_facts *f, const float *vectors, size_t dim,
                                const float *frequency, size_t tags)
{
    *f = (tag_facts){0};
    F0T_TRY(f0t_alloc(&f->known, tags, sizeof *f->known));
    F0T_TRY(f0t_alloc(&f->logs, tags, sizeof *f->logs));
    for (size_t t = 0; t < tags; t++) {
        f->known[t] = f0t_has_vector(vectors + t * dim, dim);
        f->count += (double)f->known[t];
    }
    f0t_blend_log_frequencies(f->logs, frequency, tags);
    return F0T_OK;
}

/* What gives scores of one image, which are 0 for tags without a vector, mean 0 and variance 1 over the others. */
static void measure_row(float *mean, float *factor, const float *scores, const tag_facts *f,
                        size_t tags)
{
    double sum, squares;
    f0t_moments(&sum, &squares, scores, tags);
    const double centre = f->count > 0 ? sum / f->count : 0;
    squares -= sum * centre;
    /* what is left of equal numbers is rounding */
    const bool equal = !(squares > 1e-12 * sum * centre);
    *mean = (float)centre;
    *factor = equal ? 0 : (float)(1 / sqrt(squares / f->count));
}

static void standardise(float *scores, const tag_facts *f, size_t tags)
{
    float mean, factor;
    measure_row(&mean, &factor, scores, f, tags);
    for (size_t t = 0; t < tags; t++)
        scores[t] = (scores[t] - mean * f->known[t]) * factor;
}

/* Conditioned copies of the rows, for the nets. */
static f0t_status condition_rows(float **out, const f0t_blend *b, const float *rows, size_t count)
{
    F0T_TRY(f0t_alloc(out, count * b->features, sizeof **out));
    memcpy(*out, rows, count * b->features * sizeof **out);
    f0t_condition_apply(*out, b->condition, count);
    return F0T_OK;
}

static f0t_status apply_nets(float *const to[F0T_LEARNED_EXPERTS], float *directions,
                             const f0t_blend *b, const f0t_net *net, const float *rows,
                             size_t count)
{
    float *conditioned;
    F0T_TRY(condition_rows(&conditioned, b, rows, count));
    f0t_status status = F0T_OK;
    if (directions)
        status = f0t_net_apply(directions, net, conditioned, count);
    if (status == F0T_OK && to && to[F0T_EXPERT_TAGS]) {
        status = f0t_net_apply(to[F0T_EXPERT_TAGS], b->own, conditioned, count);
        f0t_sigmoid(to[F0T_EXPERT_TAGS], to[F0T_EXPERT_TAGS], count * b->tags);
    }
    f0t_free(conditioned);
    return status;
}

static void clip(float *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = p[i] > 0 ? p[i] < 1 ? p[i] : 1 : 0;
}

static f0t_status score_others(float *const to[F0T_LEARNED_EXPERTS], const f0t_blend *b,
                               const float *rows, size_t count)
{
    if (to[F0T_EXPERT_VOTES])
        F0T_TRY(f0t_votes_score(to[F0T_EXPERT_VOTES], b->votes, rows, count));
    if (to[F0T_EXPERT_RIDGE]) {
        F0T_TRY(f0t_ridge_score(to[F0T_EXPERT_RIDGE], b->ridge, rows, count));
        clip(to[F0T_EXPERT_RIDGE], count * b->tags);
    }
    for (size_t r = 0; r < count && to[F0T_EXPERT_FREQUENCY]; r++)
        memcpy(to[F0T_EXPERT_FREQUENCY] + r * b->tags, b->frequency,
               b->tags * sizeof *b->frequency);
    return F0T_OK;
}

static f0t_status score_experts(float *const to[F0T_LEARNED_EXPERTS], float *directions,
                                const f0t_blend *b, const f0t_net *net, const tag_facts *facts,
                                const float *rows, size_t count)
{
    float *scores = to[F0T_EXPERT_DIRECTION];
    F0T_TRY(apply_nets(to, directions, b, net, rows, count));
    if (scores)
        F0T_TRY(f0t_score_once(scores, directions, count, b->vectors, b->tags, b->dim, false));
    for (size_t r = 0; r < count && scores; r++)
        standardise(scores + r * b->tags, facts, b->tags);
    return score_others(to, b, rows, count);
}

f0t_status f0t_blend_experts(float *const to[F0T_LEARNED_EXPERTS], const f0t_blend *b,
                             const f0t_net *net, const float *rows, size_t count)
{
    float *directions = NULL;
    tag_facts facts;
    f0t_status status = collect_facts(&facts, b->vectors, b->dim, b->frequency, b->tags);
    if (status == F0T_OK)
        status = f0t_alloc(&directions, count * b->dim, sizeof *directions);
    if (status == F0T_OK)
        status = score_experts(to, directions, b, net, &facts, rows, count);
    f0t_free(directions);
    free_facts(&facts);
    return status;
}

static void to_probabilities(float *scores, const f0t_blend *b, const tag_facts *facts, size_t rows)
{
    const float of_log = b->direction[0], of_score = b->direction[1], shift = b->direction[2];
    for (size_t r = 0; r < rows; r++) {
        float *s = scores + r * b->tags;
        for (size_t t = 0; t < b->tags; t++)
            s[t] = of_log * facts->logs[t] + of_score * s[t] + shift;
        f0t_sigmoid(s, s, b->tags);
    }
}

f0t_status f0t_blend_direction_probabilities(float *scores, const f0t_blend *b, size_t rows)
{
    tag_facts facts;
    f0t_status status = collect_facts(&facts, b->vectors, b->dim, b->frequency, b->tags);
    if (status == F0T_OK)
        to_probabilities(scores, b, &facts, rows);
    free_facts(&facts);
    return status;
}

static void add_weighted(float *to, const float *from, float weight, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += weight * from[i];
}

/* What is no number, of a model whose own numbers overflow, is the least. */
void f0t_blend_logits(float *p, const f0t_blend *b, size_t n)
{
    const float slope = b->calibration[0], shift = b->calibration[1];
    for (size_t i = 0; i < n; i++) {
        const float inside = !(p[i] >= LEAST) ? LEAST : p[i] > 1 - LEAST ? 1 - LEAST : p[i];
        p[i] = inside / (1 - inside);
    }
    f0t_ln(p, p, n);
    for (size_t i = 0; i < n; i++)
        p[i] = slope * p[i] + shift;
}

bool f0t_blend_is_likely(const f0t_blend *b, f0t_expert e)
{
    return (e == F0T_EXPERT_TAGS || e == F0T_EXPERT_VOTES || e == F0T_EXPERT_RIDGE) &&
           b->weights[e] > 0;
}

float f0t_blend_likely_share(const f0t_blend *b)
{
    float share = 0;
    for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++)
        share += f0t_blend_is_likely(b, (f0t_expert)e) ? b->weights[e] : 0;
    return share;
}

void f0t_blend_likely(float *q, float *const from[F0T_LEARNED_EXPERTS], const f0t_blend *b,
                      size_t rows)
{
    memset(q, 0, rows * b->tags * sizeof *q);
    for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++)
        if (f0t_blend_is_likely(b, (f0t_expert)e))
            add_weighted(q, from[e], b->weights[e], rows * b->tags);
}

static void mix(float *learned, float *const from[F0T_LEARNED_EXPERTS], const f0t_blend *b,
                size_t rows)
{
    for (size_t r = 0; r < rows; r++) { /* a row stays in the cache */
        float *to = learned + r * b->tags;
        memset(to, 0, b->tags * sizeof *to);
        for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++)
            if (from[e])
                add_weighted(to, from[e] + r * b->tags, b->weights[e], b->tags);
        f0t_blend_logits(to, b, b->tags);
    }
}

/* ---- New words ------------------------------------------------------------------------------------- */

/* What a vote is worth where there is none: of a tag's frequency, and for all. */
static const float VOTE_SHARE = 0.03F, VOTE_LEAST = 1e-4F;
/* Class probabilities are spread over more classes than the network itself would. */
static const float CLASS_TEMPERATURE = 2;

/* d² products per direction: as one of matrices. */
f0t_status f0t_word_space_moments(float *mean, float *deviation, const f0t_word_space *s,
                                  const float *directions, size_t count)
{
    const f0t_matmul op = {.m = count, .n = s->dim, .k = s->dim};
    float *spread;
    F0T_TRY(f0t_alloc(&spread, count * s->dim, sizeof *spread));
    f0t_status status = f0t_matmul_run(spread, directions, s->spread, NULL, &op);
    for (size_t r = 0; r < count && status == F0T_OK; r++) {
        const float *g = directions + r * s->dim, *h = spread + r * s->dim;
        double sum = 0, square = 0;
        for (size_t i = 0; i < s->dim; i++) {
            sum += (double)s->mean[i] * (double)g[i];
            square += (double)h[i] * (double)g[i];
        }
        if (mean)
            mean[r] = (float)sum;
        if (deviation)
            deviation[r] = square > 0 ? (float)sqrt(square) : 0;
    }
    f0t_free(spread);
    return status;
}

/* The standardised logarithms of the votes; 0 for tags without a vector. */
static void take_logs(float *logs, const float *votes, const float *frequency,
                      const tag_facts *facts, size_t tags)
{
    for (size_t t = 0; t < tags; t++)
        logs[t] = votes[t] + VOTE_SHARE * frequency[t] + VOTE_LEAST;
    f0t_ln(logs, logs, tags);
    for (size_t t = 0; t < tags; t++)
        logs[t] *= facts->known[t];
    standardise(logs, facts, tags);
}

/* The directions along which the tags stand as in table[images x T]: Σ_t s_t v_t (VᵀV + 1)⁻¹ of each row s. */
static f0t_status explain(float *to, const float *table, const f0t_word_sources *from)
{
    float *sums;
    const size_t dim = from->space->dim;
    const f0t_matmul onto = {.m = from->count, .n = dim, .k = from->tags},
                     turn = {.m = from->count, .n = dim, .k = dim};
    F0T_TRY(f0t_alloc(&sums, from->count * dim, sizeof *sums));
    f0t_status status = f0t_matmul_run(sums, table, from->vectors, NULL, &onto);
    if (status == F0T_OK)
        status = f0t_matmul_run(to, sums, from->space->inverse, NULL, &turn);
    f0t_free(sums);
    return status;
}

/* Of the standardised logarithms of probabilities[images x T]. */
static f0t_status explain_logs(float *to, const float *probabilities, const f0t_word_sources *from)
{
    float *logs = NULL;
    tag_facts facts;
    const size_t tags = from->tags;
    f0t_status status =
        collect_facts(&facts, from->vectors, from->space->dim, from->frequency, tags);
    if (status == F0T_OK)
        status = f0t_alloc(&logs, from->count * tags, sizeof *logs);
    for (size_t r = 0; r < from->count && status == F0T_OK; r++)
        take_logs(logs + r * tags, probabilities + r * tags, from->frequency, &facts, tags);
    if (status == F0T_OK)
        status = explain(to, logs, from);
    f0t_free(logs);
    free_facts(&facts);
    return status;
}

/* Of how much more probable the tags are here than elsewhere. In the mean over images experts say the frequencies, so
 * that no mean need be kept; tags without a vector count for nothing. */
static f0t_status explain_likely(float *to, const f0t_word_sources *from)
{
    float *more;
    const size_t tags = from->tags;
    F0T_TRY(f0t_alloc(&more, from->count * tags, sizeof *more));
    for (size_t r = 0; r < from->count; r++)
        for (size_t t = 0; t < tags; t++)
            more[r * tags + t] = from->likely[r * tags + t] - from->share * from->frequency[t];
    f0t_status status = explain(to, more, from);
    f0t_free(more);
    return status;
}

/* Softmax of row[count] over a temperature, in place. */
static void soften(float *row, size_t count)
{
    for (size_t c = 0; c < count; c++)
        row[c] /= CLASS_TEMPERATURE;
    f0t_softmax(row, row, count);
}

/* Σ_c p_c v_c less the mean, of rows of length 1. */
static f0t_status point_to_classes(float *to, const f0t_blend *b, const float *rows, size_t count)
{
    const f0t_class_directions *c = &b->classes;
    float *p;
    F0T_TRY(f0t_alloc(&p, count * c->count, sizeof *p));
    f0t_status status = f0t_score_once(p, rows, count, c->weights, c->count, b->features, false);
    for (size_t r = 0; r < count && status == F0T_OK; r++) {
        float *row = p + r * c->count;
        for (size_t k = 0; k < c->count; k++)
            row[k] = row[k] * c->length + c->bias[k];
        soften(row, c->count);
    }
    const f0t_matmul op = {.m = count, .n = b->dim, .k = c->count};
    if (status == F0T_OK)
        status = f0t_matmul_run(to, p, c->vectors, NULL, &op);
    for (size_t i = 0; i < count * b->dim && status == F0T_OK; i++)
        to[i] -= c->mean[i % b->dim];
    f0t_free(p);
    return status;
}

/* Each image's net scores get the standard deviation 1 over the learned tags. */
static f0t_status level_directions(float *to, const f0t_word_space *space, const float *directions,
                                   size_t count)
{
    float *deviation;
    F0T_TRY(f0t_alloc(&deviation, count, sizeof *deviation));
    f0t_status status = f0t_word_space_moments(NULL, deviation, space, directions, count);
    for (size_t r = 0; r < count && status == F0T_OK; r++) {
        const float factor = deviation[r] > 0 ? 1 / deviation[r] : 0;
        for (size_t i = r * space->dim; i < (r + 1) * space->dim; i++)
            to[i] = directions[i] * factor;
    }
    f0t_free(deviation);
    return status;
}

f0t_status f0t_word_parts(float *const to[F0T_WORD_PARTS], const f0t_blend *b,
                          const f0t_word_sources *from)
{
    const f0t_word_space *space = from->space;
    if (to[F0T_WORD_NET])
        F0T_TRY(level_directions(to[F0T_WORD_NET], space, from->directions, from->count));
    if (to[F0T_WORD_VOTES])
        F0T_TRY(explain_logs(to[F0T_WORD_VOTES], from->votes, from));
    if (to[F0T_WORD_TAGS])
        F0T_TRY(explain_logs(to[F0T_WORD_TAGS], from->own, from));
    if (to[F0T_WORD_CLASSES])
        F0T_TRY(point_to_classes(to[F0T_WORD_CLASSES], b, from->rows, from->count));
    for (size_t r = 0; r < from->count && to[F0T_WORD_PRIOR]; r++)
        memcpy(to[F0T_WORD_PRIOR] + r * space->dim, space->prior,
               space->dim * sizeof *space->prior);
    return to[F0T_WORD_LIKELY] ? explain_likely(to[F0T_WORD_LIKELY], from) : F0T_OK;
}

static void add_parts(float *directions, float *const parts[F0T_WORD_PARTS], const f0t_blend *b,
                      size_t count)
{
    const size_t n = count * b->dim;
    memset(directions, 0, n * sizeof *directions);
    for (size_t p = 0; p < F0T_WORD_PARTS; p++)
        for (size_t i = 0; i < n && parts[p]; i++)
            directions[i] += b->word_weights[p] * b->word_scales[p] * parts[p][i];
}

/* The sum of the parts, standardised among the learned tags and calibrated. */
static f0t_status join_parts(float *directions, float *offsets, float *const parts[F0T_WORD_PARTS],
                             const f0t_blend *b, size_t count)
{
    float *deviation;
    add_parts(directions, parts, b, count);
    F0T_TRY(f0t_alloc(&deviation, count, sizeof *deviation));
    f0t_status status = f0t_word_space_moments(offsets, deviation, &b->space, directions, count);
    for (size_t r = 0; r < count && status == F0T_OK; r++) {
        const float factor = deviation[r] > 0 ? b->word_calibration[0] / deviation[r] : 0;
        for (size_t i = r * b->dim; i < (r + 1) * b->dim; i++)
            directions[i] *= factor;
        offsets[r] = b->word_calibration[1] - factor * offsets[r];
    }
    f0t_free(deviation);
    return status;
}

static f0t_status score_words(float *directions, float *offsets, const f0t_blend *b,
                              const f0t_word_sources *from)
{
    float *all, *parts[F0T_WORD_PARTS] = {0};
    F0T_TRY(f0t_alloc(&all, F0T_WORD_PARTS * from->count * b->dim, sizeof *all));
    for (size_t p = 0; p < F0T_WORD_PARTS; p++)
        if (b->word_weights[p] > 0)
            parts[p] = all + p * from->count * b->dim;
    f0t_status status = f0t_word_parts(parts, b, from);
    if (status == F0T_OK)
        status = join_parts(directions, offsets, parts, b, from->count);
    f0t_free(all);
    return status;
}

/* ---- Both ------------------------------------------------------------------------------------------ */

/* Memory of a block. */
typedef struct scratch {
    float *rows;                        /* [n x D] of length 1 */
    float *net;                         /* [n x d] */
    float *expert[F0T_LEARNED_EXPERTS]; /* [n x T] those that are used */
    float *likely;                      /* [n x T] q; NULL: not used */
    f0t_workspace *experts;
    float *offsets; /* where the caller wants none */
    tag_facts facts;
} scratch;

static void scratch_free(scratch *s)
{
    f0t_free(s->rows);
    f0t_free(s->net);
    f0t_workspace_give(s->experts);
    f0t_free(s->offsets);
    free_facts(&s->facts);
}

/* Whether a part of the new words' direction explains what this expert says. */
static bool serves_words(const f0t_blend *b, size_t expert)
{
    return (expert == F0T_EXPERT_VOTES && b->word_weights[F0T_WORD_VOTES] > 0) ||
           (expert == F0T_EXPERT_TAGS && b->word_weights[F0T_WORD_TAGS] > 0) ||
           (b->word_weights[F0T_WORD_LIKELY] > 0 && f0t_blend_is_likely(b, (f0t_expert)expert));
}

static f0t_status scratch_create(scratch *s, const f0t_blend *b, size_t rows, bool learned,
                                 bool words)
{
    const size_t table = rows * b->tags;
    F0T_TRY(f0t_alloc(&s->rows, rows * b->features, sizeof *s->rows));
    F0T_TRY(f0t_alloc(&s->net, rows * b->dim, sizeof *s->net));
    F0T_TRY(f0t_alloc(&s->offsets, rows, sizeof *s->offsets));
    F0T_TRY(collect_facts(&s->facts, b->vectors, b->dim, b->frequency, b->tags));
    F0T_TRY(f0t_workspace_take(&s->experts, (F0T_LEARNED_EXPERTS + 1) * table * sizeof(float)));
    if (words && b->word_weights[F0T_WORD_LIKELY] > 0)
        s->likely = (float *)s->experts->data + F0T_LEARNED_EXPERTS * table;
    for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++)
        if ((learned && b->weights[e] > 0) || (words && serves_words(b, e)))
            s->expert[e] = (float *)s->experts->data + e * table;
    return F0T_OK;
}

static f0t_status score_block(float *learned, float *directions, float *offsets, scratch *s,
                              const f0t_blend *b, const f0t_net *net, size_t count)
{
    F0T_TRY(score_experts(s->expert, s->net, b, net, &s->facts, s->rows, count));
    if (s->expert[F0T_EXPERT_DIRECTION])
        to_probabilities(s->expert[F0T_EXPERT_DIRECTION], b, &s->facts, count);
    if (learned)
        mix(learned, s->expert, b, count);
    if (!directions)
        return F0T_OK;
    if (s->likely)
        f0t_blend_likely(s->likely, s->expert, b, count);
    const f0t_word_sources sources = {.space = &b->space,
                                      .vectors = b->vectors,
                                      .frequency = b->frequency,
                                      .tags = b->tags,
                                      .count = count,
                                      .rows = s->rows,
                                      .directions = s->net,
                                      .votes = s->expert[F0T_EXPERT_VOTES],
                                      .own = s->expert[F0T_EXPERT_TAGS],
                                      .likely = s->likely,
                                      .share = f0t_blend_likely_share(b)};
    return score_words(directions, offsets, b, &sources);
}

f0t_status f0t_blend_score(float *learned, float *directions, float *offsets, const f0t_blend *b,
                           const f0t_net *net, const float *features, size_t rows)
{
    scratch s = {0};
    const size_t block = rows < BLOCK_ROWS ? rows : BLOCK_ROWS;
    f0t_status status = scratch_create(&s, b, block, learned != NULL, directions != NULL);
    for (size_t r = 0; r < rows && status == F0T_OK; r += block) {
        const size_t n = rows - r < block ? rows - r : block;
        memcpy(s.rows, features + r * b->features, n * b->features * sizeof *s.rows);
        f0t_rows_normalise(s.rows, n, b->features);
        status = score_block(learned ? learned + r * b->tags : NULL,
                             directions ? directions + r * b->dim : NULL,
                             offsets ? offsets + r : s.offsets, &s, b, net ? net : b->net, n);
    }
    scratch_free(&s);
    return status;
}
