/* The tables of a comparison, and the reports made of them. */
#include "report/eval_tables.h"

#include "base/alloc.h"
#include "base/context.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS_MOST = 8 + 5 * F0T_CUTOFFS_MOST, NAME = F0T_VALUE_NAME_MOST };

/* The columns after the method's name: a head, and the value that it shows. */
typedef struct columns {
    size_t count;
    char names[COLUMNS_MOST][NAME]; /* of values */
    const char *heads[COLUMNS_MOST + 1];
    const char *groups[COLUMNS_MOST + 1];
    char group_texts[F0T_CUTOFFS_MOST][16];
    char aligns[COLUMNS_MOST + 2];
    int decimals[COLUMNS_MOST];
    bool ranked[COLUMNS_MOST]; /* the largest is the best */
    const char *only;          /* rows that have this value; NULL: all */
} columns;

/* ---- Rows --------------------------------------------------------------------------------- */

f0t_eval_slice f0t_eval_slice_of(const f0t_eval *eval, f0t_scenario scenario)
{
    f0t_eval_slice slice = {.eval = eval, .scenario = scenario};
    for (size_t i = 0; i < eval->row_count; i++)
        if (!strcmp(eval->rows[i].scenario, f0t_scenario_name(scenario))) {
            slice.rows = slice.count++ ? slice.rows : &eval->rows[i];
        }
    return slice;
}

const f0t_eval_value *f0t_eval_row_value(const f0t_eval_row *row, const char *name)
{
    for (size_t i = 0; i < row->value_count; i++)
        if (!strcmp(row->values[i].name, name))
            return &row->values[i];
    return NULL;
}

double f0t_eval_row_mean(const f0t_eval_row *row, const char *name)
{
    const f0t_eval_value *value = f0t_eval_row_value(row, name);
    return value ? value->mean : (double)NAN;
}

/* ---- Columns ------------------------------------------------------------------------------ */

static void add_column(columns *c, const char *head, const char *group, const char *name, size_t k,
                       int decimals, bool ranked)
{
    size_t at = c->count++;
    if (k)
        snprintf(c->names[at], NAME, "%s%zu", name, k);
    else
        snprintf(c->names[at], NAME, "%s", name);
    c->heads[at + 1] = head;
    c->groups[at + 1] = group;
    c->aligns[at + 1] = 'r';
    c->decimals[at] = decimals;
    c->ranked[at] = ranked;
}

static void begin_columns(columns *c, const f0t_eval *e)
{
    *c = (columns){.heads = {"Method %"}, .groups = {""}, .aligns = "l"};
    for (size_t i = 0; i < e->plan.cutoff_count; i++)
        snprintf(c->group_texts[i], sizeof c->group_texts[i], "K = %zu", e->plan.cutoffs[i]);
}

static void main_columns(columns *c, const f0t_eval *e)
{
    begin_columns(c, e);
    add_column(c, "MiAP", "", "miap", 0, 1, true);
    for (size_t i = 0; i < e->plan.cutoff_count; i++) {
        size_t k = e->plan.cutoffs[i];
        add_column(c, "P", c->group_texts[i], "p", k, 1, true);
        add_column(c, "R", NULL, "r", k, 1, true);
        add_column(c, "F1", NULL, "f", k, 1, true);
    }
    add_column(c, "mAP", "", "map", 0, 1, true);
    add_column(c, "tune", "seconds", "tune_s", 0, 1, false);
    add_column(c, "train", NULL, "train_s", 0, 1, false);
    add_column(c, "test", NULL, "test_s", 0, 2, false);
}

static void class_columns(columns *c, const f0t_eval *e)
{
    begin_columns(c, e);
    for (size_t i = 0; i < e->plan.cutoff_count; i++) {
        size_t k = e->plan.cutoffs[i];
        add_column(c, "P", c->group_texts[i], "class_p", k, 1, true);
        add_column(c, "P*", NULL, "class_predicted_p", k, 1, true);
        add_column(c, "R", NULL, "class_r", k, 1, true);
        add_column(c, "F1", NULL, "class_f", k, 1, true);
        add_column(c, "N+", NULL, "n_plus", k, 0, true);
    }
}

