#include "eval/tsne.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "base/monitor.h"
#include "base/team.h"

#include <math.h>
#include <string.h>

/* ---- Forces -------------------------------------------------------------------------------- */

/* Over all pairs, or by Barnes and Hut, where a cell of points that is far away counts as one. */
void f0t_pulls_exact(f0t_pull *pulls, const float *x, const float *y, const f0t_likeness *likeness)
{
    const size_t n = likeness->count;
#pragma omp parallel for schedule(static) num_threads(f0t_team_size())
    for (size_t i = 0; i < n; i++) {
        float sums[5];
        f0t_kernels()->tsne_pull(sums, x, y, likeness->all + i * n, n, x[i], y[i]);
        pulls[i] = (f0t_pull){(double)sums[0], (double)sums[1], (double)sums[2], (double)sums[3],
                              (double)sums[4] - 1};
    }
}

/* ---- The tree ---------------------------------------------------------------------------------- */

/* Points nearer to each other than a 2^-40th of the picture share a leaf. */
enum { DEPTH_MOST = 40 };

/* A cell, in the order of a walk from the root: its first child is the next node. */
typedef struct node {
    double x, y;   /* centre of its points */
    double weight; /* how many */
    double size;   /* squared side; 0: a leaf */
    size_t after;  /* the node after all below this one */
} node;

struct f0t_tree {
    size_t count;
    uint32_t *order; /* [count] points, those of a cell one after the other */
    node *nodes;
    size_t node_count, capacity;
};

f0t_status f0t_tree_create(f0t_tree **out, size_t count)
{
    f0t_tree *tree;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&tree, 1, sizeof *tree));
    tree->count = count;
    f0t_status status = f0t_alloc(&tree->order, count, sizeof *tree->order);
    if (status == F0T_OK)
        *out = tree;
    else
        f0t_tree_free(tree);
    return status;
}

void f0t_tree_free(f0t_tree *tree)
{
    if (!tree)
        return;
    f0t_free(tree->order);
    f0t_free(tree->nodes);
    f0t_free(tree);
}

/* A square of the plane and the points in it. */
typedef struct cell {
    double x, y, half; /* centre, half its side */
    size_t first, count;
} cell;

/* Those of order[count] below `limit` go to the front; gives how many. */
static size_t part(uint32_t *order, size_t count, const float *at, double limit)
{
    size_t low = 0;
    for (size_t i = 0; i < count; i++)
        if ((double)at[order[i]] < limit) {
            const uint32_t swap = order[low];
            order[low++] = order[i];
            order[i] = swap;
        }
    return low;
}

static void split_cell(cell children[4], const f0t_tree *tree, const cell *c, const float *x,
                       const float *y)
{
    uint32_t *order = tree->order + c->first;
    const double quarter = c->half / 2;
    const size_t below = part(order, c->count, y, c->y);
    const size_t counts[2] = {below, c->count - below};
    size_t first = c->first;
    for (int row = 0; row < 2; row++) {
        const double middle = c->y + (row ? quarter : -quarter);
        const size_t left = part(tree->order + first, counts[row], x, c->x);
        children[2 * row] = (cell){c->x - quarter, middle, quarter, first, left};
        children[2 * row + 1] =
            (cell){c->x + quarter, middle, quarter, first + left, counts[row] - left};
        first += counts[row];
    }
}

static node node_of(const f0t_tree *tree, const cell *c, const float *x, const float *y)
{
    node n = {.weight = (double)c->count, .size = 4 * c->half * c->half};
    for (size_t i = 0; i < c->count; i++) {
        n.x += (double)x[tree->order[c->first + i]];
        n.y += (double)y[tree->order[c->first + i]];
    }
    n.x /= n.weight;
    n.y /= n.weight;
    return n;
}

static f0t_status grow(f0t_tree *tree, const cell *c, const float *x, const float *y, int depth)
{
    cell children[4];
    if (!c->count)
        return F0T_OK;
    F0T_TRY(f0t_grow(&tree->nodes, &tree->capacity, tree->node_count, 1, sizeof *tree->nodes));
    const size_t here = tree->node_count++;
    tree->nodes[here] = node_of(tree, c, x, y);
    if (c->count == 1 || depth == DEPTH_MOST) {
        tree->nodes[here].size = 0;
    } else {
        split_cell(children, tree, c, x, y);
        for (int i = 0; i < 4; i++)
            F0T_TRY(grow(tree, &children[i], x, y, depth + 1));
    }
    tree->nodes[here].after = tree->node_count;
    return F0T_OK;
}

