#include "eval/tag_precision.h"

#include "base/alloc.h"
#include "base/team.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 24 };

f0t_status f0t_tag_precision_create(f0t_tag_precision *p, size_t images, size_t tags, size_t limit)
{
    *p = (f0t_tag_precision){.tags = tags};
    return f0t_spill_create(&p->scores, images, tags, limit);
}

void f0t_tag_precision_free(f0t_tag_precision *p)
{
    f0t_spill_free(&p->scores);
    f0t_free(p->relevant_tags);
    f0t_free(p->relevant_images);
    *p = (f0t_tag_precision){.scores.file = -1};
}

f0t_status f0t_tag_precision_add(f0t_tag_precision *p, const f0t_ranking *block)
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

/* The relevant images of tag t are keys[starts[t]] up to, without, keys[starts[t + 1]], sorted, and
 * before[…] counts the images that rank between one and the one ahead of it, itself included. */
typedef struct pass {
    const f0t_tag_precision *p;
    size_t *starts;   /* [tags + 1] */
    uint64_t *keys;   /* [pairs] */
    uint32_t *before; /* [pairs] */
    float *block;     /* [block_rows x tags] */
    size_t block_rows;
} pass;

static f0t_status pass_create(pass *s, const f0t_tag_precision *p)
{
    size_t rows = p->tags ? BLOCK_BYTES / sizeof(float) / p->tags : 1;
    *s = (pass){.p = p, .block_rows = rows ? rows : 1};
    F0T_TRY(f0t_alloc_zero(&s->starts, p->tags + 1, sizeof *s->starts));
    F0T_TRY(f0t_alloc(&s->keys, p->pairs, sizeof *s->keys));
    F0T_TRY(f0t_alloc_zero(&s->before, p->pairs, sizeof *s->before));
    return f0t_alloc(&s->block, s->block_rows * p->tags, sizeof *s->block);
}

static void pass_free(pass *s)
{
    f0t_free(s->starts);
    f0t_free(s->keys);
    f0t_free(s->before);
    f0t_free(s->block);
}

/* Smaller for what ranks first: the float's bits in the order of the floats, turned around, and the
 * image behind them. Adding 0 makes -0 equal to 0. */
static uint64_t key_of(float score, size_t image)
{
    float value = score + 0.0F;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = bits & 0x80000000U ? bits : ~bits & 0x7FFFFFFFU;
    return (uint64_t)bits << 32 | image;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* starts[t] becomes where the pairs of tag t begin. */
static void count_starts(pass *s)
{
    const f0t_tag_precision *p = s->p;
    for (size_t i = 0; i < p->pairs; i++)
        s->starts[p->relevant_tags[i] + 1]++;
    for (size_t t = 0; t < p->tags; t++)
        s->starts[t + 1] += s->starts[t];
}

/* The pairs came image by image: next[t] is the place of the next pair of tag t. */
static f0t_status collect_keys(pass *s)
{
    const f0t_tag_precision *p = s->p;
    size_t *next, at = 0;
    f0t_status status = f0t_alloc(&next, p->tags, sizeof *next);
    if (status == F0T_OK)
        memcpy(next, s->starts, p->tags * sizeof *next);
    for (size_t first = 0; first < p->scores.rows && status == F0T_OK; first += s->block_rows) {
        size_t left = p->scores.rows - first;
        size_t rows = left < s->block_rows ? left : s->block_rows;
        status = f0t_spill_read(&p->scores, s->block, first, rows);
        for (; at < p->pairs && p->relevant_images[at] < first + rows && status == F0T_OK; at++) {
            size_t image = p->relevant_images[at], tag = p->relevant_tags[at];
            s->keys[next[tag]++] = key_of(s->block[(image - first) * p->tags + tag], image);
        }
    }
    f0t_free(next);
    return status;
}

static void sort_keys(pass *s)
{
#pragma omp parallel for schedule(dynamic, 16) num_threads(f0t_team_size())
    for (size_t t = 0; t < s->p->tags; t++)
        qsort(s->keys + s->starts[t], s->starts[t + 1] - s->starts[t], sizeof *s->keys,
              compare_keys);
}

/* The first key that is not below `key`. */
static size_t bisect(const uint64_t *keys, size_t from, size_t to, uint64_t key)
{
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (keys[middle] < key)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Threads share the tags, not the images: each count has one writer. */
static void count_block(pass *s, size_t first, size_t rows)
{
    size_t tags = s->p->tags;
#pragma omp parallel for schedule(static) num_threads(f0t_team_size())
    for (size_t t = 0; t < tags; t++) {
        size_t start = s->starts[t], end = s->starts[t + 1];
        if (start == end)
            continue;
        for (size_t m = 0; m < rows; m++) {
            size_t i = bisect(s->keys, start, end, key_of(s->block[m * tags + t], first + m));
            if (i < end)
                s->before[i]++;
        }
    }
}

static f0t_status count_ranks(pass *s)
{
    const f0t_spill *scores = &s->p->scores;
    for (size_t first = 0; first < scores->rows; first += s->block_rows) {
        size_t left = scores->rows - first;
        size_t rows = left < s->block_rows ? left : s->block_rows;
        F0T_TRY(f0t_spill_read(scores, s->block, first, rows));
        count_block(s, first, rows);
    }
    return F0T_OK;
}

static double precision_of(const pass *s, size_t tag)
{
    double sum = 0, rank = 0;
    size_t start = s->starts[tag], count = s->starts[tag + 1] - start;
    for (size_t i = 0; i < count; i++) {
        rank += (double)s->before[start + i];
        sum += (double)(i + 1) / rank;
    }
    return sum / (double)count;
}

static f0t_status run(double *sum, size_t *occurring, pass *s)
{
    count_starts(s);
    F0T_TRY(collect_keys(s));
    sort_keys(s);
    F0T_TRY(count_ranks(s));
    *sum = 0;
    *occurring = 0;
    for (size_t t = 0; t < s->p->tags; t++)
        if (s->starts[t + 1] > s->starts[t]) {
            *sum += precision_of(s, t);
            (*occurring)++;
        }
    return F0T_OK;
}

f0t_status f0t_tag_precision_get(double *sum, size_t *occurring, const f0t_tag_precision *p)
{
    pass s;
    f0t_status status = pass_create(&s, p);
    if (status == F0T_OK)
        status = run(sum, occurring, &s);
    pass_free(&s);
    return status;
}
