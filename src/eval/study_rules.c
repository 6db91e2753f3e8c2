/* The rules of the seen tags, and which unseen tags go with them. */
#include "base/alloc.h"
#include "base/random.h"
#include "eval/study.h"
#include "rank/miap.h"

#include <stdlib.h>
#include <string.h>

/* ---- Images of one part ------------------------------------------------------------------------ */

static f0t_status find_part(f0t_split *split, const char *part)
{
    static const char *const names[] = {"train", "val", "test"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(part, names[i])) {
            *split = (f0t_split)i;
            return F0T_OK;
        }
    return f0t_fail(F0T_ERROR_ARGUMENT, "part '%s': it is train, val or test", part);
}

/* Tag sets of all images; those of other parts are empty. Owns its arrays. */
typedef struct chosen {
    size_t *offsets;
    uint32_t *indices;
} chosen;

static f0t_status choose(chosen *c, f0t_tag_sets *sets, const f0t_dataset *dataset,
                         const char *part)
{
    const size_t images = f0t_dataset_image_count(dataset);
    const size_t *from = f0t_dataset_offsets(dataset);
    const uint8_t *splits = f0t_dataset_split(dataset);
    f0t_split split = F0T_TRAIN;
    if (part)
        F0T_TRY(find_part(&split, part));
    F0T_TRY(f0t_alloc(&c->offsets, images + 1, sizeof *c->offsets));
    F0T_TRY(f0t_alloc(&c->indices, from[images], sizeof *c->indices));
    size_t at = 0;
    for (size_t m = 0; m < images; m++) {
        c->offsets[m] = at;
        for (size_t i = from[m]; i < from[m + 1] && (!part || splits[m] == split); i++)
            c->indices[at++] = f0t_dataset_indices(dataset)[i];
    }
    c->offsets[images] = at;
    *sets = (f0t_tag_sets){c->offsets, c->indices, images, f0t_dataset_tag_count(dataset)};
    return F0T_OK;
}

/* The rules over seen tags (from 0), or over unseen ones (from tags->seen). */
static f0t_status make_rules(f0t_rules **out, const f0t_tag_sets *sets, const f0t_study_tags *tags,
                             bool unseen)
{
    uint32_t *number;
    F0T_TRY(f0t_alloc(&number, sets->tags, sizeof *number));
    for (size_t t = 0; t < sets->tags; t++) {
        const uint32_t place = tags->number[t];
        const bool inside = place != F0T_NO_TAG && (place >= tags->seen) == unseen;
        number[t] = inside ? place - (unseen ? (uint32_t)tags->seen : 0) : F0T_NO_TAG;
    }
    f0t_status status = f0t_rules_create(out, sets, number, unseen ? tags->unseen : tags->seen);
    f0t_free(number);
    return status;
}

/* ---- Pairs --------------------------------------------------------------------------------------- */

static int compare_pairs(const void *a, const void *b)
{
    const f0t_study_pair *x = a, *y = b;
    if (x->seen != y->seen)
        return x->seen < y->seen ? -1 : 1;
    return (x->unseen > y->unseen) - (x->unseen < y->unseen);
}

static void join_pairs(f0t_study_rules *r)
{
    size_t kept = 0;
    qsort(r->pairs, r->pair_count, sizeof *r->pairs, compare_pairs);
    for (size_t i = 0; i < r->pair_count; i++)
        if (kept && !compare_pairs(&r->pairs[kept - 1], &r->pairs[i]))
            r->pairs[kept - 1].images++;
        else
            r->pairs[kept++] = r->pairs[i];
    r->pair_count = kept;
}

