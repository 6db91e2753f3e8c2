/*
 * The HTTP interface of a tagger: `fast0tag serve`. A client of the library's public headers.
 *
 * One thread (libmicrohttpd's, with epoll) receives requests and sends answers, and never computes: requests
 * that do are suspended and wait in a bounded queue. Workers take what is waiting, several requests at a time,
 * and tag all of their pictures together. The thread that calls server_run waits for signals, and closes
 * connections that take too long.
 */
#ifndef F0T_SERVER_H
#define F0T_SERVER_H

#include "fast0tag.h"

typedef struct server_options {
    const char *model;         /* file; NULL: that of the catalogue */
    const char *catalogue;     /* file, or NULL: none. "": the user's own */
    const char *vectors;       /* word vectors for words of requests, or NULL: there are none */
    const f0t_vocab *vocab;    /* words to rank where a request has none; NULL: the model's */
    f0t_tagger_options tagger; /* backbone and arithmetic; its vocabulary is not read */
    const char *host;          /* address to listen on */
    size_t port;               /* 0: any */
    const char *token_file;    /* required where `host` is not this machine alone */
    const char *const *names;  /* [name_count] further names that requests may call this host by */
    size_t name_count;
    size_t queue;               /* requests that wait, at most */
    size_t batch;               /* pictures that are tagged together, at most */
    size_t workers;             /* threads that tag */
    size_t connections;         /* open at a time; 0: as many as files may be open, at most 4096 */
    size_t body;                /* megabytes of a request */
    size_t memory;              /* megabytes of all requests that are being received or wait */
    size_t pictures;            /* of a request */
    size_t pixels;              /* millions of pixels of a picture */
    size_t picture_seconds;     /* processor time of a picture */
    size_t timeout;             /* seconds for receiving a request, or sending an answer */
    size_t drain;               /* seconds for requests that are under way at the end */
    bool access_log;            /* one line per request on stderr */
    const f0t_monitor *monitor; /* hears what the server has to say, one thread at a time */
    int threads;                /* of each worker; 0: all */
    const char *device;         /* that tags and learns; NULL: the CPU */
    /* Called when requests are accepted, with the address: "http://127.0.0.1:8077/". */
    void (*ready)(void *user, const char *url);
    void *user;
} server_options;

/* Serves until SIGTERM or SIGINT, then finishes what is under way. SIGHUP loads the model again. Blocks these
 * signals in the calling thread, and in those it starts. */
f0t_status server_run(const server_options *options);

#endif
