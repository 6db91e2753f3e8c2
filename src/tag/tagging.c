/* A call of the tagger: pictures to features to directions to tags, block by block. */
#include "tag/tagging.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/monitor.h"
#include "base/size.h"
#include "math/elementwise.h"
#include "tag/general.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- What a call needs ------------------------------------------------------------------------------ */

/* Pictures, and rows of features, at a time at most. Blocks begin small, so that the first tags come soon, and
 * grow while they take less than this. */
enum { FIRST_BLOCK = 16, PICTURE_BLOCK = 256, ROW_BLOCK = 1024 };
enum { LISTS_MOST = 1 << 22 }; /* tags of a block: fewer pictures where each gets many */
static const double BLOCK_SECONDS = 0.5;

static bool has_pictures(const f0t_tag_input *input)
{
    return input->paths || input->data;
}

static f0t_status check_pictures(const f0t_tagger *t, const f0t_tag_input *input)
{
    if (!t->backbone)
        return f0t_fail(
            F0T_ERROR_ARGUMENT,
            "this tagger takes features only: it was made without a backbone, which makes "
            "them from pictures");
    if (input->paths)
        return f0t_require_all("f0t_tag_input", "paths", input->paths, input->count);
    if (!input->sizes)
        return f0t_fail(F0T_ERROR_ARGUMENT, "f0t_tag_input: data needs sizes, which is NULL");
    for (size_t i = 0; i < input->count; i++)
        if (!input->data[i])
            return f0t_fail(F0T_ERROR_ARGUMENT, "f0t_tag_input: data[%zu] is NULL", i);
    return input->names ? f0t_require_all("f0t_tag_input", "names", input->names, input->count)
                        : F0T_OK;
}

static f0t_status check_rows(const f0t_tagger *t, const f0t_tag_input *input)
{
    const size_t rows = f0t_features_count(input->rows);
    if (!input->which && input->count > rows)
        return f0t_fail(F0T_ERROR_ARGUMENT, "f0t_tag_input: %zu rows of %zu", input->count, rows);
    for (size_t i = 0; input->which && i < input->count; i++)
        if (input->which[i] >= rows)
            return f0t_fail(F0T_ERROR_ARGUMENT, "f0t_tag_input: which[%zu] is %zu of %zu rows", i,
                            input->which[i], rows);
    return f0t_tagger_check_dim(t, f0t_features_dim(input->rows), "the rows have");
}

static f0t_status check_input(const f0t_tagger *t, const f0t_tag_input *input)
{
    const int kinds = !!input->paths + !!input->data + !!input->features + !!input->rows;
    if (kinds > 1 || (!kinds && input->count))
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "f0t_tag_input: one of paths, data, features and rows must be set, not %d",
                        kinds);
    if (has_pictures(input))
        return check_pictures(t, input);
    return input->rows ? check_rows(t, input) : F0T_OK;
}

/* More than are kept, where some may give way to others. */
static size_t count_ranked(const f0t_tagging *g, size_t words)
{
    const size_t pool = words < F0T_DIVERSE_POOL ? words : F0T_DIVERSE_POOL;
    return g->options.diverse > 0 && g->kept && g->kept < pool ? pool : g->kept;
}

/* General words that a picture may get besides. */
static size_t count_general(const f0t_tagger *t)
{
    return t->hypernyms ? F0T_GENERAL_MOST : 0;
}

