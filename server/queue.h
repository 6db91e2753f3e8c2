/* A bounded queue of requests between the thread that receives them and those that work. */
#ifndef F0T_SERVER_QUEUE_H
#define F0T_SERVER_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct request;

typedef struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct request *first, **last;
    size_t count, most;
    bool ended;
} queue;

void queue_init(queue *q, size_t most);
void queue_destroy(queue *q);

/* False when it is full. */
bool queue_put(queue *q, struct request *request);
/* Waits for a request, then up to `gather` seconds for more, and takes those that came, in order, until their
 * weights (request->weight) add up to `weight`; at least one. Returns them linked by `next`; NULL: the queue has
 * ended and is empty. */
struct request *queue_take(queue *q, size_t weight, double gather);
/* The same without waiting; NULL: there is none now. */
struct request *queue_try(queue *q, size_t weight);
/* Waits until there is one; false: the queue has ended and is empty. */
bool queue_wait(queue *q);
size_t queue_length(queue *q);
/* Nobody waits any more. */
void queue_end(queue *q);

#endif
