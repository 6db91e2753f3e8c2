/*
 * Learning from what people decided (POST /v1/learn), one at a time, in a thread of its own; learned.h has what it
 * does. The answer is a stream of server-sent events: `progress` while it goes on, then `done` or `error`. It goes on where the client leaves.
 */
#ifndef F0T_SERVER_LEARN_H
#define F0T_SERVER_LEARN_H

#include "request.h"

struct server;

/* Begins, and makes the reply a stream; 409 where it has begun already or another model than the
 * catalogue's is served, 503 once the server ends. */
void learn_start(request *r);
/* The response of a request whose reply is a stream. */
struct MHD_Response *learn_response(request *r);
/* Ends what goes on, and waits for it. The server is draining: nothing begins any more. */
void learn_end(struct server *s);

#endif