static f0t_status make_room(f0t_tagging *g)
{
    const size_t most = has_pictures(&g->input) ? PICTURE_BLOCK : ROW_BLOCK;
    const size_t size = f0t_vocab_count(g->tagger->vocab);
    g->kept = g->options.k < size ? g->options.k : size;
    g->ranked = count_ranked(g, size);
    g->block = g->input.count < most ? g->input.count : most;
    if (g->block * g->ranked > LISTS_MOST)
        g->block = LISTS_MOST / g->ranked ? LISTS_MOST / g->ranked : 1;
    F0T_TRY(f0t_alloc(&g->rows, g->block * f0t_model_input_dim(g->tagger->model), sizeof *g->rows));
    F0T_TRY(f0t_alloc(&g->directions, g->block * f0t_model_dim(g->tagger->model),
                      sizeof *g->directions));
    F0T_TRY(f0t_alloc(&g->index, g->block * g->ranked, sizeof *g->index));
    F0T_TRY(f0t_alloc(&g->score, g->block * g->ranked, sizeof *g->score));
    F0T_TRY(f0t_alloc(&g->confidence, g->block * g->ranked, sizeof *g->confidence));
    F0T_TRY(f0t_alloc(&g->tags, g->kept + count_general(g->tagger), sizeof *g->tags));
    F0T_TRY(f0t_alloc(&g->failures, g->block, sizeof *g->failures));
    if (!has_pictures(&g->input))
        return F0T_OK;
    F0T_TRY(f0t_alloc(&g->sources, g->block, sizeof *g->sources));
    return f0t_alloc(&g->names, g->block, sizeof *g->names);
}

static void free_room(f0t_tagging *g)
{
    f0t_free(g->rows);
    f0t_free(g->directions);
    f0t_free(g->index);
    f0t_free(g->score);
    f0t_free(g->confidence);
    f0t_free(g->tags);
    f0t_free(g->failures);
    f0t_free(g->sources);
    f0t_free(g->names);
}

/* ---- Features of a block ---------------------------------------------------------------------------- */

/* One row of the caller's that is not finite does not fail the others. */
static f0t_status take_features(f0t_tagging *g, size_t first, size_t count)
{
    const size_t dim = f0t_model_input_dim(g->tagger->model);
    memcpy(g->rows, g->input.features + first * dim, count * dim * sizeof *g->rows);
    if (f0t_finite_f32(g->rows, count * dim))
        return F0T_OK;
    for (size_t i = 0; i < count; i++) {
        if (f0t_finite_f32(g->rows + i * dim, dim))
            continue;
        f0t_failure_keep(&g->failures[i],
                         f0t_fail(F0T_ERROR_NUMERIC, "the features of row %zu hold NaN or infinity",
                                  first + i + 1));
        if (g->options.strict)
            return F0T_ERROR_NUMERIC;
        f0t_log(g->monitor, F0T_LOG_WARNING, "%s", g->failures[i].message);
        memset(g->rows + i * dim, 0, dim * sizeof *g->rows);
    }
    return F0T_OK;
}

/* How many from the first on lie one behind the other. */
static size_t count_together(const f0t_tag_input *input, size_t first, size_t count)
{
    size_t n = 1;
    while (n < count && f0t_tag_input_row(input, first + n) == f0t_tag_input_row(input, first) + n)
        n++;
    return n;
}

/* A file with a row that is not finite is broken. */
static f0t_status read_rows(f0t_tagging *g, size_t first, size_t count)
{
    const size_t dim = f0t_model_input_dim(g->tagger->model);
    for (size_t i = 0, n; i < count; i += n) {
        n = count_together(&g->input, first + i, count - i);
        F0T_TRY(f0t_features_read(g->rows + i * dim, g->input.rows,
                                  f0t_tag_input_row(&g->input, first + i), n));
    }
    for (size_t i = 0; i < count; i++)
        if (!f0t_finite_f32(g->rows + i * dim, dim))
            return f0t_fail(F0T_ERROR_NUMERIC, "the features of row %zu hold NaN or infinity",
                            f0t_tag_input_row(&g->input, first + i) + 1);
    return F0T_OK;
}

/* Picture i of the block. */
static f0t_picture_source source_of(f0t_tagging *g, size_t first, size_t i)
{
    const f0t_tag_input *input = &g->input;
    const size_t m = first + i;
    if (input->paths)
        return (f0t_picture_source){.path = input->paths[m], .failure = &g->failures[i]};
    snprintf(g->names[i], sizeof g->names[i], "picture %zu", m + 1);
    return (f0t_picture_source){.path = input->names ? input->names[m] : g->names[i],
                                .data = input->data[m],
                                .size = input->sizes[m],
                                .failure = &g->failures[i]};
}

