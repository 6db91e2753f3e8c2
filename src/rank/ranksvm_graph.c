/*
 * With L the Laplacian of the graph and K the Gram matrix, (λ I + k L K) e = −k L s puts e into the
 * range of L: it is 0 outside the zone and sums to 0 over each component. Measured from the grounds,
 * L is invertible, and
 *
 *     (λ/k L⁻¹ + K) e = −s
 *
 * is symmetric and positive definite. The irrelevant block of L is a diagonal, so L⁻¹ needs only the
 * inverse of a Schur complement of the size of the relevant nodes.
 */
#include "rank/ranksvm_graph.h"

#include "base/alloc.h"
#include "math/solve.h"

#include <string.h>

f0t_status f0t_svm_graph_create(f0t_svm_graph **out, size_t room)
{
    f0t_svm_graph *g = NULL;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&g, 1, sizeof *g));
    g->room = room;
    size_t **indices[] = {&g->places, &g->grounds, &g->parents};
    double **rows[] = {&g->degrees, &g->solution};
    double **quarters[] = {&g->pairs, &g->links, &g->shares, &g->spread};
    double **squares[] = {&g->schur, &g->inverse, &g->system};
    f0t_status status = F0T_OK;
    for (size_t i = 0; status == F0T_OK && i < 3; i++)
        status = f0t_alloc(indices[i], room, sizeof(size_t));
    for (size_t i = 0; status == F0T_OK && i < 2; i++)
        status = f0t_alloc(rows[i], room, sizeof(double));
    for (size_t i = 0; status == F0T_OK && i < 4; i++)
        status = f0t_alloc(quarters[i], room * room / 4 + 1, sizeof(double));
    for (size_t i = 0; status == F0T_OK && i < 3; i++)
        status = f0t_alloc(squares[i], room * room, sizeof(double));
    if (status == F0T_OK)
        status = f0t_alloc(&g->columns, 8 * room, sizeof(double));
    if (status == F0T_OK)
        *out = g;
    else
        f0t_svm_graph_free(g);
    return status;
}

