/*
 * Seen2Unseen: a method that ranks the training tags of an image is extended to any tag. TagProp
 * ranks them; a ranking SVM in word space learns the whole list, every tag before every later one
 * (rank/ranklist.h), and its direction ranks all tags.
 *
 * Source: Zhang, Gong, Shah, "Fast Zero-Shot Image Tagging", CVPR 2016, section 5.3.
 *
 * Choices: the squared hinge. Tags that TagProp cannot tell apart, those that no neighbour has when
 * there are no sigmoids, are equal: they make no pair. λ, the number of neighbours and whether
 * sigmoids is tuned; the weights are by distance.
 *
 * seen2unseen:NAME extends another method, which learns with its own defaults; λ is tuned.
 */
#include "base/alloc.h"
#include "baseline/ranker.h"
#include "baseline/scorer.h"
#include "baseline/tagprop.h"
#include "compute/scoring.h"
#include "rank/ranklist.h"

#include <string.h>

static const double LAMBDAS[] = {0.1, 1, 10, 100, 300, 1000, 1e4, 1e5};
static const double NEIGHBOURS[] = {20, 50, 100, 200, F0T_TAGPROP_MOST};
static const double SWITCH[] = {0, 1};
enum { LAMBDA, K, MODULATED, KNOBS };

static const f0t_knob KNOB_LIST[KNOBS] = {
    {"lambda", LAMBDAS, sizeof LAMBDAS / sizeof *LAMBDAS, 3},
    {"neighbours", NEIGHBOURS, sizeof NEIGHBOURS / sizeof *NEIGHBOURS, 2},
    {"sigmoid", SWITCH, 2, 0},
};

typedef struct fitted {
    f0t_tagprop *tagprop;
    f0t_ranksvm *svm;
    double lambda;
} fitted;

/* What trials share: the last TagProp, whose lists many λ may be tried on. */
typedef struct halfway {
    f0t_neighbours *neighbours;
    f0t_tagprop *tagprop;
    double k, modulated; /* that it was learned with */
} halfway;

static f0t_status prepare(void **shared, const f0t_task *task)
{
    halfway *h = NULL;
    F0T_TRY(f0t_alloc_zero(&h, 1, sizeof *h));
    f0t_status status = f0t_neighbours_create(&h->neighbours, task, F0T_TAGPROP_MOST);
    if (status != F0T_OK)
        f0t_free(h);
    else
        *shared = h;
    return status;
}

static void release(void *shared)
{
    halfway *h = shared;
    f0t_tagprop_free(h->tagprop);
    f0t_neighbours_free(h->neighbours);
    f0t_free(h);
}

static f0t_status need_tagprop(f0t_tagprop **out, halfway *h, const f0t_task *task,
                               const double *knobs)
{
    const f0t_tagprop_options options = {
        .k = (size_t)knobs[K], .by_distance = true, .modulated = knobs[MODULATED] > 0};
    if (!h->tagprop || h->k != knobs[K] || h->modulated != knobs[MODULATED]) {
        f0t_tagprop_free(h->tagprop);
        F0T_TRY(f0t_tagprop_create(&h->tagprop, task, h->neighbours, &options));
        memset(h->tagprop->model->prior, 0, task->tags * sizeof *h->tagprop->model->prior);
        h->k = knobs[K];
        h->modulated = knobs[MODULATED];
    }
    h->tagprop->users++;
    *out = h->tagprop;
    return F0T_OK;
}

static void discard(void *memory)
{
    fitted *f = memory;
    if (!f)
        return;
    f0t_tagprop_free(f->tagprop);
    f0t_ranksvm_free(f->svm);
    f0t_free(f);
}

static f0t_status make(fitted *f, const f0t_task *task, halfway *shared, const double *knobs)
{
    f->lambda = knobs[LAMBDA];
    F0T_TRY(need_tagprop(&f->tagprop, shared, task, knobs));
    return f0t_ranksvm_create(&f->svm, task->vectors, task->tags, task->dim);
}

