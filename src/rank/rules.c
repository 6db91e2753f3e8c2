#include "rank/rules.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <string.h>

/* A list of lists: list i is items in [offsets[i], offsets[i + 1]). */
typedef struct lists {
    size_t count;
    size_t *offsets;
    uint32_t *items;
} lists;

static void lists_free(lists *l)
{
    f0t_free(l->offsets);
    f0t_free(l->items);
}

static f0t_status lists_create(lists *l, size_t count, size_t items)
{
    l->count = count;
    F0T_TRY(f0t_alloc_zero(&l->offsets, count + 1, sizeof *l->offsets));
    return f0t_alloc(&l->items, items, sizeof *l->items);
}

static uint32_t number_of(const uint32_t *number, uint32_t tag)
{
    return number ? number[tag] : tag;
}

static f0t_status check(const f0t_tag_sets *sets, const uint32_t *number, size_t subset)
{
    if (sets->images >= F0T_NO_RULE || sets->tags >= F0T_NO_TAG || subset >= F0T_NO_TAG)
        return f0t_fail(F0T_ERROR_ARGUMENT, "more than 2^32 - 2 images or tags");
    if (!number && subset != sets->tags)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a subset of %zu of %zu tags needs their numbers",
                        subset, sets->tags);
    for (size_t t = 0; number && t < sets->tags; t++)
        if (number[t] >= subset && number[t] != F0T_NO_TAG)
            return f0t_fail(F0T_ERROR_ARGUMENT, "tag %zu has the number %u in a subset of %zu", t,
                            number[t], subset);
    for (size_t m = 0; m < sets->images; m++)
        if (sets->offsets[m] > sets->offsets[m + 1])
            return f0t_fail(F0T_ERROR_ARGUMENT, "the tags of image %zu end before they begin", m);
    for (size_t m = 0; m < sets->images; m++)
        for (size_t i = sets->offsets[m]; i < sets->offsets[m + 1]; i++)
            if (sets->indices[i] >= sets->tags)
                return f0t_fail(F0T_ERROR_ARGUMENT, "image %zu has tag %u, of %zu tags", m,
                                sets->indices[i], sets->tags);
    return F0T_OK;
}

/* The images of each tag of the subset, ascending: a tag that an image repeats stands once. */
static f0t_status images_by_tag(lists *out, const f0t_tag_sets *sets, const uint32_t *number,
                                size_t subset)
{
    const size_t from = sets->images ? sets->offsets[0] : 0;
    const size_t total = sets->images ? sets->offsets[sets->images] - from : 0;
    F0T_TRY(lists_create(out, subset, total));
    for (size_t i = from; i < from + total; i++) {
        uint32_t tag = number_of(number, sets->indices[i]);
        if (tag != F0T_NO_TAG)
            out->offsets[tag + 1]++;
    }
    for (size_t t = 0; t < subset; t++)
        out->offsets[t + 1] += out->offsets[t];
    size_t *ends = NULL;
    F0T_TRY(f0t_alloc(&ends, subset, sizeof *ends));
    memcpy(ends, out->offsets, subset * sizeof *ends);
    for (size_t m = 0; m < sets->images; m++)
        for (size_t i = sets->offsets[m]; i < sets->offsets[m + 1]; i++) {
            uint32_t tag = number_of(number, sets->indices[i]);
            if (tag != F0T_NO_TAG &&
                (ends[tag] == out->offsets[tag] || out->items[ends[tag] - 1] != m))
                out->items[ends[tag]++] = (uint32_t)m;
        }
    for (size_t t = 0, to = 0; t < subset; t++) {
        size_t length = ends[t] - out->offsets[t];
        memmove(out->items + to, out->items + out->offsets[t], length * sizeof *out->items);
        out->offsets[t] = to;
        ends[t] = to += length;
    }
    if (subset)
        out->offsets[subset] = ends[subset - 1];
    f0t_free(ends);
    return F0T_OK;
}

/* Turning the lists around again gives the tags of each image, ascending: sorted in linear time. */
static f0t_status tags_by_image(lists *out, const lists *by_tag, size_t images)
{
    const size_t total = by_tag->offsets[by_tag->count];
    F0T_TRY(lists_create(out, images, total));
    for (size_t i = 0; i < total; i++)
        out->offsets[by_tag->items[i] + 1]++;
    for (size_t m = 0; m < images; m++)
        out->offsets[m + 1] += out->offsets[m];
    for (size_t t = 0; t < by_tag->count; t++)
        for (size_t i = by_tag->offsets[t]; i < by_tag->offsets[t + 1]; i++)
            out->items[out->offsets[by_tag->items[i]]++] = (uint32_t)t;
    memmove(out->offsets + 1, out->offsets, images * sizeof *out->offsets);
    out->offsets[0] = 0;
    return F0T_OK;
}

/* ---- Finding equal lists ------------------------------------------------------------------- */

