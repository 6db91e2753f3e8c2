/*
 * A catalogue as the server uses it (`serve -c FILE`): the requests about pictures of a collection. A catalogue is for
 * one thread, so that each thread that answers such requests has a collection of its own.
 */
#ifndef F0T_SERVER_COLLECTION_H
#define F0T_SERVER_COLLECTION_H

#include "request.h"

typedef struct collection collection;

/* `path` as for f0t_catalogue_open. `vectors` (or NULL: the catalogue's own) and `context` outlive it. */
f0t_status collection_open(collection **out, const char *path, const char *vectors,
                           const f0t_context *context);
void collection_close(collection *c);

f0t_catalogue *collection_catalogue(collection *c);
/* Where another thread or process gave the catalogue another model, from now on it is that: what was opened knows the
 * old one. Called before each request. */
f0t_status collection_refresh(collection *c);
/* What finds pictures, made when it is first needed. */
f0t_status collection_finder(f0t_finder **out, collection *c);

#endif
