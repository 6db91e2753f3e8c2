/* The experts of a blend, learned from some images. */
#include "model/blend_fit.h"

#include "base/alloc.h"
#include "base/plan.h"

enum { NEIGHBOURS_MOST = 20000 }; /* images that votes and ridge are made of */

static f0t_status count_frequency(float **out, const f0t_samples *train)
{
    F0T_TRY(f0t_alloc_zero(out, train->tags, sizeof **out));
    for (size_t i = 0; i < train->offsets[train->count]; i++)
        (*out)[train->relevant[i]] += 1;
    for (size_t t = 0; t < train->tags; t++)
        (*out)[t] /= (float)(train->count ? train->count : 1);
    return F0T_OK;
}

/* Where the votes keep images, from nearness to some of them: that knows more, and adds no features to the model. */
static f0t_status fit_ridge(f0t_blend *b, const f0t_samples *some, const float *rows, bool near,
                            const f0t_monitor *monitor)
{
    return b->votes && near ? f0t_ridge_fit_near(&b->ridge, b->votes, rows, some->count,
                                                 some->offsets, some->relevant, monitor)
                            : f0t_ridge_fit(&b->ridge, rows, some->count, b->features,
                                            some->offsets, some->relevant, b->tags, monitor);
}

static f0t_status fit_neighbours(f0t_blend *b, const f0t_blend_fitting *f, const f0t_samples *some,
                                 bool near)
{
    float *rows;
    F0T_TRY(f0t_alloc(&rows, some->count * b->features, sizeof *rows));
    f0t_status status =
        f0t_condition_gather(rows, &f->unit, f->data->dataset, some->images, some->count);
    if (status == F0T_OK && f0t_blend_uses(f, F0T_EXPERT_VOTES))
        status = f0t_votes_fit(&b->votes, rows, some->count, b->features, some->offsets,
                               some->relevant, b->tags, f->monitor);
    if (status == F0T_OK && f0t_blend_uses(f, F0T_EXPERT_RIDGE))
        status = fit_ridge(b, some, rows, near, f->monitor);
    f0t_free(rows);
    return status;
}

f0t_status f0t_blend_fit_counted(f0t_blend *b, const f0t_blend_fitting *f, const f0t_samples *train)
{
    f0t_samples some = {0};
    const bool near = !b->ridge || b->ridge->landmarks; /* weights were chosen for what was there */
    f0t_votes_free(b->votes);
    f0t_ridge_free(b->ridge);
    f0t_free(b->frequency);
    b->votes = NULL;
    b->ridge = NULL;
    F0T_TRY(count_frequency(&b->frequency, train));
    F0T_TRY(f0t_samples_thin(&some, train, NEIGHBOURS_MOST));
    f0t_status status = fit_neighbours(b, f, &some, near);
    f0t_samples_free(&some);
    return status;
}

/* As much as so many multiplications of a net, measured: eigenvectors, then products with all images. */
double f0t_blend_counted_cost(const f0t_blend_fitting *f, const f0t_samples *train)
{
    const double dim = (double)f->data->condition->dim;
    const double images = (double)(train->count < NEIGHBOURS_MOST ? train->count : NEIGHBOURS_MOST);
    const bool any = f0t_blend_uses(f, F0T_EXPERT_VOTES) || f0t_blend_uses(f, F0T_EXPERT_RIDGE);
    return any ? 20 * dim * dim * dim + 4 * images * dim * dim : 0;
}

double f0t_blend_experts_cost(const f0t_blend_fitting *f, const f0t_samples *train)
{
    return f0t_blend_counted_cost(f, train) + f0t_blend_tags_cost(f, train, false) +
           f0t_blend_direction_cost(f, train, 1);
}

f0t_status f0t_blend_fit_experts(f0t_blend *b, f0t_net **net, const f0t_blend_fitting *f,
                                 const f0t_samples *train, const f0t_samples *val)
{
    f0t_plan_step(f->monitor, f0t_blend_counted_cost(f, train));
    F0T_TRY(f0t_blend_fit_counted(b, f, train));
    f0t_plan_step(f->monitor, f0t_blend_tags_cost(f, train, false));
    if (f0t_blend_uses(f, F0T_EXPERT_TAGS))
        F0T_TRY(f0t_blend_learn_tags(&b->own, f, train, val, b->frequency));
    f0t_plan_step(f->monitor, f0t_blend_direction_cost(f, train, 1));
    F0T_TRY(f0t_blend_learn_direction(net, f, train, val));
    b->net = *net;
    return F0T_OK;
}
