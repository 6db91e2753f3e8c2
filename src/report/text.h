/*
 * A text that grows, for pages, plots and tables. A failure is kept: all later calls do nothing, and
 * whoever uses the text in the end asks for its status once.
 *
 *     f0t_text text = {0};
 *     f0t_text_form(&text, "<text x=\"%f\">%s</text>", 12.5, name);
 *     f0t_status status = f0t_text_save(&text, "figure.svg");
 *     f0t_text_free(&text);
 */
#ifndef F0T_REPORT_TEXT_H
#define F0T_REPORT_TEXT_H

#include "base/status.h"

/* Zero-initialised: an empty text. */
typedef struct f0t_text {
    char *bytes; /* NUL-terminated; NULL while nothing was added */
    size_t size, capacity;
    f0t_status status;
} f0t_text;

/* As it is. */
void f0t_text_add(f0t_text *text, const char *raw);
void f0t_text_add_bytes(f0t_text *text, const char *raw, size_t size);

/* `form` as it is, with %s, %d, %zu, %f and %.Nf in it. What %s brings is escaped for XML and HTML:
 * names and tags come from files. %f writes at most two decimals, %.Nf exactly N (up to 9), both
 * with a point in every locale. */
void f0t_text_form(f0t_text *text, const char *form, ...) __attribute__((format(printf, 2, 3)));

/* Text from a file, with &, <, > and quotes escaped, and control characters as '?'. */
void f0t_text_escape(f0t_text *text, const char *raw);

/* A number with `decimals` of them (up to 9), a point in every locale; "–" for NaN and infinity. A
 * negative number of decimals: at most that many. */
void f0t_text_number(f0t_text *text, double value, int decimals);
/* The same into memory of the caller's. */
enum { F0T_NUMBER_SIZE = 48 };
void f0t_number_write(char out[F0T_NUMBER_SIZE], double value, int decimals);

/* A number as an axis shows it: 0.25, 12, 3000, 2·10⁻⁵. */
void f0t_text_label(f0t_text *text, double value);

/* Base64 of the bytes (RFC 4648). */
void f0t_text_base64(f0t_text *text, const void *data, size_t size);

/* Writes it whole or not at all; fails with what went wrong before, too. */
f0t_status f0t_text_save(const f0t_text *text, const char *path);
void f0t_text_free(f0t_text *text);

#endif
