/* Existence and generalisation: ranking SVMs for every rule along λ, and how they rank. */
#include "base/alloc.h"
#include "base/monitor.h"
#include "compute/scoring.h"
#include "eval/study.h"
#include "rank/miap.h"
#include "rank/ranksvm.h"

#include <math.h>

/* Rules that are solved at a time, where their directions for all λ and their scores are not more than
 * so many numbers. */
enum { BLOCK = 2048, BLOCK_LEAST = 16, NUMBERS_MOST = 1 << 25 };

/* ---- Random orders ------------------------------------------------------------------------------- */

/* Place k of n is relevant with chance r/n; then the others before it are so with (r − 1)/(n − 1):
 * E = 1/n Σ_k (1 + (k − 1)(r − 1)/(n − 1)) / k. */
double f0t_random_precision(size_t r, size_t n)
{
    double harmonic = 0;
    if (!r || !n)
        return 0;
    for (size_t k = n; k > 0; k--)
        harmonic += 1 / (double)k;
    const double others = n > 1 ? (double)(r - 1) / (double)(n - 1) : 0;
    return (harmonic + others * ((double)n - harmonic)) / (double)n;
}

double f0t_study_random_existence(const f0t_study_rules *rules)
{
    double sum = 0;
    for (size_t r = 0; r < rules->seen->count; r++)
        sum += f0t_random_precision(f0t_rule_size(rules->seen, r), rules->seen->tags);
    return 100 * sum / (double)rules->seen->count;
}

double f0t_study_random_generalisation(const f0t_study_rules *rules)
{
    double sum = 0;
    for (size_t i = 0; i < rules->pair_count; i++)
        sum += (double)rules->pairs[i].images *
               f0t_random_precision(f0t_rule_size(rules->unseen, rules->pairs[i].unseen),
                                    rules->unseen->tags);
    return rules->tested ? 100 * sum / (double)rules->tested : 0;
}

double f0t_study_middle(const f0t_study_options *options)
{
    return options->lambdas[options->lambda_count / 2];
}

/* ---- One block of rules -------------------------------------------------------------------------- */

/* Memory of a pass. */
typedef struct pass {
    const f0t_study_task *task;
    const f0t_study_space *space;
    f0t_ranksvm *svm;
    size_t block;
    float *directions;  /* [λ x block x dim] */
    float *scores;      /* [block x the larger of seen and unseen] */
    double *precisions; /* [block] */
    f0t_pair_ranking pairs;
} pass;

static size_t block_of(const pass *p, size_t widest)
{
    const size_t numbers = p->task->options->lambda_count * p->space->dim + widest;
    const size_t rules = p->task->rules->seen->count;
    size_t block = NUMBERS_MOST / numbers;
    block = block > BLOCK ? BLOCK : block < BLOCK_LEAST ? BLOCK_LEAST : block;
    return block < rules ? block : rules;
}

static f0t_status pass_create(pass *p)
{
    const f0t_study_tags *tags = p->task->tags;
    const size_t dim = p->space->dim;
    const size_t widest = tags->seen > tags->unseen ? tags->seen : tags->unseen;
    p->block = block_of(p, widest);
    F0T_TRY(f0t_ranksvm_create(&p->svm, p->space->vectors, tags->seen, dim));
    F0T_TRY(f0t_alloc(&p->directions, p->task->options->lambda_count * p->block * dim,
                      sizeof *p->directions));
    F0T_TRY(f0t_alloc(&p->scores, p->block * widest, sizeof *p->scores));
    F0T_TRY(f0t_alloc(&p->precisions, p->block, sizeof *p->precisions));
    return f0t_pair_ranking_create(&p->pairs, p->task->rules, p->block);
}

static void pass_free(pass *p)
{
    f0t_ranksvm_free(p->svm);
    f0t_free(p->directions);
    f0t_free(p->scores);
    f0t_free(p->precisions);
    f0t_pair_ranking_free(&p->pairs);
}

/* Every relevant tag scores above all others. */
static bool all_ahead(const float *scores, size_t tags, const uint32_t *relevant, size_t count)
{
    float least = HUGE_VALF, highest = -HUGE_VALF;
    for (size_t t = 0, i = 0; t < tags; t++)
        if (i < count && relevant[i] == t) {
            least = fminf(least, scores[t]);
            i++;
        } else {
            highest = fmaxf(highest, scores[t]);
        }
    return least > highest || count == tags;
}

/* p->scores[count x tags] = directions[count x dim] vectors[tags x dim]ᵀ */
static f0t_status score_tags(pass *p, const float *directions, size_t count, const float *vectors,
                             size_t tags)
{
    return f0t_score_once(p->scores, directions, count, vectors, tags, p->space->dim, false);
}

