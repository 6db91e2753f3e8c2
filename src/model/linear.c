#include "model/linear.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "model/linear_few.h"
#include "model/linear_sums.h"

#include <math.h>

const double f0t_linear_lambdas[] = {0.01, 0.1, 1, 10, 100, 1000};
const double f0t_linear_ridges[] = {0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30};

/* A fit in work: L values of λ side by side. */
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

/* ---- Memory, and the sums -------------------------------------------------------------------------------- */

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

/* Behind the pass over the features, whose own memory is gone then. */
static f0t_status allocate_maps(fit *f, const f0t_net_shape *shape)
{
    size_t D = f->data->condition->dim, wide = f->lambda_count * f->data->dim;
    F0T_TRY(f0t_alloc(&f->solved, wide * D, sizeof *f->solved));
    F0T_TRY(f0t_alloc(&f->map, f->data->dim * D, sizeof *f->map));
    return create_nets(f, shape);
}

static void release(fit *f)
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

/* A value that is given is the grid; nothing can choose without validation images. */
static void set_grid(const double **values, size_t *count, const double *given,
                     const double *fallback, bool can_choose)
{
    const bool is_given = *given != F0T_AUTO;
    if (is_given || !can_choose) {
        *values = is_given ? given : fallback;
        *count = 1;
    }
}

static f0t_status run(fit *f, f0t_net *net, f0t_linear_choice *choice)
{
    if (f0t_linear_is_few(f->data))
        F0T_TRY(f0t_linear_few_create(&f->few, f->data, f->lambdas, f->lambda_count,
                                      f->options->hinge, f->monitor));
    else
        F0T_TRY(make_sums(f));
    F0T_TRY(allocate_maps(f, f0t_net_get_shape(net)));
    return choose(f, net, choice);
}

f0t_status f0t_linear_fit(f0t_net *net, f0t_linear_choice *choice, const f0t_train_data *data,
                          const f0t_train_options *options, const f0t_monitor *monitor)
{
    fit f = {.data = data,
             .options = options,
             .monitor = monitor,
             .lambdas = f0t_linear_lambdas,
             .lambda_count = F0T_LINEAR_LAMBDAS,
             .ridges = f0t_linear_ridges,
             .ridge_count = F0T_LINEAR_RIDGES};
    bool can_choose = data->val->count > 0;
    set_grid(&f.lambdas, &f.lambda_count, &options->lambda, &f0t_linear_lambdas[F0T_LINEAR_LAMBDA],
             can_choose);
    set_grid(&f.ridges, &f.ridge_count, &options->ridge, &f0t_linear_ridges[F0T_LINEAR_RIDGE],
             can_choose);
    f0t_status status = run(&f, net, choice);
    release(&f);
    return status;
}
