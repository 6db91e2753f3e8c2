/* Which tags the study is about, which of them are unseen, and their vectors: as a file has them, or cut to
 * some of its principal axes. */
#include "base/alloc.h"
#include "base/monitor.h"
#include "base/random.h"
#include "base/size.h"
#include "eval/pca.h"
#include "eval/study.h"
#include "eval/tags.h"
#include "math/elementwise.h"
#include "math/matmul.h"
#include "word/missing.h"
#include "word/vocab.h"

#include <string.h>

/* ---- Tags that every file has ------------------------------------------------------------------ */

/* Keeps those of names[*count] that the file has a vector for, one of each spelling. */
static f0t_status keep_known(const char **names, size_t *count, const f0t_vectors *vectors)
{
    const f0t_vocab_options options = {.size = sizeof(f0t_vocab_options), .no_suggestions = true};
    f0t_vocab *vocab;
    size_t kept = 0;
    F0T_TRY(f0t_vocab_create(&vocab, names, *count, vectors, &options, NULL));
    for (size_t i = 0; i < *count; i++) {
        const f0t_match match = f0t_vocab_get_entry(vocab, i)->match;
        if (match != F0T_MATCH_NONE && match != F0T_MATCH_SAME)
            names[kept++] = names[i];
    }
    *count = kept;
    f0t_vocab_free(vocab);
    return F0T_OK;
}

/* Numbers the dataset's tags by their place in names[count]; other spellings have the same. */
static f0t_status number_tags(f0t_study_tags *tags, const f0t_dataset *dataset,
                              const f0t_vectors *vectors, size_t count)
{
    const f0t_vocab_options options = {.size = sizeof(f0t_vocab_options), .no_suggestions = true};
    const size_t all = f0t_dataset_tag_count(dataset);
    f0t_vocab *vocab;
    F0T_TRY(f0t_alloc(&tags->number, all, sizeof *tags->number));
    F0T_TRY(f0t_vocab_create(&vocab, tags->names, count, vectors, &options, NULL));
    f0t_status status = F0T_OK;
    for (size_t t = 0; status == F0T_OK && t < all; t++) {
        size_t place = F0T_NONE;
        status = f0t_vocab_find(&place, vocab, f0t_dataset_tag(dataset, t));
        tags->number[t] = place == F0T_NONE ? F0T_NO_TAG : (uint32_t)place;
        tags->missing += place == F0T_NONE;
    }
    f0t_vocab_free(vocab);
    return status;
}

/* ---- Seen and unseen --------------------------------------------------------------------------- */

/* Tags that are in neither list are left out: kept[place] says which are not. */
static void read_lists(bool *unseen, bool *kept, const f0t_study_tags *tags,
                       const f0t_dataset *dataset)
{
    size_t counts[2];
    const uint32_t *lists[2] = {f0t_dataset_unseen(&counts[0], dataset),
                                f0t_dataset_seen(&counts[1], dataset)};
    /* A tag that is seen in one spelling is seen. */
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < counts[side]; i++) {
            const uint32_t place = tags->number[lists[side][i]];
            if (place == F0T_NO_TAG)
                continue;
            kept[place] = true;
            unseen[place] = side == 0;
        }
}

/* Puts seen tags first. */
static f0t_status order_tags(f0t_study_tags *tags, const bool *unseen, const bool *kept,
                             size_t count, size_t all)
{
    const char **names = NULL;
    uint32_t *place = NULL;
    f0t_status status = f0t_alloc(&names, count, sizeof *names);
    if (status == F0T_OK)
        status = f0t_alloc(&place, count, sizeof *place);
    size_t at = 0;
    for (int side = 0; status == F0T_OK && side < 2; side++) {
        for (size_t i = 0; i < count; i++)
            if (kept[i] && unseen[i] == (side == 1)) {
                place[i] = (uint32_t)at;
                names[at++] = tags->names[i];
            } else if (!kept[i]) {
                place[i] = F0T_NO_TAG;
            }
        *(side ? &tags->unseen : &tags->seen) = side ? at - tags->seen : at;
    }
    for (size_t t = 0; status == F0T_OK && t < all; t++)
        if (tags->number[t] != F0T_NO_TAG)
            tags->number[t] = place[tags->number[t]];
    if (status == F0T_OK)
        memcpy(tags->names, names, at * sizeof *names);
    f0t_free(names);
    f0t_free(place);
    return status;
}

