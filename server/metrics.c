#include "metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const double BOUNDS[METRICS_BUCKETS] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                               0.1,   0.25,   0.5,   1,    2.5,   10};

void metrics_init(metrics *m)
{
    struct timespec now;
    *m = (metrics){.batches = 0};
    pthread_mutex_init(&m->lock, NULL);
    clock_gettime(CLOCK_REALTIME, &now);
    m->started = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void metrics_destroy(metrics *m)
{
    pthread_mutex_destroy(&m->lock);
}

/* Its place among those that occurred; the last one stands for all that find none. */
static size_t place_of(metrics *m, unsigned status)
{
    size_t i = 0;
    while (i + 1 < METRICS_STATUSES && m->statuses[i] && m->statuses[i] != status)
        i++;
    m->statuses[i] = status;
    return i;
}

void metrics_request(metrics *m, size_t route, unsigned status, double seconds)
{
    size_t bucket = 0;
    while (bucket < METRICS_BUCKETS && seconds > BOUNDS[bucket])
        bucket++;
    pthread_mutex_lock(&m->lock);
    m->requests[route][place_of(m, status)]++;
    m->latency[route][bucket]++;
    m->latency_sum[route] += seconds;
    pthread_mutex_unlock(&m->lock);
}

void metrics_batch(metrics *m, size_t pictures, size_t failed)
{
    pthread_mutex_lock(&m->lock);
    m->batches++;
    m->pictures += pictures - failed;
    m->failed_pictures += failed;
    pthread_mutex_unlock(&m->lock);
}

void metrics_reload(metrics *m, int failed)
{
    pthread_mutex_lock(&m->lock);
    m->reloads += !failed;
    m->failed_reloads += failed != 0;
    pthread_mutex_unlock(&m->lock);
}

/* ---- As text ---------------------------------------------------------------------------------------------- */

static size_t resident_bytes(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file && fscanf(file, "%*u %lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void head(FILE *to, const char *name, const char *type, const char *help)
{
    fprintf(to, "# HELP fast0tag_%s %s\n# TYPE fast0tag_%s %s\n", name, help, name, type);
}

static void one(FILE *to, const char *name, const char *type, const char *help, double value)
{
    head(to, name, type, help);
    fprintf(to, "fast0tag_%s %.17g\n", name, value);
}

static uint64_t count_of(const metrics *m, size_t route)
{
    uint64_t count = 0;
    for (size_t b = 0; b <= METRICS_BUCKETS; b++)
        count += m->latency[route][b];
    return count;
}

static void print_requests(FILE *to, const metrics *m, size_t route, const char *name)
{
    for (size_t i = 0; i < METRICS_STATUSES; i++)
        if (m->requests[route][i])
            fprintf(to, "fast0tag_requests_total{route=\"%s\",status=\"%u\"} %llu\n", name,
                    m->statuses[i], (unsigned long long)m->requests[route][i]);
}

static void print_latency(FILE *to, const metrics *m, size_t route, const char *name)
{
    static const char series[] = "fast0tag_request_duration_seconds";
    uint64_t sum = 0;
    if (!count_of(m, route))
        return;
    for (size_t b = 0; b < METRICS_BUCKETS; b++)
        fprintf(to, "%s_bucket{route=\"%s\",le=\"%g\"} %llu\n", series, name, BOUNDS[b],
                (unsigned long long)(sum += m->latency[route][b]));
    sum += m->latency[route][METRICS_BUCKETS];
    fprintf(to, "%s_bucket{route=\"%s\",le=\"+Inf\"} %llu\n", series, name,
            (unsigned long long)sum);
    fprintf(to, "%s_sum{route=\"%s\"} %.6f\n", series, name, m->latency_sum[route]);
    fprintf(to, "%s_count{route=\"%s\"} %llu\n", series, name, (unsigned long long)sum);
}

static void print_routes(FILE *to, const metrics *m, const char *const *names,
                         void (*print)(FILE *, const metrics *, size_t, const char *))
{
    for (size_t i = 0; names[i]; i++)
        print(to, m, i, names[i]);
    print(to, m, METRICS_ROUTES - 1, "other");
}

static void print_all(FILE *to, const metrics *m, const metrics_now *now, const char *const *names)
{
    head(to, "requests_total", "counter", "Requests that were answered.");
    print_routes(to, m, names, print_requests);
    head(to, "request_duration_seconds", "histogram", "From the headers to the end of the answer.");
    print_routes(to, m, names, print_latency);
    one(to, "requests_active", "gauge", "Requests under way.", (double)now->active);
    one(to, "queue_length", "gauge", "Requests that wait for a worker.", (double)now->queue);
    one(to, "connections", "gauge", "Open connections.", (double)now->connections);
    one(to, "request_body_bytes", "gauge", "Bodies in memory.", (double)now->body_bytes);
    one(to, "word_lists", "gauge", "Lists of words that are kept ready.", (double)now->lists);
    one(to, "batches_total", "counter", "Runs of a worker.", (double)m->batches);
    head(to, "pictures_total", "counter", "Pictures, and rows of features.");
    fprintf(to, "fast0tag_pictures_total{result=\"tagged\"} %llu\n",
            (unsigned long long)m->pictures);
    fprintf(to, "fast0tag_pictures_total{result=\"failed\"} %llu\n",
            (unsigned long long)m->failed_pictures);
    head(to, "model_loads_total", "counter", "Models that took the place of the one before.");
    fprintf(to, "fast0tag_model_loads_total{result=\"loaded\"} %llu\n",
            (unsigned long long)m->reloads);
    fprintf(to, "fast0tag_model_loads_total{result=\"failed\"} %llu\n",
            (unsigned long long)m->failed_reloads);
    one(to, "model_number", "gauge", "Counts up with every model that is loaded.",
        (double)now->model);
    head(to, "resident_memory_bytes", "gauge", "Memory of this process.");
    fprintf(to, "fast0tag_resident_memory_bytes %zu\n", resident_bytes());
    one(to, "start_time_seconds", "gauge", "Since 1970.", m->started);
}

char *metrics_print(metrics *m, const metrics_now *now, const char *const *names, size_t *length)
{
    char *text = NULL;
    FILE *to = open_memstream(&text, length);
    if (!to)
        return NULL;
    pthread_mutex_lock(&m->lock);
    print_all(to, m, now, names);
    pthread_mutex_unlock(&m->lock);
    if (fclose(to) == 0)
        return text;
    free(text);
    return NULL;
}
