/* Tables: building them, and writing them as text, Markdown, CSV, LaTeX and HTML. */
#include "report/table.h"

#include "base/alloc.h"
#include "base/interner.h"
#include "report/measures.h"

#include <string.h>

struct f0t_table {
    char *caption, *aligns;
    size_t columns, rows, filled;   /* filled: cells of the last row */
    f0t_texts heads, groups, cells; /* cells: rows x columns, the last row as far as it is filled */
    bool *grouped;                  /* [columns] a group begins */
    bool has_groups;
    uint8_t *cell_styles, *row_styles;
    size_t cell_capacity, row_capacity;
    f0t_status status;
};

/* ---- Building ----------------------------------------------------------------------------- */

static f0t_status fill(f0t_table *t, const char *caption, const char *aligns,
                       const char *const *groups, const char *const *heads)
{
    F0T_TRY(f0t_string_copy(&t->caption, caption, strlen(caption)));
    F0T_TRY(f0t_string_copy(&t->aligns, aligns, strlen(aligns)));
    F0T_TRY(f0t_alloc_zero(&t->grouped, t->columns, sizeof *t->grouped));
    for (size_t c = 0; c < t->columns; c++) {
        const char *group = groups && groups[c] ? groups[c] : "";
        F0T_TRY(f0t_texts_add(&t->heads, heads[c], strlen(heads[c])));
        F0T_TRY(f0t_texts_add(&t->groups, group, strlen(group)));
        t->grouped[c] = groups && groups[c];
    }
    return F0T_OK;
}

f0t_status f0t_table_create(f0t_table **out, const char *caption, const char *aligns,
                            const char *const *groups, const char *const *heads)
{
    f0t_table *t;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&t, 1, sizeof *t));
    t->columns = strlen(aligns);
    t->has_groups = groups != NULL;
    f0t_status status = fill(t, caption, aligns, groups, heads);
    if (status != F0T_OK)
        f0t_table_free(t);
    else
        *out = t;
    return status;
}

void f0t_table_free(f0t_table *t)
{
    if (!t)
        return;
    f0t_texts_free(&t->heads);
    f0t_texts_free(&t->groups);
    f0t_texts_free(&t->cells);
    f0t_free(t->caption);
    f0t_free(t->aligns);
    f0t_free(t->grouped);
    f0t_free(t->cell_styles);
    f0t_free(t->row_styles);
    f0t_free(t);
}

void f0t_table_row(f0t_table *t, f0t_row_style style)
{
    while (t->status == F0T_OK && t->rows && t->filled < t->columns)
        f0t_table_cell(t, "", F0T_CELL_PLAIN);
    if (t->status == F0T_OK)
        t->status = f0t_grow(&t->row_styles, &t->row_capacity, t->rows, 1, 1);
    if (t->status != F0T_OK)
        return;
    t->row_styles[t->rows++] = (uint8_t)style;
    t->filled = 0;
}

void f0t_table_cell(f0t_table *t, const char *text, f0t_cell_style style)
{
    size_t at = t->cells.count;
    if (t->status == F0T_OK && (!t->rows || t->filled == t->columns))
        t->status = f0t_fail(F0T_ERROR_INTERNAL, "a table row has no place for '%s'", text);
    if (t->status == F0T_OK)
        t->status = f0t_grow(&t->cell_styles, &t->cell_capacity, at, 1, 1);
    if (t->status == F0T_OK)
        t->status = f0t_texts_add(&t->cells, text, strlen(text));
    if (t->status != F0T_OK)
        return;
    t->cell_styles[at] = (uint8_t)style;
    t->filled++;
}

/* ---- Reading, for the writers ------------------------------------------------------------- */

/* "" past the last cell that is set. */
static const char *text_of(const f0t_table *t, size_t row, size_t column)
{
    size_t at = row * t->columns + column;
    return at < t->cells.count ? f0t_texts_get(&t->cells, at) : "";
}

static f0t_cell_style style_of(const f0t_table *t, size_t row, size_t column)
{
    size_t at = row * t->columns + column;
    return at < t->cells.count ? (f0t_cell_style)t->cell_styles[at] : F0T_CELL_PLAIN;
}

