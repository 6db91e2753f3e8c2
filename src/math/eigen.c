#include "math/eigen.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "base/team.h"
#include "math/elementwise.h"
#include "math/solve.h"

#include <cblas.h>
#include <lapacke.h>
#include <limits.h>
#include <string.h>

/* Below SMALL one call is fast enough; columns that are reduced, and vectors that are turned back, at a
 * time. */
enum { SMALL = 512, COLUMNS = 32, VECTORS = 256 };

/* LAPACK's, which LAPACKE has no names for; the last argument is the length of the first. */
void dlatrd_(const char *uplo, const lapack_int *n, const lapack_int *nb, double *a,
             const lapack_int *lda, double *e, double *tau, double *w, const lapack_int *ldw,
             size_t uplo_length);
void dsytd2_(const char *uplo, const lapack_int *n, double *a, const lapack_int *lda, double *d,
             double *e, double *tau, lapack_int *info, size_t uplo_length);

typedef struct work {
    double *a; /* [n x n], symmetric: to LAPACK rows are columns */
    size_t n;
    double *values, *beside, *tau; /* [n] the tridiagonal matrix, the reflections */
    double *panel;                 /* [COLUMNS x n] */
    double *vectors;               /* [n x n] */
    double *room;                  /* of LAPACK's calls */
    lapack_int *int_room;
    f0t_stage stage;
} work;

static f0t_status allocate(work *w)
{
    const size_t n = w->n;
    F0T_TRY(f0t_alloc_zero(&w->beside, n, sizeof *w->beside));
    F0T_TRY(f0t_alloc_zero(&w->tau, n, sizeof *w->tau));
    F0T_TRY(f0t_alloc(&w->panel, (size_t)COLUMNS * n, sizeof *w->panel));
    F0T_TRY(f0t_alloc(&w->vectors, n * n, sizeof *w->vectors));
    F0T_TRY(f0t_alloc(&w->room, n * n + 4 * n + 1 + (size_t)VECTORS * 64, sizeof *w->room));
    return f0t_alloc(&w->int_room, 5 * n + 3, sizeof *w->int_room);
}

static void release(work *w)
{
    f0t_free(w->beside);
    f0t_free(w->tau);
    f0t_free(w->panel);
    f0t_free(w->vectors);
    f0t_free(w->room);
    f0t_free(w->int_room);
}

/* The steps of LAPACK's dsytrd. */
static f0t_status reduce(work *w)
{
    const lapack_int n = (lapack_int)w->n, columns = COLUMNS;
    lapack_int i = 0, info = 0;
    for (; n - i > SMALL; i += COLUMNS) {
        double *at = w->a + (size_t)i * w->n + (size_t)i;
        double *rest = at + (size_t)COLUMNS * (w->n + 1);
        lapack_int left = n - i;
        F0T_TRY(f0t_stage_update(&w->stage, (uint64_t)i));
        dlatrd_("L", &left, &columns, at, &n, w->beside + i, w->tau + i, w->panel, &left, 1);
        cblas_dsyr2k(CblasColMajor, CblasLower, CblasNoTrans, left - COLUMNS, COLUMNS, -1,
                     at + COLUMNS, n, w->panel + COLUMNS, left, 1, rest, n);
        for (lapack_int j = 0; j < COLUMNS; j++) {
            double *diagonal = at + (size_t)j * (w->n + 1);
            diagonal[1] = w->beside[i + j];
            w->values[i + j] = diagonal[0];
        }
    }
    lapack_int left = n - i;
    dsytd2_("L", &left, w->a + (size_t)i * w->n + (size_t)i, &n, w->values + i, w->beside + i,
            w->tau + i, &info, 1);
    return F0T_OK;
}

static f0t_status solve(work *w)
{
    const lapack_int n = (lapack_int)w->n;
    lapack_int info =
        LAPACKE_dstedc_work(LAPACK_COL_MAJOR, 'I', n, w->values, w->beside, w->vectors, n, w->room,
                            n * n + 4 * n + 1, w->int_room, 5 * n + 3);
    if (info)
        return f0t_fail(F0T_ERROR_NUMERIC, "LAPACK's stedc does not converge (%d)", (int)info);
    return F0T_OK;
}

static f0t_status turn_back(work *w)
{
    const lapack_int n = (lapack_int)w->n;
    for (size_t first = 0; first < w->n; first += VECTORS) {
        const size_t left = w->n - first, count = left < VECTORS ? left : VECTORS;
        F0T_TRY(f0t_stage_update(&w->stage, w->n + first));
        lapack_int info = LAPACKE_dormtr_work(LAPACK_COL_MAJOR, 'L', 'L', 'N', n, (lapack_int)count,
                                              w->a, n, w->tau, w->vectors + first * w->n, n,
                                              w->room, (lapack_int)count * 64);
        if (info)
            return f0t_fail(F0T_ERROR_INTERNAL, "LAPACK's ormtr refuses its argument %d",
                            -(int)info);
    }
    memcpy(w->a, w->vectors, w->n * w->n * sizeof *w->a);
    return F0T_OK;
}

static f0t_status run(work *w)
{
    F0T_TRY(allocate(w));
    F0T_TRY(reduce(w));
    F0T_TRY(f0t_stage_update(&w->stage, w->n));
    F0T_TRY(solve(w));
    return turn_back(w);
}

f0t_status f0t_eigen_watched(double *a, size_t n, double *values, const f0t_monitor *monitor)
{
    work w = {.a = a, .n = n, .values = values};
    if (n <= SMALL || n * n > INT_MAX / 2) /* LAPACK's integers count no larger work space */
        return f0t_eigen_f64(a, n, values);
    for (size_t i = 0; i < n; i++) {
        if (!f0t_finite_f64(a + i * n, i + 1))
            return f0t_fail(F0T_ERROR_NUMERIC, "the matrix holds NaN or infinity");
        for (size_t j = 0; j < i; j++)
            a[j * n + i] = a[i * n + j];
    }
    w.stage = f0t_stage_begin(monitor, "finding eigenvectors", "rows", 2 * n);
    int before = f0t_team_enter();
    f0t_status status = run(&w);
    f0t_team_leave(before);
    release(&w);
    return status;
}