void f0t_svm_graph_free(f0t_svm_graph *g)
{
    if (!g)
        return;
    void *all[] = {g->places, g->grounds, g->parents, g->degrees, g->solution, g->pairs,  g->links,
                   g->shares, g->spread,  g->schur,   g->inverse, g->system,   g->columns};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        f0t_free(all[i]);
    f0t_free(g);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static size_t root_of(const size_t *parents, size_t i)
{
    while (parents[i] != i)
        i = parents[i];
    return i;
}

/* Fills pairs and degrees. Returns the number of relevant tags that have a pair. */
static size_t find_pairs(f0t_svm_graph *g, const f0t_svm_set *set, f0t_svm_loss loss)
{
    const size_t np = set->relevant, nn = set->count - np;
    const f0t_kernel_table *kernels = f0t_kernels();
    size_t found = 0;
    memset(g->degrees, 0, set->count * sizeof *g->degrees);
    for (size_t i = 0; i < np; i++) {
        g->degrees[i] = kernels->svm_zone_row(g->pairs + i * nn, g->degrees + np, set->scores[i],
                                              set->scores + np, nn, loss);
        g->parents[i] = i;
        found += g->degrees[i] > 0;
    }
    return found;
}

/* Joins the relevant tags that share an irrelevant one, until all are one component. */
static void join(f0t_svm_graph *g, const f0t_svm_set *set, size_t components)
{
    const size_t np = set->relevant, nn = set->count - np;
    for (size_t j = 0; j < nn && components > 1; j++) {
        size_t lowest = np;
        for (size_t i = 0; g->degrees[np + j] > 1 && i < np; i++) {
            if (g->pairs[i * nn + j] == 0)
                continue;
            size_t root = root_of(g->parents, i);
            if (lowest == np || root == lowest) {
                lowest = root;
                continue;
            }
            size_t high = root > lowest ? root : lowest;
            lowest = root > lowest ? lowest : root;
            g->parents[high] = lowest;
            components--;
        }
    }
}

static void list(f0t_svm_graph *g, const f0t_svm_set *set)
{
    const size_t np = set->relevant, nn = set->count - np;
    g->count = 0;
    for (size_t i = 0; i < np; i++) {
        size_t root = root_of(g->parents, i);
        if (root != i) {
            g->grounds[g->count] = root;
            g->places[g->count++] = i;
        }
    }
    g->relevant = g->count;
    for (size_t j = 0; j < nn; j++) {
        if (g->degrees[np + j] == 0)
            continue;
        size_t i = 0;
        while (g->pairs[i * nn + j] == 0)
            i++;
        g->grounds[g->count] = root_of(g->parents, i);
        g->places[g->count++] = np + j;
    }
    g->irrelevant = g->count - g->relevant;
}

/* ---- The system ------------------------------------------------------------------------------ */

static void fill_links(f0t_svm_graph *g, const f0t_svm_set *set)
{
    const size_t nn = set->count - set->relevant, n = g->irrelevant;
    for (size_t i = 0; i < g->relevant; i++) {
        const double *pairs = g->pairs + g->places[i] * nn;
        for (size_t j = 0; j < n; j++) {
            size_t place = g->places[g->relevant + j];
            g->links[i * n + j] = pairs[place - set->relevant];
            g->shares[i * n + j] = pairs[place - set->relevant] / g->degrees[place];
        }
    }
}

/* inverse = the relevant block of L⁻¹, spread = c times the block between the two kinds. */
static bool invert_schur(f0t_svm_graph *g, double c)
{
    const size_t p = g->relevant, n = g->irrelevant;
    const f0t_kernel_table *kernels = f0t_kernels();
    memset(g->inverse, 0, p * p * sizeof *g->inverse);
    for (size_t i = 0; i < p; i++) {
        for (size_t l = 0; l <= i; l++)
            g->schur[i * p + l] = -kernels->svm_dot_f64(g->shares + i * n, g->links + l * n, n);
        g->schur[i * p + i] += g->degrees[g->places[i]];
        g->inverse[i * p + i] = 1;
    }
    if (f0t_cholesky_solve_f64(g->schur, p, g->inverse, p, NULL) != F0T_OK)
        return false;
    kernels->svm_product_rows(g->spread, g->inverse, g->shares, p, p, n);
    for (size_t i = 0; i < p * n; i++)
        g->spread[i] *= c;
    return true;
}

/* The lower triangle of c L⁻¹, where `spread` has c already. */
static void fill_inverse(f0t_svm_graph *g, double c)
{
    const size_t p = g->relevant, n = g->irrelevant, all = g->count;
    double *block = g->system + p * all + p;
    f0t_kernels()->svm_product_lower(block, all, g->shares, g->spread, p, n);
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j <= i; j++)
            g->system[i * all + j] = c * g->inverse[i * p + j];
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < p; j++)
            g->system[(p + i) * all + j] = g->spread[j * n + i];
        block[i * all + i] += c / g->degrees[g->places[p + i]];
    }
}

/* Adds the Gram matrix, measured from the grounds. */
static void add_gram(f0t_svm_graph *g, const f0t_svm_set *set)
{
    const f0t_kernel_table *kernels = f0t_kernels();
    for (size_t i = 0; i < g->count; i++)
        kernels->svm_add_grounded(
            g->system + i * g->count, set->gram_row(set->context, g->places[i]),
            set->gram_row(set->context, g->grounds[i]), g->places, g->grounds, i + 1);
}

bool f0t_svm_graph_bend(f0t_svm_graph *g, double *step, const double *gradient_scores,
                        const f0t_svm_set *set, double lambda, f0t_svm_loss loss)
{
    join(g, set, find_pairs(g, set, loss));
    list(g, set);
    if (!g->count)
        return true;
    fill_links(g, set);
    const double c = lambda / loss.k;
    if (g->relevant && !invert_schur(g, c))
        return false;
    fill_inverse(g, c);
    add_gram(g, set);
    for (size_t i = 0; i < g->count; i++)
        g->solution[i] = gradient_scores[g->grounds[i]] - gradient_scores[g->places[i]];
    if (!f0t_kernels()->svm_cholesky(g->system, g->solution, g->columns, g->count))
        return false;
    for (size_t i = 0; i < g->count; i++) {
        step[g->places[i]] += g->solution[i];
        step[g->grounds[i]] -= g->solution[i];
    }
    return true;
}
