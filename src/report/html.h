/*
 * Pages of HTML that need nothing else: style, plots and pictures are inside. They follow the
 * reader's light or dark colours, and print. A browser runs no script of theirs and loads nothing, whatever a name
 * in them may contain (Content-Security-Policy).
 *
 *     f0t_text page = {0};
 *     f0t_html_begin(&page, "Comparison", "flickr8k, 15 methods");
 *     f0t_html_section(&page, "zero-shot", "Zero-shot");
 *     f0t_svg_bars(&page, &chart);
 *     f0t_html_end(&page);
 *     f0t_status status = f0t_text_save(&page, "index.html");
 *     f0t_text_free(&page);
 */
#ifndef F0T_REPORT_HTML_H
#define F0T_REPORT_HTML_H

#include "image/worker.h"
#include "report/text.h"

/* Head, style, title and, where it is not NULL, a line below it. */
void f0t_html_begin(f0t_text *page, const char *title, const char *subtitle);
/* The same of a page that a browser reads again after so many seconds; 0: it does not. */
void f0t_html_begin_reloading(f0t_text *page, const char *title, const char *subtitle,
                              size_t seconds);
void f0t_html_end(f0t_text *page);

/* A heading that others can link to as "#id". */
void f0t_html_section(f0t_text *page, const char *id, const char *title);
void f0t_html_paragraph(f0t_text *page, const char *text);
/* A list of links to sections: ids[count], titles[count]. */
void f0t_html_contents(f0t_text *page, const char *const *ids, const char *const *titles,
                       size_t count);

/* What stands between these is drawn whole where there is room, and scrolls where there is not. */
void f0t_html_chart_begin(f0t_text *page);
void f0t_html_chart_end(f0t_text *page);

/* A tag of a ranking: right ones green, wrong ones red and italic, as in the paper's figure. */
void f0t_html_tag(f0t_text *page, const char *tag, bool right);

/* ---- Pictures ----------------------------------------------------------------------------- */

/* What makes pictures small for a page; NULL where its program is missing, or when there is no memory,
 * which the page then says. */
f0t_worker *f0t_html_worker_create(f0t_text *page);

enum { F0T_HTML_SMALL = 1 << 16, F0T_HTML_PICTURE_MOST = 1 << 19 };

/* The picture, with its name as the alternative. A JPEG, PNG, GIF or WebP (by its content) of up to
 * F0T_HTML_SMALL bytes is inside as it is; anything else as a small PNG of the worker's: photographs
 * would make the page large, browsers do not show every format, and an SVG may have scripts in it.
 * Without a worker (NULL) a JPEG, PNG, GIF, WebP or SVG of up to F0T_HTML_PICTURE_MOST bytes is inside
 * as it is. What cannot be shown gives a box with the name. */
void f0t_html_picture(f0t_text *page, f0t_worker *worker, const char *path, const char *name);

#endif