static f0t_status build(f0t_tree *tree, const float *x, const float *y)
{
    double half = 1e-12;
    for (size_t i = 0; i < tree->count; i++) {
        tree->order[i] = (uint32_t)i;
        half = fmax(half, fmax(fabs((double)x[i]), fabs((double)y[i])));
    }
    const cell all = {0, 0, half * 1.000001, 0, tree->count};
    tree->node_count = 0;
    return grow(tree, &all, x, y, 0);
}

/* ---- Walks --------------------------------------------------------------------------------------- */

/* The far pull on a point; it meets itself, in its leaf, which adds 1 to the sum. */
static void walk(f0t_pull *pull, const f0t_tree *tree, double x, double y, double theta)
{
    for (size_t i = 0; i < tree->node_count;) {
        const node *n = &tree->nodes[i];
        const double dx = x - n->x, dy = y - n->y, distance = dx * dx + dy * dy;
        if (n->size > 0 && n->size >= theta * theta * distance) {
            i++;
            continue;
        }
        const double k = 1 / (1 + distance);
        pull->far_x += n->weight * k * k * dx;
        pull->far_y += n->weight * k * k * dy;
        pull->sum += n->weight * k;
        i = n->after;
    }
    pull->sum -= 1;
}

static void add_neighbours(f0t_pull *pull, size_t i, const float *x, const float *y,
                           const f0t_likeness *l)
{
    for (size_t at = l->offsets[i]; at < l->offsets[i + 1]; at++) {
        const size_t j = l->others[at];
        const double dx = (double)x[i] - (double)x[j], dy = (double)y[i] - (double)y[j];
        const double p = (double)l->values[at] / (1 + dx * dx + dy * dy);
        pull->near_x += p * dx;
        pull->near_y += p * dy;
    }
}

f0t_status f0t_pulls_tree(f0t_tree *tree, f0t_pull *pulls, const float *x, const float *y,
                          const f0t_likeness *likeness, double theta)
{
    F0T_TRY(build(tree, x, y));
#pragma omp parallel for schedule(dynamic, 64) num_threads(f0t_team_size())
    for (size_t i = 0; i < tree->count; i++) {
        pulls[i] = (f0t_pull){0};
        walk(&pulls[i], tree, (double)x[i], (double)y[i], theta);
        add_neighbours(&pulls[i], i, x, y, likeness);
    }
    return F0T_OK;
}

/* ---- Gradient descent ---------------------------------------------------------------------- */

/* In the first steps points that are alike are pulled this much harder: clusters form while there is
 * room to pass (2014 paper, section 5). */
static const double EXAGGERATION = 12;
static const double EARLY = 0.25; /* part of the steps */
static const double EARLY_MOMENTUM = 0.5, MOMENTUM = 0.8;
static const double START = 1e-4; /* spread of the first picture */

/* A run. */
typedef struct descent {
    f0t_tsne_options options;
    size_t count;
    float *x, *y;
    f0t_likeness likeness;
    f0t_tree *tree; /* NULL: exact */
    f0t_pull *pulls;
    double *moves, *gains; /* [2 x count] */
} descent;

static f0t_status descent_create(descent *d, const float *points, size_t dims,
                                 const f0t_monitor *monitor)
{
    const bool lists = d->count > d->options.exact;
    F0T_TRY(f0t_likeness_create(&d->likeness, points, d->count, dims, d->options.perplexity, lists,
                                monitor));
    if (lists)
        F0T_TRY(f0t_tree_create(&d->tree, d->count));
    F0T_TRY(f0t_alloc(&d->pulls, d->count, sizeof *d->pulls));
    F0T_TRY(f0t_alloc_zero(&d->moves, 2 * d->count, sizeof *d->moves));
    F0T_TRY(f0t_alloc(&d->gains, 2 * d->count, sizeof *d->gains));
    for (size_t i = 0; i < 2 * d->count; i++)
        d->gains[i] = 1;
    return F0T_OK;
}

static void descent_free(descent *d)
{
    f0t_likeness_free(&d->likeness);
    f0t_tree_free(d->tree);
    f0t_free(d->pulls);
    f0t_free(d->moves);
    f0t_free(d->gains);
}

/* Small around the origin, the wider column with a spread of START. */
static void scale_start(descent *d)
{
    double mean_x = 0, mean_y = 0, square_x = 0, square_y = 0;
    const double n = (double)d->count;
    for (size_t i = 0; i < d->count; i++) {
        mean_x += (double)d->x[i] / n;
        mean_y += (double)d->y[i] / n;
    }
    for (size_t i = 0; i < d->count; i++) {
        square_x += ((double)d->x[i] - mean_x) * ((double)d->x[i] - mean_x) / n;
        square_y += ((double)d->y[i] - mean_y) * ((double)d->y[i] - mean_y) / n;
    }
    const double spread = sqrt(fmax(square_x, square_y));
    for (size_t i = 0; i < d->count; i++) {
        const double scale = spread > 0 ? START / spread : 0;
        d->x[i] = (float)(((double)d->x[i] - mean_x) * scale);
        d->y[i] = (float)(((double)d->y[i] - mean_y) * scale);
    }
}

