/*
 * Learning a blend: its experts, then on held-out images the weights. Held out are the validation images; where
 * images are few, a fifth of all in turn (the nets then train to their last epoch, as the final ones do). In
 * the end votes, ridge and frequencies are made of all images, also those that were held out.
 */
#include "model/blend_fit.h"

#include "base/alloc.h"
#include "base/plan.h"

enum {
    SMALL = 600,          /* images */
    HELD_LEAST = 50,      /* validation images */
    HELD_MOST = 2000,     /* images, and */
    PAIRS_MOST = 10000000 /* (image, tag) pairs that weights are fitted on */
};

f0t_held_kind f0t_blend_holds(size_t train, size_t val)
{
    return train + val < SMALL ? F0T_HELD_ALL : val < HELD_LEAST ? F0T_HELD_TENTH : F0T_HELD_VAL;
}

bool f0t_blend_uses(const f0t_blend_fitting *f, f0t_expert e)
{
    return !(f->options->without & (1U << e));
}

bool f0t_blend_has_classes(const f0t_blend_fitting *f)
{
    return f->data->classes && f0t_blend_uses(f, F0T_EXPERT_CLASSES);
}

static f0t_status check_classes(const f0t_blend_fitting *f)
{
    const size_t features = f->data->condition->dim;
    if (!f0t_blend_has_classes(f) || f0t_classes_dim(f->data->classes) == features)
        return F0T_OK;
    return f0t_fail(F0T_ERROR_MISMATCH,
                    "the classes' network makes %zu features, the dataset has %zu",
                    f0t_classes_dim(f->data->classes), features);
}

static f0t_status create_blend(f0t_blend **out, const f0t_blend_fitting *f)
{
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    (*out)->features = f->data->condition->dim;
    (*out)->tags = f->data->train->tags;
    (*out)->dim = f->data->dim;
    (*out)->condition = f->data->condition;
    (*out)->vectors = f->data->vectors;
    return F0T_OK;
}

/* ---- What experts say of held-out images -------------------------------------------------------------- */

static f0t_status open_held(f0t_held_out *h, const f0t_blend_fitting *f, const f0t_samples *images)
{
    const size_t tags = images->tags ? images->tags : 1;
    size_t most = PAIRS_MOST / tags < HELD_MOST ? PAIRS_MOST / tags : HELD_MOST;
    most = f->small ? images->count : most > HELD_LEAST ? most : HELD_LEAST; /* folds go by place */
    F0T_TRY(f0t_samples_thin(&h->truth, images, most));
    const size_t count = h->truth.count;
    F0T_TRY(f0t_alloc(&h->rows, count * f->data->condition->dim, sizeof *h->rows));
    F0T_TRY(f0t_condition_gather(h->rows, &f->unit, f->data->dataset, h->truth.images, count));
    F0T_TRY(f0t_alloc(&h->blend, count * tags, sizeof *h->blend));
    for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++)
        if (f0t_blend_uses(f, (f0t_expert)e))
            F0T_TRY(f0t_alloc(&h->expert[e], count * tags, sizeof *h->expert[e]));
    return F0T_OK;
}

static void close_held(f0t_held_out *h)
{
    f0t_samples_free(&h->truth);
    f0t_free(h->rows);
    f0t_free(h->blend);
    f0t_free(h->likely);
    for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++)
        f0t_free(h->expert[e]);
}

/* Images first, first + step, … of those held out. */
static f0t_status ask_experts(f0t_held_out *h, const f0t_blend *b, size_t first, size_t step)
{
    for (size_t i = first, n; i < h->truth.count; i += n * step) {
        float *to[F0T_LEARNED_EXPERTS] = {0};
        n = step > 1 ? 1 : h->truth.count - i < 256 ? h->truth.count - i : 256;
        for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++)
            to[e] = h->expert[e] ? h->expert[e] + i * b->tags : NULL;
        F0T_TRY(f0t_blend_experts(to, b, b->net, h->rows + i * b->features, n));
    }
    return F0T_OK;
}

static f0t_status ask_fold(f0t_blend_fitting *f, const f0t_samples *all, size_t fold)
{
    f0t_samples train = {0};
    const f0t_samples none = {.tags = all->tags, .offsets = (size_t[]){0}};
    f0t_blend *b = NULL;
    f0t_net *net = NULL;
    f0t_status status = f0t_samples_fold(&train, all, fold, F0T_HELD_FOLDS, false);
    if (status == F0T_OK)
        status = create_blend(&b, f);
    if (status == F0T_OK)
        status = f0t_blend_fit_experts(b, &net, f, &train, &none);
    if (status == F0T_OK)
        status = ask_experts(&f->held, b, fold, F0T_HELD_FOLDS);
    f0t_samples_free(&train);
    f0t_blend_free(b);
    f0t_net_free(net);
    return status;
}

/* ---- The whole --------------------------------------------------------------------------------------- */

