/* Operators on two or more arrays, spread over one shape. */
#include "onnx/ops.h"

#include "base/team.h"

#include <math.h>

/* ---- One pair of numbers ------------------------------------------------------------------------
 */

static float remainder_like(float x, float y, bool c_like)
{
    float r = fmodf(x, y);
    return !c_like && r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

static float on_floats(int kind, float x, float y)
{
    switch (kind) {
    case F0T_BINARY_ADD:
        return x + y;
    case F0T_BINARY_SUB:
        return x - y;
    case F0T_BINARY_MUL:
        return x * y;
    case F0T_BINARY_DIV:
        return x / y;
    case F0T_BINARY_MAX: /* NaN stays */
        return x > y || x != x ? x : y;
    case F0T_BINARY_MIN:
        return x < y || x != x ? x : y;
    case F0T_BINARY_MOD:
        return remainder_like(x, y, false);
    case F0T_BINARY_FMOD:
        return remainder_like(x, y, true);
    case F0T_BINARY_PRELU:
        return x < 0 ? x * y : x;
    default:
        return powf(x, y);
    }
}

/* Arithmetic that wraps, as the types do. */
static int64_t divide(int64_t x, int64_t y)
{
    return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}

static int64_t modulo(int64_t x, int64_t y, bool c_like)
{
    int64_t r = y == -1 ? 0 : x % y;
    return !c_like && r && (r < 0) != (y < 0) ? r + y : r;
}

static int64_t power(int64_t x, int64_t y)
{
    uint64_t result = 1, base = (uint64_t)x;
    if (y < 0)
        return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
    for (; y; y >>= 1, base *= base)
        if (y & 1)
            result *= base;
    return (int64_t)result;
}

static int64_t shift(int64_t x, int64_t y, bool left)
{
    if (y < 0 || y > 63)
        return 0;
    return left ? (int64_t)((uint64_t)x << y) : (int64_t)((uint64_t)x >> y);
}

static int64_t on_integers(int kind, int64_t x, int64_t y)
{
    switch (kind) {
    case F0T_BINARY_ADD:
        return (int64_t)((uint64_t)x + (uint64_t)y);
    case F0T_BINARY_SUB:
        return (int64_t)((uint64_t)x - (uint64_t)y);
    case F0T_BINARY_MUL:
        return (int64_t)((uint64_t)x * (uint64_t)y);
    case F0T_BINARY_DIV:
        return divide(x, y);
    case F0T_BINARY_MAX:
        return x > y ? x : y;
    case F0T_BINARY_MIN:
        return x < y ? x : y;
    case F0T_BINARY_MOD:
        return modulo(x, y, false);
    case F0T_BINARY_FMOD:
        return modulo(x, y, true);
    case F0T_BINARY_AND:
        return x && y;
    case F0T_BINARY_OR:
        return x || y;
    case F0T_BINARY_XOR:
        return !x != !y;
    case F0T_BINARY_SHIFT_LEFT:
        return shift(x, y, true);
    case F0T_BINARY_SHIFT_RIGHT:
        return shift(x, y, false);
    case F0T_BINARY_PRELU:
        return x < 0 ? (int64_t)((uint64_t)x * (uint64_t)y) : x;
    default:
        return power(x, y);
    }
}

/* ---- Arrays -------------------------------------------------------------------------------------
 */

/* Rows of the common kinds; the other ones call for each number. `sx` and `sy` are 0 or 1. */
static void float_row(float *z, const float *x, size_t sx, const float *y, size_t sy, size_t n,
                      int kind)
{
    switch (kind) {
    case F0T_BINARY_ADD:
        for (size_t k = 0; k < n; k++)
            z[k] = x[k * sx] + y[k * sy];
        break;
    case F0T_BINARY_SUB:
        for (size_t k = 0; k < n; k++)
            z[k] = x[k * sx] - y[k * sy];
        break;
    case F0T_BINARY_MUL:
        for (size_t k = 0; k < n; k++)
            z[k] = x[k * sx] * y[k * sy];
        break;
    default:
        for (size_t k = 0; k < n; k++)
            z[k] = on_floats(kind, x[k * sx], y[k * sy]);
    }
}

static void integer_row(int64_t *z, const int64_t *x, size_t sx, const int64_t *y, size_t sy,
                        size_t n, int kind, f0t_onnx_array_type type)
{
    for (size_t k = 0; k < n; k++)
        z[k] = f0t_onnx_array_wrap(type, on_integers(kind, x[k * sx], y[k * sy]));
}

static bool has_zero(const f0t_onnx_array *y)
{
    for (size_t k = 0; k < y->count; k++)
        if (!y->i[k])
            return true;
    return false;
}

/* Fewer elements than this are not worth waking other threads. */
enum { SHARED = 1 << 14 };

/* z may be x where x has the shape of the result. */
static f0t_status apply(f0t_onnx_array *z, const f0t_onnx_array *x, const f0t_onnx_array *y,
                        int kind)
{
    f0t_onnx_spread s;
    const f0t_onnx_array *both[] = {x, y};
    F0T_TRY(f0t_onnx_spread_make(&s, both, 2));
    size_t n = s.rank ? s.dims[s.rank - 1] : 1, last = s.rank ? s.rank - 1 : 0;
    size_t sx = s.rank ? s.strides[0][last] : 0, sy = s.rank ? s.strides[1][last] : 0;
    bool division = kind == F0T_BINARY_DIV || kind == F0T_BINARY_MOD || kind == F0T_BINARY_FMOD;
    if (!z->f && division && has_zero(y))
        return f0t_fail(F0T_ERROR_NUMERIC, "an integer is divided by 0");
    const size_t rows = n ? s.count / n : 0;
#pragma omp parallel for num_threads(f0t_team_size()) if (s.count > SHARED)
    for (size_t row = 0; row < rows; row++) {
        size_t ox = f0t_onnx_spread_offset(&s, 0, row), oy = f0t_onnx_spread_offset(&s, 1, row);
        if (z->f)
            float_row(z->f + row * n, x->f + ox, sx, y->f + oy, sy, n, kind);
        else
            integer_row(z->i + row * n, x->i + ox, sx, y->i + oy, sy, n, kind, z->type);
    }
    return F0T_OK;
}

/* Up to set 6 the second array begins at `axis` of the first: dimensions of 1 after it say so. */
static f0t_status align_old(f0t_onnx_array *y, const f0t_op_call *call, const f0t_onnx_array *x)
{
    size_t axis;
    if (call->opset >= 7 || !f0t_op_int(call, "broadcast", 0) || !f0t_op_has(call, "axis"))
        return F0T_OK;
    F0T_TRY(f0t_op_axis(&axis, f0t_op_int(call, "axis", 0), x->rank));
    if (axis + y->rank > x->rank)
        return f0t_fail(F0T_ERROR_FORMAT, "axis %zu leaves no room for %zu dimensions", axis,
                        y->rank);
    for (; axis + y->rank < x->rank; y->rank++)
        y->dims[y->rank] = 1;
    return F0T_OK;
}

/* PRelu's slopes up to set 6, one for each channel. */
static void align_slopes(f0t_onnx_array *y, const f0t_op_call *call, const f0t_onnx_array *x)
{
    if (call->op->kind == F0T_BINARY_PRELU && call->opset < 7 && y->rank == 1 && y->count > 1)
        for (; 1 + y->rank < x->rank; y->rank++)
            y->dims[y->rank] = 1;
}

/* An exponent may be of another type than the base, whose type the result has. */
static f0t_status match_exponent(f0t_onnx_array *held, const f0t_onnx_array *x,
                                 const f0t_onnx_array *y)
{
    *held = *y;
    held->owned = false;
    if (!f0t_onnx_array_known(y) ||
        f0t_onnx_array_type_is_float(x->type) == f0t_onnx_array_type_is_float(y->type))
        return F0T_OK;
    held->f = NULL;
    held->i = NULL;
    held->type = x->type;
    F0T_TRY(f0t_onnx_array_alloc(held));
    for (size_t k = 0; k < y->count; k++) {
        if (held->f)
            held->f[k] = (float)y->i[k];
        else
            held->i[k] = f0t_onnx_array_to_integer(F0T_ONNX_INT64, (double)y->f[k]);
    }
    return F0T_OK;
}

static int exact_kind(const f0t_op_call *call)
{
    int kind = call->op->kind;
    if (kind == F0T_BINARY_MOD && f0t_op_int(call, "fmod", 0))
        return F0T_BINARY_FMOD;
    if (kind == F0T_BINARY_SHIFT_LEFT && f0t_op_text(call, "direction", "LEFT")[0] == 'R')
        return F0T_BINARY_SHIFT_RIGHT;
    return kind;
}

static f0t_status check_kind(const f0t_op_call *call, const f0t_onnx_array *x)
{
    int kind = call->op->kind;
    bool logical = kind == F0T_BINARY_AND || kind == F0T_BINARY_OR || kind == F0T_BINARY_XOR;
    bool whole = kind == F0T_BINARY_SHIFT_LEFT;
    if ((logical && x->type != F0T_ONNX_BOOL) || (whole && f0t_onnx_array_type_is_float(x->type)))
        return f0t_fail(F0T_ERROR_FORMAT, "it is not known for %s",
                        f0t_onnx_array_type_name((int)x->type));
    return F0T_OK;
}

f0t_status f0t_op_binary(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    f0t_onnx_array y = *f0t_op_in(call, 1), held;
    const f0t_onnx_array *both[] = {x, &y};
    f0t_onnx_spread s;
    F0T_TRY(check_kind(call, x));
    F0T_TRY(align_old(&y, call, x));
    align_slopes(&y, call, x);
    F0T_TRY(f0t_onnx_spread_make(&s, both, 2));
    F0T_TRY(f0t_op_output(call, 0, x->type, s.rank, s.dims));
    if (call->shape_only)
        return F0T_OK;
    bool mixed = f0t_onnx_array_type_is_float(x->type) != f0t_onnx_array_type_is_float(y.type);
    F0T_TRY(f0t_onnx_budget_take(call->budget, mixed ? y.count : 0, sizeof(int64_t)));
    F0T_TRY(match_exponent(&held, x, &y));
    f0t_status status = apply(call->outputs, x, &held, exact_kind(call));
    f0t_onnx_array_clear(&held);
    f0t_onnx_budget_give(call->budget, mixed ? y.count : 0, sizeof(int64_t));
    return status;
}

/* ---- Any number of arrays -----------------------------------------------------------------------
 */

static f0t_status spread_all(f0t_onnx_array *shape, const f0t_op_call *call)
{
    *shape = *call->inputs[0];
    for (size_t k = 1; k < call->input_count; k++) {
        f0t_onnx_spread s;
        const f0t_onnx_array *both[] = {shape, call->inputs[k]};
        if (!call->inputs[k])
            return f0t_fail(F0T_ERROR_FORMAT, "input %zu is missing", k);
        F0T_TRY(f0t_onnx_spread_make(&s, both, 2));
        F0T_TRY(f0t_onnx_array_shape(shape, shape->type, s.rank, s.dims));
    }
    return F0T_OK;
}

void f0t_onnx_array_spread(f0t_onnx_array *to, const f0t_onnx_array *from, const f0t_onnx_spread *s,
                           size_t which)
{
    size_t n = s->rank ? s->dims[s->rank - 1] : 1;
    size_t step = s->rank ? s->strides[which][s->rank - 1] : 0;
    for (size_t row = 0; n && row < s->count / n; row++) {
        size_t offset = f0t_onnx_spread_offset(s, which, row);
        for (size_t k = 0; k < n; k++) {
            if (to->f)
                to->f[row * n + k] = from->f[offset + k * step];
            else
                to->i[row * n + k] = from->i[offset + k * step];
        }
    }
}

/* Max, Min, Sum, Mean. */
f0t_status f0t_op_variadic(f0t_op_call *call)
{
    f0t_onnx_array shape, *z = call->outputs;
    f0t_onnx_spread s;
    int kind = call->op->kind == F0T_BINARY_MEAN ? F0T_BINARY_ADD : call->op->kind;
    F0T_TRY(spread_all(&shape, call));
    F0T_TRY(f0t_op_output(call, 0, shape.type, shape.rank, shape.dims));
    if (call->shape_only)
        return F0T_OK;
    const f0t_onnx_array *both[] = {call->inputs[0], z};
    F0T_TRY(f0t_onnx_spread_make(&s, both, 2));
    f0t_onnx_array_spread(z, call->inputs[0], &s, 0);
    for (size_t k = 1; k < call->input_count; k++)
        F0T_TRY(apply(z, z, call->inputs[k], kind));
    for (size_t k = 0; call->op->kind == F0T_BINARY_MEAN && k < z->count; k++)
        z->f[k] /= (float)call->input_count;
    return F0T_OK;
}

/* ---- Comparison, choice -------------------------------------------------------------------------
 */

static bool compare(int kind, const f0t_onnx_array *x, size_t i, const f0t_onnx_array *y, size_t j)
{
    bool equal = x->f ? x->f[i] == y->f[j] : x->i[i] == y->i[j];
    bool less = x->f ? x->f[i] < y->f[j] : x->i[i] < y->i[j];
    bool more = x->f ? x->f[i] > y->f[j] : x->i[i] > y->i[j];
    switch (kind) {
    case F0T_COMPARE_EQUAL:
        return equal;
    case F0T_COMPARE_LESS:
        return less;
    case F0T_COMPARE_LESS_OR_EQUAL:
        return less || equal;
    case F0T_COMPARE_GREATER:
        return more;
    default:
        return more || equal;
    }
}

f0t_status f0t_op_compare(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    f0t_onnx_array y = *f0t_op_in(call, 1);
    const f0t_onnx_array *both[] = {x, &y};
    f0t_onnx_spread s;
    F0T_TRY(align_old(&y, call, x));
    F0T_TRY(f0t_onnx_spread_make(&s, both, 2));
    F0T_TRY(f0t_op_output(call, 0, F0T_ONNX_BOOL, s.rank, s.dims));
    if (call->shape_only)
        return F0T_OK;
    size_t n = s.rank ? s.dims[s.rank - 1] : 1;
    for (size_t k = 0; k < s.count; k++) {
        size_t i = f0t_onnx_spread_offset(&s, 0, k / n), j = f0t_onnx_spread_offset(&s, 1, k / n);
        i += s.rank ? k % n * s.strides[0][s.rank - 1] : 0;
        j += s.rank ? k % n * s.strides[1][s.rank - 1] : 0;
        call->outputs->i[k] = compare(call->op->kind, x, i, &y, j);
    }
    return F0T_OK;
}

f0t_status f0t_op_where(f0t_op_call *call)
{
    const f0t_onnx_array *all[] = {f0t_op_in(call, 0), f0t_op_in(call, 1), f0t_op_in(call, 2)};
    f0t_onnx_spread s;
    if (all[0]->type != F0T_ONNX_BOOL || all[1]->type != all[2]->type)
        return f0t_fail(F0T_ERROR_FORMAT, "its inputs are of the wrong types");
    F0T_TRY(f0t_onnx_spread_make(&s, all, 3));
    F0T_TRY(f0t_op_output(call, 0, all[1]->type, s.rank, s.dims));
    if (call->shape_only)
        return F0T_OK;
    size_t n = s.rank ? s.dims[s.rank - 1] : 1;
    f0t_onnx_array *z = call->outputs;
    for (size_t k = 0; k < s.count; k++) {
        size_t at[3];
        for (size_t a = 0; a < 3; a++)
            at[a] = f0t_onnx_spread_offset(&s, a, k / n) +
                    (s.rank ? k % n * s.strides[a][s.rank - 1] : 0);
        size_t from = all[0]->i[at[0]] ? 1 : 2;
        if (z->f)
            z->f[k] = all[from]->f[at[from]];
        else
            z->i[k] = all[from]->i[at[from]];
    }
    return F0T_OK;
}

/* Expand: the shape is spread over, not replaced. */
f0t_status f0t_op_expand(f0t_op_call *call)
{
    const int64_t *list;
    size_t count, dims[F0T_ONNX_RANK] = {0};
    f0t_onnx_array wanted = {0};
    f0t_onnx_spread s;
    F0T_TRY(f0t_op_list(&list, &count, call, NULL, 1));
    for (size_t d = 0; d < count && d < F0T_ONNX_RANK; d++) {
        if (list[d] < 0)
            return f0t_fail(F0T_ERROR_FORMAT, "dimension %zu is %lld", d, (long long)list[d]);
        dims[d] = (size_t)list[d];
    }
    F0T_TRY(f0t_onnx_array_shape(&wanted, F0T_ONNX_INT64, count, dims));
    const f0t_onnx_array *both[] = {f0t_op_in(call, 0), &wanted};
    F0T_TRY(f0t_onnx_spread_make(&s, both, 2));
    F0T_TRY(f0t_op_output(call, 0, both[0]->type, s.rank, s.dims));
    if (!call->shape_only)
        f0t_onnx_array_spread(call->outputs, both[0], &s, 0);
    return F0T_OK;
}
