/* Finding: the pictures that all terms of a query hold for, ranked. */
#include "catalogue/finder.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/interner.h"
#include "base/team.h"
#include "math/topk.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

/* ---- What is found -------------------------------------------------------------------------------- */

typedef struct found {
    f0t_find_results shown; /* what the caller sees: first */
    f0t_find_result *items;
    size_t capacity;
    f0t_find_word *words;
    float *confidences; /* [count x words] */
    size_t confidence_capacity;
    f0t_texts texts; /* the words, then the paths */
} found;

void f0t_find_results_free(f0t_find_results *shown)
{
    found *f = (found *)shown;
    if (!f)
        return;
    f0t_texts_free(&f->texts);
    f0t_free(f->items);
    f0t_free(f->words);
    f0t_free(f->confidences);
    f0t_free(f);
}

/* ---- A search ------------------------------------------------------------------------------------- */

typedef struct search {
    f0t_finder *finder;
    const f0t_query *query;
    const f0t_find_options *options;
    f0t_filter filter;
    f0t_word_hits *words; /* [word_count] of the query, in its order */
    size_t word_count, wanted;
    f0t_hits ranked;
    found *found;
} search;

static void close_search(search *s)
{
    f0t_filter_close(&s->filter);
    for (size_t i = 0; s->words && i < s->word_count; i++)
        f0t_word_hits_close(&s->words[i]);
    f0t_free(s->words);
    f0t_hits_free(&s->ranked);
}

static bool is_wanted(const f0t_word_hits *w)
{
    return !w->shown.without && w->shown.kind != F0T_FIND_LEFT_OUT;
}

static f0t_status open_words(search *s)
{
    const f0t_query *q = s->query;
    for (size_t i = 0; i < q->count; i++)
        s->word_count += q->terms[i].kind == F0T_TERM_WORD;
    F0T_TRY(f0t_alloc_zero(&s->words, s->word_count, sizeof *s->words));
    for (size_t i = 0, w = 0; i < q->count; i++)
        if (q->terms[i].kind == F0T_TERM_WORD) {
            F0T_TRY(f0t_word_hits_open(&s->words[w], s->finder, &q->terms[i]));
            s->wanted += is_wanted(&s->words[w++]);
        }
    return F0T_OK;
}

/* A word that is wanted may be limited to the first pictures, one that is not has its cut always. */
static f0t_status gather(search *s, size_t most)
{
    for (size_t i = 0; i < s->word_count; i++) {
        f0t_word_hits *w = &s->words[i];
        if (w->shown.kind == F0T_FIND_LEFT_OUT)
            continue;
        const f0t_word_options wanted = {.nearest = s->options->nearest,
                                         .confidence = s->options->confidence,
                                         .most = most},
                               unwanted = {.confidence = s->options->confidence, .most = SIZE_MAX};
        F0T_TRY(f0t_word_hits_gather(w, s->finder, w->shown.without ? &unwanted : &wanted));
    }
    return F0T_OK;
}

/* ---- Pictures --------------------------------------------------------------------------------------- */

static f0t_status add_found(search *s, const f0t_hit *hit, sqlite3_stmt *row, float similarity)
{
    found *f = s->found;
    const char *path = (const char *)sqlite3_column_text(row, 0);
    const size_t at = f->shown.count * s->word_count;
    F0T_TRY(f0t_grow(&f->items, &f->capacity, f->shown.count, 1, sizeof *f->items));
    F0T_TRY(f0t_grow(&f->confidences, &f->confidence_capacity, at, s->word_count,
                     sizeof *f->confidences));
    F0T_TRY(f0t_texts_add(&f->texts, path ? path : "", path ? strlen(path) : 0));
    f0t_find_result *to = &f->items[f->shown.count++];
    *to = (f0t_find_result){.id = hit->id,
                            .taken = sqlite3_column_int64(row, 1),
                            .confidence = s->wanted ? 1 : NAN,
                            .tagged = s->wanted,
                            .similarity = similarity};
    double surety = 0;
    for (size_t i = 0; i < s->word_count; i++) {
        const f0t_word_hits *w = &s->words[i];
        const f0t_hit *of = f0t_hits_find(&w->hits, hit->id);
        f->confidences[at + i] = of && w->calibrated ? (float)exp(of->surety) : NAN;
        if (!is_wanted(w))
            continue;
        surety += of && w->calibrated ? of->surety : (double)NAN;
        to->tagged = to->tagged && of && of->tagged;
    }
    if (s->wanted)
        to->confidence = to->tagged ? 1 : (float)exp(surety);
    return F0T_OK;
}

