#include "report/svg_frame.h"

#include <math.h>
#include <string.h>

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

/* ---- Marks --------------------------------------------------------------------------------- */

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

/* ---- Axes ---------------------------------------------------------------------------------- */

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