static f0t_status find_pairs(f0t_study_rules *r)
{
    const size_t images = r->seen->image_count;
    F0T_TRY(f0t_alloc(&r->pairs, images, sizeof *r->pairs));
    F0T_TRY(f0t_alloc_zero(&r->firsts, r->seen->count + 1, sizeof *r->firsts));
    for (size_t m = 0; r->unseen && m < images; m++) {
        const uint32_t seen = r->seen->of_image[m], unseen = r->unseen->of_image[m];
        if (seen != F0T_NO_RULE && unseen != F0T_NO_RULE)
            r->pairs[r->pair_count++] = (f0t_study_pair){seen, unseen, 1};
    }
    r->tested = r->pair_count;
    join_pairs(r);
    for (size_t i = 0; i < r->pair_count; i++)
        r->firsts[r->pairs[i].seen + 1]++;
    for (size_t i = 0; i < r->seen->count; i++)
        r->firsts[i + 1] += r->firsts[i];
    return F0T_OK;
}

f0t_status f0t_study_rules_create(f0t_study_rules *out, const f0t_dataset *dataset,
                                  const f0t_study_tags *tags, const char *part)
{
    chosen c = {0};
    f0t_tag_sets sets;
    *out = (f0t_study_rules){0};
    f0t_status status = choose(&c, &sets, dataset, part);
    if (status == F0T_OK)
        status = make_rules(&out->seen, &sets, tags, false);
    if (status == F0T_OK && tags->unseen)
        status = make_rules(&out->unseen, &sets, tags, true);
    if (status == F0T_OK)
        status = find_pairs(out);
    f0t_free(c.offsets);
    f0t_free(c.indices);
    if (status == F0T_OK && !out->seen->count)
        status = f0t_fail(F0T_ERROR_FORMAT, "%s: no image%s%s has a seen tag with a vector",
                          f0t_dataset_path(dataset), part ? " of part " : "", part ? part : "");
    if (status != F0T_OK)
        f0t_study_rules_free(out);
    else
        out->images = out->seen->firsts[out->seen->count];
    return status;
}

void f0t_study_rules_free(f0t_study_rules *rules)
{
    f0t_rules_free(rules->seen);
    f0t_rules_free(rules->unseen);
    f0t_free(rules->pairs);
    f0t_free(rules->firsts);
    *rules = (f0t_study_rules){0};
}

/* ---- Some of them -------------------------------------------------------------------------------- */

f0t_rules f0t_rules_slice(const f0t_rules *rules, size_t first, size_t count)
{
    return (f0t_rules){.tags = rules->tags,
                       .count = count,
                       .offsets = rules->offsets + first,
                       .relevant = rules->relevant};
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

f0t_status f0t_study_sample(uint32_t **out, size_t *count, const f0t_study_rules *rules,
                            f0t_rule_test wanted, size_t most, uint64_t seed)
{
    const f0t_random random = {seed, UINT64_C(0x73616D706C65)}; /* "sample" */
    size_t found = 0;
    F0T_TRY(f0t_alloc(out, rules->seen->count, sizeof **out));
    for (size_t r = 0; r < rules->seen->count; r++)
        if (wanted(rules, r))
            (*out)[found++] = (uint32_t)r;
    if (found > most) {
        f0t_random_shuffle(*out, found, &random);
        found = most;
        qsort(*out, found, sizeof **out, compare_numbers);
    }
    *count = found;
    return F0T_OK;
}

f0t_status f0t_rules_pick(f0t_rules **out, const f0t_rules *rules, const uint32_t *picked,
                          size_t count)
{
    size_t *offsets = NULL, total = 0;
    uint32_t *relevant = NULL;
    *out = NULL;
    for (size_t i = 0; i < count; i++)
        total += f0t_rule_size(rules, picked[i]);
    f0t_status status = f0t_alloc(&offsets, count + 1, sizeof *offsets);
    if (status == F0T_OK)
        status = f0t_alloc(&relevant, total, sizeof *relevant);
    if (status == F0T_OK)
        status = f0t_alloc_zero(out, 1, sizeof **out);
    if (status != F0T_OK) {
        f0t_free(offsets);
        f0t_free(relevant);
        return status;
    }
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t size = f0t_rule_size(rules, picked[i]);
        offsets[i] = at;
        memcpy(relevant + at, rules->relevant + rules->offsets[picked[i]], size * sizeof *relevant);
        at += size;
    }
    offsets[count] = at;
    **out =
        (f0t_rules){.tags = rules->tags, .count = count, .offsets = offsets, .relevant = relevant};
    return F0T_OK;
}

