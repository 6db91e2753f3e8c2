/* Unseen tags, ranked by the rules of the seen ones. */
#include "base/alloc.h"
#include "eval/study.h"
#include "rank/miap.h"

#include <string.h>

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

/* Pairs from … from + count - 1; scores begin with those of rule `first`. */
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
