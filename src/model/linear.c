#include "model/linear.h"

#include "base/alloc.h"
#include "base/group.h"
#include "base/monitor.h"
#include "math/matmul.h"
#include "math/product.h"
#include "math/solve.h"
#include "rank/ranksvm.h"

#include <math.h>
#include <string.h>

const double f0t_linear_lambdas[] = {0.01, 0.1, 1, 10, 100, 1000};
const double f0t_linear_ridges[] = {0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30};

/* ---- Sums over the training samples ---------------------------------------------------------- */

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

static void release_pass(pass *p)
{
    f0t_rules_free(p->rules);
    f0t_free(p->directions);
    f0t_free(p->features);
    f0t_free(p->targets);
}

/* Rules [first, first + count) of them all, borrowed. */
static f0t_rules some_rules(const f0t_rules *all, size_t first, size_t count)
{
    f0t_rules some = *all;
    some.count = count;
    some.offsets += first;
    some.firsts += first;
    return some;
}

/* Adds up floats over the processes, of which each has set some and left the others 0. */
static f0t_status total_floats(const f0t_group *group, float *x, size_t n)
{
    enum { MOST = 1 << 20 };
    double *sums;
    F0T_TRY(f0t_alloc(&sums, n < MOST ? n : MOST, sizeof *sums));
    f0t_status status = F0T_OK;
    for (size_t first = 0, some; first < n && status == F0T_OK; first += some) {
        some = n - first < MOST ? n - first : MOST;
        for (size_t i = 0; i < some; i++)
            sums[i] = (double)x[first + i];
        status = f0t_group_total(group, sums, some);
        for (size_t i = 0; i < some; i++)
            x[first + i] = (float)sums[i];
    }
    f0t_free(sums);
    return status;
}

/* A part of the rules, and the directions of the others' parts from them. */
static f0t_status solve_part(const pass *p, const f0t_ranksvm *svm, const f0t_group *group)
{
    const f0t_ranksvm_options options = {.hinge = p->hinge};
    const size_t d = p->data->dim, all = p->rules->count;
    const size_t first = f0t_group_part(all, group->rank, group->size);
    const size_t count = f0t_group_part(all, group->rank + 1, group->size) - first;
    const f0t_rules own = some_rules(p->rules, first, count);
    float *solved;
    F0T_TRY(f0t_alloc(&solved, p->lambda_count * count * d, sizeof *solved));
    f0t_status status = f0t_ranksvm_solve(solved, NULL, svm, &own, p->lambdas, p->lambda_count,
                                          &options, p->monitor);
    memset(p->directions, 0, p->lambda_count * all * d * sizeof *p->directions);
    for (size_t l = 0; l < p->lambda_count && status == F0T_OK; l++)
        memcpy(p->directions + (l * all + first) * d, solved + l * count * d,
               count * d * sizeof *solved);
    f0t_free(solved);
    return status == F0T_OK ? total_floats(group, p->directions, p->lambda_count * all * d)
                            : status;
}

static f0t_status solve_rules(pass *p)
{
    f0t_ranksvm *svm;
    const f0t_ranksvm_options options = {.hinge = p->hinge};
    const f0t_group *group = f0t_group_current();
    F0T_TRY(f0t_ranksvm_create(&svm, p->data->tags, p->data->train->tags, p->data->dim));
    f0t_status status = group->size > 1
                            ? solve_part(p, svm, group)
                            : f0t_ranksvm_solve(p->directions, NULL, svm, p->rules, p->lambdas,
                                                p->lambda_count, &options, p->monitor);
    f0t_ranksvm_free(svm);
    return status;
}

static f0t_status make_rules(pass *p)
{
    const f0t_samples *train = p->data->train;
    f0t_tag_sets sets = {.offsets = train->offsets,
                         .indices = train->relevant,
                         .images = train->count,
                         .tags = train->tags};
    F0T_TRY(f0t_rules_create(&p->rules, &sets, NULL, train->tags));
    F0T_TRY(f0t_alloc(&p->directions, p->rules->count,
                      p->lambda_count * p->data->dim * sizeof *p->directions));
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
    F0T_TRY(f0t_condition_gather(p->features, p->data->condition, p->data->dataset,
                                 p->data->train->images + first, rows));
    gather_targets(p->targets, p, first, rows);
    if (p->moments)
        F0T_TRY(f0t_gram_add(p->moments, p->features, rows, D));
    return f0t_cross_add(p->crossed, p->targets, p->features, rows, wide, D);
}

