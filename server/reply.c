#include "reply.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

static const char JSON_TYPE[] = "application/json";
static const char NO_MEMORY[] =
    "{\"error\":{\"status\":\"out of memory\",\"message\":\"out of memory\"}}";

void reply_free(reply *r)
{
    free(r->owned);
    *r = (reply){.status = 0};
}

void reply_text(reply *r, unsigned status, const char *type, const char *text, size_t size)
{
    reply_free(r);
    *r = (reply){.status = status, .type = type, .text = text, .size = size};
}

void reply_json(reply *r, unsigned status, json_t *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(7)) : NULL;
    json_decref(value);
    if (!text) {
        reply_text(r, MHD_HTTP_SERVICE_UNAVAILABLE, JSON_TYPE, NO_MEMORY, sizeof NO_MEMORY - 1);
        return;
    }
    reply_text(r, status, JSON_TYPE, text, strlen(text));
    r->owned = text;
}

json_t *reply_string(const char *text)
{
    json_t *string = json_string(text);
    if (string)
        return string;
    const size_t size = f0t_line_escape(NULL, 0, text) + 1;
    char *shown = malloc(size);
    if (!shown)
        return NULL;
    f0t_line_escape(shown, size, text);
    string = json_string(shown);
    free(shown);
    return string;
}

void reply_error(reply *r, unsigned http, f0t_status status, const char *message)
{
    reply_json(r, http,
               json_pack("{s:{s:s, s:o}}", "error", "status", f0t_status_name(status), "message",
                         reply_string(message)));
}

unsigned reply_http_status(f0t_status status)
{
    switch (status) {
    case F0T_OK:
        return MHD_HTTP_OK;
    case F0T_ERROR_ARGUMENT:
        return MHD_HTTP_BAD_REQUEST;
    case F0T_ERROR_FORMAT:
    case F0T_ERROR_MISMATCH:
    case F0T_ERROR_UNSUPPORTED:
    case F0T_ERROR_NUMERIC:
        return MHD_HTTP_UNPROCESSABLE_CONTENT;
    case F0T_ERROR_NOT_FOUND:
        return MHD_HTTP_NOT_FOUND;
    case F0T_ERROR_MEMORY:
    case F0T_ERROR_INTERRUPTED:
        return MHD_HTTP_SERVICE_UNAVAILABLE;
    case F0T_ERROR_IO:
    case F0T_ERROR_INTERNAL:
        break;
    }
    return MHD_HTTP_INTERNAL_SERVER_ERROR;
}

void reply_failure(reply *r, f0t_status status)
{
    reply_error(r, reply_http_status(status), status, f0t_last_error());
}
