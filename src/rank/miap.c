#include "rank/miap.h"

#include "base/kernels.h"
#include "base/size.h"
#include "base/team.h"
#include "math/workspace.h"
#include "rank/ties.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A thread's memory: each array has one entry per ranked tag. */
typedef struct scratch {
    f0t_tie *ties;
    float *values;  /* of the ties */
    float *scores;  /* where only some columns are ranked */
    uint32_t *hits; /* places of the relevant tags among the ranked */
} scratch;

/* ---- One image ---------------------------------------------------------------------------------
 */

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
    return f0t_ties_precision(
        work->ties, f0t_ties_find(work->ties, work->values, scores, n, work->hits, count));
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

/* A precision for each image, then for each thread the arrays of `scratch`. */
static f0t_status take_memory(f0t_workspace **out, size_t *stride, size_t images, size_t tags,
                              size_t threads)
{
    size_t size, precisions;
    bool fits = f0t_size_mul(&size, tags, sizeof(f0t_tie) + 2 * sizeof(float) + sizeof(uint32_t)) &&
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
    f0t_tie *ties = (f0t_tie *)(void *)memory;
    float *values = (float *)(ties + tags), *scores = values + tags;
    return (scratch){ties, values, scores, (uint32_t *)(scores + tags)};
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

/* ---- By places -------------------------------------------------------------------------------- */

static int compare_places(const void *a, const void *b)
{
    const f0t_place *x = a, *y = b;
    return (x->above > y->above) - (x->above < y->above);
}

/* Entries of one score have one place. */
static size_t group_places(f0t_tie *ties, f0t_place *places, size_t count)
{
    size_t groups = 0;
    qsort(places, count, sizeof *places, compare_places);
    for (size_t i = 0; i < count; i++) {
        if (!groups || ties[groups - 1].above != places[i].above)
            ties[groups++] = (f0t_tie){.above = places[i].above, .size = places[i].equal};
        ties[groups - 1].relevant++;
    }
    return groups;
}

f0t_status f0t_miap_add_places(f0t_miap *miap, f0t_place *places, const size_t *offsets,
                               size_t images)
{
    size_t most = 0;
    f0t_workspace *memory;
    for (size_t m = 0; m < images; m++)
        most = offsets[m + 1] - offsets[m] > most ? offsets[m + 1] - offsets[m] : most;
    F0T_TRY(f0t_workspace_take(&memory, most * sizeof(f0t_tie)));
    for (size_t m = 0; m < images; m++) {
        const size_t first = offsets[m] - offsets[0], count = offsets[m + 1] - offsets[m];
        if (count)
            miap->sum +=
                f0t_ties_precision(memory->data, group_places(memory->data, places + first, count));
        miap->ranked += count != 0;
    }
    miap->images += images;
    f0t_workspace_give(memory);
    return F0T_OK;
}

double f0t_miap_get(const f0t_miap *miap)
{
    return miap->ranked ? miap->sum / (double)miap->ranked : (double)NAN;
}

double f0t_miap_get_all(const f0t_miap *miap)
{
    return miap->images ? miap->sum / (double)miap->images : (double)NAN;
}
