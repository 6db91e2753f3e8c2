#include "expert/metric.h"

#include "base/alloc.h"
#include "math/elementwise.h"
#include "math/matmul.h"
#include "math/product.h"
#include "math/solve.h"

#include <math.h>

enum { GRAM_ROWS = 2048 };

/* Added to the variances, as a share of their mean: axes without extent stay finite. */
static const double FLOOR = 0.01;

typedef struct room {
    double *mean; /* [D] */
    double
        *gram; /* [N x N] the lower triangle of the covariance, then the axes; of the dual, XXᵀ */
    double *variances; /* [N] */
    double *centred;   /* [M x D] X of the dual */
    double *axes;      /* [dim x D] of the dual, of length 1 or 0 */
} room;

static void mean_of(double *mean, const float *rows, size_t count, size_t D)
{
    const double M = count ? (double)count : 1;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < D; j++)
            mean[j] += (double)rows[i * D + j] / M;
}

/* From unit axes[dim x D], their variances, and the mean of all D variances. */
static void set(f0t_metric *m, const double *axes, const double *variances, const double *centre,
                double mean)
{
    const size_t D = m->features;
    for (size_t i = 0; i < m->dim; i++) {
        const double *axis = axes + i * D;
        double scale = pow(fmax(variances[i], 0) / mean + FLOOR, -0.25), shift = 0;
        for (size_t j = 0; j < D; j++) {
            m->map[i * D + j] = (float)(scale * axis[j]);
            shift -= scale * axis[j] * centre[j];
        }
        m->shift[i] = (float)shift;
    }
}

static double mean_variance(const double *variances, size_t n, size_t D)
{
    double total = 0;
    for (size_t i = 0; i < n; i++)
        total += fmax(variances[i], 0);
    return total > 0 ? total / (double)D : 1;
}

/* ---- By the covariance ---------------------------------------------------------------------------- */

static f0t_status covariance(room *r, const float *rows, size_t count, size_t D)
{
    const double M = count ? (double)count : 1;
    for (size_t first = 0; first < count; first += GRAM_ROWS)
        F0T_TRY(f0t_gram_add(r->gram, rows + first * D,
                             count - first < GRAM_ROWS ? count - first : GRAM_ROWS, D));
    mean_of(r->mean, rows, count, D);
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j <= i; j++)
            r->gram[i * D + j] = r->gram[i * D + j] / M - r->mean[i] * r->mean[j];
    return F0T_OK;
}

static f0t_status measure(f0t_metric *m, room *r, const float *rows, size_t count,
                          const f0t_monitor *monitor)
{
    const size_t D = m->features, first = D - m->dim; /* variances ascend */
    F0T_TRY(f0t_alloc_zero(&r->gram, D, D * sizeof *r->gram));
    F0T_TRY(f0t_alloc(&r->variances, D, sizeof *r->variances));
    F0T_TRY(covariance(r, rows, count, D));
    F0T_TRY(f0t_eigen_watched(r->gram, D, r->variances, monitor));
    set(m, r->gram + first * D, r->variances + first, r->mean, mean_variance(r->variances, D, D));
    return F0T_OK;
}

/* ---- By the products of the rows, where they are fewer than features ------------------------------- */

/* XXᵀ has the eigenvalues v of XᵀX, and Xᵀu / √v are the axes for its eigenvectors u. */
static f0t_status turn_axes(room *r, size_t dim, size_t M, size_t D, const f0t_monitor *monitor)
{
    const size_t first = M - dim;
    const f0t_product back = {.m = dim, .n = D, .k = M};
    const double none = 1e-10 * fmax(r->variances[M - 1], 0);
    F0T_TRY(f0t_product_f64(r->axes, r->gram + first * M, r->centred, &back, monitor));
    for (size_t i = 0; i < dim; i++) {
        const double v = r->variances[first + i], factor = v > none ? 1 / sqrt(v) : 0;
        for (size_t j = 0; j < D; j++)
            r->axes[i * D + j] *= factor;
    }
    return F0T_OK;
}

static f0t_status allocate_dual(room *r, size_t dim, size_t M, size_t D)
{
    F0T_TRY(f0t_alloc(&r->gram, M, M * sizeof *r->gram));
    F0T_TRY(f0t_alloc(&r->variances, M, sizeof *r->variances));
    F0T_TRY(f0t_alloc(&r->centred, M, D * sizeof *r->centred));
    return f0t_alloc(&r->axes, dim, D * sizeof *r->axes);
}

static f0t_status measure_dual(f0t_metric *m, room *r, const float *rows, size_t M,
                               const f0t_monitor *monitor)
{
    const size_t D = m->features;
    const f0t_product square = {.m = M, .n = M, .k = D, .b_transposed = true, .lower = true};
    F0T_TRY(allocate_dual(r, m->dim, M, D));
    mean_of(r->mean, rows, M, D);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < D; j++)
            r->centred[i * D + j] = (double)rows[i * D + j] - r->mean[j];
    F0T_TRY(f0t_product_f64(r->gram, r->centred, r->centred, &square, monitor));
    F0T_TRY(f0t_eigen_watched(r->gram, M, r->variances, monitor));
    F0T_TRY(turn_axes(r, m->dim, M, D, monitor));
    for (size_t i = 0; i < M; i++)
        r->variances[i] /= (double)M;
    set(m, r->axes, r->variances + M - m->dim, r->mean, mean_variance(r->variances, M, D));
    return F0T_OK;
}

/* ---- The metric ------------------------------------------------------------------------------------ */

static f0t_status make(f0t_metric *m, room *r, const float *rows, size_t count,
                       const f0t_monitor *monitor)
{
    F0T_TRY(f0t_alloc_zero(&r->mean, m->features, sizeof *r->mean));
    F0T_TRY(f0t_alloc(&m->map, m->dim * m->features, sizeof *m->map));
    F0T_TRY(f0t_alloc(&m->shift, m->dim, sizeof *m->shift));
    return m->dim <= count && count < m->features ? measure_dual(m, r, rows, count, monitor)
                                                  : measure(m, r, rows, count, monitor);
}

f0t_status f0t_metric_create(f0t_metric **out, const float *rows, size_t count, size_t features,
                             size_t most, const f0t_monitor *monitor)
{
    f0t_metric *m = NULL;
    room r = {0};
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&m, 1, sizeof *m));
    m->features = features;
    m->dim = most < features ? most : features;
    f0t_status status = make(m, &r, rows, count, monitor);
    f0t_free(r.mean);
    f0t_free(r.gram);
    f0t_free(r.variances);
    f0t_free(r.centred);
    f0t_free(r.axes);
    if (status != F0T_OK) {
        f0t_metric_free(m);
        return status;
    }
    *out = m;
    return F0T_OK;
}

void f0t_metric_free(f0t_metric *m)
{
    if (!m)
        return;
    f0t_free(m->map);
    f0t_free(m->shift);
    f0t_free(m);
}

f0t_status f0t_metric_apply(float *to, const f0t_metric *m, const float *rows, size_t count)
{
    const f0t_matmul op = {.m = count, .n = m->dim, .k = m->features, .b_transposed = true};
    F0T_TRY(f0t_matmul_run_stable(to, rows, m->map, m->shift, &op));
    f0t_rows_normalise(to, count, m->dim);
    return F0T_OK;
}
