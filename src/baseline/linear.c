/*
 * linear, the paper's closed form (section 4.2): f(x) = A x by least squares from the directions of
 * ranking SVMs (squared hinge, that of the primal solver it cites). λ and the ridge are knobs:
 * trials share Σ x xᵀ, and those of the same λ Σ w xᵀ, so that one costs a factorisation.
 */
#include "model/linear.h"
#include "base/alloc.h"
#include "baseline/ranker.h"
#include "baseline/scorer.h"

/* Values of λ that are kept. */
enum { KEPT = F0T_LINEAR_LAMBDAS };

/* What trials share. All is made when it is first needed. */
typedef struct shared_sums {
    f0t_samples train; /* those that make a pair */
    double *moments;   /* [D x D] */
    struct {
        double lambda;
        float *crossed; /* [d x D], or NULL */
    } kept[KEPT];
    size_t next; /* place of the next λ */
} shared_sums;

static void release(void *shared)
{
    shared_sums *s = shared;
    if (!s)
        return;
    f0t_samples_free(&s->train);
    f0t_free(s->moments);
    for (size_t i = 0; i < KEPT; i++)
        f0t_free(s->kept[i].crossed);
    f0t_free(s);
}

static f0t_status prepare(void **shared, const f0t_task *task)
{
    shared_sums *s;
    *shared = NULL;
    F0T_TRY(f0t_alloc_zero(&s, 1, sizeof *s));
    f0t_status status = f0t_samples_pick(&s->train, &task->train, false);
    if (status == F0T_OK)
        *shared = s;
    else
        release(s);
    return status;
}

static f0t_train_data data_of(const shared_sums *s, const f0t_task *task)
{
    return (f0t_train_data){.dataset = task->dataset,
                            .condition = task->unit,
                            .train = &s->train,
                            .val = &task->val,
                            .tags = task->vectors,
                            .dim = task->dim};
}

static f0t_status make_sums(shared_sums *s, float *crossed, const f0t_task *task, double lambda)
{
    size_t D = f0t_task_features(task);
    double *moments = NULL;
    const f0t_train_data data = data_of(s, task);
    if (!s->moments)
        F0T_TRY(f0t_alloc(&moments, D * D, sizeof *moments));
    f0t_status status =
        f0t_linear_sums(moments, crossed, &data, &lambda, 1, F0T_HINGE_SQUARED, task->monitor);
    if (status != F0T_OK)
        f0t_free(moments);
    else if (moments)
        s->moments = moments;
    return status;
}

/* Σ w xᵀ of this λ, borrowed. */
static f0t_status find_crossed(const float **out, shared_sums *s, const f0t_task *task,
                               double lambda)
{
    float *crossed;
    for (size_t i = 0; i < KEPT; i++)
        if (s->kept[i].crossed && s->kept[i].lambda == lambda) {
            *out = s->kept[i].crossed;
            return F0T_OK;
        }
    F0T_TRY(f0t_alloc(&crossed, task->dim * f0t_task_features(task), sizeof *crossed));
    f0t_status status = make_sums(s, crossed, task, lambda);
    if (status != F0T_OK) {
        f0t_free(crossed);
        return status;
    }
    f0t_free(s->kept[s->next].crossed);
    s->kept[s->next].lambda = lambda;
    *out = s->kept[s->next].crossed = crossed;
    s->next = (s->next + 1) % KEPT;
    return F0T_OK;
}

static f0t_status set_map(f0t_scorer *scorer, const f0t_task *task, const double *map)
{
    size_t D = f0t_task_features(task), size = task->dim * D;
    f0t_net_shape shape = {.inputs = D, .outputs = task->dim};
    float *rounded;
    F0T_TRY(f0t_condition_create(&scorer->condition, F0T_CONDITION_UNIT, task->dataset,
                                 &task->train, task->monitor));
    F0T_TRY(f0t_net_create(&scorer->net, f0t_compute_current(), &shape, F0T_F32));
    F0T_TRY(f0t_alloc(&rounded, size, sizeof *rounded));
    for (size_t i = 0; i < size; i++)
        rounded[i] = (float)map[i];
    f0t_status status = f0t_net_array_set(scorer->net, 0, rounded);
    f0t_free(rounded);
    return status;
}

static f0t_status solve(f0t_scorer *scorer, const f0t_task *task, shared_sums *s,
                        const double *knobs)
{
    size_t D = f0t_task_features(task);
    const float *crossed;
    double *map;
    F0T_TRY(find_crossed(&crossed, s, task, knobs[0]));
    F0T_TRY(f0t_alloc(&map, task->dim * D, sizeof *map));
    f0t_status status = f0t_linear_solve(map, s->moments, crossed, task->dim, D, knobs[1]);
    if (status == F0T_OK)
        status = set_map(scorer, task, map);
    f0t_free(map);
    return status;
}

static f0t_status fit(void **fitted, const f0t_task *task, void *shared, const double *knobs)
{
    f0t_scorer *scorer;
    *fitted = NULL;
    F0T_TRY(f0t_alloc_zero(&scorer, 1, sizeof *scorer));
    f0t_status status = solve(scorer, task, shared, knobs);
    if (status == F0T_OK)
        *fitted = scorer;
    else
        f0t_scorer_free(scorer);
    return status;
}

static f0t_status choose(double *knobs, const f0t_task *task, void *shared)
{
    const f0t_train_data data = data_of(shared, task);
    const f0t_net_shape shape = {.inputs = f0t_task_features(task), .outputs = task->dim};
    f0t_linear_choice choice;
    f0t_train_options options = F0T_TRAIN_OPTIONS;
    f0t_net *net;
    options.method = F0T_METHOD_LINEAR;
    F0T_TRY(f0t_net_create(&net, f0t_compute_current(), &shape, F0T_F32));
    f0t_status status = f0t_linear_fit(&choice, net, &data, &options, task->monitor);
    f0t_net_free(net);
    if (status == F0T_OK) {
        knobs[0] = choice.lambda;
        knobs[1] = choice.ridge;
    }
    return status;
}

static const f0t_knob KNOBS[] = {
    {"lambda", f0t_linear_lambdas, F0T_LINEAR_LAMBDAS, F0T_LINEAR_LAMBDA},
    {"ridge", f0t_linear_ridges, F0T_LINEAR_RIDGES, F0T_LINEAR_RIDGE}};

/* Ranking SVMs, Σ w xᵀ, a factorisation; also where trials share some of it. As measured with 226 and 45 tags. */
static double cost(const f0t_task *task, const double *knobs)
{
    const double images = (double)task->train.count, D = (double)f0t_task_features(task),
                 d = (double)task->dim;
    (void)knobs;
    return 250 * images * (double)task->tags * d + 2 * images * D * d + D * D * D;
}

const f0t_ranker f0t_ranker_linear = {
    .name = "linear",
    .title = "Fast0Tag (lin.)",
    .source = "Zhang, Gong, Shah: Fast zero-shot image tagging, CVPR 2016",
    .divided = true,
    .knobs = KNOBS,
    .knob_count = sizeof KNOBS / sizeof *KNOBS,
    .prepare = prepare,
    .release = release,
    .choose = choose,
    .cost = cost,
    .fit = fit,
    .free = f0t_scorer_free,
    .score = f0t_scorer_along};
