#include "request.h"

#include "state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORM_BUFFER = 16 << 10, NAME_MOST = 256 };

request *request_create(server *s, struct MHD_Connection *connection)
{
    request *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->server = s;
    r->connection = connection;
    r->began = server_now();
    r->params = (params)PARAMS_DEFAULT;
    r->weight = 1;
    atomic_fetch_add(&s->active, 1);
    return r;
}

static void drop_body(request *r)
{
    for (size_t i = 0; i < r->part_count; i++) {
        free(r->parts[i].field);
        free(r->parts[i].name);
        free(r->parts[i].data);
    }
    free(r->parts);
    r->parts = NULL;
    r->part_count = r->pictures = 0;
    atomic_fetch_sub(&r->server->held, r->held);
    r->held = 0;
}

void request_free(request *r)
{
    if (!r)
        return;
    if (r->form)
        MHD_destroy_post_processor(r->form);
    drop_body(r);
    params_free(&r->params);
    reply_free(&r->reply);
    json_decref(r->query);
    free(r->argument);
    atomic_fetch_sub(&r->server->active, 1);
    free(r);
}

void request_refuse(request *r, unsigned http, f0t_status status, const char *message)
{
    if (!r->reply.status)
        reply_error(&r->reply, http, status, message);
    drop_body(r);
}

static void refuse_for_memory(request *r)
{
    request_refuse(r, MHD_HTTP_SERVICE_UNAVAILABLE, F0T_ERROR_MEMORY, "no memory for the request");
}

/* ---- Parts ------------------------------------------------------------------------------------------------ */

/* What a client calls a picture is for messages, and its ending tells SVG and raw files: no folders. */
static const char *name_of(const char *filename)
{
    const char *name = filename ? filename : "";
    for (const char *c = name; *c; c++)
        if (*c == '/' || *c == '\\')
            name = c + 1;
    const size_t length = strlen(name);
    return length > NAME_MOST ? name + length - NAME_MOST : name;
}

static char *copy_name(const char *filename)
{
    const char *name = name_of(filename);
    return *name ? strdup(name) : NULL;
}

static bool add_part(request *r, const char *field, const char *name)
{
    request_part *parts = realloc(r->parts, (r->part_count + 1) * sizeof *parts);
    if (!parts)
        return false;
    r->parts = parts;
    request_part *part = &parts[r->part_count++];
    *part = (request_part){.field = field ? strdup(field) : NULL, .name = copy_name(name)};
    r->pictures += !field;
    return !field || part->field;
}

static bool append(request_part *part, const char *data, size_t size)
{
    if (part->size + size + 1 > part->room) {
        const size_t room = 2 * (part->size + size) + 256;
        char *more = realloc(part->data, room);
        if (!more)
            return false;
        part->data = more;
        part->room = room;
    }
    if (size)
        memcpy(part->data + part->size, data, size);
    part->size += size;
    part->data[part->size] = 0;
    return true;
}

/* ---- Forms ------------------------------------------------------------------------------------------------ */

/* The parser may say that a part begins before its first bytes have come, and say it again with them. It says the same
 * of an empty part before another of the same name: those two are taken as one. */
static bool is_begun(const request *r, const char *field, const char *filename)
{
    if (!r->part_count || r->parts[r->part_count - 1].size)
        return false;
    const request_part *last = &r->parts[r->part_count - 1];
    if (field)
        return last->field && !strcmp(last->field, field);
    return !last->field && !strcmp(last->name ? last->name : "", name_of(filename));
}

/* libmicrohttpd's parser of forms calls this with a piece of a part; `offset` 0 begins one. */
static enum MHD_Result take_piece(void *user, enum MHD_ValueKind kind, const char *key,
                                  const char *filename, const char *type, const char *encoding,
                                  const char *data, uint64_t offset, size_t size)
{
    request *r = user;
    const size_t most = r->server->options->pictures;
    const char *field = filename ? NULL : key ? key : "";
    (void)kind;
    (void)type;
    (void)encoding;
    if (r->reply.status)
        return MHD_YES;
    const bool begins = offset == 0 && !is_begun(r, field, filename);
    if (begins && r->part_count >= most + 16) {
        char line[100];
        snprintf(line, sizeof line, "a form has at most %zu pictures", most);
        request_refuse(r, MHD_HTTP_CONTENT_TOO_LARGE, F0T_ERROR_ARGUMENT, line);
        return MHD_YES;
    }
    if (begins && !add_part(r, field, filename))
        refuse_for_memory(r);
    else if (!append(&r->parts[r->part_count - 1], data, size))
        refuse_for_memory(r);
    return MHD_YES;
}

