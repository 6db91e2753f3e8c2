#include "tag/known.h"

#include "base/alloc.h"
#include "math/topk.h"
#include "word/vocab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Which words are which ------------------------------------------------------------------------------ */

void f0t_known_words_free(f0t_known_words *w)
{
    f0t_free(w->learned);
    f0t_free(w->place);
    f0t_free(w->fresh);
    f0t_free(w->vectors);
    f0t_free(w->passed);
    f0t_shortlist_free(w->shortlist);
    *w = (f0t_known_words){0};
}

/* The learned tags that the vocabulary has; is_learned[count of the vocabulary] where they are. */
static f0t_status find_learned(f0t_known_words *w, bool *is_learned, const f0t_vocab *own,
                               const f0t_vocab *vocab)
{
    for (size_t t = 0; t < f0t_vocab_count(own); t++) {
        size_t at = t;
        if (own != vocab)
            F0T_TRY(f0t_vocab_find(&at, vocab, f0t_vocab_tag(own, t)));
        if (at == F0T_NONE || is_learned[at])
            continue;
        is_learned[at] = true;
        w->learned[w->learned_count] = (uint32_t)t;
        w->place[w->learned_count++] = (uint32_t)at;
    }
    return F0T_OK;
}

static f0t_status gather_new(f0t_known_words *w, const bool *is_learned, const f0t_vocab *vocab)
{
    const size_t count = f0t_vocab_count(vocab), dim = f0t_vocab_dim(vocab);
    w->new_count = count - w->learned_count;
    F0T_TRY(f0t_alloc(&w->fresh, w->new_count, sizeof *w->fresh));
    F0T_TRY(f0t_alloc(&w->vectors, w->new_count * dim, sizeof *w->vectors));
    for (size_t i = 0, n = 0; i < count; i++)
        if (!is_learned[i]) {
            w->fresh[n] = (uint32_t)i;
            memcpy(w->vectors + n++ * dim, f0t_vocab_vectors(vocab) + i * dim,
                   dim * sizeof *w->vectors);
        }
    return F0T_OK;
}

static f0t_status pass_over(f0t_known_words *w, const bool *is_learned, const f0t_vocab *vocab)
{
    F0T_TRY(f0t_alloc(&w->passed, w->learned_count, sizeof *w->passed));
    w->new_count = f0t_vocab_count(vocab) - w->learned_count;
    for (size_t i = 0; w->passed_over < w->learned_count; i++)
        if (is_learned[i])
            w->passed[w->passed_over++] = (uint32_t)i;
    return F0T_OK;
}

f0t_status f0t_known_words_create(f0t_known_words *w, const f0t_model *model,
                                  const f0t_vocab *vocab)
{
    const f0t_vocab *own = f0t_model_vocab(model);
    bool *is_learned = NULL;
    *w = (f0t_known_words){0};
    f0t_status status = f0t_alloc_zero(&is_learned, f0t_vocab_count(vocab), sizeof *is_learned);
    if (status == F0T_OK)
        status = f0t_alloc(&w->learned, f0t_vocab_count(own), sizeof *w->learned);
    if (status == F0T_OK)
        status = f0t_alloc(&w->place, f0t_vocab_count(own), sizeof *w->place);
    if (status == F0T_OK)
        status = find_learned(w, is_learned, own, vocab);
    w->new_count = f0t_vocab_count(vocab);
    if (status == F0T_OK && w->learned_count)
        status = f0t_vocab_screen(vocab) ? pass_over(w, is_learned, vocab)
                                         : gather_new(w, is_learned, vocab);
    if (status == F0T_OK && w->learned_count == f0t_vocab_count(own) && !w->new_count)
        status = f0t_shortlist_create(&w->shortlist, model->blend);
    f0t_free(is_learned);
    if (status != F0T_OK)
        f0t_known_words_free(w);
    return status;
}

/* ---- Ranking -------------------------------------------------------------------------------------------- */

/* Memory of a call. */
typedef struct ranking {
    float *learned;    /* [rows x T] logits of the model's tags */
    float *directions; /* [rows x d] */
    float *offsets;    /* [rows] */
    uint32_t *top;     /* [rows x scored] the first new words */
    float *top_score;
    size_t first, scored; /* with those that are passed over */
    float *all;           /* [learned_count + first] candidates of a row */
    uint32_t *order;
    float *value;
} ranking;

static void close_ranking(ranking *g)
{
    f0t_free(g->learned);
    f0t_free(g->directions);
    f0t_free(g->offsets);
    f0t_free(g->top);
    f0t_free(g->top_score);
    f0t_free(g->all);
    f0t_free(g->order);
    f0t_free(g->value);
}

