/*
 * The functions of solve.h for one type. solve.c includes this twice, with REAL (float or double),
 * NAME(f) (the function's name for this type), CBLAS(f) and LAPACK(f) (LAPACKE's) defined. The *_work
 * functions are LAPACK itself: those without check for NaN unless an environment variable forbids
 * it, and know nothing of infinity; check_finite does that here.
 *
 * A row-major matrix is, to LAPACK, the transpose. For a symmetric one that swaps the triangles:
 * 'U' below is our lower triangle.
 */

static f0t_status NAME(check_lower)(const REAL *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        F0T_TRY(check_finite(NAME(f0t_finite)(a + i * n, i + 1)));
    return F0T_OK;
}

/* Rows `first` to PANEL more of the factor's columns `k` to `k + nb`: A21 = A21 L11⁻ᵀ. */
static void NAME(cholesky_rows)(REAL *a, size_t n, size_t k, size_t nb, size_t first)
{
    CBLAS(trsm)
    (CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit,
     (int)at_most(n - first, PANEL), (int)nb, 1, a + k * n + k, (int)n, a + first * n + k, (int)n);
}

/* A22 = A22 − A21 A21ᵀ of PANEL rows, up to the diagonal. */
static void NAME(cholesky_update)(REAL *a, size_t n, size_t k, size_t nb, size_t first)
{
    const size_t rows = at_most(n - first, PANEL), from = k + nb;
    const REAL *left = a + first * n + k;
    if (first > from)
        CBLAS(gemm)
    (CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)(first - from), (int)nb, -1, left,
     (int)n, a + from * n + k, (int)n, 1, a + first * n + from, (int)n);
    CBLAS(syrk)
    (CblasRowMajor, CblasLower, CblasNoTrans, (int)rows, (int)nb, -1, left, (int)n, 1,
     a + first * n + first, (int)n);
}

/* Columns k to k + nb of the factor, and what they take from the rest. In a team OpenBLAS uses one
 * thread per call: the pieces are the same for any number of threads. */
static lapack_int NAME(cholesky_panel)(REAL *a, size_t n, size_t k, size_t nb, int threads)
{
    lapack_int info = 0;
    (void)threads;
#pragma omp parallel num_threads(threads)
    {
#pragma omp single
        info = LAPACK(potrf)(LAPACK_COL_MAJOR, 'U', (lapack_int)nb, a + k * n + k, (lapack_int)n);
#pragma omp for schedule(dynamic)
        for (size_t first = k + nb; first < n; first += PANEL)
            if (!info)
                NAME(cholesky_rows)(a, n, k, nb, first);
#pragma omp for schedule(dynamic)
        for (size_t first = k + nb; first < n; first += PANEL)
            if (!info)
                NAME(cholesky_update)(a, n, k, nb, first);
    }
    return info > 0 ? info + (lapack_int)k : info;
}

static f0t_status NAME(cholesky_factor)(REAL *a, size_t n, f0t_stage *stage)
{
    for (size_t k = 0; k < n; k += PANEL) {
        F0T_TRY(f0t_stage_update(stage, k));
        lapack_int info = NAME(cholesky_panel)(a, n, k, at_most(n - k, PANEL), f0t_team_size());
        if (info > 0)
            return f0t_fail(F0T_ERROR_NUMERIC,
                            "the matrix is not positive definite: pivot %d of %zu is not above 0",
                            (int)info, n);
        F0T_TRY(check_info(info, "potrf"));
    }
    return F0T_OK;
}

/* x L Lᵀ = b: first z Lᵀ = b, then x L = z, some rows at a time. */
static void NAME(cholesky_back)(const REAL *a, size_t n, REAL *x, size_t rows, int threads)
{
    (void)threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t r = 0; r < rows; r += SOLVED_ROWS) {
        const int m = (int)at_most(rows - r, SOLVED_ROWS);
        CBLAS(trsm)
        (CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, m, (int)n, 1, a, (int)n,
         x + r * n, (int)n);
        CBLAS(trsm)
        (CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, m, (int)n, 1, a, (int)n,
         x + r * n, (int)n);
    }
}

