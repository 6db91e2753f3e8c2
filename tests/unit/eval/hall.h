/* The small collection, opened for a whole comparison. */
#ifndef F0T_TESTS_HALL_H
#define F0T_TESTS_HALL_H

#include "../model/collection.h"

#include "fast0tag_tools.h"

typedef struct hall {
    f0t_dataset *dataset;
    f0t_vectors *vectors;
} hall;

static inline hall hall_open(const collection_options *o)
{
    hall h;
    collection c = collection_create(o);
    assert_ok(f0t_dataset_open(&h.dataset, c.path, NULL));
    assert_ok(f0t_vectors_open(&h.vectors, c.vectors, NULL));
    return h;
}

static inline void hall_close(hall *h)
{
    f0t_vectors_close(h->vectors);
    f0t_dataset_close(h->dataset);
}

#endif
