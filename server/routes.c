#include "routes.h"

#include "files.h"
#include "learn.h"
#include "library.h"
#include "state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- How the server is --------------------------------------------------------------------------------------- */

static void get_health(request *r)
{
    reply_json(&r->reply, MHD_HTTP_OK, json_pack("{s:s}", "status", "ok"));
}

static void get_ready(request *r)
{
    if (atomic_load(&r->server->draining))
        reply_error(&r->reply, MHD_HTTP_SERVICE_UNAVAILABLE, F0T_ERROR_INTERRUPTED,
                    "the server is ending");
    else
        reply_json(&r->reply, MHD_HTTP_OK, json_pack("{s:s}", "status", "ready"));
}

static void get_metrics(request *r)
{
    server *s = r->server;
    const char *names[METRICS_ROUTES + 1] = {NULL};
    for (size_t i = 0; routes[i].path; i++)
        names[i] = routes[i].path;
    served *model = server_model(s);
    pthread_mutex_lock(&s->client_lock);
    const size_t connections = s->client_count;
    pthread_mutex_unlock(&s->client_lock);
    const metrics_now now = {.queue = queue_length(&s->tags),
                             .active = atomic_load(&s->active),
                             .connections = connections,
                             .body_bytes = atomic_load(&s->held),
                             .lists = served_list_count(model),
                             .model = served_number(model)};
    served_release(model);
    size_t length;
    char *text = metrics_print(&s->metrics, &now, names, &length);
    reply_text(&r->reply, text ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE,
               "text/plain; version=0.0.4; charset=utf-8", text ? text : "", text ? length : 0);
    r->reply.owned = text;
}

static void get_file(request *r, const char *name)
{
    const server_file *file = server_file_find(name);
    reply_text(&r->reply, MHD_HTTP_OK, file->type, file->data, file->size);
}

static void get_openapi(request *r)
{
    get_file(r, "openapi.json");
}

static void get_page(request *r)
{
    get_file(r, "page/index.html");
}

static void get_page_file(request *r)
{
    char name[64];
    snprintf(name, sizeof name, "page/%s", r->argument ? r->argument : "");
    if (server_file_find(name))
        get_file(r, name);
    else
        reply_error(&r->reply, MHD_HTTP_NOT_FOUND, F0T_ERROR_NOT_FOUND,
                    "the page has no such file");
}

/* ---- The model ------------------------------------------------------------------------------------------------- */

/* How sure suggestions and sure tags are at least; null: the model does not say how sure it is. */
static json_t *confidences_json(const f0t_model *model)
{
    return f0t_model_method(model) == F0T_METHOD_BLEND
               ? json_pack("{s:f, s:f}", "offered", F0T_OFFERED_LEAST, "sure", F0T_SURE_LEAST)
               : json_null();
}

static void get_model(request *r)
{
    served *model = server_model(r->server);
    const f0t_tagger *tagger = served_tagger(model);
    const f0t_model *m = f0t_tagger_model(tagger);
    const bool pictures = f0t_model_backbone(m) || r->server->options->tagger.backbone;
    reply_json(
        &r->reply, MHD_HTTP_OK,
        json_pack("{s:I, s:I, s:I, s:b, s:b, s:b, s:o}", "number", (json_int_t)served_number(model),
                  "features", (json_int_t)f0t_model_input_dim(m), "tags",
                  (json_int_t)f0t_vocab_count(f0t_tagger_vocab(tagger)), "takes_pictures",
                  pictures && !r->server->options->tagger.features_only, "takes_words",
                  r->server->vectors != NULL, "catalogue", r->server->options->catalogue != NULL,
                  "confidences", confidences_json(m)));
    served_release(model);
}

static void post_reload(request *r)
{
    f0t_status status = server_reload(r->server);
    if (status == F0T_OK)
        get_model(r);
    else
        reply_error(&r->reply, MHD_HTTP_INTERNAL_SERVER_ERROR, status, f0t_last_error());
}

