/* The page of the study (what was asked, the curves, the pictures, what was found), and the folder that
 * it is saved in. */
#include "report/study.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "io/file.h"
#include "report/html.h"
#include "report/measures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Tables ------------------------------------------------------------------------------- */

static void head(f0t_text *to, const char *first, const f0t_study *study)
{
    f0t_text_add(to, "<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr><th class=\"l\">");
    f0t_measure_write(to, first);
    f0t_text_add(to, "</th>");
    for (size_t i = 0; i < study->lambda_count; i++) {
        f0t_text_add(to, "<th>λ = ");
        f0t_text_label(to, study->lambdas[i]);
        f0t_text_add(to, "</th>");
    }
    f0t_text_add(to, "</tr></thead>\n<tbody>\n");
}

/* The largest value of a row is bold. */
static void row(f0t_text *to, const double *values, size_t count, int decimals)
{
    double best = -HUGE_VAL;
    for (size_t i = 0; i < count; i++)
        best = fmax(best, values[i]);
    for (size_t i = 0; i < count; i++) {
        f0t_text_add(to, values[i] >= best ? "<td class=\"best\">" : "<td>");
        f0t_text_number(to, values[i], decimals);
        f0t_text_add(to, "</td>");
    }
    f0t_text_add(to, "</tr>\n");
}

static void name_row(f0t_text *to, const f0t_study *study, const f0t_study_curve *curve)
{
    f0t_text name = {0};
    f0t_study_curve_name(&name, study, curve);
    f0t_text_form(to, "<tr><td class=\"l\">%s</td>", name.bytes ? name.bytes : "");
    if (to->status == F0T_OK)
        to->status = name.status;
    f0t_text_free(&name);
}

static void table(f0t_text *to, const f0t_study *study, f0t_study_figure figure)
{
    static const char *const heads[] = {"MiAP of the seen tags, %", "rules without a violation, %",
                                        "MiAP of the unseen tags, %"};
    const bool general = figure == F0T_FIGURE_GENERALISATION;
    head(to, heads[figure], study);
    for (size_t i = 0; i < study->curve_count; i++) {
        const f0t_study_curve *c = &study->curves[i];
        name_row(to, study, c);
        row(to,
            general                          ? c->generalisation
            : figure == F0T_FIGURE_EXISTENCE ? c->existence
                                             : c->satisfied,
            study->lambda_count, 2);
    }
    f0t_text_add(to, "</tbody></table></div>\n");
}

/* ---- Sections ----------------------------------------------------------------------------- */

static void term(f0t_text *to, const char *word, const char *meaning)
{
    f0t_text_form(to, "<dt>%s</dt><dd>%s</dd>\n", word, meaning);
}

static void reading(f0t_text *to)
{
    f0t_html_section(to, "reading", "How to read this");
    f0t_html_paragraph(
        to, "Words lie in a space in which those of like meaning are near each other. The "
            "question is whether a picture has a direction in it along which its own tags "
            "come before all others: then any word can be ranked for it.");
    f0t_text_add(to, "<dl class=\"terms\">\n");
    term(to, "MiAP", f0t_measure_meaning("MiAP"));
    term(to, "rule",
         "what one picture says of the tags: which are relevant to it, and which are not.");
    term(to, "seen, unseen",
         "tags that had a part in finding a direction, and tags that had none.");
    term(to, "offset", "the step from the vector of an irrelevant tag to that of a relevant one.");
    term(to, "λ", "how much a short direction is preferred to one that gets every pair right.");
    f0t_text_add(to, "</dl>\n");
}

static void figure(f0t_text *to, const f0t_study *study, f0t_study_figure which)
{
    f0t_html_chart_begin(to);
    f0t_study_figure_draw(to, study, which);
    f0t_html_chart_end(to);
}

