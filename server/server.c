/* The life of a server: its socket, its threads, signals, the end. */
#include "server.h"

#include "learn.h"
#include "listen.h"
#include "routes.h"
#include "state.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Descriptors that are not connections: files, helpers that decode. */
enum { OTHER_DESCRIPTORS = 128, CONNECTIONS = 4096 };

double server_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void server_stop(volatile sig_atomic_t *flag)
{
    __atomic_store_n(flag, 1, __ATOMIC_RELAXED); /* others are reading it */
}

void server_log(server *s, f0t_log_level level, const char *format, ...)
{
    char line[1024];
    va_list args;
    const f0t_monitor *monitor = s->options->monitor;
    if (!monitor || !monitor->log)
        return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    pthread_mutex_lock(&s->log_lock);
    monitor->log(monitor->user, level, line);
    pthread_mutex_unlock(&s->log_lock);
}

/* ---- The catalogue --------------------------------------------------------------------------------------------------- */

/* A catalogue that another file takes the place of is not gone on with. SQLite's log beside it belongs to the old
 * file: opened with the new one, it would destroy it; and what is decided would go into a file that is gone. */
static f0t_status check_catalogue(const server *s)
{
    struct stat file;
    if (!s->catalogue_path)
        return F0T_OK;
    if (stat(s->catalogue_path, &file) != 0)
        return f0t_error_set(F0T_ERROR_IO, "the catalogue's file is gone: put it back, or "
                                           "restart the server with another one");
    if (file.st_dev == s->catalogue_device && file.st_ino == s->catalogue_file)
        return F0T_OK;
    return f0t_error_set(F0T_ERROR_IO, "the catalogue's file was replaced by another one while "
                                       "the server had it open: restart the server");
}

/* The first that is opened is the one that it is. */
static f0t_status note_catalogue(server *s, collection *c)
{
    struct stat file;
    const char *path = f0t_catalogue_path(collection_catalogue(c));
    if (s->catalogue_path)
        return F0T_OK;
    if (stat(path, &file) != 0 || !(s->catalogue_path = strdup(path)))
        return f0t_error_set(F0T_ERROR_MEMORY, "the catalogue's file cannot be noted");
    s->catalogue_device = file.st_dev;
    s->catalogue_file = file.st_ino;
    return F0T_OK;
}

f0t_status server_collection(collection **out, server *s)
{
    const char *path = s->options->catalogue;
    *out = NULL;
    f0t_status status = check_catalogue(s);
    if (status == F0T_OK)
        status = collection_open(out, *path ? path : NULL, s->vectors_path, s->context);
    if (status == F0T_OK)
        status = note_catalogue(s, *out);
    return status;
}

static f0t_status refresh(server *s, collection *own)
{
    f0t_status status = check_catalogue(s);
    return status == F0T_OK ? collection_refresh(own) : status;
}

static f0t_status copy_path(char **out, const char *path)
{
    *out = path ? strdup(path) : NULL;
    return !path || *out ? F0T_OK : f0t_error_set(F0T_ERROR_MEMORY, "no memory for a path");
}

/* By whichever path; false also where one of them is not there. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* Model and vectors are those of the options, or of the catalogue. */
static f0t_status find_files(server *s)
{
    const server_options *o = s->options;
    collection *c = NULL;
    f0t_status status = o->catalogue ? server_collection(&c, s) : F0T_OK;
    f0t_catalogue *catalogue = c ? collection_catalogue(c) : NULL;
    const char *own = catalogue ? f0t_catalogue_model(catalogue) : NULL;
    const char *model = o->model ? o->model : own;
    const char *vectors = o->vectors  ? o->vectors
                          : catalogue ? f0t_catalogue_vectors(catalogue)
                                      : NULL;
    s->other_model = own && o->model && !is_same_file(own, o->model);
    if (status == F0T_OK)
        status = copy_path(&s->model_path, model);
    if (status == F0T_OK)
        status = copy_path(&s->vectors_path, vectors);
    collection_close(c);
    if (status == F0T_OK && !s->model_path)
        return f0t_error_set(F0T_ERROR_ARGUMENT, "the catalogue has no model: name MODEL");
    return status;
}

/* ---- Threads ---------------------------------------------------------------------------------------------------------- */

