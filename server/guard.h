/* Who may ask: the names that a request may call this host by, other sites' pages, the token. */
#ifndef F0T_SERVER_GUARD_H
#define F0T_SERVER_GUARD_H

#include "fast0tag.h"

enum { GUARD_TOKEN_LEAST = 16, GUARD_TOKEN_MOST = 1024 };

typedef struct guard {
    char token[GUARD_TOKEN_MOST + 1]; /* empty: none is asked for */
    size_t token_length;
    const char *host; /* the address that was asked for */
    const char *const *names;
    size_t name_count;
} guard;

/* The first line of the file, without spaces around it: 16 to 1,024 printing characters. */
f0t_status guard_read_token(guard *g, const char *path);

/* Whether a Host header names this server: an address of the loopback, the one that it listens on, or one of
 * its names, with any port. A page elsewhere can make its own name lead here (DNS rebinding), but not
 * change what the browser then sends as Host. */
bool guard_allows_host(const guard *g, const char *host);

/* Whether a request with this Origin (or NULL: none) comes from a page of the server that `host` names, and
 * not from another site: its Sec-Fetch-Site (or NULL) must agree. */
bool guard_allows_origin(const char *origin, const char *fetch_site, const char *host);

/* Whether an Authorization header (or NULL) has the token, in time that does not depend on it. */
bool guard_allows_token(const guard *g, const char *authorization);

#endif
