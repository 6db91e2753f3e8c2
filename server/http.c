/* Between libmicrohttpd and the rest: connections, guards, and the way of a request through its phases. */
#include "learn.h"
#include "routes.h"
#include "state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

/* Memory of a connection for its headers and what was received of the body; mapped, so that what is not used
 * costs nothing. */
enum { CONNECTION_MEMORY = 64 << 10 };

/* ---- Connections ----------------------------------------------------------------------------------------------- */

/* libmicrohttpd closes connections on which nothing happens. One that sends or takes a byte from time to time
 * is closed here. */
typedef struct client {
    struct client *next, **link;
    int socket;
    double since; /* when it began to receive a request, or to send an answer */
    bool waits;   /* for a worker, however long that takes */
} client;

static client *client_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

static void note_client(server *s, struct MHD_Connection *connection, bool waits)
{
    client *c = client_of(connection);
    if (!c)
        return;
    pthread_mutex_lock(&s->client_lock);
    c->since = server_now();
    c->waits = waits;
    pthread_mutex_unlock(&s->client_lock);
}

static void add_client(server *s, struct MHD_Connection *connection, void **context)
{
    client *c = calloc(1, sizeof *c);
    *context = c;
    if (!c)
        return;
    c->socket = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    c->since = server_now();
    pthread_mutex_lock(&s->client_lock);
    c->next = s->clients;
    c->link = &s->clients;
    if (c->next)
        c->next->link = &c->next;
    s->clients = c;
    s->client_count++;
    pthread_mutex_unlock(&s->client_lock);
}

static void remove_client(server *s, client *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&s->client_lock);
    *c->link = c->next;
    if (c->next)
        c->next->link = c->link;
    s->client_count--;
    pthread_mutex_unlock(&s->client_lock);
    free(c);
}

/* Called before its socket is closed. */
static void notify_client(void *user, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        add_client(user, connection, context);
    else
        remove_client(user, *context);
}

void server_http_sweep(server *s)
{
    const double now = server_now();
    pthread_mutex_lock(&s->client_lock);
    for (client *c = s->clients; c; c = c->next)
        if (!c->waits && now - c->since > (double)s->options->timeout)
            shutdown(c->socket, SHUT_RDWR);
    pthread_mutex_unlock(&s->client_lock);
}

/* ---- Answers ------------------------------------------------------------------------------------------------------ */

static const char *const HEADERS[][2] = {
    {"X-Content-Type-Options", "nosniff"},
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
     "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
};

static void add_headers(struct MHD_Response *response, const request *r)
{
    for (size_t i = 0; i < sizeof HEADERS / sizeof *HEADERS; i++)
        MHD_add_response_header(response, HEADERS[i][0], HEADERS[i][1]);
    MHD_add_response_header(response, "Content-Type", r->reply.type);
    MHD_add_response_header(response, "Cache-Control",
                            r->reply.cached ? "private, max-age=3600" : "no-store");
    if (r->reply.allow)
        MHD_add_response_header(response, "Allow", r->reply.allow);
    if (r->reply.status == MHD_HTTP_UNAUTHORIZED)
        MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    if (r->reply.status == MHD_HTTP_TOO_MANY_REQUESTS ||
        r->reply.status == MHD_HTTP_SERVICE_UNAVAILABLE)
        MHD_add_response_header(response, "Retry-After", "1");
    if (atomic_load(&r->server->draining))
        MHD_add_response_header(response, "Connection", "close");
}

static struct MHD_Response *make_response(reply *r)
{
    union { /* libmicrohttpd does not write to what it is told to keep */
        const char *in;
        void *out;
    } text = {.in = r->text};
    const enum MHD_ResponseMemoryMode mode =
        r->owned ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT;
    struct MHD_Response *response = MHD_create_response_from_buffer(r->size, text.out, mode);
    if (response)
        r->owned = NULL; /* it is the response's */
    return response;
}

static enum MHD_Result send_reply(request *r)
{
    const bool streams = r->reply.stream != NULL;
    struct MHD_Response *response = streams ? learn_response(r) : make_response(&r->reply);
    if (!response)
        return MHD_NO;
    add_headers(response, r);
    note_client(r->server, r->connection, streams);
    enum MHD_Result sent = MHD_queue_response(r->connection, r->reply.status, response);
    MHD_destroy_response(response);
    return sent;
}

