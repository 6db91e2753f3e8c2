#include "word/wordnet_edges.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

f0t_status f0t_edges_init(f0t_edges *edges, size_t nodes)
{
    memset(edges, 0, sizeof *edges);
    edges->nodes = nodes;
    return f0t_alloc(&edges->sums, nodes, sizeof *edges->sums);
}

void f0t_edges_clear(f0t_edges *edges)
{
    f0t_free(edges->items);
    f0t_free(edges->sums);
    memset(edges, 0, sizeof *edges);
}

f0t_status f0t_edges_add(f0t_edges *edges, size_t from, size_t to, double weight)
{
    F0T_TRY(f0t_grow(&edges->items, &edges->capacity, edges->count, 1, sizeof *edges->items));
    edges->items[edges->count++] = (f0t_edge){(uint32_t)from, (uint32_t)to, weight};
    return F0T_OK;
}

void f0t_edges_end(f0t_edges *edges, double weight)
{
    memset(edges->sums, 0, edges->nodes * sizeof *edges->sums);
    if (weight <= 0)
        edges->count = edges->begin;
    for (size_t i = edges->begin; i < edges->count; i++)
        edges->sums[edges->items[i].from] += edges->items[i].weight;
    for (size_t i = edges->begin; i < edges->count; i++)
        if (edges->sums[edges->items[i].from] > 0)
            edges->items[i].weight *= weight / edges->sums[edges->items[i].from];
    edges->begin = edges->count;
}

static int by_place(const void *a, const void *b)
{
    const f0t_edge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

static int by_weight(const void *a, const void *b)
{
    const f0t_edge *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

/* Edges between the same two nodes become one, summed in the order of their weights. */
static void join_same(f0t_edges *edges)
{
    size_t kept = 0;
    for (size_t i = 0; i < edges->count; i++) {
        f0t_edge *last = kept ? &edges->items[kept - 1] : NULL;
        if (last && last->from == edges->items[i].from && last->to == edges->items[i].to)
            last->weight += edges->items[i].weight;
        else
            edges->items[kept++] = edges->items[i];
    }
    edges->count = kept;
}

static void fill_row(f0t_wordnet_graph *graph, size_t node, f0t_edge *edges, size_t count)
{
    double sum = 0;
    qsort(edges, count, sizeof *edges, by_weight);
    for (size_t i = 0; i < count; i++)
        sum += edges[i].weight;
    for (size_t i = 0; i < count; i++) {
        graph->to[graph->begin[node] + i] = edges[i].to;
        graph->p[graph->begin[node] + i] = sum > 0 ? (float)(edges[i].weight / sum) : 0;
    }
}

f0t_status f0t_edges_graph(f0t_wordnet_graph *out, f0t_edges *edges)
{
    qsort(edges->items, edges->count, sizeof *edges->items, by_place);
    join_same(edges);
    out->nodes = edges->nodes;
    F0T_TRY(f0t_alloc(&out->begin, edges->nodes + 1, sizeof *out->begin));
    F0T_TRY(f0t_alloc(&out->to, edges->count, sizeof *out->to));
    F0T_TRY(f0t_alloc(&out->p, edges->count, sizeof *out->p));
    for (size_t node = 0, at = 0; node < edges->nodes; node++) {
        size_t end = at;
        while (end < edges->count && edges->items[end].from == node)
            end++;
        out->begin[node] = at;
        fill_row(out, node, edges->items + at, end - at);
        at = end;
    }
    out->begin[edges->nodes] = edges->count;
    return F0T_OK;
}
