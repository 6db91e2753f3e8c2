/*
 * The oracle: the true training tags of the test image make a rule, a ranking SVM in word space
 * learns it, and its direction ranks all tags. It shows how far the directions that linear
 * regression aims at lead; it is no method, for it looks at the answer's other half.
 *
 * Source: Zhang, Gong, Shah, "Fast Zero-Shot Image Tagging", CVPR 2016, section 5.3, the rows
 * "RankSVM": the default regularisation λ = 1, nothing tuned. The paper does not say which hinge
 * gave them: its formula has the plain one, the primal solver it cites the squared one. ranksvm has the
 * latter, ranksvm-plain the former.
 *
 * An image without a true training tag has no rule: its scores are all 0, a tie of all tags, which the metrics
 * count as chance.
 */
#include "baseline/ranker.h"
#include "compute/scoring.h"

#include "base/alloc.h"
#include "baseline/scorer.h"
#include "rank/ranksvm.h"

#include <string.h>

static const double LAMBDA = 1;

static f0t_status fit(void **fitted, const f0t_task *task, void *shared, const double *knobs)
{
    (void)shared;
    (void)knobs;
    f0t_ranksvm *svm;
    F0T_TRY(f0t_ranksvm_create(&svm, task->vectors, task->tags, task->dim));
    *fitted = svm;
    return F0T_OK;
}

static void discard(void *fitted)
{
    f0t_ranksvm_free(fitted);
}

/* The direction of each image's rule into to[images x d]. */
static void spread(float *to, const float *directions, const f0t_rules *rules, size_t dim)
{
    for (size_t m = 0; m < rules->image_count; m++) {
        uint32_t rule = rules->of_image[m];
        if (rule == F0T_NO_RULE)
            memset(to + m * dim, 0, dim * sizeof *to);
        else
            memcpy(to + m * dim, directions + rule * dim, dim * sizeof *to);
    }
}

static f0t_status rank(float *scores, float *directions, float *images, const f0t_rules *rules,
                       const f0t_ranksvm *svm, const f0t_task *task, const f0t_candidates *tags,
                       f0t_hinge hinge)
{
    const f0t_ranksvm_options options = {.hinge = hinge};
    F0T_TRY(f0t_ranksvm_solve(directions, NULL, svm, rules, &LAMBDA, 1, &options, task->monitor));
    spread(images, directions, rules, task->dim);
    return f0t_score_once(scores, images, rules->image_count, tags->vectors, tags->count, task->dim,
                          true);
}

static f0t_status score_by(float *scores, const void *fitted, const f0t_task *task,
                           const f0t_candidates *tags, const f0t_queries *queries, f0t_hinge hinge)
{
    const f0t_tag_sets sets = {.offsets = queries->offsets,
                               .indices = queries->relevant,
                               .images = queries->count,
                               .tags = task->tags};
    f0t_rules *rules = NULL;
    float *directions = NULL, *images = NULL;
    f0t_status status = f0t_rules_create(&rules, &sets, NULL, task->tags);
    if (status == F0T_OK)
        status = f0t_alloc(&directions, rules->count * task->dim, sizeof *directions);
    if (status == F0T_OK)
        status = f0t_alloc(&images, queries->count * task->dim, sizeof *images);
    if (status == F0T_OK)
        status = rank(scores, directions, images, rules, fitted, task, tags, hinge);
    f0t_rules_free(rules);
    f0t_free(directions);
    f0t_free(images);
    return status;
}

static f0t_status score_squared(float *scores, const void *fitted, const f0t_task *task,
                                const f0t_candidates *tags, const f0t_queries *queries)
{
    return score_by(scores, fitted, task, tags, queries, F0T_HINGE_SQUARED);
}

static f0t_status score_plain(float *scores, const void *fitted, const f0t_task *task,
                              const f0t_candidates *tags, const f0t_queries *queries)
{
    return score_by(scores, fitted, task, tags, queries, F0T_HINGE_PLAIN);
}

const f0t_ranker f0t_ranker_ranksvm = {
    .name = "ranksvm",
    .title = "RankSVM (oracle)",
    .source = "Zhang, Gong, Shah: Fast Zero-Shot Image Tagging, CVPR 2016",
    .oracle = true,
    .fit = fit,
    .free = discard,
    .score = score_squared,
};

const f0t_ranker f0t_ranker_ranksvm_plain = {
    .name = "ranksvm-plain",
    .title = "RankSVM (oracle, plain hinge)",
    .source = "Zhang, Gong, Shah: Fast Zero-Shot Image Tagging, CVPR 2016",
    .oracle = true,
    .fit = fit,
    .free = discard,
    .score = score_plain,
};