/* Does requests one by one, with a catalogue of its own; it was there a moment ago, but may be gone. */
static void do_tasks(server *s, queue *q)
{
    request *r;
    collection *own = NULL;
    f0t_status status = F0T_OK;
    while ((r = queue_take(q, 1, 0))) {
        if (r->route->catalogue)
            status = own ? refresh(s, own) : server_collection(&own, s);
        r->collection = own;
        if (r->route->catalogue && status != F0T_OK)
            reply_failure(&r->reply, status);
        else
            r->route->run(r);
        server_answer(r);
    }
    collection_close(own);
}

static void *task_thread(void *user)
{
    do_tasks(user, &((server *)user)->tasks);
    return NULL;
}

static void *job_thread(void *user)
{
    do_tasks(user, &((server *)user)->jobs);
    return NULL;
}

enum { FIRST_THREADS = 4 }; /* besides the workers */

typedef struct threads {
    pthread_t ids[SERVER_WORKERS_MOST + FIRST_THREADS];
    size_t count;
} threads;

static f0t_status start_threads(threads *t, server *s)
{
    void *(*const first[FIRST_THREADS])(void *) = {task_thread, job_thread, server_relief_thread,
                                                   server_reload_thread};
    for (; t->count < s->options->workers + FIRST_THREADS; t->count++)
        if (pthread_create(&t->ids[t->count], NULL,
                           t->count < FIRST_THREADS ? first[t->count] : server_tag_thread, s))
            return f0t_error_set(F0T_ERROR_MEMORY, "no thread could be started");
    return F0T_OK;
}

/* What is in the queues is still done, or fails soon where `stop` is set. */
static void end_threads(threads *t, server *s)
{
    queue_end(&s->tags);
    queue_end(&s->tasks);
    queue_end(&s->jobs);
    server_end_reloads(s);
    for (size_t i = 0; i < t->count; i++)
        pthread_join(t->ids[i], NULL);
}

/* ---- Serving ------------------------------------------------------------------------------------------------------------ */

static sigset_t signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    return set;
}

/* Until a signal says that it is the end. */
static void wait_for_end(server *s)
{
    const sigset_t set = signals();
    const struct timespec second = {.tv_sec = 1};
    for (;;) {
        const int signal = sigtimedwait(&set, NULL, &second);
        if (signal == SIGTERM || signal == SIGINT)
            return;
        if (signal == SIGHUP)
            server_want_reload(s);
        server_http_sweep(s);
    }
}

/* No new connections; requests that are under way have some time to end. A second signal ends it at once. */
static void drain(server *s)
{
    const sigset_t set = signals();
    const struct timespec while_waiting = {.tv_nsec = 20000000};
    const double end = server_now() + (double)s->options->drain;
    atomic_store(&s->draining, true);
    server_stop(&s->ending);
    const int socket = MHD_quiesce_daemon(s->daemon);
    if (socket >= 0)
        close(socket);
    while (atomic_load(&s->active) && server_now() < end) {
        const int signal = sigtimedwait(&set, NULL, &while_waiting);
        if (signal == SIGTERM || signal == SIGINT)
            break;
    }
    const size_t left = atomic_load(&s->active);
    if (left)
        server_log(s, F0T_LOG_WARNING, "%zu requests were not finished", left);
}

static f0t_status serve(server *s, int socket, const char *url)
{
    threads t = {.count = 0};
    f0t_status status = start_threads(&t, s);
    if (status == F0T_OK)
        status = server_http_start(s, socket);
    if (status == F0T_OK) {
        s->options->ready(s->options->user, url);
        listen_notify("READY=1");
        wait_for_end(s);
        listen_notify("STOPPING=1");
        drain(s);
        server_stop(&s->stop);
    } else {
        close(socket);
    }
    end_threads(&t, s);
    learn_end(s);
    if (s->daemon)
        server_http_end(s);
    return status;
}

/* ---- Making one ------------------------------------------------------------------------------------------------------------ */

/* As many descriptors as the connections need, if the system lets us; or the other way round. */
static f0t_status allow_connections(server *s)
{
    struct rlimit limit;
    const size_t wanted = s->options->connections;
    const rlim_t need = (rlim_t)(wanted ? wanted : CONNECTIONS) + OTHER_DESCRIPTORS;
    char line[200];
    s->connections = wanted ? wanted : CONNECTIONS;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= need)
        return F0T_OK;
    limit.rlim_cur = limit.rlim_max < need ? limit.rlim_max : need;
    if (setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= need)
        return F0T_OK;
    if (!wanted && limit.rlim_cur >= 2 * (rlim_t)OTHER_DESCRIPTORS) {
        s->connections = (size_t)limit.rlim_cur - OTHER_DESCRIPTORS;
        return F0T_OK;
    }
    snprintf(line, sizeof line,
             "--connections: %zu need %zu open files, and this process may have %zu (ulimit -n)",
             s->connections, (size_t)need, (size_t)limit.rlim_max);
    return f0t_error_set(F0T_ERROR_ARGUMENT, line);
}

