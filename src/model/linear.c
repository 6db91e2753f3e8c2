#include "model/linear.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "base/size.h"
#include "math/gram.h"
#include "math/matmul.h"
#include "math/solve.h"
#include "rank/ranksvm.h"

#include <math.h>
#include <string.h>

enum { BLOCK_ROWS = 2048 };

/* Decades, as in Figure 2 of the paper; where nothing can choose, λ is 1, the paper's default. */
static const double LAMBDAS[] = {0.01, 0.1, 1, 10, 100, 1000};
static const double RIDGES[] = {0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30};
static const double DEFAULT_LAMBDA = 1, DEFAULT_RIDGE = 1;

/* A fit in work: L values of λ side by side. */
typedef struct fit {
    const f0t_train_data *data;
    const f0t_train_options *options;
    const f0t_monitor *monitor;
    const double *lambdas, *ridges;
    size_t lambda_count, ridge_count;
    f0t_rules *rules;
    float *directions; /* [L x rules x d] */
    double *moments;   /* [D x D] Σ x xᵀ, the lower triangle */
    float *crossed;    /* [L d x D] Σ w xᵀ */
    float *features;   /* [rows x D] */
    float *targets;    /* [rows x L d] */
    double *system;    /* [D x D] */
    double *solved;    /* [L d x D] */
    float *map;        /* [d x D] */
    f0t_net **nets;    /* [L] */
} fit;

/* ---- Memory -------------------------------------------------------------------------------- */

static f0t_status create_nets(fit *f, const f0t_net_shape *shape)
{
    F0T_TRY(f0t_alloc_zero(&f->nets, f->lambda_count, sizeof *f->nets));
    for (size_t l = 0; l < f->lambda_count; l++)
        F0T_TRY(f0t_net_create(&f->nets[l], shape, F0T_F32));
    return F0T_OK;
}

static f0t_status allocate(fit *f)
{
    size_t D = f->data->condition->dim, wide = f->lambda_count * f->data->dim;
    size_t rules;
    if (!f0t_size_mul(&rules, f->rules->count, wide))
        return f0t_fail(F0T_ERROR_MEMORY, "%zu rules are too many", f->rules->count);
    F0T_TRY(f0t_alloc(&f->directions, rules, sizeof *f->directions));
    F0T_TRY(f0t_alloc_zero(&f->moments, D * D, sizeof *f->moments));
    F0T_TRY(f0t_alloc_zero(&f->crossed, wide * D, sizeof *f->crossed));
    F0T_TRY(f0t_alloc(&f->features, BLOCK_ROWS * D, sizeof *f->features));
    return f0t_alloc(&f->targets, BLOCK_ROWS * wide, sizeof *f->targets);
}

/* What the pass needed is gone before the systems are solved. */
static f0t_status allocate_systems(fit *f, const f0t_net_shape *shape)
{
    size_t D = f->data->condition->dim, wide = f->lambda_count * f->data->dim;
    f0t_free(f->features);
    f0t_free(f->targets);
    f0t_free(f->directions);
    f->features = f->targets = f->directions = NULL;
    F0T_TRY(f0t_alloc(&f->system, D * D, sizeof *f->system));
    F0T_TRY(f0t_alloc(&f->solved, wide * D, sizeof *f->solved));
    F0T_TRY(f0t_alloc(&f->map, f->data->dim * D, sizeof *f->map));
    return create_nets(f, shape);
}

static void release(fit *f)
{
    for (size_t l = 0; f->nets && l < f->lambda_count; l++)
        f0t_net_free(f->nets[l]);
    f0t_free(f->nets);
    f0t_rules_free(f->rules);
    f0t_free(f->directions);
    f0t_free(f->moments);
    f0t_free(f->crossed);
    f0t_free(f->features);
    f0t_free(f->targets);
    f0t_free(f->system);
    f0t_free(f->solved);
    f0t_free(f->map);
}

/* ---- Directions, and the pass over the features ---------------------------------------------- */

static f0t_status solve_rules(fit *f)
{
    f0t_ranksvm *svm;
    f0t_ranksvm_options options = {.hinge = f->options->hinge};
    F0T_TRY(f0t_ranksvm_create(&svm, f->data->tags, f->data->train->tags, f->data->dim));
    f0t_status status = f0t_ranksvm_solve(svm, f->rules, f->lambdas, f->lambda_count, &options,
                                          f->directions, NULL, f->monitor);
    f0t_ranksvm_free(svm);
    return status;
}

static f0t_status make_rules(fit *f)
{
    const f0t_samples *train = f->data->train;
    f0t_tag_sets sets = {.offsets = train->offsets,
                         .indices = train->relevant,
                         .images = train->count,
                         .tags = train->tags};
    return f0t_rules_create(&f->rules, &sets, NULL, train->tags);
}

/* targets[r] = the directions of sample first + r for each λ, one behind the other. */
static void gather_targets(fit *f, size_t first, size_t rows)
{
    size_t d = f->data->dim, wide = f->lambda_count * d, rules = f->rules->count;
    for (size_t r = 0; r < rows; r++)
        for (size_t l = 0; l < f->lambda_count; l++) {
            size_t rule = f->rules->of_image[first + r];
            memcpy(f->targets + r * wide + l * d, f->directions + (l * rules + rule) * d,
                   d * sizeof *f->targets);
        }
}