/* ---- Guards ------------------------------------------------------------------------------------------------------- */

static const char *header(const request *r, const char *name)
{
    return MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, name);
}

static void check_sender(request *r)
{
    const server *s = r->server;
    const char *host = header(r, "Host");
    if (!guard_allows_host(&s->guard, host))
        request_refuse(r, MHD_HTTP_MISDIRECTED_REQUEST, F0T_ERROR_ARGUMENT,
                       "this server has another name; --allow-host names one");
    else if (!(r->route && r->route->linked) &&
             !guard_allows_origin(header(r, "Origin"), header(r, "Sec-Fetch-Site"), host))
        request_refuse(r, MHD_HTTP_FORBIDDEN, F0T_ERROR_ARGUMENT,
                       "pages of other sites may not ask this server");
    else if (!(r->route && r->route->open) &&
             !guard_allows_token(&s->guard, header(r, "Authorization")))
        request_refuse(r, MHD_HTTP_UNAUTHORIZED, F0T_ERROR_ARGUMENT,
                       "the token is missing or wrong: Authorization: Bearer TOKEN");
    else if (r->route && r->route->token_alone && !s->guard.token_length)
        request_refuse(r, MHD_HTTP_FORBIDDEN, F0T_ERROR_ARGUMENT,
                       "this is for servers with a token alone; SIGHUP does the same");
}

static void find_route(request *r, const char *method, const char *path)
{
    const char *allow;
    r->route = route_find(method, path, &r->argument, &allow);
    if (r->route && r->route->catalogue && !r->server->options->catalogue)
        r->route = NULL; /* then there is no such path */
    check_sender(r);
    if (r->route || r->reply.status)
        return;
    request_refuse(r, allow ? MHD_HTTP_METHOD_NOT_ALLOWED : MHD_HTTP_NOT_FOUND, F0T_ERROR_NOT_FOUND,
                   allow ? "this path has another method"
                         : "there is no such path; /openapi.json lists them");
    r->reply.allow = allow;
}

/* ---- Parameters in the address -------------------------------------------------------------------------------------- */

static enum MHD_Result take_argument(void *user, enum MHD_ValueKind kind, const char *name,
                                     const char *value)
{
    request *r = user;
    bool known;
    (void)kind;
    if (r->reply.status || !strcmp(name, "name"))
        return MHD_YES;
    r->has_query = true;
    f0t_status status = params_set(&r->params, &known, name, value ? value : "");
    if (status == F0T_OK && !known)
        status = f0t_error_set(F0T_ERROR_ARGUMENT,
                               "the parameters are k, confidence, vocabulary and name");
    if (status != F0T_OK)
        request_refuse(r, reply_http_status(status), status, f0t_last_error());
    return MHD_YES;
}

/* Of a route that names its parameters. */
static enum MHD_Result take_named(void *user, enum MHD_ValueKind kind, const char *name,
                                  const char *value)
{
    request *r = user;
    char wanted[64];
    const char *known = r->route->parameters;
    (void)kind;
    snprintf(wanted, sizeof wanted, " %.60s ", name);
    if (!known || strchr(name, ' ') || !strstr(known, wanted))
        request_refuse(r, MHD_HTTP_BAD_REQUEST, F0T_ERROR_ARGUMENT,
                       "there is no such parameter; /openapi.json lists them");
    else if (json_object_set_new(r->query, name, json_string(value ? value : "")) != 0)
        request_refuse(r, MHD_HTTP_BAD_REQUEST, F0T_ERROR_ARGUMENT, "a parameter is not UTF-8");
    return r->reply.status ? MHD_NO : MHD_YES;
}

static void take_parameters(request *r)
{
    if (r->reply.status)
        return;
    r->query = r->route->work == ROUTE_TAG ? NULL : json_object();
    MHD_get_connection_values(r->connection, MHD_GET_ARGUMENT_KIND,
                              r->route->work == ROUTE_TAG ? take_argument : take_named, r);
}

static void expect_body(request *r)
{
    if (!r->reply.status && r->route->body)
        request_expect_body(
            r, header(r, "Content-Type"),
            MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, "name"));
}

