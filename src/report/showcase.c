/* The page of a showcase: the model's answers and small questions about the collection, the top, the cards, the
 * sections. */
#include "report/showcase.h"

#include "base/alloc.h"
#include "base/context.h"
#include "import/clean.h"
#include "report/html.h"
#include "report/measures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 256, RELOAD = 15 /* seconds */ };

/* ---- The view: directions -------------------------------------------------------------------------------- */

static void normalise(float *v, size_t dim)
{
    double sum = 0;
    for (size_t j = 0; j < dim; j++)
        sum += (double)v[j] * (double)v[j];
    for (size_t j = 0; j < dim && sum > 0; j++)
        v[j] = (float)((double)v[j] / sqrt(sum));
}

static f0t_status find_directions(float *out, const f0t_showcase_view *view, const uint32_t *rows,
                                  size_t count)
{
    const f0t_dataset *dataset = view->collection;
    const size_t features = f0t_dataset_dim(dataset);
    float *block;
    f0t_status status = F0T_OK;
    F0T_TRY(f0t_alloc(&block, BLOCK * features, sizeof *block));
    for (size_t first = 0; first < count && status == F0T_OK; first += BLOCK) {
        const size_t some = count - first < BLOCK ? count - first : BLOCK;
        for (size_t i = 0; i < some && status == F0T_OK; i++)
            status = f0t_dataset_read_features(block + i * features, dataset, rows[first + i], 1);
        if (status == F0T_OK)
            status = f0t_model_directions(out + first * view->dim, view->given->model, block, some,
                                          NULL);
    }
    for (size_t i = 0; i < count && status == F0T_OK; i++)
        normalise(out + i * view->dim, view->dim);
    f0t_free(block);
    return status;
}

static f0t_status list_tests(f0t_showcase_view *view)
{
    const f0t_dataset *dataset = view->collection;
    const uint8_t *split = f0t_dataset_split(dataset);
    F0T_TRY(
        f0t_alloc(&view->tests, f0t_dataset_split_count(dataset, F0T_TEST), sizeof *view->tests));
    for (size_t m = 0; m < f0t_dataset_image_count(dataset); m++)
        if (split[m] == F0T_TEST)
            view->tests[view->test_count++] = (uint32_t)m;
    return F0T_OK;
}

static f0t_status fill(f0t_showcase_view *view)
{
    const f0t_eval *eval = view->eval;
    const size_t shown = eval->sample_count;
    F0T_TRY(f0t_worker_create(&view->worker));
    if (!view->given->model)
        return F0T_OK;
    F0T_TRY(list_tests(view));
    F0T_TRY(f0t_alloc(&view->shown, shown * view->dim, sizeof *view->shown));
    F0T_TRY(f0t_alloc(&view->directions, view->test_count * view->dim, sizeof *view->directions));
    F0T_TRY(f0t_alloc(&view->open, shown * F0T_SHOWCASE_TOP, sizeof *view->open));
    F0T_TRY(find_directions(view->shown, view, eval->sample_images, shown));
    F0T_TRY(find_directions(view->directions, view, view->tests, view->test_count));
    return f0t_vocab_rank(view->open, NULL, F0T_SHOWCASE_TOP, view->given->words, view->shown,
                          shown, NULL);
}

static void free_view(f0t_showcase_view *view)
{
    f0t_worker_free(view->worker);
    f0t_free(view->shown);
    f0t_free(view->open);
    f0t_free(view->tests);
    f0t_free(view->directions);
}

/* ---- The view: pictures ---------------------------------------------------------------------------------- */