/* How many columns the group that begins at `column` covers. */
static size_t span_of(const f0t_table *t, size_t column)
{
    size_t span = 1;
    while (column + span < t->columns && !t->grouped[column + span])
        span++;
    return span;
}

/* Columns on the screen: one per character, as our tables have no wide or combining ones. */
static size_t width(const char *text)
{
    size_t n = 0;
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        n += (*c & 0xC0) != 0x80;
    return n;
}

static void pad(f0t_text *to, size_t count)
{
    for (; count; count--)
        f0t_text_add(to, " ");
}

/* ---- Text --------------------------------------------------------------------------------- */

/* Where nothing can be bold the best have a star, and what stands with them in a column a blank. */
static bool has_stars(const f0t_table *t, size_t column, bool bold)
{
    for (size_t r = 0; r < t->rows && !bold; r++)
        if (style_of(t, r, column) == F0T_CELL_BEST)
            return true;
    return false;
}

static void find_widths(size_t *widths, const f0t_table *t, bool bold)
{
    for (size_t c = 0; c < t->columns; c++) {
        widths[c] = width(f0t_texts_get(&t->heads, c));
        for (size_t r = 0; r < t->rows; r++) {
            size_t w = width(text_of(t, r, c));
            widths[c] = w > widths[c] ? w : widths[c];
        }
        widths[c] += has_stars(t, c, bold);
    }
}

/* `mark` is "*", " " or "" behind the text. */
static void aligned(f0t_text *to, const f0t_table *t, size_t column, size_t w, const char *text,
                    bool bold, const char *mark)
{
    size_t gap = w - width(text) - width(mark);
    bool last = column + 1 == t->columns;
    pad(to, t->aligns[column] == 'r' ? gap : 0);
    f0t_text_add(to, bold ? "\033[1m" : "");
    f0t_text_add(to, text);
    f0t_text_add(to, bold ? "\033[0m" : "");
    f0t_text_add(to, mark);
    pad(to, t->aligns[column] == 'r' || last ? 0 : gap);
    while (last && to->size && to->bytes[to->size - 1] == ' ')
        to->size--;
    f0t_text_add(to, last ? "\n" : "  ");
}

/* A group stands over its columns, in the middle. */
static void write_groups(f0t_text *to, const f0t_table *t, const size_t *widths)
{
    size_t owed = 0; /* spaces that count only when something follows */
    for (size_t c = 0; c < t->columns;) {
        size_t span = span_of(t, c), room = 0;
        const char *name = f0t_texts_get(&t->groups, c);
        for (size_t i = c; i < c + span; i++)
            room += widths[i] + (i > c ? 2 : 0);
        size_t w = width(name), left = w < room ? (room - w + 1) / 2 : 0;
        if (*name) {
            pad(to, owed + left);
            f0t_text_add(to, name);
            owed = 0;
        }
        owed += (*name ? (room > left + w ? room - left - w : 0) : room) + 2;
        c += span;
    }
    f0t_text_add(to, "\n");
}

static void write_text(f0t_text *to, const f0t_table *t, const size_t *widths, bool bold)
{
    if (*t->caption) {
        f0t_text_add(to, t->caption);
        f0t_text_add(to, "\n");
    }
    if (t->has_groups)
        write_groups(to, t, widths);
    for (size_t c = 0; c < t->columns; c++)
        aligned(to, t, c, widths[c], f0t_texts_get(&t->heads, c), false,
                has_stars(t, c, bold) ? " " : "");
    for (size_t r = 0; r < t->rows; r++)
        for (size_t c = 0; c < t->columns; c++) {
            const bool best = style_of(t, r, c) == F0T_CELL_BEST;
            aligned(to, t, c, widths[c], text_of(t, r, c), bold && best,
                    !has_stars(t, c, bold) ? ""
                    : best                 ? "*"
                                           : " ");
        }
}

/* ---- Markdown ----------------------------------------------------------------------------- */

static void markdown_cell(f0t_text *to, const char *text, bool best)
{
    f0t_text_add(to, best ? " **" : " ");
    for (; *text; text++) {
        if (strchr("|*_`<>[]\\", *text))
            f0t_text_add(to, "\\");
        f0t_text_add_bytes(to, text, 1);
    }
    f0t_text_add(to, best ? "** |" : " |");
}

