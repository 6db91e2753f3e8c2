/*
 * Pictures inside a page of HTML.
 *
 *     f0t_worker *worker = f0t_html_worker_create(&page);
 *     f0t_html_picture(&page, worker, "holiday/1.heic", "1.heic");
 *     f0t_worker_free(worker);
 */
#ifndef F0T_REPORT_HTML_PICTURE_H
#define F0T_REPORT_HTML_PICTURE_H

#include "image/worker.h"
#include "report/text.h"

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
