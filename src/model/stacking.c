#include "model/stacking.h"

#include "base/team.h"

#include <math.h>
#include <string.h>

enum { SIZE = F0T_STACKED_MOST + 1, BLOCK = 1 << 16, ROUNDS = 1 << 20, STEPS = 25 };

/* A way this short ends the rounds: experts that nearly agree take many short ones. */
static const double ENOUGH = 1e-12;

/* Sums over pairs: a symmetric matrix and a vector. */
typedef struct sums {
    double matrix[SIZE][SIZE], vector[SIZE];
} sums;

static void add_sums(sums *to, const sums *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        to->vector[i] += from->vector[i];
        for (size_t j = 0; j <= i; j++)
            to->matrix[i][j] += from->matrix[i][j];
    }
}

/* Adds pairs [first, last) of a table to sums over `n` columns, of which those past the table's are 1. */
typedef void (*add_pairs)(sums *s, const f0t_pairs_table *t, const double *weights, size_t first,
                          size_t last);

static void add_squares(sums *s, const f0t_pairs_table *t, const double *weights, size_t first,
                        size_t last)
{
    (void)weights;
    for (size_t i = first; i < last; i++)
        for (size_t a = 0; a < t->columns; a++) {
            const double x = (double)t->column[a][i];
            s->vector[a] += t->truth[i] ? x : 0;
            for (size_t b = 0; b <= a; b++)
                s->matrix[a][b] += x * (double)t->column[b][i];
        }
}

/* The gradient of the negative likelihood, and its second derivatives. */
static void add_likelihood(sums *s, const f0t_pairs_table *t, const double *w, size_t first,
                           size_t last)
{
    const size_t n = t->columns + 1;
    double x[SIZE];
    for (size_t i = first; i < last; i++) {
        double z = w[t->columns];
        for (size_t a = 0; a < t->columns; a++) {
            x[a] = (double)t->column[a][i];
            z += w[a] * x[a];
        }
        x[t->columns] = 1;
        const double p = 1 / (1 + exp(-z)), g = p - t->truth[i], h = p * (1 - p);
        for (size_t a = 0; a < n; a++) {
            s->vector[a] += g * x[a];
            for (size_t b = 0; b <= a; b++)
                s->matrix[a][b] += h * x[a] * x[b];
        }
    }
}

/* Blocks are summed apart and added in their order: any number of threads gives the same sums. */
static void sum_pairs(sums *s, const f0t_pairs_table *t, const double *weights, size_t n,
                      add_pairs add)
{
    enum { AT_ONCE = 64 };
    const size_t blocks = (t->pairs + BLOCK - 1) / BLOCK;
    memset(s, 0, sizeof *s);
    for (size_t first = 0; first < blocks; first += AT_ONCE) {
        static const sums NOTHING;
        sums part[AT_ONCE];
        const size_t count = blocks - first < AT_ONCE ? blocks - first : AT_ONCE;
#pragma omp parallel for schedule(dynamic) num_threads(f0t_team_size())
        for (size_t b = 0; b < count; b++) {
            const size_t from = (first + b) * BLOCK;
            part[b] = NOTHING;
            add(&part[b], t, weights, from, from + BLOCK < t->pairs ? from + BLOCK : t->pairs);
        }
        for (size_t b = 0; b < count; b++)
            add_sums(s, &part[b], n);
    }
}

static double symmetric(const sums *s, size_t a, size_t b)
{
    return a >= b ? s->matrix[a][b] : s->matrix[b][a];
}

/* Each weight in turn to where the error is least; returns the longest way one went. */
static double descend(double *weights, const double *prior, double strength, const sums *s,
                      size_t n)
{
    double longest = 0;
    for (size_t a = 0; a < n; a++) {
        const double before = weights[a];
        double rest = s->vector[a] + strength * (prior[a] - before);
        for (size_t b = 0; b < n; b++)
            rest -= symmetric(s, a, b) * weights[b];
        weights[a] = fmax(0, before + rest / (s->matrix[a][a] + strength));
        longest = fmax(longest, fabs(weights[a] - before));
    }
    return longest;
}

void f0t_mixture_fit(double *weights, const double *prior, double strength,
                     const f0t_pairs_table *table)
{
    sums s;
    const size_t n = table->columns;
    sum_pairs(&s, table, NULL, n, add_squares);
    memcpy(weights, prior, n * sizeof *weights);
    for (size_t round = 0; round < ROUNDS; round++)
        if (descend(weights, prior, strength, &s, n) < ENOUGH)
            break;
}

/* Solves a·x = b by elimination, a[n x n] symmetric positive definite; x replaces b. */
static void solve(sums *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            s->matrix[i][j] = s->matrix[j][i];
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            const double factor = s->matrix[j][i] / s->matrix[i][i];
            for (size_t k = i; k < n; k++)
                s->matrix[j][k] -= factor * s->matrix[i][k];
            s->vector[j] -= factor * s->vector[i];
        }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            s->vector[i] -= s->matrix[i][k] * s->vector[k];
        s->vector[i] /= s->matrix[i][i];
    }
}

/* Newton's steps, none longer than 1 in any weight: far from the optimum the curvature says too little. */
void f0t_logistic_fit(double *weights, const double *prior, double strength,
                      const f0t_pairs_table *table)
{
    const size_t n = table->columns + 1;
    memcpy(weights, prior, n * sizeof *weights);
    for (size_t step = 0; step < STEPS; step++) {
        sums s;
        double longest = 0;
        sum_pairs(&s, table, weights, n, add_likelihood);
        for (size_t a = 0; a < n; a++) {
            s.vector[a] += strength * (weights[a] - prior[a]);
            s.matrix[a][a] += strength;
        }
        solve(&s, n);
        for (size_t a = 0; a < n; a++)
            longest = fmax(longest, fabs(s.vector[a]));
        for (size_t a = 0; a < n; a++)
            weights[a] -= s.vector[a] / fmax(1, longest);
        if (longest < 1e-6)
            break;
    }
}
