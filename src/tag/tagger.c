/*
 * The tagger: pictures to features to directions to tags, block by block.
 *
 * A tagger does not change after it is made. What a call needs besides (rows, directions, scores of a block) is
 * the call's own, so that many threads may call at once.
 */
#include "fast0tag.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/group.h"
#include "base/monitor.h"
#include "base/size.h"
#include "compute/scoring.h"
#include "image/backbone.h"
#include "math/elementwise.h"
#include "model/model.h"
#include "tag/alike.h"
#include "tag/choice.h"
#include "tag/diverse.h"
#include "tag/general.h"
#include "tag/known.h"
#include "tag/packed.h"
#include "word/hypernyms.h"
#include "word/vocab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct f0t_tagger {
    const f0t_model *model;
    f0t_model *owned; /* the model, where it was opened by path */
    const f0t_vocab *vocab;
    f0t_vocab *joined; /* the vocabulary, where it was made of two */
    f0t_backbone *backbone;
    f0t_net *copy;         /* of the model's net on another device; NULL: the model's own */
    f0t_scoring many, one; /* the words' vectors for blocks, and for a single row */
    f0t_diverse words;     /* of its vocabulary's tags */
    f0t_known_words known; /* of a blend: words that the model has learned, and new ones */
    const f0t_hypernyms *hypernyms; /* NULL: no general words */
};

/* ---- Making one ------------------------------------------------------------------------------------ */

static f0t_status choose_words(f0t_tagger *t, const f0t_tagger_options *o)
{
    const f0t_vocab *own = f0t_model_vocab(t->model);
    t->vocab = o->vocab ? o->vocab : own;
    if (!o->vocab)
        return F0T_OK;
    if (!o->any_space || f0t_vocab_dim(o->vocab) != f0t_vocab_dim(own))
        F0T_TRY(f0t_model_check_vocab(t->model, o->vocab));
    if (!o->with_model_tags)
        return F0T_OK;
    F0T_TRY(f0t_vocab_join_any(&t->joined, own, o->vocab));
    t->vocab = t->joined;
    return F0T_OK;
}

/* Packed vectors are there twice: more than this, and the memory is worth more than the time. */
static const size_t PACKED_MOST = (size_t)256 << 20;
/* From so many words on, a screen and the scores of some are faster. */
enum { PACKED_FOR = 256, SCREENED_LEAST = 1 << 16 };

/* A single row is multiplied with the vectors as they are: that has a kernel of its own, which sums in
 * another order than the products with packed ones do. */
static f0t_status lay_out_words(f0t_tagger *t)
{
    const f0t_compute *compute = f0t_compute_current();
    const float *vectors = t->known.vectors ? t->known.vectors : f0t_vocab_vectors(t->vocab);
    const size_t count = t->known.vectors ? t->known.new_count : f0t_vocab_count(t->vocab),
                 dim = f0t_vocab_dim(t->vocab);
    const f0t_screen *screen = t->known.vectors ? NULL : f0t_vocab_screen(t->vocab);
    const bool screened = count >= SCREENED_LEAST;
    const bool packed = count && count * dim <= PACKED_MOST / sizeof *vectors;
    const f0t_scoring_options many = {
        .packed_for = packed && !screened ? PACKED_FOR : 0, .screened = screened, .screen = screen};
    if (t->model->net->compute != compute)
        F0T_TRY(f0t_net_create_copy(&t->copy, compute, t->model->net));
    F0T_TRY(f0t_scoring_open(&t->many, compute, vectors, count, dim, &many));
    const f0t_scoring_options one = {.screen = t->many.screen};
    return compute->shares_memory ? f0t_scoring_open(&t->one, compute, vectors, count, dim, &one)
                                  : F0T_OK;
}

static f0t_status check_dim(const f0t_tagger *t, size_t has, const char *what)
{
    const size_t wants = f0t_model_input_dim(t->model);
    if (has == wants)
        return F0T_OK;
    return f0t_fail(F0T_ERROR_MISMATCH, "%s %zu features per image, the model takes %zu", what, has,
                    wants);
}

