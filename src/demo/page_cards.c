/* The pictures that are shown, each with its tags and what each scenario says. */
#include "demo/page.h"

#include <string.h>

/* Of the method that is shown; NULL when it did not play. */
static const uint32_t *first_tags(const f0t_eval *eval, f0t_scenario scenario, size_t sample)
{
    for (size_t m = 0; m < eval->plan.method_count; m++)
        if (!strcmp(eval->plan.methods[m]->name, f0t_demo_ours)) {
            const f0t_eval_cell *cell = f0t_eval_cell_at(eval, 0, m, scenario);
            return cell->top ? cell->top + sample * F0T_SAMPLE_TOP : NULL;
        }
    return NULL;
}

static void add_answer(f0t_text *page, const f0t_demo_view *view, size_t sample,
                       f0t_scenario scenario, const char *what)
{
    const f0t_eval *eval = view->work->eval;
    const uint32_t *tags = first_tags(eval, scenario, sample);
    f0t_text_form(page, "<dt>%s</dt><dd>", what);
    for (size_t k = 0; tags && k < F0T_SAMPLE_TOP && tags[k] != F0T_NO_SAMPLE_TAG; k++) {
        const bool right = f0t_demo_has_tag(view, eval->sample_images[sample], tags[k]);
        const bool held = scenario == F0T_SEEN_UNSEEN && eval->tags.kind[tags[k]] == F0T_TAG_UNSEEN;
        f0t_text_form(page, "%s<span class=\"%s%s\">%s</span>", k ? " " : "",
                      right ? "right" : "wrong", held ? " held" : "",
                      f0t_vocab_tag(eval->tags.vocab, tags[k]));
    }
    f0t_text_add(page, "</dd>");
}

/* Nobody has said which of thousands of nouns fit: those that the picture's own keywords have are
 * right, the others are left to the reader. */
static void add_open(f0t_text *page, const f0t_demo_view *view, size_t sample)
{
    const f0t_vocab *nouns = view->work->nouns;
    const size_t row = view->work->eval->sample_images[sample];
    const size_t top = f0t_vocab_size(nouns) < F0T_DEMO_TOP ? f0t_vocab_size(nouns) : F0T_DEMO_TOP;
    if (!top)
        return;
    f0t_text_add(page, "<dt>any noun</dt><dd>");
    for (size_t k = 0; k < top; k++) {
        const char *noun = f0t_vocab_tag(nouns, view->open[sample * top + k]);
        f0t_text_form(page, "%s<span class=\"%s\">%s</span>", k ? " " : "",
                      f0t_demo_has_word(view, row, noun) ? "right" : "open", noun);
    }
    f0t_text_add(page, "</dd>");
}

/* Tags that were held out have a frame. */
static void add_truth(f0t_text *page, const f0t_demo_view *view, size_t row)
{
    const f0t_eval *eval = view->work->eval;
    size_t count;
    const uint32_t *tags = f0t_dataset_image_tags(view->work->collection, row, &count);
    f0t_text_add(page, "<dt>people said</dt><dd>");
    for (size_t i = 0; i < count; i++) {
        const uint32_t index = eval->tags.index[tags[i]];
        const bool held = index != F0T_NO_SAMPLE_TAG && eval->tags.kind[index] == F0T_TAG_UNSEEN;
        f0t_text_form(page, held ? "%s<span class=\"held\">%s</span>" : "%s<span>%s</span>",
                      i ? " " : "", f0t_dataset_tag(view->work->collection, tags[i]));
    }
    f0t_text_add(page, "</dd>");
}

static void add_card(f0t_text *page, const f0t_demo_view *view, size_t sample)
{
    const size_t row = view->work->eval->sample_images[sample];
    f0t_text_add(page, "<article class=\"card\">\n");
    f0t_demo_picture(page, view, row);
    f0t_text_add(page, "<dl>");
    add_truth(page, view, row);
    add_answer(page, view, sample, F0T_CONVENTIONAL, "all learned");
    add_answer(page, view, sample, F0T_SEEN_UNSEEN, "a fifth is new");
    add_answer(page, view, sample, F0T_ZERO_SHOT, "only new ones");
    add_open(page, view, sample);
    f0t_text_add(page, "</dl></article>\n");
}

void f0t_demo_add_cards(f0t_text *page, const f0t_demo_view *view)
{
    f0t_text_add(page, "<div class=\"cards\">\n");
    for (size_t i = 0; i < view->work->eval->sample_count; i++)
        add_card(page, view, i);
    f0t_text_add(page, "</div>\n");
}
