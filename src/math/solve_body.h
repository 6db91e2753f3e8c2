/*
 * The functions of solve.h for one type. solve.c includes this twice, with REAL (float or double),
 * NAME(f) (the function's name for this type) and LAPACK(f) (LAPACKE's) defined. The *_work
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

static f0t_status NAME(cholesky_solve)(REAL *a, lapack_int n, REAL *x, lapack_int rows)
{
    lapack_int info = LAPACK(potrf)(LAPACK_COL_MAJOR, 'U', n, a, n);
    if (info > 0)
        return f0t_fail(F0T_ERROR_NUMERIC,
                        "the matrix is not positive definite: pivot %d of %d is not above 0",
                        (int)info, (int)n);
    F0T_TRY(check_info(info, "potrf"));
    if (!rows)
        return F0T_OK;
    return check_info(LAPACK(potrs)(LAPACK_COL_MAJOR, 'U', n, rows, a, n, x, n), "potrs");
}

/* x·A = b is, transposed, A·xᵀ = bᵀ: the rows of x are LAPACK's columns. */
f0t_status NAME(f0t_cholesky_solve)(REAL *a, size_t n, REAL *x, size_t rows)
{
    F0T_TRY(check_order(n));
    F0T_TRY(check_order(rows));
    if (!n)
        return F0T_OK;
    F0T_TRY(NAME(check_lower)(a, n));
    F0T_TRY(check_finite(NAME(f0t_finite)(x, rows * n)));
    int before = f0t_team_enter();
    f0t_status status = NAME(cholesky_solve)(a, (lapack_int)n, x, (lapack_int)rows);
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
