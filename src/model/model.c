#include "model/model.h"

#include "base/alloc.h"
#include "base/context.h"
#include "math/elementwise.h"
#include "model/options.h"

#include <inttypes.h>
#include <string.h>

enum { BLOCK_ROWS = 1000 };

void f0t_model_free(f0t_model *model)
{
    if (!model)
        return;
    f0t_condition_free(&model->condition);
    f0t_net_free(model->net);
    f0t_blend_free(model->blend);
    f0t_vocab_free(model->vocab);
    f0t_free(model->training);
    f0t_free(model->backbone);
    f0t_paths_free(&model->paths);
    f0t_aliases_free(&model->aliases);
    f0t_same_free(&model->same);
    f0t_free(model);
}

f0t_method f0t_model_method(const f0t_model *model)
{
    return model->method;
}

size_t f0t_model_input_dim(const f0t_model *model)
{
    return model->condition.dim;
}

size_t f0t_model_dim(const f0t_model *model)
{
    return f0t_vocab_dim(model->vocab);
}

const f0t_vocab *f0t_model_vocab(const f0t_model *model)
{
    return model->vocab;
}

const char *f0t_model_training(const f0t_model *model)
{
    return model->training;
}

const char *f0t_model_backbone(const f0t_model *model)
{
    return model->backbone;
}

const char *f0t_model_path(const f0t_model *model, const char *tag)
{
    return f0t_paths_find(&model->paths, tag);
}

/* ---- Which tag a text means -------------------------------------------------------------------- */

static f0t_status know_vocab(f0t_model *m)
{
    const size_t count = f0t_vocab_count(m->vocab);
    const char **tags;
    F0T_TRY(f0t_alloc(&tags, count, sizeof *tags));
    for (size_t t = 0; t < count; t++)
        tags[t] = f0t_vocab_tag(m->vocab, t);
    f0t_status status = f0t_same_add_tags(&m->same, tags, count);
    f0t_free(tags);
    return status;
}

f0t_status f0t_model_add_alias(bool *added, f0t_model *model, const char *form, const char *tag)
{
    size_t index;
    *added = false;
    F0T_TRY(f0t_vocab_find(&index, model->vocab, tag));
    if (index == F0T_NONE)
        return F0T_OK;
    F0T_TRY(f0t_same_add(&model->same, added, form, (uint32_t)index));
    return *added ? f0t_aliases_add(&model->aliases, added, form, tag) : F0T_OK;
}

f0t_status f0t_model_know_tags(f0t_model *model, const f0t_aliases *aliases)
{
    bool added;
    F0T_TRY(know_vocab(model));
    for (size_t i = 0; i < f0t_names_count(&aliases->forms); i++)
        F0T_TRY(f0t_model_add_alias(&added, model, f0t_names_get(&aliases->forms, i),
                                    f0t_texts_get(&aliases->tags, i)));
    return F0T_OK;
}

f0t_status f0t_model_describe(f0t_model *model, const f0t_train_options *options, double miap,
                              const f0t_dataset *dataset)
{
    const char *backbone = f0t_dataset_backbone(dataset);
    if (backbone)
        F0T_TRY(f0t_string_copy(&model->backbone, backbone, strlen(backbone)));
    F0T_TRY(f0t_paths_copy(&model->paths, &dataset->paths));
    F0T_TRY(f0t_model_know_tags(model, &dataset->aliases));
    return f0t_train_options_describe(&model->training, options, miap, dataset);
}

f0t_status f0t_model_find_tag(size_t *index, const f0t_model *model, const char *text)
{
    F0T_REQUIRE(index);
    *index = F0T_NONE;
    F0T_REQUIRE(model);
    F0T_REQUIRE(text);
    return f0t_same_find(index, &model->same, text);
}

/* ---- Directions ---------------------------------------------------------------------------------- */

static f0t_status check_rows(const float *features, size_t first, size_t rows, size_t dim)
{
    if (f0t_finite_f32(features, rows * dim))
        return F0T_OK;
    size_t r = 0;
    while (f0t_finite_f32(features + r * dim, dim))
        r++;
    return f0t_fail(F0T_ERROR_NUMERIC, "the features of row %zu hold NaN or infinity",
                    first + r + 1);
}

f0t_status f0t_model_directions_by(float *out, const f0t_model *model, const f0t_net *net,
                                   const float *features, size_t rows)
{
    size_t dim = model->condition.dim, d = f0t_model_dim(model);
    float *block;
    f0t_status status = F0T_OK;
    F0T_TRY(f0t_alloc(&block, (rows < BLOCK_ROWS ? rows : BLOCK_ROWS) * dim, sizeof *block));
    for (size_t r = 0; r < rows && status == F0T_OK; r += BLOCK_ROWS) {
        size_t n = rows - r < BLOCK_ROWS ? rows - r : BLOCK_ROWS;
        status = check_rows(features + r * dim, r, n, dim);
        if (status != F0T_OK)
            break;
        if (model->blend) { /* of new words */
            status =
                f0t_blend_score(NULL, out + r * d, NULL, model->blend, net, features + r * dim, n);
            continue;
        }
        memcpy(block, features + r * dim, n * dim * sizeof *block);
        f0t_condition_apply(block, &model->condition, n);
        status = f0t_net_apply(out + r * d, net, block, n);
    }
    f0t_free(block);
    return status;
}

f0t_status f0t_model_directions(float *out, const f0t_model *model, const float *features,
                                size_t rows, const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out || !rows);
    F0T_REQUIRE(model);
    F0T_REQUIRE(features || !rows);
    return f0t_model_directions_by(out, model, model->net, features, rows);
}

f0t_status f0t_model_check_vocab(const f0t_model *model, const f0t_vocab *vocab)
{
    F0T_REQUIRE(model);
    F0T_REQUIRE(vocab);
    const f0t_vocab *own = model->vocab;
    if (f0t_vocab_dim(vocab) != f0t_vocab_dim(own))
        return f0t_fail(F0T_ERROR_MISMATCH,
                        "the vocabulary's vectors have %zu dimensions, the model's %zu",
                        f0t_vocab_dim(vocab), f0t_vocab_dim(own));
    if (f0t_vocab_fingerprint(vocab) != f0t_vocab_fingerprint(own))
        return f0t_fail(F0T_ERROR_MISMATCH,
                        "the vocabulary's vectors (space %016" PRIx64
                        ") are not those that the model was trained with (%016" PRIx64 ")",
                        f0t_vocab_fingerprint(vocab), f0t_vocab_fingerprint(own));
    if (f0t_vocab_centred(vocab) != f0t_vocab_centred(own))
        return f0t_fail(F0T_ERROR_MISMATCH, "the vocabulary is%s centred, the model's tags are%s",
                        f0t_vocab_centred(vocab) ? "" : " not",
                        f0t_vocab_centred(own) ? "" : " not");
    return F0T_OK;
}
