/* The same list for every image: the training tags by how many training images have them. The score is the
 * log-odds of that share. */
#include "baseline/prior.h"

#include "base/alloc.h"

static f0t_status fit(void **fitted, const f0t_task *task, void *shared, const double *knobs)
{
    double *odds;
    (void)shared;
    (void)knobs;
    f0t_status status = f0t_prior_count(&odds, task);
    *fitted = odds;
    return status;
}

static f0t_status score(float *scores, const void *fitted, const f0t_task *task,
                        const f0t_candidates *tags, const f0t_queries *queries)
{
    const double *odds = fitted;
    (void)task;
    for (size_t m = 0; m < queries->count; m++)
        for (size_t t = 0; t < tags->count; t++)
            scores[m * tags->count + t] = (float)odds[tags->known[t]];
    return F0T_OK;
}

const f0t_ranker f0t_ranker_frequency = {
    .name = "frequency",
    .title = "Frequency",
    .source = "how often training images have a tag",
    .closed = true,
    .calibrated = true,
    .fit = fit,
    .free = f0t_free,
    .score = score,
};
