/* What charts share: scales, the frame around the data, marks, axes. */
#include "report/svg_frame.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Scales: from data to round steps, from values to pixels ------------------------------ */

f0t_svg_range f0t_svg_range_none(void)
{
    return (f0t_svg_range){DBL_MAX, -DBL_MAX};
}

void f0t_svg_range_add(f0t_svg_range *range, double value, bool log)
{
    if (!isfinite(value) || (log && value <= 0))
        return;
    range->least = fmin(range->least, value);
    range->most = fmax(range->most, value);
}

/* The steps 1, 2, 5, 10, … of which about `count` cover the span. */
static double step_of(double span, double count)
{
    double raw = span / count, unit = pow(10, floor(log10(raw)));
    double lead = raw / unit;
    return unit * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

static void round_linear(f0t_svg_scale *scale)
{
    double span = scale->to - scale->from;
    if (!(span > 0)) {
        double pad = scale->to != 0 ? fabs(scale->to) / 2 : 1;
        scale->from -= pad;
        scale->to += pad;
        span = scale->to - scale->from;
    }
    double step = step_of(span, 6);
    scale->from = floor(scale->from / step + 1e-9) * step;
    scale->to = ceil(scale->to / step - 1e-9) * step;
}

/* A decade where the data have several, else the next of 1, 2, 5. */
static double round_log(double value, bool up)
{
    static const double leads[] = {1, 2, 5, 10};
    double unit = pow(10, floor(log10(value) + 1e-9)), best = up ? 10 * unit : unit;
    for (int i = 0; i < 4; i++) {
        double round = unit * leads[i];
        if (up && round >= value * (1 - 1e-9))
            return round;
        if (!up && round <= value * (1 + 1e-9))
            best = round;
    }
    return best;
}

f0t_svg_scale f0t_svg_scale_create(const f0t_svg_axis *axis, f0t_svg_range range)
{
    f0t_svg_scale scale = {.log = axis->log, .bare = axis->bare};
    bool demanded = axis->from != axis->to && (!axis->log || (axis->from > 0 && axis->to > 0));
    if (demanded) {
        scale.from = axis->from;
        scale.to = axis->to;
        return scale;
    }
    if (range.least > range.most)
        range = (f0t_svg_range){axis->log ? 1 : 0, axis->log ? 10 : 1};
    scale.from = range.least;
    scale.to = range.most;
    if (!axis->log) {
        round_linear(&scale);
        return scale;
    }
    scale.from = round_log(range.least, false);
    scale.to = round_log(range.most, true);
    if (scale.from == scale.to)
        scale.to = 10 * scale.from;
    return scale;
}

double f0t_svg_place(const f0t_svg_scale *scale, double value)
{
    double share = scale->log ? log(value / scale->from) / log(scale->to / scale->from)
                              : (value - scale->from) / (scale->to - scale->from);
    share = fmax(-1, fmin(2, share));
    return scale->start + share * (scale->end - scale->start);
}

bool f0t_svg_can_show(const f0t_svg_scale *scale, double value)
{
    return isfinite(value) && (!scale->log || value > 0);
}

static size_t ticks_of_decades(double *ticks, const f0t_svg_scale *scale)
{
    static const double leads[] = {1, 2, 5};
    double decades = log10(scale->to / scale->from);
    double low = floor(log10(scale->from) + 1e-9), high = ceil(log10(scale->to) - 1e-9);
    double stride = ceil((high - low + 1) / (F0T_SVG_TICKS_MOST / 3));
    size_t count = 0;
    for (double power = low; power <= high; power += stride)
        for (int i = 0; i < (decades <= 2.5 ? 3 : 1); i++) {
            double tick = pow(10, power) * leads[i];
            bool inside = tick >= scale->from * (1 - 1e-9) && tick <= scale->to * (1 + 1e-9);
            if (inside && count < F0T_SVG_TICKS_MOST)
                ticks[count++] = tick;
        }
    return count;
}

size_t f0t_svg_ticks(double ticks[F0T_SVG_TICKS_MOST], const f0t_svg_scale *scale)
{
    if (scale->log)
        return ticks_of_decades(ticks, scale);
    double step = step_of(scale->to - scale->from, 6);
    double first = ceil(scale->from / step - 1e-9);
    size_t count = 0;
    for (double i = first; i * step <= scale->to + 1e-9 * step && count < F0T_SVG_TICKS_MOST; i++)
        ticks[count++] = i == 0 ? 0 : i * step;
    return count;
}

/* ---- The picture -------------------------------------------------------------------------- */

/* Plain rules and no variables: programs that are no browsers show these, too. The scheme of the root
 * is for a file of its own: without it browsers put light writing on white paper. The colours are those
 * of Okabe and Ito without their yellow, which white paper swallows; on dark paper lighter ones. */
static const char STYLE[] =
    "<style>"
    ":root{color-scheme:light dark}"
    ".f0t-svg{font:12px system-ui,-apple-system,'Segoe UI','Liberation Sans',sans-serif}"
    ".f0t-svg text{fill:#222}.f0t-svg .t{font-size:14px;font-weight:600}"
    ".f0t-svg .v{font-size:11px}.f0t-svg .g{stroke:#ddd;stroke-width:1}"
    ".f0t-svg .e{stroke:#222;stroke-width:1.2}.f0t-svg .l{fill:none;stroke-width:2}"
    ".f0t-svg .c0{fill:#0072b2;stroke:#0072b2}.f0t-svg .c1{fill:#d55e00;stroke:#d55e00}"
    ".f0t-svg .c2{fill:#009e73;stroke:#009e73}.f0t-svg .c3{fill:#cc79a7;stroke:#cc79a7}"
    ".f0t-svg .c4{fill:#56b4e9;stroke:#56b4e9}.f0t-svg .c5{fill:#e69f00;stroke:#e69f00}"
    ".f0t-svg .c6{fill:#555;stroke:#555}.f0t-svg .c7{fill:#8c6d1f;stroke:#8c6d1f}"
    ".f0t-svg .l{fill:none}.f0t-svg .m *{stroke:none;fill-opacity:.65}"
    ".f0t-svg .n{font-weight:600;paint-order:stroke;stroke:#fff;stroke-width:3px;"
    "stroke-linejoin:round}"
    ".f0t-svg .o{stroke:#888;stroke-width:1}.f0t-svg .a{fill:none;stroke:#222;stroke-width:2.5}"
    "@media(prefers-color-scheme:dark){"
    ".f0t-svg text{fill:#ddd}.f0t-svg .g{stroke:#444}.f0t-svg .e{stroke:#ddd}"
    ".f0t-svg .c0{fill:#4da3e0;stroke:#4da3e0}.f0t-svg .c1{fill:#f07f3c;stroke:#f07f3c}"
    ".f0t-svg .c2{fill:#2fc79a;stroke:#2fc79a}.f0t-svg .c3{fill:#e39ac4;stroke:#e39ac4}"
    ".f0t-svg .c4{fill:#8ed0f5;stroke:#8ed0f5}.f0t-svg .c5{fill:#f2b84b;stroke:#f2b84b}"
    ".f0t-svg .c6{fill:#bbb;stroke:#bbb}.f0t-svg .c7{fill:#d2b45a;stroke:#d2b45a}"
    ".f0t-svg .l{fill:none}.f0t-svg .n{stroke:#181818}.f0t-svg .a{stroke:#ddd}}"
    "</style>\n";

double f0t_svg_text_width(const char *text)
{
    double width = 0;
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if ((*c & 0xC0) != 0x80)
            width += *c >= 0xE0                       ? 12
                     : strchr("il.,:'|!()[]tfj ", *c) ? 4
                     : strchr("mwMW", *c)             ? 10
                                                      : 7;
    return width;
}

double f0t_svg_open(f0t_text *to, double width, double height, const char *title,
                    const char *description)
{
    f0t_text_form(to,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"f0t-svg\" role=\"img\" "
                  "viewBox=\"0 0 %f %f\" width=\"%f\" height=\"%f\">\n",
                  width, height, width, height);
    if (title)
        f0t_text_form(to, "<title>%s</title>\n", title);
    if (description)
        f0t_text_form(to, "<desc>%s</desc>\n", description);
    f0t_text_add(to, STYLE);
    if (!title)
        return 8;
    f0t_text_form(to, "<text class=\"t\" x=\"8\" y=\"20\">%s</text>\n", title);
    return 32;
}

void f0t_svg_close(f0t_text *to)
{
    f0t_text_add(to, "</svg>\n");
}

double f0t_svg_legend(f0t_text *to, double top, double width, const char *const *names,
                      size_t count)
{
    double x = 8, y = top + 8;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (!names[i])
            continue;
        double room = 30 + f0t_svg_text_width(names[i]);
        if (any && x + room > width) {
            x = 8;
            y += 18;
        }
        f0t_svg_mark(to, i, x + 6, y, 5);
        f0t_text_form(to, "<text x=\"%f\" y=\"%f\">%s</text>\n", x + 16, y + 4, names[i]);
        x += room;
        any = true;
    }
    return any ? y + 14 : top;
}