static f0t_status open_ranking(ranking *g, const f0t_known_words *w, const f0t_model *m, size_t k,
                               size_t rows)
{
    const size_t tags = f0t_vocab_count(f0t_model_vocab(m));
    g->first = k < w->new_count ? k : w->new_count;
    g->scored = g->first + w->passed_over;
    F0T_TRY(f0t_alloc(&g->learned, w->learned_count ? rows * tags : 0, sizeof *g->learned));
    F0T_TRY(f0t_alloc(&g->directions, rows * f0t_model_dim(m), sizeof *g->directions));
    F0T_TRY(f0t_alloc(&g->offsets, rows, sizeof *g->offsets));
    F0T_TRY(f0t_alloc(&g->top, rows * g->scored, sizeof *g->top));
    F0T_TRY(f0t_alloc(&g->top_score, rows * g->scored, sizeof *g->top_score));
    F0T_TRY(f0t_alloc(&g->all, w->learned_count + g->first, sizeof *g->all));
    F0T_TRY(f0t_alloc(&g->order, k, sizeof *g->order));
    return f0t_alloc(&g->value, k, sizeof *g->value);
}

/* The confidence of a logit. However sure the experts are together, as of an image that they have learned: no held-out images
 * are so many that they show that tags are certain. */
static float sigmoid(float logit)
{
    return fminf(1 / (1 + expf(-logit)), 0.9999F);
}

static int by_number(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* The first new words of row r, without the learned ones among them. */
static void leave_out_learned(ranking *g, const f0t_known_words *w, size_t r)
{
    uint32_t *top = g->top + r * g->scored;
    float *score = g->top_score + r * g->scored;
    size_t kept = 0;
    for (size_t i = 0; i < g->scored && kept < g->first; i++)
        if (!bsearch(&top[i], w->passed, w->passed_over, sizeof *top, by_number)) {
            top[kept] = top[i];
            score[kept++] = score[i];
        }
}

/* Candidates of row r: learned tags, then the first new words. */
static void rank_row(uint32_t *index, float *score, float *confidence, size_t k, ranking *g,
                     const f0t_known_words *w, const f0t_model *m, size_t r)
{
    const size_t tags = f0t_vocab_count(f0t_model_vocab(m)), L = w->learned_count;
    /* among learned tags only: new words alone are not moved */
    const float offset = L ? m->blend->word_offset : 0;
    for (size_t i = 0; i < L; i++)
        g->all[i] = g->learned[r * tags + w->learned[i]];
    for (size_t i = 0; i < g->first; i++)
        g->all[L + i] = g->top_score[r * g->scored + i] + g->offsets[r] + offset;
    (void)f0t_topk_row(g->order, g->value, g->all, L + g->first, k);
    for (size_t i = 0; i < k; i++) {
        const size_t c = g->order[i];
        const size_t word = c < L ? 0 : g->top[r * g->scored + (c - L)];
        index[i] = c < L ? w->place[c] : w->fresh ? w->fresh[word] : (uint32_t)word;
        score[i] = g->value[i];
        confidence[i] = sigmoid(c < L ? g->value[i] : g->value[i] - offset);
    }
}

static f0t_status rank(uint32_t *index, float *score, float *confidence, float *directions,
                       size_t k, ranking *g, const f0t_known_words *w, const f0t_model *m,
                       const f0t_net *net, const f0t_scoring *fresh, const float *features,
                       size_t rows)
{
    float *to = directions ? directions : w->new_count ? g->directions : NULL;
    F0T_TRY(f0t_blend_score(w->learned_count ? g->learned : NULL, to, g->offsets, m->blend, net,
                            features, rows));
    if (w->new_count)
        F0T_TRY(f0t_scoring_top(g->top, g->top_score, g->scored, fresh, to, rows));
    for (size_t r = 0; r < rows && w->passed_over; r++)
        leave_out_learned(g, w, r);
    for (size_t r = 0; r < rows; r++)
        rank_row(index + r * k, score + r * k, confidence + r * k, k, g, w, m, r);
    return F0T_OK;
}

/* All words are learned: tag t has the place w->place[t]. */
static f0t_status rank_learned(uint32_t *index, float *score, float *confidence, size_t k,
                               const f0t_known_words *w, const f0t_net *net, const float *features,
                               size_t rows)
{
    F0T_TRY(f0t_shortlist_top(index, score, k, w->shortlist, net, features, rows));
    for (size_t i = 0; i < rows * k; i++) {
        index[i] = w->place[index[i]];
        confidence[i] = sigmoid(score[i]);
    }
    return F0T_OK;
}

f0t_status f0t_known_words_rank(uint32_t *index, float *score, float *confidence, float *directions,
                                size_t k, const f0t_known_words *w, const f0t_model *model,
                                const f0t_net *net, const f0t_scoring *fresh, const float *features,
                                size_t rows)
{
    ranking g = {0};
    if (w->shortlist && k <= F0T_SHORTLIST_MOST && !directions)
        return rank_learned(index, score, confidence, k, w, net, features, rows);
    f0t_status status = open_ranking(&g, w, model, k, rows);
    if (status == F0T_OK)
        status =
            rank(index, score, confidence, directions, k, &g, w, model, net, fresh, features, rows);
    close_ranking(&g);
    return status;
}