void f0t_showcase_title(char *out, size_t size, const f0t_showcase_view *view, size_t m)
{
    const char *path = f0t_dataset_image(view->collection, m), *slash = strrchr(path, '/');
    snprintf(out, size, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(out, '.');
    if (dot && dot > out)
        *dot = 0;
}

void f0t_showcase_picture(f0t_text *page, const f0t_showcase_view *view, size_t m)
{
    char title[120];
    f0t_showcase_title(title, sizeof title, view, m);
    f0t_html_picture(page, view->worker, f0t_dataset_image(view->collection, m), title);
}

/* ---- The view: tags -------------------------------------------------------------------------------------- */

bool f0t_showcase_has_tag(const f0t_showcase_view *view, size_t m, uint32_t tag)
{
    size_t count;
    const uint32_t *tags = f0t_dataset_image_tags(&count, view->collection, m);
    for (size_t i = 0; i < count; i++)
        if (view->eval->tags.index[tags[i]] == tag)
            return true;
    return false;
}

/* The row of the pictures' own keywords that row m of the collection comes from. */
static size_t source_of(const f0t_showcase_view *view, size_t m)
{
    const char *path = f0t_dataset_image(view->collection, m);
    const f0t_dataset *pictures = view->given->pictures;
    for (size_t i = 0; i < f0t_dataset_image_count(pictures); i++)
        if (!strcmp(f0t_dataset_image(pictures, i), path))
            return i;
    return F0T_NONE;
}

/* True when somebody gave row m this word, also as a plural or as a tag that the clean-up left out for
 * being rare. */
static bool has_word(const f0t_showcase_view *view, size_t m, const char *word)
{
    const size_t source = source_of(view, m);
    size_t count = 0;
    const uint32_t *tags =
        source == F0T_NONE ? NULL : f0t_dataset_image_tags(&count, view->given->pictures, source);
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        const char *tag = f0t_dataset_tag(view->given->pictures, tags[i]);
        f0t_texts forms = {0};
        if (f0t_clean_form(&forms, tag, strlen(tag)) == F0T_OK)
            for (size_t k = 0; k < forms.count; k++)
                found = found || f0t_clean_same(f0t_texts_get(&forms, k), word);
        f0t_texts_free(&forms);
    }
    return found;
}

/* ---- Cards: the pictures that are shown, each with its tags and what each scenario says ---- */

/* Of the method that is shown; NULL when it was refused. */
static const uint32_t *first_tags(const f0t_eval *eval, f0t_scenario scenario, size_t sample)
{
    for (size_t m = 0; m < eval->plan.method_count; m++)
        if (!strcmp(eval->plan.methods[m]->name, f0t_showcase_method(eval))) {
            const f0t_eval_cell *cell = f0t_eval_cell_at(eval, 0, m, scenario);
            return cell->top ? cell->top + sample * F0T_SAMPLE_TOP : NULL;
        }
    return NULL;
}

static void add_answer(f0t_text *page, const f0t_showcase_view *view, size_t sample,
                       f0t_scenario scenario, const char *what)
{
    const f0t_eval *eval = view->eval;
    if (!eval->plan.asked[scenario])
        return;
    const uint32_t *tags = first_tags(eval, scenario, sample);
    f0t_text_form(page, "<dt>%s</dt><dd>", what);
    for (size_t k = 0; tags && k < F0T_SAMPLE_TOP && tags[k] != F0T_NO_SAMPLE_TAG; k++) {
        const bool right = f0t_showcase_has_tag(view, eval->sample_images[sample], tags[k]);
        const bool held = scenario == F0T_SEEN_UNSEEN && eval->tags.kind[tags[k]] == F0T_TAG_UNSEEN;
        f0t_text_form(page, "%s<span class=\"%s%s\">%s</span>", k ? " " : "",
                      right ? "right" : "wrong", held ? " held" : "",
                      f0t_vocab_tag(eval->tags.vocab, tags[k]));
    }
    f0t_text_add(page, "</dd>");
}

/* Nobody has said which of thousands of nouns fit: those that the picture's own keywords have are
 * right, the others are left to the reader. */
static void add_open(f0t_text *page, const f0t_showcase_view *view, size_t sample)
{
    const f0t_vocab *nouns = view->given->words;
    if (!nouns)
        return;
    const size_t row = view->eval->sample_images[sample];
    const size_t top =
        f0t_vocab_count(nouns) < F0T_SHOWCASE_TOP ? f0t_vocab_count(nouns) : F0T_SHOWCASE_TOP;
    if (!top)
        return;
    f0t_text_add(page, "<dt>any noun</dt><dd>");
    for (size_t k = 0; k < top; k++) {
        const char *noun = f0t_vocab_tag(nouns, view->open[sample * top + k]);
        f0t_text_form(page, "%s<span class=\"%s\">%s</span>", k ? " " : "",
                      has_word(view, row, noun) ? "right" : "open", noun);
    }
    f0t_text_add(page, "</dd>");
}

