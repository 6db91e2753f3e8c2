/* How alike points are: Gaussians whose widths follow from the perplexity. */
#include "base/alloc.h"
#include "base/monitor.h"
#include "base/size.h"
#include "base/team.h"
#include "eval/tsne.h"
#include "math/matmul.h"
#include "math/topk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256, HALVINGS = 60 };

/* ---- One row --------------------------------------------------------------------------------- */

/* Σ exp(-b d), and Σ d exp(-b d), of distances d. */
static double weigh(const float *row, size_t count, double b, double *moment)
{
    double sum = 0;
    *moment = 0;
    for (size_t j = 0; j < count; j++) {
        const double w = exp(-b * (double)row[j]);
        sum += w;
        *moment += w * (double)row[j];
    }
    return sum;
}

/* The entropy of the weights falls as b grows. Distances are taken from the least one on, so that the
 * sum is 1 at least. */
void f0t_likeness_row(float *row, size_t count, double perplexity)
{
    const double wanted = log(perplexity);
    double low = 0, high = HUGE_VAL, b = 1, sum = 1, moment;
    float least = HUGE_VALF;
    for (size_t j = 0; j < count; j++)
        least = row[j] < least ? row[j] : least;
    for (size_t j = 0; j < count; j++)
        row[j] -= least;
    for (int i = 0; i < HALVINGS; i++) {
        sum = weigh(row, count, b, &moment);
        const double entropy = log(sum) + b * moment / sum;
        if (fabs(entropy - wanted) < 1e-6)
            break;
        if (entropy > wanted)
            low = b;
        else
            high = b;
        b = isinf(high) ? 2 * b : (low + high) / 2;
    }
    sum = weigh(row, count, b, &moment);
    for (size_t j = 0; j < count; j++)
        row[j] = (float)(exp(-b * (double)row[j]) / sum);
}

/* ---- Distances --------------------------------------------------------------------------------- */

/* What the passes over blocks of rows share. */
typedef struct table {
    const float *points;
    size_t count, dims;
    double perplexity;
    float *squares; /* [count] squared lengths */
    float *rows;    /* [BLOCK x count] */
} table;

static f0t_status table_create(table *t)
{
    F0T_TRY(f0t_alloc(&t->squares, t->count, sizeof *t->squares));
    F0T_TRY(f0t_alloc(&t->rows, BLOCK * t->count, sizeof *t->rows));
    for (size_t i = 0; i < t->count; i++) {
        double sum = 0;
        for (size_t k = 0; k < t->dims; k++)
            sum += (double)t->points[i * t->dims + k] * (double)t->points[i * t->dims + k];
        t->squares[i] = (float)sum;
    }
    return F0T_OK;
}

static void table_free(table *t)
{
    f0t_free(t->squares);
    f0t_free(t->rows);
}

/* Squared distances of points [first, first + count) to all. */
static f0t_status find_distances(table *t, size_t first, size_t count)
{
    const f0t_matmul op = {.m = count, .n = t->count, .k = t->dims, .b_transposed = true};
    F0T_TRY(f0t_matmul_run(t->rows, t->points + first * t->dims, t->points, NULL, &op));
    for (size_t i = 0; i < count; i++) {
        float *row = t->rows + i * t->count;
        for (size_t j = 0; j < t->count; j++)
            row[j] = fmaxf(0, t->squares[first + i] + t->squares[j] - 2 * row[j]);
    }
    return F0T_OK;
}

/* Fills something from each block of distances. */
typedef void (*take_block)(f0t_likeness *to, const table *t, size_t first, size_t count);

static f0t_status pass(f0t_likeness *to, table *t, take_block take, const f0t_monitor *monitor)
{
    f0t_stage stage = f0t_stage_begin(monitor, "comparing offsets", "offsets", t->count);
    for (size_t first = 0; first < t->count; first += BLOCK) {
        const size_t count = t->count - first < BLOCK ? t->count - first : BLOCK;
        F0T_TRY(find_distances(t, first, count));
        take(to, t, first, count);
        F0T_TRY(f0t_stage_update(&stage, first + count));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

/* ---- All pairs --------------------------------------------------------------------------------- */

static void take_all(f0t_likeness *to, const table *t, size_t first, size_t count)
{
    const size_t n = t->count;
#pragma omp parallel for schedule(dynamic, 8) num_threads(f0t_team_size())
    for (size_t i = 0; i < count; i++) {
        float *row = to->all + (first + i) * n, *self = row + first + i;
        memcpy(row, t->rows + i * n, n * sizeof *row);
        /* The first point stands in for the point itself while the others are weighed. */
        *self = row[0];
        f0t_likeness_row(row + 1, n - 1, t->perplexity);
        row[0] = *self;
        *self = 0;
    }
}

static void make_symmetric(f0t_likeness *l)
{
    const size_t n = l->count;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            const float p = (l->all[i * n + j] + l->all[j * n + i]) / (float)(2 * n);
            l->all[i * n + j] = l->all[j * n + i] = p;
        }
}

/* ---- Neighbours -------------------------------------------------------------------------------- */

static size_t neighbours_of(const table *t)
{
    const double wanted = floor(3 * t->perplexity);
    return wanted < (double)(t->count - 1) ? (size_t)wanted : t->count - 1;
}

/* The lists of the points one after the other, not symmetric yet: i has k of them. */
static void take_nearest(f0t_likeness *to, const table *t, size_t first, size_t count)
{
    const size_t n = t->count, k = neighbours_of(t);
#pragma omp parallel for schedule(dynamic, 8) num_threads(f0t_team_size())
    for (size_t i = 0; i < count; i++) {
        float *row = t->rows + i * n, *values = to->values + (first + i) * k;
        for (size_t j = 0; j < n; j++)
            row[j] = -row[j];
        row[first + i] = -HUGE_VALF;
        f0t_topk_row(to->others + (first + i) * k, values, row, n, k);
        for (size_t j = 0; j < k; j++)
            values[j] = -values[j];
        f0t_likeness_row(values, k, t->perplexity);
    }
}

typedef struct entry {
    uint32_t other;
    float value;
} entry;

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return (x->other > y->other) - (x->other < y->other);
}

