#include "eval/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void f0t_values_add(f0t_values *out, const char *name, double value)
{
    if (out->count == F0T_VALUES_MOST)
        return;
    snprintf(out->names[out->count], F0T_VALUE_NAME_MOST, "%s", name);
    out->values[out->count++] = value;
}

double f0t_values_get(const f0t_values *values, const char *name)
{
    for (size_t i = 0; i < values->count; i++)
        if (!strcmp(values->names[i], name))
            return values->values[i];
    return (double)NAN;
}

static void add_at(f0t_values *out, const char *name, size_t k, double value)
{
    char full[F0T_VALUE_NAME_MOST];
    snprintf(full, sizeof full, "%s%zu", name, k);
    f0t_values_add(out, full, value);
}

static void add_prf(f0t_values *out, const char *const names[3], size_t k, f0t_prf v)
{
    add_at(out, names[0], k, 100 * v.p);
    add_at(out, names[1], k, 100 * v.r);
    add_at(out, names[2], k, 100 * v.f);
}

/* The conventions that the tables do not show. */
static void add_others(f0t_values *out, const f0t_cutoff_values *c)
{
    static const char *const tagged[] = {"tagged_p", "tagged_r", "tagged_f"};
    add_prf(out, tagged, c->k, c->pooled_tagged);
    add_at(out, "class_predicted_p", c->k, 100 * c->class_predicted.p);
    add_at(out, "class_predicted_f", c->k, 100 * c->class_predicted.f);
    add_at(out, "class_tagged_p", c->k, 100 * c->class_tagged.p);
    add_at(out, "class_tagged_f", c->k, 100 * c->class_tagged.f);
    add_at(out, "n_plus", c->k, c->n_plus);
}

/* Seen tags and unseen ones ranked together. */
static void add_kinds(f0t_values *out, const f0t_cutoff_values *c)
{
    static const char *const seen[] = {"seen_p", "seen_r", "seen_f"};
    static const char *const unseen[] = {"unseen_p", "unseen_r", "unseen_f"};
    add_prf(out, seen, c->k, c->kinds[1].pooled);
    add_prf(out, unseen, c->k, c->kinds[0].pooled);
    add_at(out, "harmonic_f", c->k, 100 * c->harmonic_f);
    add_at(out, "seen_class_r", c->k, 100 * c->kinds[1].class_r);
    add_at(out, "unseen_class_r", c->k, 100 * c->kinds[0].class_r);
    add_at(out, "harmonic_class_r", c->k, 100 * c->harmonic_class_r);
    add_at(out, "ausuc", c->k, 100 * c->area);
}

static void add_lists(f0t_values *out, const f0t_metric_values *m)
{
    f0t_values_add(out, "ndcg", 100 * m->ndcg);
    f0t_values_add(out, "coverage", m->coverage);
    f0t_values_add(out, "ranking_loss", 100 * m->ranking_loss);
    f0t_values_add(out, "lrap", 100 * m->lrap);
    f0t_values_add(out, "map_interpolated", 100 * m->map_interpolated);
    f0t_values_add(out, "map_11", 100 * m->map_eleven);
    f0t_values_add(out, "seen_miap", 100 * m->seen_miap);
    f0t_values_add(out, "unseen_miap", 100 * m->unseen_miap);
    f0t_values_add(out, "harmonic_miap", 100 * m->harmonic_miap);
}

static void add_confidence(f0t_values *out, const f0t_confidence_values *c)
{
    const double none = (double)NAN;
    f0t_values_add(out, "ece", c ? 100 * c->ece : none);
    f0t_values_add(out, "ece_first", c ? 100 * c->ece_first : none);
    f0t_values_add(out, "brier", c ? 100 * c->brier : none);
    f0t_values_add(out, "set_threshold", c ? c->threshold : none);
    f0t_values_add(out, "set_tags", c ? c->tags : none);
    f0t_values_add(out, "set_p", c ? 100 * c->sets.p : none);
    f0t_values_add(out, "set_r", c ? 100 * c->sets.r : none);
    f0t_values_add(out, "set_f", c ? 100 * c->sets.f : none);
}

static void add_cost(f0t_values *out, const f0t_eval_cost *cost)
{
    f0t_values_add(out, "train_s", cost->train_s);
    f0t_values_add(out, "test_s", cost->test_s);
    f0t_values_add(out, "tune_s", cost->tune_s);
    f0t_values_add(out, "tune_cpu_s", cost->tune_cpu_s);
    f0t_values_add(out, "trials", (double)cost->trials);
    f0t_values_add(out, "trial_fits", (double)cost->fits);
    f0t_values_add(out, "trial_effort", cost->effort);
    f0t_values_add(out, "tune_counted_s", cost->counted_s);
    f0t_values_add(out, "validation_miap", 100 * cost->validation);
    for (size_t i = 0; i < F0T_VALUES_FOLDS; i++)
        add_at(out, "validation_miap_fold", i + 1,
               i < cost->fold_count ? 100 * cost->folds[i] : (double)NAN);
}

/* `cost` NULL: the metrics alone. */
static void set_values(f0t_values *out, const f0t_metric_values *m,
                       const f0t_confidence_values *confidence, const f0t_eval_cost *cost)
{
    static const char *const pooled[] = {"p", "r", "f"};
    static const char *const class[] = {"class_p", "class_r", "class_f"};
    out->count = 0;
    f0t_values_add(out, "miap", 100 * m->miap);
    for (size_t i = 0; i < m->cutoff_count; i++)
        add_prf(out, pooled, m->cutoffs[i].k, m->cutoffs[i].pooled);
    for (size_t i = 0; i < m->cutoff_count; i++)
        add_prf(out, class, m->cutoffs[i].k, m->cutoffs[i].class_all);
    f0t_values_add(out, "map", 100 * m->map);
    if (cost)
        add_cost(out, cost);
    f0t_values_add(out, "miap_all", 100 * m->miap_all);
    f0t_values_add(out, "map_all", 100 * m->map_all);
    f0t_values_add(out, "tagged_images", (double)m->tagged);
    f0t_values_add(out, "occurring_tags", (double)m->occurring);
    add_lists(out, m);
    if (cost)
        add_confidence(out, confidence);
    for (size_t i = 0; i < m->cutoff_count; i++)
        add_others(out, &m->cutoffs[i]);
    for (size_t i = 0; i < m->cutoff_count; i++)
        add_kinds(out, &m->cutoffs[i]);
}

void f0t_values_set(f0t_values *out, const f0t_metric_values *metrics,
                    const f0t_confidence_values *confidence, const f0t_eval_cost *cost)
{
    set_values(out, metrics, confidence, cost);
}

void f0t_values_set_metrics(f0t_values *out, const f0t_metric_values *metrics)
{
    set_values(out, metrics, NULL, NULL);
}

void f0t_values_set_names(f0t_values *out, const size_t *cutoffs, size_t count)
{
    f0t_metric_values metrics = {.cutoff_count = count};
    for (size_t i = 0; i < count; i++)
        metrics.cutoffs[i].k = cutoffs[i];
    f0t_values_set(out, &metrics, NULL, &(f0t_eval_cost){0});
}
