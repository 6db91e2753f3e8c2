/* The row of chance: a random order of the tags for each image. */
#include "base/random.h"
#include "baseline/methods.h"

/* Blocks must not matter, so what is drawn belongs to the image: to the bytes of its features
 * (FNV-1a, Fowler, Noll and Vo). */
static uint64_t number_of(const float *features, size_t dim)
{
    const unsigned char *bytes = (const unsigned char *)features;
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < dim * sizeof *features; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001B3);
    return hash;
}

static f0t_status fit(void **fitted, const f0t_task *task, void *shared, const double *knobs)
{
    (void)task;
    (void)shared;
    (void)knobs;
    *fitted = NULL;
    return F0T_OK;
}

static void forget(void *fitted)
{
    (void)fitted;
}

static f0t_status score(float *scores, const void *fitted, const f0t_task *task,
                        const f0t_candidates *tags, const f0t_queries *queries)
{
    size_t dim = f0t_task_features(task);
    (void)fitted;
    for (size_t m = 0; m < queries->count; m++) {
        f0t_random random = {task->seed, number_of(queries->features + m * dim, dim)};
        for (size_t t = 0; t < tags->count; t++)
            scores[m * tags->count + t] = (float)f0t_random_uniform(&random, t);
    }
    return F0T_OK;
}

const f0t_ranker f0t_ranker_random = {
    .name = "random",
    .title = "Random",
    .source = "chance",
    .fit = fit,
    .free = forget,
    .score = score,
};