static void confidence_columns(columns *c, const f0t_eval *e)
{
    begin_columns(c, e);
    c->only = "ece";
    add_column(c, "all", "ECE", "ece", 0, 1, false);
    add_column(c, "first 5", NULL, "ece_first", 0, 1, false);
    add_column(c, "Brier", "", "brier", 0, 2, false);
    add_column(c, "from", "sets", "set_threshold", 0, 2, false);
    add_column(c, "tags", NULL, "set_tags", 0, 1, false);
    add_column(c, "P", NULL, "set_p", 0, 1, true);
    add_column(c, "R", NULL, "set_r", 0, 1, true);
    add_column(c, "F1", NULL, "set_f", 0, 1, true);
    for (size_t i = 0; i < e->plan.cutoff_count; i++)
        add_column(c, "F1", c->group_texts[i], "f", e->plan.cutoffs[i], 1, true);
}

/* ---- Cells -------------------------------------------------------------------------------- */

enum { CELL_SIZE = 2 * F0T_NUMBER_SIZE + 8 };

static void format(char out[CELL_SIZE], double mean, double deviation, int decimals)
{
    char spread[F0T_NUMBER_SIZE];
    f0t_number_write(out, mean, decimals);
    if (isnan(deviation))
        return;
    f0t_number_write(spread, deviation, decimals);
    strcat(out, " ± ");
    strcat(out, spread);
}

/* Oracles are no methods: they win nothing. */
static bool competes(const f0t_eval *e, const f0t_eval_row *row)
{
    for (size_t m = 0; m < e->plan.method_count; m++)
        if (!strcmp(e->plan.methods[m]->name, row->method))
            return f0t_ranker_competes(e->plan.methods[m]);
    return false;
}

static double best_of(const f0t_eval_slice *s, const char *name)
{
    double best = -1;
    for (size_t i = 0; i < s->count; i++)
        if (competes(s->eval, &s->rows[i]))
            best = fmax(best, f0t_eval_row_mean(&s->rows[i], name));
    return best;
}

/* Whether it is known which methods can be told from the best. */
static bool is_judged(const f0t_eval_slice *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->rows[i].leads)
            return true;
    return false;
}

/* What looks the same as the best is as good; of MiAP, what cannot be told from it. */
static bool is_best(const f0t_eval_slice *s, const f0t_eval_row *row, const columns *c, size_t at)
{
    char ours[CELL_SIZE], best[CELL_SIZE];
    double mean = f0t_eval_row_mean(row, c->names[at]);
    if (!c->ranked[at] || isnan(mean) || !competes(s->eval, row))
        return false;
    if (!strcmp(c->names[at], "miap") && is_judged(s))
        return row->leads;
    format(ours, mean, (double)NAN, c->decimals[at]);
    format(best, best_of(s, c->names[at]), (double)NAN, c->decimals[at]);
    return !strcmp(ours, best);
}

static void add_row(f0t_table *t, const f0t_eval_slice *s, const f0t_eval_row *row,
                    const columns *c)
{
    char text[CELL_SIZE];
    f0t_table_row(t, F0T_ROW_PLAIN);
    f0t_table_cell(t, row->title, F0T_CELL_PLAIN);
    for (size_t i = 0; i < c->count; i++) {
        const f0t_eval_value *value = f0t_eval_row_value(row, c->names[i]);
        bool spread = value && c->ranked[i];
        format(text, value ? value->mean : (double)NAN, spread ? value->deviation : (double)NAN,
               c->decimals[i]);
        f0t_table_cell(t, text, is_best(s, row, c, i) ? F0T_CELL_BEST : F0T_CELL_PLAIN);
    }
}

/* ---- The paper's rows --------------------------------------------------------------------- */

static size_t published_place(const char *name)
{
    size_t i = 0;
    while (i < F0T_PUBLISHED_VALUES && strcmp(f0t_published_names[i], name) != 0)
        i++;
    return i;
}

static void add_published(f0t_table *t, const f0t_eval_row *row, const columns *c,
                          const f0t_published_table *table)
{
    const f0t_published_row *theirs = f0t_published_row_of(table, row->method);
    if (!theirs || row->refusal)
        return;
    for (int difference = 0; difference < 2; difference++) {
        f0t_table_row(t, F0T_ROW_MINOR);
        f0t_table_cell(t, difference ? "  difference" : "  the paper", F0T_CELL_PLAIN);
        for (size_t i = 0; i < c->count; i++) {
            char text[CELL_SIZE + 1] = "";
            size_t place = published_place(c->names[i]);
            double value = place < F0T_PUBLISHED_VALUES ? theirs->values[place] : (double)NAN;
            if (place < F0T_PUBLISHED_VALUES && !difference)
                format(text, value, (double)NAN, table->decimals);
            if (place < F0T_PUBLISHED_VALUES && difference) {
                double more = f0t_eval_row_mean(row, c->names[i]) - value;
                text[0] = '+';
                format(text + (more > 0), more, (double)NAN, 1);
            }
            f0t_table_cell(t, text, F0T_CELL_PLAIN);
        }
    }
}