/* A body that is announced as too large is not waited for. */
static bool announces_too_much(request *r)
{
    const char *length = header(r, "Content-Length");
    if (!length || strtoull(length, NULL, 10) <= r->server->body_most)
        return false;
    char line[100];
    snprintf(line, sizeof line, "a request has at most %zu megabytes", r->server->options->body);
    request_refuse(r, MHD_HTTP_CONTENT_TOO_LARGE, F0T_ERROR_ARGUMENT, line);
    return true;
}

/* ---- Phases ----------------------------------------------------------------------------------------------------------- */

static enum MHD_Result begin(server *s, struct MHD_Connection *connection, const char *path,
                             const char *method, void **context)
{
    request *r = request_create(s, connection);
    *context = r;
    if (!r)
        return MHD_NO;
    note_client(s, connection, false);
    find_route(r, method, path);
    take_parameters(r);
    expect_body(r);
    return announces_too_much(r) ? send_reply(r) : MHD_YES;
}

/* Gives the request to those who work. It is suspended before anybody can answer it. */
static void wait_for_worker(request *r)
{
    server *s = r->server;
    r->waits = true;
    note_client(s, r->connection, true);
    MHD_suspend_connection(r->connection);
    queue *to = r->route->work == ROUTE_TAG    ? &s->tags
                : r->route->work == ROUTE_TASK ? &s->tasks
                                               : &s->jobs;
    if (queue_put(to, r))
        return;
    reply_error(&r->reply, MHD_HTTP_TOO_MANY_REQUESTS, F0T_ERROR_MEMORY,
                "too many requests are waiting; try again");
    server_answer(r);
}

static enum MHD_Result answer(request *r)
{
    if (!r->reply.status && r->route->body)
        request_finish_body(r);
    if (!r->reply.status && r->route->body && r->route->work != ROUTE_TAG &&
        r->kind != REQUEST_JSON)
        request_refuse(r, MHD_HTTP_BAD_REQUEST, F0T_ERROR_ARGUMENT, "the body must be JSON");
    if (!r->reply.status && r->route->work == ROUTE_NOW)
        r->route->run(r);
    if (r->reply.status)
        return send_reply(r);
    wait_for_worker(r);
    return MHD_YES;
}

static enum MHD_Result handle(void *user, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *data,
                              size_t *size, void **context)
{
    request *r = *context;
    (void)version;
    if (!r)
        return begin(user, connection, path, method, context);
    if (*size) {
        if (r->route && r->route->body)
            request_receive(r, data, *size);
        *size = 0;
        return MHD_YES;
    }
    return r->waits ? send_reply(r) : answer(r);
}

void server_answer(request *r)
{
    MHD_resume_connection(r->connection);
}

/* The answer is sent, or the client is gone. */
static void complete(void *user, struct MHD_Connection *connection, void **context,
                     enum MHD_RequestTerminationCode code)
{
    server *s = user;
    request *r = *context;
    if (!r)
        return;
    const double seconds = server_now() - r->began;
    const unsigned status = code == MHD_REQUEST_TERMINATED_COMPLETED_OK ? r->reply.status : 499;
    note_client(s, connection, false);
    metrics_request(&s->metrics, route_place(r->route), status, seconds);
    if (s->options->access_log)
        server_log(s, F0T_LOG_INFO, "%s %s %u %zu bytes in %.1f ms",
                   r->route ? r->route->method : "-", r->route ? r->route->path : "other", status,
                   r->received, 1000 * seconds);
    *context = NULL;
    request_free(r);
}

/* ---- The daemon ---------------------------------------------------------------------------------------------------------- */

/* libmicrohttpd's remarks are about clients. */
static void ignore_remark(void *user, const char *format, va_list args)
{
    (void)user;
    (void)format;
    (void)args;
}

f0t_status server_http_start(server *s, int socket)
{
    const unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                           MHD_USE_TURBO | MHD_USE_ERROR_LOG;
    s->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, handle, s, MHD_OPTION_EXTERNAL_LOGGER, ignore_remark, NULL,
        MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_CONNECTION_LIMIT, (unsigned)s->connections,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)s->options->timeout,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY, MHD_OPTION_NOTIFY_CONNECTION,
        notify_client, s, MHD_OPTION_NOTIFY_COMPLETED, complete, s, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_END);
    return s->daemon ? F0T_OK : f0t_error_set(F0T_ERROR_IO, "the HTTP server could not be started");
}

void server_http_end(server *s)
{
    MHD_stop_daemon(s->daemon);
    s->daemon = NULL;
}
