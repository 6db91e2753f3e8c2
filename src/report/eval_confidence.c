/* The plots of methods whose scores are probabilities. */
#include "base/alloc.h"
#include "report/eval_tables.h"
#include "report/html.h"
#include "report/svg.h"

#include <stdio.h>

/* The curves of method m in its first run; NULL: it has none. */
static const f0t_reliability_curves *curves_of(const f0t_eval_slice *s, size_t m)
{
    return f0t_eval_cell_at(s->eval, 0, m, s->scenario)->curves;
}

/* A line for a method; bins are points. */
typedef struct curve {
    double x[F0T_CURVE_POINTS], y[F0T_CURVE_POINTS];
    char name[80];
} curve;

static size_t read_bins(curve *to, const f0t_reliability_curves *from)
{
    const size_t count = from->bin_counts[F0T_FIRST_PAIRS];
    for (size_t i = 0; i < count; i++) {
        to->x[i] = from->bins[F0T_FIRST_PAIRS][i].confidence;
        to->y[i] = from->bins[F0T_FIRST_PAIRS][i].right;
    }
    return count;
}

static size_t read_precision(curve *to, const f0t_reliability_curves *from)
{
    for (size_t i = 0; i < F0T_CURVE_POINTS; i++) {
        to->x[i] = f0t_curve_threshold(i);
        to->y[i] = 100 * from->sets[i].p;
    }
    return F0T_CURVE_POINTS;
}

static size_t read_recall(curve *to, const f0t_reliability_curves *from)
{
    for (size_t i = 0; i < F0T_CURVE_POINTS; i++) {
        to->x[i] = f0t_curve_threshold(i);
        to->y[i] = 100 * from->sets[i].r;
    }
    return F0T_CURVE_POINTS;
}

typedef size_t (*curve_reader)(curve *to, const f0t_reliability_curves *from);

/* Adds a series for each method that has curves; "Blend, precision". */
static size_t add_curves(f0t_svg_series *series, curve *room, size_t count, const f0t_eval_slice *s,
                         curve_reader read, const char *what)
{
    for (size_t m = 0; m < s->eval->plan.method_count; m++) {
        const f0t_reliability_curves *from = curves_of(s, m);
        if (!from)
            continue;
        curve *to = &room[count];
        snprintf(to->name, sizeof to->name, "%s%s", s->eval->plan.methods[m]->title, what);
        const size_t points = read(to, from);
        series[count++] =
            (f0t_svg_series){.name = to->name, .count = points, .x = to->x, .y = to->y};
    }
    return count;
}

static void draw_reliability(f0t_text *page, const f0t_eval_slice *s, f0t_svg_series *series,
                             curve *room)
{
    static const double ends[] = {0, 1};
    size_t count = add_curves(series, room, 0, s, read_bins, "");
    series[count++] = (f0t_svg_series){.name = "as it should be", .count = 2, .x = ends, .y = ends};
    f0t_svg_lines(page, &(f0t_svg_plot){
                            .title = "Are confidences true? The first five tags of each picture",
                            .description = "The share of tags that are right, by their confidence",
                            .x = {.title = "confidence", .from = 0, .to = 1},
                            .y = {.title = "share that is right", .from = 0, .to = 1},
                            .series = series,
                            .series_count = count});
}

static void draw_sets(f0t_text *page, const f0t_eval_slice *s, f0t_svg_series *series, curve *room)
{
    size_t count = add_curves(series, room, 0, s, read_precision, ", precision");
    count = add_curves(series, room, count, s, read_recall, ", recall");
    f0t_svg_lines(
        page, &(f0t_svg_plot){.title = "Tags whose confidence reaches a threshold",
                              .description = "Precision and recall of the sets, by the threshold",
                              .x = {.title = "threshold", .from = 0, .to = 1},
                              .y = {.title = "%", .from = 0, .to = 100},
                              .series = series,
                              .series_count = count});
}

f0t_status f0t_eval_confidence_plots(f0t_text *page, const f0t_eval_slice *s)
{
    const size_t most = 2 * s->eval->plan.method_count + 1;
    f0t_svg_series *series;
    curve *room = NULL;
    F0T_TRY(f0t_alloc(&series, most, sizeof *series));
    f0t_status status = f0t_alloc(&room, most, sizeof *room);
    if (status == F0T_OK) {
        f0t_html_chart_begin(page);
        draw_reliability(page, s, series, room);
        f0t_html_chart_end(page);
        f0t_html_chart_begin(page);
        draw_sets(page, s, series, room);
        f0t_html_chart_end(page);
    }
    f0t_free(series);
    f0t_free(room);
    return status;
}