static f0t_status check(const server_options *o)
{
    if (o->workers < 1 || o->workers > SERVER_WORKERS_MOST)
        return f0t_error_set(F0T_ERROR_ARGUMENT, "--workers: 1 to 16 are possible");
    if (o->port > 65535)
        return f0t_error_set(F0T_ERROR_ARGUMENT, "--port: 0 to 65535 are possible");
    if (o->body > 2047 || o->memory > SIZE_MAX >> 20 || o->body > o->memory)
        return f0t_error_set(F0T_ERROR_ARGUMENT,
                             "--max-body: at most 2047 megabytes, and not more than --max-memory");
    return F0T_OK;
}

static f0t_status load(server *s)
{
    const server_options *o = s->options;
    const f0t_context_options context = {
        .size = sizeof context, .threads = o->threads, .device = o->device, .monitor = &s->monitor};
    f0t_status status = f0t_context_create(&s->context, &context);
    if (status == F0T_OK)
        status = find_files(s);
    if (status == F0T_OK && s->vectors_path)
        status = f0t_vectors_open(&s->vectors, s->vectors_path, NULL, s->context);
    if (status == F0T_OK)
        status = served_open(&s->model, s->model_path, o, s->vectors, s->context);
    return status;
}

static void init(server *s, const server_options *o)
{
    *s = (server){.options = o, .body_most = o->body << 20, .held_most = o->memory << 20};
    s->monitor.stop = &s->stop;
    s->guard.host = o->host;
    s->guard.names = o->names;
    s->guard.name_count = o->name_count;
    pthread_mutex_init(&s->reload_lock, NULL);
    pthread_mutex_init(&s->model_lock, NULL);
    pthread_mutex_init(&s->want_lock, NULL);
    pthread_cond_init(&s->wanted, NULL);
    pthread_mutex_init(&s->client_lock, NULL);
    pthread_mutex_init(&s->log_lock, NULL);
    pthread_mutex_init(&s->learn_lock, NULL);
    queue_init(&s->tags, o->queue);
    queue_init(&s->tasks, o->queue);
    queue_init(&s->jobs, o->queue);
    metrics_init(&s->metrics);
}

static void destroy(server *s)
{
    served_release(s->model);
    f0t_vectors_close(s->vectors);
    f0t_context_free(s->context);
    metrics_destroy(&s->metrics);
    queue_destroy(&s->tags);
    queue_destroy(&s->tasks);
    queue_destroy(&s->jobs);
    free(s->model_path);
    free(s->vectors_path);
    free(s->catalogue_path);
    pthread_mutex_destroy(&s->reload_lock);
    pthread_mutex_destroy(&s->model_lock);
    pthread_mutex_destroy(&s->want_lock);
    pthread_cond_destroy(&s->wanted);
    pthread_mutex_destroy(&s->client_lock);
    pthread_mutex_destroy(&s->log_lock);
    pthread_mutex_destroy(&s->learn_lock);
}

static f0t_status open_and_serve(server *s)
{
    const server_options *o = s->options;
    char url[LISTEN_URL_MOST];
    int socket = -1;
    bool loopback = false;
    f0t_status status = allow_connections(s);
    if (status == F0T_OK && o->token_file)
        status = guard_read_token(&s->guard, o->token_file);
    if (status == F0T_OK)
        status = listen_open(&socket, &loopback, url, o->host, o->port);
    if (status == F0T_OK && !loopback && !s->guard.token_length)
        status = f0t_error_set(F0T_ERROR_ARGUMENT,
                               "--host: an address that others reach needs --token-file");
    if (status == F0T_OK)
        status = load(s);
    if (status == F0T_OK)
        return serve(s, socket, url);
    if (socket >= 0)
        close(socket);
    return status;
}

f0t_status server_run(const server_options *options)
{
    server s;
    const sigset_t set = signals();
    sigset_t before;
    f0t_status status = check(options);
    if (status != F0T_OK)
        return status;
    pthread_sigmask(SIG_BLOCK, &set, &before);
    signal(SIGXFSZ,
           SIG_IGN); /* a file that may not grow is an error like a full disk, not the end */
    init(&s, options);
    status = open_and_serve(&s);
    destroy(&s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}