/* Gains as in the authors' code: a coordinate whose gradient keeps its sign goes faster. */
static void move(float *at, double *moved, double *gain, double slope, double rate, double momentum)
{
    *gain = (slope > 0) == (*moved > 0) ? fmax(*gain * 0.8, 0.01) : *gain + 0.2;
    *moved = momentum * *moved - rate * *gain * slope;
    *at = (float)((double)*at + *moved);
}

static f0t_status find_pulls(descent *d)
{
    if (d->tree)
        return f0t_pulls_tree(d->tree, d->pulls, d->x, d->y, &d->likeness, d->options.theta);
    f0t_pulls_exact(d->pulls, d->x, d->y, &d->likeness);
    return F0T_OK;
}

static double sum_of(const descent *d)
{
    double sum = 0;
    for (size_t i = 0; i < d->count; i++)
        sum += d->pulls[i].sum;
    return fmax(sum, 1e-300);
}

static f0t_status step(descent *d, bool early)
{
    const double pull = early ? EXAGGERATION : 1, momentum = early ? EARLY_MOMENTUM : MOMENTUM;
    const double rate = fmax((double)d->count / EXAGGERATION / 4, 50);
    F0T_TRY(find_pulls(d));
    const double sum = sum_of(d);
    for (size_t i = 0; i < d->count; i++) {
        const f0t_pull *p = &d->pulls[i];
        move(&d->x[i], &d->moves[2 * i], &d->gains[2 * i], 4 * (pull * p->near_x - p->far_x / sum),
             rate, momentum);
        move(&d->y[i], &d->moves[2 * i + 1], &d->gains[2 * i + 1],
             4 * (pull * p->near_y - p->far_y / sum), rate, momentum);
    }
    return F0T_OK;
}

/* Σ p log(p / q), over the pairs whose p is known. */
static f0t_status measure(double *divergence, descent *d)
{
    const f0t_likeness *l = &d->likeness;
    F0T_TRY(find_pulls(d));
    const double sum = sum_of(d);
    *divergence = 0;
    for (size_t i = 0; i < d->count; i++) {
        const size_t first = l->all ? i * d->count : l->offsets[i];
        const size_t end = l->all ? first + d->count : l->offsets[i + 1];
        for (size_t at = first; at < end; at++) {
            const size_t j = l->all ? at - first : l->others[at];
            const double p = (double)(l->all ? l->all[at] : l->values[at]);
            const double dx = (double)d->x[i] - (double)d->x[j];
            const double dy = (double)d->y[i] - (double)d->y[j];
            if (p > 0)
                *divergence += p * log(p * sum * (1 + dx * dx + dy * dy));
        }
    }
    return F0T_OK;
}

static f0t_status run(descent *d, double *divergence, const f0t_monitor *monitor)
{
    f0t_stage stage = f0t_stage_begin(monitor, "drawing by t-SNE", "steps", d->options.steps);
    const double early = EARLY * (double)d->options.steps;
    for (size_t i = 0; i < d->options.steps; i++) {
        F0T_TRY(step(d, (double)i < early));
        F0T_TRY(f0t_stage_update(&stage, i + 1));
    }
    f0t_stage_end(&stage);
    return divergence ? measure(divergence, d) : F0T_OK;
}

static f0t_tsne_options options_of(const f0t_tsne_options *given, size_t count)
{
    f0t_tsne_options o = given ? *given : (f0t_tsne_options){0};
    o.perplexity = o.perplexity > 0 ? o.perplexity : 30;
    o.perplexity = fmin(o.perplexity, fmax(1, (double)(count - 1) / 3));
    o.steps = o.steps ? o.steps : 1000;
    o.exact = o.exact ? o.exact : 2500;
    o.theta = o.theta > 0 ? o.theta : 0.5;
    return o;
}

f0t_status f0t_tsne_run(float *x, float *y, double *divergence, const float *points, size_t n,
                        size_t dims, const f0t_tsne_options *options, const f0t_monitor *monitor)
{
    if (divergence)
        *divergence = 0;
    if (n < 2)
        return F0T_OK;
    descent d = {.options = options_of(options, n), .count = n, .x = x, .y = y};
    f0t_status status = descent_create(&d, points, dims, monitor);
    if (status == F0T_OK) {
        scale_start(&d);
        status = run(&d, divergence, monitor);
    }
    descent_free(&d);
    return status;
}
