#include "eval/tags.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "base/random.h"
#include "io/number.h"
#include "model/samples.h"
#include "word/missing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIFTHS = 5 }; /* of the seen tags, for tuning: docs/evaluation.md */

/* ---- Vectors ------------------------------------------------------------------------------- */

/* Logs which tags have no vector. */
static f0t_status tell_missing(const f0t_eval_tags *tags, const f0t_monitor *monitor)
{
    bool *missing;
    const size_t count = f0t_vocab_entry_count(tags->vocab);
    F0T_TRY(f0t_alloc(&missing, count, sizeof *missing));
    for (size_t t = 0; t < count; t++)
        missing[t] = f0t_vocab_get_entry(tags->vocab, t)->match == F0T_MATCH_NONE;
    f0t_status status =
        f0t_missing_log(tags->dataset, missing, count, "and no method ranks them", monitor);
    f0t_free(missing);
    return status;
}

static f0t_status make_vocab(f0t_eval_tags *tags, const f0t_vectors *vectors, bool centred,
                             const f0t_monitor *monitor)
{
    const char **names;
    size_t count = f0t_dataset_tag_count(tags->dataset);
    f0t_vocab_options options = {
        .size = sizeof(f0t_vocab_options), .centred = centred, .no_suggestions = true};
    F0T_TRY(f0t_alloc(&names, count, sizeof *names));
    for (size_t t = 0; t < count; t++)
        names[t] = f0t_dataset_tag(tags->dataset, t);
    f0t_status status =
        f0t_vocab_create(&tags->vocab, names, count, vectors, &options, F0T_WATCHED(monitor));
    f0t_free(names);
    F0T_TRY(status);
    tags->count = f0t_vocab_count(tags->vocab);
    return tell_missing(tags, monitor);
}

f0t_status f0t_eval_tags_create(f0t_eval_tags *tags, const f0t_dataset *dataset,
                                const f0t_vectors *vectors, bool centred,
                                const f0t_monitor *monitor)
{
    *tags = (f0t_eval_tags){.dataset = dataset};
    f0t_status status = make_vocab(tags, vectors, centred, monitor);
    if (status == F0T_OK)
        status = f0t_alloc_zero(&tags->kind, tags->count, sizeof *tags->kind);
    if (status == F0T_OK)
        status = f0t_alloc(&tags->index, f0t_dataset_tag_count(dataset), sizeof *tags->index);
    if (status != F0T_OK)
        f0t_eval_tags_free(tags);
    return status;
}

void f0t_eval_tags_free(f0t_eval_tags *tags)
{
    f0t_vocab_free(tags->vocab);
    f0t_free(tags->kind);
    f0t_free(tags->index);
    *tags = (f0t_eval_tags){0};
}

/* ---- Seen and unseen ----------------------------------------------------------------------- */

bool f0t_eval_tags_are_given(const f0t_dataset *dataset, const char *unseen)
{
    size_t count;
    return !unseen && f0t_dataset_seen(&count, dataset) != NULL;
}

/* Of two spellings of one word the dataset's first counts (seen tags come first there): where the
 * other is of another kind its annotations belong to neither. */
static f0t_status split_by_lists(f0t_eval_tags *tags)
{
    size_t all = f0t_dataset_tag_count(tags->dataset), counts[2];
    const uint32_t *lists[2] = {f0t_dataset_seen(&counts[0], tags->dataset),
                                f0t_dataset_unseen(&counts[1], tags->dataset)};
    uint8_t *kind;
    F0T_TRY(f0t_alloc(&kind, all, sizeof *kind));
    memset(kind, F0T_TAG_OTHER, all);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < counts[side]; i++)
            kind[lists[side][i]] = side ? F0T_TAG_UNSEEN : F0T_TAG_SEEN;
    memset(tags->kind, 0, tags->count);
    for (size_t t = 0; t < all; t++) {
        size_t index = f0t_vocab_get_entry(tags->vocab, t)->index;
        if (index != F0T_NONE && !tags->kind[index])
            tags->kind[index] = kind[t];
        bool used = index != F0T_NONE && tags->kind[index] == kind[t];
        tags->index[t] = used ? (uint32_t)index : F0T_NO_SAMPLE_TAG;
    }
    f0t_free(kind);
    return F0T_OK;
}

/* "20%" or "58". */
static f0t_status parse_unseen(size_t *out, const char *text, size_t count)
{
    float number = 0;
    const char *end = f0t_number_read(&number, text, text + strlen(text));
    bool share = end && !strcmp(end, "%");
    bool sane = end && (share || !*end) && number > 0 && number < 1e9F &&
                (share || number == floorf(number));
    double wanted = round(share ? (double)number / 100 * (double)count : (double)number);
    *out = 0;
    if (!sane)
        return f0t_fail(F0T_ERROR_ARGUMENT, "unseen tags '%s': a share such as 20%% or a number",
                        text);
    if (wanted < 2 || wanted > (double)count - 2)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "unseen tags '%s' of %zu with a vector: two at least must be unseen, and "
                        "two seen",
                        text, count);
    *out = (size_t)wanted;
    return F0T_OK;
}

/* A random order by seed. */
static void draw(uint32_t *order, size_t count, uint64_t seed, uint64_t stream)
{
    const f0t_random random = {seed, stream};
    f0t_random_shuffle(order, count, &random);
}

f0t_status f0t_unseen_draw(bool *unseen, const char *text, size_t count, uint64_t seed)
{
    F0T_REQUIRE(unseen);
    F0T_REQUIRE(text);
    uint32_t *order;
    size_t wanted;
    F0T_TRY(parse_unseen(&wanted, text, count));
    F0T_TRY(f0t_alloc(&order, count, sizeof *order));
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    draw(order, count, seed, UINT64_C(0x756E7365656E)); /* "unseen" */
    for (size_t i = 0; i < count; i++)
        unseen[order[i]] = i < wanted;
    f0t_free(order);
    return F0T_OK;
}