static f0t_status fit(void **out, const f0t_task *task, void *shared, const double *knobs)
{
    fitted *f = NULL;
    F0T_TRY(f0t_alloc_zero(&f, 1, sizeof *f));
    f0t_status status = make(f, task, shared, knobs);
    if (status != F0T_OK) {
        discard(f);
        return status;
    }
    *out = f;
    return F0T_OK;
}

/* Ranks all tags along the directions of lists[images x training tags]. */
static f0t_status rank_along(float *scores, const float *lists, const f0t_ranksvm *svm,
                             double lambda, const f0t_task *task, const f0t_candidates *tags,
                             const f0t_queries *queries)
{
    float *directions;
    F0T_TRY(f0t_alloc(&directions, queries->count * task->dim, sizeof *directions));
    f0t_status status =
        f0t_ranklist_solve(directions, NULL, svm, lists, queries->count, lambda, 0, task->monitor);
    if (status == F0T_OK)
        status = f0t_score_once(scores, directions, queries->count, tags->vectors, tags->count,
                                task->dim, true);
    f0t_free(directions);
    return status;
}

static f0t_status score(float *scores, const void *memory, const f0t_task *task,
                        const f0t_candidates *tags, const f0t_queries *queries)
{
    const fitted *f = memory;
    float *lists;
    F0T_TRY(f0t_alloc(&lists, queries->count * task->tags, sizeof *lists));
    f0t_status status = f0t_tagprop_predict(lists, f->tagprop, task, queries);
    if (status == F0T_OK)
        status = rank_along(scores, lists, f->svm, f->lambda, task, tags, queries);
    f0t_free(lists);
    return status;
}

/* The ranking SVMs of the validation images, as measured, and a share of what is learned before them, once for some settings. */
static double cost_over(const f0t_task *task, const f0t_ranker *first)
{
    enum { SETTINGS = 16 };
    double knobs[F0T_KNOBS_MAX] = {0};
    for (size_t i = 0; i < first->knob_count; i++)
        knobs[i] = first->knobs[i].values[first->knobs[i].first];
    return 800 * (double)task->val.count * (double)task->tags * (double)task->dim +
           (first->cost ? first->cost(task, knobs) / SETTINGS : 0);
}

static double cost(const f0t_task *task, const double *knobs)
{
    (void)knobs;
    return cost_over(task, &f0t_ranker_tagprop);
}

const f0t_ranker f0t_ranker_seen2unseen = {
    .name = "seen2unseen",
    .title = "Seen2Unseen",
    .source = "Zhang, Gong, Shah: Fast Zero-Shot Image Tagging, CVPR 2016",
    .knobs = KNOB_LIST,
    .knob_count = KNOBS,
    .prepare = prepare,
    .release = release,
    .cost = cost,
    .fit = fit,
    .free = discard,
    .score = score,
};

/* ---- Over any method ----------------------------------------------------------------------------- */

/* A method that has learned the training tags: one for all λ. */
typedef struct first_stage {
    const f0t_ranker *ranker;
    void *shared, *learned;
    uint32_t *known; /* [training tags] 0, 1, … */
} first_stage;

static void first_stage_free(void *shared)
{
    first_stage *first = shared;
    if (!first)
        return;
    if (first->learned)
        first->ranker->free(first->learned);
    if (first->shared && first->ranker->release)
        first->ranker->release(first->shared);
    f0t_free(first->known);
    f0t_free(first);
}

static f0t_status first_stage_learn(first_stage *first, const f0t_task *task)
{
    const f0t_ranker *ranker = first->ranker;
    double knobs[F0T_KNOBS_MAX] = {0};
    for (size_t i = 0; i < ranker->knob_count; i++)
        knobs[i] = ranker->knobs[i].values[ranker->knobs[i].first];
    F0T_TRY(f0t_alloc(&first->known, task->tags, sizeof *first->known));
    for (size_t t = 0; t < task->tags; t++)
        first->known[t] = (uint32_t)t;
    if (ranker->prepare)
        F0T_TRY(ranker->prepare(&first->shared, task));
    return ranker->fit(&first->learned, task, first->shared, knobs);
}