static f0t_status fit_large(double *miap, f0t_blend_fitting *f, const f0t_samples *all)
{
    F0T_TRY(f0t_blend_fit_experts(f->blend, &f->net, f, f->data->train, f->data->val));
    F0T_TRY(open_held(&f->held, f, f->data->val));
    F0T_TRY(ask_experts(&f->held, f->blend, 0, 1));
    F0T_TRY(f0t_blend_fit_weights(miap, f));
    f0t_plan_step(f->monitor, f0t_blend_tags_cost(f, all, true));
    if (f->blend->own)
        F0T_TRY(f0t_blend_go_on_with_tags(f->blend->own, f, all));
    f0t_plan_step(f->monitor, f0t_blend_counted_cost(f, all));
    F0T_TRY(f0t_blend_fit_counted(f->blend, f, all));
    return f0t_blend_fit_words(f); /* while f->data is without the images held out */
}

static f0t_status fit_small(double *miap, f0t_blend_fitting *f, const f0t_samples *all)
{
    const f0t_samples none = {.tags = all->tags, .offsets = (size_t[]){0}};
    F0T_TRY(open_held(&f->held, f, all));
    for (size_t fold = 0; fold < F0T_HELD_FOLDS; fold++)
        F0T_TRY(ask_fold(f, all, fold));
    F0T_TRY(f0t_blend_fit_experts(f->blend, &f->net, f, all, &none));
    F0T_TRY(f0t_blend_fit_weights(miap, f));
    return f0t_blend_fit_words(f);
}

/* Where hardly any validation image was given, a tenth of all is held out. */
static f0t_status fit_divided(double *miap, f0t_blend_fitting *f, const f0t_samples *all)
{
    f0t_samples train = {0}, val = {0};
    f0t_blend_data data = *f->data;
    const f0t_blend_data *given = f->data;
    f0t_status status = f0t_samples_fold(&train, all, 0, F0T_HELD_SHARE, false);
    if (status == F0T_OK)
        status = f0t_samples_fold(&val, all, 0, F0T_HELD_SHARE, true);
    data.train = &train;
    data.val = &val;
    f->data = &data;
    if (status == F0T_OK)
        status = fit_large(miap, f, all);
    f->data = given;
    f0t_samples_free(&train);
    f0t_samples_free(&val);
    return status;
}

/* What all steps of a fit cost, for the bar. */
static double cost_of(const f0t_blend_fitting *f, const f0t_samples *all, f0t_held_kind held)
{
    const f0t_samples fold = {.count = all->count - all->count / F0T_HELD_FOLDS, .tags = all->tags};
    const f0t_samples tenth = {.count = all->count - all->count / F0T_HELD_SHARE,
                               .tags = all->tags};
    const f0t_samples *train = held == F0T_HELD_TENTH ? &tenth : f->data->train;
    if (held == F0T_HELD_ALL)
        return F0T_HELD_FOLDS * f0t_blend_experts_cost(f, &fold) + f0t_blend_experts_cost(f, all);
    return f0t_blend_experts_cost(f, train) + f0t_blend_tags_cost(f, all, true) +
           f0t_blend_counted_cost(f, all) + f0t_blend_words_cost(f, train);
}

static f0t_status fit_by_size(double *miap, f0t_blend_fitting *f, const f0t_samples *all)
{
    if (all->count < 2)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: has one image to learn from; a blend needs two",
                        f0t_dataset_path(f->data->dataset));
    const f0t_held_kind held = f0t_blend_holds(f->data->train->count, f->data->val->count);
    f->small = held == F0T_HELD_ALL;
    f0t_plan_total(f->monitor, cost_of(f, all, held));
    return held == F0T_HELD_ALL     ? fit_small(miap, f, all)
           : held == F0T_HELD_TENTH ? fit_divided(miap, f, all)
                                    : fit_large(miap, f, all);
}

static f0t_status fit_all(double *miap, f0t_blend_fitting *f)
{
    f0t_samples all = {0};
    F0T_TRY(check_classes(f));
    F0T_TRY(f0t_condition_create(&f->unit, F0T_CONDITION_UNIT, f->data->dataset, f->data->train,
                                 f->monitor));
    F0T_TRY(create_blend(&f->blend, f));
    F0T_TRY(f0t_samples_join(&all, f->data->train, f->data->val));
    f0t_status status = fit_by_size(miap, f, &all);
    f0t_samples_free(&all);
    return status;
}

f0t_status f0t_blend_fit(f0t_blend **out, f0t_net **net, double *miap, const f0t_blend_data *data,
                         const f0t_train_options *options, const f0t_monitor *monitor)
{
    f0t_net_list done = {0};
    f0t_blend_fitting f = {.data = data, .options = options, .monitor = monitor, .done = &done};
    *out = NULL;
    *net = NULL;
    f0t_status status = fit_all(miap, &f);
    f0t_condition_free(&f.unit);
    close_held(&f.held);
    f0t_net_list_free(&done);
    if (status != F0T_OK) {
        f0t_blend_free(f.blend);
        f0t_net_free(f.net);
        return status;
    }
    *out = f.blend;
    *net = f.net;
    return F0T_OK;
}
