/* What plots have in common: the picture around the data. Axes that turn values into pixels, ticks,
 * titles, legend, colours. */
#ifndef F0T_REPORT_SVG_FRAME_H
#define F0T_REPORT_SVG_FRAME_H

#include "report/svg.h"

/* Values from … to lie at pixels start … end. */
typedef struct f0t_svg_scale {
    double from, to;
    bool log;
    double start, end;
    bool bare;
} f0t_svg_scale;

enum { F0T_SVG_TICKS_MOST = 24 };

/* The values that an axis will have to show. Begin with f0t_svg_range_none. */
typedef struct f0t_svg_range {
    double least, most; /* least > most: none yet */
} f0t_svg_range;

f0t_svg_range f0t_svg_range_none(void);
void f0t_svg_range_add(f0t_svg_range *range, double value, bool log);

/* Whole steps around the range, or what the axis demands. */
f0t_svg_scale f0t_svg_scale_create(const f0t_svg_axis *axis, f0t_svg_range range);
/* The pixel of a value; far outside values stay near. */
double f0t_svg_place(const f0t_svg_scale *scale, double value);
bool f0t_svg_can_show(const f0t_svg_scale *scale, double value);
/* Round values on the scale, ascending; gives how many. */
size_t f0t_svg_ticks(double ticks[F0T_SVG_TICKS_MOST], const f0t_svg_scale *scale);

/* The rectangle that is left for the data. */
typedef struct f0t_svg_box {
    double left, top, right, bottom;
} f0t_svg_box;

/* Opens the picture: style, title, legend (entries may be NULL). Gives how many pixels are used up
 * at the top. */
double f0t_svg_open(f0t_text *to, double width, double height, const char *title,
                    const char *description);
double f0t_svg_legend(f0t_text *to, double top, double width, const char *const *names,
                      size_t count);
void f0t_svg_close(f0t_text *to);

/* Grid lines, tick labels and title of an axis below (x) or left of (y) the box. */
void f0t_svg_axis_x(f0t_text *to, const f0t_svg_scale *scale, const f0t_svg_box *box,
                    const char *title);
void f0t_svg_axis_y(f0t_text *to, const f0t_svg_scale *scale, const f0t_svg_box *box,
                    const char *title);

/* The mark of a series: circle, square, diamond, triangle, … */
void f0t_svg_mark(f0t_text *to, size_t series, double x, double y, double size);

/* About how wide a text is at 12 pixels. */
double f0t_svg_text_width(const char *text);

#endif