static f0t_status prepare_over(void **shared, const f0t_task *task, const f0t_ranker *ranker)
{
    first_stage *first;
    F0T_TRY(f0t_alloc_zero(&first, 1, sizeof *first));
    first->ranker = ranker;
    f0t_status status = first_stage_learn(first, task);
    if (status == F0T_OK)
        *shared = first;
    else
        first_stage_free(first);
    return status;
}

/* Borrows the first stage, which lives longer. */
typedef struct extended {
    const first_stage *first;
    f0t_ranksvm *svm;
    double lambda;
} extended;

static void discard_over(void *memory)
{
    extended *e = memory;
    if (!e)
        return;
    f0t_ranksvm_free(e->svm);
    f0t_free(e);
}

static f0t_status fit_over(void **out, const f0t_task *task, void *shared, const double *knobs)
{
    extended *e;
    F0T_TRY(f0t_alloc_zero(&e, 1, sizeof *e));
    e->first = shared;
    e->lambda = knobs[LAMBDA];
    f0t_status status = f0t_ranksvm_create(&e->svm, task->vectors, task->tags, task->dim);
    if (status == F0T_OK)
        *out = e;
    else
        discard_over(e);
    return status;
}

static f0t_status score_over(float *scores, const void *memory, const f0t_task *task,
                             const f0t_candidates *tags, const f0t_queries *queries)
{
    const extended *e = memory;
    const f0t_candidates learned = {
        .count = task->tags, .vectors = task->vectors, .known = e->first->known};
    float *lists;
    F0T_TRY(f0t_alloc(&lists, queries->count * task->tags, sizeof *lists));
    f0t_status status = e->first->ranker->score(lists, e->first->learned, task, &learned, queries);
    if (status == F0T_OK)
        status = rank_along(scores, lists, e->svm, e->lambda, task, tags, queries);
    f0t_free(lists);
    return status;
}

#define OVER(method, short_name)                                                \
    static f0t_status prepare_##method(void **shared, const f0t_task *task)     \
    {                                                                           \
        return prepare_over(shared, task, &f0t_ranker_##method);                \
    }                                                                           \
    static double cost_##method(const f0t_task *task, const double *knobs)      \
    {                                                                           \
        (void)knobs;                                                            \
        return cost_over(task, &f0t_ranker_##method);                           \
    }                                                                           \
    static const f0t_ranker over_##method = {                                   \
        .name = "seen2unseen:" short_name,                                      \
        .title = "Seen2Unseen (" short_name ")",                                \
        .source = "Zhang, Gong, Shah: Fast Zero-Shot Image Tagging, CVPR 2016", \
        .knobs = KNOB_LIST,                                                     \
        .knob_count = 1,                                                        \
        .prepare = prepare_##method,                                            \
        .release = first_stage_free,                                            \
        .cost = cost_##method,                                                  \
        .fit = fit_over,                                                        \
        .free = discard_over,                                                   \
        .score = score_over,                                                    \
    };

OVER(cca, "cca")
OVER(wsabie, "wsabie")
OVER(warp, "warp")
OVER(fasttag, "fasttag")
OVER(labelem, "labelem")
OVER(conse, "conse")
OVER(linear, "linear")
OVER(linear_rank, "linear-rank")
OVER(net, "net")
OVER(blend, "blend")

const f0t_ranker *const f0t_rankers_seen2unseen[] = {
    &over_cca,    &over_wsabie,      &over_warp, &over_fasttag, &over_labelem, &over_conse,
    &over_linear, &over_linear_rank, &over_net,  &over_blend,   NULL,
};