/* ---- Tables ------------------------------------------------------------------------------- */

static void write_caption(char *out, size_t size, const f0t_eval_slice *s, const char *what,
                          const f0t_published_table *theirs)
{
    const f0t_eval_row *first = s->rows;
    char repeats[80] = "", paper[120] = "";
    f0t_eval_slice zero = f0t_eval_slice_of(s->eval, F0T_ZERO_SHOT);
    bool same = s->scenario == F0T_OPEN && zero.count && zero.rows->tags == first->tags;
    if (first->repeats > 1)
        snprintf(repeats, sizeof repeats, "; mean ± standard deviation of %zu runs",
                 first->repeats);
    if (theirs)
        snprintf(paper, sizeof paper, "; the paper's %s ranks %zu tags", theirs->name,
                 theirs->tags);
    snprintf(out, size, "%s%s: %zu test image%s, %zu tag%s%s%s%s", f0t_scenario_title(s->scenario),
             what, first->images, first->images == 1 ? "" : "s", first->tags,
             first->tags == 1 ? "" : "s", same ? ", here those of zero-shot tagging" : "", repeats,
             paper);
}

static f0t_status make_table(f0t_table **out, const f0t_eval_slice *s, const columns *c,
                             const char *what, const f0t_published *paper)
{
    char caption[400];
    const f0t_published_table *theirs = f0t_published_table_of(paper, s->scenario);
    write_caption(caption, sizeof caption, s, what, theirs);
    F0T_TRY(f0t_table_create(out, caption, c->aligns, c->groups, c->heads));
    for (size_t i = 0; i < s->count; i++) {
        if (c->only && isnan(f0t_eval_row_mean(&s->rows[i], c->only)))
            continue;
        add_row(*out, s, &s->rows[i], c);
        if (theirs)
            add_published(*out, &s->rows[i], c, theirs);
    }
    return F0T_OK;
}

f0t_status f0t_eval_table(f0t_table **out, const f0t_eval_slice *slice, const f0t_published *paper)
{
    columns c;
    main_columns(&c, slice->eval);
    return make_table(out, slice, &c, "", paper);
}

f0t_status f0t_eval_class_table(f0t_table **out, const f0t_eval_slice *slice)
{
    columns c;
    class_columns(&c, slice->eval);
    return make_table(out, slice, &c, ", means over tags (P*: of those ever predicted)", NULL);
}

f0t_status f0t_eval_confidence_table(f0t_table **out, const f0t_eval_slice *slice)
{
    columns c;
    confidence_columns(&c, slice->eval);
    return make_table(out, slice, &c, ", confidences", NULL);
}

bool f0t_eval_has_confidence(const f0t_eval_slice *slice)
{
    for (size_t i = 0; i < slice->count; i++)
        if (!isnan(f0t_eval_row_mean(&slice->rows[i], "ece")))
            return true;
    return false;
}

/* True when a row before row i has the same reason. */
static bool is_repeated(const f0t_eval_slice *s, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (s->rows[j].refusal && !strcmp(s->rows[j].refusal, s->rows[i].refusal))
            return true;
    return false;
}

void f0t_eval_refusals(f0t_text *to, const f0t_eval_slice *s, const char *before, const char *after,
                       bool escaped)
{
    void (*add)(f0t_text *, const char *) = escaped ? f0t_text_escape : f0t_text_add;
    for (size_t i = 0; i < s->count; i++) {
        const char *why = s->rows[i].refusal;
        if (!why || is_repeated(s, i))
            continue;
        f0t_text_add(to, before);
        f0t_text_add(to, "– ");
        for (size_t j = i, listed = 0; j < s->count; j++)
            if (s->rows[j].refusal && !strcmp(s->rows[j].refusal, why)) {
                f0t_text_add(to, listed++ ? ", " : "");
                add(to, s->rows[j].title);
            }
        f0t_text_add(to, ": ");
        add(to, why);
        f0t_text_add(to, after);
    }
}

/* ---- Reports: text, Markdown, CSV, LaTeX -------------------------------------------------- */

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

