#include "collection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct collection {
    f0t_catalogue *catalogue;
    f0t_finder *finder;
    const char *vectors;
    const f0t_context *context;
    struct timespec changed[2]; /* the database and its log, when the finder was made */
};

f0t_status collection_open(collection **out, const char *path, const char *vectors,
                           const f0t_context *context)
{
    f0t_catalogue_options options = F0T_CATALOGUE_OPTIONS;
    options.mode = F0T_CATALOGUE_WRITE;
    collection *c = calloc(1, sizeof *c);
    *out = NULL;
    if (!c)
        return f0t_error_set(F0T_ERROR_MEMORY, "no memory for the catalogue");
    c->vectors = vectors;
    c->context = context;
    f0t_status status = f0t_catalogue_open(&c->catalogue, path, &options);
    if (status == F0T_OK)
        *out = c;
    else
        collection_close(c);
    return status;
}

void collection_close(collection *c)
{
    if (!c)
        return;
    f0t_finder_close(c->finder);
    f0t_catalogue_close(c->catalogue);
    free(c);
}

f0t_catalogue *collection_catalogue(collection *c)
{
    return c->catalogue;
}

/* The times of the database and of its log: other processes change them. */
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

f0t_status collection_finder(f0t_finder **out, collection *c)
{
    struct timespec now[2];
    f0t_finder_options options = F0T_FINDER_OPTIONS;
    f0t_status status = F0T_OK;
    look(now, f0t_catalogue_path(c->catalogue));
    if (c->finder && memcmp(now, c->changed, sizeof now) != 0) {
        f0t_finder_close(c->finder);
        c->finder = NULL;
    }
    options.vectors = c->vectors;
    if (!c->finder)
        status = f0t_finder_open(&c->finder, c->catalogue, &options, c->context);
    memcpy(c->changed, now, sizeof now);
    *out = c->finder;
    return status;
}
