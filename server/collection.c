#include "collection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct collection {
    char *path; /* as it was given; NULL: the user's own */
    f0t_catalogue *catalogue;
    f0t_finder *finder;
    const char *vectors;
    const f0t_context *context;
    struct timespec changed[2]; /* the database and its log, when they were last looked at */
};

static f0t_status open_catalogue(f0t_catalogue **out, const char *path)
{
    f0t_catalogue_options options = F0T_CATALOGUE_OPTIONS;
    options.mode = F0T_CATALOGUE_WRITE;
    return f0t_catalogue_open(out, path, &options);
}

/* Their times: other threads and processes change them. */
static void look(struct timespec times[2], const char *path)
{
    char log[4200];
    struct stat file;
    snprintf(log, sizeof log, "%s-wal", path);
    memset(times, 0, 2 * sizeof *times);
    if (stat(path, &file) == 0)
        times[0] = file.st_mtim;
    if (stat(log, &file) == 0)
        times[1] = file.st_mtim;
}

f0t_status collection_open(collection **out, const char *path, const char *vectors,
                           const f0t_context *context)
{
    collection *c = calloc(1, sizeof *c);
    *out = NULL;
    if (!c || (path && !(c->path = strdup(path)))) {
        free(c);
        return f0t_error_set(F0T_ERROR_MEMORY, "no memory for the catalogue");
    }
    c->vectors = vectors;
    c->context = context;
    f0t_status status = open_catalogue(&c->catalogue, path);
    if (status == F0T_OK) {
        look(c->changed, f0t_catalogue_path(c->catalogue));
        *out = c;
    } else {
        collection_close(c);
    }
    return status;
}

void collection_close(collection *c)
{
    if (!c)
        return;
    f0t_finder_close(c->finder);
    f0t_catalogue_close(c->catalogue);
    free(c->path);
    free(c);
}

f0t_catalogue *collection_catalogue(collection *c)
{
    return c->catalogue;
}

f0t_status collection_refresh(collection *c)
{
    struct timespec now[2];
    f0t_catalogue *fresh;
    look(now, f0t_catalogue_path(c->catalogue));
    if (!memcmp(now, c->changed, sizeof now))
        return F0T_OK;
    f0t_status status = open_catalogue(&fresh, c->path);
    if (status != F0T_OK)
        return status;
    memcpy(c->changed, now, sizeof now);
    if (f0t_catalogue_model_fingerprint(fresh) == f0t_catalogue_model_fingerprint(c->catalogue)) {
        f0t_catalogue_close(fresh);
        return F0T_OK;
    }
    f0t_finder_close(c->finder);
    f0t_catalogue_close(c->catalogue);
    c->finder = NULL;
    c->catalogue = fresh;
    return F0T_OK;
}

f0t_status collection_finder(f0t_finder **out, collection *c)
{
    f0t_finder_options options = F0T_FINDER_OPTIONS;
    f0t_status status = F0T_OK;
    options.vectors = c->vectors;
    if (!c->finder)
        status = f0t_finder_open(&c->finder, c->catalogue, &options, c->context);
    *out = c->finder;
    return status;
}