/* Tags that were held out have a frame. */
static void add_truth(f0t_text *page, const f0t_showcase_view *view, size_t row)
{
    const f0t_eval *eval = view->eval;
    size_t count;
    const uint32_t *tags = f0t_dataset_image_tags(&count, view->collection, row);
    f0t_text_add(page, "<dt>people said</dt><dd>");
    for (size_t i = 0; i < count; i++) {
        const uint32_t index = eval->tags.index[tags[i]];
        const bool held = index != F0T_NO_SAMPLE_TAG && eval->tags.kind[index] == F0T_TAG_UNSEEN;
        f0t_text_form(page, held ? "%s<span class=\"held\">%s</span>" : "%s<span>%s</span>",
                      i ? " " : "", f0t_dataset_tag(view->collection, tags[i]));
    }
    f0t_text_add(page, "</dd>");
}

static void add_card(f0t_text *page, const f0t_showcase_view *view, size_t sample)
{
    const size_t row = view->eval->sample_images[sample];
    f0t_text_add(page, "<article class=\"card\">\n");
    f0t_showcase_picture(page, view, row);
    f0t_text_add(page, "<dl>");
    add_truth(page, view, row);
    add_answer(page, view, sample, F0T_CONVENTIONAL, "all learned");
    add_answer(page, view, sample, F0T_SEEN_UNSEEN, "a fifth is new");
    add_answer(page, view, sample, F0T_ZERO_SHOT, "only new ones");
    add_open(page, view, sample);
    f0t_text_add(page, "</dl></article>\n");
}

static void add_cards(f0t_text *page, const f0t_showcase_view *view)
{
    f0t_text_add(page, "<div class=\"cards\">\n");
    for (size_t i = 0; i < view->eval->sample_count; i++)
        add_card(page, view, i);
    f0t_text_add(page, "</div>\n");
}

/* ---- The top ----------------------------------------------------------------------------------- */

static void add_title(f0t_text *page, const f0t_showcase_view *view)
{
    char images[F0T_SHOWCASE_COUNT_SIZE], tags[F0T_SHOWCASE_COUNT_SIZE], subtitle[300];
    const f0t_showcase *given = view->given;
    snprintf(subtitle, sizeof subtitle,
             "fast0tag on %s pictures with %s tags%s, all learned on this computer",
             f0t_showcase_count(images, f0t_showcase_images(given)),
             f0t_showcase_count(tags, f0t_showcase_tags(given)),
             given->clipart ? " from Debian's clip art" : "");
    f0t_html_begin_reloading(page, "Pictures, named with words that were never learned", subtitle,
                             given->to_come ? RELOAD : 0);
}

static void add_to_come(f0t_text *page, const f0t_showcase_view *view)
{
    if (view->given->to_come)
        f0t_text_form(
            page,
            "<p class=\"unfinished\"><b>This page is not complete.</b> Still to come: %s. It "
            "reloads every %d seconds. Where 'fast0tag demo' was interrupted, the same command "
            "goes on.</p>\n",
            view->given->to_come, RELOAD);
}

static void add_figure(f0t_text *page, f0t_showcase_gain gain, const char *what,
                       const char *against)
{
    if (!isfinite(gain.times))
        return;
    f0t_text_add(page, "<div><b>");
    f0t_text_number(page, gain.times, 1);
    f0t_text_form(page, " ×</b>%s<br><span class=\"sub\">", what);
    f0t_measure_write(page, "MiAP");
    f0t_text_form(page, " %.1f against %.1f %s</span></div>\n", gain.miap, gain.against, against);
}

