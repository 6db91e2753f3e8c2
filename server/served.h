/*
 * The model that is served, with the lists of words that requests brought. It is counted by reference: a new one
 * takes its place while requests still use the old one.
 */
#ifndef F0T_SERVER_SERVED_H
#define F0T_SERVER_SERVED_H

#include "params.h"
#include "server.h"

#include <jansson.h>

typedef struct served served;

/* What ranks a list of words, and those of them that have no vector. */
typedef struct served_words {
    const f0t_tagger *tagger;
    json_t *unknown; /* an array of strings, to be copied only; NULL: none */
} served_words;

/* Opens the model file `model`. `vectors` (or NULL) outlive it. */
f0t_status served_open(served **out, const char *model, const server_options *options,
                       const f0t_vectors *vectors, const f0t_context *context);
served *served_hold(served *s);
void served_release(served *s);

/* Pictures to features, and the words that are ranked where a request has none. */
const f0t_tagger *served_tagger(const served *s);
/* A number that tells this model from those before it. */
uint64_t served_number(const served *s);

/* What ranks these words: made once, and kept for the next request that has the same. Valid until
 * served_done. */
typedef struct served_list served_list;
f0t_status served_find(served_list **out, served_words *words, served *s, const params *p,
                       const f0t_context *context);
void served_done(served *s, served_list *list);
/* How many are kept. */
size_t served_list_count(served *s);

#endif
