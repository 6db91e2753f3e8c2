/*
 * A table that can be shown as text, Markdown, CSV, LaTeX or HTML. Cells are copied. All calls after a
 * failure do nothing; the text that the table is written into has the status in the end.
 */
#ifndef F0T_REPORT_TABLE_H
#define F0T_REPORT_TABLE_H

#include "fast0tag_tools.h"
#include "report/text.h"

/* The text that the caller of a report gets. */
struct f0t_report {
    f0t_text text;
};

typedef struct f0t_table f0t_table;

typedef enum f0t_cell_style { F0T_CELL_PLAIN, F0T_CELL_BEST } f0t_cell_style;
/* A minor row belongs to the one above it: a published value, a difference. */
typedef enum f0t_row_style { F0T_ROW_PLAIN, F0T_ROW_MINOR } f0t_row_style;

/* aligns: 'l' or 'r' for each column, of which there are strlen(aligns). `heads` is one text per
 * column. `groups`, or NULL, stands above them: groups[c] begins a group that reaches to the next
 * column whose group is not NULL; "" is none. */
f0t_status f0t_table_create(f0t_table **out, const char *caption, const char *aligns,
                            const char *const *groups, const char *const *heads);
void f0t_table_free(f0t_table *table);

void f0t_table_row(f0t_table *table, f0t_row_style style);
/* The next cell of the last row; those that are not set are empty. */
void f0t_table_cell(f0t_table *table, const char *text, f0t_cell_style style);

/* In this form; `bold`: with escape sequences of terminals (text alone). */
void f0t_table_write(f0t_text *to, const f0t_table *table, f0t_table_form form, bool bold);
void f0t_table_write_html(f0t_text *to, const f0t_table *table);

#endif