/* Takes the picture if it is there and passes, unless there are k: then there are more. */
static f0t_status take(search *s, const f0t_hit *hit, float similarity)
{
    f0t_catalogue *c = s->finder->catalogue;
    sqlite3_stmt *row;
    bool any, passes = false;
    F0T_TRY(f0t_sql_bind(&row, &c->sql,
                         "SELECT path, taken FROM pictures WHERE id = ?1 AND state = 0",
                         F0T_SQL_VALUES(f0t_sql_int(hit->id))));
    F0T_TRY(f0t_sql_step(&any, &c->sql, row));
    if (!any)
        return F0T_OK;
    f0t_status status =
        f0t_filter_passes(&passes, &s->filter, hit->id, sqlite3_column_int64(row, 1));
    if (status == F0T_OK && passes && s->found->shown.count < s->options->k)
        status = add_found(s, hit, row, similarity);
    else if (status == F0T_OK && passes)
        s->found->shown.more = true;
    f0t_sql_reset(row);
    return status;
}

static bool is_unwanted(const search *s, int64_t id)
{
    for (size_t i = 0; i < s->word_count; i++)
        if (s->words[i].shown.without && f0t_hits_find(&s->words[i].hits, id))
            return true;
    return false;
}

/* The latest first of the hits from `first` on that are as sure as that one; *end is behind them. Dates are looked up for
 * ties alone, and only as far as results are taken. */
static f0t_status sort_ties(size_t *end, search *s, size_t first)
{
    f0t_hit *items = s->ranked.items;
    for (*end = first + 1; *end < s->ranked.count && items[*end].surety == items[first].surety;)
        ++*end;
    for (size_t i = first; *end > first + 1 && i < *end; i++)
        F0T_TRY(f0t_sql_get_int(&items[i].taken, &s->finder->catalogue->sql,
                                "SELECT taken FROM pictures WHERE id = ?1",
                                F0T_SQL_VALUES(f0t_sql_int(items[i].id)), F0T_NO_DATE));
    f0t_hits_sort_by_surety(items + first, *end - first);
    return F0T_OK;
}

static f0t_status take_ranked(search *s)
{
    for (size_t i = 0, sorted = 0; i < s->ranked.count && !s->found->shown.more; i++) {
        if (i == sorted)
            F0T_TRY(sort_ties(&sorted, s, i));
        F0T_TRY(take(s, &s->ranked.items[i], NAN));
    }
    return F0T_OK;
}

/* ---- By words --------------------------------------------------------------------------------------- */

/* The sum over all words that are wanted; false where one of them does not hold. */
static bool add_up(double *surety, const search *s, int64_t id)
{
    *surety = 0;
    for (size_t i = 0; i < s->word_count; i++) {
        const f0t_word_hits *w = &s->words[i];
        const f0t_hit *of = is_wanted(w) ? f0t_hits_find(&w->hits, id) : NULL;
        if (!of && is_wanted(w))
            return false;
        *surety += of ? of->surety : 0;
    }
    return true;
}

/* The wanted word that holds for the fewest. */
static const f0t_hits *fewest(const search *s)
{
    const f0t_hits *best = NULL;
    for (size_t i = 0; i < s->word_count; i++)
        if (is_wanted(&s->words[i]) && (!best || s->words[i].hits.count < best->count))
            best = &s->words[i].hits;
    return best;
}

static f0t_status rank_by_words(search *s)
{
    const f0t_hits *from = fewest(s);
    s->ranked.count = 0;
    for (size_t i = 0; i < from->count; i++) {
        const int64_t id = from->items[i].id;
        double surety;
        if (add_up(&surety, s, id) && !is_unwanted(s, id))
            F0T_TRY(f0t_hits_add(&s->ranked, (f0t_hit){.id = id, .surety = surety}));
    }
    f0t_hits_sort_by_surety(s->ranked.items, s->ranked.count);
    return F0T_OK;
}

static bool is_complete(const search *s)
{
    for (size_t i = 0; i < s->word_count; i++)
        if (!s->words[i].complete)
            return false;
    return true;
}

/* The first pictures of one word are enough, unless some pass no filter: then there are more of them. Of several
 * words, the first by the product may be far down in each. */
static f0t_status find_by_words(search *s)
{
    enum { FIRST = 256, GROWS = 8 };
    size_t most = SIZE_MAX;
    if (s->wanted == 1)
        most = s->options->k < SIZE_MAX / 2 - FIRST ? 2 * s->options->k + FIRST : SIZE_MAX;
    for (;;) {
        s->found->shown.count = 0;
        s->found->texts.count = s->found->texts.size = 0;
        F0T_TRY(gather(s, most));
        F0T_TRY(rank_by_words(s));
        F0T_TRY(take_ranked(s));
        if (s->found->shown.more || is_complete(s))
            return F0T_OK;
        most = most < SIZE_MAX / GROWS ? most * GROWS : SIZE_MAX;
    }
}

