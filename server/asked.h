/* What a request about a catalogue asks for, and how it is answered: shared by library*.c. */
#ifndef F0T_SERVER_ASKED_H
#define F0T_SERVER_ASKED_H

#include "request.h"

/* A parameter of the address, or NULL. */
const char *asked_text(const request *r, const char *name);
bool asked_flag(const request *r, const char *name);
/* *out stays where there is none. */
f0t_status asked_integer(int64_t *out, const request *r, const char *name, int64_t least,
                         int64_t most);
f0t_status asked_confidence(double *out, const request *r);
/* The picture's number in the path. */
f0t_status asked_id(int64_t *out, const request *r);
/* That picture, as a list of one. */
f0t_status asked_picture(f0t_catalogue_pictures **out, const request *r);
/* Fails with "NAME: WANTED is expected". */
f0t_status asked_refuse(const char *name, const char *wanted);

/* The catalogue of the thread that answers. */
f0t_catalogue *asked_catalogue(const request *r);
/* The reply: `value`, which is taken over, or what failed. */
void asked_answer(request *r, f0t_status status, json_t *value);

/* null for F0T_NO_DATE, for NaN. */
json_t *json_of_date(int64_t date);
json_t *json_of_share(float share);

#endif