static void findings(f0t_text *to, const f0t_study *study)
{
    f0t_html_section(to, "findings", "What was found");
    f0t_text_add(to, "<ul>\n");
    for (size_t i = 0; i < study->finding_count; i++)
        f0t_text_form(to, "<li>%s</li>\n", study->findings[i]);
    f0t_text_add(to, "</ul>\n");
}

static void existence(f0t_text *to, const f0t_study *study)
{
    f0t_html_section(to, "existence", "Is there a principal direction?");
    f0t_text_form(
        to,
        "<p>An image parts the %zu seen tags into those that are relevant to it and those "
        "that are not: a rule. The %zu images with a seen tag make %zu different rules. "
        "For each, a ranking SVM looks for a direction in the space of the word vectors "
        "along which the relevant tags come before the irrelevant ones; it is then asked "
        "to rank the same tags. 100 %% means that no pair is in the wrong order. The random "
        "order has %.2f %% in expectation.</p>\n",
        study->seen_count, study->images, study->rules, study->random_existence);
    if (study->curve_count > 1 && study->curves[1].control)
        f0t_html_paragraph(to,
                           "The curves called control have the same rules with the vectors dealt "
                           "out to other tags: what comes about when words mean nothing.");
    f0t_text_add(to, "<div class=\"pair\">\n");
    figure(to, study, F0T_FIGURE_EXISTENCE);
    figure(to, study, F0T_FIGURE_SATISFIED);
    f0t_text_add(to, "</div>\n");
    table(to, study, F0T_FIGURE_EXISTENCE);
    f0t_html_paragraph(to, "The share of the rules for which every relevant tag comes before every "
                           "irrelevant one (the second figure):");
    table(to, study, F0T_FIGURE_SATISFIED);
}

static void generalisation(f0t_text *to, const f0t_study *study)
{
    f0t_html_section(to, "generalisation", "Does it hold for unseen tags?");
    if (!study->tested) {
        f0t_html_paragraph(to, "Not asked: no image has relevant tags on both sides.");
        return;
    }
    f0t_text_form(to,
                  "<p>The same directions rank the %zu unseen tags, which had no part in finding "
                  "them; the %zu images that have relevant tags of both kinds say which are right. "
                  "The random order has %.2f %% in expectation.</p>\n",
                  study->unseen_count, study->tested, study->random_generalisation);
    figure(to, study, F0T_FIGURE_GENERALISATION);
    table(to, study, F0T_FIGURE_GENERALISATION);
}

static void fact(f0t_text *to, const char *what, double value, const char *unit, int decimals,
                 double random)
{
    f0t_text_form(to, "<tr><td class=\"l\">%s</td><td>", what);
    f0t_text_number(to, value, decimals);
    f0t_text_form(to, "%s</td>", unit);
    if (isnan(random)) {
        f0t_text_add(to, "<td></td></tr>\n");
        return;
    }
    f0t_text_add(to, "<td>");
    f0t_text_number(to, random, decimals);
    f0t_text_form(to, "%s</td></tr>\n", unit);
}

static void structure(f0t_text *to, const f0t_study *study)
{
    const f0t_study_structure *t = &study->structure;
    f0t_html_section(to, "structure", "How are the offsets arranged?");
    if (!t->rules) {
        f0t_html_paragraph(to, "No image has two relevant seen tags.");
        return;
    }
    f0t_text_form(
        to,
        "<p>The offsets of a rule lead from each irrelevant tag to each relevant one. Means "
        "over the %zu rules with two relevant tags or more; the last two rows are of a "
        "sample of %zu of them. Offsets form a grid, so that the cluster of each relevant "
        "tag is the same cloud of irrelevant tags, moved: what the clusters explain is the "
        "variance of the relevant tags over that of all offsets.</p>\n",
        t->rules, t->sampled);
    f0t_text_add(
        to,
        "<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr><th class=\"l\">of the offsets</th>"
        "<th>here</th><th>tags at random</th></tr></thead>\n<tbody>\n");
    fact(to, "mean square that their mean has", t->common, " %", 1, t->common_random);
    fact(to, "variance that the clusters of the relevant tags explain", t->explained, " %", 1,
         t->explained_random);
    fact(to, "angle between the directions of two relevant tags", t->angle, "°", 1,
         t->angle_random);
    fact(to, "offsets along the SVM's direction rather than against it", t->ahead, " %", 1, 50);
    fact(to, "cosine with the SVM's direction", t->cosine, "", 3, 0);
    f0t_text_add(to, "</tbody></table></div>\n");
}

