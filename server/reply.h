/* What a request is answered with: a status and a body, for the most part JSON. */
#ifndef F0T_SERVER_REPLY_H
#define F0T_SERVER_REPLY_H

#include "fast0tag.h"

#include <jansson.h>

typedef struct reply {
    unsigned status;  /* of HTTP; 0: there is none yet */
    const char *type; /* of the body: a literal */
    const char *text; /* [size] */
    size_t size;
    char *owned;       /* the text, where the reply has to free it */
    void *stream;      /* of events (learn.h), instead of a text */
    bool cached;       /* a client may keep it for some time */
    const char *allow; /* of 405: the methods that there are; a literal */
} reply;

void reply_free(reply *r);

/* Takes over `value` (NULL: no memory). */
void reply_json(reply *r, unsigned status, json_t *value);
/* A text that stays. */
void reply_text(reply *r, unsigned status, const char *type, const char *text, size_t size);

/* {"error": {"status": "bad format", "message": "…"}} */
void reply_error(reply *r, unsigned http, f0t_status status, const char *message);
/* The same for a failure of the library: its last error, and the status that fits. */
void reply_failure(reply *r, f0t_status status);
/* The status of HTTP that fits a failure of the library. */
unsigned reply_http_status(f0t_status status);

/* A text as JSON: one that is not UTF-8 is escaped. */
json_t *reply_string(const char *text);

#endif
