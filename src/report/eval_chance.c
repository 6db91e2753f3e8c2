/* The table that says which differences chance can make. */
#include "report/eval_tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_interval(f0t_table *t, double from, double to)
{
    char low[F0T_NUMBER_SIZE], high[F0T_NUMBER_SIZE], text[2 * F0T_NUMBER_SIZE + 8];
    f0t_number_write(low, from, 1);
    f0t_number_write(high, to, 1);
    snprintf(text, sizeof text, "%s … %s", low, high);
    f0t_table_cell(t, isnan(from) ? "–" : text, F0T_CELL_PLAIN);
}

static void add_signed(f0t_table *t, double value)
{
    char text[F0T_NUMBER_SIZE + 1] = "+";
    f0t_number_write(text + (value > 0), value, 1);
    f0t_table_cell(t, text, F0T_CELL_PLAIN);
}

static const char *title_of(const f0t_eval_slice *s, const char *method)
{
    for (size_t i = 0; i < s->count && method; i++)
        if (!strcmp(s->rows[i].method, method))
            return s->rows[i].title;
    return "–";
}

static void add_p(f0t_table *t, double p)
{
    char text[F0T_NUMBER_SIZE];
    f0t_number_write(text, p, 3);
    f0t_table_cell(t, p < 0.001 ? "< 0.001" : text, F0T_CELL_PLAIN);
}

static void add_chance_row(f0t_table *t, const f0t_eval_slice *s, const f0t_eval_row *row)
{
    char text[F0T_NUMBER_SIZE];
    const f0t_eval_value *miap = f0t_eval_row_value(row, "miap");
    if (!miap)
        return;
    f0t_table_row(t, F0T_ROW_PLAIN);
    f0t_table_cell(t, row->title, F0T_CELL_PLAIN);
    f0t_number_write(text, miap->mean, 1);
    f0t_table_cell(t, text, row->leads ? F0T_CELL_BEST : F0T_CELL_PLAIN);
    add_interval(t, miap->low, miap->high);
    f0t_table_cell(t, title_of(s, row->rival), F0T_CELL_PLAIN);
    add_signed(t, row->rival_difference);
    add_interval(t, row->rival_low, row->rival_high);
    add_p(t, row->rival_p);
    add_p(t, row->rival_draws_p);
    add_p(t, row->best_p);
}

f0t_status f0t_eval_chance_table(f0t_table **out, const f0t_eval_slice *slice)
{
    static const char *const heads[] = {"Method %",      "MiAP",      "95 % interval",
                                        "name",          "MiAP",      "95 % interval",
                                        "over pictures", "over runs", "Holm"};
    static const char *const groups[] = {"",  "",   NULL,     "less the best other", NULL, NULL,
                                         "p", NULL, "p, best"};
    const f0t_eval_row *first = slice->rows;
    char caption[200];
    snprintf(caption, sizeof caption, "%s, what chance may have done: %zu test image%s, %zu run%s",
             f0t_scenario_title(slice->scenario), first->images, first->images == 1 ? "" : "s",
             first->repeats, first->repeats == 1 ? "" : "s");
    F0T_TRY(f0t_table_create(out, caption, "lrclrcrrr", groups, heads));
    for (size_t i = 0; i < slice->count; i++)
        add_chance_row(*out, slice, &slice->rows[i]);
    return F0T_OK;
}