static f0t_status read_pictures(f0t_tagging *g, size_t first, size_t count)
{
    bool good[PICTURE_BLOCK];
    f0t_monitor quiet = g->monitor ? *g->monitor : (f0t_monitor){0};
    quiet.progress = NULL; /* that of a block is of no interest */
    for (size_t i = 0; i < count; i++)
        g->sources[i] = source_of(g, first, i);
    return f0t_backbone_run_sources(g->rows, g->options.strict ? NULL : good, g->tagger->backbone,
                                    g->sources, count, &quiet);
}

static f0t_status read_block(f0t_tagging *g, size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        g->failures[i].status = F0T_OK;
    if (has_pictures(&g->input))
        return read_pictures(g, first, count);
    return g->input.rows ? read_rows(g, first, count) : take_features(g, first, count);
}

/* ---- Tags of a block -------------------------------------------------------------------------------- */

static f0t_status rank_by_score(f0t_tagging *g, size_t first, size_t count)
{
    const f0t_tagger *t = g->tagger;
    const bool single = count == 1 && t->one.compute;
    const f0t_scoring *words = single ? &t->one : &t->many;
    const size_t d = f0t_model_dim(t->model);
    if (t->model->blend)
        return f0t_known_words_rank(g->index, g->score, g->confidence,
                                    g->all_directions ? g->all_directions + first * d : NULL,
                                    g->ranked, &t->known, t->model, t->copy, words, g->rows, count);
    F0T_TRY(f0t_model_directions_by(g->directions, t->model, t->copy ? t->copy : t->model->net,
                                    g->rows, count));
    if (g->all_directions)
        memcpy(g->all_directions + first * d, g->directions, count * d * sizeof *g->directions);
    for (size_t i = 0; i < count * g->ranked; i++)
        g->confidence[i] = NAN;
    return f0t_scoring_top(g->index, g->score, g->ranked, words, g->directions, count);
}

static f0t_status rank(f0t_tagging *g, size_t first, size_t count)
{
    F0T_TRY(rank_by_score(g, first, count));
    return f0t_diverse_order(g->index, g->score, g->confidence, count, g->ranked, &g->tagger->words,
                             (float)g->options.diverse);
}

/* The tags of row i of the block: vectors and names of a mapped vocabulary were read by now. */
static f0t_status take_tags(f0t_tagging *g, size_t i, size_t *count)
{
    size_t taken = 0;
    for (size_t j = 0; j < g->ranked && taken < g->kept; j++) {
        const uint32_t index = g->index[i * g->ranked + j];
        const float confidence = g->confidence[i * g->ranked + j];
        if (f0t_tag_choice_takes(&g->choice, index, confidence))
            g->tags[taken++] = (f0t_tag_score){.tag = f0t_vocab_tag(g->tagger->vocab, index),
                                               .index = index,
                                               .score = g->score[i * g->ranked + j],
                                               .confidence = confidence};
    }
    *count = taken;
    F0T_TRY(f0t_vocab_whole(g->tagger->vocab));
    return g->tagger->hypernyms ? f0t_general_add(g->tags, count, g->tagger->hypernyms) : F0T_OK;
}

/* Gives row i of the block to the caller. */
static f0t_status give(f0t_tagging *g, size_t first, size_t i)
{
    const f0t_failure *failure = &g->failures[i];
    const bool good = failure->status == F0T_OK;
    size_t taken = 0;
    if (good)
        F0T_TRY(take_tags(g, i, &taken));
    const f0t_tag_result result = {.input = first + i,
                                   .status = failure->status,
                                   .error = good ? NULL : failure->message,
                                   .tags = g->tags,
                                   .count = taken};
    const f0t_context *context = f0t_context_suspend();
    const bool more = g->each(g->user, &result);
    f0t_context_leave(&context);
    return more ? F0T_OK
                : f0t_fail(F0T_ERROR_INTERRUPTED, "ended by the caller after %zu of %zu images",
                           first + i + 1, g->input.count);
}