static f0t_status add_block(fit *f, size_t first, size_t rows)
{
    size_t D = f->data->condition->dim, wide = f->lambda_count * f->data->dim;
    f0t_matmul crossed = {.m = wide, .n = D, .k = rows, .a_transposed = true, .accumulate = true};
    F0T_TRY(f0t_condition_gather(f->data->condition, f->features, f->data->dataset,
                                 f->data->train->images + first, rows));
    gather_targets(f, first, rows);
    F0T_TRY(f0t_gram_add(f->moments, f->features, rows, D));
    return f0t_matmul_run(f->crossed, f->targets, f->features, NULL, &crossed);
}

static f0t_status pass_over_features(fit *f)
{
    size_t count = f->data->train->count;
    f0t_stage stage = f0t_stage_begin(f->monitor, "reading the features", "images", count);
    for (size_t first = 0; first < count; first += BLOCK_ROWS) {
        F0T_TRY(f0t_stage_update(&stage, first));
        F0T_TRY(add_block(f, first, count - first < BLOCK_ROWS ? count - first : BLOCK_ROWS));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

/* ---- A, and the choice among several --------------------------------------------------------- */

/* The map of λ number l, from the solved system into its net. */
static f0t_status set_map(const fit *f, f0t_net *net, size_t l)
{
    size_t size = f->data->dim * f->data->condition->dim;
    for (size_t i = 0; i < size; i++)
        f->map[i] = (float)f->solved[l * size + i];
    return f0t_net_array_set(net, 0, f->map);
}

/* The nets of all λ for this ridge. */
static f0t_status solve_ridge(fit *f, double ridge)
{
    size_t D = f->data->condition->dim, wide = f->lambda_count * f->data->dim;
    double trace = 0;
    for (size_t j = 0; j < D; j++)
        trace += f->moments[j * D + j];
    memcpy(f->system, f->moments, D * D * sizeof *f->system);
    for (size_t i = 0; i < wide * D; i++)
        f->solved[i] = (double)f->crossed[i];
    for (size_t j = 0; j < D; j++)
        f->system[j * D + j] += ridge * trace / (double)D;
    F0T_TRY(f0t_cholesky_solve_f64(f->system, D, f->solved, wide));
    for (size_t l = 0; l < f->lambda_count; l++)
        F0T_TRY(set_map(f, f->nets[l], l));
    return F0T_OK;
}

static f0t_status try_ridge(fit *f, f0t_net *net, f0t_linear_choice *choice, double ridge)
{
    double miap[sizeof LAMBDAS / sizeof *LAMBDAS];
    F0T_TRY(solve_ridge(f, ridge));
    F0T_TRY(f0t_validate(miap, (const f0t_net *const *)f->nets, f->lambda_count, f->data));
    for (size_t l = 0; l < f->lambda_count; l++) {
        if (!isnan(choice->miap) && !(miap[l] > choice->miap))
            continue;
        *choice = (f0t_linear_choice){f->lambdas[l], ridge, miap[l]};
        F0T_TRY(set_map(f, net, l));
    }
    return F0T_OK;
}

static f0t_status choose(fit *f, f0t_net *net, f0t_linear_choice *choice)
{
    f0t_stage stage = f0t_stage_begin(f->monitor, "choosing the ridge", "values", f->ridge_count);
    *choice = (f0t_linear_choice){.miap = (double)NAN};
    for (size_t i = 0; i < f->ridge_count; i++) {
        F0T_TRY(f0t_stage_update(&stage, i));
        F0T_TRY(try_ridge(f, net, choice, f->ridges[i]));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

/* A value that is given is the grid; nothing can choose without validation images. */
static void set_grid(const double **values, size_t *count, const double *given,
                     const double *fallback, bool can_choose)
{
    if (*given > 0 || !can_choose) {
        *values = *given > 0 ? given : fallback;
        *count = 1;
    }
}

static f0t_status run(fit *f, f0t_net *net, f0t_linear_choice *choice)
{
    F0T_TRY(make_rules(f));
    F0T_TRY(allocate(f));
    F0T_TRY(solve_rules(f));
    F0T_TRY(pass_over_features(f));
    F0T_TRY(allocate_systems(f, f0t_net_get_shape(net)));
    return choose(f, net, choice);
}

f0t_status f0t_linear_fit(f0t_net *net, f0t_linear_choice *choice, const f0t_train_data *data,
                          const f0t_train_options *options, const f0t_monitor *monitor)
{
    fit f = {.data = data,
             .options = options,
             .monitor = monitor,
             .lambdas = LAMBDAS,
             .lambda_count = sizeof LAMBDAS / sizeof *LAMBDAS,
             .ridges = RIDGES,
             .ridge_count = sizeof RIDGES / sizeof *RIDGES};
    bool can_choose = data->val->count > 0;
    set_grid(&f.lambdas, &f.lambda_count, &options->lambda, &DEFAULT_LAMBDA, can_choose);
    set_grid(&f.ridges, &f.ridge_count, &options->ridge, &DEFAULT_RIDGE, can_choose);
    f0t_status status = run(&f, net, choice);
    release(&f);
    return status;
}
