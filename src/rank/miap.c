#include "rank/miap.h"

#include "base/kernels.h"
#include "base/size.h"
#include "base/team.h"
#include "math/workspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Up to this many relevant tags their ranks are counted one by one, over all scores; more than
 * that, all are sorted. */
enum { FEW = 32 };

/* A thread's memory. */
typedef struct scratch {
    uint64_t *keys; /* [ranked tags] */
    float *scores;  /* [ranked tags] where only some columns are ranked */
    uint32_t *hits; /* [ranked tags] places of the relevant tags among the ranked */
} scratch;

/* ---- One image ---------------------------------------------------------------------------------
 */

static double precision_of_few(const float *scores, size_t n, const uint32_t *hits, size_t count)
{
    size_t ranks[FEW];
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        size_t rank = f0t_kernels()->count_before(scores, n, hits[i]) + 1, j = i;
        for (; j > 0 && ranks[j - 1] > rank; j--)
            ranks[j] = ranks[j - 1];
        ranks[j] = rank;
    }
    for (size_t i = 0; i < count; i++)
        sum += (double)(i + 1) / (double)ranks[i];
    return sum / (double)count;
}

/* A number that is smaller for what ranks first: the float's bits in the order of the floats,
 * turned around, and after them the place. Adding 0 makes -0 equal to 0. */
