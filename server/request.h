/* A request from its first header to its answer. */
#ifndef F0T_SERVER_REQUEST_H
#define F0T_SERVER_REQUEST_H

#include "params.h"
#include "reply.h"

#include <microhttpd.h>

struct route;
struct server;

/* Of a request's body: a picture, or a field of a form. */
typedef struct request_part {
    char *field; /* NULL: a picture */
    char *name;  /* of a picture: what the client calls it, or NULL */
    char *data;
    size_t size, room;
} request_part;

typedef enum request_kind { REQUEST_PICTURE, REQUEST_FORM, REQUEST_JSON } request_kind;

typedef struct request {
    struct request *next; /* in a queue */
    size_t weight;        /* there: its pictures, at least 1 */
    struct server *server;
    struct MHD_Connection *connection;
    const struct route *route; /* NULL: there is none */
    char *argument;            /* what stands for {…} in the route's path, or NULL */
    double began;
    request_kind kind;
    params params;
    bool has_query;                /* parameters in the address, */
    json_t *query;                 /* of a route that names them: text by name */
    struct collection *collection; /* of the thread that answers, or NULL */
    request_part *parts;
    size_t part_count, pictures;
    struct MHD_PostProcessor *form;
    size_t received; /* bytes of the body, */
    size_t held;     /* of which so many count for the server's memory */
    bool waits;      /* suspended, for a worker */
    reply reply;
} request;

/* NULL: no memory. */
request *request_create(struct server *server, struct MHD_Connection *connection);
void request_free(request *r);

/* Prepares for a body of this type: a picture, several of a form, or JSON. */
void request_expect_body(request *r, const char *content_type, const char *name);
/* Takes bytes of the body. Beyond the limits they are thrown away, and the reply says why. */
void request_receive(request *r, const char *data, size_t size);
/* All has come: fields become parameters. */
void request_finish_body(request *r);

/* Throws away what was received, and answers so. A reply that is there already stays. */
void request_refuse(request *r, unsigned http, f0t_status status, const char *message);

#endif