/* ---- Marks -------------------------------------------------------------------------------- */

void f0t_svg_mark(f0t_text *to, size_t series, double x, double y, double r)
{
    size_t colour = series % F0T_SVG_COLOURS;
    switch (series % 5) {
    case 0:
        f0t_text_form(to, "<circle class=\"c%zu\" cx=\"%f\" cy=\"%f\" r=\"%f\"/>\n", colour, x, y,
                      r);
        break;
    case 1:
        f0t_text_form(to, "<rect class=\"c%zu\" x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\"/>\n",
                      colour, x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r);
        break;
    case 2:
        f0t_text_form(to, "<path class=\"c%zu\" d=\"M%f %fL%f %fL%f %fZ\"/>\n", colour, x,
                      y - 1.2 * r, x + 1.1 * r, y + 0.8 * r, x - 1.1 * r, y + 0.8 * r);
        break;
    case 3:
        f0t_text_form(to, "<path class=\"c%zu\" d=\"M%f %fL%f %fL%f %fL%f %fZ\"/>\n", colour, x,
                      y - 1.3 * r, x + 1.3 * r, y, x, y + 1.3 * r, x - 1.3 * r, y);
        break;
    default:
        f0t_text_form(to, "<path class=\"c%zu\" d=\"M%f %fL%f %fL%f %fZ\"/>\n", colour, x,
                      y + 1.2 * r, x + 1.1 * r, y - 0.8 * r, x - 1.1 * r, y - 0.8 * r);
    }
}

