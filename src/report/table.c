#include "base/alloc.h"
#include "report/table_parts.h"

#include <string.h>

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

const char *f0t_table_text(const f0t_table *t, size_t row, size_t column)
{
    size_t at = row * t->columns + column;
    return at < t->cells.count ? f0t_texts_get(&t->cells, at) : "";
}

f0t_cell_style f0t_table_style(const f0t_table *t, size_t row, size_t column)
{
    size_t at = row * t->columns + column;
    return at < t->cells.count ? (f0t_cell_style)t->cell_styles[at] : F0T_CELL_PLAIN;
}

size_t f0t_table_span(const f0t_table *t, size_t column)
{
    size_t span = 1;
    while (column + span < t->columns && !t->grouped[column + span])
        span++;
    return span;
}
