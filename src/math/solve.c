/*
 * LAPACK's *_work functions are LAPACK itself: those without check for NaN unless an environment variable
 * forbids it, and know nothing of infinity; check_finite does that here.
 *
 * A row-major matrix is, to LAPACK, the transpose. For a symmetric one that swaps the triangles: 'U' below is
 * our lower triangle.
 */
#include "math/solve.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "base/team.h"
#include "math/blas.h"
#include "math/elementwise.h"

#include <cblas.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static void (*const choose_blas)(void) __attribute__((used)) = f0t_blas_choose;

/* ---- Checks ---------------------------------------------------------------------------------- */

static f0t_status check_order(size_t n)
{
    if (n > INT_MAX)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "a matrix of %zu rows or columns is too large", n);
    return F0T_OK;
}

static f0t_status check_finite(bool finite)
{
    return finite ? F0T_OK : f0t_fail(F0T_ERROR_NUMERIC, "the matrix holds NaN or infinity");
}

static f0t_status check_info(lapack_int info, const char *function)
{
    if (info > 0)
        return f0t_fail(F0T_ERROR_NUMERIC, "LAPACK's %s does not converge (%d)", function,
                        (int)info);
    if (info < 0)
        return f0t_fail(F0T_ERROR_INTERNAL, "LAPACK's %s refuses its argument %d", function,
                        -(int)info);
    return F0T_OK;
}

/* LAPACK returns the size of its work space as a real number, which may be rounded down. */
static f0t_status work_size(size_t *out, double told)
{
    double size = told > 1 << 24 ? nextafterf((float)told, INFINITY) : told;
    if (size > INT_MAX)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "the matrix needs more work space than LAPACK's integers can count");
    *out = size < 1 ? 1 : (size_t)size;
    return F0T_OK;
}

/* ---- Systems by Cholesky --------------------------------------------------------------------- */

/* Rows and columns that the factor grows by; rows that are solved for by one thread at a time. */
enum { PANEL = 128, SOLVED_ROWS = 64 };
static const double BATCH_WORK = 1e10; /* multiplications: some tenths of a second */

static size_t at_most(size_t left, size_t most)
{
    return left < most ? left : most;
}

/* How many rows are solved for before the stop flag is checked. */
static size_t rows_of_a_batch(size_t n)
{
    const double rows = BATCH_WORK / ((double)n * (double)n);
    return rows > 1e6 ? 1 << 20 : SOLVED_ROWS * ((size_t)rows / SOLVED_ROWS + 1);
}

static f0t_status check_lower(const double *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        F0T_TRY(check_finite(f0t_finite_f64(a + i * n, i + 1)));
    return F0T_OK;
}

/* Rows `first` to PANEL more of the factor's columns `k` to `k + nb`: A21 = A21 L11⁻ᵀ. */
static void cholesky_rows(double *a, size_t n, size_t k, size_t nb, size_t first)
{
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit,
                (int)at_most(n - first, PANEL), (int)nb, 1, a + k * n + k, (int)n,
                a + first * n + k, (int)n);
}

/* A22 = A22 − A21 A21ᵀ of PANEL rows, up to the diagonal. */
static void cholesky_update(double *a, size_t n, size_t k, size_t nb, size_t first)
{
    const size_t rows = at_most(n - first, PANEL), from = k + nb;
    const double *left = a + first * n + k;
    if (first > from)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)(first - from),
                    (int)nb, -1, left, (int)n, a + from * n + k, (int)n, 1, a + first * n + from,
                    (int)n);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)rows, (int)nb, -1, left, (int)n, 1,
                a + first * n + first, (int)n);
}

/* Columns k to k + nb of the factor, and what they take from the rest. In a team OpenBLAS uses one
 * thread per call: the pieces are the same for any number of threads. */
static lapack_int cholesky_panel(double *a, size_t n, size_t k, size_t nb, int threads)
{
    lapack_int info = 0;
    (void)threads;
#pragma omp parallel num_threads(threads)
    {
#pragma omp single
        info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)nb, a + k * n + k,
                                   (lapack_int)n);
#pragma omp for schedule(dynamic)
        for (size_t first = k + nb; first < n; first += PANEL)
            if (!info)
                cholesky_rows(a, n, k, nb, first);
