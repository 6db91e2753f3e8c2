/* The row of chance: a random order of the tags for each image. */
#include "base/random.h"
#include "base/hash.h"
#include "baseline/ranker.h"

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
        /* Blocks must not matter: what is drawn belongs to the image, to the bytes of its features. */
        const float *features = queries->features + m * dim;
        f0t_random random = {task->seed,
                             f0t_hash(F0T_HASH_START, features, dim * sizeof *features)};
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
