/*
 * The tagger: a model, the words that it ranks, and what makes features of pictures.
 *
 * A tagger does not change after it is made. What a call needs besides (tagging.c) is the call's own, so that many threads
 * may call at once.
 */
#include "tag/tagging.h"

#include "base/alloc.h"
#include "base/context.h"
#include "image/keywords.h"

#include <string.h>

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

f0t_status f0t_tagger_check_dim(const f0t_tagger *t, size_t has, const char *what)
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
                                          .picture_seconds = o->picture_seconds,
                                          .network_cache = o->network_cache};
    if (o->features_only || !name)
        return F0T_OK;
    F0T_TRY(f0t_backbone_open(&t->backbone, name, &options, NULL));
    if (own && o->backbone)
        F0T_TRY(f0t_backbone_check(t->backbone, own));
    return f0t_tagger_check_dim(t, f0t_backbone_dim(t->backbone), "the backbone makes");
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
    F0T_TRY(lay_out_words(t));
    return f0t_vocab_whole(t->vocab);
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

static f0t_status write_placed(const char **path, bool *changed, const f0t_tagger *t,
                               const f0t_texts *placed, f0t_sidecars *sidecars, const char *picture)
{
    const char **tags;
    F0T_TRY(f0t_alloc(&tags, placed->count, sizeof *tags));
    for (size_t i = 0; i < placed->count; i++)
        tags[i] = f0t_texts_get(placed, i);
    f0t_status status = f0t_sidecars_write_other(path, changed, sidecars, picture, tags,
                                                 placed->count, &t->model->same);
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
        status = write_placed(path, changed, tagger, &placed, sidecars, picture);
    f0t_texts_free(&placed);
    return status;
}
