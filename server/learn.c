#include "learn.h"

#include "asked.h"
#include "learned.h"

#include <stdlib.h>
#include <string.h>

enum { EVENTS_MOST = 1 << 20, BLOCK = 4096 }; /* bytes of events; progress beyond is not told */

/* Events on their way from the thread that learns to the one that sends. Each holds it, and the last one frees it. */
typedef struct event_stream {
    pthread_mutex_t lock;
    size_t holders;
    char *text;
    size_t size, room;
    bool ended;
    struct MHD_Connection *connection; /* suspended until there is more; NULL: it is not */
    struct MHD_Connection *of;
    server *server;
    learned_how how;
} event_stream;

/* ---- The stream ----------------------------------------------------------------------------------------------------- */

static event_stream *stream_create(server *s, struct MHD_Connection *connection)
{
    event_stream *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    pthread_mutex_init(&e->lock, NULL);
    e->holders = 1;
    e->server = s;
    e->of = connection;
    return e;
}

static void stream_release(void *user)
{
    event_stream *e = user;
    pthread_mutex_lock(&e->lock);
    const bool last = --e->holders == 0;
    pthread_mutex_unlock(&e->lock);
    if (!last)
        return;
    pthread_mutex_destroy(&e->lock);
    free(e->text);
    free(e);
}

/* A suspended connection stays until it is resumed, also where its client is gone. */
static void wake(event_stream *e)
{
    if (e->connection)
        MHD_resume_connection(e->connection);
    e->connection = NULL;
}

static bool append(event_stream *e, const char *text)
{
    const size_t length = strlen(text);
    if (e->size + length > e->room) {
        const size_t room = 2 * (e->size + length) + 1024;
        char *more = realloc(e->text, room);
        if (!more)
            return false;
        e->text = more;
        e->room = room;
    }
    memcpy(e->text + e->size, text, length);
    e->size += length;
    return true;
}

/* Takes over `data`. The last event ends the stream. */
static void tell(event_stream *e, const char *name, json_t *data, bool last)
{
    char *text = data ? json_dumps(data, JSON_COMPACT) : NULL;
    json_decref(data);
    pthread_mutex_lock(&e->lock);
    if (last || e->size < EVENTS_MOST)
        (void)(append(e, "event: ") && append(e, name) && append(e, "\ndata: ") &&
               append(e, text ? text : "{}") && append(e, "\n\n"));
    e->ended = last;
    wake(e);
    pthread_mutex_unlock(&e->lock);
    free(text);
}

/* libmicrohttpd asks for what comes at `position`. */
static ssize_t read_events(void *user, uint64_t position, char *to, size_t most)
{
    event_stream *e = user;
    ssize_t given = 0;
    pthread_mutex_lock(&e->lock);
    if (position < e->size) {
        const size_t left = e->size - (size_t)position, size = left < most ? left : most;
        memcpy(to, e->text + position, size);
        given = (ssize_t)size;
    } else if (e->ended) {
        given = MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        MHD_suspend_connection(e->of);
        e->connection = e->of;
    }
    pthread_mutex_unlock(&e->lock);
    return given;
}

struct MHD_Response *learn_response(request *r)
{
    event_stream *e = r->reply.stream;
    r->reply.stream = NULL; /* it is the response's */
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_events, e, stream_release);
    if (!response)
        stream_release(e);
    return response;
}

/* ---- Learning --------------------------------------------------------------------------------------------------------- */

static void tell_progress(void *user, const f0t_progress *p)
{
    tell(user, "progress",
         json_pack("{s:o, s:I, s:I, s:s}", "stage", reply_string(p->stage), "done",
                   (json_int_t)p->done, "total", (json_int_t)p->total, "unit", p->unit),
         false);
}

static f0t_status learn(learned *out, event_stream *e)
{
    server *s = e->server;
    const f0t_monitor monitor = {.progress = tell_progress, .user = e, .stop = &s->ending};
    const f0t_context_options options = {.size = sizeof options,
                                         .threads = s->options->threads,
                                         .device = s->options->device,
                                         .monitor = &monitor};
    f0t_context *context = NULL;
    f0t_status status = f0t_context_create(&context, &options);
    if (status == F0T_OK)
        status = learned_make(out, s, e->how, context);
    f0t_context_free(context);
    return status;
}

static void *learn_thread(void *user)
{
    event_stream *e = user;
    server *s = e->server;
    learned what = {.pictures = 0};
    const double began = server_now();
    f0t_status status = learn(&what, e);
    json_t *data = status == F0T_OK ? learned_json(&what, server_now() - began)
                                    : json_pack("{s:s, s:o}", "status", f0t_status_name(status),
                                                "message", reply_string(f0t_last_error()));
    if (status != F0T_OK)
        server_log(s, F0T_LOG_WARNING, "learning failed: %s", f0t_last_error());
    learned_clear(&what);
    pthread_mutex_lock(&s->learn_lock);
    s->learning = false;
    pthread_mutex_unlock(&s->learn_lock);
    tell(e, status == F0T_OK ? "done" : "error", data, true);
    stream_release(e);
    return NULL;
}

/* ---- Beginning and end ---------------------------------------------------------------------------------------------------- */

/* Called with the lock. The thread before, if any, has ended or is about to. */
static bool start_thread(server *s, event_stream *e)
{
    if (s->learned)
        pthread_join(s->learner, NULL);
    s->learned = false;
    e->holders++;
    if (pthread_create(&s->learner, NULL, learn_thread, e) != 0) {
        e->holders--;
        return false;
    }
    s->learned = s->learning = true;
    return true;
}

void learn_start(request *r)
{
    server *s = r->server;
    const bool anew = asked_flag(r, "anew"), undo = asked_flag(r, "undo");
    if (anew && undo) {
        reply_error(&r->reply, MHD_HTTP_BAD_REQUEST, F0T_ERROR_ARGUMENT,
                    "anew and undo exclude each other");
        return;
    }
    if (s->other_model) {
        reply_error(&r->reply, MHD_HTTP_CONFLICT, F0T_ERROR_ARGUMENT,
                    "the catalogue's model learns, and another one is served: start without MODEL");
        return;
    }
    pthread_mutex_lock(&s->learn_lock);
    const bool busy = s->learning, ending = atomic_load(&s->draining);
    event_stream *e = busy || ending ? NULL : stream_create(s, r->connection);
    if (e)
        e->how = undo ? LEARNED_UNDO : anew ? LEARNED_ANEW : LEARNED_REFIT;
    const bool started = e && start_thread(s, e);
    pthread_mutex_unlock(&s->learn_lock);
    if (started) {
        reply_text(&r->reply, MHD_HTTP_OK, "text/event-stream", "", 0);
        r->reply.stream = e;
        return;
    }
    if (e)
        stream_release(e);
    if (ending)
        reply_error(&r->reply, MHD_HTTP_SERVICE_UNAVAILABLE, F0T_ERROR_INTERRUPTED,
                    "the server is ending");
    else if (busy)
        reply_error(&r->reply, MHD_HTTP_CONFLICT, F0T_ERROR_ARGUMENT,
                    "the server is learning already");
    else
        reply_error(&r->reply, MHD_HTTP_SERVICE_UNAVAILABLE, F0T_ERROR_MEMORY,
                    "no memory to learn with");
}

void learn_end(server *s)
{
    server_stop(&s->ending);
    pthread_mutex_lock(&s->learn_lock);
    const bool joined = s->learned;
    s->learned = false;
    pthread_mutex_unlock(&s->learn_lock);
    if (joined)
        pthread_join(s->learner, NULL);
}
