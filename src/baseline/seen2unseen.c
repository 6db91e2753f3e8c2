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

static f0t_status rank(float *scores, float *lists, float *directions, const fitted *f,
                       const f0t_task *task, const f0t_candidates *tags, const f0t_queries *queries)
{
    F0T_TRY(f0t_tagprop_predict(lists, f->tagprop, task, queries));
    F0T_TRY(f0t_ranklist_solve(directions, NULL, f->svm, lists, queries->count, f->lambda, 0,
                               task->monitor));
    return f0t_score_once(scores, directions, queries->count, tags->vectors, tags->count, task->dim,
                          true);
}

static f0t_status score(float *scores, const void *memory, const f0t_task *task,
                        const f0t_candidates *tags, const f0t_queries *queries)
{
    float *lists = NULL, *directions = NULL;
    f0t_status status = f0t_alloc(&lists, queries->count * task->tags, sizeof *lists);
    if (status == F0T_OK)
        status = f0t_alloc(&directions, queries->count * task->dim, sizeof *directions);
    if (status == F0T_OK)
        status = rank(scores, lists, directions, memory, task, tags, queries);
    f0t_free(lists);
    f0t_free(directions);
    return status;
}

const f0t_ranker f0t_ranker_seen2unseen = {
    .name = "seen2unseen",
    .title = "Seen2Unseen",
    .source = "Zhang, Gong, Shah: Fast Zero-Shot Image Tagging, CVPR 2016",
    .knobs = KNOB_LIST,
    .knob_count = KNOBS,
    .prepare = prepare,
    .release = release,
    .fit = fit,
    .free = discard,
    .score = score,
};
