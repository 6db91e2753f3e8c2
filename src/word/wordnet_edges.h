/* Weighted edges, a kind at a time, and the graph that they make. */
#ifndef F0T_WORD_WORDNET_EDGES_H
#define F0T_WORD_WORDNET_EDGES_H

#include "word/wordnet_graph.h"

typedef struct f0t_edge {
    uint32_t from, to;
    double weight;
} f0t_edge;

typedef struct f0t_edges {
    size_t nodes;
    f0t_edge *items; /* [count] */
    size_t count, capacity;
    size_t begin; /* of the kind that is being added */
    double *sums; /* [nodes] */
} f0t_edges;

f0t_status f0t_edges_init(f0t_edges *edges, size_t nodes);
void f0t_edges_clear(f0t_edges *edges);

f0t_status f0t_edges_add(f0t_edges *edges, size_t from, size_t to, double weight);

/* Ends a kind: its edges from each node are scaled to the sum `weight`; none are kept for 0. */
void f0t_edges_end(f0t_edges *edges, double weight);

/* Sorts the edges, joins those between the same nodes, and scales those from each node to 1. */
f0t_status f0t_edges_graph(f0t_wordnet_graph *out, f0t_edges *edges);

#endif
