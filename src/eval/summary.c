/* The rows of a comparison: means and deviations over the repeats, and what chance has to do with them. */
#include "base/alloc.h"
#include "eval/eval.h"
#include "eval/significance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KNOBS_TEXT = 200 };

/* A value over the repeats in which it is defined. */
static f0t_eval_value summarise(const f0t_eval *e, size_t method, f0t_scenario s, size_t at)
{
    double sum = 0, squares = 0, count = 0;
    const char *name = f0t_eval_cell_at(e, 0, method, s)->values.names[at];
    for (size_t r = 0; r < e->plan.repeat; r++) {
        double v = f0t_values_get(&f0t_eval_cell_at(e, r, method, s)->values, name);
        sum += isnan(v) ? 0 : v;
        count += !isnan(v);
    }
    double mean = count > 0 ? sum / count : (double)NAN;
    for (size_t r = 0; r < e->plan.repeat; r++) {
        double v = f0t_values_get(&f0t_eval_cell_at(e, r, method, s)->values, name);
        squares += isnan(v) ? 0 : (v - mean) * (v - mean);
    }
    double deviation = count > 1 ? sqrt(squares / (count - 1)) : (double)NAN;
    return (f0t_eval_value){.name = name,
                            .mean = mean,
                            .deviation = deviation,
                            .low = (double)NAN,
                            .high = (double)NAN};
}

/* With a point in every locale. */
static void write_number(char out[32], double value)
{
    snprintf(out, 32, "%g", value);
    for (char *c = out; *c; c++)
        if (*c == ',')
            *c = '.';
}

static void write_knobs(char *out, const f0t_eval_cell *cell)
{
    size_t used = 0;
    char number[32];
    *out = 0;
    for (size_t i = 0; i < cell->knob_count && used < KNOBS_TEXT; i++) {
        write_number(number, cell->knobs[i]);
        used += (size_t)snprintf(out + used, KNOBS_TEXT - used, "%s%s %s", i ? ", " : "",
                                 cell->knob_names[i], number);
    }
}

/* A method that is refused in one repeat (other unseen tags) is refused in all. */
static const f0t_eval_cell *refused_cell(const f0t_eval *e, size_t method, f0t_scenario s)
{
    for (size_t r = 0; r < e->plan.repeat; r++)
        if (*f0t_eval_cell_at(e, r, method, s)->refusal)
            return f0t_eval_cell_at(e, r, method, s);
    return NULL;
}

static void make_row(f0t_eval *e, size_t method, f0t_scenario s)
{
    size_t number = e->row_count++;
    const f0t_eval_cell *first = f0t_eval_cell_at(e, 0, method, s),
                        *refused = refused_cell(e, method, s);
    f0t_eval_row *row = &e->rows[number];
    f0t_eval_value *values = e->values + number * F0T_VALUES_MOST;
    char *knobs = e->knobs + number * KNOBS_TEXT;
    *row = (f0t_eval_row){.method = e->plan.methods[method]->name,
                          .title = e->plan.methods[method]->title,
                          .scenario = f0t_scenario_name(s),
                          .refusal = refused ? refused->refusal : NULL,
                          .images = first->images,
                          .tags = first->tags,
                          .repeats = e->plan.repeat,
                          .values = values,
                          .value_count = refused ? 0 : first->values.count,
                          .knobs = knobs,
                          .rival_difference = (double)NAN,
                          .rival_low = (double)NAN,
                          .rival_high = (double)NAN,
                          .rival_p = (double)NAN,
                          .rival_draws_p = (double)NAN,
                          .best_p = (double)NAN};
    for (size_t i = 0; i < row->value_count; i++)
        values[i] = summarise(e, method, s, i);
    write_knobs(knobs, first);
}

/* ---- What chance has to do with it ----------------------------------------------------------- */

/* The rows of one scenario, one per method. */
typedef struct contest {
    const f0t_eval *eval;
    f0t_scenario scenario;
    f0t_eval_row *rows; /* [method_count] */
    size_t images;      /* whose average precisions are kept */
    double *scores;     /* [method_count x repeat x images] */
    double *means;      /* [method_count x F0T_RESAMPLES] of the bootstrap */
    bool *scored;       /* [method_count] has scores */
} contest;

static f0t_scores scores_of(const contest *c, size_t method)
{
    const size_t draws = c->eval->plan.repeat;
    return (f0t_scores){draws, c->images, c->scores + method * draws * c->images};
}

/* A method has scores when each of its cells has as many as all others. */
static bool read_scores(const contest *c, size_t method)
{
    for (size_t r = 0; r < c->eval->plan.repeat; r++) {
        const f0t_eval_cell *cell = f0t_eval_cell_at(c->eval, r, method, c->scenario);
        double *to = c->scores + (method * c->eval->plan.repeat + r) * c->images;
        if (c->rows[method].refusal || cell->precision_count != c->images || !c->images)
            return false;
        for (size_t i = 0; i < c->images; i++)
            to[i] = cell->precisions[i] < 0 ? (double)NAN : cell->precisions[i] / 1e6;
    }
    return true;
}