static void add_figures(f0t_text *page, const f0t_showcase_view *view)
{
    const f0t_eval *eval = view->eval;
    char nouns[F0T_SHOWCASE_COUNT_SIZE];
    f0t_text_add(page, "<div class=\"figures\">\n");
    add_figure(page, f0t_showcase_gain_of(eval, F0T_ZERO_SHOT), "tags that it was never shown",
               "by chance");
    add_figure(page, f0t_showcase_gain_of(eval, F0T_SEEN_UNSEEN), "all tags, a fifth never shown",
               "by frequency");
    add_figure(page, f0t_showcase_gain_of(eval, F0T_CONVENTIONAL), "all tags, all of them learned",
               "by frequency");
    if (view->given->words)
        f0t_text_form(page,
                      "<div><b>%s</b>nouns to choose from<br><span class=\"sub\">none of them "
                      "learned</span></div>\n",
                      f0t_showcase_count(nouns, f0t_vocab_count(view->given->words)));
    f0t_text_add(page, "</div>\n");
    f0t_text_form(page, "<p><b>How to read this.</b> MiAP: %s</p>\n", f0t_measure_meaning("MiAP"));
}

/* Search and direction are the model's. */
static void add_contents(f0t_text *page, const f0t_showcase_view *view)
{
    static const char *const ids[] = {"pictures", "search", "direction",
                                      "numbers",  "tags",   "yours"};
    static const char *const titles[] = {"Pictures and what it says", "Searching by a new word",
                                         "The principal direction",   "The numbers",
                                         "How the tags were cleaned", "Your own pictures"};
    enum { SECTIONS = sizeof ids / sizeof *ids, OF_MODEL = 2 };
    const char *of[SECTIONS] = {ids[0]}, *called[SECTIONS] = {titles[0]};
    size_t count = 1;
    for (size_t i = view->given->model ? 1 : 1 + OF_MODEL; i < SECTIONS; i++) {
        of[count] = ids[i];
        called[count++] = titles[i];
    }
    f0t_html_contents(page, of, called, count);
}

/* ---- Sections ---------------------------------------------------------------------------------- */

static void add_pictures(f0t_text *page, const f0t_showcase_view *view)
{
    char count[F0T_SHOWCASE_COUNT_SIZE];
    f0t_html_section(page, "pictures", "Pictures and what it says");
    f0t_text_form(
        page,
        "<p>Test pictures, drawn by seed and not by beauty, with the first five tags of each "
        "scenario. <span class=\"right\">Right tags are green</span>, <span class=\"wrong\">wrong "
        "ones red and italic</span>; one that fits but that nobody gave the picture counts as "
        "wrong. <span class=\"held\">Framed tags</span> were held out: training never saw them.");
    if (view->given->words)
        f0t_text_form(page,
                      " The last row ranks %s nouns of WordNet, none of them learned; nobody has "
                      "judged these, so <span class=\"open\">only those among the picture's own "
                      "keywords are green</span>.",
                      f0t_showcase_count(count, f0t_vocab_count(view->given->words)));
    if (view->given->to_come)
        f0t_text_form(page, " These are the tags of %s.", f0t_showcase_shown(view->eval));
    f0t_text_add(page, "</p>\n");
    add_cards(page, view);
}

static f0t_status add_search(f0t_text *page, const f0t_showcase_view *view)
{
    f0t_html_section(page, "search", "Searching by a new word");
    return f0t_showcase_add_search(page, view);
}

static f0t_status add_direction(f0t_text *page, const f0t_showcase_view *view)
{
    f0t_html_section(page, "direction", "The principal direction");
    f0t_html_paragraph(
        page, "What was learned turns a picture's features into a direction in the space "
              "of word vectors, and ranks new words by how far along it they lie. Here are all "
              "tags of the collection along the direction of one picture, of those above the "
              "one whose own tags come furthest; up and down is "
              "what spreads them most across it. Any other word has its place, too: that "
              "is why words work that were never learned.");
    return f0t_showcase_add_direction(page, view);
}

static const char TUNED[] = "Every method was tuned the same way, on validation pictures and "
                            "learned tags alone, and tested "
                            "once.";
static const char UNTUNED[] =
    "No method was tuned: their settings were chosen on other collections, but for what a method "
    "chooses by itself on the validation pictures. Each was tested once.";
static const char BLEND[] = " The blend is what 'train' learns unless told otherwise, and what "
                            "this page shows: the direction, "
                            "a network with an output per tag, the votes of similar pictures and "
                            "ridge regression, each for as "
                            "much as it is worth.";

