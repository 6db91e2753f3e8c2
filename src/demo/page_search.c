/* The other way round: the test pictures that come first for a word that no training saw. */
#include "base/alloc.h"
#include "demo/page.h"
#include "math/topk.h"

#include <string.h>

enum { WORDS = 5, PICTURES = 6 };

/* How many test images have each tag of the comparison's vocabulary. */
static void count_tests(size_t *counts, const f0t_demo_view *view)
{
    const f0t_eval_tags *tags = &view->work->eval->tags;
    for (size_t i = 0; i < view->test_count; i++) {
        size_t count;
        const uint32_t *own =
            f0t_dataset_image_tags(view->work->collection, view->tests[i], &count);
        for (size_t k = 0; k < count; k++)
            if (tags->index[own[k]] != F0T_NO_SAMPLE_TAG)
                counts[tags->index[own[k]]]++;
    }
}

/* The unseen tag with the most test pictures among those that are left; F0T_NONE: there is none. */
static size_t next_word(size_t *counts, const f0t_eval_tags *tags)
{
    size_t best = F0T_NONE;
    for (size_t t = 0; t < tags->count; t++)
        if (tags->kind[t] == F0T_TAG_UNSEEN && counts[t] &&
            (best == F0T_NONE || counts[t] > counts[best]))
            best = t;
    return best;
}

static void add_hits(f0t_text *page, const f0t_demo_view *view, size_t tag, size_t have,
                     const uint32_t *order, size_t count)
{
    size_t right = 0;
    for (size_t i = 0; i < count; i++)
        right += f0t_demo_has_tag(view, view->tests[order[i]], (uint32_t)tag);
    f0t_text_form(page,
                  "<h3>%s</h3>\n<p class=\"sub\">%zu of the first %zu have the tag; by chance it "
                  "would be %.1f</p>\n<div class=\"hits\">\n",
                  f0t_vocab_tag(view->work->eval->tags.vocab, tag), right, count,
                  (double)(count * have) / (double)view->test_count);
    for (size_t i = 0; i < count; i++) {
        const size_t row = view->tests[order[i]];
        const bool has = f0t_demo_has_tag(view, row, (uint32_t)tag);
        f0t_text_form(page, "<figure class=\"%s\">", has ? "hit" : "miss");
        f0t_demo_picture(page, view, row);
        f0t_text_add(page, has ? "<figcaption>✓</figcaption></figure>\n"
                               : "<figcaption>✗</figcaption></figure>\n");
    }
    f0t_text_add(page, "</div>\n");
}

static void add_word(f0t_text *page, const f0t_demo_view *view, size_t tag, size_t have,
                     float *scores)
{
    const float *vector = f0t_vocab_vectors(view->work->eval->tags.vocab) + tag * view->dim;
    uint32_t order[PICTURES];
    for (size_t i = 0; i < view->test_count; i++) {
        scores[i] = 0;
        for (size_t j = 0; j < view->dim; j++)
            scores[i] += vector[j] * view->directions[i * view->dim + j];
    }
    const size_t count = f0t_topk_row(order, NULL, scores, view->test_count, PICTURES);
    add_hits(page, view, tag, have, order, count);
}

f0t_status f0t_demo_add_search(f0t_text *page, const f0t_demo_view *view)
{
    const f0t_eval_tags *tags = &view->work->eval->tags;
    size_t *counts, tag;
    float *scores = NULL;
    F0T_TRY(f0t_alloc_zero(&counts, tags->count, sizeof *counts));
    f0t_status status = f0t_alloc(&scores, view->test_count, sizeof *scores);
    if (status == F0T_OK)
        count_tests(counts, view);
    for (size_t i = 0; status == F0T_OK && i < WORDS; i++) {
        tag = next_word(counts, tags);
        if (tag == F0T_NONE)
            break;
        add_word(page, view, tag, counts[tag], scores);
        counts[tag] = 0;
    }
    f0t_free(counts);
    f0t_free(scores);
    return status;
}