static f0t_status contest_open(contest *c)
{
    const f0t_eval_plan *plan = &c->eval->plan;
    for (size_t m = 0; m < plan->method_count; m++) {
        const f0t_eval_cell *cell = f0t_eval_cell_at(c->eval, 0, m, c->scenario);
        c->images = cell->precision_count ? cell->precision_count : c->images;
    }
    F0T_TRY(f0t_alloc(&c->scored, plan->method_count, sizeof *c->scored));
    F0T_TRY(
        f0t_alloc(&c->scores, plan->method_count * plan->repeat * c->images, sizeof *c->scores));
    F0T_TRY(f0t_alloc(&c->means, plan->method_count * F0T_RESAMPLES, sizeof *c->means));
    for (size_t m = 0; m < plan->method_count; m++)
        c->scored[m] = read_scores(c, m);
    return F0T_OK;
}

static void contest_close(contest *c)
{
    f0t_free(c->scores);
    f0t_free(c->means);
    f0t_free(c->scored);
}

static f0t_eval_value *miap_of(const contest *c, size_t method)
{
    f0t_eval_value *values = c->eval->values + (size_t)(c->rows - c->eval->rows) * F0T_VALUES_MOST;
    values += method * F0T_VALUES_MOST;
    for (size_t i = 0; i < c->rows[method].value_count; i++)
        if (!strcmp(values[i].name, "miap"))
            return &values[i];
    return NULL;
}

/* Around the mean of all images, also where the scores of some are kept. */
static void add_interval(const contest *c, size_t method, const f0t_resamples *resamples)
{
    f0t_eval_value *miap = miap_of(c, method);
    double *means = c->means + method * F0T_RESAMPLES, values[F0T_RESAMPLES];
    const f0t_scores scores = scores_of(c, method);
    const double shift = miap->mean - 100 * f0t_scores_mean(&scores);
    f0t_scores_resample(means, &scores, resamples);
    memcpy(values, means, sizeof values);
    f0t_resampled_interval(&miap->low, &miap->high, values);
    miap->low = 100 * miap->low + shift;
    miap->high = 100 * miap->high + shift;
}

static f0t_status add_intervals(const contest *c)
{
    const f0t_eval_plan *plan = &c->eval->plan;
    f0t_resamples resamples;
    F0T_TRY(f0t_resamples_create(&resamples, plan->repeat, c->images, c->eval->seed));
    for (size_t m = 0; m < plan->method_count; m++)
        if (c->scored[m] && miap_of(c, m))
            add_interval(c, m, &resamples);
    f0t_resamples_free(&resamples);
    return F0T_OK;
}

/* The best other method that competes; the number of methods: there is none. */
static size_t find_rival(const contest *c, size_t method)
{
    const f0t_eval_plan *plan = &c->eval->plan;
    size_t best = plan->method_count;
    for (size_t m = 0; m < plan->method_count; m++) {
        const bool competes = c->scored[m] && m != method && f0t_ranker_competes(plan->methods[m]);
        const f0t_eval_value *miap = competes ? miap_of(c, m) : NULL;
        if (miap && !isnan(miap->mean) &&
            (best == plan->method_count || miap->mean > miap_of(c, best)->mean))
            best = m;
    }
    return best;
}

/* The samples are the same for all methods, so that their differences are paired. */
static void subtract(double differences[F0T_RESAMPLES], const contest *c, size_t a, size_t b)
{
    for (size_t r = 0; r < F0T_RESAMPLES; r++)
        differences[r] = 100 * (c->means[a * F0T_RESAMPLES + r] - c->means[b * F0T_RESAMPLES + r]);
}

static f0t_status add_rival(const contest *c, size_t method)
{
    const size_t rival = c->scored[method] ? find_rival(c, method) : c->eval->plan.method_count;
    double differences[F0T_RESAMPLES];
    if (rival == c->eval->plan.method_count)
        return F0T_OK;
    f0t_eval_row *row = &c->rows[method];
    const f0t_scores ours = scores_of(c, method), theirs = scores_of(c, rival);
    row->rival = c->rows[rival].method;
    row->rival_difference = miap_of(c, method)->mean - miap_of(c, rival)->mean;
    subtract(differences, c, method, rival);
    f0t_resampled_interval(&row->rival_low, &row->rival_high, differences);
    F0T_TRY(f0t_draws_compare(&row->rival_draws_p, &ours, &theirs, c->eval->seed));
    return f0t_scores_compare(&row->rival_p, &ours, &theirs, c->eval->seed);
}