/* The one that was asked for must be the model's own, where that is known. */
static f0t_status open_backbone(f0t_tagger *t, const f0t_tagger_options *o)
{
    const char *own = f0t_model_backbone(t->model), *name = o->backbone ? o->backbone : own;
    const f0t_backbone_options options = {.size = sizeof(f0t_backbone_options),
                                          .preset = o->preset,
                                          .output = o->output,
                                          .bf16 = o->bf16,
                                          .cache = o->cache,
                                          .picture_pixels = o->picture_pixels,
                                          .picture_seconds = o->picture_seconds};
    if (o->features_only || !name)
        return F0T_OK;
    F0T_TRY(f0t_backbone_open(&t->backbone, name, &options, NULL));
    if (own && o->backbone)
        F0T_TRY(f0t_backbone_check(t->backbone, own));
    return check_dim(t, f0t_backbone_dim(t->backbone), "the backbone makes");
}

static f0t_status fill(f0t_tagger *t, const f0t_tagger_options *options)
{
    f0t_tagger_options own = F0T_TAGGER_OPTIONS;
    F0T_TRY(f0t_options_read(&own, sizeof own, options, "f0t_tagger_options"));
    F0T_TRY(choose_words(t, &own));
    t->hypernyms = own.hypernyms;
    if (t->model->blend)
        F0T_TRY(f0t_known_words_create(&t->known, t->model, t->vocab));
    F0T_TRY(f0t_diverse_open(&t->words, t->vocab));
    F0T_TRY(open_backbone(t, &own));
    return lay_out_words(t);
}

/* Takes over `owned`. */
static f0t_status create(f0t_tagger **out, const f0t_model *model, f0t_model *owned,
                         const f0t_tagger_options *options)
{
    f0t_tagger *t;
    f0t_status status = f0t_alloc_zero(&t, 1, sizeof *t);
    if (status != F0T_OK) {
        f0t_model_free(owned);
        return status;
    }
    t->model = model;
    t->owned = owned;
    status = fill(t, options);
    if (status == F0T_OK)
        *out = t;
    else
        f0t_tagger_close(t);
    return status;
}

f0t_status f0t_tagger_create(f0t_tagger **out, const f0t_model *model,
                             const f0t_tagger_options *options, const f0t_context *context)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(model);
    F0T_ENTER(context);
    return create(out, model, NULL, options);
}

f0t_status f0t_tagger_open(f0t_tagger **out, const char *path, const f0t_tagger_options *options,
                           const f0t_context *context)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(path);
    F0T_ENTER(context);
    f0t_model *model;
    F0T_TRY(f0t_model_load(&model, path, NULL));
    return create(out, model, model, options);
}

void f0t_tagger_close(f0t_tagger *t)
{
    if (!t)
        return;
    f0t_scoring_close(&t->many);
    f0t_scoring_close(&t->one);
    f0t_known_words_free(&t->known);
    f0t_diverse_close(&t->words);
    f0t_net_free(t->copy);
    f0t_backbone_close(t->backbone);
    f0t_vocab_free(t->joined);
    f0t_model_free(t->owned);
    f0t_free(t);
}

const f0t_model *f0t_tagger_model(const f0t_tagger *tagger)
{
    return tagger->model;
}

const f0t_vocab *f0t_tagger_vocab(const f0t_tagger *tagger)
{
    return tagger->vocab;
}

/* ---- A call ---------------------------------------------------------------------------------------- */

/* Pictures, and rows of features, at a time at most. Blocks begin small, so that the first tags come soon, and
 * grow while they take less than this. */
enum { FIRST_BLOCK = 16, PICTURE_BLOCK = 256, ROW_BLOCK = 1024, NAME_SIZE = 32 };
enum { LISTS_MOST = 1 << 22 }; /* tags of a block: fewer pictures where each gets many */
static const double BLOCK_SECONDS = 0.5;