/* Each process reads a part of the images, and has the sums over all. */
static f0t_status pass_over_features(pass *p)
{
    const f0t_group *group = f0t_group_current();
    const size_t count = p->data->train->count, D = p->data->condition->dim;
    const size_t begin = f0t_group_part(count, group->rank, group->size);
    const size_t end = f0t_group_part(count, group->rank + 1, group->size);
    f0t_stage stage = f0t_stage_begin(p->monitor, "reading the features", "images", count);
    for (size_t first = begin; first < end; first += BLOCK_ROWS) {
        F0T_TRY(f0t_stage_update(&stage, (first - begin) * group->size));
        F0T_TRY(add_block(p, first, end - first < BLOCK_ROWS ? end - first : BLOCK_ROWS));
    }
    if (group->size > 1 && p->moments)
        F0T_TRY(f0t_group_total(group, p->moments, D * D));
    if (group->size > 1)
        F0T_TRY(total_floats(group, p->crossed, p->lambda_count * p->data->dim * D));
    f0t_stage_end(&stage);
    return F0T_OK;
}

static f0t_status run_pass(pass *p)
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
    f0t_status status = run_pass(&p);
    release_pass(&p);
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
        status = f0t_condition_gather(features, data->condition, data->dataset, data->train->images,
                                      rows);
    if (status == F0T_OK)
        gather_targets(targets, &p, 0, rows);
    release_pass(&p);
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

/* ---- Few images ------------------------------------------------------------------------------ */

struct f0t_linear_few {
    size_t images, features, wide; /* N, D, count d */
    float *rows;                   /* X[N x D] */
    float *targets;                /* Wᵀ[N x wide] */
    double *kernel;                /* K[N x N], the lower triangle */
};

bool f0t_linear_is_few(const f0t_train_data *data)
{
    return data->train->count <= data->condition->dim / 2;
}

static f0t_status allocate_few(f0t_linear_few *few)
{
    const size_t N = few->images;
    F0T_TRY(f0t_alloc(&few->rows, N * few->features, sizeof *few->rows));
    F0T_TRY(f0t_alloc(&few->targets, N * few->wide, sizeof *few->targets));
    return f0t_alloc_zero(&few->kernel, N * N, sizeof *few->kernel);
}

/* f0t_gram_add sums over rows: those of Xᵀ. */
static f0t_status make_kernel(f0t_linear_few *few)
{
    const size_t N = few->images, D = few->features;
    float *columns;
    F0T_TRY(f0t_alloc(&columns, D * N, sizeof *columns));
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < D; j++)
            columns[j * N + i] = few->rows[i * D + j];
    f0t_status status = f0t_gram_add(few->kernel, columns, D, N);
    f0t_free(columns);
    return status;
}

f0t_status f0t_linear_few_create(f0t_linear_few **out, const f0t_train_data *data,
                                 const double *lambdas, size_t count, f0t_hinge hinge,
                                 const f0t_monitor *monitor)
{
    f0t_linear_few *few;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&few, 1, sizeof *few));
    few->images = data->train->count;
    few->features = data->condition->dim;
    few->wide = count * data->dim;
    f0t_status status = allocate_few(few);
    if (status == F0T_OK)
        status = f0t_linear_rows(few->rows, few->targets, data, lambdas, count, hinge, monitor);
    if (status == F0T_OK)
        status = make_kernel(few);
    if (status == F0T_OK)
        *out = few;
    else
        f0t_linear_few_free(few);
    return status;
}

void f0t_linear_few_free(f0t_linear_few *few)
{
    if (!few)
        return;
    f0t_free(few->rows);
    f0t_free(few->targets);
    f0t_free(few->kernel);
    f0t_free(few);
}

/* shares[wide x N] = W (K + r I)⁻¹ */
static f0t_status find_shares(double *shares, const f0t_linear_few *few, double ridge)
{
    const size_t N = few->images;
    double *system, trace = 0;
    F0T_TRY(f0t_alloc(&system, N * N, sizeof *system));
    memcpy(system, few->kernel, N * N * sizeof *system);
    for (size_t i = 0; i < N; i++)
        trace += few->kernel[i * N + i];
    for (size_t i = 0; i < N; i++)
        system[i * N + i] += ridge * trace / (double)few->features;
    for (size_t k = 0; k < few->wide; k++)
        for (size_t i = 0; i < N; i++)
            shares[k * N + i] = (double)few->targets[i * few->wide + k];
    f0t_status status = f0t_cholesky_solve_f64(system, N, shares, few->wide, NULL);
    f0t_free(system);
    return status;
}

