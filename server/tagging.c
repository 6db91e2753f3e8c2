/*
 * The workers: what waits in the queue is taken together, pictures of all requests become features in one call,
 * and requests that rank the same words with the same options are ranked in one call.
 */
#include "body.h"
#include "state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Seconds that a worker waits for more after the first request: answers come so much later when there is little
 * to do, and clients that wait for each other's batch come back together. */
static const double GATHER = 0.002;

/* Seconds of one batch after which others are not to wait for it. */
static const double HELD_UP = 1;

/* A request, and what is known of it so far. */
typedef struct item {
    request *request;
    body body;                  /* of JSON */
    const float *rows;          /* [count x D] */
    size_t count;               /* pictures, or rows of JSON */
    const f0t_tag_result *read; /* [count] whether they could be read; NULL: rows of JSON */
    served_list *list;
    served_words words;
    bool done;     /* the reply is there, */
    size_t tagged; /* with tags for so many */
} item;

typedef struct batch {
    server *server;
    served *model;
    item *items;
    size_t count;
    float *features; /* of all pictures */
    f0t_tag_results *read;
} batch;

static void fail(item *i, f0t_status status)
{
    reply_failure(&i->request->reply, status);
    i->done = true;
}

static void fail_all(batch *b, f0t_status status)
{
    for (size_t i = 0; i < b->count; i++)
        if (!b->items[i].done)
            fail(&b->items[i], status);
}

/* ---- From requests to rows ----------------------------------------------------------------------------------- */

static f0t_status read_json(item *i, const f0t_model *model)
{
    request *r = i->request;
    f0t_status status =
        body_read(&i->body, r->parts[0].data, r->parts[0].size, r->server->options->pictures);
    if (status != F0T_OK)
        return status;
    if (i->body.dim != f0t_model_input_dim(model)) {
        char line[160];
        snprintf(line, sizeof line, "features: rows of %zu numbers, the model takes %zu",
                 i->body.dim, f0t_model_input_dim(model));
        return f0t_error_set(F0T_ERROR_MISMATCH, line);
    }
    i->rows = i->body.features;
    i->count = i->body.rows;
    params_free(&r->params);
    r->params = i->body.params;
    i->body.params = (params)PARAMS_DEFAULT;
    return F0T_OK;
}

static void prepare(batch *b, item *i)
{
    request *r = i->request;
    f0t_status status = F0T_OK;
    if (r->kind == REQUEST_JSON)
        status = read_json(i, f0t_tagger_model(served_tagger(b->model)));
    else
        i->count = r->part_count;
    if (status == F0T_OK)
        status = served_find(&i->list, &i->words, b->model, &r->params, b->server->context);
    if (status != F0T_OK)
        fail(i, status);
}

/* The pictures of all requests, as the tagger takes them. */
typedef struct pictures {
    const void **data;
    size_t *sizes;
    const char **names;
    size_t count;
} pictures;

static void collect_pictures(pictures *p, const batch *b)
{
    for (size_t i = 0; i < b->count; i++) {
        const request *r = b->items[i].request;
        if (b->items[i].done || r->kind == REQUEST_JSON)
            continue;
        for (size_t j = 0; j < r->part_count; j++) {
            p->data[p->count] = r->parts[j].data;
            p->sizes[p->count] = r->parts[j].size;
            p->names[p->count++] = r->parts[j].name ? r->parts[j].name : "picture";
        }
    }
}

/* Their rows, to the items. */
static void spread(batch *b, size_t dim)
{
    size_t at = 0;
    for (size_t i = 0; i < b->count; i++) {
        item *it = &b->items[i];
        if (it->done || it->request->kind == REQUEST_JSON)
            continue;
        it->rows = b->features + at * dim;
        it->read = b->read->items + at;
        at += it->count;
    }
}

static f0t_status run_pictures(batch *b, const pictures *p)
{
    const f0t_tagger *tagger = served_tagger(b->model);
    const size_t dim = f0t_model_input_dim(f0t_tagger_model(tagger));
    const f0t_tag_input input = {.size = sizeof input,
                                 .count = p->count,
                                 .data = p->data,
                                 .sizes = p->sizes,
                                 .names = p->names};
    b->features = malloc(p->count * dim * sizeof *b->features);
    if (!b->features)
        return f0t_error_set(F0T_ERROR_MEMORY, "no memory for the features");
    f0t_status status =
        f0t_tagger_features(b->features, &b->read, tagger, &input, b->server->context);
    if (status == F0T_OK)
        spread(b, dim);
    return status;
}

