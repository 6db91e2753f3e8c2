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

#endif