static uint64_t key_of(float score, size_t place)
{
    float value = score + 0.0F;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = bits & 0x80000000U ? bits : ~bits & 0x7FFFFFFFU;
    return (uint64_t)bits << 32 | place;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The sorted keys of the relevant tags cut all others into those before the first, the second, …
 * That takes n log(count), whatever the scores are. */
static size_t first_after(const uint64_t *sorted, size_t count, uint64_t key)
{
    size_t low = 0;
    while (count > 0) {
        size_t half = count / 2;
        if (sorted[low + half] < key) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

static double precision_of_many(scratch *work, const float *scores, size_t n, size_t count)
{
    uint64_t *keys = work->keys;
    uint32_t *cut = work->hits;
    for (size_t i = 0; i < count; i++)
        keys[i] = key_of(scores[work->hits[i]], work->hits[i]);
    qsort(keys, count, sizeof *keys, compare_keys);
    memset(cut, 0, count * sizeof *cut);
    for (size_t t = 0; t < n; t++) {
        size_t i = first_after(keys, count, key_of(scores[t], t));
        if (i < count)
            cut[i]++;
    }
    double sum = 0, rank = 0;
    for (size_t i = 0; i < count; i++) {
        rank += (double)cut[i];
        sum += (double)(i + 1) / rank;
    }
    return sum / (double)count;
}

/* Both lists ascend. Returns how many relevant tags are among the ranked. */
static size_t find_hits(uint32_t *hits, const f0t_ranking *ranking, size_t m)
{
    size_t count = 0, column = 0;
    for (size_t i = ranking->offsets[m]; i < ranking->offsets[m + 1]; i++) {
        uint32_t tag = ranking->relevant[i];
        if (!ranking->columns) {
            hits[count++] = tag;
            continue;
        }
        while (column < ranking->column_count && ranking->columns[column] < tag)
            column++;
        if (column < ranking->column_count && ranking->columns[column] == tag)
            hits[count++] = (uint32_t)column;
    }
    return count;
}

/* NaN when a score is. */
static double average_precision(scratch *work, const f0t_ranking *ranking, size_t m)
{
    const float *scores = ranking->scores + m * ranking->tags;
    size_t n = ranking->tags;
    if (ranking->columns) {
        n = ranking->column_count;
        for (size_t i = 0; i < n; i++)
            work->scores[i] = scores[ranking->columns[i]];
        scores = work->scores;
    }
    size_t count = find_hits(work->hits, ranking, m);
    if (f0t_kernels()->has_nan(scores, n))
        return (double)NAN;
    if (!count)
        return F0T_NOT_RANKED;
    return count <= FEW ? precision_of_few(scores, n, work->hits, count)
                        : precision_of_many(work, scores, n, count);
}

/* ---- Many images -------------------------------------------------------------------------------
 */

static f0t_status check_list(const uint32_t *list, size_t from, size_t to, size_t tags)
{
    for (size_t i = from; i < to; i++)
        if (list[i] >= tags || (i > from && list[i] <= list[i - 1]))
            return f0t_fail(F0T_ERROR_ARGUMENT, "tags must ascend below %zu; %lu does not fit",
                            tags, (unsigned long)list[i]);
    return F0T_OK;
}

static f0t_status check_ranking(const f0t_ranking *ranking)
{
    if (ranking->columns) {
        f0t_status status = check_list(ranking->columns, 0, ranking->column_count, ranking->tags);
        if (status)
            return f0t_fail_prefix(status, "ranked columns: ");
    }
    for (size_t m = 0; m < ranking->images; m++) {
        size_t from = ranking->offsets[m], to = ranking->offsets[m + 1];
        if (from > to)
            return f0t_fail(F0T_ERROR_ARGUMENT, "row %zu: relevant tags from %zu to %zu", m, from,
                            to);
        f0t_status status = check_list(ranking->relevant, from, to, ranking->tags);
        if (status)
            return f0t_fail_prefix(status, "row %zu: relevant ", m);
    }
    return F0T_OK;
}

/* A precision for each image, then for each thread the three arrays of `scratch`. */
static f0t_status take_memory(f0t_workspace **out, size_t *stride, size_t images, size_t tags,
                              size_t threads)
{
    size_t size, precisions;
    bool fits = f0t_size_mul(&size, tags, sizeof(uint64_t) + sizeof(float) + sizeof(uint32_t)) &&
                f0t_size_round_up(stride, size, 64) && f0t_size_mul(&size, *stride, threads) &&
                f0t_size_mul(&precisions, images, sizeof(double)) &&
                f0t_size_add(&size, size, precisions);
    if (!fits || tags > UINT32_MAX)
        return f0t_fail(F0T_ERROR_MEMORY, "no memory to rank %zu tags of %zu images", tags, images);
    return f0t_workspace_take(out, size);
}

static scratch scratch_of_thread(char *memory, size_t stride, size_t tags)
{
#ifdef _OPENMP
    memory += (size_t)omp_get_thread_num() * stride;
#else
    (void)stride;
#endif
    uint64_t *keys = (uint64_t *)(void *)memory;
    float *scores = (float *)(keys + tags);
    return (scratch){keys, scores, (uint32_t *)(scores + tags)};
}

static f0t_status add_all(f0t_miap *miap, const double *precisions, size_t images)
{
    f0t_miap sum = *miap;
    for (size_t m = 0; m < images; m++) {
        if (isnan(precisions[m]))
            return f0t_fail(F0T_ERROR_NUMERIC, "row %zu: a score is NaN", m);
        sum.sum += precisions[m] == F0T_NOT_RANKED ? 0 : precisions[m];
        sum.ranked += precisions[m] != F0T_NOT_RANKED;
    }
    sum.images += images;
    *miap = sum;
    return F0T_OK;
}

static void find_all(double *precisions, const f0t_ranking *ranking, size_t tags, char *memory,
                     size_t stride, int threads)
{
    (void)threads; /* without OpenMP */
#pragma omp parallel num_threads(threads)
    {
        scratch work = scratch_of_thread(memory, stride, tags);
#pragma omp for schedule(dynamic, 16)
        for (size_t m = 0; m < ranking->images; m++)
            precisions[m] = average_precision(&work, ranking, m);
    }
}

/* Adds to the sums; and each into out[images], which may be NULL. */
static f0t_status find_precisions(f0t_miap *miap, double *out, const f0t_ranking *ranking)
{
    size_t tags = ranking->columns ? ranking->column_count : ranking->tags, stride = 0;
    int threads = f0t_team_size();
    f0t_workspace *memory;
    F0T_TRY(check_ranking(ranking));
    F0T_TRY(take_memory(&memory, &stride, ranking->images, tags, (size_t)threads));
    double *precisions = (double *)(void *)((char *)memory->data + stride * (size_t)threads);
    find_all(precisions, ranking, tags, memory->data, stride, threads);
    f0t_status status = add_all(miap, precisions, ranking->images);
    if (out)
        memcpy(out, precisions, ranking->images * sizeof *out);
    f0t_workspace_give(memory);
    return status;
}

f0t_status f0t_miap_add(f0t_miap *miap, const f0t_ranking *ranking)
{
    return find_precisions(miap, NULL, ranking);
}

f0t_status f0t_miap_each(double *out, const f0t_ranking *ranking)
{
    f0t_miap all = {0};
    return find_precisions(&all, out, ranking);
}

f0t_status f0t_miap_add_each(f0t_miap *miap, double *out, const f0t_ranking *ranking)
{
    return find_precisions(miap, out, ranking);
}

double f0t_miap_get(const f0t_miap *miap)
{
    return miap->ranked ? miap->sum / (double)miap->ranked : (double)NAN;
}

double f0t_miap_get_all(const f0t_miap *miap)
{
    return miap->images ? miap->sum / (double)miap->images : (double)NAN;
}