/* A tag and how common it is. */
typedef struct counted_tag {
    uint32_t tag;
    size_t images; /* of the training part */
} counted_tag;

static int compare_counted(const void *a, const void *b)
{
    const counted_tag *x = a, *y = b;
    return x->images != y->images ? (x->images < y->images) - (x->images > y->images)
                                  : (x->tag > y->tag) - (x->tag < y->tag);
}

/* All tags, the most common first. */
static f0t_status sort_tags(counted_tag **out, const f0t_eval_tags *tags)
{
    const f0t_dataset *dataset = tags->dataset;
    const uint8_t *split = f0t_dataset_split(dataset);
    F0T_TRY(f0t_alloc(out, tags->count, sizeof **out));
    for (size_t i = 0; i < tags->count; i++)
        (*out)[i] = (counted_tag){.tag = (uint32_t)i};
    for (size_t m = 0; m < f0t_dataset_image_count(dataset); m++) {
        size_t count;
        const uint32_t *has = f0t_dataset_image_tags(&count, dataset, m);
        for (size_t i = 0; i < count && split[m] == F0T_TRAIN; i++)
            if (tags->index[has[i]] != F0T_NO_SAMPLE_TAG)
                (*out)[tags->index[has[i]]].images++;
    }
    qsort(*out, tags->count, sizeof **out, compare_counted);
    return F0T_OK;
}

/* One of each stratum of about as common tags: a draw that has two of the three most common tags, or none of
 * them, is another task. The smaller side is drawn, so that no tag is on one side in every draw. */
static void draw_balanced(f0t_eval_tags *tags, const counted_tag *sorted, size_t unseen,
                          uint64_t seed)
{
    const f0t_random random = {seed, UINT64_C(0x737472617461)}; /* "strata" */
    const bool few = unseen <= tags->count / 2;
    const size_t strata = few ? unseen : tags->count - unseen;
    memset(tags->kind, few ? F0T_TAG_SEEN : F0T_TAG_UNSEEN, tags->count);
    for (size_t s = 0; s < strata; s++) {
        const size_t first = s * tags->count / strata, end = (s + 1) * tags->count / strata;
        const double place = f0t_random_uniform(&random, s) * (double)(end - first);
        const size_t at = first + ((size_t)place < end - first ? (size_t)place : 0);
        tags->kind[sorted[at].tag] = few ? F0T_TAG_UNSEEN : F0T_TAG_SEEN;
    }
}

/* `unseen` NULL: all are seen. */
static f0t_status split_by_seed(f0t_eval_tags *tags, const char *unseen, uint64_t seed)
{
    counted_tag *sorted = NULL;
    size_t wanted = 0;
    if (unseen)
        F0T_TRY(parse_unseen(&wanted, unseen, tags->count));
    for (size_t t = 0; t < f0t_dataset_tag_count(tags->dataset); t++) {
        size_t index = f0t_vocab_get_entry(tags->vocab, t)->index;
        tags->index[t] = index == F0T_NONE ? F0T_NO_SAMPLE_TAG : (uint32_t)index;
    }
    memset(tags->kind, F0T_TAG_SEEN, tags->count);
    if (!unseen)
        return F0T_OK;
    F0T_TRY(sort_tags(&sorted, tags));
    draw_balanced(tags, sorted, wanted, seed);
    f0t_free(sorted);
    return F0T_OK;
}

f0t_status f0t_eval_tags_split(f0t_eval_tags *tags, const char *unseen, uint64_t seed)
{
    if (tags->count < 2)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: %zu of its tags have a vector; a comparison needs 2",
                        f0t_dataset_path(tags->dataset), tags->count);
    if (f0t_eval_tags_are_given(tags->dataset, unseen))
        return split_by_lists(tags);
    if (unseen)
        return split_by_seed(tags, unseen, seed);
    return split_by_seed(tags, tags->count < 4 ? NULL : tags->count < 8 ? "2" : "20%", seed);
}

size_t f0t_eval_tags_mask(bool *mask, const f0t_eval_tags *tags, unsigned kinds)
{
    size_t count = 0;
    for (size_t i = 0; i < tags->count; i++) {
        mask[i] = (tags->kind[i] & kinds) != 0;
        count += mask[i];
    }
    return count;
}

/* Of eight tags and more two at least in each: the ranking of one says nothing. */
static size_t count_fifths(size_t seen)
{
    const size_t most = seen < 8 ? seen : seen / 2;
    return most < FIFTHS ? most : FIFTHS;
}

f0t_status f0t_eval_tags_hold_out(size_t *taken, bool *mask, bool *held, const f0t_eval_tags *tags,
                                  uint64_t seed, size_t fold)
{
    uint32_t *order;
    size_t seen = 0;
    F0T_TRY(f0t_alloc(&order, tags->count, sizeof *order));
    for (size_t i = 0; i < tags->count; i++) {
        held[i] = false;
        if (tags->kind[i] == F0T_TAG_SEEN)
            order[seen++] = (uint32_t)i;
    }
    draw(order, seen, seed, UINT64_C(0x68656C64)); /* "held" */
    const size_t fifths = count_fifths(seen);
    const size_t first = fold < fifths ? fold * seen / fifths : 0;
    const size_t end = fold < fifths ? (fold + 1) * seen / fifths : 0;
    *taken = end - first;
    for (size_t i = first; i < end; i++) {
        held[order[i]] = true;
        mask[order[i]] = false;
    }
    f0t_free(order);
    return F0T_OK;
}