static f0t_status NAME(cholesky_solve)(REAL *a, size_t n, REAL *x, size_t rows,
                                       const f0t_monitor *monitor)
{
    f0t_stage stage = f0t_stage_begin(monitor, "solving a system", "rows", n + rows);
    const size_t batch = rows_of_a_batch(n);
    F0T_TRY(NAME(cholesky_factor)(a, n, &stage));
    for (size_t r = 0; r < rows; r += batch) {
        F0T_TRY(f0t_stage_update(&stage, n + r));
        NAME(cholesky_back)(a, n, x + r * n, at_most(rows - r, batch), f0t_team_size());
    }
    return F0T_OK;
}

f0t_status NAME(f0t_cholesky_solve)(REAL *a, size_t n, REAL *x, size_t rows,
                                    const f0t_monitor *monitor)
{
    F0T_TRY(check_order(n));
    F0T_TRY(check_order(rows));
    if (!n)
        return F0T_OK;
    F0T_TRY(NAME(check_lower)(a, n));
    F0T_TRY(check_finite(NAME(f0t_finite)(x, rows * n)));
    int before = f0t_team_enter();
    f0t_status status = NAME(cholesky_solve)(a, n, x, rows, monitor);
    f0t_team_leave(before);
    return status;
}

static f0t_status NAME(eigen)(REAL *a, lapack_int n, REAL *values)
{
    REAL best = 0, *work = NULL;
    lapack_int ints = 0, *int_work = NULL;
    size_t count = 0;
    F0T_TRY(check_info(
        LAPACK(syevd)(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, values, &best, -1, &ints, -1), "syevd"));
    F0T_TRY(work_size(&count, (double)best));
    f0t_status status = f0t_alloc(&work, count, sizeof *work);
    if (status == F0T_OK)
        status = f0t_alloc(&int_work, (size_t)ints, sizeof *int_work);
    if (status == F0T_OK)
        status = check_info(LAPACK(syevd)(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, values, work,
                                          (lapack_int)count, int_work, ints),
                            "syevd");
    f0t_free(work);
    f0t_free(int_work);
    return status;
}

f0t_status NAME(f0t_eigen)(REAL *a, size_t n, REAL *values)
{
    F0T_TRY(check_order(n));
    if (!n)
        return F0T_OK;
    F0T_TRY(NAME(check_lower)(a, n));
    int before = f0t_team_enter();
    f0t_status status = NAME(eigen)(a, (lapack_int)n, values);
    f0t_team_leave(before);
    return status;
}

/* LAPACK sees Aᵀ = V·diag(s)·Uᵀ: its left factor, column-major, is our Vt row-major; its right one
 * is our U. */
static f0t_status NAME(svd)(REAL *a, lapack_int m, lapack_int n, REAL *u, REAL *s, REAL *vt)
{
    lapack_int p = m < n ? m : n, *int_work = NULL;
    REAL best = 0, *work = NULL;
    size_t count = 0;
    F0T_TRY(check_info(
        LAPACK(gesdd)(LAPACK_COL_MAJOR, 'S', n, m, a, n, s, vt, n, u, p, &best, -1, NULL),
        "gesdd"));
    F0T_TRY(work_size(&count, (double)best));
    f0t_status status = f0t_alloc(&work, count, sizeof *work);
    if (status == F0T_OK)
        status = f0t_alloc(&int_work, 8 * (size_t)p, sizeof *int_work);
    if (status == F0T_OK)
        status = check_info(LAPACK(gesdd)(LAPACK_COL_MAJOR, 'S', n, m, a, n, s, vt, n, u, p, work,
                                          (lapack_int)count, int_work),
                            "gesdd");
    f0t_free(work);
    f0t_free(int_work);
    return status;
}

f0t_status NAME(f0t_svd)(REAL *a, size_t m, size_t n, REAL *u, REAL *s, REAL *vt)
{
    F0T_TRY(check_order(m));
    F0T_TRY(check_order(n));
    if (!m || !n)
        return F0T_OK;
    F0T_TRY(check_finite(NAME(f0t_finite)(a, m * n)));
    int before = f0t_team_enter();
    f0t_status status = NAME(svd)(a, (lapack_int)m, (lapack_int)n, u, s, vt);
    f0t_team_leave(before);
    return status;
}
