#include "model/samples.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/interner.h"
#include "base/random.h"
#include "io/dataset.h"
#include "word/normal.h"
#include "word/vocab.h"

#include <stdlib.h>
#include <string.h>

/* ---- Tags ------------------------------------------------------------------------------------ */

static f0t_status check_given(const f0t_train_options *options, size_t all)
{
    for (size_t i = 0; i < options->tag_count; i++)
        if (options->tags[i] >= all)
            return f0t_fail(F0T_ERROR_ARGUMENT, "tag %u to train with: the dataset has %zu",
                            (unsigned)options->tags[i], all);
    return F0T_OK;
}

f0t_status f0t_tags_choose(uint32_t **tags, size_t *count, const f0t_dataset *dataset,
                           const f0t_train_options *options)
{
    const uint32_t *chosen = options->tags;
    *tags = NULL;
    *count = options->tag_count;
    if (chosen)
        F0T_TRY(check_given(options, f0t_dataset_tag_count(dataset)));
    else if (!options->all_tags)
        chosen = f0t_dataset_seen(count, dataset);
    if (!chosen)
        *count = f0t_dataset_tag_count(dataset);
    F0T_TRY(f0t_alloc(tags, *count, sizeof **tags));
    for (size_t i = 0; i < *count; i++)
        (*tags)[i] = chosen ? chosen[i] : (uint32_t)i;
    return F0T_OK;
}

static f0t_status number_tags(uint32_t **number, const f0t_vocab *vocab, const f0t_dataset *dataset,
                              const uint32_t *tags, size_t count)
{
    size_t all = f0t_dataset_tag_count(dataset);
    F0T_TRY(f0t_alloc(number, all, sizeof **number));
    for (size_t i = 0; i < all; i++)
        (*number)[i] = F0T_NO_SAMPLE_TAG;
    for (size_t i = 0; i < count; i++) {
        size_t index = f0t_vocab_get_entry(vocab, i)->index;
        if (index != F0T_NONE)
            (*number)[tags[i]] = (uint32_t)index;
    }
    return F0T_OK;
}

f0t_status f0t_tags_find(f0t_vocab **vocab, uint32_t **number, const f0t_dataset *dataset,
                         const uint32_t *tags, size_t count, const f0t_vectors *vectors,
                         const f0t_train_options *options, const f0t_monitor *monitor)
{
    const char **names;
    f0t_vocab_options vocab_options = {.size = sizeof(f0t_vocab_options),
                                       .centred = options->centred};
    *vocab = NULL;
    *number = NULL;
    F0T_TRY(f0t_alloc(&names, count, sizeof *names));
    for (size_t i = 0; i < count; i++)
        names[i] = f0t_dataset_tag(dataset, tags[i]);
    f0t_status status =
        f0t_vocab_create(vocab, names, count, vectors, &vocab_options, F0T_WATCHED(monitor));
    f0t_free(names);
    F0T_TRY(status);
    return number_tags(number, *vocab, dataset, tags, count);
}

/* Tags that are one by their key (word/normal.h), numbered as they come. */
typedef struct complete_vocab {
    f0t_names keys;
    const char **tags; /* [count] the first spelling of each */
    float *vectors;    /* [count x dim] */
    uint32_t *index;   /* [count] of each tag given */
} complete_vocab;

static f0t_status add_tag(complete_vocab *c, const f0t_vocab *found, size_t i)
{
    const f0t_vocab_entry *entry = f0t_vocab_get_entry(found, i);
    const size_t dim = f0t_vocab_dim(found);
    f0t_word_text key;
    bool added = false;
    F0T_TRY(f0t_normal_key(&key, entry->tag, strlen(entry->tag)));
    f0t_status status = f0t_names_add(&c->index[i], &added, &c->keys, key.data, key.length);
    f0t_free(key.data);
    if (!added)
        return status;
    float *vector = c->vectors + c->index[i] * dim;
    c->tags[c->index[i]] = entry->tag;
    if (entry->index != F0T_NONE)
        memcpy(vector, f0t_vocab_vectors(found) + entry->index * dim, dim * sizeof *vector);
    return status;
}

