/* The paper's qualitative figure: the first tags of some methods for some test images. */
#include "base/alloc.h"
#include "io/file.h"
#include "report/eval_tables.h"
#include "report/html.h"
#include "report/html_picture.h"

#include <stdio.h>
#include <string.h>

/* A column of the figure: a method in a scenario. */
typedef struct figure_column {
    size_t method;
    f0t_scenario scenario;
} figure_column;

typedef struct figure {
    const f0t_eval *eval;
    f0t_worker *worker;     /* makes pictures small; may be NULL */
    figure_column *columns; /* [count], no two the same */
    size_t count;
} figure;

static void add_figure_column(figure *f, size_t method, f0t_scenario scenario)
{
    const f0t_eval *e = f->eval;
    bool plays = method < e->plan.method_count && e->plan.asked[scenario] &&
                 f0t_eval_cell(e, 0, method, scenario)->top;
    for (size_t i = 0; i < f->count; i++)
        plays = plays && (f->columns[i].method != method || f->columns[i].scenario != scenario);
    if (plays)
        f->columns[f->count++] = (figure_column){method, scenario};
}

/* "net" among the methods, or behind the last. */
static size_t place_of_net(const f0t_eval *e)
{
    size_t m = 0;
    while (m < e->plan.method_count && strcmp(e->plan.methods[m]->name, "net") != 0)
        m++;
    return m;
}

/* The method, but net and oracles, with the largest MiAP. */
static size_t best_method(const f0t_eval *e, f0t_scenario s)
{
    size_t best = e->plan.method_count;
    double most = -1;
    f0t_eval_slice slice = f0t_eval_slice_of(e, s);
    for (size_t i = 0; i < slice.count; i++) {
        double miap = f0t_eval_row_mean(&slice.rows[i], "miap");
        bool other = !e->plan.methods[i]->oracle && strcmp(e->plan.methods[i]->name, "net") != 0;
        if (other && miap > most) {
            most = miap;
            best = i;
        }
    }
    return best;
}

/* Open tagging is left to the tables where it is zero-shot tagging by another name. */
static bool is_shown(const f0t_eval *e, f0t_scenario s)
{
    f0t_eval_slice open = f0t_eval_slice_of(e, F0T_OPEN),
                   zero = f0t_eval_slice_of(e, F0T_ZERO_SHOT);
    return s != F0T_OPEN || !zero.count || !open.count || open.rows->tags != zero.rows->tags;
}

static void choose_columns(figure *f)
{
    const f0t_eval_plan *plan = &f->eval->plan;
    bool chosen = false;
    for (size_t m = 0; m < plan->method_count; m++)
        chosen = chosen || plan->figure[m];
    for (int s = 0; s < F0T_SCENARIOS; s++) {
        if (!is_shown(f->eval, (f0t_scenario)s))
            continue;
        for (size_t m = 0; m < plan->method_count; m++)
            if (plan->figure[m])
                add_figure_column(f, m, (f0t_scenario)s);
        if (!chosen) {
            add_figure_column(f, place_of_net(f->eval), (f0t_scenario)s);
            add_figure_column(f, best_method(f->eval, (f0t_scenario)s), (f0t_scenario)s);
        }
    }
}

static bool is_true_tag(const f0t_eval *e, size_t image, uint32_t tag)
{
    size_t count;
    const uint32_t *tags = f0t_dataset_image_tags(e->dataset, image, &count);
    for (size_t i = 0; i < count; i++)
        if (e->tags.index[tags[i]] == tag)
            return true;
    return false;
}

static void add_tags(f0t_text *page, const figure *f, size_t sample, const figure_column *column)
{
    const f0t_eval *e = f->eval;
    const f0t_cell *cell = f0t_eval_cell(e, 0, column->method, column->scenario);
    f0t_text_form(page, "<td data-head=\"%s, %s\">", f0t_scenario_name(column->scenario),
                  e->plan.methods[column->method]->title);
    for (size_t k = 0; k < F0T_SAMPLE_TOP; k++) {
        uint32_t tag = cell->top[sample * F0T_SAMPLE_TOP + k];
        if (tag == F0T_NO_SAMPLE_TAG)
            continue;
        f0t_html_tag(page, f0t_vocab_tag(e->tags.vocab, tag),
                     is_true_tag(e, e->sample_images[sample], tag));
        f0t_text_add(page, "<br>");
    }
    f0t_text_add(page, "</td>");
}

static void add_truth(f0t_text *page, const f0t_eval *e, size_t image)
{
    size_t count;
    const uint32_t *tags = f0t_dataset_image_tags(e->dataset, image, &count);
    f0t_text_add(page, "<td data-head=\"its tags\">");
    for (size_t i = 0; i < count; i++)
        f0t_text_form(page, "<span>%s</span><br>", f0t_dataset_tag(e->dataset, tags[i]));
    f0t_text_add(page, "</td>");
}

static f0t_status add_picture(f0t_text *page, const figure *f, size_t image)
{
    const f0t_eval *e = f->eval;
    const char *name = f0t_dataset_image(e->dataset, image);
    char number[32], *path = NULL;
    snprintf(number, sizeof number, "image %zu", image);
    f0t_text_add(page, "<td>");
    if (name)
        F0T_TRY(f0t_path_join(&path, f0t_dataset_path(e->dataset), name));
    f0t_html_picture(page, f->worker, path ? path : "", name ? name : number);
    f0t_free(path);
    f0t_text_add(page, "</td>");
    return F0T_OK;
}

static void add_figure_head(f0t_text *page, const figure *f)
{
    f0t_text_add(page, "<div class=\"wide\"><table class=\"gallery\">\n<thead><tr><th "
                       "class=\"l\">image</th><th class=\"l\">its tags</th>");
    for (size_t i = 0; i < f->count; i++)
        f0t_text_form(page, "<th class=\"l\">%s<br>%s</th>",
                      f0t_scenario_name(f->columns[i].scenario),
                      f->eval->plan.methods[f->columns[i].method]->title);
    f0t_text_add(page, "</tr></thead>\n<tbody>\n");
}

static f0t_status add_rows(f0t_text *page, const figure *f)
{
    const f0t_eval *e = f->eval;
    for (size_t i = 0; i < e->sample_count; i++) {
        f0t_text_add(page, "<tr>");
        F0T_TRY(add_picture(page, f, e->sample_images[i]));
        add_truth(page, e, e->sample_images[i]);
        for (size_t c = 0; c < f->count; c++)
            add_tags(page, f, i, &f->columns[c]);
        f0t_text_add(page, "</tr>\n");
    }
    return page->status;
}

f0t_status f0t_eval_figure(f0t_text *page, const f0t_eval *e)
{
    figure f = {.eval = e};
    F0T_TRY(f0t_alloc(&f.columns, e->plan.method_count * F0T_SCENARIOS, sizeof *f.columns));
    f.worker = f0t_html_worker_create(page);
    choose_columns(&f);
    add_figure_head(page, &f);
    f0t_status status = add_rows(page, &f);
    f0t_text_add(page, "</tbody></table></div>\n");
    f0t_worker_free(f.worker);
    f0t_free(f.columns);
    return status;
}
