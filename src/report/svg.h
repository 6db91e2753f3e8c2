/*
 * Plots as SVG: lines, points, bars, ranks. What comes out may stand in a page or be a file of its own; it
 * follows the reader's light or dark colours (prefers-color-scheme), its colours are told apart by
 * colour-blind readers (Okabe and Ito, "Color Universal Design", 2008), and series differ in their
 * marks as well.
 *
 *     const double x[] = {1e3, 1e4, 1e5}, y[] = {0.2, 1.9, 21};
 *     f0t_svg_series series = {.name = "tagprop", .count = 3, .x = x, .y = y};
 *     f0t_svg_plot plot = {.title = "Time to test",
 *                          .x = {.title = "training images", .log = true},
 *                          .y = {.title = "seconds", .log = true},
 *                          .series = &series,
 *                          .series_count = 1};
 *     f0t_text text = {0};
 *     f0t_svg_lines(&text, &plot);
 *     f0t_status status = f0t_text_save(&text, "time.svg");
 *     f0t_text_free(&text);
 */
#ifndef F0T_REPORT_SVG_H
#define F0T_REPORT_SVG_H

#include "report/text.h"

/* Colours repeat after so many series; with their marks they are told apart up to 40. */
enum { F0T_SVG_COLOURS = 8 };

typedef struct f0t_svg_axis {
    const char *title; /* or NULL */
    bool log;          /* values that are not above 0 are left out */
    double from, to;   /* both 0: what the data need */
    bool bare;         /* no grid and no numbers: they mean nothing */
} f0t_svg_axis;

typedef struct f0t_svg_series {
    const char *name; /* for the legend; NULL: not in it */
    size_t count;
    const double *x, *y;       /* [count]; a point with a NaN is left out, and ends a line */
    const double *spread;      /* [count] y ± spread is shown as a bar; or NULL */
    const char *const *labels; /* [count] texts beside the points, each may be NULL; or NULL */
} f0t_svg_series;

/* A text in the plot, or an arrow with a text at its head. Texts that would cover one before them, or
 * an arrow's, are left out. */
typedef struct f0t_svg_note {
    const char *text;
    double x, y; /* the middle of the text, the head of the arrow */
    bool arrow;
    double from_x, from_y; /* its other end */
} f0t_svg_note;

typedef struct f0t_svg_plot {
    const char *title;       /* or NULL */
    const char *description; /* for readers who do not see it; or NULL */
    double width, height;    /* in pixels; 0: 640 and 400 */
    f0t_svg_axis x, y;
    const f0t_svg_series *series;
    size_t series_count;
    bool origin;               /* lines through 0 */
    bool equal;                /* a step is as long along x as along y; no logarithms then */
    const f0t_svg_note *notes; /* on top of the points; or NULL */
    size_t note_count;
} f0t_svg_plot;

/* Points joined in their order, with marks where a series has at most 40 of them. */
void f0t_svg_lines(f0t_text *to, const f0t_svg_plot *plot);
/* Points alone. */
void f0t_svg_scatter(f0t_text *to, const f0t_svg_plot *plot);

/* Groups of bars: one group per method, say, with one bar per metric. */
typedef struct f0t_svg_bar_chart {
    const char *title, *description; /* or NULL */
    double width, height;            /* 0: 640, and as high as the bars need (standing bars: 400) */
    bool standing; /* groups from left to right; else from top to bottom, which suits long
                             names */
    const char *const *groups; /* [group_count] */
    size_t group_count;
    const char *const *series; /* [series_count] for the legend, which a single one does not have */
    size_t series_count;
    const double *values;  /* [group_count x series_count]; NaN: a dash in place of a bar */
    const double *spreads; /* the same shape: value ± spread; or NULL */
    f0t_svg_axis axis;     /* of the values; not logarithmic */
    int decimals;          /* of the values, written at lying bars */
} f0t_svg_bar_chart;

void f0t_svg_bars(f0t_text *to, const f0t_svg_bar_chart *chart);

/* Methods by their mean ranks; those that are no further apart than the critical difference are joined by a bar. */
typedef struct f0t_svg_rank_chart {
    const char *title, *description; /* or NULL */
    const char *const *names;        /* [count] */
    const double *ranks;             /* [count] 1 … count, 1 is the best */
    size_t count;
    double critical;
} f0t_svg_rank_chart;

void f0t_svg_ranks(f0t_text *to, const f0t_svg_rank_chart *chart);

#endif
