#include "baseline/ranker.h"

#include <string.h>

f0t_status f0t_task_read(float *to, const f0t_task *task, const uint32_t *images, size_t count)
{
    return f0t_condition_gather(to, task->unit, task->dataset, images, count);
}

size_t f0t_task_features(const f0t_task *task)
{
    return task->unit->dim;
}

/* As in the tables, one per line. */
/* clang-format off */
const f0t_ranker *const f0t_rankers[] = {
    &f0t_ranker_random,
    &f0t_ranker_frequency,
    &f0t_ranker_frequency_told,
    &f0t_ranker_frequency_predicted,
    &f0t_ranker_cca,
    &f0t_ranker_wsabie,
    &f0t_ranker_tagprop,
    &f0t_ranker_warp,
    &f0t_ranker_fasttag,
    &f0t_ranker_seen2unseen,
    &f0t_ranker_labelem,
    &f0t_ranker_labelem_plus,
    &f0t_ranker_conse,
    &f0t_ranker_linear,
    &f0t_ranker_linear_rank,
    &f0t_ranker_net,
    &f0t_ranker_sdl,
    &f0t_ranker_blend,
    &f0t_ranker_ranksvm,
    &f0t_ranker_ranksvm_plain,
    &f0t_ranker_vote,
    &f0t_ranker_sum,
    &f0t_ranker_promote,
    &f0t_ranker_completion,
    &f0t_ranker_fu2015_direct,
    &f0t_ranker_fu2015,
    NULL,
};
/* clang-format on */

bool f0t_ranker_competes(const f0t_ranker *ranker)
{
    return !ranker->oracle && !ranker->told;
}

static const char *name_at(size_t i)
{
    return f0t_rankers[i] ? f0t_rankers[i]->name : NULL;
}

static const char *extended_at(size_t i)
{
    return f0t_rankers_seen2unseen[i] ? f0t_rankers_seen2unseen[i]->name : NULL;
}

f0t_status f0t_ranker_find(const f0t_ranker **out, const char *name)
{
    static const char prefix[] = "seen2unseen:";
    size_t found;
    *out = NULL;
    if (!strncmp(name, prefix, strlen(prefix))) {
        F0T_TRY(f0t_name_find(&found, "method", name, strlen(name), extended_at));
        *out = f0t_rankers_seen2unseen[found];
        return F0T_OK;
    }
    F0T_TRY(f0t_name_find(&found, "method", name, strlen(name), name_at));
    *out = f0t_rankers[found];
    return F0T_OK;
}

const char *f0t_ranker_key(const f0t_ranker *ranker)
{
    return ranker->key ? ranker->key : ranker->name;
}
