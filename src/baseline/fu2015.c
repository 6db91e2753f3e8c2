/*
 * Multi-label zero-shot learning over all combinations of the candidate tags: a regression projects
 * images into word space, where every combination of tags has a prototype, the sum of its tags'
 * vectors; the nearest prototypes say which tags the image has. The paper calls it infeasible, and for
 * its 81 tags it is: they have 2^81 combinations. Up to 12 tags it runs, above it refuses.
 *
 * Source: Fu, Yang, Hospedales, Xiang, Gong, "Transductive multi-label zero-shot learning", BMVC 2014
 * (arXiv 1503.07790). Two methods, as there are two rows there: the direct prediction, and the
 * transductive one, which sees all test images at once and lets near projections agree.
 *
 * The rows are called Fu-style: the prototypes of all combinations are the source's, the regression, the ranking of tags
 * and the transductive step are choices made here.
 *
 * Choices. The regression: theirs is a deep network from pixels; here features are a network's
 * already, and a ridge regression with an offset maps them onto the sum of the tags' vectors; only
 * its direction counts. Their answer is one combination; a ranking of tags comes from a softmax over
 * the cosines with all prototypes: a tag's score is the probability of the combinations that have it.
 * At a low temperature that is the nearest combination first. Transductive: the scores F of the
 * images become F = α P F + (1 − α) G, P going to the k nearest projections among the test images
 * with softmax weights of the same temperature, G being the direct scores; label propagation of the
 * 2^U classes would give the same, as tags are sums of them.
 */
#include "baseline/fu2015.h"

#include "base/alloc.h"
#include "base/team.h"
#include "baseline/moments.h"
#include "baseline/ranker.h"
#include "math/elementwise.h"
#include "math/matmul.h"
#include "math/topk.h"

#include <math.h>
#include <string.h>

/* ---- Combinations of tags ---------------------------------------------------------------------- */

static size_t lowest_tag(size_t combination)
{
    size_t tag = 0;
    while (!(combination >> tag & 1))
        tag++;
    return tag;
}

f0t_status f0t_combinations_create(float **to, const float *vectors, size_t tags, size_t dim)
{
    *to = NULL;
    if (tags > F0T_COMBINED_TAGS)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%zu tags have 2^%zu combinations, each with a prototype; at most %d tags "
                        "are feasible",
                        tags, tags, F0T_COMBINED_TAGS);
    const size_t count = (size_t)1 << tags;
    F0T_TRY(f0t_alloc_zero(to, (count - 1) * dim, sizeof **to));
    for (size_t c = 1; c < count; c++) {
        const size_t rest = c & (c - 1);
        float *row = *to + (c - 1) * dim;
        if (rest)
            memcpy(row, *to + (rest - 1) * dim, dim * sizeof *row);
        for (size_t k = 0; k < dim; k++)
            row[k] += vectors[lowest_tag(c) * dim + k];
    }
    f0t_rows_normalise(*to, count - 1, dim);
    return F0T_OK;
}

void f0t_combinations_marginals(float *to, float *similarity, size_t tags, double temperature)
{
    const size_t count = ((size_t)1 << tags) - 1;
    double sums[F0T_COMBINED_TAGS] = {0}, total = 0;
    float most = -INFINITY;
    for (size_t c = 0; c < count; c++)
        most = fmaxf(most, similarity[c]);
    for (size_t c = 0; c < count; c++)
        similarity[c] = (float)((double)(similarity[c] - most) / temperature);
    f0t_exp(similarity, similarity, count);
    for (size_t c = 0; c < count; c++) {
        total += (double)similarity[c];
        for (size_t t = 0; t < tags; t++)
            sums[t] += (c + 1) >> t & 1 ? (double)similarity[c] : 0;
    }
    for (size_t t = 0; t < tags; t++)
        to[t] = (float)(sums[t] / total);
}

/* ---- Knobs and what is learned ----------------------------------------------------------------- */

