/*
 * Several directions in place of one. The relevant tags of a rule are parted into k groups by
 * likeness; each group has a ranking SVM of its own, against the same irrelevant tags (the other
 * groups have no part in it). Scores along a direction are taken in standard deviations of the
 * irrelevant tags, so that directions can be compared, and a tag's score is the best of its k.
 */
#include "base/alloc.h"
#include "base/monitor.h"
#include "base/team.h"
#include "eval/study.h"
#include "rank/ranksvm.h"

#include <math.h>
#include <string.h>

/* ---- Ward's clustering --------------------------------------------------------------------- */

/* Of all pairs of groups, the one is joined that adds least to the variance inside groups (Ward, JASA 58,
 * 1963; the update is that of Lance and Williams, 1967). */

static double squared_distance(const float *a, const float *b, size_t dim)
{
    double sum = 0;
    for (size_t k = 0; k < dim; k++) {
        const double d = (double)a[k] - (double)b[k];
        sum += d * d;
    }
    return sum;
}

/* The groups so far: a group stays in the row of its first point; a row that was joined has weight 0. */
typedef struct ward {
    size_t count;
    double *distances; /* [count x count] */
    double *weights;   /* [count] */
} ward;

static void find_nearest(const ward *t, size_t *a, size_t *b)
{
    double least = HUGE_VAL;
    for (size_t i = 0; i < t->count; i++)
        for (size_t j = 0; t->weights[i] > 0 && j < i; j++)
            if (t->weights[j] > 0 && t->distances[i * t->count + j] < least) {
                least = t->distances[i * t->count + j];
                *a = j;
                *b = i;
            }
}

static void join_groups(const ward *t, size_t a, size_t b)
{
    const size_t n = t->count;
    const double wa = t->weights[a], wb = t->weights[b], ab = t->distances[a * n + b];
    for (size_t k = 0; k < n; k++) {
        const double w = t->weights[k];
        if (w <= 0 || k == a || k == b)
            continue;
        const double d =
            ((wa + w) * t->distances[a * n + k] + (wb + w) * t->distances[b * n + k] - w * ab) /
            (wa + wb + w);
        t->distances[a * n + k] = t->distances[k * n + a] = d;
    }
    t->weights[a] += wb;
    t->weights[b] = 0;
}

void f0t_ward(f0t_merge *merges, const float *vectors, size_t dim, const uint32_t *points,
              size_t count, double *room)
{
    const ward t = {count, room, room + count * count};
    for (size_t i = 0; i < count; i++) {
        t.weights[i] = 1;
        for (size_t j = 0; j < count; j++)
            t.distances[i * count + j] =
                squared_distance(vectors + points[i] * dim, vectors + points[j] * dim, dim);
    }
    for (size_t i = 0; i + 1 < count; i++) {
        size_t a = 0, b = 0;
        find_nearest(&t, &a, &b);
        join_groups(&t, a, b);
        merges[i] = (f0t_merge){(uint32_t)a, (uint32_t)b};
    }
}

void f0t_ward_cut(uint32_t *group, const f0t_merge *merges, size_t count, size_t k)
{
    for (size_t i = 0; i < count; i++)
        group[i] = (uint32_t)i;
    for (size_t m = 0; m + k < count; m++)
        for (size_t i = 0; i < count; i++)
            if (group[i] == merges[m].b)
                group[i] = merges[m].a;
    /* Numbered in the order of their first points. */
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++) {
        if (group[i] != i)
            group[i] = group[group[i]];
        else
            group[i] = next++;
    }
}

/* ---- Memory -------------------------------------------------------------------------------- */

/* Rules with more relevant tags are no tags of a picture, and grouping takes their number cubed;
 * beyond so many seen tags a ranking SVM of one rule alone takes too long. */
enum { TAGS_MOST = 200, SEEN_MOST = 4000, CHUNK = 16, K = F0T_STUDY_GROUPS };

/* Memory of one thread. */
typedef struct workspace {
    f0t_ranksvm_part *part;
    uint32_t *tags;  /* [seen] a group, then the irrelevant tags */
    uint32_t *group; /* [TAGS_MOST] */
    f0t_merge *merges;
    double *room; /* of f0t_ward */
    float *w;     /* [dim] */
} workspace;

typedef struct asker {
    const f0t_study_task *task;
    const f0t_study_space *space;
    f0t_ranksvm *svm;
    double lambda;
    workspace *workspaces;
    size_t threads;
    uint32_t *sample;
    size_t count;
    float *scores; /* [CHUNK x K x unseen] */
    f0t_pair_ranking ranking;
} asker;