/* ---- By likeness ------------------------------------------------------------------------------------ */

/* That of a file that the catalogue does not have. */
static f0t_status make_direction(float *to, search *s, const f0t_model *model)
{
    const char *picture = s->options->like, *backbone = s->finder->catalogue->backbone;
    f0t_backbone *opened;
    float *features;
    if (!backbone)
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s is not in the catalogue, which has no backbone",
                        picture);
    F0T_TRY(f0t_backbone_open(&opened, backbone, NULL, NULL));
    f0t_status status = f0t_alloc(&features, f0t_backbone_dim(opened), sizeof *features);
    if (status == F0T_OK && f0t_backbone_dim(opened) != f0t_model_input_dim(model))
        status = f0t_fail(F0T_ERROR_MISMATCH, "the catalogue's backbone is not the model's");
    if (status == F0T_OK)
        status = f0t_backbone_run(features, NULL, opened, &picture, 1, NULL);
    if (status == F0T_OK)
        status = f0t_model_directions(to, model, features, 1, NULL);
    f0t_free(features);
    f0t_backbone_close(opened);
    return status;
}

/* *id is that of the picture, 0 where it is not in the catalogue. */
static f0t_status find_direction(float *to, int64_t *id, search *s, const f0t_directions *d,
                                 const f0t_model *model)
{
    f0t_catalogue_pictures *known;
    *id = 0;
    f0t_status status = f0t_catalogue_find_path(&known, s->finder->catalogue, s->options->like);
    if (status == F0T_ERROR_NOT_FOUND || status == F0T_ERROR_MISMATCH)
        return make_direction(to, s, model);
    F0T_TRY(status);
    *id = known->items[0].id;
    f0t_catalogue_pictures_free(known);
    const size_t at = f0t_directions_find(d, *id);
    if (at == F0T_NONE)
        return make_direction(to, s, model);
    memcpy(to, d->rows + at * d->dim, d->dim * sizeof *to);
    return F0T_OK;
}

/* The cosine of the angle between both, each less the mean. */
static float similarity(const float *a, const float *b, const float *mean, size_t dim)
{
    double product = 0, length_a = 0, length_b = 0;
    for (size_t i = 0; i < dim; i++) {
        const double x = (double)a[i] - (double)mean[i], y = (double)b[i] - (double)mean[i];
        product += x * y;
        length_a += x * x;
        length_b += y * y;
    }
    const double cosine = product / sqrt(length_a * length_b);
    return isfinite(cosine) ? (float)cosine : 0;
}

static void compare_all(float *cosine, const f0t_directions *d, const float *direction)
{
    const int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t i = 0; i < d->count; i++)
        cosine[i] = similarity(d->rows + i * d->dim, direction, d->mean, d->dim);
}

/* The first pictures that the words hold for; those that pass no filter make room for others. */
static f0t_status take_similar(search *s, const f0t_directions *d, const float *cosine,
                               uint32_t *order, float *value, int64_t self)
{
    enum { FIRST = 256, GROWS = 8 };
    size_t taken = 0, most = s->options->k < d->count ? s->options->k + FIRST : d->count;
    while (taken < d->count && !s->found->shown.more) {
        most = most < d->count ? most : d->count;
        (void)f0t_topk_row(order, value, cosine, d->count, most);
        for (; taken < most && !s->found->shown.more; taken++) {
            const f0t_hit hit = {.id = d->ids[order[taken]]};
            double surety;
            if (hit.id != self && add_up(&surety, s, hit.id) && !is_unwanted(s, hit.id))
                F0T_TRY(take(s, &hit, value[taken]));
        }
        most *= GROWS;
    }
    return F0T_OK;
}

static f0t_status rank_by_likeness(search *s, const f0t_directions *d, const float *direction,
                                   int64_t self)
{
    float *cosine = NULL, *value = NULL;
    uint32_t *order = NULL;
    f0t_status status = f0t_alloc(&cosine, d->count, sizeof *cosine);
    if (status == F0T_OK)
        status = f0t_alloc(&value, d->count, sizeof *value);
    if (status == F0T_OK)
        status = f0t_alloc(&order, d->count, sizeof *order);
    if (status == F0T_OK) {
        compare_all(cosine, d, direction);
        status = take_similar(s, d, cosine, order, value, self);
    }
    f0t_free(cosine);
    f0t_free(value);
    f0t_free(order);
    return status;
}