enum { BLOCK = 256, ROUNDS = 60 };

static const double RIDGES[] = {0.01, 0.03, 0.1, 0.3, 1, 3, 10};
static const double TEMPERATURES[] = {0.01, 0.02, 0.05, 0.1, 0.2};
static const double NEIGHBOURS[] = {10, 20, 50, 100, 200};
static const double SHARES[] = {0.2, 0.5, 0.8, 0.9};
enum { RIDGE, TEMPERATURE, DIRECT_KNOBS, K = DIRECT_KNOBS, SHARE, KNOBS };

static const f0t_knob KNOB_LIST[KNOBS] = {
    {"ridge", RIDGES, sizeof RIDGES / sizeof *RIDGES, 4},
    {"temperature", TEMPERATURES, sizeof TEMPERATURES / sizeof *TEMPERATURES, 3},
    {"neighbours", NEIGHBOURS, sizeof NEIGHBOURS / sizeof *NEIGHBOURS, 3},
    {"share", SHARES, sizeof SHARES / sizeof *SHARES, 1},
};

typedef struct fitted {
    size_t dim;   /* d */
    float *map;   /* [d x D] */
    float *shift; /* [d] */
    double temperature;
    size_t neighbours; /* 0: direct */
    double share;      /* α */
} fitted;

/* ---- The regression ---------------------------------------------------------------------------- */

static f0t_status prepare(void **shared, const f0t_task *task)
{
    f0t_task_moments *plain, *centred = NULL;
    F0T_TRY(f0t_task_moments_create(&plain, task, NULL));
    f0t_status status = f0t_task_moments_centre(&centred, plain);
    f0t_task_moments_free(plain);
    *shared = centred;
    return status;
}

static void release(void *shared)
{
    f0t_task_moments_free(shared);
}

static void discard(void *memory)
{
    fitted *f = memory;
    if (!f)
        return;
    f0t_free(f->map);
    f0t_free(f->shift);
    f0t_free(f);
}

/* Σ t xᵀ of t = Σ vectors of the image's tags: targets[d x D]. */
static void cross_vectors(double *targets, const f0t_task_moments *m, const f0t_task *task)
{
    const size_t D = m->features, d = task->dim;
    memset(targets, 0, d * D * sizeof *targets);
    for (size_t t = 0; t < task->tags; t++)
        for (size_t k = 0; k < d; k++)
            for (size_t j = 0; j < D; j++)
                targets[k * D + j] += (double)task->vectors[t * d + k] * m->crossed[t * D + j];
}

static void set_map(fitted *f, const double *solved, const f0t_task_moments *m,
                    const f0t_task *task)
{
    const size_t D = m->features, d = task->dim;
    for (size_t k = 0; k < d; k++) {
        double shift = 0;
        for (size_t t = 0; t < task->tags; t++)
            shift += (double)task->vectors[t * d + k] * m->counts[t];
        for (size_t j = 0; j < D; j++) {
            f->map[k * D + j] = (float)solved[k * D + j];
            shift -= solved[k * D + j] * m->sum[j];
        }
        f->shift[k] = (float)(shift / m->images);
    }
}

static f0t_status regress(fitted *f, const f0t_task *task, const f0t_task_moments *m, double ridge)
{
    const size_t D = m->features, d = task->dim;
    double *targets = NULL;
    F0T_TRY(f0t_alloc(&f->map, d * D, sizeof *f->map));
    F0T_TRY(f0t_alloc(&f->shift, d, sizeof *f->shift));
    F0T_TRY(f0t_alloc(&targets, d * D, sizeof *targets));
    cross_vectors(targets, m, task);
    f0t_status status = f0t_task_moments_solve(targets, d, m, ridge, task->monitor);
    if (status == F0T_OK)
        set_map(f, targets, m, task);
    f0t_free(targets);
    return status;
}

