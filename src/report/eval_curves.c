/* Learning curves: the same comparison with more and more training images. */
#include "base/alloc.h"
#include "base/context.h"
#include "io/file.h"
#include "report/eval_tables.h"
#include "report/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The comparisons, one per number of images; all have the same rows. */
typedef struct curves {
    const f0t_eval *const *evals;
    const size_t *images;
    size_t count;
} curves;

static f0t_status check(const curves *c)
{
    for (size_t i = 1; i < c->count; i++)
        if (c->evals[i]->row_count != c->evals[0]->row_count)
            return f0t_fail(F0T_ERROR_ARGUMENT, "curves of comparisons that are not alike");
    return c->count ? F0T_OK : f0t_fail(F0T_ERROR_ARGUMENT, "curves of no comparison");
}

static const f0t_eval_value *miap_at(const curves *c, f0t_scenario s, size_t row, size_t i)
{
    const f0t_eval_slice slice = f0t_eval_slice_of(c->evals[i], s);
    return f0t_eval_row_value(&slice.rows[row], "miap");
}

/* ---- Tables ------------------------------------------------------------------------------- */

static void add_row(f0t_table *t, const curves *c, const f0t_eval_slice *s, size_t row)
{
    f0t_table_row(t, F0T_ROW_PLAIN);
    f0t_table_cell(t, s->rows[row].title, F0T_CELL_PLAIN);
    for (size_t i = 0; i < c->count; i++) {
        const f0t_eval_slice now = f0t_eval_slice_of(c->evals[i], s->scenario);
        const f0t_eval_value *miap = miap_at(c, s->scenario, row, i);
        char mean[F0T_NUMBER_SIZE], spread[F0T_NUMBER_SIZE], text[2 * F0T_NUMBER_SIZE + 8];
        f0t_number_write(mean, miap ? miap->mean : (double)NAN, 1);
        f0t_number_write(spread, miap ? miap->deviation : (double)NAN, 1);
        snprintf(text, sizeof text, miap && !isnan(miap->deviation) ? "%s ± %s" : "%s", mean,
                 spread);
        f0t_table_cell(t, text, now.rows[row].leads ? F0T_CELL_BEST : F0T_CELL_PLAIN);
    }
}

static f0t_status add_table(f0t_text *to, const curves *c, f0t_scenario scenario,
                            const f0t_eval_layout *layout)
{
    const f0t_eval_slice s = f0t_eval_slice_of(c->evals[0], scenario);
    const char *heads[F0T_CURVE_SIZES + 1] = {"Method %"};
    char numbers[F0T_CURVE_SIZES][24], aligns[F0T_CURVE_SIZES + 2] = "l", caption[200];
    f0t_table *table;
    for (size_t i = 0; i < c->count; i++) {
        snprintf(numbers[i], sizeof numbers[i], "%zu", c->images[i]);
        heads[i + 1] = numbers[i];
        aligns[i + 1] = 'r';
    }
    snprintf(caption, sizeof caption, "%s: MiAP by the number of training images",
             f0t_scenario_title(scenario));
    F0T_TRY(f0t_table_create(&table, caption, aligns, NULL, heads));
    for (size_t row = 0; row < s.count; row++)
        if (!s.rows[row].refusal)
            add_row(table, c, &s, row);
    f0t_text_add(to, to->size ? "\n" : "");
    f0t_table_write(to, table, layout->form, layout->bold);
    f0t_table_free(table);
    return to->status;
}

static void add_flat(f0t_text *to, const curves *c, size_t i)
{
    for (size_t row = 0; row < c->evals[i]->row_count; row++) {
        const f0t_eval_row *r = &c->evals[i]->rows[row];
        const f0t_eval_value *miap = f0t_eval_row_value(r, "miap");
        const double values[] = {miap ? miap->mean : (double)NAN,
                                 miap ? miap->deviation : (double)NAN,
                                 miap ? miap->low : (double)NAN, miap ? miap->high : (double)NAN};
        f0t_text_form(to, "%s,%s,%zu", r->method, r->scenario, c->images[i]);
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            char number[F0T_NUMBER_SIZE] = "";
            if (isfinite(values[v]))
                f0t_number_write(number, values[v], -6);
            f0t_text_form(to, ",%s", number);
        }
        f0t_text_add(to, "\n");
    }
}

