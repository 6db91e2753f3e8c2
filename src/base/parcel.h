/* Bytes that one process sends to another: what is added to a parcel comes out of it in the same order. */
#ifndef F0T_BASE_PARCEL_H
#define F0T_BASE_PARCEL_H

#include "base/status.h"

/* Zero-initialise it for an empty one. */
typedef struct f0t_parcel {
    char *data; /* freed by f0t_free */
    size_t bytes, capacity;
} f0t_parcel;

f0t_status f0t_parcel_add(f0t_parcel *parcel, const void *from, size_t bytes);

/* What is left of a parcel that has arrived. */
typedef struct f0t_parcel_reader {
    const char *at;
    size_t left;
} f0t_parcel_reader;

/* The next so many bytes, at no alignment; NULL: there are fewer. */
const char *f0t_parcel_take(f0t_parcel_reader *reader, size_t bytes);
/* The same copied to `to`. */
f0t_status f0t_parcel_read(void *to, f0t_parcel_reader *reader, size_t bytes);
/* A text with its 0, which is the last of `bytes` bytes and in no other place; NULL: it is none. */
const char *f0t_parcel_take_text(f0t_parcel_reader *reader, size_t bytes);

/* The sentence for what no process would send. */
f0t_status f0t_parcel_fail(void);

#endif
