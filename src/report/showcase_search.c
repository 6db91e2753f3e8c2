/* The other way round: the test pictures that come first for a word that no training saw. */
#include "base/alloc.h"
#include "math/topk.h"
#include "report/showcase.h"

#include <math.h>

/* Pictures of a word, test pictures that must have it, words that go best and worst. */
enum { PICTURES = 6, LEAST = 3, BEST = 3, WORST = 2 };

typedef struct search {
    const f0t_showcase_view *view;
    const f0t_eval_tags *tags;
    size_t *counts;       /* [tags] test pictures that have it */
    size_t *right;        /* [tags] of the first; F0T_NONE: not asked */
    double *mean, *scale; /* [test pictures] of the scores of all tags */
    float *scores;        /* [test pictures] of one tag */
    uint32_t order[PICTURES];
    size_t found;
} search;

static double score_of(const search *s, size_t picture, size_t tag)
{
    const size_t dim = s->view->dim;
    const float *vector = f0t_vocab_vectors(s->tags->vocab) + tag * dim;
    const float *direction = s->view->directions + picture * dim;
    double score = 0;
    for (size_t j = 0; j < dim; j++)
        score += (double)vector[j] * (double)direction[j];
    return score;
}

/* A picture whose direction is near to everything must not come first for every word: what counts is
 * how far a tag stands out among all tags. */
static void measure_pictures(search *s)
{
    const double count = (double)s->tags->count;
    for (size_t i = 0; i < s->view->test_count; i++) {
        double sum = 0, squares = 0;
        for (size_t t = 0; t < s->tags->count; t++) {
            const double score = score_of(s, i, t);
            sum += score;
            squares += score * score;
        }
        s->mean[i] = sum / count;
        s->scale[i] = sqrt(fmax(squares / count - s->mean[i] * s->mean[i], 1e-12));
    }
}

static void count_tests(search *s)
{
    for (size_t i = 0; i < s->view->test_count; i++) {
        size_t count;
        const uint32_t *own =
            f0t_dataset_image_tags(&count, s->view->collection, s->view->tests[i]);
        for (size_t k = 0; k < count; k++)
            if (s->tags->index[own[k]] != F0T_NO_SAMPLE_TAG)
                s->counts[s->tags->index[own[k]]]++;
    }
}

/* The first pictures for a tag into s->order; gives how many have it. */
static size_t find(search *s, size_t tag)
{
    size_t right = 0;
    for (size_t i = 0; i < s->view->test_count; i++)
        s->scores[i] = (float)((score_of(s, i, tag) - s->mean[i]) / s->scale[i]);
    s->found = f0t_topk_row(s->order, NULL, s->scores, s->view->test_count, PICTURES);
    for (size_t i = 0; i < s->found; i++)
        right += f0t_showcase_has_tag(s->view, s->view->tests[s->order[i]], (uint32_t)tag);
    return right;
}

static void find_all(search *s)
{
    for (size_t t = 0; t < s->tags->count; t++) {
        const bool asked = s->tags->kind[t] == F0T_TAG_UNSEEN && s->counts[t] >= LEAST;
        s->right[t] = asked ? find(s, t) : F0T_NONE;
    }
}

/* ---- On the page ------------------------------------------------------------------------------- */

static void add_word(f0t_text *page, search *s, size_t tag)
{
    const size_t right = find(s, tag);
    f0t_text_form(page,
                  "<h3>%s</h3>\n<p class=\"sub\">%zu of the first %zu have the tag; by chance it "
                  "would be %.1f</p>\n<div class=\"hits\">\n",
                  f0t_vocab_tag(s->tags->vocab, tag), right, s->found,
                  (double)(s->found * s->counts[tag]) / (double)s->view->test_count);
    for (size_t i = 0; i < s->found; i++) {
        const size_t row = s->view->tests[s->order[i]];
        const bool has = f0t_showcase_has_tag(s->view, row, (uint32_t)tag);
        f0t_text_form(page, "<figure class=\"%s\">", has ? "hit" : "miss");
        f0t_showcase_picture(page, s->view, row);
        f0t_text_add(page, has ? "<figcaption>✓</figcaption></figure>\n"
                               : "<figcaption>✗</figcaption></figure>\n");
    }
    f0t_text_add(page, "</div>\n");
}

/* The word with the most (or the fewest) right pictures that was not shown; of equal ones that of more
 * test pictures. */
static size_t next_word(const search *s, bool best)
{
    size_t found = F0T_NONE;
    for (size_t t = 0; t < s->tags->count; t++) {
        if (s->right[t] == F0T_NONE)
            continue;
        const bool first = found == F0T_NONE;
        const bool ahead =
            !first && (best ? s->right[t] > s->right[found] : s->right[t] < s->right[found]);
        const bool equal = !first && s->right[t] == s->right[found];
        if (first || ahead || (equal && s->counts[t] > s->counts[found]))
            found = t;
    }
    return found;
}

static void add_words(f0t_text *page, search *s)
{
    size_t asked = 0, hits = 0;
    for (size_t t = 0; t < s->tags->count; t++)
        if (s->right[t] != F0T_NONE) {
            asked++;
            hits += s->right[t] > 0;
        }
    f0t_text_form(page,
                  "<p>The other way round: all %zu test pictures ranked by one tag that was held "
                  "out. Of %zu such tags that %d test pictures or more have, %zu have a right "
                  "picture among the first %d. Here are those that go best, and then those that go "
                  "worst.</p>\n",
                  s->view->test_count, asked, LEAST, hits, PICTURES);
    for (int i = 0; i < BEST + WORST; i++) {
        const size_t tag = next_word(s, i < BEST);
        if (tag == F0T_NONE)
            return;
        add_word(page, s, tag);
        s->right[tag] = F0T_NONE;
    }
}

static f0t_status create(search *s)
{
    const size_t pictures = s->view->test_count;
    F0T_TRY(f0t_alloc_zero(&s->counts, s->tags->count, sizeof *s->counts));
    F0T_TRY(f0t_alloc_zero(&s->right, s->tags->count, sizeof *s->right));
    F0T_TRY(f0t_alloc(&s->mean, pictures, sizeof *s->mean));
    F0T_TRY(f0t_alloc(&s->scale, pictures, sizeof *s->scale));
    return f0t_alloc(&s->scores, pictures, sizeof *s->scores);
}

f0t_status f0t_showcase_add_search(f0t_text *page, const f0t_showcase_view *view)
{
    search s = {.view = view, .tags = &view->eval->tags};
    f0t_status status = create(&s);
    if (status == F0T_OK) {
        measure_pictures(&s);
        count_tests(&s);
        find_all(&s);
        add_words(page, &s);
    }
    f0t_free(s.counts);
    f0t_free(s.right);
    f0t_free(s.mean);
    f0t_free(s.scale);
    f0t_free(s.scores);
    return status;
}
