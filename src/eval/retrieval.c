#include "eval/retrieval.h"

#include "base/alloc.h"
#include "base/team.h"
#include "rank/ties.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 24 };

f0t_status f0t_retrieval_create(f0t_retrieval *p, size_t images, size_t tags, size_t limit)
{
    *p = (f0t_retrieval){.tags = tags};
    return f0t_spill_create(&p->scores, images, tags, limit);
}

void f0t_retrieval_free(f0t_retrieval *p)
{
    f0t_spill_free(&p->scores);
    f0t_free(p->relevant_tags);
    f0t_free(p->relevant_images);
    *p = (f0t_retrieval){.scores.file = -1};
}

f0t_status f0t_retrieval_add(f0t_retrieval *p, const f0t_ranking *block)
{
    size_t more = block->offsets[block->images] - block->offsets[0];
    F0T_TRY(f0t_grow(&p->relevant_tags, &p->tag_capacity, p->pairs, more, sizeof(uint32_t)));
    F0T_TRY(f0t_grow(&p->relevant_images, &p->image_capacity, p->pairs, more, sizeof(uint32_t)));
    for (size_t m = 0; m < block->images; m++)
        for (size_t i = block->offsets[m]; i < block->offsets[m + 1]; i++) {
            p->relevant_tags[p->pairs] = block->relevant[i];
            p->relevant_images[p->pairs++] = (uint32_t)(p->scores.rows + m);
        }
    return f0t_spill_add(&p->scores, block->scores, block->images);
}

/* ---- The second pass ----------------------------------------------------------------------- */

/* The scores of tag t's relevant images are values[starts[t], starts[t + 1]); sorted and without
 * repetitions, groups[t] of them, they have their ties at the same places. */
typedef struct pass {
    const f0t_retrieval *p;
    size_t *starts; /* [tags + 1] */
    size_t *groups; /* [tags] */
    float *values;  /* [pairs] */
    f0t_tie *ties;  /* [pairs] */
    float *block;   /* [block_rows x tags] */
    size_t block_rows;
} pass;

static f0t_status pass_create(pass *s, const f0t_retrieval *p)
{
    size_t rows = p->tags ? BLOCK_BYTES / sizeof(float) / p->tags : 1;
    *s = (pass){.p = p, .block_rows = rows ? rows : 1};
    F0T_TRY(f0t_alloc_zero(&s->starts, p->tags + 1, sizeof *s->starts));
    F0T_TRY(f0t_alloc(&s->groups, p->tags, sizeof *s->groups));
    F0T_TRY(f0t_alloc(&s->values, p->pairs, sizeof *s->values));
    F0T_TRY(f0t_alloc(&s->ties, p->pairs, sizeof *s->ties));
    return f0t_alloc(&s->block, s->block_rows * p->tags, sizeof *s->block);
}

static void pass_free(pass *s)
{
    f0t_free(s->starts);
    f0t_free(s->groups);
    f0t_free(s->values);
    f0t_free(s->ties);
    f0t_free(s->block);
}

/* starts[t] becomes where the pairs of tag t begin. */
static void count_starts(pass *s)
{
    const f0t_retrieval *p = s->p;
    for (size_t i = 0; i < p->pairs; i++)
        s->starts[p->relevant_tags[i] + 1]++;
    for (size_t t = 0; t < p->tags; t++)
        s->starts[t + 1] += s->starts[t];
}

/* The pairs came image by image: next[t] is the place of the next pair of tag t. */
static f0t_status collect_values(pass *s)
{
    const f0t_retrieval *p = s->p;
    size_t *next, at = 0;
    f0t_status status = f0t_alloc(&next, p->tags, sizeof *next);
    if (status == F0T_OK)
        memcpy(next, s->starts, p->tags * sizeof *next);
    for (size_t first = 0; first < p->scores.rows && status == F0T_OK; first += s->block_rows) {
        size_t left = p->scores.rows - first;
        size_t rows = left < s->block_rows ? left : s->block_rows;
        status = f0t_spill_read(s->block, &p->scores, first, rows);
        for (; at < p->pairs && p->relevant_images[at] < first + rows && status == F0T_OK; at++) {
            size_t image = p->relevant_images[at], tag = p->relevant_tags[at];
            s->values[next[tag]++] = s->block[(image - first) * p->tags + tag];
        }
    }
    f0t_free(next);
    return status;
}

static void group_values(pass *s)
{
#pragma omp parallel for schedule(dynamic, 16) num_threads(f0t_team_size())
    for (size_t t = 0; t < s->p->tags; t++)
        s->groups[t] = f0t_ties_group(s->ties + s->starts[t], s->values + s->starts[t],
                                      s->starts[t + 1] - s->starts[t]);
}

/* Threads share the tags, not the images: each count has one writer. */
static void count_block(pass *s, size_t rows)
{
    size_t tags = s->p->tags;
#pragma omp parallel for schedule(static) num_threads(f0t_team_size())
    for (size_t t = 0; t < tags; t++)
        if (s->groups[t])
            f0t_ties_count(s->ties + s->starts[t], s->values + s->starts[t], s->groups[t],
                           s->block + t, rows, tags);
}

static f0t_status count_all(pass *s)
{
    const f0t_spill *scores = &s->p->scores;
    for (size_t first = 0; first < scores->rows; first += s->block_rows) {
        size_t left = scores->rows - first;
        size_t rows = left < s->block_rows ? left : s->block_rows;
        F0T_TRY(f0t_spill_read(s->block, scores, first, rows));
        count_block(s, rows);
    }
    for (size_t t = 0; t < s->p->tags; t++)
        f0t_ties_add_up(s->ties + s->starts[t], s->groups[t]);
    return F0T_OK;
}

/* ---- One tag ------------------------------------------------------------------------------- */

/* From the last tie to the first, `best` is the best precision from there on. */
static void interpolate(f0t_retrieval_values *v, const f0t_tie *ties, size_t count, size_t relevant)
{
    const double all = (double)relevant;
    double best = 0, found = all;
    int point = 10; /* tenths of recall that are still to come */
    v->interpolated = v->eleven = 0;
    for (size_t i = count; i-- > 0;) {
        const double precision = found / ((double)ties[i].above + ties[i].size);
        const double before = found - ties[i].relevant;
        best = precision > best ? precision : best;
        v->interpolated += best * ties[i].relevant / all;
        for (; point > 0 && point * all > 10 * before; point--)
            v->eleven += best / 11;
        found = before;
    }
    v->eleven += best / 11; /* at recall 0 */
}

static f0t_retrieval_values values_of(const pass *s, size_t tag)
{
    const f0t_tie *ties = s->ties + s->starts[tag];
    f0t_retrieval_values v = {F0T_NOT_RANKED, F0T_NOT_RANKED, F0T_NOT_RANKED};
    if (!s->groups[tag])
        return v;
    v.precision = f0t_ties_precision(ties, s->groups[tag]);
    interpolate(&v, ties, s->groups[tag], s->starts[tag + 1] - s->starts[tag]);
    return v;
}

f0t_status f0t_retrieval_get(f0t_retrieval_values *out, const f0t_retrieval *p)
{
    pass s;
    f0t_status status = pass_create(&s, p);
    if (status == F0T_OK) {
        count_starts(&s);
        status = collect_values(&s);
    }
    if (status == F0T_OK) {
        group_values(&s);
        status = count_all(&s);
    }
    for (size_t t = 0; t < p->tags && status == F0T_OK; t++)
        out[t] = values_of(&s, t);
    pass_free(&s);
    return status;
}