/* Puts each value into the lists of both its points. */
static void spread(entry *entries, size_t *next, const f0t_likeness *from, size_t k)
{
    for (size_t i = 0; i < from->count; i++)
        for (size_t at = i * k; at < (i + 1) * k; at++) {
            const size_t j = from->others[at];
            entries[next[i]++] = (entry){(uint32_t)j, from->values[at]};
            entries[next[j]++] = (entry){(uint32_t)i, from->values[at]};
        }
}

/* Adds up the entries that two points have of each other. */
static void join(f0t_likeness *to, entry *entries, const size_t *first)
{
    size_t kept = 0;
    for (size_t i = 0; i < to->count; i++) {
        const size_t count = first[i + 1] - first[i];
        entry *list = entries + first[i];
        qsort(list, count, sizeof *list, compare_entries);
        to->offsets[i] = kept;
        for (size_t e = 0; e < count; e++) {
            const bool again = e && list[e].other == list[e - 1].other;
            kept -= again;
            to->values[kept] =
                (again ? to->values[kept] : 0) + list[e].value / (float)(2 * to->count);
            to->others[kept++] = list[e].other;
        }
    }
    to->offsets[to->count] = kept;
}

/* Where the lists of all points begin when each value is in two. */
static void find_firsts(size_t *first, const f0t_likeness *from, size_t k)
{
    const size_t n = from->count;
    memset(first, 0, (n + 1) * sizeof *first);
    for (size_t at = 0; at < n * k; at++)
        first[from->others[at] + 1]++;
    for (size_t i = 0; i < n; i++)
        first[i + 1] += first[i] + k;
}

static f0t_status make_lists_symmetric(f0t_likeness *to, const f0t_likeness *from, size_t k)
{
    const size_t n = from->count, total = 2 * n * k;
    entry *entries = NULL;
    size_t *first = NULL, *next = NULL;
    f0t_status status = f0t_alloc(&entries, total, sizeof *entries);
    if (status == F0T_OK)
        status = f0t_alloc(&first, n + 1, sizeof *first);
    if (status == F0T_OK)
        status = f0t_alloc(&next, n + 1, sizeof *next);
    if (status == F0T_OK)
        status = f0t_alloc(&to->offsets, n + 1, sizeof *to->offsets);
    if (status == F0T_OK)
        status = f0t_alloc(&to->others, total, sizeof *to->others);
    if (status == F0T_OK)
        status = f0t_alloc(&to->values, total, sizeof *to->values);
    if (status == F0T_OK) {
        find_firsts(first, from, k);
        memcpy(next, first, (n + 1) * sizeof *next);
        spread(entries, next, from, k);
        join(to, entries, first);
    }
    f0t_free(entries);
    f0t_free(first);
    f0t_free(next);
    return status;
}

static f0t_status create_lists(f0t_likeness *to, table *t, const f0t_monitor *monitor)
{
    f0t_likeness nearest = {.count = t->count};
    const size_t k = neighbours_of(t);
    f0t_status status = f0t_alloc(&nearest.others, t->count * k, sizeof *nearest.others);
    if (status == F0T_OK)
        status = f0t_alloc(&nearest.values, t->count * k, sizeof *nearest.values);
    if (status == F0T_OK)
        status = pass(&nearest, t, take_nearest, monitor);
    if (status == F0T_OK)
        status = make_lists_symmetric(to, &nearest, k);
    f0t_likeness_free(&nearest);
    return status;
}

/* ---- Both -------------------------------------------------------------------------------------- */

static f0t_status create_all(f0t_likeness *to, table *t, const f0t_monitor *monitor)
{
    size_t size;
    if (!f0t_size_mul(&size, t->count, t->count))
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for all pairs of %zu points", t->count);
    F0T_TRY(f0t_alloc(&to->all, size, sizeof *to->all));
    F0T_TRY(pass(to, t, take_all, monitor));
    make_symmetric(to);
    return F0T_OK;
}

f0t_status f0t_likeness_create(f0t_likeness *out, const float *points, size_t count, size_t dims,
                               double perplexity, bool lists, const f0t_monitor *monitor)
{
    table t = {.points = points, .count = count, .dims = dims, .perplexity = perplexity};
    *out = (f0t_likeness){.count = count};
    if (count < 2 || count > UINT32_MAX / 8)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a picture of %zu points", count);
    f0t_status status = table_create(&t);
    if (status == F0T_OK)
        status = lists ? create_lists(out, &t, monitor) : create_all(out, &t, monitor);
    table_free(&t);
    if (status != F0T_OK)
        f0t_likeness_free(out);
    return status;
}

void f0t_likeness_free(f0t_likeness *likeness)
{
    f0t_free(likeness->all);
    f0t_free(likeness->offsets);
    f0t_free(likeness->others);
    f0t_free(likeness->values);
    *likeness = (f0t_likeness){0};
}