static void groups(f0t_text *to, const f0t_study *study)
{
    const f0t_study_groups *g = &study->groups;
    f0t_html_section(to, "directions", "Are several directions better than one?");
    if (!g->rules) {
        f0t_html_paragraph(to,
                           "Not asked: no image has four relevant seen tags and an unseen one.");
        return;
    }
    f0t_text_form(
        to,
        "<p>The relevant tags of a rule are parted by likeness into k groups (Ward's "
        "clustering), each with a ranking SVM of its own against the irrelevant tags; a "
        "tag's score is the best of its k, in standard deviations of the irrelevant tags. "
        "%zu rules with four relevant tags or more, %zu images. The lines at the bars are "
        "standard errors of the difference to one direction.</p>\n",
        g->rules, g->images);
    figure(to, study, F0T_FIGURE_GROUPS);
}

static void cell(f0t_text *to, double value)
{
    f0t_text_add(to, "<td>");
    f0t_text_number(to, value, 1);
    f0t_text_add(to, "</td>");
}

static void best_cell(f0t_text *to, const double *values, size_t count)
{
    double best = 0;
    for (size_t i = 0; values && i < count; i++)
        best = fmax(best, values[i]);
    if (values)
        cell(to, best);
    else
        f0t_text_add(to, "<td>–</td>");
}

static void scale_row(f0t_text *to, const f0t_study *study, const f0t_study_scale *s)
{
    const size_t n = study->lambda_count;
    f0t_text_form(to, "<tr><td>%zu</td><td>%zu</td>", s->tags, s->real.dim);
    best_cell(to, s->real.satisfied, n);
    best_cell(to, s->control.satisfied, n);
    best_cell(to, s->any_words.satisfied, n);
    cell(to, s->chance);
    best_cell(to, s->real.existence, n);
    best_cell(to, s->any_words.existence, n);
    best_cell(to, s->real.generalisation_rules, n);
    best_cell(to, s->control.generalisation_rules, n);
    f0t_text_add(to, "</tr>\n");
}

