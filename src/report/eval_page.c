/* A comparison as one page: tables, charts, and tags of some test images. */
#include "report/eval_tables.h"

#include "base/alloc.h"
#include "io/file.h"
#include "report/html.h"
#include "report/measures.h"
#include "report/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- The paper's qualitative figure ------------------------------------------------------- */

/* The first tags of some methods for some test images. */

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
                 f0t_eval_cell_at(e, 0, method, scenario)->top;
    for (size_t i = 0; i < f->count; i++)
        plays = plays && (f->columns[i].method != method || f->columns[i].scenario != scenario);
    if (plays)
        f->columns[f->count++] = (figure_column){method, scenario};
}

/* The index of "net" among the methods, or their number. */
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
        bool other =
            f0t_ranker_competes(e->plan.methods[i]) && strcmp(e->plan.methods[i]->name, "net") != 0;
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
    const uint32_t *tags = f0t_dataset_image_tags(&count, e->dataset, image);
    for (size_t i = 0; i < count; i++)
        if (e->tags.index[tags[i]] == tag)
            return true;
    return false;
}

static void add_tags(f0t_text *page, const figure *f, size_t sample, const figure_column *column)
{
    const f0t_eval *e = f->eval;
    const f0t_eval_cell *cell = f0t_eval_cell_at(e, 0, column->method, column->scenario);
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
    const uint32_t *tags = f0t_dataset_image_tags(&count, e->dataset, image);
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

static f0t_status add_figure(f0t_text *page, const f0t_eval *e)
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

enum { BARS_MOST = 1 + F0T_CUTOFFS_MOST };

/* ---- Charts ------------------------------------------------------------------------------- */

/* MiAP and the F1 of each K. */
static size_t bar_names(char names[BARS_MOST][F0T_VALUE_NAME_MOST],
                        char titles[BARS_MOST][F0T_VALUE_NAME_MOST], const f0t_eval_plan *plan)
{
    snprintf(names[0], F0T_VALUE_NAME_MOST, "miap");
    snprintf(titles[0], F0T_VALUE_NAME_MOST, "MiAP");
    for (size_t i = 0; i < plan->cutoff_count; i++) {
        snprintf(names[i + 1], F0T_VALUE_NAME_MOST, "f%zu", plan->cutoffs[i]);
        snprintf(titles[i + 1], F0T_VALUE_NAME_MOST, "F1, K = %zu", plan->cutoffs[i]);
    }
    return 1 + plan->cutoff_count;
}

static void draw_chart(f0t_text *page, const f0t_eval_slice *s, double *values, double *spreads,
                       const char **groups)
{
    char names[BARS_MOST][F0T_VALUE_NAME_MOST], titles[BARS_MOST][F0T_VALUE_NAME_MOST];
    const char *series[BARS_MOST];
    size_t bars = bar_names(names, titles, &s->eval->plan), shown = 0;
    for (size_t i = 0; i < bars; i++)
        series[i] = titles[i];
    for (size_t r = 0; r < s->count; r++) {
        if (s->rows[r].refusal)
            continue;
        groups[shown] = s->rows[r].title;
        for (size_t i = 0; i < bars; i++) {
            const f0t_eval_value *v = f0t_eval_row_value(&s->rows[r], names[i]);
            values[shown * bars + i] = v ? v->mean : (double)NAN;
            spreads[shown * bars + i] = v && isfinite(v->deviation) ? v->deviation : 0;
        }
        shown++;
    }
    f0t_svg_bar_chart chart = {.description = f0t_scenario_title(s->scenario),
                               .width = 760,
                               .groups = groups,
                               .group_count = shown,
                               .series = series,
                               .series_count = bars,
                               .values = values,
                               .spreads = spreads,
                               .axis = {.title = "percent"},
                               .decimals = 1};
    f0t_html_chart_begin(page);
    f0t_svg_bars(page, &chart);
    f0t_html_chart_end(page);
}

static f0t_status add_chart(f0t_text *page, const f0t_eval_slice *s)
{
    double *values = NULL, *spreads = NULL;
    const char **groups = NULL;
    f0t_status status = f0t_alloc(&values, s->count * BARS_MOST, sizeof *values);
    if (status == F0T_OK)
        status = f0t_alloc(&spreads, s->count * BARS_MOST, sizeof *spreads);
    if (status == F0T_OK)
        status = f0t_alloc(&groups, s->count, sizeof *groups);
    if (status == F0T_OK)
        draw_chart(page, s, values, spreads, groups);
    f0t_free(values);
    f0t_free(spreads);
    f0t_free(groups);
    return status;
}

/* ---- The page ----------------------------------------------------------------------------- */

static f0t_status add_table(f0t_text *page, f0t_status made, f0t_table *table)
{
    F0T_TRY(made);
    f0t_table_write_html(page, table);
    f0t_table_free(table);
    return page->status;
}

/* What is asked in each scenario, for those who do not know its name. */
static const struct {
    const char *title, *meaning;
} PLAIN[F0T_SCENARIOS] = {
    [F0T_CONVENTIONAL] = {"All tags were learned",
                          "Every tag that is ranked was learned from pictures that have it."},
    [F0T_CONVENTIONAL_UNSEEN] =
        {"The held-out tags, had they been learned",
         "The tags of the next section, learned this time: what that section "
         "is to be held against."},
    [F0T_ZERO_SHOT] = {"Only tags that were never learned",
                       "The tags that are ranked were kept from training; a method knows them by "
                       "their word vectors alone."},
    [F0T_SEEN_UNSEEN] = {"Learned and new tags together",
                         "All tags are ranked, those that were kept from training among them."},
    [F0T_COMPLETION] =
        {"Half of the tags are given",
         "Every tag was learned; of each picture half of its tags are known, and the "
         "others are looked for."},
    [F0T_OPEN] = {"All tags but the learned ones",
                  "Every tag is ranked that training did not use, rare ones as well."},
};

static f0t_status add_confidences(f0t_text *page, const f0t_eval_slice *s)
{
    f0t_table *table = NULL;
    f0t_text_add(page, "<details><summary>How sure methods are</summary>\n");
    f0t_status made = f0t_eval_confidence_table(&table, s);
    F0T_TRY(add_table(page, made, table));
    F0T_TRY(f0t_eval_confidence_plots(page, s));
    f0t_text_add(page, "</details>\n");
    return F0T_OK;
}

static f0t_status add_ranks(f0t_text *page, const f0t_eval_slice *s)
{
    f0t_html_paragraph(page,
                       "In each run the best method has rank 1. Methods that are joined by a bar "
                       "do not differ beyond chance over the runs (Nemenyi's test, 95 %).");
    f0t_html_chart_begin(page);
    F0T_TRY(f0t_eval_rank_plot(page, s));
    f0t_html_chart_end(page);
    return page->status;
}

static f0t_status add_scenario(f0t_text *page, const f0t_eval_slice *s, const f0t_published *paper)
{
    f0t_table *table = NULL;
    f0t_html_section(page, f0t_scenario_name(s->scenario), PLAIN[s->scenario].title);
    f0t_html_paragraph(page, PLAIN[s->scenario].meaning);
    f0t_status made = f0t_eval_table(&table, s, paper);
    F0T_TRY(add_table(page, made, table));
    f0t_eval_refusals(page, s, "<p>", "</p>\n", true);
    F0T_TRY(add_chart(page, s));
    f0t_text_add(page, "<details><summary>Counted for each tag, then averaged</summary>\n");
    made = f0t_eval_class_table(&table, s);
    F0T_TRY(add_table(page, made, table));
    f0t_text_add(page, "</details>\n");
    f0t_text_add(page, "<details><summary>What chance may have done</summary>\n");
    f0t_html_paragraph(
        page, "The interval would have the mean of other test pictures like these, and "
              "other unseen tags where there were several runs, with 95 %. Each method "
              "stands beside the best other one; p is the chance of a difference as "
              "large if it were a coin's toss for each picture which of the two is ahead.");
    made = f0t_eval_chance_table(&table, s);
    F0T_TRY(add_table(page, made, table));
    if (f0t_eval_has_ranks(s))
        F0T_TRY(add_ranks(page, s));
    f0t_text_add(page, "</details>\n");
    return f0t_eval_has_confidence(s) ? add_confidences(page, s) : F0T_OK;
}

static void add_contents(f0t_text *page, const f0t_eval *e)
{
    const char *ids[F0T_SCENARIOS + 3] = {"reading"};
    const char *titles[F0T_SCENARIOS + 3] = {"How to read this"};
    size_t count = 1;
    for (int s = 0; s < F0T_SCENARIOS; s++)
        if (e->plan.asked[s]) {
            ids[count] = f0t_scenario_name((f0t_scenario)s);
            titles[count++] = PLAIN[s].title;
        }
    ids[count] = "images";
    titles[count++] = "Some test images";
    ids[count] = "methods";
    titles[count++] = "Methods";
    f0t_html_contents(page, ids, titles, count);
}

static void add_reading(f0t_text *page)
{
    static const char *const heads[] = {"K",   "P",     "R",    "F1",   "P*",    "N+",  "mAP",
                                        "ECE", "Brier", "sets", "tune", "train", "test"};
    f0t_html_section(page, "reading", "How to read this");
    f0t_html_paragraph(
        page, "Each method ranks tags for pictures that it has not seen before, the one that "
              "fits best first. The tables say how well the rankings agree with the tags that "
              "people gave these pictures; larger is better, and the best of a column is "
              "bold. A dash stands where a method cannot do what is asked.");
    f0t_text_form(page,
                  "<p>The number to look at first is <b>MiAP</b>: %s What guessing reaches is in "
                  "the row Random, where that method was asked for.</p>\n",
                  f0t_measure_meaning("MiAP"));
    f0t_text_add(page, "<details><summary>What the other columns mean</summary>\n");
    f0t_measures_explain(page, heads, sizeof heads / sizeof *heads);
    f0t_text_add(page, "</details>\n");
}

/* The hyper-parameters of a method for a training set; NULL when it did not learn it. */
static const char *knobs_of(const f0t_eval *e, const char *method, f0t_training_set set)
{
    for (size_t i = 0; i < e->row_count; i++) {
        f0t_scenario scenario;
        const f0t_eval_row *row = &e->rows[i];
        if (!row->refusal && !strcmp(row->method, method) &&
            f0t_scenario_find(&scenario, row->scenario, strlen(row->scenario)) == F0T_OK &&
            f0t_scenario_training_set(scenario) == set)
            return row->knobs;
    }
    return NULL;
}

/* Name, source and what tuning chose. */
static f0t_status add_methods(f0t_text *page, const f0t_eval *e)
{
    static const char *const heads[] = {"Method", "Source", "Learned", "Settings"};
    f0t_table *table;
    F0T_TRY(f0t_table_create(&table, "What was chosen, in the first run", "llll", NULL, heads));
    for (size_t m = 0; m < e->plan.method_count; m++) {
        const f0t_ranker *ranker = e->plan.methods[m];
        bool named = false;
        for (int l = 0; l < F0T_TRAINING_SETS; l++) {
            const char *knobs = knobs_of(e, ranker->name, (f0t_training_set)l);
            if (!knobs || (named && !*knobs))
                continue;
            f0t_table_row(table, F0T_ROW_PLAIN);
            f0t_table_cell(table, named ? "" : ranker->title, F0T_CELL_PLAIN);
            f0t_table_cell(table, named ? "" : ranker->source, F0T_CELL_PLAIN);
            f0t_table_cell(table, *knobs ? f0t_training_set_name((f0t_training_set)l) : "",
                           F0T_CELL_PLAIN);
            f0t_table_cell(table, knobs, F0T_CELL_PLAIN);
            named = true;
        }
    }
    return add_table(page, F0T_OK, table);
}

static f0t_status write_page(f0t_text *page, const f0t_eval *e, const f0t_published *paper)
{
    char title[300], subtitle[300];
    snprintf(title, sizeof title, "Comparison on %s", f0t_dataset_name(e->dataset));
    snprintf(subtitle, sizeof subtitle,
             "%zu methods, %zu images with %zu features, %zu tags with vectors, seed %llu",
             e->plan.method_count, f0t_dataset_image_count(e->dataset), f0t_dataset_dim(e->dataset),
             e->tags.count, (unsigned long long)e->seed);
    f0t_html_begin(page, title, subtitle);
    add_contents(page, e);
    add_reading(page);
    for (int s = 0; s < F0T_SCENARIOS; s++) {
        f0t_eval_slice slice = f0t_eval_slice_of(e, (f0t_scenario)s);
        if (slice.count)
            F0T_TRY(add_scenario(page, &slice, paper));
    }
    for (const char *const *slip = paper ? paper->slips : NULL; slip && *slip; slip++)
        f0t_html_paragraph(page, *slip);
    f0t_html_section(page, "images", "Some test images");
    f0t_html_paragraph(page,
                       "The first five tags of some methods. Right tags are green, wrong ones "
                       "red and italic; a tag that is missing among an image's own counts as "
                       "wrong even where it fits.");
    F0T_TRY(add_figure(page, e));
    f0t_html_section(page, "methods", "Methods");
    F0T_TRY(add_methods(page, e));
    f0t_html_end(page);
    return page->status;
}

/* As a file of its own beside the page, for papers: "ranks-zero-shot.svg". */
static f0t_status save_ranks(const f0t_eval *e, f0t_scenario s, const char *folder)
{
    const f0t_eval_slice slice = f0t_eval_slice_of(e, s);
    f0t_text plot = {0};
    char name[64], *path = NULL;
    if (!f0t_eval_has_ranks(&slice))
        return F0T_OK;
    snprintf(name, sizeof name, "ranks-%s.svg", f0t_scenario_name(s));
    F0T_TRY(f0t_path_join(&path, folder, name));
    f0t_status status = f0t_eval_rank_plot(&plot, &slice);
    if (status == F0T_OK)
        status = f0t_text_save(&plot, path);
    f0t_text_free(&plot);
    f0t_free(path);
    return status;
}

f0t_status f0t_eval_save_page(const f0t_eval *eval, const char *folder, const char *paper_name)
{
    F0T_REQUIRE(eval);
    F0T_REQUIRE(folder);
    f0t_text page = {0};
    char *path = NULL;
    const f0t_published *paper = NULL;
    if (paper_name)
        F0T_TRY(f0t_published_find(&paper, paper_name));
    F0T_TRY(f0t_folder_create(folder));
    F0T_TRY(f0t_path_join(&path, folder, "index.html"));
    f0t_status status = write_page(&page, eval, paper);
    if (status == F0T_OK)
        status = f0t_text_save(&page, path);
    for (int s = 0; s < F0T_SCENARIOS && status == F0T_OK; s++)
        status = save_ranks(eval, (f0t_scenario)s, folder);
    f0t_text_free(&page);
    f0t_free(path);
    return status;
}