static f0t_status find_by_likeness(search *s)
{
    const f0t_directions *d;
    const f0t_model *model;
    float *direction;
    int64_t self;
    F0T_TRY(f0t_finder_model(&model, s->finder));
    if (!model)
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s has no model, which tells what pictures are like",
                        s->finder->catalogue->path);
    F0T_TRY(gather(s, SIZE_MAX));
    F0T_TRY(f0t_finder_directions(&d, s->finder));
    if (!d)
        return F0T_OK;
    F0T_TRY(f0t_alloc(&direction, d->dim, sizeof *direction));
    f0t_status status = find_direction(direction, &self, s, d, model);
    if (status == F0T_OK)
        status = rank_by_likeness(s, d, direction, self);
    f0t_free(direction);
    return status;
}

/* ---- By tags and dates alone ------------------------------------------------------------------------- */

static f0t_status take_dated(search *s, sqlite3_stmt *rows)
{
    for (bool any; !s->found->shown.more;) {
        F0T_TRY(f0t_sql_step(&any, &s->finder->catalogue->sql, rows));
        if (!any)
            return F0T_OK;
        const f0t_hit hit = {.id = sqlite3_column_int64(rows, 0)};
        if (!is_unwanted(s, hit.id))
            F0T_TRY(take(s, &hit, NAN));
    }
    return F0T_OK;
}

static f0t_status find_by_date(search *s)
{
    sqlite3_stmt *rows;
    F0T_TRY(gather(s, SIZE_MAX));
    F0T_TRY(f0t_sql_bind(&rows, &s->finder->catalogue->sql,
                         "SELECT id FROM pictures ORDER BY taken DESC, id DESC", NULL, 0));
    f0t_status status = take_dated(s, rows);
    f0t_sql_reset(rows);
    return status;
}

/* ---- All of it --------------------------------------------------------------------------------------- */

/* Texts do not move any more. */
static f0t_status connect(search *s)
{
    found *f = s->found;
    const size_t pictures = f->shown.count;
    F0T_TRY(f0t_alloc(&f->words, s->word_count, sizeof *f->words));
    for (size_t i = 0; i < s->word_count; i++) {
        f->words[i] = s->words[i].shown;
        F0T_TRY(f0t_texts_add(&f->texts, f->words[i].word, strlen(f->words[i].word)));
    }
    for (size_t i = 0; i < s->word_count; i++)
        f->words[i].word = f0t_texts_get(&f->texts, pictures + i);
    for (size_t i = 0; i < pictures; i++) {
        f->items[i].path = f0t_texts_get(&f->texts, i);
        f->items[i].words = s->word_count ? f->confidences + i * s->word_count : NULL;
    }
    f->shown.items = f->items;
    f->shown.words = f->words;
    f->shown.word_count = s->word_count;
    return F0T_OK;
}

static f0t_status run(search *s)
{
    F0T_TRY(f0t_filter_open(&s->filter, s->finder->catalogue, s->query));
    if (s->query)
        F0T_TRY(open_words(s));
    F0T_TRY(s->options->like ? find_by_likeness(s)
            : s->wanted      ? find_by_words(s)
                             : find_by_date(s));
    return connect(s);
}

/* All that is read is of one state of the catalogue. */
static f0t_status run_in_one_state(search *s)
{
    f0t_sql *sql = &s->finder->catalogue->sql;
    F0T_TRY(f0t_sql_execute(sql, "SAVEPOINT find"));
    f0t_status status = f0t_finder_refresh(s->finder);
    if (status == F0T_OK)
        status = run(s);
    close_search(s);
    f0t_status released = f0t_sql_execute(sql, "RELEASE find");
    return status == F0T_OK ? released : status;
}

static f0t_status check(const f0t_query *query, const f0t_find_options *o)
{
    if (!query && !o->like)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "f0t_finder_run: query is NULL, and no picture to be like is named");
    if (!(o->confidence >= 0 && o->confidence <= 1))
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "f0t_find_options: the confidence is %g; from 0 to 1 is expected",
                        o->confidence);
    return F0T_OK;
}

f0t_status f0t_finder_run(f0t_find_results **out, f0t_finder *finder, const f0t_query *query,
                          const f0t_find_options *options, const f0t_context *context)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(finder);
    F0T_ENTER(context);
    F0T_READ_OPTIONS(f0t_find_options, F0T_FIND_OPTIONS, options);
    F0T_TRY(check(query, options));
    search s = {.finder = finder, .query = query, .options = options};
    F0T_TRY(f0t_alloc_zero(&s.found, 1, sizeof *s.found));
    f0t_status status = run_in_one_state(&s);
    if (status == F0T_OK)
        *out = &s.found->shown;
    else
        f0t_find_results_free(&s.found->shown);
    return status;
}
