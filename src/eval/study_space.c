/* The tags' vectors: as a file has them, or cut to some of its principal axes. */
#include "base/alloc.h"
#include "base/monitor.h"
#include "base/random.h"
#include "base/size.h"
#include "eval/pca.h"
#include "eval/study.h"
#include "math/elementwise.h"
#include "math/matmul.h"

#include <string.h>

enum { BLOCK = 4096 };

f0t_status f0t_study_space_create(f0t_study_space *out, const f0t_study_tags *tags,
                                  const f0t_vectors *vectors, bool centred)
{
    const f0t_vocab_options options = {.centred = centred, .no_suggestions = true};
    const size_t count = tags->seen + tags->unseen;
    f0t_vocab *vocab;
    *out = (f0t_study_space){.dim = f0t_vectors_dim(vectors)};
    F0T_TRY(f0t_vocab_create(&vocab, tags->names, count, vectors, &options));
    f0t_status status = F0T_OK;
    if (f0t_vocab_size(vocab) != count)
        status = f0t_fail(F0T_ERROR_NUMERIC, "%s: %zu of %zu tags have no direction once centred",
                          f0t_vectors_source(vectors), count - f0t_vocab_size(vocab), count);
    if (status == F0T_OK)
        status = f0t_alloc(&out->vectors, count * out->dim, sizeof *out->vectors);
    if (status == F0T_OK)
        memcpy(out->vectors, f0t_vocab_vectors(vocab), count * out->dim * sizeof *out->vectors);
    f0t_vocab_free(vocab);
    return status;
}

void f0t_study_space_free(f0t_study_space *space)
{
    f0t_free(space->vectors);
    *space = (f0t_study_space){0};
}

static void subtract(float *rows, size_t count, const float *mean, size_t dim)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < dim; k++)
            rows[i * dim + k] -= mean[k];
}

/* All words, each of length 1: tags are so, too. */
static f0t_status add_words(f0t_pca *pca, const f0t_vectors *vectors, bool centred, float *rows,
                            const f0t_monitor *monitor)
{
    const size_t count = f0t_vectors_count(vectors), dim = f0t_vectors_dim(vectors);
    f0t_stage stage = f0t_stage_begin(monitor, "finding principal axes", "words", count);
    for (size_t first = 0; first < count; first += BLOCK) {
        const size_t some = count - first < BLOCK ? count - first : BLOCK;
        F0T_TRY(f0t_vectors_get(vectors, first, some, rows));
        if (centred)
            subtract(rows, some, f0t_vectors_mean(vectors), dim);
        f0t_rows_normalise(rows, some, dim);
        F0T_TRY(f0t_pca_add(pca, rows, some));
        F0T_TRY(f0t_stage_update(&stage, first + some));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

static f0t_status find_axes(float *axes, f0t_pca *pca, size_t dim)
{
    double *values, total;
    F0T_TRY(f0t_alloc(&values, dim, sizeof *values));
    f0t_status status = f0t_pca_finish(pca, axes, values, &total, dim);
    f0t_free(values);
    return status;
}

f0t_status f0t_study_axes(float **axes, const f0t_vectors *vectors, bool centred,
                          const f0t_monitor *monitor)
{
    const size_t dim = f0t_vectors_dim(vectors);
    float *rows = NULL;
    f0t_pca pca;
    *axes = NULL;
    F0T_TRY(f0t_pca_create(&pca, dim));
    f0t_status status = f0t_alloc(&rows, BLOCK * dim, sizeof *rows);
    if (status == F0T_OK)
        status = f0t_alloc(axes, dim * dim, sizeof **axes);
    if (status == F0T_OK)
        status = add_words(&pca, vectors, centred, rows, monitor);
    if (status == F0T_OK)
        status = find_axes(*axes, &pca, dim);
    f0t_pca_free(&pca);
    f0t_free(rows);
    if (status != F0T_OK) {
        f0t_free(*axes);
        *axes = NULL;
    }
    return status;
}

f0t_status f0t_study_space_cut(f0t_study_space *out, const f0t_study_space *whole,
                               const float *axes, size_t dim, size_t rows)
{
    const f0t_matmul op = {.m = rows, .n = dim, .k = whole->dim, .b_transposed = true};
    *out = (f0t_study_space){.dim = dim};
    F0T_TRY(f0t_alloc(&out->vectors, rows * dim, sizeof *out->vectors));
    F0T_TRY(f0t_matmul_run(out->vectors, whole->vectors, axes, NULL, &op));
    f0t_rows_normalise(out->vectors, rows, dim);
    return F0T_OK;
}

f0t_status f0t_study_space_shuffle(f0t_study_space *out, const f0t_study_space *space,
                                   const f0t_study_tags *tags, uint64_t seed)
{
    const size_t counts[2] = {tags->seen, tags->unseen}, dim = space->dim;
    uint32_t *order;
    size_t first = 0;
    *out = (f0t_study_space){.dim = dim};
    F0T_TRY(f0t_alloc(&order, tags->seen + tags->unseen, sizeof *order));
    f0t_status status =
        f0t_alloc(&out->vectors, (tags->seen + tags->unseen) * dim, sizeof *out->vectors);
    for (int side = 0; status == F0T_OK && side < 2; side++) {
        const f0t_random random = {seed, UINT64_C(0x6465616C) + (uint64_t)side}; /* "deal" */
        for (size_t i = 0; i < counts[side]; i++)
            order[i] = (uint32_t)(first + i);
        f0t_random_shuffle(&random, order, counts[side]);
        for (size_t i = 0; i < counts[side]; i++)
            memcpy(out->vectors + (first + i) * dim, space->vectors + order[i] * dim,
                   dim * sizeof *out->vectors);
        first += counts[side];
    }
    f0t_free(order);
    return status;
}