static f0t_status complete(f0t_vocab **out, complete_vocab *c, const f0t_vocab *found, size_t count)
{
    F0T_TRY(f0t_alloc(&c->tags, count, sizeof *c->tags));
    F0T_TRY(f0t_alloc(&c->index, count, sizeof *c->index));
    F0T_TRY(f0t_alloc_zero(&c->vectors, count * f0t_vocab_dim(found), sizeof *c->vectors));
    for (size_t i = 0; i < count; i++)
        F0T_TRY(add_tag(c, found, i));
    return f0t_vocab_restore(out, &(f0t_vocab_parts){.tags = c->tags,
                                                     .count = f0t_names_count(&c->keys),
                                                     .vectors = c->vectors,
                                                     .dim = f0t_vocab_dim(found),
                                                     .centred = f0t_vocab_centred(found),
                                                     .fingerprint = f0t_vocab_fingerprint(found)});
}

f0t_status f0t_tags_find_all(f0t_vocab **vocab, uint32_t **number, const f0t_dataset *dataset,
                             const uint32_t *tags, size_t count, const f0t_vectors *vectors,
                             const f0t_train_options *options, const f0t_monitor *monitor)
{
    f0t_vocab *found = NULL;
    complete_vocab c = {0};
    *vocab = NULL;
    f0t_status status =
        f0t_tags_find(&found, number, dataset, tags, count, vectors, options, monitor);
    if (status == F0T_OK)
        status = complete(vocab, &c, found, count);
    for (size_t i = 0; i < count && status == F0T_OK; i++)
        (*number)[tags[i]] = c.index[i];
    f0t_names_free(&c.keys);
    f0t_free(c.tags);
    f0t_free(c.vectors);
    f0t_free(c.index);
    f0t_vocab_free(found);
    return status;
}

/* ---- Images ---------------------------------------------------------------------------------- */

static int compare_tags(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Two tags of the dataset may be one in the vocabulary: "Dog" and "dog". */
static size_t drop_repeats(uint32_t *tags, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || tags[i] != tags[kept - 1])
            tags[kept++] = tags[i];
    return kept;
}

/* The training tags of image m from relevant[at] on, ascending; returns how many. */
static size_t collect(uint32_t *to, const f0t_dataset *dataset, size_t m, const uint32_t *number)
{
    size_t count, kept = 0;
    const uint32_t *tags = f0t_dataset_image_tags(&count, dataset, m);
    for (size_t i = 0; i < count; i++)
        if (number[tags[i]] != F0T_NO_SAMPLE_TAG)
            to[kept++] = number[tags[i]];
    qsort(to, kept, sizeof *to, compare_tags);
    return drop_repeats(to, kept);
}

static f0t_status allocate_samples(f0t_samples *s, size_t images, size_t all_tags)
{
    F0T_TRY(f0t_alloc(&s->images, images, sizeof *s->images));
    F0T_TRY(f0t_alloc(&s->offsets, images + 1, sizeof *s->offsets));
    return f0t_alloc(&s->relevant, all_tags, sizeof *s->relevant);
}

f0t_status f0t_samples_create(f0t_samples *s, const f0t_dataset *dataset, f0t_split split,
                              const uint32_t *number, size_t tags, bool all)
{
    const uint8_t *parts = f0t_dataset_split(dataset);
    size_t images = f0t_dataset_image_count(dataset);
    *s = (f0t_samples){.tags = tags};
    f0t_status status = allocate_samples(s, f0t_dataset_split_count(dataset, split),
                                         f0t_dataset_offsets(dataset)[images]);
    if (status != F0T_OK) {
        f0t_samples_free(s);
        return status;
    }
    s->offsets[0] = 0;
    for (size_t m = 0; m < images; m++) {
        if (parts[m] != (uint8_t)split)
            continue;
        size_t at = s->offsets[s->count];
        size_t kept = collect(s->relevant + at, dataset, m, number);
        if (!all && (kept == 0 || kept == tags))
            continue;
        s->images[s->count++] = (uint32_t)m;
        s->offsets[s->count] = at + kept;
    }
    return F0T_OK;
}

size_t f0t_samples_drop_untagged(f0t_samples *s, const f0t_dataset *dataset)
{
    const size_t *offsets = f0t_dataset_offsets(dataset), before = s->count;
    s->count = 0;
    for (size_t i = 0; i < before; i++) {
        const uint32_t m = s->images[i];
        if (offsets[m + 1] == offsets[m] && !f0t_dataset_is_reviewed(dataset, m))
            continue;
        s->images[s->count++] = m;
        s->offsets[s->count] = s->offsets[i + 1]; /* what is dropped has no tags between */
    }
    return before - s->count;
}