static void scales(f0t_text *to, const f0t_study *study)
{
    f0t_html_section(to, "vocabulary", "What if the irrelevant tags are a language?");
    if (!study->scale_count) {
        f0t_html_paragraph(to, "Not asked: see --vocabulary-sizes.");
        return;
    }
    f0t_text_form(
        to,
        "<p>Words of the vector file that are no tags, drawn by seed, are irrelevant tags, too; "
        "%zu "
        "rules, each number at its best λ. Any tags: the same rules with the vectors dealt out "
        "among the seen tags. Any words: dealt out among tags and words. Dimension alone: the "
        "chance that as many of so many normally distributed points come before the others along "
        "a direction. Unseen tags are ranked among themselves; mean over rules.</p>\n",
        study->scale_rules);
    figure(to, study, F0T_FIGURE_SCALE);
    f0t_text_add(to,
                 "<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr><th>tags and "
                 "words</th><th>dimensions</th><th>rules without a violation, %</th><th>any "
                 "tags</th><th>any words</th><th>dimension alone</th><th>MiAP of the seen tags, "
                 "%</th><th>any words</th><th>MiAP of the unseen tags, %</th><th>any tags</th>"
                 "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < study->scale_count; i++)
        scale_row(to, study, &study->scales[i]);
    f0t_text_add(to, "</tbody></table></div>\n");
}

static void picture(f0t_text *to, f0t_worker *worker, const f0t_study_picture *p)
{
    f0t_text_form(to, "<h3>Image %s, %zu relevant tags</h3>\n", p->image, p->tag_count);
    if (p->path)
        f0t_html_picture(to, worker, p->path, p->image);
    f0t_text_add(to, "<p>Relevant: ");
    for (size_t t = 0; t < p->tag_count; t++)
        f0t_text_form(to, "%s<b>%s</b>", t ? ", " : "", p->tags[t]);
    f0t_text_form(to, ". %zu offsets", p->tag_count * p->irrelevant);
    if (p->irrelevant < p->irrelevant_all)
        f0t_text_form(to, " of %zu, drawn by seed", p->tag_count * p->irrelevant_all);
    f0t_text_form(
        to,
        ". %.1f %% of all point along the direction of the ranking SVM; their mean cosine "
        "with it is %.2f.",
        p->ahead, p->cosine);
    if (p->tag_count > 1)
        f0t_text_form(
            to,
            " The clusters explain %.1f %% of their variance; the directions of two tags are "
            "%.0f° apart.",
            p->explained, p->angle);
    f0t_text_add(to, "</p>\n<div class=\"pair\">\n");
    for (int tsne = 0; tsne < 2; tsne++) {
        f0t_html_chart_begin(to);
        f0t_study_picture_draw(to, p, tsne != 0);
        f0t_html_chart_end(to);
    }
    f0t_text_form(
        to,
        "</div>\n<p class=\"sub\">Left: the two axes that reach farthest from the origin; "
        "the arrow has %.0f %% of its length in this plane and is drawn as long as the "
        "picture allows. Right: t-SNE (%s), where distances far apart mean nothing.</p>\n",
        100 * hypot(p->arrow[0], p->arrow[1]), p->exact ? "exact" : "Barnes-Hut");
}

static void list_tags(f0t_text *to, const char *title, const char *const *tags, size_t count)
{
    f0t_text_form(to, "<details><summary>%s (%zu)</summary><p>", title, count);
    for (size_t i = 0; i < count; i++)
        f0t_text_form(to, "%s%s", i ? ", " : "", tags[i]);
    f0t_text_add(to, "</p></details>\n");
}

static void setting(f0t_text *to, const f0t_study *study)
{
    f0t_html_section(to, "setting", "How it was done");
    f0t_text_form(
        to,
        "<p>Dataset %s, images of part: %s. Ranking SVMs with the %s hinge. Vectors of "
        "length 1%s; fewer dimensions than a file has are its first principal components, "
        "brought to length 1 again. Unseen tags: %s. Tags without a vector, left out: "
        "%zu. Seed %zu. The numbers are in curves.csv and study.json, the figures "
        "are files of their own beside this page.</p>\n",
        study->dataset, study->part, study->hinge == F0T_HINGE_PLAIN ? "plain" : "squared",
        study->centred ? ", after the mean of the file was taken off" : "",
        study->given          ? "as the dataset says"
        : study->unseen_count ? "drawn by seed"
                              : "none",
        study->missing, (size_t)study->seed);
    list_tags(to, "Seen tags", study->seen, study->seen_count);
    if (study->unseen_count)
        list_tags(to, "Unseen tags", study->unseen, study->unseen_count);
}

static bool is_stopped(void)
{
    return f0t_monitor_stopped(f0t_context_monitor(NULL));
}

void f0t_study_page(f0t_text *to, const f0t_study *study)
{
    static const char *const ids[] = {"reading",        "findings",  "existence",
                                      "generalisation", "structure", "directions",
                                      "vocabulary",     "pictures",  "setting"};
    static const char *const titles[] = {"How to read this",
                                         "What was found",
                                         "Is there a principal direction?",
                                         "Does it hold for unseen tags?",
                                         "How are the offsets arranged?",
                                         "Are several directions better than one?",
                                         "What if the irrelevant tags are a language?",
                                         "Offsets of single images",
                                         "How it was done"};
    f0t_html_begin(to, "Are tags ranked along a direction?", study->dataset);
    f0t_html_contents(to, ids, titles, sizeof ids / sizeof *ids);
    reading(to);
    findings(to, study);
    existence(to, study);
    generalisation(to, study);
    structure(to, study);
    groups(to, study);
    scales(to, study);
    f0t_html_section(to, "pictures", "Offsets of single images");
    f0t_worker *worker = f0t_html_worker_create(to);
    for (size_t i = 0; i < study->picture_count && !is_stopped(); i++)
        picture(to, worker, &study->pictures[i]);
    f0t_worker_free(worker);
    setting(to, study);
    f0t_html_end(to);
}

/* ---- The folder --------------------------------------------------------------------------- */

/* Saves the text as folder/name and lets go of it. */
static f0t_status save(f0t_text *text, const char *folder, const char *name)
{
    char *path = NULL;
    f0t_status status = f0t_path_join(&path, folder, name);
    if (status == F0T_OK)
        status = f0t_text_save(text, path);
    f0t_free(path);
    f0t_text_free(text);
    return status;
}

static f0t_status save_figures(const f0t_study *study, const char *folder)
{
    for (int i = 0; i < F0T_STUDY_FIGURES; i++) {
        const f0t_study_figure figure = (f0t_study_figure)i;
        f0t_text text = {0};
        char name[64];
        if (!f0t_study_figure_exists(study, figure))
            continue;
        snprintf(name, sizeof name, "%s.svg", f0t_study_figure_name(figure));
        f0t_study_figure_draw(&text, study, figure);
        F0T_TRY(save(&text, folder, name));
    }
    return F0T_OK;
}

static f0t_status save_picture(const f0t_study_picture *picture, size_t number, const char *folder)
{
    f0t_text text = {0};
    char name[64];
    for (int tsne = 0; tsne < 2; tsne++) {
        snprintf(name, sizeof name, "offsets-%zu-%s.svg", number, tsne ? "tsne" : "pca");
        f0t_study_picture_draw(&text, picture, tsne);
        F0T_TRY(save(&text, folder, name));
    }
    snprintf(name, sizeof name, "offsets-%zu.csv", number);
    f0t_study_picture_csv(&text, picture);
    return save(&text, folder, name);
}

static f0t_status save_all(const f0t_study *study, f0t_text *page, const char *folder)
{
    f0t_text text = {0};
    F0T_TRY(f0t_folder_create(folder));
    F0T_TRY(save_figures(study, folder));
    for (size_t i = 0; i < study->picture_count; i++)
        F0T_TRY(save_picture(&study->pictures[i], i + 1, folder));
    f0t_study_csv(&text, study);
    F0T_TRY(save(&text, folder, "curves.csv"));
    if (study->scale_count) {
        f0t_study_scale_csv(&text, study);
        F0T_TRY(save(&text, folder, "vocabulary.csv"));
    }
    f0t_study_json(&text, study);
    F0T_TRY(save(&text, folder, "study.json"));
    return save(page, folder, "index.html");
}

/* The page, whose pictures take the time, is made before anything is written: an interruption leaves
 * no half of a folder. */
f0t_status f0t_study_save(const f0t_study *study, const char *folder, const f0t_context *context)
{
    F0T_REQUIRE(study);
    F0T_REQUIRE(folder);
    F0T_ENTER(context);
    f0t_text page = {0};
    f0t_study_page(&page, study);
    f0t_status status = page.status;
    if (status == F0T_OK && is_stopped())
        status = f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted before the study was written");
    if (status == F0T_OK)
        status = save_all(study, &page, folder);
    f0t_text_free(&page);
    return status;
}
