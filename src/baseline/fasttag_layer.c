#include "baseline/fasttag_layer.h"

#include "base/alloc.h"
#include "math/product.h"
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

f0t_status f0t_fasttag_layer(double *b, const f0t_fasttag_sums *sums, double gamma, double blank,
                             const f0t_monitor *monitor)
{
    const size_t T = sums->tags;
    double *system = NULL, trace = 0;
    F0T_TRY(f0t_alloc(&system, T * T, sizeof *system));
    f0t_fasttag_blank_out(b, system, sums->all, T, blank);
    for (size_t i = 0; i < T * T; i++) {
        b[i] *= gamma;
        system[i] = gamma * system[i] + sums->unexplained[i];
    }
    for (size_t t = 0; t < T; t++)
        trace += system[t * T + t];
    for (size_t t = 0; t < T; t++)
        system[t * T + t] += FLOOR * trace / (double)T + 1e-300;
    f0t_status status = f0t_cholesky_solve_f64(system, T, b, T, monitor);
    f0t_free(system);
    return status;
}

/* m = B m Bᵀ, m being symmetric. */
static f0t_status sandwich(double *m, double *room, const double *b, size_t tags,
                           const f0t_monitor *monitor)
{
    const f0t_product half = {.m = tags, .n = tags, .k = tags, .b_transposed = true};
    const f0t_product whole = {
        .m = tags, .n = tags, .k = tags, .b_transposed = true, .lower = true};
    F0T_TRY(f0t_product_f64(room, b, m, &half, monitor));
    return f0t_product_f64(m, room, b, &whole, monitor);
}

f0t_status f0t_fasttag_next(f0t_fasttag_sums *sums, const double *b, const f0t_monitor *monitor)
{
    const size_t T = sums->tags;
    double *room = NULL;
    F0T_TRY(f0t_alloc(&room, T * T, sizeof *room));
    f0t_status status = sandwich(sums->all, room, b, T, monitor);
    if (status == F0T_OK)
        status = sandwich(sums->unexplained, room, b, T, monitor);
    f0t_free(room);
    return status;
}