/* ---- The table ---------------------------------------------------------------------------------------------------- */

/* clang-format off */
const route routes[] = {
    {.method = "GET", .path = "/", .open = true, .linked = true, .run = get_page},
    {.method = "GET", .path = "/page/{file}", .open = true, .run = get_page_file},
    {.method = "GET", .path = "/healthz", .open = true, .run = get_health},
    {.method = "GET", .path = "/readyz", .open = true, .run = get_ready},
    {.method = "GET", .path = "/metrics", .run = get_metrics},
    {.method = "GET", .path = "/openapi.json", .run = get_openapi},
    {.method = "POST", .path = "/v1/tag", .work = ROUTE_TAG, .body = true},
    {.method = "GET", .path = "/v1/model", .run = get_model},
    {.method = "POST", .path = "/v1/model/reload", .work = ROUTE_TASK, .token_alone = true, .run = post_reload},
    {.method = "GET", .path = "/v1/find", .work = ROUTE_TASK, .catalogue = true, .parameters = " q k nearest like ", .run = library_find},
    {.method = "GET", .path = "/v1/pictures", .work = ROUTE_TASK, .catalogue = true, .parameters = " after limit order tag untagged undecided confidence from before ids ", .run = library_list},
    {.method = "GET", .path = "/v1/pictures/{id}", .work = ROUTE_TASK, .catalogue = true, .parameters = " confidence ", .run = library_get},
    {.method = "GET", .path = "/v1/pictures/{id}/thumbnail", .work = ROUTE_TASK, .catalogue = true, .run = library_thumbnail},
    {.method = "GET", .path = "/v1/pictures/{id}/why", .work = ROUTE_TASK, .catalogue = true, .parameters = " tag ", .run = library_why},
    {.method = "GET", .path = "/v1/suggestions", .work = ROUTE_TASK, .catalogue = true, .parameters = " after limit order tag confidence from before ", .run = library_suggestions},
    {.method = "GET", .path = "/v1/tags", .work = ROUTE_TASK, .catalogue = true, .parameters = " prefix limit ", .run = library_tags},
    {.method = "POST", .path = "/v1/decisions", .work = ROUTE_TASK, .catalogue = true, .body = true, .run = library_decide},
    {.method = "POST", .path = "/v1/decisions/undo", .work = ROUTE_TASK, .catalogue = true, .run = library_undo},
    {.method = "POST", .path = "/v1/write", .work = ROUTE_JOB, .catalogue = true, .body = true, .run = library_write},
    {.method = "POST", .path = "/v1/learn", .catalogue = true, .parameters = " anew undo ", .run = learn_start},
    {.path = NULL},
};
/* clang-format on */

/* Whether a path is of this form; *part and *length are what stands for {name}. */
static bool is_path(const char *form, const char *path, const char **part, size_t *length)
{
    const char *open = strchr(form, '{');
    if (!open)
        return !strcmp(form, path);
    const size_t before = (size_t)(open - form);
    const char *after = strchr(open, '}') + 1;
    if (strncmp(form, path, before) != 0)
        return false;
    *part = path + before;
    *length = strcspn(*part, "/");
    return *length > 0 && !strcmp(*part + *length, after);
}

const route *route_find(const char *method, const char *path, char **argument, const char **allow)
{
    const char *wanted = strcmp(method, "HEAD") ? method : "GET";
    *argument = NULL;
    *allow = NULL;
    for (const route *r = routes; r->path; r++) {
        const char *part = NULL;
        size_t length = 0;
        if (!is_path(r->path, path, &part, &length))
            continue;
        if (!strcmp(r->method, wanted)) {
            *argument = part ? strndup(part, length) : NULL;
            return r;
        }
        *allow = strcmp(r->method, "GET") ? r->method : "GET, HEAD";
    }
    return NULL;
}

size_t route_place(const route *r)
{
    return r ? (size_t)(r - routes) : METRICS_ROUTES - 1;
}