static f0t_status read_pictures(batch *b)
{
    size_t count = 0;
    for (size_t i = 0; i < b->count; i++)
        if (!b->items[i].done && b->items[i].request->kind != REQUEST_JSON)
            count += b->items[i].count;
    if (!count)
        return F0T_OK;
    pictures p = {.data = malloc(count * sizeof *p.data),
                  .sizes = malloc(count * sizeof *p.sizes),
                  .names = malloc(count * sizeof *p.names)};
    f0t_status status = f0t_error_set(F0T_ERROR_MEMORY, "no memory for the pictures");
    if (p.data && p.sizes && p.names) {
        collect_pictures(&p, b);
        status = run_pictures(b, &p);
    }
    free(p.data);
    free(p.sizes);
    free(p.names);
    return status;
}

/* ---- From rows to replies ------------------------------------------------------------------------------------- */

static json_t *error_json(const f0t_tag_result *result)
{
    return json_pack("{s:s, s:o}", "status", f0t_status_name(result->status), "message",
                     reply_string(result->error));
}

static json_t *tags_json(const f0t_tag_result *result)
{
    json_t *tags = json_array();
    for (size_t i = 0; i < result->count; i++) {
        const f0t_tag_score *t = &result->tags[i];
        json_array_append_new(
            tags,
            json_pack("{s:s, s:f, s:o}", "tag", t->tag, "score", (double)t->score, "confidence",
                      isnan(t->confidence) ? json_null() : json_real((double)t->confidence)));
    }
    return tags;
}

static json_t *picture_json(const item *i, size_t n, const f0t_tag_result *result)
{
    const bool failed = i->read && i->read[n].status != F0T_OK;
    const char *name = i->read ? i->request->parts[n].name : NULL;
    json_t *object = failed ? json_pack("{s:o}", "error", error_json(&i->read[n]))
                            : json_pack("{s:o}", "tags", tags_json(result));
    if (name && object)
        json_object_set_new(object, "name", reply_string(name));
    return object;
}

/* One picture alone that could not be read fails the request; of several, each has its own result. */
static void give_reply(item *i, const f0t_tag_result *results)
{
    i->done = true;
    if (i->count == 1 && i->read && i->read[0].status != F0T_OK) {
        reply_error(&i->request->reply, reply_http_status(i->read[0].status), i->read[0].status,
                    i->read[0].error);
        return;
    }
    json_t *list = json_array();
    for (size_t n = 0; n < i->count; n++) {
        json_array_append_new(list, picture_json(i, n, &results[n]));
        i->tagged += !i->read || i->read[n].status == F0T_OK;
    }
    json_t *whole = json_pack("{s:o}", "pictures", list);
    if (whole && i->words.unknown)
        json_object_set_new(whole, "unknown", json_deep_copy(i->words.unknown));
    reply_json(&i->request->reply, MHD_HTTP_OK, whole);
}

static bool is_same(const item *a, const item *b)
{
    return !b->done && a->words.tagger == b->words.tagger &&
           a->request->params.k == b->request->params.k &&
           a->request->params.confidence >= b->request->params.confidence &&
           a->request->params.confidence <= b->request->params.confidence;
}

/* The rows of all items from `first` on that are like it, one after the other; to be freed. */
static float *join_rows(const batch *b, size_t first, size_t dim, size_t *count)
{
    *count = 0;
    for (size_t i = first; i < b->count; i++)
        *count += is_same(&b->items[first], &b->items[i]) ? b->items[i].count : 0;
    float *rows = malloc(*count * dim * sizeof *rows);
    size_t at = 0;
    for (size_t i = first; rows && i < b->count; i++) {
        const item *it = &b->items[i];
        if (!is_same(&b->items[first], it))
            continue;
        memcpy(rows + at * dim, it->rows, it->count * dim * sizeof *rows);
        at += it->count;
    }
    return rows;
}

