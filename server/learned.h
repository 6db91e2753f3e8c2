/* What learning does: the catalogue's model is refitted or trained anew and saved, the suggestions are made anew, and
 * the server changes over to it. */
#ifndef F0T_SERVER_LEARNED_H
#define F0T_SERVER_LEARNED_H

#include "state.h"

typedef struct learned {
    size_t pictures, tags; /* that the model has learned from, and has learned */
    size_t suggested;      /* pictures with new suggestions */
    json_t *new_tags;      /* strings: what the model before did not know, some dozens at most */
    json_t *
        changes; /* {tag, before, after}: pictures that it is suggested for, the greatest changes first */
} learned;

/* `anew`: from the beginning, by the method that `train` takes by default, with the server's vectors. */
f0t_status learned_make(learned *out, server *s, bool anew, const f0t_context *context);
/* As JSON; it takes over what is in it. */
json_t *learned_json(learned *l, double seconds);
void learned_clear(learned *l);

#endif
