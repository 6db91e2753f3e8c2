/* Unseen tags, ranked by the rules of the seen ones. */
#include "base/alloc.h"
#include "eval/study.h"
#include "rank/miap.h"

#include <string.h>

/* The most pairs that a block of rules has, and relevant unseen tags in them. */
static void find_room(const f0t_study_rules *rules, size_t block, size_t *pairs, size_t *relevant)
{
    const size_t all = rules->seen->count;
    *pairs = *relevant = 0;
    for (size_t first = 0; first < all; first += block) {
        const size_t end = block < all - first ? first + block : all;
        const size_t from = rules->firsts[first], to = rules->firsts[end];
        size_t sum = 0;
        for (size_t i = from; i < to; i++)
            sum += f0t_rule_size(rules->unseen, rules->pairs[i].unseen);
        *pairs = to - from > *pairs ? to - from : *pairs;
        *relevant = sum > *relevant ? sum : *relevant;
    }
}

f0t_status f0t_pair_ranking_create(f0t_pair_ranking *out, const f0t_study_rules *rules,
                                   size_t block)
{
    size_t pairs, relevant;
    *out = (f0t_pair_ranking){.rules = rules};
    find_room(rules, block, &pairs, &relevant);
    const size_t tags = rules->unseen ? rules->unseen->tags : 0;
    f0t_status status = f0t_alloc(&out->rows, pairs * tags, sizeof *out->rows);
    if (status == F0T_OK)
        status = f0t_alloc(&out->offsets, pairs + 1, sizeof *out->offsets);
    if (status == F0T_OK)
        status = f0t_alloc(&out->relevant, relevant, sizeof *out->relevant);
    if (status == F0T_OK)
        status = f0t_alloc(&out->precisions, pairs, sizeof *out->precisions);
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

f0t_status f0t_pair_ranking_run(f0t_pair_ranking *ranking, const float *scores, size_t first,
                                size_t count)
{
    const f0t_study_rules *rules = ranking->rules;
    const f0t_rules *unseen = rules->unseen;
    const size_t from = rules->firsts[first], pairs = rules->firsts[first + count] - from;
    size_t used = 0;
    for (size_t i = 0; i < pairs; i++) {
        const f0t_study_pair *pair = &rules->pairs[from + i];
        const size_t size = f0t_rule_size(unseen, pair->unseen);
        memcpy(ranking->rows + i * unseen->tags, scores + (pair->seen - first) * unseen->tags,
               unseen->tags * sizeof *scores);
        ranking->offsets[i] = used;
        memcpy(ranking->relevant + used, unseen->relevant + unseen->offsets[pair->unseen],
               size * sizeof *ranking->relevant);
        used += size;
    }
    ranking->offsets[pairs] = used;
    const f0t_ranking all = {.images = pairs,
                             .tags = unseen->tags,
                             .scores = ranking->rows,
                             .offsets = ranking->offsets,
                             .relevant = ranking->relevant};
    return f0t_miap_each(ranking->precisions, &all);
}
