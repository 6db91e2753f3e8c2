#include "expert/metric.h"

#include "base/alloc.h"
#include "base/size.h"
#include "math/elementwise.h"
#include "math/matmul.h"
#include "math/product.h"
#include "math/solve.h"

#include <math.h>

enum { GRAM_ROWS = 2048 };

/* Added to the variances, as a share of their mean: axes without extent stay finite. */
static const double FLOOR = 0.01;

typedef struct room {
    double *covariance; /* [D x D] the lower triangle, then the axes */
    double *mean;       /* [D] */
    double *variances;  /* [D] */
} room;

static f0t_status covariance(room *r, const float *rows, size_t count, size_t D)
{
    const double M = count ? (double)count : 1;
    for (size_t first = 0; first < count; first += GRAM_ROWS)
        F0T_TRY(f0t_gram_add(r->covariance, rows + first * D,
                             count - first < GRAM_ROWS ? count - first : GRAM_ROWS, D));
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < D; j++)
            r->mean[j] += (double)rows[i * D + j] / M;
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j <= i; j++)
            r->covariance[i * D + j] = r->covariance[i * D + j] / M - r->mean[i] * r->mean[j];
    return F0T_OK;
}

static void set(f0t_metric *m, const room *r)
{
    const size_t D = m->features;
    double total = 0;
    for (size_t i = 0; i < D; i++)
        total += fmax(r->variances[i], 0);
    const double mean = total > 0 ? total / (double)D : 1;
    for (size_t i = 0; i < m->dim; i++) {
        const size_t from = D - m->dim + i; /* variances ascend */
        const double *axis = r->covariance + from * D;
        double scale = pow(fmax(r->variances[from], 0) / mean + FLOOR, -0.25), shift = 0;
        for (size_t j = 0; j < D; j++) {
            m->map[i * D + j] = (float)(scale * axis[j]);
            shift -= scale * axis[j] * r->mean[j];
        }
        m->shift[i] = (float)shift;
    }
}

static f0t_status measure(f0t_metric *m, room *r, const float *rows, size_t count,
                          const f0t_monitor *monitor)
{
    const size_t D = m->features;
    size_t size;
    if (!f0t_size_mul(&size, D, D))
        return f0t_fail(F0T_ERROR_MEMORY, "%zu features are too many", D);
    F0T_TRY(f0t_alloc_zero(&r->covariance, size, sizeof *r->covariance));
    F0T_TRY(f0t_alloc_zero(&r->mean, D, sizeof *r->mean));
    F0T_TRY(f0t_alloc(&r->variances, D, sizeof *r->variances));
    F0T_TRY(f0t_alloc(&m->map, m->dim * D, sizeof *m->map));
    F0T_TRY(f0t_alloc(&m->shift, m->dim, sizeof *m->shift));
    F0T_TRY(covariance(r, rows, count, D));
    F0T_TRY(f0t_eigen_watched(r->covariance, D, r->variances, monitor));
    set(m, r);
    return F0T_OK;
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
    f0t_status status = measure(m, &r, rows, count, monitor);
    f0t_free(r.covariance);
    f0t_free(r.mean);
    f0t_free(r.variances);
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
