/*
 * What a word of a query means, and the pictures that it holds for.
 *
 * The cut of a word: its confidences are probabilities, comparable between words, so that what one in ten would keep
 * is a floor for all learned ones; new words are less sure, and have a lower one. Above it the best choice for a word
 * has a cut of half the F1 that it can reach (Lipton, Elkan, Naryanaswamy 2014), which grows with how sure the surest
 * pictures are; a third of the highest confidence of a picture that nobody decided about is near to it on real
 * collections (docs/catalogue.md) and needs no sum over all pictures.
 */
#include "catalogue/finder.h"

#include "base/alloc.h"
#include "word/foreign.h"
#include "word/vocab.h"

#include <math.h>
#include <string.h>

static const double CUT_LEAST = 0.1, CUT_LEAST_NEW = 0.07, CUT_OF_BEST = 1.0 / 3;
enum { FIRST_MOST = 1024, MOST_GROWS = 8 };

void f0t_word_hits_close(f0t_word_hits *w)
{
    f0t_tag_ids_free(&w->tags);
    f0t_hits_free(&w->given);
    f0t_hits_free(&w->rejected);
    f0t_hits_free(&w->hits);
    f0t_free(w->query);
    *w = (f0t_word_hits){0};
}

/* ---- What it means ------------------------------------------------------------------------------ */

/* Along a direction g the logit of vector v is g·(v − mean) + shift where the model has confidences, and its score
 * g·v where not. */
static f0t_status take_vector(f0t_word_hits *w, f0t_finder *f, const float *vector)
{
    const f0t_model *model = f->model;
    const size_t dim = f0t_model_dim(model);
    const f0t_blend *blend = model->blend;
    F0T_TRY(f0t_alloc(&w->query, dim, sizeof *w->query));
    for (size_t i = 0; i < dim; i++)
        w->query[i] = vector[i] - (blend ? blend->space.mean[i] : 0);
    if (!blend)
        return F0T_OK;
    F0T_TRY(f0t_finder_presence(&w->shift, f, vector));
    w->shift += (double)blend->word_calibration[1];
    return F0T_OK;
}

static f0t_status fail_unknown(const char *word, const f0t_vocab *vocab)
{
    const f0t_vocab_entry *e = vocab ? f0t_vocab_get_entry(vocab, 0) : NULL;
    if (!vocab)
        return f0t_fail(F0T_ERROR_NOT_FOUND,
                        "'%s' is neither a tag nor learned; for new words, name the word vectors "
                        "that the model was trained with: find --vectors FILE",
                        word);
    char advice[F0T_ADVICE_SIZE];
    F0T_TRY(f0t_foreign_advise(advice, word, e ? e->nearest : NULL, F0T_DICTIONARY_FOLDER));
    return f0t_fail(F0T_ERROR_NOT_FOUND, "'%s' is neither a tag nor learned, and has no vector%s",
                    word, advice);
}

/* Leaves `query` NULL where there is no vector. */
static f0t_status look_up(f0t_word_hits *w, f0t_finder *f, const f0t_vectors *vectors)
{
    const f0t_model *model = f->model;
    const char *word = w->shown.word;
    const f0t_vocab_options options = {.size = sizeof(f0t_vocab_options),
                                       .centred = f0t_vocab_centred(f0t_model_vocab(model)),
                                       .no_suggestions = w->given.count > 0};
    f0t_vocab *vocab;
    F0T_TRY(f0t_vocab_create(&vocab, &word, 1, vectors, &options, NULL));
    f0t_status status = f0t_model_check_vocab(model, vocab);
    if (status == F0T_OK && f0t_vocab_count(vocab))
        status = take_vector(w, f, f0t_vocab_vectors(vocab));
    else if (status == F0T_OK && !w->given.count)
        status = fail_unknown(word, vocab);
    f0t_vocab_free(vocab);
    return status;
}

/* A tag that a model without confidences has learned is a word like any other; it may have no vector. */
static f0t_status take_learned(f0t_word_hits *w, f0t_finder *f, size_t index)
{
    const f0t_model *model = f->model;
    const float *vector = f0t_vocab_vectors(f0t_model_vocab(model)) + index * f0t_model_dim(model);
    w->shown.kind = F0T_FIND_LEARNED;
    return model->blend ? F0T_OK : take_vector(w, f, vector);
}

