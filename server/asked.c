#include "asked.h"

#include "collection.h"
#include "params.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *asked_text(const request *r, const char *name)
{
    return json_string_value(json_object_get(r->query, name));
}

bool asked_flag(const request *r, const char *name)
{
    const char *text = asked_text(r, name);
    return text && strcmp(text, "0") != 0 && strcmp(text, "false") != 0;
}

f0t_status asked_refuse(const char *name, const char *wanted)
{
    char line[200];
    snprintf(line, sizeof line, "%s: %s is expected", name, wanted);
    return f0t_error_set(F0T_ERROR_ARGUMENT, line);
}

static bool parse_integer(int64_t *out, const char *text)
{
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    *out = value;
    return (*text == '-' || (*text >= '0' && *text <= '9')) && !*end && !errno;
}

f0t_status asked_integer(int64_t *out, const request *r, const char *name, int64_t least,
                         int64_t most)
{
    int64_t value;
    const char *text = asked_text(r, name);
    if (!text)
        return F0T_OK;
    if (!parse_integer(&value, text) || value < least || value > most)
        return asked_refuse(name, "a whole number in its range");
    *out = value;
    return F0T_OK;
}

f0t_status asked_confidence(double *out, const request *r)
{
    bool known;
    params p = {.confidence = F0T_OFFERED_LEAST};
    const char *text = asked_text(r, "confidence");
    f0t_status status = text ? params_set(&p, &known, "confidence", text) : F0T_OK;
    *out = p.confidence;
    return status;
}

/* What is no number is no picture's. */
f0t_status asked_id(int64_t *out, const request *r)
{
    *out = 0;
    if (r->argument && parse_integer(out, r->argument) && *out > 0)
        return F0T_OK;
    return f0t_error_set(F0T_ERROR_NOT_FOUND, "there is no picture of this number");
}

f0t_catalogue *asked_catalogue(const request *r)
{
    return collection_catalogue(r->collection);
}

void asked_answer(request *r, f0t_status status, json_t *value)
{
    if (status == F0T_OK) {
        reply_json(&r->reply, MHD_HTTP_OK, value);
        return;
    }
    json_decref(value);
    reply_failure(&r->reply, status);
}

json_t *json_of_date(int64_t date)
{
    return date == F0T_NO_DATE ? json_null() : json_integer(date);
}

json_t *json_of_share(float share)
{
    return isnan(share) ? json_null() : json_real((double)share);
}

f0t_status asked_picture(f0t_catalogue_pictures **out, const request *r)
{
    int64_t id;
    f0t_status status = asked_id(&id, r);
    *out = NULL;
    return status == F0T_OK ? f0t_catalogue_get(out, asked_catalogue(r), id) : status;
}
