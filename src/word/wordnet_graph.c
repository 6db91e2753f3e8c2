#include "word/wordnet_graph.h"

#include "base/alloc.h"
#include "base/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Weighted edges, a kind at a time, and the graph that they make -------------------------- */

typedef struct edge {
    uint32_t from, to;
    double weight;
} edge;

typedef struct edge_list {
    size_t nodes;
    edge *items; /* [count] */
    size_t count, capacity;
    size_t begin; /* of the kind that is being added */
    double *sums; /* [nodes] */
} edge_list;

static f0t_status edges_init(edge_list *edges, size_t nodes)
{
    memset(edges, 0, sizeof *edges);
    edges->nodes = nodes;
    return f0t_alloc(&edges->sums, nodes, sizeof *edges->sums);
}

static void edges_clear(edge_list *edges)
{
    f0t_free(edges->items);
    f0t_free(edges->sums);
    memset(edges, 0, sizeof *edges);
}

static f0t_status edges_add(edge_list *edges, size_t from, size_t to, double weight)
{
    F0T_TRY(f0t_grow(&edges->items, &edges->capacity, edges->count, 1, sizeof *edges->items));
    edges->items[edges->count++] = (edge){(uint32_t)from, (uint32_t)to, weight};
    return F0T_OK;
}

/* Ends a kind: its edges from each node are scaled to the sum `weight`; none are kept for 0. */
static void edges_end(edge_list *edges, double weight)
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
    const edge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

