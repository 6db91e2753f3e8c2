#include "baseline/scorer.h"

#include "base/alloc.h"
#include "compute/scoring.h"
#include "math/workspace.h"

#include <string.h>

enum { ROWS = F0T_SCORER_ROWS };

void f0t_scorer_free(void *scorer)
{
    f0t_scorer *s = scorer;
    if (!s)
        return;
    f0t_condition_free(&s->condition);
    f0t_net_free(s->net);
    f0t_free(s);
}

/* ---- Blocks ------------------------------------------------------------------------------------ */

static f0t_status run_block(const f0t_scorer *s, float *x, float *outputs, const float *features,
                            size_t rows)
{
    size_t D = s->condition.dim;
    memcpy(x, features, rows * D * sizeof *x);
    memset(x + rows * D, 0, (ROWS - rows) * D * sizeof *x);
    f0t_condition_apply(x, &s->condition, ROWS);
    return f0t_net_apply(outputs, s->net, x, ROWS);
}

f0t_status f0t_scorer_each(const f0t_scorer *s, const f0t_queries *queries, f0t_scorer_use use,
                           void *context)
{
    size_t D = s->condition.dim, width = f0t_net_get_shape(s->net)->outputs;
    float *x, *outputs = NULL;
    F0T_TRY(f0t_alloc(&x, ROWS * D, sizeof *x));
    f0t_status status = f0t_alloc(&outputs, ROWS * width, sizeof *outputs);
    for (size_t first = 0; first < queries->count && status == F0T_OK; first += ROWS) {
        size_t rows = queries->count - first < ROWS ? queries->count - first : ROWS;
        status = run_block(s, x, outputs, queries->features + first * D, rows);
        if (status == F0T_OK)
            status = use(context, outputs, first, rows);
    }
    f0t_free(x);
    f0t_free(outputs);
    return status;
}

f0t_status f0t_scorer_product(float *scores, const float *outputs, size_t rows,
                              const float *vectors, size_t tags, size_t dim)
{
    f0t_workspace *whole;
    if (rows == ROWS)
        return f0t_score_once(scores, outputs, ROWS, vectors, tags, dim, true);
    F0T_TRY(f0t_workspace_take(&whole, ROWS * tags * sizeof *scores));
    f0t_status status = f0t_score_once(whole->data, outputs, ROWS, vectors, tags, dim, true);
    if (status == F0T_OK)
        memcpy(scores, whole->data, rows * tags * sizeof *scores);
    f0t_workspace_give(whole);
    return status;
}

/* ---- Scores ------------------------------------------------------------------------------------ */

typedef struct ranking {
    float *scores;
    const f0t_task *task;
    const f0t_candidates *tags;
} ranking;

static f0t_status use_along(void *context, float *outputs, size_t first, size_t rows)
{
    const ranking *r = context;
    return f0t_scorer_product(r->scores + first * r->tags->count, outputs, rows, r->tags->vectors,
                              r->tags->count, r->task->dim);
}

f0t_status f0t_scorer_along(float *scores, const void *scorer, const f0t_task *task,
                            const f0t_candidates *tags, const f0t_queries *queries)
{
    ranking r = {scores, task, tags};
    return f0t_scorer_each(scorer, queries, use_along, &r);
}

static f0t_status use_known(void *context, float *outputs, size_t first, size_t rows)
{
    const ranking *r = context;
    size_t count = r->tags->count;
    for (size_t i = 0; i < rows; i++)
        for (size_t t = 0; t < count; t++)
            r->scores[(first + i) * count + t] = outputs[i * r->task->tags + r->tags->known[t]];
    return F0T_OK;
}

f0t_status f0t_scorer_known(float *scores, const void *scorer, const f0t_task *task,
                            const f0t_candidates *tags, const f0t_queries *queries)
{
    ranking r = {scores, task, tags};
    return f0t_scorer_each(scorer, queries, use_known, &r);
}
