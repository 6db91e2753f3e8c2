/* Charts: lines and points, bars. */
#include "report/svg_frame.h"

#include <math.h>

/* ---- Lines and points --------------------------------------------------------------------- */

enum { WIDTH = 640, HEIGHT = 400, LEGEND_MOST = 64, MARKS_MOST = 40, CROWD = 500, NOTES_MOST = 64 };

/* A plot being drawn. */
typedef struct drawing {
    f0t_text *to;
    const f0t_svg_plot *plot;
    f0t_svg_scale x, y;
    f0t_svg_box box;
} drawing;

static void find_ranges(f0t_svg_range *x, f0t_svg_range *y, const f0t_svg_plot *plot)
{
    *x = *y = f0t_svg_range_none();
    for (size_t s = 0; s < plot->series_count; s++) {
        const f0t_svg_series *series = &plot->series[s];
        for (size_t i = 0; i < series->count; i++) {
            double spread = series->spread ? series->spread[i] : 0;
            f0t_svg_range_add(x, series->x[i], plot->x.log);
            f0t_svg_range_add(y, series->y[i] - spread, plot->y.log);
            f0t_svg_range_add(y, series->y[i] + spread, plot->y.log);
        }
    }
}

static double draw_legend(f0t_text *to, double top, double width, const f0t_svg_plot *plot)
{
    const char *names[LEGEND_MOST];
    size_t count = plot->series_count < LEGEND_MOST ? plot->series_count : LEGEND_MOST;
    for (size_t i = 0; i < count; i++)
        names[i] = plot->series[i].name;
    return f0t_svg_legend(to, top, width, names, count);
}

static void add_notes(f0t_svg_range *x, f0t_svg_range *y, const f0t_svg_plot *plot)
{
    for (size_t i = 0; i < plot->note_count; i++) {
        f0t_svg_range_add(x, plot->notes[i].x, plot->x.log);
        f0t_svg_range_add(y, plot->notes[i].y, plot->y.log);
    }
    if (plot->origin) {
        f0t_svg_range_add(x, 0, plot->x.log);
        f0t_svg_range_add(y, 0, plot->y.log);
    }
}

/* The range with a margin, in place of whole steps around it. */
static void fit(f0t_svg_scale *scale, f0t_svg_range range)
{
    double pad = 0.04 * (range.most - range.least);
    if (pad > 0) {
        scale->from = range.least - pad;
        scale->to = range.most + pad;
    }
}

/* Widens the axis that has more room, on both sides. */
static void make_equal(f0t_svg_scale *x, f0t_svg_scale *y)
{
    double step_x = (x->to - x->from) / fabs(x->end - x->start);
    double step_y = (y->to - y->from) / fabs(y->end - y->start);
    f0t_svg_scale *wide = step_x < step_y ? x : y;
    double span = fmax(step_x, step_y) * fabs(wide->end - wide->start);
    double middle = (wide->from + wide->to) / 2;
    wide->from = middle - span / 2;
    wide->to = middle + span / 2;
}

static void draw_origin(const drawing *d)
{
    double x = f0t_svg_place(&d->x, 0), y = f0t_svg_place(&d->y, 0);
    f0t_text_form(d->to, "<line class=\"o\" x1=\"%f\" y1=\"%f\" x2=\"%f\" y2=\"%f\"/>\n", x,
                  d->box.top, x, d->box.bottom);
    f0t_text_form(d->to, "<line class=\"o\" x1=\"%f\" y1=\"%f\" x2=\"%f\" y2=\"%f\"/>\n",
                  d->box.left, y, d->box.right, y);
}

static drawing begin(f0t_text *to, const f0t_svg_plot *plot)
{
    f0t_svg_range x, y;
    double width = plot->width > 0 ? plot->width : WIDTH;
    double height = plot->height > 0 ? plot->height : HEIGHT;
    drawing d = {.to = to, .plot = plot};
    double top = f0t_svg_open(to, width, height, plot->title, plot->description);
    top = draw_legend(to, top, width, plot);
    find_ranges(&x, &y, plot);
    add_notes(&x, &y, plot);
    d.x = f0t_svg_scale_create(&plot->x, x);
    d.y = f0t_svg_scale_create(&plot->y, y);
    d.box = (f0t_svg_box){.left = plot->y.title ? 66 : 50,
                          .top = top + 8,
                          .right = width - 28,
                          .bottom = height - (plot->x.title ? 44 : 26)};
    d.x.start = d.box.left;
    d.x.end = d.box.right;
    d.y.start = d.box.bottom;
    d.y.end = d.box.top;
    if (plot->equal) {
        fit(&d.x, x);
        fit(&d.y, y);
        make_equal(&d.x, &d.y);
    }
    f0t_svg_axis_x(to, &d.x, &d.box, plot->x.title);
    f0t_svg_axis_y(to, &d.y, &d.box, plot->y.title);
    if (plot->origin)
        draw_origin(&d);
    return d;
}