static f0t_status split_tags(f0t_study_tags *tags, const f0t_dataset *dataset, size_t count,
                             const f0t_study_options *options)
{
    bool *unseen = NULL, *kept = NULL;
    size_t listed;
    tags->given = !options->unseen && f0t_dataset_seen(&listed, dataset);
    f0t_status status = f0t_alloc_zero(&unseen, count, sizeof *unseen);
    if (status == F0T_OK)
        status = f0t_alloc_zero(&kept, count, sizeof *kept);
    if (status == F0T_OK && tags->given)
        read_lists(unseen, kept, tags, dataset);
    else if (status == F0T_OK)
        memset(kept, true, count);
    const bool drawn = !tags->given && !(options->unseen && !strcmp(options->unseen, "none"));
    /* As eval does: the same seed draws the same tags. */
    if (status == F0T_OK && drawn)
        status = f0t_unseen_draw(unseen, options->unseen ? options->unseen : "20%", count,
                                 options->seed);
    if (status == F0T_OK)
        status = order_tags(tags, unseen, kept, count, f0t_dataset_tag_count(dataset));
    f0t_free(unseen);
    f0t_free(kept);
    return status;
}

/* ---- Both ---------------------------------------------------------------------------------------- */

/* Logs which tags have no vector: those that number_tags gave no place. */
static f0t_status tell_missing(const f0t_study_tags *tags, const f0t_dataset *dataset, size_t files,
                               const f0t_monitor *monitor)
{
    bool *missing;
    const size_t count = f0t_dataset_tag_count(dataset);
    F0T_TRY(f0t_alloc(&missing, count, sizeof *missing));
    for (size_t t = 0; t < count; t++)
        missing[t] = tags->number[t] == F0T_NO_TAG;
    f0t_status status =
        f0t_missing_log(dataset, missing, count,
                        files > 1 ? "in one of the files and are left out of the study"
                                  : "and are left out of the study",
                        monitor);
    f0t_free(missing);
    return status;
}

static f0t_status create(f0t_study_tags *tags, const f0t_dataset *dataset,
                         const f0t_vectors *const *vectors, size_t files,
                         const f0t_study_options *options, const f0t_monitor *monitor)
{
    size_t count = f0t_dataset_tag_count(dataset);
    F0T_TRY(f0t_alloc(&tags->names, count, sizeof *tags->names));
    for (size_t t = 0; t < count; t++)
        tags->names[t] = f0t_dataset_tag(dataset, t);
    for (size_t i = 0; i < files; i++)
        F0T_TRY(keep_known(tags->names, &count, vectors[i]));
    if (count < 4)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: %zu of its %zu tags have a vector; a study needs 4",
                        f0t_dataset_path(dataset), count, f0t_dataset_tag_count(dataset));
    F0T_TRY(number_tags(tags, dataset, vectors[0], count));
    F0T_TRY(tell_missing(tags, dataset, files, monitor));
    F0T_TRY(split_tags(tags, dataset, count, options));
    if (tags->seen < 2)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: %zu seen tags have a vector; a study needs 2",
                        f0t_dataset_path(dataset), tags->seen);
    return F0T_OK;
}

f0t_status f0t_study_tags_create(f0t_study_tags *out, const f0t_dataset *dataset,
                                 const f0t_vectors *const *vectors, size_t count,
                                 const f0t_study_options *options, const f0t_monitor *monitor)
{
    *out = (f0t_study_tags){0};
    f0t_status status = create(out, dataset, vectors, count, options, monitor);
    if (status != F0T_OK)
        f0t_study_tags_free(out);
    return status;
}

void f0t_study_tags_free(f0t_study_tags *tags)
{
    f0t_free(tags->names);
    f0t_free(tags->number);
    *tags = (f0t_study_tags){0};
}

/* ---- Their vectors ------------------------------------------------------------------------- */

enum { BLOCK = 4096 };

f0t_status f0t_study_space_create(f0t_study_space *out, const f0t_study_tags *tags,
                                  const f0t_vectors *vectors, bool centred)
{
    const f0t_vocab_options options = {
        .size = sizeof(f0t_vocab_options), .centred = centred, .no_suggestions = true};
    const size_t count = tags->seen + tags->unseen;
    f0t_vocab *vocab;
    *out = (f0t_study_space){.dim = f0t_vectors_dim(vectors)};
    F0T_TRY(f0t_vocab_create(&vocab, tags->names, count, vectors, &options, NULL));
    f0t_status status = F0T_OK;
    if (f0t_vocab_count(vocab) != count)
        status = f0t_fail(F0T_ERROR_NUMERIC, "%s: %zu of %zu tags have no direction once centred",
                          f0t_vectors_source(vectors), count - f0t_vocab_count(vocab), count);
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
        F0T_TRY(f0t_vectors_get(rows, vectors, first, some));
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
    f0t_status status = f0t_pca_finish(axes, values, &total, pca, dim);
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
        f0t_random_shuffle(order, counts[side], &random);
        for (size_t i = 0; i < counts[side]; i++)
            memcpy(out->vectors + (first + i) * dim, space->vectors + order[i] * dim,
                   dim * sizeof *out->vectors);
        first += counts[side];
    }
    f0t_free(order);
    return status;
}