static f0t_status add_existence(const f0t_study_curve_room *to, size_t at, pass *p,
                                const float *directions, size_t first, const f0t_rules *block)
{
    const f0t_rules *seen = p->task->rules->seen;
    const f0t_ranking ranking = {.images = block->count,
                                 .tags = seen->tags,
                                 .scores = p->scores,
                                 .offsets = block->offsets,
                                 .relevant = block->relevant};
    F0T_TRY(score_tags(p, directions, block->count, p->space->vectors, seen->tags));
    F0T_TRY(f0t_miap_each(p->precisions, &ranking));
    for (size_t r = 0; r < block->count; r++) {
        to->existence[at] += p->precisions[r];
        to->existence_images[at] += p->precisions[r] * (double)f0t_rule_images(seen, first + r);
        to->satisfied[at] +=
            all_ahead(p->scores + r * seen->tags, seen->tags, block->relevant + block->offsets[r],
                      f0t_rule_size(block, r));
    }
    return F0T_OK;
}

static f0t_status add_generalisation(const f0t_study_curve_room *to, size_t at, pass *p,
                                     const float *directions, size_t first, size_t count)
{
    const f0t_study_rules *rules = p->task->rules;
    const float *vectors = p->space->vectors + p->task->tags->seen * p->space->dim;
    F0T_TRY(score_tags(p, directions, count, vectors, rules->unseen->tags));
    F0T_TRY(f0t_pair_ranking_run(&p->pairs, p->scores, first, count));
    for (size_t i = rules->firsts[first]; i < rules->firsts[first + count]; i++) {
        const double precision = p->pairs.precisions[i - rules->firsts[first]];
        to->generalisation[at] += (double)rules->pairs[i].images * precision;
        to->generalisation_rules[at] += precision;
    }
    return F0T_OK;
}

static f0t_status add_block(const f0t_study_curve_room *to, pass *p, size_t first,
                            const f0t_monitor *monitor)
{
    const f0t_study_options *o = p->task->options;
    const f0t_rules *seen = p->task->rules->seen;
    const size_t count = seen->count - first < p->block ? seen->count - first : p->block;
    const f0t_rules block = f0t_rules_slice(seen, first, count);
    const f0t_ranksvm_options options = {.hinge = o->hinge};
    F0T_TRY(f0t_ranksvm_solve(p->directions, NULL, p->svm, &block, o->lambdas, o->lambda_count,
                              &options, monitor));
    for (size_t i = 0; i < o->lambda_count; i++) {
        const float *directions = p->directions + i * count * p->space->dim;
        F0T_TRY(add_existence(to, i, p, directions, first, &block));
        if (p->task->rules->pair_count)
            F0T_TRY(add_generalisation(to, i, p, directions, first, count));
    }
    return F0T_OK;
}

/* ---- All rules ----------------------------------------------------------------------------------- */

/* Turns the progress of one block into that of all. */
typedef struct relay {
    f0t_monitor monitor;
    const f0t_monitor *to;
    const char *stage;
    uint64_t before, total;
} relay;

static void relay_log(void *user, f0t_log_level level, const char *line)
{
    const relay *r = user;
    if (r->to->log)
        r->to->log(r->to->user, level, line);
}

static void relay_progress(void *user, const f0t_progress *progress)
{
    const relay *r = user;
    const f0t_progress all = {r->stage, "rules x lambda", r->before + progress->done, r->total};
    if (r->to->progress)
        r->to->progress(r->to->user, &all);
}

static void finish(const f0t_study_curve_room *to, const f0t_study_task *task)
{
    const f0t_study_rules *rules = task->rules;
    const double all = (double)rules->seen->count, images = (double)rules->images;
    for (size_t i = 0; i < task->options->lambda_count; i++) {
        to->existence[i] *= 100 / all;
        to->existence_images[i] *= 100 / images;
        to->satisfied[i] *= 100 / all;
        if (rules->pair_count) {
            to->generalisation[i] *= 100 / (double)rules->tested;
            to->generalisation_rules[i] *= 100 / (double)rules->pair_count;
        }
    }
}

static f0t_status run(const f0t_study_curve_room *to, pass *p, const char *stage)
{
    const size_t rules = p->task->rules->seen->count, lambdas = p->task->options->lambda_count;
    const f0t_monitor *monitor = p->task->monitor;
    relay r = {.monitor = {relay_log, relay_progress, &r, monitor ? monitor->stop : NULL},
               .to = monitor,
               .stage = stage,
               .total = rules * lambdas};
    for (size_t first = 0; first < rules; first += p->block) {
        r.before = first * lambdas;
        F0T_TRY(add_block(to, p, first, monitor ? &r.monitor : NULL));
    }
    finish(to, p->task);
    return F0T_OK;
}

f0t_status f0t_study_curves(const f0t_study_curve_room *to, const f0t_study_task *task,
                            const f0t_study_space *space, const char *stage)
{
    pass p = {.task = task, .space = space};
    f0t_status status = pass_create(&p);
    if (status == F0T_OK)
        status = run(to, &p, stage);
    pass_free(&p);
    return status;
}
