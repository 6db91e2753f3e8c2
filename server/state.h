/* What the threads of a server share. */
#ifndef F0T_SERVER_STATE_H
#define F0T_SERVER_STATE_H

#include "collection.h"
#include "guard.h"
#include "metrics.h"
#include "queue.h"
#include "request.h"
#include "served.h"

#include <stdatomic.h>
#include <sys/types.h>

enum { SERVER_WORKERS_MOST = 16 };

struct client;

typedef struct server {
    const server_options *options;
    guard guard;
    size_t body_most, held_most; /* bytes of a request, of all of them */
    size_t connections;          /* at most */
    char *model_path;            /* of options, or of the catalogue */
    char *vectors_path;          /* likewise; NULL: none */
    char *
        catalogue_path; /* the file that was opened at the start, and which one it is; NULL: none */
    dev_t catalogue_device;
    ino_t catalogue_file;
    bool other_model; /* the catalogue has another one than model_path */
    f0t_vectors *vectors;
    f0t_monitor monitor; /* of the workers: it logs nothing, and stops them at the end */
    volatile sig_atomic_t stop;
    volatile sig_atomic_t ending; /* the same for learning, as soon as the end begins */
    pthread_mutex_t learn_lock;   /* of */
    pthread_t learner;
    bool learned, learning; /* the thread was started and not joined; it is at work */
    f0t_context *context;
    pthread_mutex_t reload_lock; /* of loading the model again: the file read last is served last */
    pthread_mutex_t model_lock;  /* of */
    served *model;
    pthread_mutex_t want_lock; /* of, with `wanted` to tell that it changed: */
    pthread_cond_t wanted;
    bool want_reload, no_reloads;
    queue tags;  /* requests for the workers that tag */
    queue tasks; /* other requests that take some time: one thread does them, one by one */
    queue jobs;  /* the same for those that may take minutes */
    atomic_size_t worker_count;
    _Atomic double busy_since[SERVER_WORKERS_MOST]; /* of each worker; 0: it is not */
    atomic_size_t active; /* requests, from their headers to the end of their answer */
    atomic_size_t held;   /* bytes of their bodies */
    atomic_bool draining;
    metrics metrics;
    struct MHD_Daemon *daemon;
    pthread_mutex_t client_lock; /* of */
    struct client *clients;
    size_t client_count;
    pthread_mutex_t log_lock;
} server;

/* Seconds on a clock that only goes forward. */
double server_now(void);
/* Sets a flag that monitors watch. */
void server_stop(volatile sig_atomic_t *flag);
void server_log(server *s, f0t_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* reload.c: the model of now, to be released. */
served *server_model(server *s);
/* Loads the model again; the old one stays where that fails, which is logged. */
f0t_status server_reload(server *s);
/* The same by and by, in the thread server_reload_thread, until server_end_reloads. */
void server_want_reload(server *s);
void server_end_reloads(server *s);
void *server_reload_thread(void *user);

/* A catalogue for the calling thread. Fails with F0T_ERROR_IO where its file is not the one that it was at the start. */
f0t_status server_collection(collection **out, server *s);

/* The reply is there: gives a suspended request back to the thread that answers. */
void server_answer(request *r);

/* tagging.c: takes requests from the queue until it ends. The argument is the server. The second one works only while
 * all others are held up, by a picture that takes long. */
void *server_tag_thread(void *user);
void *server_relief_thread(void *user);

/* http.c: begins to accept requests on a socket that listens, and ends. */
f0t_status server_http_start(server *s, int socket);
void server_http_end(server *s);
/* Closes connections that take longer than they may. */
void server_http_sweep(server *s);

#endif