static int by_weight(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

/* Edges between the same two nodes become one, summed in the order of their weights. */
static void join_same(edge_list *edges)
{
    size_t kept = 0;
    for (size_t i = 0; i < edges->count; i++) {
        edge *last = kept ? &edges->items[kept - 1] : NULL;
        if (last && last->from == edges->items[i].from && last->to == edges->items[i].to)
            last->weight += edges->items[i].weight;
        else
            edges->items[kept++] = edges->items[i];
    }
    edges->count = kept;
}

static void fill_row(f0t_wordnet_graph *graph, size_t node, edge *edges, size_t count)
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

/* Sorts the edges, joins those between the same nodes, and scales those from each node to 1. */
static f0t_status make_graph(f0t_wordnet_graph *out, edge_list *edges)
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

/* ---- What WordNet has of them ---------------------------------------------------------------- */

typedef struct building {
    const f0t_wordnet *wordnet;
    const f0t_mentions *mentions;
    const f0t_wordnet_graph_weights *weights;
    edge_list edges;
    double *rarity; /* [lemmas] */
    double *share;  /* [senses]: of what the lemma means */
} building;

static f0t_status add_links(building *b)
{
    const f0t_wordnet *w = b->wordnet;
    for (int relation = 0; relation < F0T_RELATIONS; relation++) {
        for (size_t i = 0; i < w->link_count; i++)
            if (w->links[i].relation == relation)
                F0T_TRY(edges_add(&b->edges, w->links[i].from, w->links[i].to, 1));
        edges_end(&b->edges, b->weights->relation[relation]);
    }
    return F0T_OK;
}

/* log(synsets / those whose definition names the lemma), to a power. Mentions come in the order of
 * the synsets: the last one that named a lemma is kept to count each once. */
static f0t_status find_rarity(building *b)
{
    size_t lemmas = b->wordnet->lemmas.view.count;
    uint32_t *last;
    F0T_TRY(f0t_alloc_zero(&b->rarity, lemmas, sizeof *b->rarity));
    F0T_TRY(f0t_alloc_zero(&last, lemmas, sizeof *last));
    for (size_t i = 0; i < b->mentions->count; i++) {
        const f0t_mention *m = &b->mentions->items[i];
        if (m->example || last[m->lemma] == m->synset + 1)
            continue;
        last[m->lemma] = m->synset + 1;
        b->rarity[m->lemma]++;
    }
    for (size_t i = 0; i < lemmas; i++) {
        double frequency = (b->rarity[i] > 0 ? b->rarity[i] : 1) / (double)b->wordnet->synset_count;
        b->rarity[i] = pow(1e-3 - log(frequency), b->weights->rarity);
    }
    f0t_free(last);
    return F0T_OK;
}

static f0t_status add_mentions(building *b, bool example, double weight, double back)
{
    size_t synsets = b->wordnet->synset_count;
    const f0t_mentions *mentions = b->mentions;
    for (size_t i = 0; i < mentions->count; i++) {
        const f0t_mention *m = &mentions->items[i];
        if (m->example == example)
            F0T_TRY(edges_add(&b->edges, m->synset, synsets + m->lemma, b->rarity[m->lemma]));
    }
    edges_end(&b->edges, weight);
    for (size_t i = 0; i < mentions->count; i++) {
        const f0t_mention *m = &mentions->items[i];
        if (m->example == example)
            F0T_TRY(edges_add(&b->edges, synsets + m->lemma, m->synset, 1));
    }
    edges_end(&b->edges, back);
    return F0T_OK;
}

static f0t_status find_shares(building *b)
{
    const f0t_wordnet *w = b->wordnet;
    const f0t_wordnet_graph_weights *g = b->weights;
    double *sums;
    F0T_TRY(f0t_alloc(&b->share, w->sense_count, sizeof *b->share));
    F0T_TRY(f0t_alloc_zero(&sums, w->lemmas.view.count, sizeof *sums));
    for (size_t i = 0; i < w->sense_count; i++) {
        const f0t_sense *s = &w->senses[i];
        b->share[i] =
            pow(s->count + g->count_more, g->count_power) / pow(1.0 + s->rank, g->rank_power);
        sums[s->lemma] += b->share[i];
    }
    for (size_t i = 0; i < w->sense_count; i++)
        b->share[i] /= sums[w->senses[i].lemma];
    f0t_free(sums);
    return F0T_OK;
}

static f0t_status add_senses(building *b)
{
    const f0t_wordnet *w = b->wordnet;
    F0T_TRY(find_shares(b));
    for (size_t i = 0; i < w->sense_count; i++)
        F0T_TRY(edges_add(&b->edges, w->synset_count + w->senses[i].lemma, w->senses[i].synset,
                          b->share[i]));
    edges_end(&b->edges, b->weights->sense);
    for (size_t i = 0; i < w->sense_count; i++)
        F0T_TRY(edges_add(&b->edges, w->senses[i].synset, w->synset_count + w->senses[i].lemma,
                          sqrt(b->share[i])));
    edges_end(&b->edges, b->weights->lemma);
    return F0T_OK;
}

static f0t_status add_all(building *b)
{
    const f0t_wordnet_graph_weights *w = b->weights;
    F0T_TRY(edges_init(&b->edges, b->wordnet->synset_count + b->wordnet->lemmas.view.count));
    F0T_TRY(add_links(b));
    F0T_TRY(find_rarity(b));
    F0T_TRY(add_mentions(b, false, w->definition, w->in_definition));
    F0T_TRY(add_mentions(b, true, w->example, w->in_example));
    return add_senses(b);
}

f0t_status f0t_wordnet_graph_build(f0t_wordnet_graph *out, const f0t_wordnet *wordnet,
                                   const f0t_mentions *mentions,
                                   const f0t_wordnet_graph_weights *weights)
{
    building b = {.wordnet = wordnet, .mentions = mentions, .weights = weights};
    memset(out, 0, sizeof *out);
    f0t_status status = add_all(&b);
    if (status == F0T_OK)
        status = make_graph(out, &b.edges);
    out->synsets = wordnet->synset_count;
    edges_clear(&b.edges);
    f0t_free(b.rarity);
    f0t_free(b.share);
    if (status != F0T_OK)
        f0t_wordnet_graph_clear(out);
    return status;
}

void f0t_wordnet_graph_clear(f0t_wordnet_graph *graph)
{
    f0t_free(graph->begin);
    f0t_free(graph->to);
    f0t_free(graph->p);
    memset(graph, 0, sizeof *graph);
}

enum { PIECE = 64 }; /* rows that a thread does at a time */

/* ---- Walks: π -------------------------------------------------------------------------------- */

/* x becomes what it is one step later. */
static void step_all(double *next, const double *x, const f0t_wordnet_graph *g)
{
    memset(next, 0, g->nodes * sizeof *next);
    for (size_t i = 0; i < g->nodes; i++)
        for (size_t e = g->begin[i]; x[i] > 0 && e < g->begin[i + 1]; e++)
            next[g->to[e]] += x[i] * (double)g->p[e];
}

/* The mean of the rows' p is the p of a walk that begins at any lemma. */
static void find_base(f0t_wordnet_walk *walk, double *x, double *next, double *sum)
{
    const f0t_wordnet_graph *g = walk->graph;
    size_t lemmas = g->nodes - g->synsets;
    for (size_t i = 0; i < g->nodes; i++)
        x[i] = i < g->synsets ? 0 : 1 / (double)lemmas;
    for (unsigned t = 0; t <= walk->options.steps; t++) {
        for (size_t i = 0; i < g->synsets; i++)
            sum[i] += (double)walk->stops[t] * x[i];
        step_all(next, x, g);
        memcpy(x, next, g->nodes * sizeof *x);
    }
    for (size_t i = 0; i < g->synsets; i++)
        walk->base[i] = (float)(walk->options.shift * (sum[i] > 1e-12 ? sum[i] : 1e-12));
}

f0t_status f0t_wordnet_walk_init(f0t_wordnet_walk *walk, const f0t_wordnet_graph *graph,
                                 const f0t_wordnet_walk_options *options)
{
    double *x = NULL;
    memset(walk, 0, sizeof *walk);
    walk->graph = graph;
    walk->options = *options;
    for (unsigned t = 0; t <= options->steps; t++)
        walk->stops[t] = (float)(options->stop * pow(1 - options->stop, t));
    F0T_TRY(f0t_alloc(&walk->base, graph->synsets, sizeof *walk->base));
    f0t_status status = f0t_alloc_zero(&x, graph->nodes, 3 * sizeof *x);
    if (status == F0T_OK)
        find_base(walk, x, x + graph->nodes, x + 2 * graph->nodes);
    else
        f0t_wordnet_walk_clear(walk);
    f0t_free(x);
    return status;
}

void f0t_wordnet_walk_clear(f0t_wordnet_walk *walk)
{
    f0t_free(walk->base);
    memset(walk, 0, sizeof *walk);
}

/* ---- Walks: one row -------------------------------------------------------------------------- */

/* Nodes with a number each, most of them 0; those that are not are listed. */
typedef struct cloud {
    float *mass; /* [nodes] */
    uint32_t *list;
    size_t count;
} cloud;

static f0t_status cloud_init(cloud *c, size_t nodes)
{
    F0T_TRY(f0t_alloc_zero(&c->mass, nodes, sizeof *c->mass));
    return f0t_alloc(&c->list, nodes, sizeof *c->list);
}

/* `mass` is above 0: a node is listed once. */
static void cloud_add(cloud *c, uint32_t node, float mass)
{
    if (c->mass[node] == 0)
        c->list[c->count++] = node;
    c->mass[node] += mass;
}

typedef struct walker {
    const f0t_wordnet_walk *walk;
    cloud now, next, stopped;
} walker;

static f0t_status walker_init(walker *w, const f0t_wordnet_walk *walk)
{
    size_t nodes = walk->graph->nodes;
    memset(w, 0, sizeof *w);
    w->walk = walk;
    F0T_TRY(cloud_init(&w->now, nodes));
    F0T_TRY(cloud_init(&w->next, nodes));
    return cloud_init(&w->stopped, nodes);
}

static void walker_clear(walker *w)
{
    cloud *all[] = {&w->now, &w->next, &w->stopped};
    for (size_t i = 0; i < 3; i++) {
        f0t_free(all[i]->mass);
        f0t_free(all[i]->list);
    }
}

/* Edges are sorted: the first that too few walks take ends the list. */
static void take_step(walker *w)
{
    const f0t_wordnet_graph *g = w->walk->graph;
    float least = (float)w->walk->options.least;
    for (size_t i = 0; i < w->now.count; i++) {
        uint32_t node = w->now.list[i];
        float mass = w->now.mass[node];
        w->now.mass[node] = 0;
        for (size_t e = g->begin[node]; e < g->begin[node + 1] && mass * g->p[e] >= least; e++)
            cloud_add(&w->next, g->to[e], mass * g->p[e]);
    }
    w->now.count = 0;
    cloud swap = w->now;
    w->now = w->next;
    w->next = swap;
}

/* Leaves in `stopped` where the walks from the node stop; the synsets among them, that is. */
static void walk_from(walker *w, uint32_t node)
{
    cloud_add(&w->now, node, 1);
    for (unsigned t = 1; t <= w->walk->options.steps; t++) {
        take_step(w);
        for (size_t i = 0; i < w->now.count; i++)
            if (w->now.list[i] < w->walk->graph->synsets)
                cloud_add(&w->stopped, w->now.list[i],
                          w->walk->stops[t] * w->now.mass[w->now.list[i]]);
    }
    for (size_t i = 0; i < w->now.count; i++)
        w->now.mass[w->now.list[i]] = 0;
    w->now.count = 0;
}

/* ---- Walks: many rows ------------------------------------------------------------------------ */

typedef struct piece {
    uint32_t *column;
    float *value;
    size_t count, column_capacity, value_capacity;
    size_t ends[PIECE]; /* of the rows */
    f0t_failure failure;
} piece;

static f0t_status add_row(piece *p, walker *w, uint32_t lemma)
{
    const f0t_wordnet_graph *g = w->walk->graph;
    cloud *s = &w->stopped;
    double square = 0;
    walk_from(w, (uint32_t)(g->synsets + lemma));
    F0T_TRY(f0t_grow(&p->column, &p->column_capacity, p->count, s->count, sizeof *p->column));
    F0T_TRY(f0t_grow(&p->value, &p->value_capacity, p->count, s->count, sizeof *p->value));
    for (size_t i = 0; i < s->count; i++) {
        uint32_t node = s->list[i];
        float value = log1pf(s->mass[node] / w->walk->base[node]);
        s->mass[node] = 0;
        p->column[p->count + i] = node;
        p->value[p->count + i] = value;
        square += (double)value * (double)value;
    }
    for (size_t i = 0; i < s->count; i++)
        p->value[p->count + i] *= (float)(1 / sqrt(square > 0 ? square : 1));
    p->count += s->count;
    s->count = 0;
    return F0T_OK;
}

static void fill_piece(piece *p, walker *w, f0t_status *status, const uint32_t *lemmas,
                       size_t count)
{
    for (size_t k = 0; k < count && *status == F0T_OK; k++) {
        *status = add_row(p, w, lemmas[k]);
        p->ends[k] = p->count;
    }
    if (*status != F0T_OK)
        f0t_failure_keep(&p->failure, *status);
}

static f0t_status fill_pieces(piece *pieces, const f0t_wordnet_walk *walk, const uint32_t *lemmas,
                              size_t count)
{
    size_t piece_count = (count + PIECE - 1) / PIECE;
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel num_threads(threads)
    {
        walker w;
        f0t_status status = walker_init(&w, walk);
#pragma omp for schedule(dynamic)
        for (size_t i = 0; i < piece_count; i++) {
            size_t left = count - i * PIECE;
            fill_piece(&pieces[i], &w, &status, lemmas + i * PIECE, left < PIECE ? left : PIECE);
        }
        walker_clear(&w);
    }
    for (size_t i = 0; i < piece_count; i++)
        if (pieces[i].failure.status != F0T_OK)
            return f0t_failure_raise(&pieces[i].failure);
    return F0T_OK;
}

static f0t_status join_pieces(f0t_sparse *out, const piece *pieces, size_t rows, size_t cols)
{
    size_t total = 0, at = 0, count = (rows + PIECE - 1) / PIECE;
    for (size_t i = 0; i < count; i++)
        total += pieces[i].count;
    F0T_TRY(f0t_sparse_create(out, rows, cols, total));
    for (size_t i = 0; i < count; i++) {
        const piece *p = &pieces[i];
        if (p->count) {
            memcpy(out->column + at, p->column, p->count * sizeof *p->column);
            memcpy(out->value + at, p->value, p->count * sizeof *p->value);
        }
        for (size_t k = 0; k < PIECE && i * PIECE + k < rows; k++)
            out->begin[i * PIECE + k + 1] = at + p->ends[k];
        at += p->count;
    }
    return F0T_OK;
}

f0t_status f0t_wordnet_walk_rows(f0t_sparse *out, const f0t_wordnet_walk *walk,
                                 const uint32_t *lemmas, size_t count)
{
    piece *pieces;
    size_t piece_count = (count + PIECE - 1) / PIECE;
    F0T_TRY(f0t_alloc_zero(&pieces, piece_count, sizeof *pieces));
    f0t_status status = fill_pieces(pieces, walk, lemmas, count);
    if (status == F0T_OK)
        status = join_pieces(out, pieces, count, walk->graph->synsets);
    for (size_t i = 0; i < piece_count; i++) {
        f0t_free(pieces[i].column);
        f0t_free(pieces[i].value);
    }
    f0t_free(pieces);
    return status;
}