/* Ranks for item `first` and all after it that are like it. */
static void rank(batch *b, size_t first)
{
    const item *like = &b->items[first];
    const f0t_tagger *tagger = like->words.tagger;
    const size_t dim = f0t_model_input_dim(f0t_tagger_model(tagger));
    f0t_tag_input input = F0T_TAG_INPUT;
    f0t_tag_options options = F0T_TAG_OPTIONS;
    f0t_tag_results *results = NULL;
    options.k = like->request->params.k;
    options.confidence = like->request->params.confidence;
    float *rows = join_rows(b, first, dim, &input.count);
    input.features = rows;
    f0t_status status = rows
                            ? f0t_tagger_run(&results, tagger, &input, &options, b->server->context)
                            : f0t_error_set(F0T_ERROR_MEMORY, "no memory for the features");
    const item as_it_was = *like;
    for (size_t i = first, at = 0; i < b->count; i++) {
        item *it = &b->items[i];
        if (!is_same(&as_it_was, it))
            continue;
        if (status == F0T_OK)
            give_reply(it, results->items + at);
        else
            fail(it, status);
        at += it->count;
    }
    f0t_tag_results_free(results);
    free(rows);
}

/* ---- A batch ----------------------------------------------------------------------------------------------------- */

static void run_batch(batch *b)
{
    for (size_t i = 0; i < b->count; i++)
        prepare(b, &b->items[i]);
    f0t_status status = read_pictures(b);
    if (status != F0T_OK && b->count > 1) /* the line may name another client's picture */
        status = f0t_error_set(status, "pictures that were read together could not be: try again");
    if (status != F0T_OK)
        fail_all(b, status);
    for (size_t i = 0; i < b->count; i++)
        if (!b->items[i].done)
            rank(b, i);
}

static void end_batch(batch *b)
{
    size_t all = 0, tagged = 0;
    for (size_t i = 0; i < b->count; i++) {
        item *it = &b->items[i];
        all += it->count;
        tagged += it->tagged;
        served_done(b->model, it->list);
        body_free(&it->body);
    }
    metrics_batch(&b->server->metrics, all, all - tagged);
    free(b->features);
    f0t_tag_results_free(b->read);
}

static void tag_requests(server *s, request *first)
{
    batch b = {.server = s, .model = server_model(s)};
    for (request *r = first; r; r = r->next)
        b.count++;
    b.items = calloc(b.count, sizeof *b.items);
    size_t at = 0;
    for (request *r = first; r; r = r->next) {
        if (b.items)
            b.items[at++].request = r;
        else
            reply_error(&r->reply, MHD_HTTP_SERVICE_UNAVAILABLE, F0T_ERROR_MEMORY, "out of memory");
    }
    if (b.items) {
        run_batch(&b);
        end_batch(&b);
    }
    free(b.items);
    served_release(b.model);
    while (first) { /* once answered it is another thread's */
        request *next = first->next;
        server_answer(first);
        first = next;
    }
}

void *server_tag_thread(void *user)
{
    server *s = user;
    request *first;
    const size_t own = atomic_fetch_add(&s->worker_count, 1);
    while ((first = queue_take(&s->tags, s->options->batch, GATHER))) {
        atomic_store(&s->busy_since[own], server_now());
        tag_requests(s, first);
        atomic_store(&s->busy_since[own], 0);
    }
    return NULL;
}

/* ---- When a picture takes long ------------------------------------------------------------------------------------- */

static bool are_held_up(server *s)
{
    const double now = server_now();
    for (size_t i = 0; i < s->options->workers; i++) {
        const double since = atomic_load(&s->busy_since[i]);
        if (since <= 0 || now - since < HELD_UP)
            return false;
    }
    return true;
}

void *server_relief_thread(void *user)
{
    server *s = user;
    const struct timespec while_waiting = {.tv_nsec = 50000000};
    while (queue_wait(&s->tags)) {
        request *first = are_held_up(s) ? queue_try(&s->tags, s->options->batch) : NULL;
        if (first)
            tag_requests(s, first);
        else
            nanosleep(&while_waiting, NULL);
    }
    return NULL;
}
