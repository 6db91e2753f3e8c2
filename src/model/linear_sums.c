#include "model/linear_sums.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "base/size.h"
#include "math/product.h"
#include "math/solve.h"
#include "rank/ranksvm.h"

#include <string.h>

enum { BLOCK_ROWS = 2048 };

/* A running pass: L values of λ side by side. */
typedef struct pass {
    const f0t_train_data *data;
    const f0t_monitor *monitor;
    const double *lambdas;
    size_t lambda_count;
    f0t_hinge hinge;
    f0t_rules *rules;
    float *directions; /* [L x rules x d] */
    double *moments;   /* [D x D], or NULL */
    float *crossed;    /* [L d x D] */
    float *features;   /* [rows x D] */
    float *targets;    /* [rows x L d] */
} pass;

static f0t_status allocate_block(pass *p)
{
    size_t D = p->data->condition->dim, wide = p->lambda_count * p->data->dim;
    F0T_TRY(f0t_alloc(&p->features, BLOCK_ROWS * D, sizeof *p->features));
    return f0t_alloc(&p->targets, BLOCK_ROWS * wide, sizeof *p->targets);
}

static void release(pass *p)
{
    f0t_rules_free(p->rules);
    f0t_free(p->directions);
    f0t_free(p->features);
    f0t_free(p->targets);
}

static f0t_status solve_rules(pass *p)
{
    f0t_ranksvm *svm;
    f0t_ranksvm_options options = {.hinge = p->hinge};
    F0T_TRY(f0t_ranksvm_create(&svm, p->data->tags, p->data->train->tags, p->data->dim));
    f0t_status status = f0t_ranksvm_solve(svm, p->rules, p->lambdas, p->lambda_count, &options,
                                          p->directions, NULL, p->monitor);
    f0t_ranksvm_free(svm);
    return status;
}

static f0t_status make_rules(pass *p)
{
    size_t rules;
    const f0t_samples *train = p->data->train;
    f0t_tag_sets sets = {.offsets = train->offsets,
                         .indices = train->relevant,
                         .images = train->count,
                         .tags = train->tags};
    F0T_TRY(f0t_rules_create(&p->rules, &sets, NULL, train->tags));
    if (!f0t_size_mul(&rules, p->rules->count, p->lambda_count * p->data->dim))
        return f0t_fail(F0T_ERROR_MEMORY, "%zu rules are too many", p->rules->count);
    F0T_TRY(f0t_alloc(&p->directions, rules, sizeof *p->directions));
    return solve_rules(p);
}

/* targets[r] = the directions of sample first + r for each λ, one after the other. */
static void gather_targets(float *targets, const pass *p, size_t first, size_t rows)
{
    size_t d = p->data->dim, wide = p->lambda_count * d, rules = p->rules->count;
    for (size_t r = 0; r < rows; r++)
        for (size_t l = 0; l < p->lambda_count; l++) {
            size_t rule = p->rules->of_image[first + r];
            memcpy(targets + r * wide + l * d, p->directions + (l * rules + rule) * d,
                   d * sizeof *targets);
        }
}

static f0t_status add_block(pass *p, size_t first, size_t rows)
{
    size_t D = p->data->condition->dim, wide = p->lambda_count * p->data->dim;
    F0T_TRY(f0t_condition_gather(p->data->condition, p->features, p->data->dataset,
                                 p->data->train->images + first, rows));
    gather_targets(p->targets, p, first, rows);
    if (p->moments)
        F0T_TRY(f0t_gram_add(p->moments, p->features, rows, D));
    return f0t_cross_add(p->crossed, p->targets, p->features, rows, wide, D);
}

static f0t_status pass_over_features(pass *p)
{
    size_t count = p->data->train->count;
    f0t_stage stage = f0t_stage_begin(p->monitor, "reading the features", "images", count);
    for (size_t first = 0; first < count; first += BLOCK_ROWS) {
        F0T_TRY(f0t_stage_update(&stage, first));
        F0T_TRY(add_block(p, first, count - first < BLOCK_ROWS ? count - first : BLOCK_ROWS));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

static f0t_status run(pass *p)
{
    F0T_TRY(make_rules(p));
    F0T_TRY(allocate_block(p));
    return pass_over_features(p);
}

f0t_status f0t_linear_sums(double *moments, float *crossed, const f0t_train_data *data,
                           const double *lambdas, size_t count, f0t_hinge hinge,
                           const f0t_monitor *monitor)
{
    size_t D = data->condition->dim;
    pass p = {.data = data,
              .monitor = monitor,
              .lambdas = lambdas,
              .lambda_count = count,
              .hinge = hinge,
              .moments = moments,
              .crossed = crossed};
    if (moments)
        memset(moments, 0, D * D * sizeof *moments);
    memset(crossed, 0, count * data->dim * D * sizeof *crossed);
    f0t_status status = run(&p);
    release(&p);
    return status;
}

f0t_status f0t_linear_rows(float *features, float *targets, const f0t_train_data *data,
                           const double *lambdas, size_t count, f0t_hinge hinge,
                           const f0t_monitor *monitor)
{
    const size_t rows = data->train->count;
    pass p = {.data = data,
              .monitor = monitor,
              .lambdas = lambdas,
              .lambda_count = count,
              .hinge = hinge};
    f0t_status status = make_rules(&p);
    if (status == F0T_OK)
        status = f0t_condition_gather(data->condition, features, data->dataset, data->train->images,
                                      rows);
    if (status == F0T_OK)
        gather_targets(targets, &p, 0, rows);
    release(&p);
    return status;
}

f0t_status f0t_linear_solve(double *maps, const double *moments, const float *crossed, size_t rows,
                            size_t features, double ridge)
{
    size_t D = features;
    double *system, trace = 0;
    F0T_TRY(f0t_alloc(&system, D * D, sizeof *system));
    memcpy(system, moments, D * D * sizeof *system);
    for (size_t i = 0; i < rows * D; i++)
        maps[i] = (double)crossed[i];
    for (size_t j = 0; j < D; j++)
        trace += moments[j * D + j];
    for (size_t j = 0; j < D; j++)
        system[j * D + j] += ridge * trace / (double)D;
    f0t_status status = f0t_cholesky_solve_f64(system, D, maps, rows, NULL);
    f0t_free(system);
    if (status == F0T_ERROR_NUMERIC)
        return f0t_fail(status,
                        "with a ridge of %g the least squares have no solution, because the "
                        "features depend on each other: take a larger one, 0.01 say",
                        ridge);
    return status;
}