static bool shows(const drawing *d, const f0t_svg_series *series, size_t i)
{
    return f0t_svg_can_show(&d->x, series->x[i]) && f0t_svg_can_show(&d->y, series->y[i]);
}

static void draw_line(const drawing *d, const f0t_svg_series *series, size_t number)
{
    bool open = false;
    f0t_text_form(d->to, "<path class=\"c%zu l\" d=\"", number % F0T_SVG_COLOURS);
    for (size_t i = 0; i < series->count; i++) {
        bool shown = shows(d, series, i);
        if (shown)
            f0t_text_form(d->to, "%s%f %f", open ? "L" : "M", f0t_svg_place(&d->x, series->x[i]),
                          f0t_svg_place(&d->y, series->y[i]));
        open = shown;
    }
    f0t_text_add(d->to, "\"/>\n");
}

static void draw_spread(const drawing *d, const f0t_svg_series *series, size_t i)
{
    double low = series->y[i] - series->spread[i], high = series->y[i] + series->spread[i];
    double x = f0t_svg_place(&d->x, series->x[i]);
    if (!f0t_svg_can_show(&d->y, low) || !f0t_svg_can_show(&d->y, high) || low == high)
        return;
    f0t_text_form(d->to, "<line class=\"e\" x1=\"%f\" y1=\"%f\" x2=\"%f\" y2=\"%f\"/>\n", x,
                  f0t_svg_place(&d->y, low), x, f0t_svg_place(&d->y, high));
}

static void draw_points(const drawing *d, const f0t_svg_series *series, size_t number, double size)
{
    for (size_t i = 0; i < series->count; i++) {
        if (!shows(d, series, i))
            continue;
        double x = f0t_svg_place(&d->x, series->x[i]), y = f0t_svg_place(&d->y, series->y[i]);
        if (series->spread)
            draw_spread(d, series, i);
        f0t_svg_mark(d->to, number, x, y, size);
        if (series->labels && series->labels[i])
            f0t_text_form(d->to, "<text class=\"v\" x=\"%f\" y=\"%f\">%s</text>\n", x + size + 3,
                          y + 4, series->labels[i]);
    }
}

/* The shaft and two strokes of its head. */
static void draw_arrow(const drawing *d, double from_x, double from_y, double x, double y)
{
    double length = hypot(x - from_x, y - from_y);
    if (!(length > 1))
        return;
    double ux = (x - from_x) / length * 10, uy = (y - from_y) / length * 10;
    f0t_text_form(d->to, "<path class=\"a\" d=\"M%f %fL%f %fM%f %fL%f %fL%f %f\"/>\n", from_x,
                  from_y, x, y, x - ux - uy / 2, y - uy + ux / 2, x, y, x - ux + uy / 2,
                  y - uy - ux / 2);
}

/* Texts that stand already: [count] of their boxes. */
typedef struct placed {
    f0t_svg_box boxes[NOTES_MOST];
    size_t count;
} placed;

/* A text that would cover another is left out: the legend has it. */
static bool place_text(placed *all, const char *text, double right, double y, bool middle)
{
    double width = 1.1 * f0t_svg_text_width(text), end = middle ? right + width / 2 : right;
    const f0t_svg_box box = {end - width, y - 11, end, y + 3};
    for (size_t i = 0; i < all->count; i++) {
        const f0t_svg_box *other = &all->boxes[i];
        if (box.left < other->right && other->left < box.right && box.top < other->bottom &&
            other->top < box.bottom)
            return false;
    }
    if (all->count == NOTES_MOST)
        return false;
    all->boxes[all->count++] = box;
    return true;
}

static void draw_note(const drawing *d, const f0t_svg_note *note, placed *all)
{
    double x = f0t_svg_place(&d->x, note->x), y = f0t_svg_place(&d->y, note->y);
    if (note->arrow)
        draw_arrow(d, f0t_svg_place(&d->x, note->from_x), f0t_svg_place(&d->y, note->from_y), x, y);
    x -= note->arrow ? 8 : 0;
    y += note->arrow ? -8 : 4;
    if (place_text(all, note->text, x, y, !note->arrow))
        f0t_text_form(d->to, "<text class=\"n\" x=\"%f\" y=\"%f\" text-anchor=\"%s\">%s</text>\n",
                      x, y, note->arrow ? "end" : "middle", note->text);
}

