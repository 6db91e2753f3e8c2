/*
 * The offsets p − n of a rule. They are a grid, each relevant p with each irrelevant n, so that their
 * variance is the sum of two: that of the relevant tags, which is what the clusters (one a relevant
 * tag) explain, and that of the irrelevant ones, which every cluster has inside, for each is the same
 * cloud of irrelevant tags, mirrored and moved to its p. No offset need be formed.
 */
#include "base/alloc.h"
#include "base/monitor.h"
#include "compute/scoring.h"
#include "eval/study.h"
#include "math/workspace.h"
#include "rank/ranksvm.h"

#include <math.h>
#include <string.h>

static const double DEGREES = 57.29577951308232; /* in a radian */

static double square(const double *v, size_t dim)
{
    double sum = 0;
    for (size_t k = 0; k < dim; k++)
        sum += v[k] * v[k];
    return sum;
}

/* The angle between p − n and q − n. */
static double angle_at(const float *p, const float *q, const double *n, size_t dim)
{
    double pq = 0, pp = 0, qq = 0;
    for (size_t k = 0; k < dim; k++) {
        const double a = (double)p[k] - n[k], b = (double)q[k] - n[k];
        pq += a * b;
        pp += a * a;
        qq += b * b;
    }
    const double cosine = pp > 0 && qq > 0 ? pq / sqrt(pp * qq) : 0;
    return acos(fmax(-1, fmin(1, cosine))) * DEGREES;
}

/* Some dozens of tags are enough for a mean. */
enum { ANGLES_MOST = 64 };

static double mean_angle(const float *vectors, size_t dim, const uint32_t *relevant, size_t count,
                         const double *n)
{
    double sum = 0;
    count = count < ANGLES_MOST ? count : ANGLES_MOST;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            sum += angle_at(vectors + relevant[i] * dim, vectors + relevant[j] * dim, n, dim);
    return count > 1 ? sum / ((double)count * (double)(count - 1) / 2) : (double)NAN;
}

f0t_offsets_numbers f0t_offsets_measure(const float *vectors, size_t tags, size_t dim,
                                        const uint32_t *relevant, size_t count, const double *total,
                                        double *room)
{
    double *p = room, *n = room + dim;
    const double r = (double)count, s = (double)(tags - count);
    memset(p, 0, dim * sizeof *p);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < dim; k++)
            p[k] += (double)vectors[relevant[i] * dim + k];
    for (size_t k = 0; k < dim; k++) {
        n[k] = (total[k] - p[k]) / s;
        p[k] /= r;
    }
    const double inside = 1 - square(n, dim), between = 1 - square(p, dim);
    f0t_offsets_numbers numbers = {.angle = mean_angle(vectors, dim, relevant, count, n)};
    for (size_t k = 0; k < dim; k++)
        p[k] -= n[k];
    const double mean = square(p, dim), variance = fmax(inside + between, 1e-300);
    numbers.common = 100 * mean / (mean + variance);
    numbers.explained = 100 * between / variance;
    /* Expectations of numerator and denominator for tags drawn at random. */
    numbers.common_random = 100 * (1 / r + 1 / s) / 2;
    numbers.explained_random = 100 * (1 - 1 / r) / (2 - 1 / r - 1 / s);
    return numbers;
}

/* From scores[1 + count x tags]: of the direction, then of each relevant tag. */
static void sum_along(double *cosine, double *ahead, const float *scores, size_t tags,
                      const uint32_t *relevant, size_t count, double length)
{
    double sum = 0, pairs = 0, along = 0;
    for (size_t n = 0, next = 0; n < tags; n++) {
        if (next < count && relevant[next] == n) {
            next++;
            continue;
        }
        for (size_t i = 0; i < count; i++, pairs++) {
            const double step = (double)scores[relevant[i]] - (double)scores[n];
            const double cos_pn = (double)scores[(1 + i) * tags + n];
            const double size = length * sqrt(fmax(0, 2 - 2 * cos_pn));
            sum += size > 0 ? step / size : 0;
            along += step > 0;
        }
    }
    *cosine = pairs > 0 ? sum / pairs : 0;
    *ahead = pairs > 0 ? 100 * along / pairs : 0;
}

f0t_status f0t_offsets_along(double *cosine, double *ahead, const float *vectors, size_t tags,
                             size_t dim, const uint32_t *relevant, size_t count, const float *w)
{
    double length = 0;
    f0t_workspace *memory;
    F0T_TRY(f0t_workspace_take(&memory, (1 + count) * (dim + tags) * sizeof(float)));
    float *rows = memory->data, *scores = rows + (1 + count) * dim;
    memcpy(rows, w, dim * sizeof *rows);
    for (size_t i = 0; i < count; i++)
        memcpy(rows + (1 + i) * dim, vectors + relevant[i] * dim, dim * sizeof *rows);
    for (size_t k = 0; k < dim; k++)
        length += (double)w[k] * (double)w[k];
    f0t_status status = f0t_score_once(scores, rows, 1 + count, vectors, tags, dim, false);
    if (status == F0T_OK)
        sum_along(cosine, ahead, scores, tags, relevant, count, sqrt(length));
    f0t_workspace_give(memory);
    return status;
}

