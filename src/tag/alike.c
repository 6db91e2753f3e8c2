#include "tag/alike.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "tag/tagging.h"

#include <string.h>

/* With its 0, so that texts one after the other do not run together. */
static uint64_t add_text(uint64_t hash, const char *text)
{
    return text ? f0t_hash(hash, text, strlen(text) + 1) : f0t_hash(hash, "", 1);
}

static uint64_t hash_words(const f0t_vocab *vocab)
{
    const size_t count = f0t_vocab_count(vocab);
    const uint64_t space = f0t_vocab_fingerprint(vocab);
    uint64_t hash = f0t_hash(F0T_HASH_START, &space, sizeof space);
    for (size_t i = 0; i < count; i++)
        hash = add_text(hash, f0t_vocab_tag(vocab, i));
    return hash;
}

static f0t_status add_array(uint64_t *hash, const f0t_net *net, size_t i)
{
    const f0t_model_array array = f0t_net_array(net, i);
    float *numbers;
    F0T_TRY(f0t_alloc(&numbers, array.rows * array.cols, sizeof *numbers));
    f0t_status status = f0t_net_array_get(numbers, net, i);
    if (status == F0T_OK)
        *hash = f0t_hash(*hash, numbers, array.rows * array.cols * sizeof *numbers);
    f0t_free(numbers);
    return status;
}

/* What it was trained with, its net and its tags: two trainings that differ, differ there. */
static f0t_status hash_model(uint64_t *hash, const f0t_model *model)
{
    *hash = add_text(hash_words(f0t_model_vocab(model)), model->training);
    *hash = add_text(*hash, model->backbone);
    for (size_t i = 0; i < f0t_net_array_count(model->net); i++)
        F0T_TRY(add_array(hash, model->net, i));
    return F0T_OK;
}

enum { LOOKED_AT = 16 }; /* rows: enough to see that they are others, without reading them all */

static f0t_status hash_rows(uint64_t *hash, const f0t_tag_input *input, size_t dim)
{
    const size_t looked = input->count < LOOKED_AT ? input->count : LOOKED_AT;
    float *row;
    F0T_TRY(f0t_alloc(&row, dim, sizeof *row));
    f0t_status status = F0T_OK;
    for (size_t i = 0; i < looked && status == F0T_OK; i++) {
        const size_t m = i * (input->count / looked);
        if (input->rows)
            status = f0t_features_read(row, input->rows, f0t_tag_input_row(input, m), 1);
        else
            memcpy(row, input->features + m * dim, dim * sizeof *row);
        if (status == F0T_OK)
            *hash = f0t_hash(*hash, row, dim * sizeof *row);
    }
    f0t_free(row);
    return status;
}

static f0t_status hash_input(uint64_t *hash, const f0t_tag_input *input, size_t dim)
{
    const char *const *names = input->paths ? input->paths : input->names;
    *hash = f0t_hash(F0T_HASH_START, &input->count, sizeof input->count);
    for (size_t i = 0; names && i < input->count; i++)
        *hash = add_text(*hash, names[i]);
    if (input->data)
        *hash = f0t_hash(*hash, input->sizes, input->count * sizeof *input->sizes);
    return input->rows || input->features ? hash_rows(hash, input, dim) : F0T_OK;
}

f0t_status f0t_tagging_alike(const f0t_group *group, const f0t_model *model, const f0t_vocab *vocab,
                             const f0t_tag_input *input)
{
    uint64_t own, words = hash_words(vocab), given;
    F0T_TRY(hash_model(&own, model));
    F0T_TRY(hash_input(&given, input, f0t_model_input_dim(model)));
    F0T_TRY(f0t_group_same(group, "the model", &own, sizeof own));
    F0T_TRY(f0t_group_same(group, "the vocabulary", &words, sizeof words));
    return f0t_group_same(group, "the input", &given, sizeof given);
}