typedef struct tagging {
    const f0t_tagger *tagger;
    f0t_tag_input input;
    f0t_tag_options options;
    f0t_tag_callback each;
    void *user;
    const f0t_monitor *monitor;
    bool together;               /* the processes of the context's group share the work */
    float *features;             /* [count x D] to keep, or NULL */
    size_t kept;                 /* tags per picture, at most, */
    size_t ranked;               /* of so many that are ranked */
    f0t_tag_choice choice;       /* of those kept */
    size_t block;                /* rows that there is room for */
    float *rows;                 /* [block x D] */
    float *directions;           /* [block x d] */
    uint32_t *index;             /* [block x ranked] */
    float *score;                /* [block x ranked] */
    float *confidence;           /* [block x ranked] */
    f0t_tag_score *tags;         /* [kept, and general words] */
    f0t_failure *failures;       /* [block] of the rows that have no tags */
    f0t_picture_source *sources; /* [block] of pictures, */
    char (*names)[NAME_SIZE];    /* and names of those that have none */
} tagging;

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
    if (input->count > f0t_features_count(input->rows))
        return f0t_fail(F0T_ERROR_ARGUMENT, "f0t_tag_input: %zu rows of %zu", input->count,
                        f0t_features_count(input->rows));
    return check_dim(t, f0t_features_dim(input->rows), "the rows have");
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
static size_t count_ranked(const tagging *g, size_t words)
{
    const size_t pool = words < F0T_DIVERSE_POOL ? words : F0T_DIVERSE_POOL;
    return g->options.diverse > 0 && g->kept && g->kept < pool ? pool : g->kept;
}

/* General words that a picture may get besides. */
static size_t count_general(const f0t_tagger *t)
{
    return t->hypernyms ? F0T_GENERAL_MOST : 0;
}

static f0t_status make_room(tagging *g)
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

static void free_room(tagging *g)
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
static f0t_status take_features(tagging *g, size_t first, size_t count)
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

/* A file with such a row is broken. */
static f0t_status read_rows(tagging *g, size_t first, size_t count)
{
    const size_t dim = f0t_model_input_dim(g->tagger->model);
    F0T_TRY(f0t_features_read(g->rows, g->input.rows, first, count));
    for (size_t i = 0; i < count; i++)
        if (!f0t_finite_f32(g->rows + i * dim, dim))
            return f0t_fail(F0T_ERROR_NUMERIC, "the features of row %zu hold NaN or infinity",
                            first + i + 1);
    return F0T_OK;
}

/* Picture i of the block. */
static f0t_picture_source source_of(tagging *g, size_t first, size_t i)
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

static f0t_status read_pictures(tagging *g, size_t first, size_t count)
{
    bool good[PICTURE_BLOCK];
    f0t_monitor quiet = g->monitor ? *g->monitor : (f0t_monitor){0};
    quiet.progress = NULL; /* that of a block is of no interest */
    for (size_t i = 0; i < count; i++)
        g->sources[i] = source_of(g, first, i);
    return f0t_backbone_run_sources(g->rows, g->options.strict ? NULL : good, g->tagger->backbone,
                                    g->sources, count, &quiet);
}

static f0t_status read_block(tagging *g, size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        g->failures[i].status = F0T_OK;
    if (has_pictures(&g->input))
        return read_pictures(g, first, count);
    return g->input.rows ? read_rows(g, first, count) : take_features(g, first, count);
}

/* ---- Tags of a block -------------------------------------------------------------------------------- */

static f0t_status rank_by_score(tagging *g, size_t count)
{
    const f0t_tagger *t = g->tagger;
    const bool single = count == 1 && t->one.compute;
    const f0t_scoring *words = single ? &t->one : &t->many;
    if (t->model->blend)
        return f0t_known_words_rank(g->index, g->score, g->confidence, g->ranked, &t->known,
                                    t->model, t->copy, words, g->rows, count);
    F0T_TRY(f0t_model_directions_by(g->directions, t->model, t->copy ? t->copy : t->model->net,
                                    g->rows, count));
    for (size_t i = 0; i < count * g->ranked; i++)
        g->confidence[i] = NAN;
    return f0t_scoring_top(g->index, g->score, g->ranked, words, g->directions, count);
}

static f0t_status rank(tagging *g, size_t count)
{
    F0T_TRY(rank_by_score(g, count));
    return f0t_diverse_order(g->index, g->score, g->confidence, count, g->ranked, &g->tagger->words,
                             (float)g->options.diverse);
}

/* The tags of row i of the block. */
static f0t_status take_tags(tagging *g, size_t i, size_t *count)
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
    return g->tagger->hypernyms ? f0t_general_add(g->tags, count, g->tagger->hypernyms) : F0T_OK;
}

