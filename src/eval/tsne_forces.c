/* The forces of t-SNE: over all pairs, or by Barnes and Hut, where a cell of points that is far away
 * counts as one. */
#include "base/alloc.h"
#include "base/kernels.h"
#include "base/team.h"
#include "eval/tsne_parts.h"

#include <math.h>

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
    size_t behind; /* the node after all below this one */
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

static void split(cell children[4], const f0t_tree *tree, const cell *c, const float *x,
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
        split(children, tree, c, x, y);
        for (int i = 0; i < 4; i++)
            F0T_TRY(grow(tree, &children[i], x, y, depth + 1));
    }
    tree->nodes[here].behind = tree->node_count;
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
        i = n->behind;
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