#pragma omp for schedule(dynamic)
        for (size_t first = k + nb; first < n; first += PANEL)
            if (!info)
                cholesky_update(a, n, k, nb, first);
    }
    return info > 0 ? info + (lapack_int)k : info;
}

static f0t_status cholesky_factor(double *a, size_t n, f0t_stage *stage)
{
    for (size_t k = 0; k < n; k += PANEL) {
        F0T_TRY(f0t_stage_update(stage, k));
        lapack_int info = cholesky_panel(a, n, k, at_most(n - k, PANEL), f0t_team_size());
        if (info > 0)
            return f0t_fail(F0T_ERROR_NUMERIC,
                            "the matrix is not positive definite: pivot %d of %zu is not above 0",
                            (int)info, n);
        F0T_TRY(check_info(info, "potrf"));
    }
    return F0T_OK;
}

/* x L Lᵀ = b: first z Lᵀ = b, then x L = z, some rows at a time. */
static void cholesky_back(const double *a, size_t n, double *x, size_t rows, int threads)
{
    (void)threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t r = 0; r < rows; r += SOLVED_ROWS) {
        const int m = (int)at_most(rows - r, SOLVED_ROWS);
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, m, (int)n, 1,
                    a, (int)n, x + r * n, (int)n);
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, m, (int)n, 1,
                    a, (int)n, x + r * n, (int)n);
    }
}

static f0t_status cholesky_solve(double *a, size_t n, double *x, size_t rows,
                                 const f0t_monitor *monitor)
{
    f0t_stage stage = f0t_stage_begin(monitor, "solving a system", "rows", n + rows);
    const size_t batch = rows_of_a_batch(n);
    F0T_TRY(cholesky_factor(a, n, &stage));
    for (size_t r = 0; r < rows; r += batch) {
        F0T_TRY(f0t_stage_update(&stage, n + r));
        cholesky_back(a, n, x + r * n, at_most(rows - r, batch), f0t_team_size());
    }
    return F0T_OK;
}

f0t_status f0t_cholesky_solve_f64(double *a, size_t n, double *x, size_t rows,
                                  const f0t_monitor *monitor)
{
    F0T_TRY(check_order(n));
    F0T_TRY(check_order(rows));
    if (!n)
        return F0T_OK;
    F0T_TRY(check_lower(a, n));
    F0T_TRY(check_finite(f0t_finite_f64(x, rows * n)));
    int before = f0t_team_enter();
    f0t_status status = cholesky_solve(a, n, x, rows, monitor);
    f0t_team_leave(before);
    return status;
}

/* ---- Eigenvectors and singular vectors, by one call ------------------------------------------ */

static f0t_status eigen(double *a, lapack_int n, double *values)
{
    double best = 0, *work = NULL;
    lapack_int ints = 0, *int_work = NULL;
    size_t count = 0;
    F0T_TRY(check_info(
        LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, values, &best, -1, &ints, -1),
        "syevd"));
    F0T_TRY(work_size(&count, best));
    f0t_status status = f0t_alloc(&work, count, sizeof *work);
    if (status == F0T_OK)
        status = f0t_alloc(&int_work, (size_t)ints, sizeof *int_work);
    if (status == F0T_OK)
        status = check_info(LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, values, work,
                                                (lapack_int)count, int_work, ints),
                            "syevd");
    f0t_free(work);
    f0t_free(int_work);
    return status;
}

f0t_status f0t_eigen_f64(double *a, size_t n, double *values)
{
    F0T_TRY(check_order(n));
    if (!n)
        return F0T_OK;
    F0T_TRY(check_lower(a, n));
    int before = f0t_team_enter();
    f0t_status status = eigen(a, (lapack_int)n, values);
    f0t_team_leave(before);
    return status;
}

/* LAPACK sees Aᵀ = V·diag(s)·Uᵀ: its left factor, column-major, is our Vt row-major; its right one
 * is our U. */