static f0t_status understand(f0t_word_hits *w, f0t_finder *f)
{
    const f0t_model *model;
    const f0t_vectors *vectors;
    size_t index = F0T_NONE;
    F0T_TRY(f0t_finder_model(&model, f));
    w->calibrated = !model || model->blend;
    if (model)
        F0T_TRY(f0t_model_find_tag(&index, model, w->shown.word));
    if (index != F0T_NONE)
        return take_learned(w, f, index);
    w->shown.kind = F0T_FIND_NEW;
    if (model) {
        F0T_TRY(f0t_finder_vectors(&vectors, f));
        if (vectors)
            F0T_TRY(look_up(w, f, vectors));
    }
    if (!w->query)
        w->shown.kind = F0T_FIND_TAG;
    return w->query || w->given.count ? F0T_OK : fail_unknown(w->shown.word, NULL);
}

f0t_status f0t_word_hits_open(f0t_word_hits *w, f0t_finder *f, const f0t_term *term)
{
    *w = (f0t_word_hits){.shown = {.word = term->text, .without = term->without}};
    if (term->left_out) {
        w->shown.kind = F0T_FIND_LEFT_OUT;
        w->shown.best = w->shown.cut = NAN;
        w->complete = true;
        return F0T_OK;
    }
    F0T_TRY(f0t_tag_ids_find(&w->tags, f->catalogue, term->text));
    F0T_TRY(f0t_tagged_pictures(&w->given, f->catalogue, &w->tags));
    F0T_TRY(f0t_rejected_pictures(&w->rejected, f->catalogue, &w->tags));
    w->shown.tagged = w->given.count;
    return understand(w, f);
}

/* ---- Its cut ------------------------------------------------------------------------------------ */

static double surety_of_logit(double logit)
{
    return logit > 0 ? -log1p(exp(-logit)) : logit - log1p(exp(logit));
}

/* Pictures that a person decided about are what the model learned the word from: how sure it is of them says nothing
 * about the others. */
static bool is_decided(const f0t_word_hits *w, int64_t id)
{
    return f0t_hits_find(&w->given, id) || f0t_hits_find(&w->rejected, id);
}

/* `best` is the highest surety of a picture that nobody decided about. */
static void set_cut(f0t_word_hits *w, double best, const f0t_word_options *o)
{
    w->shown.best = w->shown.cut = NAN;
    if (!w->calibrated)
        return;
    w->shown.best = (float)exp(best);
    if (o->confidence > 0)
        w->shown.cut = (float)o->confidence;
    else if (!o->nearest)
        w->shown.cut = (float)fmax(w->shown.kind == F0T_FIND_NEW ? CUT_LEAST_NEW : CUT_LEAST,
                                   exp(best) * CUT_OF_BEST);
}

static bool reaches(const f0t_word_hits *w, double surety)
{
    return isnan(w->shown.cut) || exp(surety) >= (double)w->shown.cut;
}

/* What the model says counts where no person said anything. */
static f0t_status add_hit(f0t_word_hits *w, int64_t id, double surety)
{
    if (is_decided(w, id))
        return F0T_OK;
    return f0t_hits_add(&w->hits, (f0t_hit){.id = id, .surety = surety});
}

/* ---- A learned word: suggestions ------------------------------------------------------------------ */

static f0t_status add_suggestions(f0t_word_hits *w, f0t_catalogue *c, sqlite3_stmt *rows,
                                  const f0t_word_options *o)
{
    for (bool any, first = true;;) {
        F0T_TRY(f0t_sql_step(&any, &c->sql, rows));
        const double confidence = any ? sqlite3_column_double(rows, 1) : 0;
        if (!any || !(confidence > 0))
            return F0T_OK;
        const int64_t id = sqlite3_column_int64(rows, 0);
        if (is_decided(w, id))
            continue;
        if (first)
            set_cut(w, log(fmin(confidence, 1)), o);
        first = false;
        if (!reaches(w, log(fmin(confidence, 1))))
            return F0T_OK;
        F0T_TRY(add_hit(w, id, log(fmin(confidence, 1))));
    }
}

