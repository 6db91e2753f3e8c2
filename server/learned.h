/* What learning does: the catalogue's model is refitted, trained anew or brought back, the suggestions are made anew, and
 * the server changes over to it. */
#ifndef F0T_SERVER_LEARNED_H
#define F0T_SERVER_LEARNED_H

#include "state.h"

typedef enum learned_how {
    LEARNED_REFIT,
    LEARNED_ANEW, /* by the method that `train` takes by default, with the server's vectors */
    LEARNED_UNDO  /* the model before comes back */
} learned_how;

typedef struct learned {
    size_t pictures, tags; /* that the model has learned from (0: it came back), and has learned */
    size_t suggested;      /* pictures with new suggestions */
    json_t *new_tags;      /* strings: what the model before did not know, some dozens at most */
    json_t *
        changes; /* {tag, before, after}: pictures that it is suggested for, the greatest changes first */
} learned;

f0t_status learned_make(learned *out, server *s, learned_how how, const f0t_context *context);
/* As JSON; it takes over what is in it. */
json_t *learned_json(learned *l, double seconds);
void learned_clear(learned *l);

#endif
