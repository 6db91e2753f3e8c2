#include "guard.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- The token -------------------------------------------------------------------------------------- */

static f0t_status bad_token(const char *path, const char *why)
{
    char line[512];
    snprintf(line, sizeof line, "%s: %s", path, why);
    return f0t_error_set(F0T_ERROR_FORMAT, line);
}

f0t_status guard_read_token(guard *g, const char *path)
{
    char line[GUARD_TOKEN_MOST + 3] = "";
    FILE *file = fopen(path, "re");
    if (!file) {
        snprintf(line, sizeof line, "%.900s: the file with the token cannot be read", path);
        return f0t_error_set(F0T_ERROR_IO, line);
    }
    const bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    size_t length = read ? strlen(line) : 0;
    while (length && isspace((unsigned char)line[length - 1]))
        line[--length] = 0;
    if (length < GUARD_TOKEN_LEAST || length > GUARD_TOKEN_MOST)
        return bad_token(path,
                         "a token has 16 to 1024 characters; 'openssl rand -hex 32' makes one");
    for (size_t i = 0; i < length; i++)
        if (line[i] <= ' ' || line[i] > '~')
            return bad_token(path, "a token has printing characters alone, and no spaces");
    memcpy(g->token, line, length + 1);
    g->token_length = length;
    return F0T_OK;
}

bool guard_allows_token(const guard *g, const char *authorization)
{
    static const char scheme[] = "Bearer ";
    if (!g->token_length)
        return true;
    if (!authorization || strncasecmp(authorization, scheme, sizeof scheme - 1) != 0)
        return false;
    const char *given = authorization + sizeof scheme - 1;
    const size_t length = strlen(given);
    unsigned char differs = length != g->token_length;
    for (size_t i = 0; i < length; i++) /* all of what was given, whatever it is */
        differs |= (unsigned char)(given[i] ^ g->token[i % g->token_length]);
    return !differs;
}

/* ---- Names ------------------------------------------------------------------------------------------- */

/* The name of "name:port" or "[address]:port", of which *length bytes count; NULL: neither. */
static const char *name_of(const char *host, size_t *length)
{
    const char *end = strchr(host, ']');
    if (host[0] == '[') {
        if (!end || (end[1] && end[1] != ':'))
            return NULL;
        *length = (size_t)(end - host) - 1;
        return *length ? host + 1 : NULL;
    }
    *length = strcspn(host, ":");
    return *length && !strchr(host + *length + (host[*length] == ':'), ':') ? host : NULL;
}

static bool is_name(const char *name, size_t length, const char *known)
{
    return known && strlen(known) == length && !strncasecmp(name, known, length);
}

bool guard_allows_host(const guard *g, const char *host)
{
    static const char *const own[] = {"localhost", "127.0.0.1", "::1"};
    size_t length;
    const char *name = host ? name_of(host, &length) : NULL;
    if (!name)
        return false;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (is_name(name, length, own[i]))
            return true;
    for (size_t i = 0; i < g->name_count; i++)
        if (is_name(name, length, g->names[i]))
            return true;
    return is_name(name, length, g->host);
}

bool guard_allows_origin(const char *origin, const char *fetch_site, const char *host)
{
    if (fetch_site && strcmp(fetch_site, "same-origin") != 0 && strcmp(fetch_site, "none") != 0)
        return false;
    if (!origin)
        return true;
    const char *authority = strstr(origin, "://");
    return authority && host && !strcasecmp(authority + 3, host);
}