/* ---- All rules ----------------------------------------------------------------------------------- */

static bool has_clusters(const f0t_study_rules *rules, size_t r)
{
    const size_t count = f0t_rule_size(rules->seen, r);
    return count > 1 && count < rules->seen->tags;
}

static void add_totals(double *total, const float *vectors, size_t tags, size_t dim)
{
    memset(total, 0, dim * sizeof *total);
    for (size_t t = 0; t < tags; t++)
        for (size_t k = 0; k < dim; k++)
            total[k] += (double)vectors[t * dim + k];
}

static f0t_status measure_all(f0t_study_structure *out, const f0t_study_task *task,
                              const f0t_study_space *space, double *room)
{
    const f0t_rules *rules = task->rules->seen;
    double *total = room + 2 * space->dim;
    f0t_stage stage = f0t_stage_begin(task->monitor, "measuring offsets", "rules", rules->count);
    add_totals(total, space->vectors, rules->tags, space->dim);
    for (size_t r = 0; r < rules->count; r++) {
        F0T_TRY(f0t_stage_update(&stage, r));
        if (!has_clusters(task->rules, r))
            continue;
        const f0t_offsets_numbers n = f0t_offsets_measure(space->vectors, rules->tags, space->dim,
                                                          rules->relevant + rules->offsets[r],
                                                          f0t_rule_size(rules, r), total, room);
        out->rules++;
        out->common += n.common;
        out->common_random += n.common_random;
        out->explained += n.explained;
        out->explained_random += n.explained_random;
        out->angle += n.angle;
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

/* Two seen tags that have nothing to do with each other: every tag with its next but some. */
static double angle_of_any(const f0t_study_space *space, size_t tags, const double *total,
                           double *room)
{
    double sum = 0, pairs = 0;
    for (size_t k = 0; k < space->dim; k++)
        room[k] = total[k] / (double)tags;
    for (size_t i = 0; i < tags; i++)
        for (size_t step = 1; step <= 16 && step < tags; step++, pairs++)
            sum += angle_at(space->vectors + i * space->dim,
                            space->vectors + (i + step) % tags * space->dim, room, space->dim);
    return pairs > 0 ? sum / pairs : (double)NAN;
}

/* ---- A sample ------------------------------------------------------------------------------------ */

static f0t_status follow(f0t_study_structure *out, const f0t_study_task *task,
                         const f0t_study_space *space, const f0t_rules *picked)
{
    const f0t_ranksvm_options options = {.hinge = task->options->hinge};
    const size_t dim = space->dim;
    f0t_ranksvm *svm = NULL;
    float *directions;
    F0T_TRY(f0t_alloc(&directions, picked->count * dim, sizeof *directions));
    f0t_status status = f0t_ranksvm_create(&svm, space->vectors, picked->tags, dim);
    if (status == F0T_OK)
        status = f0t_ranksvm_solve(directions, NULL, svm, picked, &out->lambda, 1, &options,
                                   task->monitor);
    for (size_t r = 0; status == F0T_OK && r < picked->count; r++) {
        double cosine = 0, ahead = 0;
        status = f0t_offsets_along(&cosine, &ahead, space->vectors, picked->tags, dim,
                                   picked->relevant + picked->offsets[r], f0t_rule_size(picked, r),
                                   directions + r * dim);
        out->cosine += cosine / (double)picked->count;
        out->ahead += ahead / (double)picked->count;
        if (status == F0T_OK && f0t_monitor_stopped(task->monitor))
            status = f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted while measuring offsets");
    }
    f0t_ranksvm_free(svm);
    f0t_free(directions);
    return status;
}

static f0t_status follow_sample(f0t_study_structure *out, const f0t_study_task *task,
                                const f0t_study_space *space)
{
    uint32_t *numbers = NULL;
    f0t_rules *picked = NULL;
    f0t_status status = f0t_study_sample(&numbers, &out->sampled, task->rules, has_clusters,
                                         task->options->sample, task->options->seed);
    if (status == F0T_OK)
        status = f0t_rules_pick(&picked, task->rules->seen, numbers, out->sampled);
    if (status == F0T_OK && out->sampled)
        status = follow(out, task, space, picked);
    f0t_rules_free(picked);
    f0t_free(numbers);
    return status;
}

f0t_status f0t_study_structure_find(f0t_study_structure *out, const f0t_study_task *task,
                                    const f0t_study_space *space)
{
    double *room;
    *out = (f0t_study_structure){.lambda = f0t_study_middle(task->options)};
    F0T_TRY(f0t_alloc(&room, 3 * space->dim, sizeof *room));
    f0t_status status = measure_all(out, task, space, room);
    const double rules = out->rules ? (double)out->rules : 1;
    out->common /= rules;
    out->common_random /= rules;
    out->explained /= rules;
    out->explained_random /= rules;
    out->angle /= rules;
    out->angle_random = angle_of_any(space, task->rules->seen->tags, room + 2 * space->dim, room);
    f0t_free(room);
    return status == F0T_OK ? follow_sample(out, task, space) : status;
}