/* Open addressing; a slot holds a rule and the hash of its list. */
typedef struct table {
    size_t mask;
    uint32_t *rule;
    uint64_t *hash;
} table;

static f0t_status table_create(table *t, size_t count)
{
    size_t size = 16;
    while (size < 2 * count)
        size *= 2;
    t->mask = size - 1;
    F0T_TRY(f0t_alloc(&t->rule, size, sizeof *t->rule));
    memset(t->rule, 0xFF, size * sizeof *t->rule);
    return f0t_alloc(&t->hash, size, sizeof *t->hash);
}

static void table_free(table *t)
{
    f0t_free(t->rule);
    f0t_free(t->hash);
}

/* The rule that has this list; a new one, with the list after the others, when there is none. */
static uint32_t find_or_add(f0t_rules *rules, table *t, const uint32_t *items, size_t count,
                            uint64_t key)
{
    size_t i = (size_t)key & t->mask;
    for (; t->rule[i] != F0T_NO_RULE; i = (i + 1) & t->mask) {
        uint32_t r = t->rule[i];
        if (t->hash[i] == key && rules->offsets[r + 1] - rules->offsets[r] == count &&
            !memcmp(rules->relevant + rules->offsets[r], items, count * sizeof *items))
            return r;
    }
    uint32_t r = (uint32_t)rules->count++;
    t->rule[i] = r;
    t->hash[i] = key;
    memcpy(rules->relevant + rules->offsets[r], items, count * sizeof *items);
    rules->offsets[r + 1] = rules->offsets[r] + count;
    return r;
}

static f0t_status find_rules(f0t_rules *rules, const lists *tags)
{
    table t = {0};
    const uint64_t key = f0t_siphash_draw_key(); /* no file can be made whose rules collide */
    f0t_status status = table_create(&t, tags->count);
    for (size_t m = 0; status == F0T_OK && m < tags->count; m++) {
        const uint32_t *items = tags->items + tags->offsets[m];
        size_t count = tags->offsets[m + 1] - tags->offsets[m];
        rules->of_image[m] = count ? find_or_add(rules, &t, items, count,
                                                 f0t_siphash(items, count * sizeof *items, key, 0))
                                   : F0T_NO_RULE;
    }
    table_free(&t);
    return status;
}

static void collect_images(f0t_rules *rules)
{
    for (size_t m = 0; m < rules->image_count; m++)
        if (rules->of_image[m] != F0T_NO_RULE)
            rules->firsts[rules->of_image[m] + 1]++;
    for (size_t r = 0; r < rules->count; r++)
        rules->firsts[r + 1] += rules->firsts[r];
    for (size_t m = 0; m < rules->image_count; m++)
        if (rules->of_image[m] != F0T_NO_RULE)
            rules->images[rules->firsts[rules->of_image[m]]++] = (uint32_t)m;
    memmove(rules->firsts + 1, rules->firsts, rules->count * sizeof *rules->firsts);
    rules->firsts[0] = 0;
}

static f0t_status fill(f0t_rules *rules, const lists *tags)
{
    const size_t images = tags->count, total = tags->offsets[images];
    rules->image_count = images;
    F0T_TRY(f0t_alloc_zero(&rules->offsets, images + 1, sizeof *rules->offsets));
    F0T_TRY(f0t_alloc(&rules->relevant, total, sizeof *rules->relevant));
    F0T_TRY(f0t_alloc_zero(&rules->firsts, images + 1, sizeof *rules->firsts));
    F0T_TRY(f0t_alloc(&rules->images, images, sizeof *rules->images));
    F0T_TRY(f0t_alloc(&rules->of_image, images, sizeof *rules->of_image));
    F0T_TRY(find_rules(rules, tags));
    collect_images(rules);
    return F0T_OK;
}

f0t_status f0t_rules_create(f0t_rules **out, const f0t_tag_sets *sets, const uint32_t *number,
                            size_t subset)
{
    lists by_tag = {0}, by_image = {0};
    f0t_rules *rules = NULL;
    *out = NULL;
    F0T_TRY(check(sets, number, subset));
    f0t_status status = f0t_alloc_zero(&rules, 1, sizeof *rules);
    if (status == F0T_OK)
        status = images_by_tag(&by_tag, sets, number, subset);
    if (status == F0T_OK)
        status = tags_by_image(&by_image, &by_tag, sets->images);
    if (status == F0T_OK) {
        rules->tags = subset;
        status = fill(rules, &by_image);
    }
    lists_free(&by_tag);
    lists_free(&by_image);
    if (status == F0T_OK)
        *out = rules;
    else
        f0t_rules_free(rules);
    return status;
}

void f0t_rules_free(f0t_rules *rules)
{
    if (!rules)
        return;
    f0t_free(rules->offsets);
    f0t_free(rules->relevant);
    f0t_free(rules->firsts);
    f0t_free(rules->images);
    f0t_free(rules->of_image);
    f0t_free(rules);
}