/* Which methods are the best, or cannot be told from it. */
static f0t_status add_best(const contest *c)
{
    const f0t_eval_plan *plan = &c->eval->plan;
    const size_t best = find_rival(c, plan->method_count);
    double p[F0T_METHODS_MOST], differences[F0T_RESAMPLES];
    if (best == plan->method_count)
        return F0T_OK;
    for (size_t m = 0; m < plan->method_count; m++) {
        p[m] = (double)NAN;
        if (m == best || !c->scored[m] || !f0t_ranker_competes(plan->methods[m]))
            continue;
        subtract(differences, c, m, best);
        p[m] = f0t_resampled_p(differences);
    }
    F0T_TRY(f0t_holm(p, plan->method_count));
    for (size_t m = 0; m < plan->method_count; m++) {
        c->rows[m].best_p = p[m];
        c->rows[m].leads = m == best || p[m] > 0.05;
    }
    return F0T_OK;
}

/* Of every pair: what a text may say of two methods. */
static void add_differences(const contest *c, size_t method)
{
    const size_t methods = c->eval->plan.method_count;
    f0t_eval_row *row = &c->rows[method];
    f0t_eval_difference *to = c->eval->differences + (size_t)(row - c->eval->rows) * methods;
    row->differences = to;
    for (size_t m = 0; m < methods && c->scored[method]; m++) {
        double samples[F0T_RESAMPLES];
        if (m == method || !c->scored[m])
            continue;
        f0t_eval_difference *d = &to[row->difference_count++];
        d->method = c->rows[m].method;
        d->miap = miap_of(c, method)->mean - miap_of(c, m)->mean;
        subtract(samples, c, method, m);
        d->p = f0t_resampled_p(samples);
        f0t_resampled_interval(&d->low, &d->high, samples);
    }
}

static f0t_status judge(f0t_eval *e, f0t_scenario s, f0t_eval_row *rows)
{
    contest c = {.eval = e, .scenario = s, .rows = rows};
    f0t_status status = contest_open(&c);
    if (status == F0T_OK && c.images)
        status = add_intervals(&c);
    for (size_t m = 0; m < e->plan.method_count && status == F0T_OK; m++)
        status = add_rival(&c, m);
    if (status == F0T_OK)
        status = add_best(&c);
    for (size_t m = 0; m < e->plan.method_count && status == F0T_OK; m++)
        add_differences(&c, m);
    contest_close(&c);
    return status;
}

f0t_status f0t_eval_summarise(f0t_eval *e)
{
    size_t most = e->plan.method_count * F0T_SCENARIOS;
    F0T_TRY(f0t_alloc(&e->rows, most, sizeof *e->rows));
    F0T_TRY(f0t_alloc(&e->values, most * F0T_VALUES_MOST, sizeof *e->values));
    F0T_TRY(f0t_alloc(&e->knobs, most, KNOBS_TEXT));
    F0T_TRY(f0t_alloc(&e->differences, most * e->plan.method_count, sizeof *e->differences));
    for (int s = 0; s < F0T_SCENARIOS; s++) {
        f0t_eval_row *first = e->rows + e->row_count;
        for (size_t m = 0; m < e->plan.method_count && e->plan.asked[s]; m++)
            make_row(e, m, (f0t_scenario)s);
        if (e->plan.asked[s])
            F0T_TRY(judge(e, (f0t_scenario)s, first));
    }
    return F0T_OK;
}

size_t f0t_eval_row_count(const f0t_eval *eval)
{
    return eval->row_count;
}

const f0t_eval_row *f0t_eval_get_row(const f0t_eval *eval, size_t i)
{
    return i < eval->row_count ? &eval->rows[i] : NULL;
}

/* The rows are scenario by scenario, in each all methods. */
static const f0t_eval_cell *cell_of_row(const f0t_eval *e, size_t row, size_t run)
{
    size_t left = row;
    if (row >= e->row_count || run >= e->plan.repeat)
        return NULL;
    for (int s = 0; s < F0T_SCENARIOS; s++) {
        if (!e->plan.asked[s])
            continue;
        if (left < e->plan.method_count)
            return f0t_eval_cell_at(e, run, left, (f0t_scenario)s);
        left -= e->plan.method_count;
    }
    return NULL;
}

double f0t_eval_run_value(const f0t_eval *eval, size_t row, size_t run, const char *name)
{
    const f0t_eval_cell *cell = cell_of_row(eval, row, run);
    return cell && name ? f0t_values_get(&cell->values, name) : (double)NAN;
}

const char *f0t_eval_run_knob(double *value, const f0t_eval *eval, size_t row, size_t run, size_t i)
{
    const f0t_eval_cell *cell = cell_of_row(eval, row, run);
    if (!cell || i >= cell->knob_count)
        return NULL;
    if (value)
        *value = cell->knobs[i];
    return cell->knob_names[i];
}
