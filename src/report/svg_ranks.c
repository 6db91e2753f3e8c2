/* Mean ranks along a line, methods that do not differ joined by a bar: Demšar's critical-difference diagram. */
#include "base/alloc.h"
#include "report/svg_frame.h"

#include <math.h>
#include <stdlib.h>

enum { ROW = 18, BAR = 9, MARGIN = 12 };

typedef struct place {
    double rank;
    const char *name;
} place;

typedef struct drawing {
    f0t_text *to;
    const f0t_svg_rank_chart *chart;
    const place *places; /* [count], the best first */
    double width, top, axis;
    double left, right; /* of the axis */
    size_t bars;
} drawing;

static int compare_places(const void *a, const void *b)
{
    const place *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static double x_of(const drawing *d, double rank)
{
    const double most = (double)d->chart->count;
    return d->left + (rank - 1) / fmax(most - 1, 1) * (d->right - d->left);
}

static void line(const drawing *d, const char *class, double x1, double y1, double x2, double y2)
{
    f0t_text_form(d->to, "<line class=\"%s\" x1=\"%f\" y1=\"%f\" x2=\"%f\" y2=\"%f\"/>\n", class,
                  x1, y1, x2, y2);
}

/* The last place that does not differ from place i. */
static size_t reach_of(const drawing *d, size_t i)
{
    size_t end = i;
    while (end + 1 < d->chart->count &&
           d->places[end + 1].rank - d->places[i].rank <= d->chart->critical)
        end++;
    return end;
}

/* A group that is part of the one before it has no bar. */
static bool has_bar(const drawing *d, size_t i)
{
    return reach_of(d, i) > i && (i == 0 || reach_of(d, i) > reach_of(d, i - 1));
}

static void draw_axis(const drawing *d)
{
    line(d, "e", d->left, d->axis, d->right, d->axis);
    for (size_t rank = 1; rank <= d->chart->count; rank++) {
        const double x = x_of(d, (double)rank);
        line(d, "e", x, d->axis - 4, x, d->axis);
        f0t_text_form(d->to,
                      "<text class=\"v\" x=\"%f\" y=\"%f\" text-anchor=\"middle\">%zu</text>\n", x,
                      d->axis - 7, rank);
    }
}

/* How long the critical difference is, above the axis. */
static void draw_critical(const drawing *d)
{
    const double y = d->top + 12, end = x_of(d, 1 + d->chart->critical);
    if (!(d->chart->critical <= (double)d->chart->count - 1))
        return;
    line(d, "e", d->left, y, end, y);
    line(d, "e", d->left, y - 4, d->left, y + 4);
    line(d, "e", end, y - 4, end, y + 4);
    f0t_text_form(d->to, "<text class=\"v\" x=\"%f\" y=\"%f\">critical difference %.2f</text>\n",
                  end + 6, y + 4, d->chart->critical);
}

static void draw_bars(drawing *d)
{
    for (size_t i = 0; i < d->chart->count; i++) {
        if (!has_bar(d, i))
            continue;
        const double y = d->axis + MARGIN + (double)d->bars++ * BAR;
        const double from = x_of(d, d->places[i].rank) - 3;
        const double end = x_of(d, d->places[reach_of(d, i)].rank) + 3;
        f0t_text_form(d->to, "<rect class=\"c0\" x=\"%f\" y=\"%f\" width=\"%f\" height=\"4\"/>\n",
                      from, y - 2, end - from);
    }
}

/* The better half is named on the left, the others on the right, the outer ones in the lowest rows. */
static void draw_names(const drawing *d)
{
    const size_t count = d->chart->count, half = (count + 1) / 2;
    const double first = d->axis + MARGIN + (double)d->bars * BAR + ROW;
    for (size_t i = 0; i < count; i++) {
        const bool left = i < half;
        const double y = first + (double)(left ? i : count - 1 - i) * ROW;
        const double x = x_of(d, d->places[i].rank), end = left ? d->left - 8 : d->right + 8;
        line(d, "e", x, d->axis, x, y);
        line(d, "e", x, y, end, y);
        f0t_text_form(d->to,
                      "<text class=\"v\" x=\"%f\" y=\"%f\" text-anchor=\"%s\">%s %.2f</text>\n",
                      left ? end - 4 : end + 4, y + 4, left ? "end" : "start", d->places[i].name,
                      d->places[i].rank);
    }
}

static double widest(const f0t_svg_rank_chart *chart)
{
    double most = 0;
    for (size_t i = 0; i < chart->count; i++)
        most = fmax(most, f0t_svg_text_width(chart->names[i]));
    return most + 50; /* the rank itself */
}

static void draw(f0t_text *to, const f0t_svg_rank_chart *chart, const place *places)
{
    drawing d = {.to = to, .chart = chart, .places = places, .width = 760};
    const double names = fmin(widest(chart), 260);
    size_t bars = 0;
    d.left = names;
    d.right = d.width - names;
    for (size_t i = 0; i < chart->count; i++)
        bars += has_bar(&d, i);
    const double height =
        84 + MARGIN + (double)bars * BAR + (double)((chart->count + 1) / 2 + 1) * ROW;
    d.top = f0t_svg_open(to, d.width, height, chart->title, chart->description);
    d.axis = d.top + 46;
    draw_critical(&d);
    draw_axis(&d);
    draw_bars(&d);
    draw_names(&d);
    f0t_svg_close(to);
}

void f0t_svg_ranks(f0t_text *to, const f0t_svg_rank_chart *chart)
{
    place *places = NULL;
    if (to->status == F0T_OK)
        to->status = f0t_alloc(&places, chart->count, sizeof *places);
    if (to->status != F0T_OK)
        return;
    for (size_t i = 0; i < chart->count; i++)
        places[i] = (place){chart->ranks[i], chart->names[i]};
    qsort(places, chart->count, sizeof *places, compare_places);
    draw(to, chart, places);
    f0t_free(places);
}