static f0t_status add_numbers(f0t_text *page, const f0t_showcase_view *view)
{
    const f0t_eval *eval = view->eval;
    f0t_table *table;
    f0t_html_section(page, "numbers", "The numbers");
    f0t_text_form(page,
                  "<p>MiAP in percent: 100 where every right tag comes before all others. A dash "
                  "stands where a method ranks only tags that it learned%s. ",
                  view->given->to_come ? ", dots where a figure is still to come" : "");
    f0t_text_add(page, eval->plan.trials ? TUNED : UNTUNED);
    f0t_text_add(page, f0t_showcase_has_blend(eval) ? BLEND : "");
    if (view->given->blend_epochs && f0t_showcase_has_blend(eval))
        f0t_text_form(page, " Its networks were trained for %zu epochs, fewer than 'train' takes.",
                      view->given->blend_epochs);
    f0t_text_add(page, "</p>\n");
    F0T_TRY(f0t_showcase_table(&table, eval));
    f0t_table_write_html(page, table);
    f0t_table_free(table);
    f0t_text_add(page, "<p>");
    f0t_showcase_tell_gains(page, eval);
    f0t_text_add(page, "</p>\n");
    return F0T_OK;
}

static void add_tags(f0t_text *page, const f0t_showcase_view *view)
{
    f0t_text told = {0};
    f0t_html_section(page, "tags", "How the tags were cleaned");
    f0t_showcase_tell_cleaning(&told, view->given);
    f0t_html_paragraph(page, told.bytes ? told.bytes : "");
    if (page->status == F0T_OK)
        page->status = told.status;
    f0t_text_free(&told);
}

static void add_yours(f0t_text *page, const f0t_showcase_view *view)
{
    f0t_html_section(page, "yours", "Your own pictures");
    f0t_html_paragraph(page,
                       "This page for a folder of pictures that carry keywords (XMP, IPTC, SVG "
                       "metadata, or sidecars of digiKam, darktable and others):");
    f0t_text_add(page, "<pre>fast0tag demo ~/Pictures -o demo</pre>\n");
    f0t_html_paragraph(page, "A model that names new pictures, in your tags or in any others, and "
                             "writes them where photo programs find them:");
    f0t_text_add(page, "<pre>fast0tag vectors build wordnet -o words.safetensors\n"
                       "fast0tag train ~/Pictures --vectors words.safetensors -o pictures.f0t\n"
                       "fast0tag tag pictures.f0t ~/Pictures/new --xmp</pre>\n");
    if (!view->given->model)
        return;
    f0t_html_paragraph(page, "And the model of this page on any picture, with any nouns:");
    f0t_text_form(page,
                  "<pre>fast0tag tag model.f0t picture.jpg --vocab nouns.txt --vectors %s</pre>\n",
                  view->given->vectors ? view->given->vectors : "words.safetensors");
}

/* ---- The page ---------------------------------------------------------------------------------- */

static f0t_status write_page(f0t_text *page, const f0t_showcase_view *view)
{
    add_title(page, view);
    add_to_come(page, view);
    add_figures(page, view);
    add_contents(page, view);
    add_pictures(page, view);
    if (view->given->model) {
        F0T_TRY(add_search(page, view));
        F0T_TRY(add_direction(page, view));
    }
    F0T_TRY(add_numbers(page, view));
    add_tags(page, view);
    add_yours(page, view);
    f0t_html_end(page);
    return page->status;
}

static f0t_status save_page(f0t_showcase_view *view, const char *path)
{
    f0t_text page = {0};
    F0T_TRY(fill(view));
    f0t_status status = write_page(&page, view);
    if (status == F0T_OK)
        status = f0t_text_save(&page, path);
    f0t_text_free(&page);
    return status;
}

f0t_status f0t_showcase_save(const f0t_showcase *showcase, const char *path,
                             const f0t_context *context)
{
    F0T_REQUIRE(showcase);
    F0T_REQUIRE(path);
    F0T_READ_OPTIONS(f0t_showcase, F0T_SHOWCASE, showcase);
    F0T_TRY(f0t_showcase_check(showcase));
    F0T_ENTER(context);
    f0t_showcase_view view = {.given = showcase,
                              .eval = showcase->eval,
                              .collection = showcase->eval->dataset,
                              .dim = showcase->model ? f0t_model_dim(showcase->model) : 0};
    f0t_status status = save_page(&view, path);
    free_view(&view);
    return status;
}
