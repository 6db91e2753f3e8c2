#include "baseline/fasttag_layer.h"

#include "base/alloc.h"
#include "baseline/square.h"
#include "math/solve.h"

void f0t_fasttag_blank_out(double *p, double *q, const double *all, size_t tags, double blank)
{
    const double keep = 1 - blank;
    for (size_t s = 0; s < tags; s++)
        for (size_t t = 0; t < tags; t++) {
            double sum = all[s * tags + t];
            p[s * tags + t] = keep * sum;
            q[s * tags + t] = (s == t ? keep : keep * keep) * sum;
        }
}

/* A tag without images would leave its row of the system empty: this share of the mean diagonal
 * keeps it solvable, and B's row for it 0. */
static const double FLOOR = 1e-9;

f0t_status f0t_fasttag_layer(double *b, const f0t_fasttag_sums *sums, double gamma, double blank)
{
    const size_t T = sums->tags;
    double *system = NULL, trace = 0;
    F0T_TRY(f0t_alloc(&system, T * T, sizeof *system));
    f0t_fasttag_blank_out(b, system, sums->all, T, blank);
    for (size_t i = 0; i < T * T; i++) {
        b[i] *= gamma;
        system[i] = gamma * system[i] + sums->centred[i] - sums->explained[i];
    }
    for (size_t t = 0; t < T; t++)
        trace += system[t * T + t];
    for (size_t t = 0; t < T; t++)
        system[t * T + t] += FLOOR * trace / (double)T + 1e-300;
    f0t_status status = f0t_cholesky_solve_f64(system, T, b, T);
    f0t_free(system);
    return status;
}

/* m = B m Bᵀ, m being symmetric. */
static void sandwich(double *m, double *room, const double *b, size_t tags)
{
    f0t_square_product(room, b, m, tags, tags, tags);
    f0t_square_product(m, room, b, tags, tags, tags);
}

f0t_status f0t_fasttag_next(f0t_fasttag_sums *sums, const double *b)
{
    const size_t T = sums->tags;
    double *room = NULL;
    F0T_TRY(f0t_alloc(&room, T * T, sizeof *room));
    sandwich(sums->all, room, b, T);
    sandwich(sums->centred, room, b, T);
    sandwich(sums->explained, room, b, T);
    f0t_free(room);
    return F0T_OK;
}
