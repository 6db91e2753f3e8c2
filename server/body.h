/* A body of JSON: {"features": [[…], …], "k": 5, "confidence": 0.5, "vocabulary": ["dog", …]}. */
#ifndef F0T_SERVER_BODY_H
#define F0T_SERVER_BODY_H

#include "params.h"

enum { BODY_VALUES_MOST = 1 << 20 }; /* of one body: some 100 MB while it is read */

typedef struct body {
    params params;
    float *features; /* [rows x dim] */
    size_t rows, dim;
} body;

/* Reads text[size]. At most `rows` rows. On failure nothing is to be freed; the line names the member. */
f0t_status body_read(body *out, const char *text, size_t size, size_t rows);
void body_free(body *b);

#endif
