/*
 * The nearest training images of images, exactly: the metric's rows have length 1, so the nearest are
 * those with the largest products. Products of whole blocks come from one matrix product each; of the
 * training images with each other only those of one triangle are computed.
 */
#ifndef F0T_BASELINE_NEIGHBOURS_H
#define F0T_BASELINE_NEIGHBOURS_H

#include "baseline/ranker.h"
#include "expert/metric.h"
#include "math/topk.h"

typedef struct f0t_neighbours {
    size_t count;    /* M, training images */
    size_t features; /* D */
    f0t_metric *metric;
    float *rows;   /* [M x D] the training features as the metric has them */
    f0t_best *own; /* each training image's nearest others, nearest first */
    size_t users;  /* who else frees it */
} f0t_neighbours;

/* Neighbours depend on the training images and not on their tags: tasks over the same images may share
 * a store. `lent` adds up the seconds that were spared, until its owner sets it to 0 again. */
typedef struct f0t_neighbour_store {
    f0t_neighbours *kept;
    size_t k;
    double seconds, lent;
} f0t_neighbour_store;

void f0t_neighbour_store_free(f0t_neighbour_store *store);

/* The `k` nearest others (fewer where there are fewer) of every training image, made or lent. The processes of a group
 * (base/group.h) make them together: of a store, all of them have the same. */
f0t_status f0t_neighbours_create(f0t_neighbours **out, const f0t_task *task, size_t k);
/* Also counts: freed by its last user. */
void f0t_neighbours_free(f0t_neighbours *neighbours);

/* The k nearest training images of queries[rows x D], nearest first, with the products. */
f0t_status f0t_neighbours_search(f0t_best **out, const f0t_neighbours *neighbours,
                                 const float *queries, size_t rows, size_t k);

#endif