static bool wanted(const f0t_study_rules *rules, size_t r)
{
    const size_t count = f0t_rule_size(rules->seen, r);
    return count >= K && count <= TAGS_MOST && count < rules->seen->tags &&
           rules->firsts[r + 1] > rules->firsts[r];
}

static f0t_status workspace_create(workspace *b, const asker *a)
{
    F0T_TRY(f0t_ranksvm_part_create(&b->part, a->svm));
    F0T_TRY(f0t_alloc(&b->tags, a->task->tags->seen, sizeof *b->tags));
    F0T_TRY(f0t_alloc(&b->group, TAGS_MOST, sizeof *b->group));
    F0T_TRY(f0t_alloc(&b->merges, TAGS_MOST, sizeof *b->merges));
    F0T_TRY(f0t_alloc(&b->room, TAGS_MOST * TAGS_MOST + TAGS_MOST, sizeof *b->room));
    return f0t_alloc(&b->w, a->space->dim, sizeof *b->w);
}

static void workspace_free(workspace *b)
{
    f0t_ranksvm_part_free(b->part);
    f0t_free(b->tags);
    f0t_free(b->group);
    f0t_free(b->merges);
    f0t_free(b->room);
    f0t_free(b->w);
}

static f0t_status asker_create(asker *a)
{
    const f0t_study_options *o = a->task->options;
    F0T_TRY(f0t_study_sample(&a->sample, &a->count, a->task->rules, wanted, o->sample, o->seed));
    if (!a->count)
        return F0T_OK;
    F0T_TRY(f0t_ranksvm_create(&a->svm, a->space->vectors, a->task->tags->seen, a->space->dim));
    a->threads = (size_t)f0t_team_size();
    F0T_TRY(f0t_alloc_zero(&a->workspaces, a->threads, sizeof *a->workspaces));
    for (size_t i = 0; i < a->threads; i++)
        F0T_TRY(workspace_create(&a->workspaces[i], a));
    F0T_TRY(f0t_alloc(&a->scores, CHUNK * K * a->task->tags->unseen, sizeof *a->scores));
    return f0t_pair_ranking_create(&a->ranking, a->task->rules, 1);
}

static void asker_free(asker *a)
{
    for (size_t i = 0; a->workspaces && i < a->threads; i++)
        workspace_free(&a->workspaces[i]);
    f0t_free(a->workspaces);
    f0t_free(a->sample);
    f0t_free(a->scores);
    f0t_pair_ranking_free(&a->ranking);
    f0t_ranksvm_free(a->svm);
}

/* ---- One rule ---------------------------------------------------------------------------------- */

static double dot(const float *a, const float *b, size_t dim)
{
    double sum = 0;
    for (size_t k = 0; k < dim; k++)
        sum += (double)a[k] * (double)b[k];
    return sum;
}

/* Group g of the rule first, then all irrelevant tags; gives how many there are, and *size of the
 * group. */
static size_t list_tags(workspace *b, size_t *size, const f0t_rules *rules, size_t r, uint32_t g)
{
    const uint32_t *relevant = rules->relevant + rules->offsets[r];
    const size_t count = f0t_rule_size(rules, r);
    size_t at = 0;
    for (size_t i = 0; i < count; i++)
        if (b->group[i] == g)
            b->tags[at++] = relevant[i];
    *size = at;
    for (uint32_t t = 0, next = 0; t < rules->tags; t++)
        if (next < count && relevant[next] == t)
            next++;
        else
            b->tags[at++] = t;
    return at;
}

/* The best of what scores[unseen] holds and the scores along b->w. */
static void raise_scores(float *scores, const workspace *b, const asker *a, size_t size,
                         size_t count)
{
    const size_t dim = a->space->dim, seen = a->task->tags->seen;
    double mean = 0, squares = 0;
    const double n = (double)(count - size);
    for (size_t i = size; i < count; i++) {
        const double score = dot(b->w, a->space->vectors + b->tags[i] * dim, dim);
        mean += score / n;
        squares += score * score / n;
    }
    const double spread = sqrt(fmax(squares - mean * mean, 1e-12));
    for (size_t u = 0; u < a->task->tags->unseen; u++) {
        const double score = dot(b->w, a->space->vectors + (seen + u) * dim, dim);
        scores[u] = fmaxf(scores[u], (float)((score - mean) / spread));
    }
}

