#include "word/wordnet_walk.h"

#include "base/alloc.h"
#include "base/team.h"
#include "io/vectors_block.h"

#include <math.h>
#include <string.h>

enum { PIECE = 64 }; /* rows that a thread does at a time */

/* ---- π -------------------------------------------------------------------------------------- */

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

/* ---- One row -------------------------------------------------------------------------------- */

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

/* ---- Many rows ------------------------------------------------------------------------------ */

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
            return f0t_fail(pieces[i].failure.status, "%s", pieces[i].failure.message);
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