/* Appends sample i of `from`; there is room for it. */
static void append(f0t_samples *s, const f0t_samples *from, size_t i)
{
    const size_t at = s->offsets[s->count], count = from->offsets[i + 1] - from->offsets[i];
    memcpy(s->relevant + at, from->relevant + from->offsets[i], count * sizeof *s->relevant);
    s->images[s->count++] = from->images[i];
    s->offsets[s->count] = at + count;
}

/* Empty, with room for all samples of `a` and, unless it is NULL, of `b`. */
static f0t_status open_samples(f0t_samples *s, const f0t_samples *a, const f0t_samples *b)
{
    *s = (f0t_samples){.tags = a->tags};
    f0t_status status = allocate_samples(s, a->count + (b ? b->count : 0),
                                         a->offsets[a->count] + (b ? b->offsets[b->count] : 0));
    if (status != F0T_OK)
        f0t_samples_free(s);
    else
        s->offsets[0] = 0;
    return status;
}

f0t_status f0t_samples_join(f0t_samples *s, const f0t_samples *a, const f0t_samples *b)
{
    F0T_TRY(open_samples(s, a, b));
    for (size_t i = 0; i < a->count; i++)
        append(s, a, i);
    for (size_t i = 0; i < b->count; i++)
        append(s, b, i);
    return F0T_OK;
}

f0t_status f0t_samples_fold(f0t_samples *s, const f0t_samples *from, size_t fold, size_t folds,
                            bool inside)
{
    F0T_TRY(open_samples(s, from, NULL));
    for (size_t i = 0; i < from->count; i++)
        if ((i % folds == fold) == inside)
            append(s, from, i);
    return F0T_OK;
}

f0t_status f0t_samples_thin(f0t_samples *s, const f0t_samples *from, size_t most)
{
    const size_t count = from->count < most ? from->count : most;
    F0T_TRY(open_samples(s, from, NULL));
    for (size_t i = 0; i < count; i++)
        append(s, from, (size_t)((double)i * (double)from->count / (double)count));
    return F0T_OK;
}

f0t_status f0t_samples_retag(f0t_samples *s, const f0t_samples *from, const uint32_t *place,
                             size_t tags)
{
    F0T_TRY(open_samples(s, from, NULL));
    s->tags = tags;
    for (size_t i = 0; i < from->count; i++) {
        size_t at = s->offsets[s->count];
        for (size_t j = from->offsets[i]; j < from->offsets[i + 1]; j++)
            if (place[from->relevant[j]] != F0T_NO_SAMPLE_TAG)
                s->relevant[at++] = place[from->relevant[j]];
        s->images[s->count++] = from->images[i];
        s->offsets[s->count] = at;
    }
    return F0T_OK;
}

f0t_status f0t_samples_pick_reviewed(f0t_samples *s, const f0t_samples *from,
                                     const f0t_dataset *dataset)
{
    F0T_TRY(open_samples(s, from, NULL));
    for (size_t i = 0; i < from->count; i++)
        if (f0t_dataset_is_reviewed(dataset, from->images[i]))
            append(s, from, i);
    return F0T_OK;
}

f0t_status f0t_samples_pick(f0t_samples *s, const f0t_samples *from, bool all)
{
    F0T_TRY(open_samples(s, from, NULL));
    for (size_t i = 0; i < from->count; i++) {
        const size_t kept = from->offsets[i + 1] - from->offsets[i];
        if (all || (kept != 0 && kept != from->tags))
            append(s, from, i);
    }
    return F0T_OK;
}

void f0t_samples_free(f0t_samples *s)
{
    f0t_free(s->images);
    f0t_free(s->offsets);
    f0t_free(s->relevant);
    *s = (f0t_samples){0};
}

void f0t_samples_shuffle(uint32_t *order, size_t count, uint64_t seed, uint64_t epoch)
{
    f0t_random random = {seed, UINT64_C(0x73687566) << 32 | epoch}; /* "shuf" */
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    f0t_random_shuffle(order, count, &random);
}