/* ---- All values, one line per row --------------------------------------------------------- */

static void add_plain(f0t_table *t, double number)
{
    char text[F0T_NUMBER_SIZE] = "";
    if (isfinite(number))
        f0t_number_write(text, number, -6);
    f0t_table_cell(t, text, F0T_CELL_PLAIN);
}

static void add_number(f0t_table *t, const f0t_eval_row *row, const char *name, bool deviation)
{
    const f0t_eval_value *value = f0t_eval_row_value(row, name);
    add_plain(t, value ? (deviation ? value->deviation : value->mean) : (double)NAN);
}

static void add_chance(f0t_table *t, const f0t_eval_row *row)
{
    const f0t_eval_value *miap = f0t_eval_row_value(row, "miap");
    add_plain(t, miap ? miap->low : (double)NAN);
    add_plain(t, miap ? miap->high : (double)NAN);
    f0t_table_cell(t, row->rival ? row->rival : "", F0T_CELL_PLAIN);
    add_plain(t, row->rival_difference);
    add_plain(t, row->rival_low);
    add_plain(t, row->rival_high);
    add_plain(t, row->rival_p);
    add_plain(t, row->rival_draws_p);
    add_plain(t, row->best_p);
    f0t_table_cell(t, row->leads ? "1" : "0", F0T_CELL_PLAIN);
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
    add_chance(t, row);
    f0t_table_cell(t, row->knobs, F0T_CELL_PLAIN);
    f0t_table_cell(t, row->refusal ? row->refusal : "", F0T_CELL_PLAIN);
}

/* Every row and every value. */
static f0t_status make_flat_table(f0t_table **out, const f0t_eval *e)
{
    static const char *const last[] = {"miap_low",  "miap_high",  "rival",   "rival_difference",
                                       "rival_low", "rival_high", "rival_p", "rival_draws_p",
                                       "best_p",    "leads",      "knobs",   "refusal"};
    enum { FIXED = 5 + sizeof last / sizeof *last, MOST = FIXED + 2 * F0T_VALUES_MOST };
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
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        heads[count++] = last[i];
    memset(aligns, 'l', count);
    aligns[count] = 0;
    F0T_TRY(f0t_table_create(out, "", aligns, NULL, heads));
    for (size_t i = 0; i < e->row_count; i++)
        add_flat_row(*out, &e->rows[i], names);
    return F0T_OK;
}

/* ---- Tables of scenarios ------------------------------------------------------------------ */

static f0t_status add_report_table(f0t_text *to, f0t_table *table, const f0t_eval_layout *layout)
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

static f0t_status add_report_scenario(f0t_text *to, const f0t_eval_slice *slice,
                                      const f0t_eval_layout *layout, const f0t_published *paper)
{
    f0t_table *table;
    if (to->size)
        f0t_text_add(to, "\n");
    F0T_TRY(f0t_eval_table(&table, slice, paper));
    F0T_TRY(add_report_table(to, table, layout));
    f0t_eval_refusals(to, slice, note_mark(layout->form), "\n", false);
    if (layout->per_class) {
        f0t_text_add(to, "\n");
        F0T_TRY(f0t_eval_class_table(&table, slice));
        F0T_TRY(add_report_table(to, table, layout));
    }
    if (slice->rows->repeats > 1) {
        f0t_text_add(to, "\n");
        F0T_TRY(f0t_eval_chance_table(&table, slice));
        F0T_TRY(add_report_table(to, table, layout));
    }
    if (!f0t_eval_has_confidence(slice))
        return F0T_OK;
    f0t_text_add(to, "\n");
    F0T_TRY(f0t_eval_confidence_table(&table, slice));
    return add_report_table(to, table, layout);
}

/* Whether two settings of it cost more than the budget, in this scenario, in every run. */
static bool went_untuned(const f0t_eval *e, size_t method, f0t_scenario scenario)
{
    for (size_t repeat = 0; repeat < e->plan.repeat; repeat++) {
        const f0t_eval_cell *cell = f0t_eval_cell_at(e, repeat, method, scenario);
        if (!cell->done || cell->refusal[0] ||
            !(f0t_values_get(&cell->values, "tune_counted_s") == 0) ||
            f0t_values_get(&cell->values, "trials") > 0)
            return false;
    }
    return true;
}