static f0t_status svd(double *a, lapack_int m, lapack_int n, double *u, double *s, double *vt)
{
    lapack_int p = m < n ? m : n, *int_work = NULL;
    double best = 0, *work = NULL;
    size_t count = 0;
    F0T_TRY(check_info(
        LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', n, m, a, n, s, vt, n, u, p, &best, -1, NULL),
        "gesdd"));
    F0T_TRY(work_size(&count, best));
    f0t_status status = f0t_alloc(&work, count, sizeof *work);
    if (status == F0T_OK)
        status = f0t_alloc(&int_work, 8 * (size_t)p, sizeof *int_work);
    if (status == F0T_OK)
        status = check_info(LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', n, m, a, n, s, vt, n, u, p,
                                                work, (lapack_int)count, int_work),
                            "gesdd");
    f0t_free(work);
    f0t_free(int_work);
    return status;
}

f0t_status f0t_svd_f64(double *a, size_t m, size_t n, double *u, double *s, double *vt)
{
    F0T_TRY(check_order(m));
    F0T_TRY(check_order(n));
    if (!m || !n)
        return F0T_OK;
    F0T_TRY(check_finite(f0t_finite_f64(a, m * n)));
    int before = f0t_team_enter();
    f0t_status status = svd(a, (lapack_int)m, (lapack_int)n, u, s, vt);
    f0t_team_leave(before);
    return status;
}

/* ---- By one thread ------------------------------------------------------------------------------- */

typedef struct problem {
    double *a, *u, *s, *vt;
    size_t m, n;
} problem;

static f0t_status run_eigen(const problem *p)
{
    return f0t_eigen_f64(p->a, p->n, p->s);
}

static f0t_status run_svd(const problem *p)
{
    return f0t_svd_f64(p->a, p->m, p->n, p->u, p->s, p->vt);
}

/* In a team LAPACK takes one thread: here a team of two of whom one works, where the context has more than one.
 * The last error is that thread's. */
static f0t_status run_by_one(f0t_status (*run)(const problem *), const problem *p)
{
    f0t_status status = F0T_OK;
    char message[512] = "";
#pragma omp parallel num_threads(2) if (f0t_team_size() > 1)
#pragma omp single
    {
        status = run(p);
        if (status != F0T_OK)
            strncpy(message, f0t_last_error(), sizeof message - 1);
    }
    return status == F0T_OK ? F0T_OK : f0t_fail(status, "%s", message);
}

f0t_status f0t_eigen_by_one(double *a, size_t n, double *values)
{
    return run_by_one(run_eigen, &(problem){.a = a, .s = values, .n = n});
}

f0t_status f0t_svd_by_one(double *a, size_t m, size_t n, double *u, double *s, double *vt)
{
    return run_by_one(run_svd, &(problem){.a = a, .u = u, .s = s, .vt = vt, .m = m, .n = n});
}

/* ---- Eigenvectors of large matrices, in steps ------------------------------------------------ */

/* Below SMALL one call is fast enough; columns that are reduced, and vectors that are turned back, at a
 * time; columns of the rest that one thread updates. */
enum { SMALL = 512, COLUMNS = 32, VECTORS = 128, UPDATED = 128 };

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
    int threads;
    f0t_stage stage;
} work;

enum { TURN_ROOM = VECTORS * 64 };

static f0t_status allocate(work *w)
{
    const size_t n = w->n;
    F0T_TRY(f0t_alloc_zero(&w->beside, n, sizeof *w->beside));
    F0T_TRY(f0t_alloc_zero(&w->tau, n, sizeof *w->tau));
    F0T_TRY(f0t_alloc(&w->panel, (size_t)COLUMNS * n, sizeof *w->panel));
    F0T_TRY(f0t_alloc(&w->vectors, n * n, sizeof *w->vectors));
    F0T_TRY(
        f0t_alloc(&w->room, n * n + 4 * n + 1 + (size_t)w->threads * TURN_ROOM, sizeof *w->room));
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

/* Of the rest R[m x m] of columns that are left, R -= V Pᵀ + P Vᵀ: columns `first` to UPDATED more, from the diagonal
 * down. v has rows of n, p of `left`. */
static void update_columns(double *rest, const double *v, const double *p, size_t n, size_t left,
                           size_t first)
{
    const size_t m = left - COLUMNS, wide = at_most(m - first, UPDATED), below = first + wide;
    double *to = rest + first * n;
    cblas_dsyr2k(CblasColMajor, CblasLower, CblasNoTrans, (int)wide, COLUMNS, -1, v + first, (int)n,
                 p + first, (int)left, 1, to + first, (int)n);
    if (below == m)
        return;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)(m - below), (int)wide, COLUMNS, -1,
                v + below, (int)n, p + first, (int)left, 1, to + below, (int)n);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)(m - below), (int)wide, COLUMNS, -1,
                p + below, (int)left, v + first, (int)n, 1, to + below, (int)n);
}

