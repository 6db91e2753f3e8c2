#include "math/plan_cache.h"

#include "base/alloc.h"
#include "base/team.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static f0t_cached_plan *idle; /* last used first */

static bool same_op(const f0t_matmul *x, const f0t_matmul *y)
{
    return x->m == y->m && x->n == y->n && x->k == y->k && x->type == y->type &&
           x->result == y->result && x->a_transposed == y->a_transposed &&
           x->b_transposed == y->b_transposed && x->accumulate == y->accumulate &&
           x->relu == y->relu;
}

static f0t_cached_plan *take_idle(const f0t_matmul *op, bool bias, const f0t_packed *packed)
{
    int threads = f0t_team_size();
    f0t_cached_plan *found = NULL;
    pthread_mutex_lock(&lock);
    for (f0t_cached_plan **at = &idle; *at; at = &(*at)->next)
        if ((*at)->bias == bias && (*at)->threads == threads && same_op(&(*at)->op, op) &&
            f0t_plan_fits((*at)->plan, packed)) {
            found = *at;
            *at = found->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

static void release(f0t_cached_plan *cached)
{
    while (cached) {
        f0t_cached_plan *next = cached->next;
        f0t_plan_free(cached->plan);
        f0t_free(cached);
        cached = next;
    }
}

f0t_status f0t_plan_take(f0t_cached_plan **out, const f0t_matmul *op, bool bias,
                         const f0t_packed *packed)
{
    *out = take_idle(op, bias, packed);
    if (*out)
        return F0T_OK;
    f0t_cached_plan *made;
    F0T_TRY(f0t_alloc_zero(&made, 1, sizeof *made));
    made->op = *op;
    made->bias = bias;
    made->threads = f0t_team_size();
    f0t_status status = f0t_plan_create(&made->plan, op, bias, packed);
    if (status == F0T_OK)
        *out = made;
    else
        release(made);
    return status;
}

void f0t_plan_give(f0t_cached_plan *cached)
{
    f0t_cached_plan *surplus = NULL;
    pthread_mutex_lock(&lock);
    cached->next = idle;
    idle = cached;
    f0t_cached_plan *last = idle;
    for (int kept = 1; last && kept < F0T_PLANS_KEPT; kept++)
        last = last->next;
    if (last) {
        surplus = last->next;
        last->next = NULL;
    }
    pthread_mutex_unlock(&lock);
    release(surplus);
}

size_t f0t_plans_count(void)
{
    size_t count = 0;
    pthread_mutex_lock(&lock);
    for (f0t_cached_plan *at = idle; at; at = at->next)
        count++;
    pthread_mutex_unlock(&lock);
    return count;
}

void f0t_plans_clear(void)
{
    pthread_mutex_lock(&lock);
    f0t_cached_plan *all = idle;
    idle = NULL;
    pthread_mutex_unlock(&lock);
    release(all);
}