static f0t_status create(fitted **out, const f0t_task *task, void *shared, const double *knobs)
{
    fitted *f = NULL;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&f, 1, sizeof *f));
    f->dim = task->dim;
    f->temperature = knobs[TEMPERATURE];
    f0t_status status = regress(f, task, shared, knobs[RIDGE]);
    if (status != F0T_OK) {
        discard(f);
        return status;
    }
    *out = f;
    return F0T_OK;
}

static f0t_status fit_direct(void **out, const f0t_task *task, void *shared, const double *knobs)
{
    fitted *f;
    F0T_TRY(create(&f, task, shared, knobs));
    *out = f;
    return F0T_OK;
}

static f0t_status fit_transductive(void **out, const f0t_task *task, void *shared,
                                   const double *knobs)
{
    fitted *f;
    F0T_TRY(create(&f, task, shared, knobs));
    f->neighbours = (size_t)knobs[K];
    f->share = knobs[SHARE];
    *out = f;
    return F0T_OK;
}

/* ---- Direct scores ----------------------------------------------------------------------------- */

/* What scoring needs for a while. */
typedef struct room {
    float *prototypes;  /* [2^U − 1 x d] */
    float *projections; /* [images x d] of length 1 */
    float *block;       /* [BLOCK x 2^U − 1] similarities */
    float *next;        /* [images x U] */
    f0t_best *near;
} room;

static void room_free(room *r)
{
    f0t_free(r->prototypes);
    f0t_free(r->projections);
    f0t_free(r->block);
    f0t_free(r->next);
    f0t_best_free(r->near);
}

static f0t_status project(float *to, const fitted *f, const f0t_task *task,
                          const f0t_queries *queries)
{
    const f0t_matmul op = {
        .m = queries->count, .n = f->dim, .k = f0t_task_features(task), .b_transposed = true};
    F0T_TRY(f0t_matmul_run_stable(to, queries->features, f->map, f->shift, &op));
    f0t_rows_normalise(to, queries->count, f->dim);
    return F0T_OK;
}

static f0t_status score_block(float *scores, const fitted *f, room *r, size_t first, size_t rows,
                              size_t tags)
{
    const size_t count = ((size_t)1 << tags) - 1;
    const f0t_matmul op = {.m = rows, .n = count, .k = f->dim, .b_transposed = true};
    int threads = f0t_team_size();
    (void)threads;
    F0T_TRY(
        f0t_matmul_run_stable(r->block, r->projections + first * f->dim, r->prototypes, NULL, &op));
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t i = 0; i < rows; i++)
        f0t_combinations_marginals(scores + (first + i) * tags, r->block + i * count, tags,
                                   f->temperature);
    return F0T_OK;
}

static f0t_status score_direct(float *scores, const fitted *f, room *r, const f0t_task *task,
                               const f0t_candidates *tags, const f0t_queries *queries)
{
    F0T_TRY(f0t_combinations_create(&r->prototypes, tags->vectors, tags->count, f->dim));
    F0T_TRY(f0t_alloc(&r->projections, queries->count * f->dim, sizeof *r->projections));
    F0T_TRY(f0t_alloc(&r->block, (size_t)BLOCK << tags->count, sizeof *r->block));
    F0T_TRY(project(r->projections, f, task, queries));
    for (size_t first = 0; first < queries->count; first += BLOCK) {
        size_t rows = queries->count - first < BLOCK ? queries->count - first : BLOCK;
        F0T_TRY(score_block(scores, f, r, first, rows, tags->count));
    }
    return F0T_OK;
}

/* ---- Among the test images --------------------------------------------------------------------- */