/* COLUMNS of LAPACK's dsytrd from number i. In a team LAPACK and BLAS use one thread per call. */
static void reduce_columns(work *w, size_t i)
{
    const lapack_int n = (lapack_int)w->n, left = (lapack_int)(w->n - i), columns = COLUMNS;
    double *at = w->a + i * w->n + i, *rest = at + COLUMNS * (w->n + 1);
#pragma omp parallel num_threads(w->threads)
    {
#pragma omp single
        dlatrd_("L", &left, &columns, at, &n, w->beside + i, w->tau + i, w->panel, &left, 1);
#pragma omp for schedule(dynamic)
        for (size_t first = 0; first < w->n - i - COLUMNS; first += UPDATED)
            update_columns(rest, at + COLUMNS, w->panel + COLUMNS, w->n, w->n - i, first);
    }
    for (size_t j = 0; j < COLUMNS; j++) {
        double *diagonal = at + j * (w->n + 1);
        diagonal[1] = w->beside[i + j];
        w->values[i + j] = diagonal[0];
    }
}

/* The steps of LAPACK's dsytrd. */
static f0t_status reduce(work *w)
{
    const lapack_int n = (lapack_int)w->n;
    lapack_int info = 0;
    size_t i = 0;
    for (; w->n - i > SMALL; i += COLUMNS) {
        F0T_TRY(f0t_stage_update(&w->stage, i));
        reduce_columns(w, i);
    }
    const lapack_int left = n - (lapack_int)i;
#pragma omp parallel num_threads(w->threads)
#pragma omp single
    dsytd2_("L", &left, w->a + i * w->n + i, &n, w->values + i, w->beside + i, w->tau + i, &info,
            1);
    return F0T_OK;
}

static f0t_status solve(work *w)
{
    const lapack_int n = (lapack_int)w->n;
    lapack_int info = 0;
#pragma omp parallel num_threads(w->threads)
#pragma omp single
    info = LAPACKE_dstedc_work(LAPACK_COL_MAJOR, 'I', n, w->values, w->beside, w->vectors, n,
                               w->room, n * n + 4 * n + 1, w->int_room, 5 * n + 3);
    if (info)
        return f0t_fail(F0T_ERROR_NUMERIC, "LAPACK's stedc does not converge (%d)", (int)info);
    return F0T_OK;
}

/* Vectors `first` to VECTORS more. */
static lapack_int turn_vectors(work *w, size_t first)
{
    const lapack_int n = (lapack_int)w->n, count = (lapack_int)at_most(w->n - first, VECTORS);
    return LAPACKE_dormtr_work(LAPACK_COL_MAJOR, 'L', 'L', 'N', n, count, w->a, n, w->tau,
                               w->vectors + first * w->n, n,
                               w->room + (size_t)f0t_team_member() * TURN_ROOM, TURN_ROOM);
}

static f0t_status turn_back(work *w)
{
    const size_t batch = VECTORS * (size_t)w->threads;
    lapack_int refused = 0;
    for (size_t start = 0; start < w->n && !refused; start += batch) {
        const size_t end = start + at_most(w->n - start, batch);
        F0T_TRY(f0t_stage_update(&w->stage, w->n + start));
#pragma omp parallel for schedule(static, 1) num_threads(w->threads) reduction(min : refused)
        for (size_t first = start; first < end; first += VECTORS) {
            const lapack_int info = turn_vectors(w, first);
            refused = info < refused ? info : refused;
        }
    }
    F0T_TRY(check_info(refused, "ormtr"));
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
    work w = {.a = a, .n = n, .values = values, .threads = f0t_team_size()};
    if (n <= SMALL || n * n > INT_MAX / 2) /* LAPACK's integers count no larger work space */
        return f0t_eigen_by_one(a, n, values);
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