static void score_rule(float *scores, workspace *b, const asker *a, size_t r)
{
    const f0t_rules *rules = a->task->rules->seen;
    const f0t_ranksvm_options options = {.hinge = a->task->options->hinge};
    const size_t unseen = a->task->tags->unseen, count = f0t_rule_size(rules, r);
    f0t_ward(b->merges, a->space->vectors, a->space->dim, rules->relevant + rules->offsets[r],
             count, b->room);
    for (size_t k = 1; k <= K; k++, scores += unseen) {
        f0t_ward_cut(b->group, b->merges, count, k);
        for (size_t u = 0; u < unseen; u++)
            scores[u] = -HUGE_VALF;
        for (uint32_t g = 0; g < k; g++) {
            size_t size, all = list_tags(b, &size, rules, r, g);
            f0t_ranksvm_part_solve(b->w, NULL, b->part, b->tags, size, all, a->lambda, &options);
            raise_scores(scores, b, a, size, all);
        }
    }
}

static void score_chunk(const asker *a, size_t first, size_t count)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)a->threads)
    for (size_t i = 0; i < count; i++) {
#ifdef _OPENMP
        workspace *b = &a->workspaces[omp_get_thread_num()];
#else
        workspace *b = &a->workspaces[0];
#endif
        score_rule(a->scores + i * K * a->task->tags->unseen, b, a, a->sample[first + i]);
    }
}

/* ---- All --------------------------------------------------------------------------------------- */

/* Sums while rules are added: out->gain and out->error hold sums and squares. */
static f0t_status add_rule(f0t_study_groups *out, asker *a, const float *scores, size_t r)
{
    const f0t_study_rules *rules = a->task->rules;
    const size_t first = rules->firsts[r], end = rules->firsts[r + 1], unseen = rules->unseen->tags;
    double images = 0, random = 0, sums[K] = {0};
    for (size_t k = 0; k < K; k++) {
        F0T_TRY(f0t_pair_ranking_run(&a->ranking, scores + k * unseen, r, 1));
        images = 0;
        for (size_t i = first; i < end; i++) {
            const double weight = (double)rules->pairs[i].images;
            sums[k] += 100 * weight * a->ranking.precisions[i - first];
            images += weight;
        }
        const double gain = (sums[k] - sums[0]) / images;
        out->miap[k] += sums[k] / images;
        out->gain[k] += gain;
        out->error[k] += gain * gain;
    }
    for (size_t i = first; i < end; i++)
        random +=
            100 * (double)rules->pairs[i].images *
            f0t_random_precision(f0t_rule_size(rules->unseen, rules->pairs[i].unseen), unseen);
    out->random += random / images;
    out->images += (size_t)images;
    out->rules++;
    return F0T_OK;
}

static void finish(f0t_study_groups *out)
{
    const double rules = (double)out->rules;
    out->random /= rules;
    for (size_t k = 0; k < K; k++) {
        out->miap[k] /= rules;
        out->gain[k] /= rules;
        const double variance = out->error[k] / rules - out->gain[k] * out->gain[k];
        out->error[k] = sqrt(fmax(variance, 0) / fmax(rules - 1, 1));
    }
}

static f0t_status ask(f0t_study_groups *out, asker *a)
{
    f0t_stage stage =
        f0t_stage_begin(a->task->monitor, "trying several directions", "rules", a->count);
    for (size_t first = 0; first < a->count; first += CHUNK) {
        const size_t count = a->count - first < CHUNK ? a->count - first : CHUNK;
        score_chunk(a, first, count);
        for (size_t i = 0; i < count; i++)
            F0T_TRY(
                add_rule(out, a, a->scores + i * K * a->task->tags->unseen, a->sample[first + i]));
        F0T_TRY(f0t_stage_update(&stage, first + count));
    }
    f0t_stage_end(&stage);
    finish(out);
    return F0T_OK;
}

f0t_status f0t_study_groups_find(f0t_study_groups *out, const f0t_study_task *task,
                                 const f0t_study_space *space)
{
    asker a = {.task = task, .space = space, .lambda = f0t_study_middle(task->options)};
    *out = (f0t_study_groups){.lambda = a.lambda};
    if (!task->tags->unseen || task->tags->seen > SEEN_MOST)
        return F0T_OK;
    f0t_status status = asker_create(&a);
    if (status == F0T_OK && a.count)
        status = ask(out, &a);
    asker_free(&a);
    return status;
}
