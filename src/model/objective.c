#include "model/objective.h"

#include "base/alloc.h"

/* Of either kind; the members of the other are NULL. */
typedef struct own {
    const f0t_compute *compute;
    f0t_loss_plan *plan;
    const float *directions;
    const uint32_t *rule;
    uint32_t *rows; /* [batch] targets of a mini-batch */
    size_t dim;
} own;

static f0t_status ranking_loss(void *context, f0t_loss_result *result, f0t_buffer *gradient,
                               const f0t_buffer *scores, const f0t_loss_batch *batch,
                               const uint32_t *samples)
{
    const own *o = context;
    (void)samples;
    return o->compute->loss(result, gradient, scores, o->plan, batch);
}

static f0t_status regression_loss(void *context, f0t_loss_result *result, f0t_buffer *gradient,
                                  const f0t_buffer *outputs, const f0t_loss_batch *batch,
                                  const uint32_t *samples)
{
    const own *o = context;
    for (size_t r = 0; r < batch->images; r++)
        o->rows[r] = o->rule[samples[r]];
    f0t_regression regression = {
        .images = batch->images, .dims = o->dim, .targets = o->directions, .index = o->rows};
    return o->compute->regression(result, gradient, outputs, &regression);
}

f0t_status f0t_objective_ranking(f0t_objective *out, const f0t_train_data *data,
                                 const f0t_train_options *options)
{
    own *o;
    f0t_loss_options loss = {.loss = options->loss, .pairs = options->pairs, .seed = options->seed};
    *out = (f0t_objective){.tags = data->tags, .loss = ranking_loss};
    F0T_TRY(f0t_alloc_zero(&o, 1, sizeof *o));
    out->context = o;
    o->compute = f0t_compute_current();
    f0t_status status = o->compute->loss_create(&o->plan, &loss, options->batch, data->train->tags);
    if (status != F0T_OK)
        f0t_objective_free(out);
    return status;
}

f0t_status f0t_objective_regression(f0t_objective *out, const f0t_train_data *data,
                                    const f0t_train_options *options, const float *directions,
                                    const uint32_t *rule)
{
    own *o;
    *out = (f0t_objective){.loss = regression_loss};
    F0T_TRY(f0t_alloc_zero(&o, 1, sizeof *o));
    out->context = o;
    o->compute = f0t_compute_current();
    o->directions = directions;
    o->rule = rule;
    o->dim = data->dim;
    f0t_status status = f0t_alloc(&o->rows, options->batch, sizeof *o->rows);
    if (status != F0T_OK)
        f0t_objective_free(out);
    return status;
}

void f0t_objective_free(f0t_objective *objective)
{
    own *o = objective->context;
    if (o) {
        if (o->plan)
            o->compute->loss_free(o->plan);
        f0t_free(o->rows);
        f0t_free(o);
    }
    *objective = (f0t_objective){0};
}