/* ---- Unseen tags, ranked by the rules of the seen ones ------------------------------------- */

/* Numbers in the rows of a chunk. */
enum { NUMBERS_MOST = 1 << 24 };

/* The most pairs that a block of rules has. */
static size_t most_pairs(const f0t_study_rules *rules, size_t block)
{
    const size_t all = rules->seen->count;
    size_t most = 0;
    for (size_t first = 0; first < all; first += block) {
        const size_t end = block < all - first ? first + block : all;
        const size_t pairs = rules->firsts[end] - rules->firsts[first];
        most = pairs > most ? pairs : most;
    }
    return most;
}

static size_t most_relevant(const f0t_study_rules *rules)
{
    size_t most = 0;
    for (size_t r = 0; rules->unseen && r < rules->unseen->count; r++)
        most = f0t_rule_size(rules->unseen, r) > most ? f0t_rule_size(rules->unseen, r) : most;
    return most;
}

f0t_status f0t_pair_ranking_create(f0t_pair_ranking *out, const f0t_study_rules *rules,
                                   size_t block)
{
    const size_t pairs = most_pairs(rules, block), relevant = most_relevant(rules);
    const size_t tags = rules->unseen ? rules->unseen->tags : 0;
    const size_t room = tags ? NUMBERS_MOST / tags + 1 : 0;
    *out = (f0t_pair_ranking){.rules = rules, .chunk = pairs < room ? pairs : room};
    f0t_status status = f0t_alloc(&out->precisions, pairs, sizeof *out->precisions);
    if (status == F0T_OK)
        status = f0t_alloc(&out->rows, out->chunk * tags, sizeof *out->rows);
    if (status == F0T_OK)
        status = f0t_alloc(&out->offsets, out->chunk + 1, sizeof *out->offsets);
    if (status == F0T_OK)
        status = f0t_alloc(&out->relevant, out->chunk * relevant, sizeof *out->relevant);
    if (status != F0T_OK)
        f0t_pair_ranking_free(out);
    return status;
}

void f0t_pair_ranking_free(f0t_pair_ranking *ranking)
{
    f0t_free(ranking->rows);
    f0t_free(ranking->offsets);
    f0t_free(ranking->relevant);
    f0t_free(ranking->precisions);
    *ranking = (f0t_pair_ranking){0};
}

/* Pairs [from, from + count); scores begin with those of rule `first`. */
static f0t_status rank_chunk(f0t_pair_ranking *ranking, double *precisions, const float *scores,
                             size_t first, size_t from, size_t count)
{
    const f0t_rules *unseen = ranking->rules->unseen;
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const f0t_study_pair *pair = &ranking->rules->pairs[from + i];
        const size_t size = f0t_rule_size(unseen, pair->unseen);
        memcpy(ranking->rows + i * unseen->tags, scores + (pair->seen - first) * unseen->tags,
               unseen->tags * sizeof *scores);
        ranking->offsets[i] = used;
        memcpy(ranking->relevant + used, unseen->relevant + unseen->offsets[pair->unseen],
               size * sizeof *ranking->relevant);
        used += size;
    }
    ranking->offsets[count] = used;
    const f0t_ranking all = {.images = count,
                             .tags = unseen->tags,
                             .scores = ranking->rows,
                             .offsets = ranking->offsets,
                             .relevant = ranking->relevant};
    return f0t_miap_each(precisions, &all);
}

f0t_status f0t_pair_ranking_run(f0t_pair_ranking *ranking, const float *scores, size_t first,
                                size_t count)
{
    const size_t from = ranking->rules->firsts[first];
    const size_t pairs = ranking->rules->firsts[first + count] - from;
    for (size_t done = 0, some; done < pairs; done += some) {
        some = pairs - done < ranking->chunk ? pairs - done : ranking->chunk;
        F0T_TRY(rank_chunk(ranking, ranking->precisions + done, scores, first, from + done, some));
    }
    return F0T_OK;
}
