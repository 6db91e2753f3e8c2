/* Means and deviations over the repeats. */
#include "base/alloc.h"
#include "eval/eval.h"

#include <math.h>
#include <stdio.h>

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
    return (f0t_eval_value){name, mean, deviation};
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
                          .knobs = knobs};
    for (size_t i = 0; i < row->value_count; i++)
        values[i] = summarise(e, method, s, i);
    write_knobs(knobs, first);
}

f0t_status f0t_eval_summarise(f0t_eval *e)
{
    size_t most = e->plan.method_count * F0T_SCENARIOS;
    F0T_TRY(f0t_alloc(&e->rows, most, sizeof *e->rows));
    F0T_TRY(f0t_alloc(&e->values, most * F0T_VALUES_MOST, sizeof *e->values));
    F0T_TRY(f0t_alloc(&e->knobs, most, KNOBS_TEXT));
    for (int s = 0; s < F0T_SCENARIOS; s++)
        for (size_t m = 0; m < e->plan.method_count && e->plan.asked[s]; m++)
            make_row(e, m, (f0t_scenario)s);
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
