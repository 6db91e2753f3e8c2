#include "math/workspace.h"

#include "base/alloc.h"

#include <pthread.h>

/* A workspace above this size goes back to the system: the time for new pages is then small beside
 * that of the work on them. */
static const size_t KEEP_BYTES = (size_t)512 << 20;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static f0t_workspace *idle; /* as many as there were calls at the same time */

/* The smallest that suffices, else the largest: it grows, and the small ones stay for small calls.
 */
static f0t_workspace **choose(size_t size)
{
    f0t_workspace **best = &idle;
    for (f0t_workspace **at = &idle; *at; at = &(*at)->next) {
        bool fits = (*at)->size >= size, best_fits = (*best)->size >= size;
        if (fits != best_fits ? fits : fits == ((*at)->size < (*best)->size))
            best = at;
    }
    return best;
}

static f0t_workspace *take_idle(size_t size)
{
    pthread_mutex_lock(&lock);
    f0t_workspace **at = choose(size), *found = *at;
    if (found)
        *at = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

static f0t_status grow(f0t_workspace *workspace, size_t size)
{
    if (workspace->size >= size)
        return F0T_OK;
    f0t_free(workspace->data);
    workspace->size = 0;
    F0T_TRY(f0t_alloc(&workspace->data, size, 1));
    workspace->size = size;
    return F0T_OK;
}

static void release(f0t_workspace *workspace)
{
    f0t_free(workspace->data);
    f0t_free(workspace);
}

f0t_status f0t_workspace_take(f0t_workspace **out, size_t size)
{
    *out = NULL;
    f0t_workspace *found = take_idle(size);
    if (!found)
        F0T_TRY(f0t_alloc_zero(&found, 1, sizeof *found));
    f0t_status status = grow(found, size);
    if (status == F0T_OK)
        *out = found;
    else
        release(found);
    return status;
}

void f0t_workspace_give(f0t_workspace *workspace)
{
    if (!workspace)
        return;
    if (workspace->size > KEEP_BYTES) {
        release(workspace);
        return;
    }
    pthread_mutex_lock(&lock);
    workspace->next = idle;
    idle = workspace;
    pthread_mutex_unlock(&lock);
}

void f0t_workspace_clear(void)
{
    pthread_mutex_lock(&lock);
    f0t_workspace *all = idle;
    idle = NULL;
    pthread_mutex_unlock(&lock);
    while (all) {
        f0t_workspace *next = all->next;
        release(all);
        all = next;
    }
}
