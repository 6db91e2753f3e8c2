/* Bars, lying or standing. */
#include "report/svg_frame.h"

#include <math.h>

static const double WIDTH = 640, STANDING_HEIGHT = 400, BAR = 13, GAP = 9;

/* A chart being drawn. Bars lie along x, or stand along y. */
typedef struct drawing {
    f0t_text *to;
    const f0t_svg_bar_chart *chart;
    f0t_svg_scale scale; /* of the values */
    f0t_svg_box box;
    double group; /* pixels of a group, across the bars */
    double bar;   /* of a bar */
} drawing;

static double value_of(const f0t_svg_bar_chart *c, size_t group, size_t series)
{
    return c->values[group * c->series_count + series];
}

static double spread_of(const f0t_svg_bar_chart *c, size_t group, size_t series)
{
    double spread = c->spreads ? c->spreads[group * c->series_count + series] : 0;
    return isfinite(spread) ? spread : 0;
}

static f0t_svg_scale make_scale(const f0t_svg_bar_chart *c)
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

/* ---- Parts --------------------------------------------------------------------------------- */

static void draw_bar(const drawing *d, size_t series, double value, double across)
{
    double from = f0t_svg_place(&d->scale, 0), to = f0t_svg_place(&d->scale, value);
    double low = fmin(from, to), length = fabs(to - from);
    bool standing = d->chart->standing;
    f0t_text_form(d->to, "<rect class=\"c%zu\" x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\"/>\n",
                  series % F0T_SVG_COLOURS, standing ? across : low, standing ? low : across,
                  standing ? d->bar - 1 : length, standing ? length : d->bar - 1);
}

static void draw_spread(const drawing *d, double value, double spread, double across)
{
    double from = f0t_svg_place(&d->scale, value - spread);
    double to = f0t_svg_place(&d->scale, value + spread);
    bool standing = d->chart->standing;
    f0t_text_form(d->to, "<line class=\"e\" x1=\"%f\" y1=\"%f\" x2=\"%f\" y2=\"%f\"/>\n",
                  standing ? across : from, standing ? from : across, standing ? across : to,
                  standing ? to : across);
}

/* The value behind a lying bar; standing bars have no room for it. */
static void write_value(const drawing *d, double value, double spread, double across)
{
    double end = isnan(value) ? f0t_svg_place(&d->scale, 0)
                              : f0t_svg_place(&d->scale, fmax(0, value + spread));
    if (d->chart->standing)
        return;
    f0t_text_form(d->to, "<text class=\"v\" x=\"%f\" y=\"%f\">", end + 4, across + d->bar / 2 + 4);
    f0t_text_number(d->to, value, d->chart->decimals);
    f0t_text_add(d->to, "</text>\n");
}

static void write_group(const drawing *d, size_t group, double middle)
{
    const char *name = d->chart->groups[group];
    if (d->chart->standing)
        f0t_text_form(d->to, "<text x=\"%f\" y=\"%f\" text-anchor=\"middle\">%s</text>\n", middle,
                      d->box.bottom + 16, name);
    else
        f0t_text_form(d->to, "<text x=\"%f\" y=\"%f\" text-anchor=\"end\">%s</text>\n",
                      d->box.left - 8, middle + 4, name);
}

static void draw_groups(const drawing *d)
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
                draw_spread(d, value, spread, across + (d->bar - 1) / 2);
            write_value(d, value, spread, across);
        }
    }
}

/* ---- The chart ----------------------------------------------------------------------------- */

static double height_of(const f0t_svg_bar_chart *c)
{
    double rows = (double)c->group_count * ((double)c->series_count * BAR + GAP);
    if (c->height > 0)
        return c->height;
    return c->standing ? STANDING_HEIGHT : rows + 90 + (c->series_count > 1 ? 24 : 0);
}

static void lay_out(drawing *d, double width, double height, double top)
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
    double width = chart->width > 0 ? chart->width : WIDTH, height = height_of(chart);
    drawing d = {.to = to, .chart = chart, .scale = make_scale(chart)};
    double top = f0t_svg_open(to, width, height, chart->title, chart->description);
    if (chart->series_count > 1)
        top = f0t_svg_legend(to, top, width, chart->series, chart->series_count);
    lay_out(&d, width, height, top);
    if (chart->standing)
        f0t_svg_axis_y(to, &d.scale, &d.box, chart->axis.title);
    else
        f0t_svg_axis_x(to, &d.scale, &d.box, chart->axis.title);
    draw_groups(&d);
    f0t_svg_close(to);
}