f0t_status f0t_tagging_run_block(f0t_tagging *g, size_t first, size_t count)
{
    const size_t dim = f0t_model_input_dim(g->tagger->model);
    F0T_TRY(read_block(g, first, count));
    if (g->features)
        memcpy(g->features + first * dim, g->rows, count * dim * sizeof *g->rows);
    else
        F0T_TRY(rank(g, first, count));
    for (size_t i = 0; i < count; i++)
        F0T_TRY(give(g, first, i));
    return F0T_OK;
}

static f0t_status tag_all(f0t_tagging *g)
{
    const size_t count = g->input.count;
    f0t_stage stage = f0t_stage_begin(g->monitor, "tagging", "images", count);
    const bool waited_for = !g->all_directions && g->block > FIRST_BLOCK;
    size_t block = waited_for ? FIRST_BLOCK : g->block, rows;
    for (size_t first = 0; first < count; first += rows) {
        const double began = f0t_time();
        if (f0t_monitor_stopped(g->monitor))
            return f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted after %zu of %zu images", first,
                            count);
        (void)f0t_stage_update(&stage, first);
        rows = count - first < block ? count - first : block;
        F0T_TRY(f0t_tagging_run_block(g, first, rows));
        if (f0t_time() - began < BLOCK_SECONDS && 2 * block <= g->block)
            block *= 2;
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

static f0t_status run(f0t_tagging *g)
{
    F0T_TRY(check_input(g->tagger, &g->input));
    const f0t_group *group = g->together ? f0t_group_current() : &f0t_group_alone;
    f0t_status status = make_room(g);
    if (status == F0T_OK)
        status = group->size > 1 ? f0t_tagging_run_together(g, group) : tag_all(g);
    free_room(g);
    return status;
}

static f0t_status read_and_run(f0t_tagging *g, const f0t_tag_input *input,
                               const f0t_tag_options *options)
{
    const f0t_tagger *t = g->tagger;
    g->input = (f0t_tag_input)F0T_TAG_INPUT;
    g->options = (f0t_tag_options)F0T_TAG_OPTIONS;
    F0T_TRY(f0t_options_read(&g->options, sizeof g->options, options, "f0t_tag_options"));
    F0T_TRY(f0t_options_read(&g->input, sizeof g->input, input, "f0t_tag_input"));
    if (!(g->options.diverse >= 0))
        return f0t_fail(F0T_ERROR_ARGUMENT, "f0t_tag_options: diverse is %g; 0 or more is expected",
                        g->options.diverse);
    F0T_TRY(f0t_tag_choice_create(&g->choice, &g->options, t->model, &t->known, g->monitor));
    return run(g);
}

f0t_status f0t_tagger_each(const f0t_tagger *tagger, const f0t_tag_input *input,
                           const f0t_tag_options *options, f0t_tag_callback each, void *user,
                           const f0t_context *context)
{
    F0T_REQUIRE(tagger);
    F0T_REQUIRE(input);
    F0T_REQUIRE(each);
    F0T_ENTER(context);
    f0t_tagging g = {.tagger = tagger,
                     .each = each,
                     .user = user,
                     .monitor = f0t_context_monitor(context),
                     .together = f0t_context_processes(context) > 1};
    return read_and_run(&g, input, options);
}

f0t_status f0t_tagger_each_directed(float *directions, const f0t_tagger *tagger,
                                    const float *features, size_t rows,
                                    const f0t_tag_options *options, f0t_tag_callback each,
                                    void *user)
{
    f0t_tagging g = {.tagger = tagger, .each = each, .user = user, .all_directions = directions};
    f0t_tag_input input = F0T_TAG_INPUT;
    input.features = features;
    input.count = rows;
    return read_and_run(&g, &input, options);
}

/* ---- All results as one object ---------------------------------------------------------------------- */

typedef struct all {
    f0t_tag_results shown; /* what the caller sees: first */
    f0t_tag_result *items;
    f0t_tag_score *tags; /* [count x kept] */
    size_t kept;         /* general words included */
    f0t_status status;
} all;

static bool keep(void *user, const f0t_tag_result *result)
{
    all *a = user;
    f0t_tag_result *item = &a->items[result->input];
    f0t_tag_score *tags = a->tags + result->input * a->kept;
    char *error = NULL;
    if (result->error)
        a->status = f0t_string_copy(&error, result->error, strlen(result->error));
    memcpy(tags, result->tags, result->count * sizeof *tags);
    *item = *result;
    item->tags = tags;
    item->error = error;
    a->shown.failed += result->status != F0T_OK;
    return a->status == F0T_OK;
}

static f0t_status collect(all *a, const f0t_tagger *tagger, const f0t_tag_input *input,
                          const f0t_tag_options *options)
{
    f0t_tag_options own = F0T_TAG_OPTIONS;
    f0t_tag_input given = F0T_TAG_INPUT;
    const size_t size = f0t_vocab_count(tagger->vocab);
    size_t tags;
    F0T_TRY(f0t_options_read(&own, sizeof own, options, "f0t_tag_options"));
    F0T_TRY(f0t_options_read(&given, sizeof given, input, "f0t_tag_input"));
    a->kept = (own.k < size ? own.k : size) + count_general(tagger);
    if (!f0t_size_mul(&tags, given.count, a->kept))
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for %zu tags of %zu images", a->kept,
                        given.count);
    F0T_TRY(f0t_alloc_zero(&a->items, given.count, sizeof *a->items));
    a->shown = (f0t_tag_results){.items = a->items, .count = given.count};
    F0T_TRY(f0t_alloc(&a->tags, tags, sizeof *a->tags));
    f0t_status status = f0t_tagger_each(tagger, &given, &own, keep, a, NULL);
    return a->status == F0T_OK
               ? status
               : f0t_fail(a->status, "no memory for the results of %zu images", given.count);
}