/* maps = shares X, by way of float32. */
static f0t_status multiply(double *maps, const f0t_linear_few *few, const double *shares)
{
    const size_t N = few->images, D = few->features, wide = few->wide;
    const f0t_matmul product = {.m = wide, .n = D, .k = N};
    float *left = NULL, *products = NULL;
    f0t_status status = f0t_alloc(&left, wide * N, sizeof *left);
    if (status == F0T_OK)
        status = f0t_alloc(&products, wide * D, sizeof *products);
    for (size_t i = 0; status == F0T_OK && i < wide * N; i++)
        left[i] = (float)shares[i];
    if (status == F0T_OK)
        status = f0t_matmul_run(products, left, few->rows, NULL, &product);
    for (size_t i = 0; status == F0T_OK && i < wide * D; i++)
        maps[i] = (double)products[i];
    f0t_free(left);
    f0t_free(products);
    return status;
}

f0t_status f0t_linear_few_solve(double *maps, const f0t_linear_few *few, double ridge)
{
    double *shares;
    F0T_TRY(f0t_alloc(&shares, few->wide * few->images, sizeof *shares));
    f0t_status status = find_shares(shares, few, ridge);
    if (status == F0T_OK)
        status = multiply(maps, few, shares);
    f0t_free(shares);
    return status;
}

/* ---- The fit, and the choice among several --------------------------------------------------- */

/* A running fit: L values of λ side by side. */
typedef struct fit {
    const f0t_train_data *data;
    const f0t_train_options *options;
    const f0t_monitor *monitor;
    const double *lambdas, *ridges;
    size_t lambda_count, ridge_count;
    f0t_linear_few *few; /* with few images, or */
    double *moments;     /* [D x D] */
    float *crossed;      /* [L d x D] */
    double *solved;      /* [L d x D] */
    float *map;          /* [d x D] */
    f0t_net **nets;      /* [L] */
} fit;

static f0t_status create_nets(fit *f, const f0t_net_shape *shape)
{
    F0T_TRY(f0t_alloc_zero(&f->nets, f->lambda_count, sizeof *f->nets));
    for (size_t l = 0; l < f->lambda_count; l++)
        F0T_TRY(f0t_net_create(&f->nets[l], f0t_compute_current(), shape, F0T_F32));
    return F0T_OK;
}

static f0t_status make_sums(fit *f)
{
    size_t D = f->data->condition->dim, wide = f->lambda_count * f->data->dim;
    F0T_TRY(f0t_alloc(&f->moments, D * D, sizeof *f->moments));
    F0T_TRY(f0t_alloc(&f->crossed, wide * D, sizeof *f->crossed));
    return f0t_linear_sums(f->moments, f->crossed, f->data, f->lambdas, f->lambda_count,
                           f->options->hinge, f->monitor);
}

/* After the pass over the features, whose own memory is free by then. */
static f0t_status allocate_maps(fit *f, const f0t_net_shape *shape)
{
    size_t D = f->data->condition->dim, wide = f->lambda_count * f->data->dim;
    F0T_TRY(f0t_alloc(&f->solved, wide * D, sizeof *f->solved));
    F0T_TRY(f0t_alloc(&f->map, f->data->dim * D, sizeof *f->map));
    return create_nets(f, shape);
}

static void release_fit(fit *f)
{
    for (size_t l = 0; f->nets && l < f->lambda_count; l++)
        f0t_net_free(f->nets[l]);
    f0t_free(f->nets);
    f0t_linear_few_free(f->few);
    f0t_free(f->moments);
    f0t_free(f->crossed);
    f0t_free(f->solved);
    f0t_free(f->map);
}

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
    if (f->few)
        F0T_TRY(f0t_linear_few_solve(f->solved, f->few, ridge));
    else
        F0T_TRY(f0t_linear_solve(f->solved, f->moments, f->crossed, wide, D, ridge));
    for (size_t l = 0; l < f->lambda_count; l++)
        F0T_TRY(set_map(f, f->nets[l], l));
    return F0T_OK;
}

