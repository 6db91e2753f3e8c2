/* A query, parsed: what the public functions (fast0tag.h) hand to the search. */
#ifndef F0T_CATALOGUE_QUERY_H
#define F0T_CATALOGUE_QUERY_H

#include "base/status.h"

typedef enum f0t_term_kind {
    F0T_TERM_WORD,     /* dog, "red car": `text` */
    F0T_TERM_TAG,      /* tag:holiday: `text` */
    F0T_TERM_BEFORE,   /* before:2020: days before `from` */
    F0T_TERM_AFTER,    /* after:2020: days from `to` on */
    F0T_TERM_DATE,     /* date:2020-02 or date:2019..2020: the half-open range [from, to) */
    F0T_TERM_UNTAGGED, /* is:untagged */
    F0T_TERM_KINDS
} f0t_term_kind;

enum { F0T_DAY_SIZE = sizeof "2020-02-29", F0T_QUERY_TERMS_MOST = 64, F0T_QUERY_MOST = 1 << 14 };

typedef struct f0t_term {
    f0t_term_kind kind;
    bool without;  /* -term: pictures that it does not hold for */
    bool quoted;   /* a word as it was written */
    bool left_out; /* a word such as "with", which no picture shows, beside other terms */
    char *text;    /* of a word or tag, else NULL */
    /* Days as ISO 8601 has them, which compare as text; "" where the kind has none. Past the year 9999 comes
     * F0T_DAY_END. */
    char from[F0T_DAY_SIZE], to[F0T_DAY_SIZE];
} f0t_term;

#define F0T_DAY_END "9999-99-99"

/* Seconds from 1970 to the beginning of the day; INT64_MAX for F0T_DAY_END. */
int64_t f0t_day_seconds(const char *day);

struct f0t_query {
    f0t_term *terms; /* [count] */
    size_t count, capacity;
    char *text; /* how f0t_query_text prints it */
};

#endif