static f0t_status find_near(const fitted *f, room *r, size_t images)
{
    const size_t k = images > f->neighbours ? f->neighbours : images ? images - 1 : 0;
    float *products = NULL;
    f0t_status status = f0t_best_create(&r->near, images, k);
    if (status == F0T_OK)
        status = f0t_alloc(&products, BLOCK * images, sizeof *products);
    for (size_t first = 0; status == F0T_OK && first < images; first += BLOCK) {
        size_t rows = images - first < BLOCK ? images - first : BLOCK;
        const f0t_matmul op = {.m = rows, .n = images, .k = f->dim, .b_transposed = true};
        status = f0t_matmul_run_stable(products, r->projections + first * f->dim, r->projections,
                                       NULL, &op);
        for (size_t i = 0; status == F0T_OK && i < rows; i++) {
            f0t_best_add(r->near, first + i, products + i * images, images, 0,
                         (uint32_t)(first + i));
            f0t_best_sort(r->near, first + i);
        }
    }
    f0t_free(products);
    return status;
}

/* Similarities become weights that sum to the share. */
static void weigh_near(const fitted *f, f0t_best *near)
{
    for (size_t i = 0; i < near->rows; i++) {
        float *weights = near->value + i * near->k;
        const float most = near->count[i] ? weights[0] : 0;
        double sum = 0;
        for (size_t j = 0; j < near->count[i]; j++) {
            weights[j] = (float)exp((double)(weights[j] - most) / f->temperature);
            sum += (double)weights[j];
        }
        for (size_t j = 0; j < near->count[i]; j++)
            weights[j] = (float)(f->share * (double)weights[j] / sum);
    }
}

/* One round: next = α P scores + (1 − α) direct. */
static void propagate(float *next, const float *scores, const float *direct, const f0t_best *near,
                      double share, size_t tags)
{
    for (size_t i = 0; i < near->rows; i++)
        for (size_t t = 0; t < tags; t++) {
            double sum = (near->count[i] ? 1 - share : 1) * (double)direct[i * tags + t];
            for (size_t j = 0; j < near->count[i]; j++)
                sum += (double)near->value[i * near->k + j] *
                       (double)scores[near->index[i * near->k + j] * tags + t];
            next[i * tags + t] = (float)sum;
        }
}

static f0t_status agree(float *scores, const fitted *f, room *r, size_t images, size_t tags)
{
    const size_t size = images * tags;
    F0T_TRY(find_near(f, r, images));
    weigh_near(f, r->near);
    F0T_TRY(f0t_alloc(&r->next, 2 * size, sizeof *r->next));
    float *direct = r->next + size;
    memcpy(direct, scores, size * sizeof *scores);
    for (int round = 0; round < ROUNDS; round++) {
        propagate(r->next, scores, direct, r->near, f->share, tags);
        memcpy(scores, r->next, size * sizeof *scores);
    }
    return F0T_OK;
}

static f0t_status score(float *scores, const void *memory, const f0t_task *task,
                        const f0t_candidates *tags, const f0t_queries *queries)
{
    const fitted *f = memory;
    room r = {0};
    f0t_status status = score_direct(scores, f, &r, task, tags, queries);
    if (status == F0T_OK && f->neighbours)
        status = agree(scores, f, &r, queries->count, tags->count);
    room_free(&r);
    return status;
}

#define SOURCE \
    "Fu, Yang, Hospedales, Xiang, Gong: Transductive multi-label zero-shot learning, BMVC 2014"

const f0t_ranker f0t_ranker_fu2015_direct = {
    .name = "fu2015-direct",
    .title = "Fu-style (direct)",
    .source = SOURCE,
    .most_tags = F0T_COMBINED_TAGS,
    .knobs = KNOB_LIST,
    .knob_count = DIRECT_KNOBS,
    .prepare = prepare,
    .release = release,
    .fit = fit_direct,
    .free = discard,
    .score = score,
};

const f0t_ranker f0t_ranker_fu2015 = {
    .name = "fu2015",
    .title = "Fu-style (transductive)",
    .source = SOURCE,
    .whole = true,
    .most_tags = F0T_COMBINED_TAGS,
    .knobs = KNOB_LIST,
    .knob_count = KNOBS,
    .prepare = prepare,
    .release = release,
    .fit = fit_transductive,
    .free = discard,
    .score = score,
};
