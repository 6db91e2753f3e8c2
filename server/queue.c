#include "queue.h"

#include "request.h"

#include <errno.h>
#include <time.h>

void queue_init(queue *q, size_t most)
{
    pthread_condattr_t clock;
    *q = (queue){.most = most};
    q->last = &q->first;
    pthread_mutex_init(&q->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&q->filled, &clock);
    pthread_condattr_destroy(&clock);
}

void queue_destroy(queue *q)
{
    pthread_cond_destroy(&q->filled);
    pthread_mutex_destroy(&q->lock);
}

bool queue_put(queue *q, request *r)
{
    pthread_mutex_lock(&q->lock);
    const bool room = q->count < q->most && !q->ended;
    if (room) {
        r->next = NULL;
        *q->last = r;
        q->last = &r->next;
        q->count++;
        pthread_cond_broadcast(&q->filled); /* one may wait for more, another for the first */
    }
    pthread_mutex_unlock(&q->lock);
    return room;
}

static struct timespec time_in(double seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += (long)(seconds * 1e9);
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static size_t weight_of(const queue *q)
{
    size_t sum = 0;
    for (const request *r = q->first; r; r = r->next)
        sum += r->weight;
    return sum;
}

/* While requests keep coming, and until the time is over. */
static void wait_for_more(queue *q, size_t weight, double gather)
{
    const struct timespec end = time_in(gather);
    while (gather > 0 && !q->ended && weight_of(q) < weight)
        if (pthread_cond_timedwait(&q->filled, &q->lock, &end) == ETIMEDOUT)
            return;
}

static request *take_first(queue *q, size_t weight)
{
    request *first = q->first, **last = &q->first;
    size_t sum = 0;
    while (*last && (last == &q->first || sum + (*last)->weight <= weight)) {
        sum += (*last)->weight;
        last = &(*last)->next;
        q->count--;
    }
    q->first = *last;
    *last = NULL;
    if (!q->first)
        q->last = &q->first;
    return first;
}

request *queue_take(queue *q, size_t weight, double gather)
{
    request *taken = NULL;
    pthread_mutex_lock(&q->lock);
    while (!q->first && !q->ended)
        pthread_cond_wait(&q->filled, &q->lock);
    if (q->first)
        wait_for_more(q, weight, gather);
    if (q->first) /* another worker may have been faster */
        taken = take_first(q, weight);
    const bool again = !taken && !q->ended;
    pthread_mutex_unlock(&q->lock);
    return again ? queue_take(q, weight, gather) : taken;
}

request *queue_try(queue *q, size_t weight)
{
    pthread_mutex_lock(&q->lock);
    request *taken = q->first ? take_first(q, weight) : NULL;
    pthread_mutex_unlock(&q->lock);
    return taken;
}

bool queue_wait(queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (!q->first && !q->ended)
        pthread_cond_wait(&q->filled, &q->lock);
    const bool any = q->first != NULL;
    pthread_mutex_unlock(&q->lock);
    return any;
}

size_t queue_length(queue *q)
{
    pthread_mutex_lock(&q->lock);
    const size_t count = q->count;
    pthread_mutex_unlock(&q->lock);
    return count;
}

void queue_end(queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->ended = true;
    pthread_cond_broadcast(&q->filled);
    pthread_mutex_unlock(&q->lock);
}
