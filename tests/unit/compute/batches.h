/* Batches with made scores and relevant tags: shared by the tests of the losses and of MiAP. */
#ifndef F0T_TESTS_BATCHES_H
#define F0T_TESTS_BATCHES_H

#include "support.h"

#include "base/random.h"
#include "compute/loss.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A batch that owns what its pointers show. */
typedef struct batch {
    f0t_loss_batch at;
    float *scores;
    size_t *offsets;
    uint32_t *relevant;
} batch;

static inline void *make(size_t count, size_t size)
{
    void *memory = NULL;
    assert_ok(f0t_alloc_zero(&memory, count, size));
    return memory;
}

/* Row m has none, all, one, all but one, or from row 4 on a share of the tags that differs from row
 * to row, few of them mostly. */
static inline size_t wanted_relevant(size_t m, size_t tags, uint64_t seed)
{
    f0t_random random = {seed, 2};
    const size_t first[] = {1, tags - 1, 0, tags};
    double share = pow(f0t_random_uniform(&random, m), 4);
    return m < 4 && tags ? first[m] : (size_t)(share * (double)(tags + 1));
}

static inline void fill_relevant(batch *made, uint64_t seed)
{
    size_t tags = made->at.tags, count = 0;
    uint32_t *order = make(tags, sizeof *order);
    for (size_t m = 0; m < made->at.images; m++) {
        f0t_random random = {seed, 100 + m};
        bool *is = make(tags, sizeof *is);
        for (size_t t = 0; t < tags; t++)
            order[t] = (uint32_t)t;
        f0t_random_shuffle(order, tags, &random);
        for (size_t i = 0; i < wanted_relevant(m, tags, seed); i++)
            is[order[i]] = true;
        for (size_t t = 0; t < tags; t++)
            if (is[t])
                made->relevant[count++] = (uint32_t)t;
        made->offsets[m + 1] = count;
        f0t_free(is);
    }
    f0t_free(order);
}

/* Scores in [-scale, scale). */
static inline batch make_batch(size_t images, size_t tags, float scale, uint64_t seed)
{
    batch made = {{.images = images, .tags = tags, .number = seed + 17},
                  make(images * tags, sizeof(float)),
                  make(images + 1, sizeof(size_t)),
                  make(images * tags, sizeof(uint32_t))};
    test_random_floats(made.scores, images * tags, seed);
    for (size_t i = 0; i < images * tags; i++)
        made.scores[i] *= scale;
    fill_relevant(&made, seed);
    made.at.scores = made.scores;
    made.at.offsets = made.offsets;
    made.at.relevant = made.relevant;
    return made;
}

static inline void free_batch(batch *made)
{
    f0t_free(made->scores);
    f0t_free(made->offsets);
    f0t_free(made->relevant);
}

static inline double *as_doubles(const float *x, size_t n)
{
    double *wide = make(n, sizeof *wide);
    for (size_t i = 0; i < n; i++)
        wide[i] = (double)x[i];
    return wide;
}

/* A plan, one run, and the plan freed. */
static inline f0t_status run_once(f0t_loss_result *result, float *gradient,
                                  const f0t_loss_options *options, const f0t_loss_batch *at)
{
    f0t_loss_plan *plan;
    F0T_TRY(f0t_loss_plan_create(&plan, options, at->images, at->tags));
    f0t_status status = f0t_loss_run(result, gradient, plan, at);
    f0t_loss_plan_free(plan);
    return status;
}

/* An emulated CPU is slow. */
static inline bool small_run(void)
{
    return getenv("F0T_TEST_SMALL") != NULL;
}

#endif