static f0t_status try_ridge(fit *f, f0t_net *net, f0t_linear_choice *choice, double ridge)
{
    double miap[F0T_LINEAR_LAMBDAS];
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

/* Whether a validation image has a tag that is learned: else no setting is better than another. */
static bool has_truth(const f0t_samples *val)
{
    return val->count && val->offsets[val->count] > val->offsets[0];
}

/* A value that is given is the grid. */
static void set_grid(const double **values, size_t *count, const double *given,
                     const double *fallback, bool can_choose)
{
    const bool is_given = *given != F0T_AUTO;
    if (is_given || !can_choose) {
        *values = is_given ? given : fallback;
        *count = 1;
    }
}

static f0t_status run_fit(fit *f, f0t_net *net, f0t_linear_choice *choice)
{
    if (f0t_linear_is_few(f->data))
        F0T_TRY(f0t_linear_few_create(&f->few, f->data, f->lambdas, f->lambda_count,
                                      f->options->hinge, f->monitor));
    else
        F0T_TRY(make_sums(f));
    F0T_TRY(allocate_maps(f, f0t_net_get_shape(net)));
    return choose(f, net, choice);
}

static f0t_status fit_all(f0t_linear_choice *choice, f0t_net *net, const f0t_train_data *data,
                          const f0t_train_options *options, const f0t_monitor *monitor)
{
    fit f = {.data = data,
             .options = options,
             .monitor = monitor,
             .lambdas = f0t_linear_lambdas,
             .lambda_count = F0T_LINEAR_LAMBDAS,
             .ridges = f0t_linear_ridges,
             .ridge_count = F0T_LINEAR_RIDGES};
    bool can_choose = has_truth(data->val);
    set_grid(&f.lambdas, &f.lambda_count, &options->lambda, &f0t_linear_lambdas[F0T_LINEAR_LAMBDA],
             can_choose);
    set_grid(&f.ridges, &f.ridge_count, &options->ridge, &f0t_linear_ridges[F0T_LINEAR_RIDGE],
             can_choose);
    f0t_status status = run_fit(&f, net, choice);
    release_fit(&f);
    return status;
}

/* ---- λ of many ranking SVMs ------------------------------------------------------------------- */

/* Ranking SVMs of thousands of tags for thousands of images take minutes for each λ. A rule has its direction
 * whatever the other images are, so that some images tell which λ is good. */
enum { TELLING_IMAGES = 1000 };
static const size_t MANY = 10000000; /* images x tags */

static f0t_status allocate_samples(f0t_samples *some, const f0t_samples *of)
{
    F0T_TRY(f0t_alloc(&some->images, some->count, sizeof *some->images));
    F0T_TRY(f0t_alloc(&some->offsets, some->count + 1, sizeof *some->offsets));
    return f0t_alloc(&some->relevant, of->offsets[of->count], sizeof *some->relevant);
}

/* `count` of them, evenly spread. */
static f0t_status take_some(f0t_samples *some, const f0t_samples *of, size_t count)
{
    *some = (f0t_samples){.count = count, .tags = of->tags};
    F0T_TRY(allocate_samples(some, of));
    some->offsets[0] = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t m = i * of->count / count, begin = of->offsets[m];
        const size_t relevant = of->offsets[m + 1] - begin;
        some->images[i] = of->images[m];
        memcpy(some->relevant + some->offsets[i], of->relevant + begin,
               relevant * sizeof *some->relevant);
        some->offsets[i + 1] = some->offsets[i] + relevant;
    }
    return F0T_OK;
}

static f0t_status choose_lambda(double *lambda, f0t_net *net, const f0t_train_data *data,
                                const f0t_train_options *options, const f0t_monitor *monitor)
{
    f0t_train_data fewer = *data;
    f0t_samples some;
    f0t_linear_choice choice;
    f0t_status status = take_some(&some, data->train, TELLING_IMAGES);
    fewer.train = &some;
    if (status == F0T_OK)
        status = fit_all(&choice, net, &fewer, options, monitor);
    f0t_samples_free(&some);
    if (status == F0T_OK)
        *lambda = choice.lambda;
    return status;
}

f0t_status f0t_linear_fit(f0t_linear_choice *choice, f0t_net *net, const f0t_train_data *data,
                          const f0t_train_options *options, const f0t_monitor *monitor)
{
    f0t_train_options own = *options;
    if (own.lambda == F0T_AUTO && data->val->count && data->train->count > 2 * TELLING_IMAGES &&
        data->train->count > MANY / data->train->tags)
        F0T_TRY(choose_lambda(&own.lambda, net, data, options, monitor));
    return fit_all(choice, net, data, &own, monitor);
}