/* The methods that went untuned in a scenario; nothing where there are none. */
static void add_untuned(f0t_text *to, const f0t_eval *e, f0t_scenario scenario, const char *mark)
{
    const char *before = NULL;
    for (size_t m = 0; m < e->plan.method_count; m++) {
        if (!went_untuned(e, m, scenario))
            continue;
        if (!before) {
            f0t_text_add(to, mark);
            f0t_text_add(to, "not tuned in ");
            f0t_text_add(to, f0t_scenario_name(scenario));
            f0t_text_add(to, ", for want of budget: ");
        }
        f0t_text_add(to, before ? before : "");
        f0t_text_add(to, e->plan.methods[m]->name);
        before = ", ";
    }
    f0t_text_add(to, before ? "\n" : "");
}

/* Folds that the chosen settings of a cell were judged by; 0: it was not tuned. */
static size_t count_folds(const f0t_eval_cell *cell)
{
    char name[F0T_VALUE_NAME_MOST];
    size_t count = 0;
    for (size_t i = 1; i <= F0T_VALUES_FOLDS; i++) {
        snprintf(name, sizeof name, "validation_miap_fold%zu", i);
        count += isnan(f0t_values_get(&cell->values, name)) ? 0 : 1;
    }
    return count;
}

/* Fewer than were wanted where there are few tags to hold out. */
static void name_folds(char *to, size_t size, const f0t_eval *e)
{
    size_t least = F0T_FOLDS, most = 0;
    for (size_t i = 0; i < e->plan.repeat * e->plan.method_count * F0T_SCENARIOS; i++) {
        const size_t count = count_folds(&e->cells[i]);
        least = count && count < least ? count : least;
        most = count > most ? count : most;
    }
    if (!most)
        snprintf(to, size, "up to %d folds", F0T_FOLDS);
    else if (least < most)
        snprintf(to, size, "%zu to %zu folds", least, most);
    else
        snprintf(to, size, "%zu fold%s", most, most == 1 ? "" : "s");
}

static void add_budget(f0t_text *to, const f0t_eval *e, const char *mark)
{
    char line[240], folds[64];
    name_folds(folds, sizeof folds, e);
    snprintf(line, sizeof line,
             "tuned, each method and training set: at most %zu settings, %s each, within %g s "
             "of one core (counted)\n",
             e->plan.trials, folds, e->plan.budget);
    f0t_text_add(to, mark);
    f0t_text_add(to, line);
    for (int s = 0; s < F0T_SCENARIOS; s++)
        add_untuned(to, e, (f0t_scenario)s, mark);
}

/* What the marks say, and what tuning could use. */
static void add_notes(f0t_text *to, const f0t_eval *e, const f0t_eval_layout *layout)
{
    const f0t_eval_plan *plan = &e->plan;
    const bool text = layout->form == F0T_TABLE_TEXT;
    char line[240];
    f0t_text_add(to, text ? "\n" : "");
    if (plan->method_count > 1) {
        snprintf(
            line, sizeof line,
            "%s: the best of a column; of MiAP, also what cannot be told from it (bootstrap over "
            "test images%s, 95 %%, Holm)\n",
            text && !layout->bold ? "*" : "bold", plan->repeat > 1 ? " and runs" : "");
        f0t_text_add(to, note_mark(layout->form));
        f0t_text_add(to, line);
    }
    if (plan->trials)
        add_budget(to, e, note_mark(layout->form));
}

static f0t_status write_report(f0t_text *to, const f0t_eval *e, const f0t_eval_layout *layout)
{
    const f0t_published *paper = NULL;
    f0t_table *table;
    if (layout->paper)
        F0T_TRY(f0t_published_find(&paper, layout->paper));
    if (layout->form == F0T_TABLE_CSV) {
        F0T_TRY(make_flat_table(&table, e));
        return add_report_table(to, table, layout);
    }
    for (int s = 0; s < F0T_SCENARIOS; s++) {
        f0t_eval_slice slice = f0t_eval_slice_of(e, (f0t_scenario)s);
        if (slice.count)
            F0T_TRY(add_report_scenario(to, &slice, layout, paper));
    }
    add_notes(to, e, layout);
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
    F0T_READ_OPTIONS(f0t_eval_layout, F0T_EVAL_LAYOUT, layout);
    f0t_report *report;
    F0T_TRY(f0t_alloc_zero(&report, 1, sizeof *report));
    f0t_status status = write_report(&report->text, eval, layout);
    if (status == F0T_OK)
        status = report->text.status;
    if (status != F0T_OK)
        f0t_report_free(report);
    else
        *out = report;
    return status;
}