/* One of the tags is the model's, and has all suggestions. */
static f0t_status gather_suggestions(f0t_word_hits *w, f0t_catalogue *c, const f0t_word_options *o)
{
    set_cut(w, -INFINITY, o);
    for (size_t i = 0; i < w->tags.count; i++) {
        sqlite3_stmt *rows;
        F0T_TRY(f0t_sql_bind(&rows, &c->sql,
                             "SELECT picture, confidence FROM suggestions WHERE tag = ?1"
                             " ORDER BY confidence DESC",
                             F0T_SQL_VALUES(f0t_sql_int(w->tags.items[i]))));
        f0t_status status = add_suggestions(w, c, rows, o);
        f0t_sql_reset(rows);
        F0T_TRY(status);
    }
    w->complete = true;
    return F0T_OK;
}

/* ---- A new word: along directions ------------------------------------------------------------------ */

static double surety_of_score(const f0t_word_hits *w, float score)
{
    return w->calibrated ? log(F0T_PRESENCE_SUREST) + surety_of_logit((double)score + w->shift)
                         : (double)score;
}

/* The first `most` pictures; *complete: all that reach the cut are among them. */
static f0t_status rank(f0t_word_hits *w, const f0t_directions *d, size_t most, uint32_t *index,
                       float *score, const f0t_word_options *o)
{
    size_t undecided = 0;
    F0T_TRY(f0t_directions_top(index, score, most, d, w->query));
    while (undecided + 1 < most && is_decided(w, d->ids[index[undecided]]))
        undecided++;
    set_cut(w, surety_of_score(w, score[undecided]), o);
    w->complete = most == d->count || !reaches(w, surety_of_score(w, score[most - 1]));
    if (!w->complete && most < o->most)
        return F0T_OK; /* again, with more */
    for (size_t i = 0; i < most && reaches(w, surety_of_score(w, score[i])); i++)
        F0T_TRY(add_hit(w, d->ids[index[i]], surety_of_score(w, score[i])));
    return F0T_OK;
}

static f0t_status rank_with_room(f0t_word_hits *w, const f0t_directions *d, size_t most,
                                 const f0t_word_options *o)
{
    uint32_t *index = NULL;
    float *score = NULL;
    f0t_status status = f0t_alloc(&index, most, sizeof *index);
    if (status == F0T_OK)
        status = f0t_alloc(&score, most, sizeof *score);
    if (status == F0T_OK)
        status = rank(w, d, most, index, score, o);
    f0t_free(index);
    f0t_free(score);
    return status;
}

static f0t_status gather_ranked(f0t_word_hits *w, f0t_finder *f, const f0t_word_options *o)
{
    const f0t_directions *d;
    set_cut(w, -INFINITY, o);
    w->complete = true;
    F0T_TRY(f0t_finder_directions(&d, f));
    if (!d)
        return F0T_OK;
    const size_t all = o->most < d->count ? o->most : d->count;
    size_t most = all < FIRST_MOST ? all : FIRST_MOST;
    for (;;) {
        F0T_TRY(rank_with_room(w, d, most, o));
        if (w->complete || most == all)
            return F0T_OK;
        most = all / MOST_GROWS < most ? all : most * MOST_GROWS;
    }
}

/* ---- All of it -------------------------------------------------------------------------------------- */

/* People are certain: for a model without confidences, as sure as it is of its best. */
static f0t_status add_given(f0t_word_hits *w)
{
    double best = 0;
    for (size_t i = 0; i < w->hits.count && !w->calibrated; i++)
        best = !i || w->hits.items[i].surety > best ? w->hits.items[i].surety : best;
    for (size_t i = 0; i < w->given.count; i++)
        F0T_TRY(f0t_hits_add(
            &w->hits, (f0t_hit){.id = w->given.items[i].id, .surety = best, .tagged = true}));
    f0t_hits_sort_by_id(&w->hits);
    return F0T_OK;
}

f0t_status f0t_word_hits_gather(f0t_word_hits *w, f0t_finder *f, const f0t_word_options *options)
{
    w->hits.count = 0;
    w->complete = true;
    w->shown.best = w->shown.cut = NAN;
    if (w->query)
        F0T_TRY(gather_ranked(w, f, options));
    else if (w->shown.kind == F0T_FIND_LEARNED)
        F0T_TRY(gather_suggestions(w, f->catalogue, options));
    return add_given(w);
}
