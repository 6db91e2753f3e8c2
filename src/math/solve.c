#include "math/solve.h"

#include "base/alloc.h"
#include "base/team.h"
#include "math/elementwise.h"

#include <lapacke.h>
#include <limits.h>
#include <math.h>

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

/* LAPACK tells the size of its work space as a real number, which may be rounded down. */
static f0t_status work_size(size_t *out, double told)
{
    double size = told > 1 << 24 ? nextafterf((float)told, INFINITY) : told;
    if (size > INT_MAX)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "the matrix needs more work space than LAPACK's integers can count");
    *out = size < 1 ? 1 : (size_t)size;
    return F0T_OK;
}

#define REAL float
#define NAME(function) function##_f32
#define LAPACK(function) LAPACKE_s##function##_work
#include "math/solve_body.h"
#undef REAL
#undef NAME
#undef LAPACK

#define REAL double
#define NAME(function) function##_f64
#define LAPACK(function) LAPACKE_d##function##_work
#include "math/solve_body.h"
#undef REAL
#undef NAME
#undef LAPACK