/* Gives row i of the block to the caller. */
static f0t_status give(tagging *g, size_t first, size_t i)
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

static f0t_status tag_block(tagging *g, size_t first, size_t count)
{
    const size_t dim = f0t_model_input_dim(g->tagger->model);
    F0T_TRY(read_block(g, first, count));
    if (g->features)
        memcpy(g->features + first * dim, g->rows, count * dim * sizeof *g->rows);
    else
        F0T_TRY(rank(g, count));
    for (size_t i = 0; i < count; i++)
        F0T_TRY(give(g, first, i));
    return F0T_OK;
}

static f0t_status tag_all(tagging *g)
{
    const size_t count = g->input.count;
    f0t_stage stage = f0t_stage_begin(g->monitor, "tagging", "images", count);
    size_t block = g->block < FIRST_BLOCK ? g->block : FIRST_BLOCK, rows;
    for (size_t first = 0; first < count; first += rows) {
        const double began = f0t_time();
        if (f0t_monitor_stopped(g->monitor))
            return f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted after %zu of %zu images", first,
                            count);
        (void)f0t_stage_update(&stage, first);
        rows = count - first < block ? count - first : block;
        F0T_TRY(tag_block(g, first, rows));
        if (f0t_time() - began < BLOCK_SECONDS && 2 * block <= g->block)
            block *= 2;
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

/* ---- Several processes ------------------------------------------------------------------------------ */

enum { PIECES = 8 }; /* per process, at least: one that is slower takes fewer */

typedef struct together {
    tagging *g;
    f0t_tag_callback each; /* the caller's, which the first process calls */
    void *user;
    const f0t_monitor *monitor;
    size_t block;
    f0t_stage stage;
    f0t_packed_tags packed; /* of the piece that is being tagged */
    f0t_status status;
} together;

static bool pack(void *user, const f0t_tag_result *result)
{
    together *t = user;
    t->status = f0t_packed_tags_add(&t->packed, result);
    return t->status == F0T_OK;
}

static f0t_status tag_piece(void *user, uint64_t piece, void **out, size_t *bytes)
{
    together *t = user;
    const size_t first = (size_t)piece * t->block, left = t->g->input.count - first;
    t->packed = (f0t_packed_tags){0};
    t->status = F0T_OK;
    if (f0t_monitor_stopped(t->monitor))
        return f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted while tagging");
    f0t_status status = tag_block(t->g, first, left < t->block ? left : t->block);
    *out = t->packed.data;
    *bytes = t->packed.bytes;
    return t->status != F0T_OK ? f0t_fail(t->status, "no memory for the results") : status;
}

/* What was wrong with a picture is logged here, whoever has seen it. */
static bool pass_on(void *user, const f0t_tag_result *result)
{
    const together *t = user;
    if (result->error)
        f0t_log(t->monitor, F0T_LOG_WARNING, "%s", result->error);
    const f0t_context *context = f0t_context_suspend();
    const bool more = t->each(t->user, result);
    f0t_context_leave(&context);
    return more;
}

static f0t_status take_piece(void *user, uint64_t piece, const void *data, size_t bytes)
{
    together *t = user;
    const size_t first = (size_t)piece * t->block, left = t->g->input.count - first;
    (void)f0t_stage_update(&t->stage, first);
    return f0t_packed_tags_each(data, bytes, t->g->tagger->vocab, first,
                                first + (left < t->block ? left : t->block), pass_on, t);
}

/* Blocks are handed out to the processes; the first one has the results, in the order of the input. */
static f0t_status tag_together(tagging *g, const f0t_group *group)
{
    const size_t count = g->input.count, share = count / (PIECES * group->size) + 1;
    const f0t_monitor silent = {.stop = g->monitor ? g->monitor->stop : NULL};
    together t = {.g = g,
                  .each = g->each,
                  .user = g->user,
                  .monitor = g->monitor,
                  .block = share < g->block ? share : g->block,
                  .stage = f0t_stage_begin(g->monitor, "tagging", "images", count)};
    const f0t_group_work work = {.pieces = t.block ? (count + t.block - 1) / t.block : 0,
                                 .user = &t,
                                 .run = tag_piece,
                                 .take = take_piece};
    g->each = pack;
    g->user = &t;
    g->monitor = &silent;
    F0T_TRY(f0t_tagging_alike(group, g->tagger->model, g->tagger->vocab, &g->input));
    F0T_TRY(f0t_group_run(group, &work));
    f0t_stage_end(&t.stage);
    return F0T_OK;
}

static f0t_status run(tagging *g)
{
    F0T_TRY(check_input(g->tagger, &g->input));
    const f0t_group *group = g->together ? f0t_group_current() : &f0t_group_alone;
    f0t_status status = make_room(g);
    if (status == F0T_OK)
        status = group->size > 1 ? tag_together(g, group) : tag_all(g);
    free_room(g);
    return status;
}

f0t_status f0t_tagger_each(const f0t_tagger *tagger, const f0t_tag_input *input,
                           const f0t_tag_options *options, f0t_tag_callback each, void *user,
                           const f0t_context *context)
{
    F0T_REQUIRE(tagger);
    F0T_REQUIRE(input);
    F0T_REQUIRE(each);
    F0T_ENTER(context);
    tagging g = {.tagger = tagger,
                 .input = F0T_TAG_INPUT,
                 .options = F0T_TAG_OPTIONS,
                 .each = each,
                 .user = user,
                 .monitor = f0t_context_monitor(context),
                 .together = f0t_context_processes(context) > 1};
    F0T_TRY(f0t_options_read(&g.options, sizeof g.options, options, "f0t_tag_options"));
    F0T_TRY(f0t_options_read(&g.input, sizeof g.input, input, "f0t_tag_input"));
    if (!(g.options.diverse >= 0))
        return f0t_fail(F0T_ERROR_ARGUMENT, "f0t_tag_options: diverse is %g; 0 or more is expected",
                        g.options.diverse);
    F0T_TRY(f0t_tag_choice_create(&g.choice, &g.options, tagger->model, &tagger->known, g.monitor));
    return run(&g);
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

static f0t_status collect_features(all *a, tagging *g)
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
    tagging g = {.tagger = tagger,
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

/* ---- Keywords --------------------------------------------------------------------------------------- */

/* Where the tag is written: in the collection's own hierarchy, else below its general words, else by itself. */
static f0t_status add_placed(f0t_texts *placed, const f0t_tagger *t, const char *tag)
{
    char room[2048];
    const char *path = f0t_model_path(t->model, tag);
    if (!path && t->hypernyms && f0t_hypernyms_path(room, sizeof room, t->hypernyms, tag))
        path = room;
    path = path ? path : tag;
    return f0t_texts_add(placed, path, strlen(path));
}

static f0t_status write_placed(const char **path, bool *changed, const f0t_texts *placed,
                               f0t_sidecars *sidecars, const char *picture)
{
    const char **tags;
    F0T_TRY(f0t_alloc(&tags, placed->count, sizeof *tags));
    for (size_t i = 0; i < placed->count; i++)
        tags[i] = f0t_texts_get(placed, i);
    f0t_status status = f0t_sidecars_write(path, changed, sidecars, picture, tags, placed->count);
    f0t_free(tags);
    return status;
}

f0t_status f0t_tagger_write(const char **path, bool *changed, const f0t_tagger *tagger,
                            const f0t_tag_result *result, f0t_sidecars *sidecars,
                            const char *picture)
{
    F0T_REQUIRE(path);
    F0T_REQUIRE(changed);
    F0T_REQUIRE(tagger);
    F0T_REQUIRE(result);
    F0T_REQUIRE(sidecars);
    F0T_REQUIRE(picture);
    *path = NULL;
    *changed = false;
    f0t_texts placed = {0};
    f0t_status status = F0T_OK;
    if (result->status != F0T_OK)
        return f0t_fail(result->status, "%s", result->error);
    for (size_t i = 0; i < result->count && status == F0T_OK; i++)
        status = add_placed(&placed, tagger, result->tags[i].tag);
    if (status == F0T_OK)
        status = write_placed(path, changed, &placed, sidecars, picture);
    f0t_texts_free(&placed);
    return status;
}