/* Markdown has no groups: they are appended to each head. */
static void markdown_head(f0t_text *to, const f0t_table *t, size_t column)
{
    size_t group = column;
    while (group && !t->grouped[group])
        group--;
    f0t_text_add(to, " ");
    f0t_text_add(to, f0t_texts_get(&t->heads, column));
    if (t->has_groups && *f0t_texts_get(&t->groups, group)) {
        f0t_text_add(to, " ");
        f0t_text_add(to, f0t_texts_get(&t->groups, group));
    }
    f0t_text_add(to, " |");
}

static void write_markdown(f0t_text *to, const f0t_table *t)
{
    if (*t->caption) {
        f0t_text_add(to, t->caption);
        f0t_text_add(to, "\n\n");
    }
    f0t_text_add(to, "|");
    for (size_t c = 0; c < t->columns; c++)
        markdown_head(to, t, c);
    f0t_text_add(to, "\n|");
    for (size_t c = 0; c < t->columns; c++)
        f0t_text_add(to, t->aligns[c] == 'r' ? "---:|" : "---|");
    f0t_text_add(to, "\n");
    for (size_t r = 0; r < t->rows; r++) {
        f0t_text_add(to, "|");
        for (size_t c = 0; c < t->columns; c++)
            markdown_cell(to, text_of(t, r, c), style_of(t, r, c) == F0T_CELL_BEST);
        f0t_text_add(to, "\n");
    }
}

/* ---- CSV ---------------------------------------------------------------------------------- */