/* Arrows first: they are never left out. */
static void draw_notes(const drawing *d)
{
    placed all = {.count = 0};
    for (int arrows = 1; arrows >= 0; arrows--)
        for (size_t i = 0; i < d->plot->note_count; i++) {
            const f0t_svg_note *note = &d->plot->notes[i];
            if (note->arrow == (arrows == 1) && f0t_svg_can_show(&d->x, note->x) &&
                f0t_svg_can_show(&d->y, note->y))
                draw_note(d, note, &all);
        }
}

void f0t_svg_lines(f0t_text *to, const f0t_svg_plot *plot)
{
    drawing d = begin(to, plot);
    for (size_t s = 0; s < plot->series_count; s++) {
        draw_line(&d, &plot->series[s], s);
        if (plot->series[s].count <= MARKS_MOST)
            draw_points(&d, &plot->series[s], s, 3.5);
    }
    draw_notes(&d);
    f0t_svg_close(to);
}

void f0t_svg_scatter(f0t_text *to, const f0t_svg_plot *plot)
{
    drawing d = begin(to, plot);
    size_t points = 0;
    for (size_t s = 0; s < plot->series_count; s++)
        points += plot->series[s].count;
    bool crowded = points > CROWD;
    if (crowded)
        f0t_text_add(to, "<g class=\"m\">\n");
    for (size_t s = 0; s < plot->series_count; s++)
        draw_points(&d, &plot->series[s], s, crowded ? 2 : 4);
    if (crowded)
        f0t_text_add(to, "</g>\n");
    draw_notes(&d);
    f0t_svg_close(to);
}

/* ---- Bars, lying or standing -------------------------------------------------------------- */

static const double BAR = 13, GAP = 9; /* pixels across a lying bar, and between groups */

/* A chart being drawn. Bars lie along x, or stand along y. */
typedef struct bar_drawing {
    f0t_text *to;
    const f0t_svg_bar_chart *chart;
    f0t_svg_scale scale; /* of the values */
    f0t_svg_box box;
    double group; /* pixels of a group, across the bars */
    double bar;   /* of a bar */
} bar_drawing;

static double value_of(const f0t_svg_bar_chart *c, size_t group, size_t series)
{
    return c->values[group * c->series_count + series];
}

static double spread_of(const f0t_svg_bar_chart *c, size_t group, size_t series)
{
    double spread = c->spreads ? c->spreads[group * c->series_count + series] : 0;
    return isfinite(spread) ? spread : 0;
}

static f0t_svg_scale bar_scale(const f0t_svg_bar_chart *c)
{
    f0t_svg_range range = f0t_svg_range_none();
    f0t_svg_axis axis = c->axis;
    axis.log = false;
    f0t_svg_range_add(&range, 0, false);
    for (size_t g = 0; g < c->group_count; g++)
        for (size_t s = 0; s < c->series_count; s++) {
            f0t_svg_range_add(&range, value_of(c, g, s) + spread_of(c, g, s), false);
            f0t_svg_range_add(&range, value_of(c, g, s) - spread_of(c, g, s), false);
        }
    if (range.least == range.most)
        range.most = 1;
    return f0t_svg_scale_create(&axis, range);
}

static double widest_group(const f0t_svg_bar_chart *c)
{
    double widest = 0;
    for (size_t g = 0; g < c->group_count; g++)
        widest = fmax(widest, f0t_svg_text_width(c->groups[g]));
    return widest;
}

/* ---- Parts of a bar chart ----------------------------------------------------------------- */

static void draw_bar(const bar_drawing *d, size_t series, double value, double across)
{
    double from = f0t_svg_place(&d->scale, 0), to = f0t_svg_place(&d->scale, value);
    double low = fmin(from, to), length = fabs(to - from);
    bool standing = d->chart->standing;
    f0t_text_form(d->to, "<rect class=\"c%zu\" x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\"/>\n",
                  series % F0T_SVG_COLOURS, standing ? across : low, standing ? low : across,
                  standing ? d->bar - 1 : length, standing ? length : d->bar - 1);
}

