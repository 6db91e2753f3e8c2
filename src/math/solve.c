#include "math/solve.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "base/team.h"
#include "math/elementwise.h"

#include <cblas.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <string.h>

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

#define REAL float
#define NAME(function) function##_f32
#define CBLAS(function) cblas_s##function
#define LAPACK(function) LAPACKE_s##function##_work
#include "math/solve_body.h"
#undef REAL
#undef NAME
#undef CBLAS
#undef LAPACK

#define REAL double
#define NAME(function) function##_f64
#define CBLAS(function) cblas_d##function
#define LAPACK(function) LAPACKE_d##function##_work
#include "math/solve_body.h"
#undef REAL
#undef NAME
#undef CBLAS
#undef LAPACK

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

/* In a team LAPACK takes one thread: here a team of two of whom one works. The last error is that
 * thread's. */
static f0t_status run_by_one(f0t_status (*run)(const problem *), const problem *p)
{
    f0t_status status = F0T_OK;
    char message[512] = "";
#pragma omp parallel num_threads(2)
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
