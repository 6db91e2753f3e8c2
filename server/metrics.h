/* What is counted, and shown as Prometheus reads it. */
#ifndef F0T_SERVER_METRICS_H
#define F0T_SERVER_METRICS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum { METRICS_ROUTES = 32, METRICS_STATUSES = 24, METRICS_BUCKETS = 12 };

typedef struct metrics {
    pthread_mutex_t lock;
    unsigned statuses[METRICS_STATUSES]; /* that occurred */
    uint64_t requests[METRICS_ROUTES][METRICS_STATUSES];
    uint64_t latency[METRICS_ROUTES][METRICS_BUCKETS + 1]; /* the last is what took longer */
    double latency_sum[METRICS_ROUTES];
    uint64_t pictures, failed_pictures, batches, reloads, failed_reloads;
    double started; /* seconds since 1970 */
} metrics;

/* What is so now, beside the counts. */
typedef struct metrics_now {
    size_t queue, active, connections, body_bytes, lists;
    uint64_t model;
} metrics_now;

void metrics_init(metrics *m);
void metrics_destroy(metrics *m);

/* `route` is its place in the table, METRICS_ROUTES - 1 for none. */
void metrics_request(metrics *m, size_t route, unsigned status, double seconds);
void metrics_batch(metrics *m, size_t pictures, size_t failed);
void metrics_reload(metrics *m, int failed);

/* The text, to be freed, and its length; NULL: no memory. names[route] is the path of a route, NULL past the
 * end. */
char *metrics_print(metrics *m, const metrics_now *now, const char *const *names, size_t *length);

#endif
