/* A comparison as text, Markdown, CSV or LaTeX. */
#include "base/alloc.h"
#include "report/eval_tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct f0t_report {
    f0t_text text;
};

const char *f0t_report_text(const f0t_report *report)
{
    return report->text.bytes ? report->text.bytes : "";
}

void f0t_report_free(f0t_report *report)
{
    if (!report)
        return;
    f0t_text_free(&report->text);
    f0t_free(report);
}

/* ---- All values, a line each row --------------------------------------------------------------- */

static void add_number(f0t_table *t, const f0t_eval_row *row, const char *name, bool deviation)
{
    char text[F0T_NUMBER_SIZE] = "";
    const f0t_eval_value *value = f0t_eval_row_value(row, name);
    double number = value ? (deviation ? value->deviation : value->mean) : (double)NAN;
    if (isfinite(number))
        f0t_number_write(text, number, -6);
    f0t_table_cell(t, text, F0T_CELL_PLAIN);
}

static void add_flat_row(f0t_table *t, const f0t_eval_row *row, const f0t_values *names)
{
    char number[24];
    f0t_table_row(t, F0T_ROW_PLAIN);
    f0t_table_cell(t, row->method, F0T_CELL_PLAIN);
    f0t_table_cell(t, row->scenario, F0T_CELL_PLAIN);
    snprintf(number, sizeof number, "%zu", row->images);
    f0t_table_cell(t, number, F0T_CELL_PLAIN);
    snprintf(number, sizeof number, "%zu", row->tags);
    f0t_table_cell(t, number, F0T_CELL_PLAIN);
    snprintf(number, sizeof number, "%zu", row->repeats);
    f0t_table_cell(t, number, F0T_CELL_PLAIN);
    for (size_t i = 0; i < names->count; i++)
        add_number(t, row, names->names[i], false);
    for (size_t i = 0; i < names->count && row->repeats > 1; i++)
        add_number(t, row, names->names[i], true);
    f0t_table_cell(t, row->knobs, F0T_CELL_PLAIN);
    f0t_table_cell(t, row->refusal ? row->refusal : "", F0T_CELL_PLAIN);
}

f0t_status f0t_eval_flat_table(f0t_table **out, const f0t_eval *e)
{
    enum { FIXED = 7, MOST = FIXED + 2 * F0T_VALUES_MOST };
    const char *heads[MOST] = {"method", "scenario", "images", "tags", "repeats"};
    char deviations[F0T_VALUES_MOST][F0T_VALUE_NAME_MOST + 4], aligns[MOST + 1];
    const f0t_values *names = &e->names;
    size_t count = 5;
    for (size_t i = 0; i < names->count; i++)
        heads[count++] = names->names[i];
    for (size_t i = 0; e->plan.repeat > 1 && i < names->count; i++) {
        snprintf(deviations[i], sizeof deviations[i], "%s_sd", names->names[i]);
        heads[count++] = deviations[i];
    }
    heads[count++] = "knobs";
    heads[count++] = "refusal";
    memset(aligns, 'l', count);
    aligns[count] = 0;
    F0T_TRY(f0t_table_create(out, "", aligns, NULL, heads));
    for (size_t i = 0; i < e->row_count; i++)
        add_flat_row(*out, &e->rows[i], names);
    return F0T_OK;
}

/* ---- Tables of scenarios ------------------------------------------------------------------- */

static f0t_status add_table(f0t_text *to, f0t_table *table, const f0t_eval_layout *layout)
{
    f0t_table_write(to, table, layout->form, layout->bold);
    f0t_table_free(table);
    return to->status;
}

/* What stands before a note: LaTeX wants it as a comment, Markdown as a paragraph. */
static const char *note_mark(f0t_table_form form)
{
    return form == F0T_TABLE_LATEX ? "% " : form == F0T_TABLE_MARKDOWN ? "\n" : "";
}

static f0t_status add_scenario(f0t_text *to, const f0t_eval_slice *slice,
                               const f0t_eval_layout *layout, const f0t_published *paper)
{
    f0t_table *table;
    if (to->size)
        f0t_text_add(to, "\n");
    F0T_TRY(f0t_eval_table(&table, slice, paper));
    F0T_TRY(add_table(to, table, layout));
    f0t_eval_refusals(to, slice, note_mark(layout->form), "\n", false);
    if (!layout->per_class)
        return F0T_OK;
    f0t_text_add(to, "\n");
    F0T_TRY(f0t_eval_class_table(&table, slice));
    return add_table(to, table, layout);
}

static f0t_status write_report(f0t_text *to, const f0t_eval *e, const f0t_eval_layout *layout)
{
    const f0t_published *paper = NULL;
    f0t_table *table;
    if (layout->paper)
        F0T_TRY(f0t_published_find(&paper, layout->paper));
    if (layout->form == F0T_TABLE_CSV) {
        F0T_TRY(f0t_eval_flat_table(&table, e));
        return add_table(to, table, layout);
    }
    for (int s = 0; s < F0T_SCENARIOS; s++) {
        f0t_eval_slice slice = f0t_eval_slice_of(e, (f0t_scenario)s);
        if (slice.count)
            F0T_TRY(add_scenario(to, &slice, layout, paper));
    }
    for (const char *const *slip = paper ? paper->slips : NULL; slip && *slip; slip++) {
        f0t_text_add(to, layout->form == F0T_TABLE_LATEX ? "% " : "\n");
        f0t_text_add(to, *slip);
        f0t_text_add(to, "\n");
    }
    return to->status;
}

f0t_status f0t_eval_report(f0t_report **out, const f0t_eval *eval, const f0t_eval_layout *layout)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(eval);
    static const f0t_eval_layout plain;
    f0t_report *report;
    F0T_TRY(f0t_alloc_zero(&report, 1, sizeof *report));
    f0t_status status = write_report(&report->text, eval, layout ? layout : &plain);
    if (status == F0T_OK)
        status = report->text.status;
    if (status != F0T_OK)
        f0t_report_free(report);
    else
        *out = report;
    return status;
}