/* RFC 4180: quotes where needed, doubled inside. */
static void csv_cell(f0t_text *to, const char *text, bool last)
{
    bool quoted = text[strcspn(text, ",\"\r\n")] != 0;
    f0t_text_add(to, quoted ? "\"" : "");
    for (; *text; text++)
        f0t_text_add_bytes(to, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    f0t_text_add(to, quoted ? "\"" : "");
    f0t_text_add(to, last ? "\n" : ",");
}

static void write_csv(f0t_text *to, const f0t_table *t)
{
    for (size_t c = 0; c < t->columns; c++)
        csv_cell(to, f0t_texts_get(&t->heads, c), c + 1 == t->columns);
    for (size_t r = 0; r < t->rows; r++)
        for (size_t c = 0; c < t->columns; c++)
            csv_cell(to, text_of(t, r, c), c + 1 == t->columns);
}

/* ---- LaTeX -------------------------------------------------------------------------------- */

static void latex_text(f0t_text *to, const char *text)
{
    for (; *text; text++) {
        if (*text == '\\')
            f0t_text_add(to, "\\textbackslash{}");
        else if (*text == '~' || *text == '^')
            f0t_text_add(to, *text == '~' ? "\\textasciitilde{}" : "\\textasciicircum{}");
        else {
            if (strchr("&%$#_{}", *text))
                f0t_text_add(to, "\\");
            f0t_text_add_bytes(to, text, 1);
        }
    }
}

static void latex_groups(f0t_text *to, const f0t_table *t)
{
    for (size_t c = 0; c < t->columns; c += span_of(t, c)) {
        f0t_text_add(to, c ? " & " : "");
        f0t_text_form(to, "\\multicolumn{%zu}{c}{", span_of(t, c));
        latex_text(to, f0t_texts_get(&t->groups, c));
        f0t_text_add(to, "}");
    }
    f0t_text_add(to, " \\\\\n");
    for (size_t c = 0; c < t->columns; c += span_of(t, c))
        if (*f0t_texts_get(&t->groups, c))
            f0t_text_form(to, "\\cmidrule(lr){%zu-%zu}\n", c + 1, c + span_of(t, c));
}

static void latex_row(f0t_text *to, const f0t_table *t, size_t row)
{
    for (size_t c = 0; c < t->columns; c++) {
        bool best = style_of(t, row, c) == F0T_CELL_BEST;
        f0t_text_add(to, c ? " & " : "");
        f0t_text_add(to, best ? "\\textbf{" : "");
        latex_text(to, text_of(t, row, c));
        f0t_text_add(to, best ? "}" : "");
    }
    f0t_text_add(to, " \\\\\n");
}

/* Rules are those of the package booktabs. */
static void write_latex(f0t_text *to, const f0t_table *t)
{
    f0t_text_add(to, "\\begin{table}\n\\centering\n\\caption{");
    latex_text(to, t->caption);
    f0t_text_add(to, "}\n\\begin{tabular}{");
    f0t_text_add(to, t->aligns);
    f0t_text_add(to, "}\n\\toprule\n");
    if (t->has_groups)
        latex_groups(to, t);
    for (size_t c = 0; c < t->columns; c++) {
        f0t_text_add(to, c ? " & " : "");
        latex_text(to, f0t_texts_get(&t->heads, c));
    }
    f0t_text_add(to, " \\\\\n\\midrule\n");
    for (size_t r = 0; r < t->rows; r++)
        latex_row(to, t, r);
    f0t_text_add(to, "\\bottomrule\n\\end{tabular}\n\\end{table}\n");
}

/* ---- Which -------------------------------------------------------------------------------- */

void f0t_table_write(f0t_text *to, const f0t_table *t, f0t_table_form form, bool bold)
{
    size_t *widths = NULL;
    if (to->status == F0T_OK)
        to->status = t->status;
    if (form == F0T_TABLE_TEXT && to->status == F0T_OK)
        to->status = f0t_alloc(&widths, t->columns, sizeof *widths);
    if (to->status != F0T_OK)
        return;
    if (form == F0T_TABLE_MARKDOWN) {
        write_markdown(to, t);
    } else if (form == F0T_TABLE_CSV) {
        write_csv(to, t);
    } else if (form == F0T_TABLE_LATEX) {
        write_latex(to, t);
    } else {
        find_widths(widths, t, bold);
        write_text(to, t, widths, bold);
    }
    f0t_free(widths);
}

/* ---- HTML --------------------------------------------------------------------------------- */

enum { NARROW = 5 }; /* columns that a phone shows side by side */

static void html_heads(f0t_text *to, const f0t_table *t)
{
    if (t->has_groups) {
        f0t_text_add(to, "<tr>");
        for (size_t c = 0; c < t->columns; c += span_of(t, c)) {
            f0t_text_form(to, "<th colspan=\"%zu\" class=\"c\">", span_of(t, c));
            f0t_measure_write(to, f0t_texts_get(&t->groups, c));
            f0t_text_add(to, "</th>");
        }
        f0t_text_add(to, "</tr>\n");
    }
    f0t_text_add(to, "<tr>");
    for (size_t c = 0; c < t->columns; c++) {
        f0t_text_add(to, t->aligns[c] == 'l' ? "<th class=\"l\">" : "<th class=\"r\">");
        f0t_measure_write(to, f0t_texts_get(&t->heads, c));
        f0t_text_add(to, "</th>");
    }
    f0t_text_add(to, "</tr>\n");
}

/* The caption stands before the box that scrolls, so that it is read whole on a narrow screen. */
void f0t_table_write_html(f0t_text *to, const f0t_table *t)
{
    if (to->status == F0T_OK)
        to->status = t->status;
    f0t_text_add(to, "<figure class=\"table\">\n");
    if (*t->caption)
        f0t_text_form(to, "<figcaption>%s</figcaption>\n", t->caption);
    if (t->columns > NARROW)
        f0t_text_add(to, "<p class=\"swipe\">The table goes on to the right: swipe it.</p>\n");
    f0t_text_add(to, "<div class=\"wide\" tabindex=\"0\"><table>\n<thead>\n");
    html_heads(to, t);
    f0t_text_add(to, "</thead>\n<tbody>\n");
    for (size_t r = 0; r < t->rows; r++) {
        f0t_text_add(to, t->row_styles[r] == F0T_ROW_MINOR ? "<tr class=\"minor\">" : "<tr>");
        for (size_t c = 0; c < t->columns; c++)
            f0t_text_form(to, "<td class=\"%s%s\">%s</td>", t->aligns[c] == 'l' ? "l" : "r",
                          style_of(t, r, c) == F0T_CELL_BEST ? " best" : "", text_of(t, r, c));
        f0t_text_add(to, "</tr>\n");
    }
    f0t_text_add(to, "</tbody>\n</table></div>\n</figure>\n");
}
