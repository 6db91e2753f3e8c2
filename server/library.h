/* Requests about the pictures of a catalogue: what routes.c has in its table. */
#ifndef F0T_SERVER_LIBRARY_H
#define F0T_SERVER_LIBRARY_H

#include "request.h"

void library_find(request *r);
void library_list(request *r);
void library_get(request *r);
void library_thumbnail(request *r);
void library_why(request *r);
void library_suggestions(request *r);
void library_tags(request *r);
void library_decide(request *r);
void library_undo(request *r);
void library_write(request *r);

/* What several of them use: a picture that was found, and finding. Where nothing is certain, the nearest are found
 * instead. */
json_t *library_found_json(const f0t_find_result *f);
f0t_status library_run_find(f0t_find_results **out, bool *certain, request *r,
                            const f0t_query *query, f0t_find_options *options);

/* The picture's direction as points, JSON: the vocabulary's tags along it and across; null where it has none.
 * `tag`, or F0T_NONE, is among them. */
f0t_status library_direction(json_t **out, const request *r, const f0t_vocab *vocab,
                             int64_t picture, size_t tag);

#endif