static f0t_status write_report(f0t_text *to, const curves *c, const f0t_eval_layout *layout)
{
    F0T_TRY(check(c));
    if (layout->form == F0T_TABLE_CSV) {
        f0t_text_add(to, "method,scenario,train_images,miap,miap_sd,miap_low,miap_high\n");
        for (size_t i = 0; i < c->count; i++)
            add_flat(to, c, i);
        return to->status;
    }
    for (int s = 0; s < F0T_SCENARIOS; s++)
        if (c->evals[0]->plan.asked[s])
            F0T_TRY(add_table(to, c, (f0t_scenario)s, layout));
    return to->status;
}

f0t_status f0t_eval_curves_report(f0t_report **out, const f0t_eval *const *evals,
                                  const size_t *images, size_t count, const f0t_eval_layout *layout)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(evals);
    F0T_REQUIRE(images);
    F0T_READ_OPTIONS(f0t_eval_layout, F0T_EVAL_LAYOUT, layout);
    if (count > F0T_CURVE_SIZES)
        return f0t_fail(F0T_ERROR_ARGUMENT, "curves: at most %d numbers of images",
                        F0T_CURVE_SIZES);
    const curves c = {evals, images, count};
    f0t_report *report;
    F0T_TRY(f0t_alloc_zero(&report, 1, sizeof *report));
    f0t_status status = write_report(&report->text, &c, layout);
    if (status != F0T_OK)
        f0t_report_free(report);
    else
        *out = report;
    return status;
}

/* ---- Plots -------------------------------------------------------------------------------- */

typedef struct line {
    double x[F0T_CURVE_SIZES], y[F0T_CURVE_SIZES], spread[F0T_CURVE_SIZES];
} line;

static void read_line(line *to, const curves *c, f0t_scenario s, size_t row)
{
    for (size_t i = 0; i < c->count; i++) {
        const f0t_eval_value *miap = miap_at(c, s, row, i);
        to->x[i] = (double)c->images[i];
        to->y[i] = miap ? miap->mean : (double)NAN;
        to->spread[i] = miap && isfinite(miap->deviation) ? miap->deviation : 0;
    }
}

static f0t_status draw(f0t_text *to, const curves *c, f0t_scenario scenario)
{
    const f0t_eval_slice s = f0t_eval_slice_of(c->evals[0], scenario);
    f0t_svg_series series[F0T_METHODS_MOST];
    size_t shown = 0;
    line *lines;
    F0T_TRY(f0t_alloc(&lines, s.count, sizeof *lines));
    for (size_t row = 0; row < s.count; row++) {
        if (s.rows[row].refusal)
            continue;
        line *l = &lines[shown];
        read_line(l, c, scenario, row);
        series[shown++] = (f0t_svg_series){.name = s.rows[row].title,
                                           .count = c->count,
                                           .x = l->x,
                                           .y = l->y,
                                           .spread = l->spread};
    }
    f0t_svg_lines(to, &(f0t_svg_plot){.title = f0t_scenario_title(scenario),
                                      .description = "MiAP by the number of training images",
                                      .width = 760,
                                      .height = 480,
                                      .x = {.title = "training images", .log = true},
                                      .y = {.title = "MiAP, percent"},
                                      .series = series,
                                      .series_count = shown});
    f0t_free(lines);
    return to->status;
}

static f0t_status save(const curves *c, f0t_scenario s, const char *folder)
{
    f0t_text plot = {0};
    char name[64], *path = NULL;
    snprintf(name, sizeof name, "curves-%s.svg", f0t_scenario_name(s));
    F0T_TRY(f0t_path_join(&path, folder, name));
    f0t_status status = draw(&plot, c, s);
    if (status == F0T_OK)
        status = f0t_text_save(&plot, path);
    f0t_text_free(&plot);
    f0t_free(path);
    return status;
}

f0t_status f0t_eval_curves_save(const f0t_eval *const *evals, const size_t *images, size_t count,
                                const char *folder)
{
    F0T_REQUIRE(evals);
    F0T_REQUIRE(images);
    F0T_REQUIRE(folder);
    const curves c = {evals, images, count < F0T_CURVE_SIZES ? count : F0T_CURVE_SIZES};
    F0T_TRY(check(&c));
    F0T_TRY(f0t_folder_create(folder));
    for (int s = 0; s < F0T_SCENARIOS; s++)
        if (evals[0]->plan.asked[s])
            F0T_TRY(save(&c, (f0t_scenario)s, folder));
    return F0T_OK;
}