/* ---- Axes --------------------------------------------------------------------------------- */

static void grid_line(f0t_text *to, double x1, double y1, double x2, double y2)
{
    f0t_text_form(to, "<line class=\"g\" x1=\"%f\" y1=\"%f\" x2=\"%f\" y2=\"%f\"/>\n", x1, y1, x2,
                  y2);
}

static void tick_label(f0t_text *to, double x, double y, const char *anchor, double value)
{
    f0t_text_form(to, "<text class=\"v\" x=\"%f\" y=\"%f\" text-anchor=\"%s\">", x, y, anchor);
    f0t_text_label(to, value);
    f0t_text_add(to, "</text>\n");
}

void f0t_svg_axis_x(f0t_text *to, const f0t_svg_scale *scale, const f0t_svg_box *box,
                    const char *title)
{
    double ticks[F0T_SVG_TICKS_MOST];
    size_t count = scale->bare ? 0 : f0t_svg_ticks(ticks, scale);
    for (size_t i = 0; i < count; i++) {
        double x = f0t_svg_place(scale, ticks[i]);
        grid_line(to, x, box->top, x, box->bottom);
        tick_label(to, x, box->bottom + 15, "middle", ticks[i]);
    }
    if (title)
        f0t_text_form(to, "<text x=\"%f\" y=\"%f\" text-anchor=\"middle\">%s</text>\n",
                      (box->left + box->right) / 2, box->bottom + 33, title);
}

void f0t_svg_axis_y(f0t_text *to, const f0t_svg_scale *scale, const f0t_svg_box *box,
                    const char *title)
{
    double ticks[F0T_SVG_TICKS_MOST], middle = (box->top + box->bottom) / 2;
    size_t count = scale->bare ? 0 : f0t_svg_ticks(ticks, scale);
    for (size_t i = 0; i < count; i++) {
        double y = f0t_svg_place(scale, ticks[i]);
        grid_line(to, box->left, y, box->right, y);
        tick_label(to, box->left - 6, y + 4, "end", ticks[i]);
    }
    if (title)
        f0t_text_form(to,
                      "<text x=\"14\" y=\"%f\" text-anchor=\"middle\" transform=\"rotate(-90 14 "
                      "%f)\">%s</text>\n",
                      middle, middle, title);
}