static void draw_bar_spread(const bar_drawing *d, double value, double spread, double across)
{
    double from = f0t_svg_place(&d->scale, value - spread);
    double to = f0t_svg_place(&d->scale, value + spread);
    bool standing = d->chart->standing;
    f0t_text_form(d->to, "<line class=\"e\" x1=\"%f\" y1=\"%f\" x2=\"%f\" y2=\"%f\"/>\n",
                  standing ? across : from, standing ? from : across, standing ? across : to,
                  standing ? to : across);
}

/* The value at the end of a lying bar; standing bars have no room for it. */
static void write_value(const bar_drawing *d, double value, double spread, double across)
{
    double end = isnan(value) ? f0t_svg_place(&d->scale, 0)
                              : f0t_svg_place(&d->scale, fmax(0, value + spread));
    if (d->chart->standing)
        return;
    f0t_text_form(d->to, "<text class=\"v\" x=\"%f\" y=\"%f\">", end + 4, across + d->bar / 2 + 4);
    f0t_text_number(d->to, value, d->chart->decimals);
    f0t_text_add(d->to, "</text>\n");
}

static void write_group(const bar_drawing *d, size_t group, double middle)
{
    const char *name = d->chart->groups[group];
    if (d->chart->standing)
        f0t_text_form(d->to, "<text x=\"%f\" y=\"%f\" text-anchor=\"middle\">%s</text>\n", middle,
                      d->box.bottom + 16, name);
    else
        f0t_text_form(d->to, "<text x=\"%f\" y=\"%f\" text-anchor=\"end\">%s</text>\n",
                      d->box.left - 8, middle + 4, name);
}

static void draw_groups(const bar_drawing *d)
{
    const f0t_svg_bar_chart *c = d->chart;
    double start = c->standing ? d->box.left : d->box.top;
    for (size_t g = 0; g < c->group_count; g++) {
        double first =
            start + (double)g * d->group + (d->group - d->bar * (double)c->series_count) / 2;
        write_group(d, g, start + ((double)g + 0.5) * d->group);
        for (size_t s = 0; s < c->series_count; s++) {
            double value = value_of(c, g, s), spread = spread_of(c, g, s);
            double across = first + (double)s * d->bar;
            if (isfinite(value))
                draw_bar(d, s, value, across);
            if (isfinite(value) && spread > 0)
                draw_bar_spread(d, value, spread, across + (d->bar - 1) / 2);
            write_value(d, value, spread, across);
        }
    }
}

/* ---- The bar chart ------------------------------------------------------------------------ */

static double bar_chart_height(const f0t_svg_bar_chart *c)
{
    double rows = (double)c->group_count * ((double)c->series_count * BAR + GAP);
    if (c->height > 0)
        return c->height;
    return c->standing ? HEIGHT : rows + 90 + (c->series_count > 1 ? 24 : 0);
}

static void lay_out_bars(bar_drawing *d, double width, double height, double top)
{
    const f0t_svg_bar_chart *c = d->chart;
    double names = widest_group(c) + 20;
    double left = c->standing ? (c->axis.title ? 66 : 50) : fmin(names, width / 2);
    d->box = (f0t_svg_box){.left = left,
                           .top = top + 8,
                           .right = width - (c->standing ? 28 : 46),
                           .bottom = height - (c->standing || !c->axis.title ? 28 : 44)};
    d->scale.start = c->standing ? d->box.bottom : d->box.left;
    d->scale.end = c->standing ? d->box.top : d->box.right;
    double across = c->standing ? d->box.right - d->box.left : d->box.bottom - d->box.top;
    d->group = c->group_count ? across / (double)c->group_count : across;
    d->bar = c->series_count ? d->group * 0.8 / (double)c->series_count : d->group;
}

void f0t_svg_bars(f0t_text *to, const f0t_svg_bar_chart *chart)
{
    double width = chart->width > 0 ? chart->width : WIDTH, height = bar_chart_height(chart);
    bar_drawing d = {.to = to, .chart = chart, .scale = bar_scale(chart)};
    double top = f0t_svg_open(to, width, height, chart->title, chart->description);
    if (chart->series_count > 1)
        top = f0t_svg_legend(to, top, width, chart->series, chart->series_count);
    lay_out_bars(&d, width, height, top);
    if (chart->standing)
        f0t_svg_axis_y(to, &d.scale, &d.box, chart->axis.title);
    else
        f0t_svg_axis_x(to, &d.scale, &d.box, chart->axis.title);
    draw_groups(&d);
    f0t_svg_close(to);
}