/* What is collected, or nothing. */
static f0t_status give_all(f0t_tag_results **out, all *a, f0t_status status)
{
    if (status == F0T_OK)
        *out = &a->shown;
    else
        f0t_tag_results_free(&a->shown);
    return status;
}

f0t_status f0t_tagger_run(f0t_tag_results **out, const f0t_tagger *tagger,
                          const f0t_tag_input *input, const f0t_tag_options *options,
                          const f0t_context *context)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(tagger);
    F0T_REQUIRE(input);
    F0T_ENTER(context);
    all *a;
    F0T_TRY(f0t_alloc_zero(&a, 1, sizeof *a));
    return give_all(out, a, collect(a, tagger, input, options));
}

static f0t_status collect_features(all *a, f0t_tagging *g)
{
    F0T_TRY(f0t_alloc_zero(&a->items, g->input.count, sizeof *a->items));
    a->shown = (f0t_tag_results){.items = a->items, .count = g->input.count};
    F0T_TRY(f0t_alloc(&a->tags, 0, sizeof *a->tags));
    f0t_status status = run(g);
    return a->status == F0T_OK
               ? status
               : f0t_fail(a->status, "no memory for the results of %zu images", g->input.count);
}

f0t_status f0t_tagger_features(float *out, f0t_tag_results **results, const f0t_tagger *tagger,
                               const f0t_tag_input *input, const f0t_context *context)
{
    F0T_REQUIRE(results);
    *results = NULL;
    F0T_REQUIRE(out);
    F0T_REQUIRE(tagger);
    F0T_REQUIRE(input);
    F0T_ENTER(context);
    f0t_tagging g = {.tagger = tagger,
                     .input = F0T_TAG_INPUT,
                     .options = {.size = sizeof(f0t_tag_options)},
                     .each = keep,
                     .monitor = f0t_context_monitor(context),
                     .features = out};
    all *a;
    F0T_TRY(f0t_options_read(&g.input, sizeof g.input, input, "f0t_tag_input"));
    if (!has_pictures(&g.input) && g.input.count)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "f0t_tag_input: features are made from pictures: paths or data");
    F0T_TRY(f0t_alloc_zero(&a, 1, sizeof *a));
    g.user = a;
    return give_all(results, a, collect_features(a, &g));
}

void f0t_tag_results_free(f0t_tag_results *results)
{
    if (!results)
        return;
    all *a = (all *)results;
    for (size_t i = 0; i < results->count; i++)
        f0t_free((char *)(uintptr_t)a->items[i].error);
    f0t_free(a->items);
    f0t_free(a->tags);
    f0t_free(a);
}
