/* Pictures that something was found for, and how sure it is of each. */
#ifndef F0T_CATALOGUE_HITS_H
#define F0T_CATALOGUE_HITS_H

#include "base/status.h"

typedef struct f0t_hit {
    int64_t id;
    double surety; /* what is ranked by: the logarithm of a confidence, or a score */
    bool tagged;   /* a person said so */
    int64_t taken; /* when; 0 unless it decides between hits that are equally sure */
} f0t_hit;

/* Zero-initialise it for an empty list. */
typedef struct f0t_hits {
    f0t_hit *items; /* [count] */
    size_t count, capacity;
} f0t_hits;

f0t_status f0t_hits_add(f0t_hits *hits, f0t_hit hit);
void f0t_hits_free(f0t_hits *hits);
/* By id; one that is there more than once stays once, tagged if one of them was. */
void f0t_hits_sort_by_id(f0t_hits *hits);
/* The surest first, of equally sure ones the latest, then by id. */
void f0t_hits_sort_by_surety(f0t_hit *items, size_t count);
/* In a list that is sorted by id; NULL: not there. */
const f0t_hit *f0t_hits_find(const f0t_hits *hits, int64_t id);

#endif
