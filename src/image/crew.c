#include "image/crew.h"

#include "base/monitor.h"
#include "math/team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* What the threads share. The first failure that ends the work is kept. */
typedef struct state {
    const f0t_crew *crew;
    f0t_stage stage;
    atomic_size_t next, done;
    atomic_bool ended;
    pthread_mutex_t lock; /* of what follows, and of crew->failed */
    f0t_status status;
    char message[512];
} state;

static void end_work(state *s, f0t_status status)
{
    pthread_mutex_lock(&s->lock);
    if (!atomic_exchange(&s->ended, true)) {
        s->status = status;
        snprintf(s->message, sizeof s->message, "%s", f0t_last_error());
    }
    pthread_mutex_unlock(&s->lock);
}

static bool ends_all(f0t_status status)
{
    return status == F0T_ERROR_MEMORY || status == F0T_ERROR_INTERRUPTED ||
           status == F0T_ERROR_INTERNAL;
}

static void picture_failed(state *s, size_t i, f0t_status status)
{
    char message[512];
    f0t_status answer;
    snprintf(message, sizeof message, "%s", f0t_last_error());
    pthread_mutex_lock(&s->lock);
    answer = s->crew->failed(s->crew->context, i, status, message);
    pthread_mutex_unlock(&s->lock);
    if (answer != F0T_OK)
        end_work(s, answer);
}

static void run_one(state *s, f0t_worker *worker, size_t i, int thread)
{
    f0t_status status = s->crew->run(s->crew->context, worker, i, thread);
    if (ends_all(status))
        end_work(s, status);
    else if (status != F0T_OK)
        picture_failed(s, i, status);
    size_t done = atomic_fetch_add(&s->done, 1) + 1;
    if (thread != 0)
        return;
    done *= s->crew->unit ? s->crew->unit : 1;
    status = f0t_stage_update(&s->stage, done); /* one thread speaks */
    if (status != F0T_OK)
        end_work(s, status);
}

static void run_thread(state *s, int thread)
{
    f0t_worker *worker;
    f0t_status status = f0t_worker_create(&worker);
    if (status != F0T_OK)
        end_work(s, status);
    while (!atomic_load(&s->ended)) {
        if (f0t_monitor_stopped(s->crew->monitor))
            end_work(s, f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted"));
        size_t i = atomic_fetch_add(&s->next, 1);
        if (i >= s->crew->count || atomic_load(&s->ended))
            break;
        run_one(s, worker, i, thread);
    }
    f0t_worker_free(worker);
}

f0t_status f0t_crew_run(const f0t_crew *crew)
{
    state s = {.crew = crew, .lock = PTHREAD_MUTEX_INITIALIZER, .status = F0T_OK};
    s.stage = f0t_stage_begin(crew->monitor, crew->stage, "pictures",
                              crew->count * (crew->unit ? crew->unit : 1));
#pragma omp parallel num_threads(f0t_team_size())
    run_thread(&s, f0t_team_member());
    if (s.status != F0T_OK)
        return f0t_fail(s.status, "%s", s.message);
    f0t_stage_end(&s.stage);
    return F0T_OK;
}
