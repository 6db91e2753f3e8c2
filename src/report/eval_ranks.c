/* The critical-difference diagram of a scenario, over the runs of the comparison. */
#include "base/alloc.h"
#include "eval/ranks.h"
#include "report/eval_tables.h"
#include "report/svg.h"

#include <math.h>
#include <stdio.h>

/* The methods that are ranked: those that compete and have a result in every run. */
static size_t choose_methods(size_t *chosen, const f0t_eval_slice *s)
{
    size_t count = 0;
    for (size_t m = 0; m < s->count; m++)
        if (!s->rows[m].refusal && f0t_ranker_competes(s->eval->plan.methods[m]))
            chosen[count++] = m;
    return count;
}

bool f0t_eval_has_ranks(const f0t_eval_slice *s)
{
    size_t chosen[F0T_METHODS_MOST];
    return s->count && s->rows->repeats > 1 && choose_methods(chosen, s) > 2;
}

static void draw(f0t_text *to, const f0t_eval_slice *s, const double *values, size_t runs,
                 const size_t *chosen, size_t count)
{
    double ranks[F0T_METHODS_MOST];
    const char *names[F0T_METHODS_MOST];
    char title[160];
    const size_t blocks = f0t_mean_ranks(ranks, values, runs, count);
    for (size_t i = 0; i < count; i++)
        names[i] = s->eval->plan.methods[chosen[i]]->title;
    snprintf(title, sizeof title, "%s: mean ranks by MiAP over %zu runs",
             f0t_scenario_title(s->scenario), blocks);
    f0t_svg_ranks(to, &(f0t_svg_rank_chart){
                          .title = title,
                          .description = "Methods that are joined by a bar do not differ beyond "
                                         "chance by Nemenyi's test (95 %)",
                          .names = names,
                          .ranks = ranks,
                          .count = count,
                          .critical = f0t_critical_difference(count, blocks)});
}

f0t_status f0t_eval_rank_plot(f0t_text *to, const f0t_eval_slice *s)
{
    size_t chosen[F0T_METHODS_MOST];
    const size_t count = choose_methods(chosen, s), runs = s->eval->plan.repeat;
    double *values;
    F0T_TRY(f0t_alloc(&values, runs * count, sizeof *values));
    for (size_t r = 0; r < runs; r++)
        for (size_t i = 0; i < count; i++)
            values[r * count + i] = f0t_values_get(
                &f0t_eval_cell_at(s->eval, r, chosen[i], s->scenario)->values, "miap");
    draw(to, s, values, runs, chosen, count);
    f0t_free(values);
    return to->status;
}