static bool is_type(const char *content_type, const char *type)
{
    const size_t length = strlen(type);
    return content_type && !strncasecmp(content_type, type, length) &&
           (!content_type[length] || strchr("; \t", content_type[length]));
}

void request_expect_body(request *r, const char *content_type, const char *name)
{
    if (is_type(content_type, "multipart/form-data")) {
        r->kind = REQUEST_FORM;
        r->form = MHD_create_post_processor(r->connection, FORM_BUFFER, take_piece, r);
        if (!r->form)
            request_refuse(r, MHD_HTTP_BAD_REQUEST, F0T_ERROR_ARGUMENT,
                           "multipart/form-data without a boundary");
        return;
    }
    r->kind = is_type(content_type, "application/json") ? REQUEST_JSON : REQUEST_PICTURE;
    if (!add_part(r, NULL, name) || !append(&r->parts[0], "", 0))
        refuse_for_memory(r);
}

void request_receive(request *r, const char *data, size_t size)
{
    server *s = r->server;
    r->received += size;
    if (r->reply.status)
        return;
    if (r->received > s->body_most) {
        char line[100];
        snprintf(line, sizeof line, "a request has at most %zu megabytes", s->options->body);
        request_refuse(r, MHD_HTTP_CONTENT_TOO_LARGE, F0T_ERROR_ARGUMENT, line);
        return;
    }
    r->held += size;
    if (atomic_fetch_add(&s->held, size) + size > s->held_most) {
        request_refuse(r, MHD_HTTP_TOO_MANY_REQUESTS, F0T_ERROR_MEMORY,
                       "the server has too many requests in memory; try again");
        return;
    }
    if (r->form ? MHD_post_process(r->form, data, size) != MHD_YES
                : !append(&r->parts[0], data, size))
        request_refuse(r, r->form ? MHD_HTTP_BAD_REQUEST : MHD_HTTP_SERVICE_UNAVAILABLE,
                       r->form ? F0T_ERROR_FORMAT : F0T_ERROR_MEMORY,
                       r->form ? "the multipart body is malformed" : "no memory for the request");
}

/* ---- The end of the body ------------------------------------------------------------------------------------ */

static void take_field(request *r, const request_part *part)
{
    bool known;
    f0t_status status = params_set(&r->params, &known, part->field, part->data ? part->data : "");
    if (status == F0T_OK && !known)
        status = f0t_error_set(F0T_ERROR_ARGUMENT, "a form has pictures, which have a filename, "
                                                   "and the fields k, confidence and vocabulary");
    if (status != F0T_OK)
        request_refuse(r, reply_http_status(status), status, f0t_last_error());
}

/* Fields become parameters, pictures move together. */
static void finish_form(request *r)
{
    size_t kept = 0;
    const bool whole = MHD_destroy_post_processor(r->form) == MHD_YES;
    r->form = NULL;
    if (!whole) {
        request_refuse(r, MHD_HTTP_BAD_REQUEST, F0T_ERROR_FORMAT,
                       "the multipart body is malformed or truncated");
        return;
    }
    for (size_t i = 0; i < r->part_count; i++)
        if (r->parts[i].field)
            take_field(r, &r->parts[i]);
    for (size_t i = 0; i < r->part_count; i++) {
        if (r->parts[i].field) {
            free(r->parts[i].field);
            free(r->parts[i].data);
        } else {
            r->parts[kept++] = r->parts[i];
        }
    }
    r->part_count = kept;
    if (!r->reply.status && !kept)
        request_refuse(r, MHD_HTTP_BAD_REQUEST, F0T_ERROR_ARGUMENT,
                       "the form has no picture: a part with a filename");
}

void request_finish_body(request *r)
{
    if (r->form)
        finish_form(r);
    if (r->reply.status)
        return;
    if (r->kind == REQUEST_JSON && r->has_query)
        request_refuse(r, MHD_HTTP_BAD_REQUEST, F0T_ERROR_ARGUMENT,
                       "parameters of JSON are members of the body, not of the address");
    else if (r->pictures > r->server->options->pictures)
        request_refuse(r, MHD_HTTP_CONTENT_TOO_LARGE, F0T_ERROR_ARGUMENT,
                       "the form has too many pictures");
    else if (r->kind == REQUEST_PICTURE && !r->parts[0].size)
        request_refuse(r, MHD_HTTP_BAD_REQUEST, F0T_ERROR_ARGUMENT,
                       "the body is empty: send a picture, a form of pictures, or JSON");
    if (r->pictures)
        r->weight = r->pictures;
}
