/* Operators that put elements elsewhere, or give them another shape. */
#include "onnx/ops.h"

#include "base/size.h"

#include <string.h>

/* ---- Reshape: the order stays ---------------------------------------------------------------- */

static f0t_status give(f0t_op_call *call, size_t rank, const size_t *dims)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    F0T_TRY(f0t_op_output(call, 0, x->type, rank, dims));
    f0t_onnx_array *y = call->outputs;
    if (y->count != x->count)
        return f0t_fail(F0T_ERROR_FORMAT, "%zu elements do not become %zu", x->count, y->count);
    if (call->shape_only)
        return F0T_OK;
    if (y->f && y->f != x->f)
        memcpy(y->f, x->f, x->count * sizeof *y->f);
    else if (y->i && y->i != x->i)
        memcpy(y->i, x->i, x->count * sizeof *y->i);
    return F0T_OK;
}

/* 0 takes the dimension of the input (unless allowzero), -1 what is left. */
static f0t_status complete(size_t *dims, const int64_t *list, size_t count, const f0t_onnx_array *x,
                           bool allow_zero)
{
    size_t open = F0T_NONE, known = 1;
    for (size_t d = 0; d < count; d++) {
        if (list[d] == -1 && open == F0T_NONE) {
            open = d;
            dims[d] = 1;
        } else if (list[d] == 0 && !allow_zero) {
            if (d >= x->rank)
                return f0t_fail(F0T_ERROR_FORMAT, "dimension %zu of the input does not exist", d);
            dims[d] = x->dims[d];
        } else if (list[d] < 0) {
            return f0t_fail(F0T_ERROR_FORMAT, "dimension %zu is %lld", d, (long long)list[d]);
        } else {
            dims[d] = (size_t)list[d];
        }
        if (__builtin_mul_overflow(known, dims[d], &known))
            return f0t_fail(F0T_ERROR_FORMAT, "the new shape is larger than memory");
    }
    if (open == F0T_NONE)
        return F0T_OK;
    if (!known || x->count % known)
        return f0t_fail(F0T_ERROR_FORMAT, "%zu elements do not fill rows of %zu", x->count, known);
    dims[open] = x->count / known;
    return F0T_OK;
}

f0t_status f0t_op_reshape(f0t_op_call *call)
{
    const int64_t *list;
    size_t count, dims[F0T_ONNX_RANK];
    F0T_TRY(f0t_op_list(&list, &count, call, "shape", 1));
    if (count > F0T_ONNX_RANK)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "a shape of %zu dimensions", count);
    F0T_TRY(complete(dims, list, count, f0t_op_in(call, 0), f0t_op_int(call, "allowzero", 0) != 0));
    return give(call, count, dims);
}

f0t_status f0t_op_flatten(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    int64_t axis = f0t_op_int(call, "axis", 1);
    size_t dims[2] = {1, 1};
    axis = axis < 0 ? axis + (int64_t)x->rank : axis;
    if (axis < 0 || axis > (int64_t)x->rank)
        return f0t_fail(F0T_ERROR_FORMAT, "axis %lld of %zu dimensions", (long long)axis, x->rank);
    for (size_t d = 0; d < x->rank; d++)
        dims[(int64_t)d >= axis] *= x->dims[d];
    return give(call, 2, dims);
}

f0t_status f0t_op_squeeze(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    const int64_t *list;
    size_t count, dims[F0T_ONNX_RANK], rank = 0;
    bool gone[F0T_ONNX_RANK];
    F0T_TRY(f0t_op_list(&list, &count, call, "axes", 1));
    F0T_TRY(f0t_op_axes(gone, list, count, x->rank));
    for (size_t d = 0; d < x->rank; d++) {
        if (gone[d] && x->dims[d] != 1)
            return f0t_fail(F0T_ERROR_FORMAT, "dimension %zu is %zu, not 1", d, x->dims[d]);
        if (!gone[d] && (list || x->dims[d] != 1))
            dims[rank++] = x->dims[d];
    }
    return give(call, rank, dims);
}

f0t_status f0t_op_unsqueeze(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    const int64_t *list;
    size_t count, dims[F0T_ONNX_RANK], from = 0;
    bool added[F0T_ONNX_RANK];
    F0T_TRY(f0t_op_list(&list, &count, call, "axes", 1));
    if (count > F0T_ONNX_RANK || x->rank + count > F0T_ONNX_RANK)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "more than %d dimensions", (int)F0T_ONNX_RANK);
    F0T_TRY(f0t_op_axes(added, list, count, x->rank + count));
    for (size_t d = 0; d < x->rank + count; d++)
        dims[d] = added[d] ? 1 : x->dims[from++];
    return give(call, x->rank + count, dims);
}

/* ---- By a rule for each dimension ---------------------------------------------------------------
 */

/* Element (i_0 … i_r) of the result is at base + Σ i_d·step_d of the source. */
typedef struct walk {
    size_t rank;
    size_t dims[F0T_ONNX_RANK];
    ptrdiff_t step[F0T_ONNX_RANK];
    ptrdiff_t base;
} walk;

static void copy_walk(f0t_onnx_array *y, const f0t_onnx_array *x, const walk *w)
{
    size_t index[F0T_ONNX_RANK] = {0};
    size_t n = w->rank ? w->dims[w->rank - 1] : 1;
    ptrdiff_t step = w->rank ? w->step[w->rank - 1] : 0, from = w->base;
    for (size_t done = 0; done < y->count; done += n) {
        for (size_t k = 0; k < n; k++) {
            if (y->f)
                y->f[done + k] = x->f[from + (ptrdiff_t)k * step];
            else
                y->i[done + k] = x->i[from + (ptrdiff_t)k * step];
        }
        for (size_t d = w->rank ? w->rank - 1 : 0; d-- > 0;) {
            from += w->step[d];
            if (++index[d] < w->dims[d])
                break;
            from -= w->step[d] * (ptrdiff_t)w->dims[d];
            index[d] = 0;
        }
    }
}

static void natural_steps(ptrdiff_t *step, const f0t_onnx_array *x)
{
    ptrdiff_t stride = 1;
    for (size_t d = x->rank; d-- > 0;) {
        step[d] = stride;
        stride *= (ptrdiff_t)x->dims[d];
    }
}

static f0t_status give_walk(f0t_op_call *call, const walk *w)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    F0T_TRY(f0t_op_output(call, 0, x->type, w->rank, w->dims));
    if (!call->shape_only)
        copy_walk(call->outputs, x, w);
    return F0T_OK;
}

f0t_status f0t_op_transpose(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    ptrdiff_t step[F0T_ONNX_RANK];
    size_t count;
    const int64_t *order = f0t_op_ints(&count, call, "perm");
    walk w = {.rank = x->rank};
    bool seen[F0T_ONNX_RANK] = {false};
    if (order && count != x->rank)
        return f0t_fail(F0T_ERROR_FORMAT, "perm has %zu numbers for %zu dimensions", count,
                        x->rank);
    natural_steps(step, x);
    for (size_t d = 0; d < x->rank; d++) {
        int64_t from = order ? order[d] : (int64_t)(x->rank - 1 - d);
        if (from < 0 || from >= (int64_t)x->rank || seen[from])
            return f0t_fail(F0T_ERROR_FORMAT, "perm is not an order of the dimensions");
        seen[from] = true;
        w.dims[d] = x->dims[from];
        w.step[d] = step[from];
    }
    return give_walk(call, &w);
}

/* start:end:step of one dimension, cut to its size as numpy does. */
static f0t_status cut(size_t *count, int64_t *first, int64_t start, int64_t end, int64_t step,
                      size_t size)
{
    *count = 0;
    *first = 0;
    int64_t n = (int64_t)size, low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    if (step == 0 || step == INT64_MIN)
        return f0t_fail(F0T_ERROR_FORMAT, "a step of %lld", (long long)step);
    start = start < 0 ? start + n : start;
    end = end < 0 ? (end < -n ? -1 : end + n) : end;
    start = start < low ? low : start > high ? high : start;
    end = end < low ? low : end > high ? high : end;
    if (step < 0 && end < 0)
        end = -1;
    int64_t span = step > 0 ? end - start : start - end, pace = step > 0 ? step : -step;
    *count = span > 0 ? (size_t)((span - 1) / pace + 1) : 0;
    *first = start;
    return F0T_OK;
}

typedef struct slices {
    const int64_t *starts, *ends, *axes, *steps;
    size_t count;
} slices;

static f0t_status read_slices(slices *out, const f0t_op_call *call)
{
    size_t ends, axes, steps;
    F0T_TRY(f0t_op_list(&out->starts, &out->count, call, "starts", 1));
    F0T_TRY(f0t_op_list(&out->ends, &ends, call, "ends", 2));
    F0T_TRY(f0t_op_list(&out->axes, &axes, call, "axes", 3));
    F0T_TRY(f0t_op_list(&out->steps, &steps, call, NULL, 4));
    if (ends != out->count || (out->axes && axes != out->count) ||
        (out->steps && steps != out->count))
        return f0t_fail(F0T_ERROR_FORMAT, "starts, ends, axes and steps differ in length");
    return F0T_OK;
}

f0t_status f0t_op_slice(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    walk w = {.rank = x->rank};
    slices s;
    ptrdiff_t step[F0T_ONNX_RANK];
    size_t axes[F0T_ONNX_RANK];
    F0T_TRY(read_slices(&s, call));
    F0T_TRY(f0t_op_axis_list(axes, s.axes, s.count, x->rank));
    natural_steps(step, x);
    memcpy(w.dims, x->dims, sizeof w.dims);
    memcpy(w.step, step, sizeof w.step);
    for (size_t k = 0; k < s.count; k++) {
        size_t axis = axes[k], count;
        int64_t first, pace = s.steps ? s.steps[k] : 1;
        F0T_TRY(cut(&count, &first, s.starts[k], s.ends[k], pace, x->dims[axis]));
        w.dims[axis] = count;
        w.step[axis] = count > 1 ? step[axis] * pace : 0;
        w.base += count ? step[axis] * first : 0;
    }
    return give_walk(call, &w);
}

f0t_status f0t_op_tile(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    const int64_t *repeats;
    size_t count, dims[F0T_ONNX_RANK], inner = 1;
    F0T_TRY(f0t_op_list(&repeats, &count, call, NULL, 1));
    if (count != x->rank)
        return f0t_fail(F0T_ERROR_FORMAT, "%zu repeats for %zu dimensions", count, x->rank);
    for (size_t d = 0; d < count; d++)
        if (repeats[d] < 0 || __builtin_mul_overflow(x->dims[d], (size_t)repeats[d], &dims[d]))
            return f0t_fail(F0T_ERROR_FORMAT, "dimension %zu repeated %lld times", d,
                            (long long)repeats[d]);
    F0T_TRY(f0t_op_output(call, 0, x->type, count, dims));
    f0t_onnx_array *y = call->outputs;
    for (size_t k = 0; k < y->count && !call->shape_only; k++) {
        F0T_TRY(f0t_op_steps(call, count, 4));
        size_t rest = k, from = 0;
        inner = 1;
        for (size_t d = count; d-- > 0;) {
            from += rest % dims[d] % x->dims[d] * inner;
            rest /= dims[d];
            inner *= x->dims[d];
        }
        if (y->f)
            y->f[k] = x->f[from];
        else
            y->i[k] = x->i[from];
    }
    return F0T_OK;
}

/* ---- Several arrays -----------------------------------------------------------------------------
 */

/* rows x columns elements, from rows `from_step` apart to rows `to_step` apart. */
static void copy_rows(f0t_onnx_array *y, size_t to, size_t to_step, const f0t_onnx_array *x,
                      size_t from, size_t from_step, size_t rows, size_t columns)
{
    for (size_t r = 0; r < rows; r++) {
        if (y->f)
            memcpy(y->f + to + r * to_step, x->f + from + r * from_step, columns * sizeof *y->f);
        else
            memcpy(y->i + to + r * to_step, x->i + from + r * from_step, columns * sizeof *y->i);
    }
}

static void around(size_t *outer, size_t *inner, const f0t_onnx_array *x, size_t axis)
{
    *outer = *inner = 1;
    for (size_t d = 0; d < x->rank; d++)
        *(d < axis ? outer : inner) *= d == axis ? 1 : x->dims[d];
}

f0t_status f0t_op_concat(f0t_op_call *call)
{
    const f0t_onnx_array *first = f0t_op_in(call, 0);
    size_t axis, dims[F0T_ONNX_RANK], outer, inner, at = 0;
    F0T_TRY(f0t_op_axis(&axis, f0t_op_int(call, "axis", 1), first->rank));
    memcpy(dims, first->dims, sizeof dims);
    for (size_t k = 1; k < call->input_count; k++) {
        const f0t_onnx_array *x = call->inputs[k];
        if (!x || x->rank != first->rank)
            return f0t_fail(F0T_ERROR_FORMAT, "input %zu has other dimensions than the first", k);
        for (size_t d = 0; d < x->rank; d++)
            if (d != axis && x->dims[d] != dims[d])
                return f0t_fail(F0T_ERROR_FORMAT, "dimension %zu is %zu and %zu", d, dims[d],
                                x->dims[d]);
        if (__builtin_add_overflow(dims[axis], x->dims[axis], &dims[axis]))
            return f0t_fail(F0T_ERROR_FORMAT, "the result is larger than memory");
    }
    F0T_TRY(f0t_op_output(call, 0, first->type, first->rank, dims));
    if (call->shape_only)
        return F0T_OK;
    around(&outer, &inner, first, axis);
    for (size_t k = 0; k < call->input_count; k++) {
        size_t columns = call->inputs[k]->dims[axis] * inner;
        copy_rows(call->outputs, at, dims[axis] * inner, call->inputs[k], 0, columns, outer,
                  columns);
        at += columns;
    }
    return F0T_OK;
}

/* Sizes that are not given are equal; with num_outputs (set 18) the last may be smaller. */
static f0t_status split_size(size_t *out, const f0t_op_call *call, size_t k, size_t whole,
                             const int64_t *list, size_t count)
{
    size_t parts = call->output_count, part = (whole + parts - 1) / parts;
    if (list) {
        if (count != parts || list[k] < 0)
            return f0t_fail(F0T_ERROR_FORMAT, "%zu sizes for %zu outputs", count, parts);
        *out = (size_t)list[k];
        return F0T_OK;
    }
    if (call->opset < 18 && whole % parts)
        return f0t_fail(F0T_ERROR_FORMAT, "%zu does not split into %zu equal parts", whole, parts);
    *out = k * part >= whole ? 0 : whole - k * part < part ? whole - k * part : part;
    return F0T_OK;
}

f0t_status f0t_op_split(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    const int64_t *list;
    size_t axis, count, dims[F0T_ONNX_RANK], outer, inner, at = 0;
    F0T_TRY(f0t_op_axis(&axis, f0t_op_int(call, "axis", 0), x->rank));
    F0T_TRY(f0t_op_list(&list, &count, call, "split", 1));
    memcpy(dims, x->dims, sizeof dims);
    around(&outer, &inner, x, axis);
    for (size_t k = 0; k < call->output_count; k++) {
        F0T_TRY(split_size(&dims[axis], call, k, x->dims[axis], list, count));
        if (dims[axis] > x->dims[axis] - at)
            return f0t_fail(F0T_ERROR_FORMAT, "the parts are more than %zu", x->dims[axis]);
        F0T_TRY(f0t_op_output(call, k, x->type, x->rank, dims));
        if (!call->shape_only)
            copy_rows(&call->outputs[k], 0, dims[axis] * inner, x, at * inner,
                      x->dims[axis] * inner, outer, dims[axis] * inner);
        at += dims[axis];
    }
    return at == x->dims[axis]
               ? F0T_OK
               : f0t_fail(F0T_ERROR_FORMAT, "the parts are %zu of %zu", at, x->dims[axis]);
}

/* ---- Blocks -------------------------------------------------------------------------------------
 */

static f0t_status block_size(size_t *out, const f0t_op_call *call)
{
    int64_t size = f0t_op_int(call, "blocksize", 0);
    *out = 1;
    if (f0t_op_in(call, 0)->rank != 4 || size < 1 || size > INT16_MAX)
        return f0t_fail(F0T_ERROR_FORMAT, "blocks of %lld, or an input without 4 dimensions",
                        (long long)size);
    *out = (size_t)size;
    return F0T_OK;
}

f0t_status f0t_op_depth_to_space(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    bool crd = strcmp(f0t_op_text(call, "mode", "DCR"), "CRD") == 0;
    size_t b;
    F0T_TRY(block_size(&b, call));
    if (x->dims[1] % (b * b))
        return f0t_fail(F0T_ERROR_FORMAT, "%zu channels in blocks of %zu", x->dims[1], b * b);
    size_t c = x->dims[1] / (b * b), h = x->dims[2], wide = x->dims[3];
    size_t dims[] = {x->dims[0], c, 0, 0};
    if (!f0t_size_mul(&dims[2], h, b) || !f0t_size_mul(&dims[3], wide, b))
        return f0t_fail(F0T_ERROR_FORMAT, "%zux%zu in blocks of %zu", h, wide, b);
    F0T_TRY(f0t_op_output(call, 0, x->type, 4, dims));
    f0t_onnx_array *y = call->outputs;
    for (size_t k = 0; k < y->count && !call->shape_only; k++) {
        size_t column = k % dims[3], row = k / dims[3] % dims[2];
        size_t channel = k / dims[3] / dims[2] % c, image = k / dims[3] / dims[2] / c;
        size_t block = row % b * b + column % b;
        size_t from = crd ? channel * b * b + block : block * c + channel;
        from = ((image * x->dims[1] + from) * h + row / b) * wide + column / b;
        if (y->f)
            y->f[k] = x->f[from];
        else
            y->i[k] = x->i[from];
    }
    return F0T_OK;
}

f0t_status f0t_op_space_to_depth(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    size_t b;
    F0T_TRY(block_size(&b, call));
    if (x->dims[2] % b || x->dims[3] % b)
        return f0t_fail(F0T_ERROR_FORMAT, "%zux%zu in blocks of %zu", x->dims[2], x->dims[3], b);
    size_t dims[] = {x->dims[0], 0, x->dims[2] / b, x->dims[3] / b};
    if (!f0t_size_mul(&dims[1], x->dims[1], b * b))
        return f0t_fail(F0T_ERROR_FORMAT, "%zu channels in blocks of %zu", x->dims[1], b * b);
    F0T_TRY(f0t_op_output(call, 0, x->type, 4, dims));
    f0t_onnx_array *y = call->outputs;
    for (size_t k = 0; k < y->count && !call->shape_only; k++) {
        size_t column = k % dims[3], row = k / dims[3] % dims[2];
        size_t channel = k / dims[3] / dims[2] % dims[1], image = k / dims[3] / dims[2] / dims[1];
        size_t block = channel / x->dims[1], source = channel % x->dims[1];
        size_t from = (image * x->dims[1] + source) * x->dims[2] + row * b + block / b;
        from = from * x->dims[3] + column * b + block % b;
        if (y->f)
            y->f[k] = x->f[from];
        else
            y->i[k] = x->i[from];
    }
    return F0T_OK;
}

f0t_status f0t_op_trilu(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0), *shift = f0t_op_in(call, 1);
    bool upper = f0t_op_int(call, "upper", 1) != 0;
    if (x->rank < 2 || (shift && shift->count != 1))
        return f0t_fail(F0T_ERROR_FORMAT, "its input is not a matrix");
    F0T_TRY(f0t_op_output_like(call, 0, x));
    if (call->shape_only)
        return F0T_OK;
    int64_t k = shift && shift->i ? shift->i[0] : 0;
    size_t columns = x->dims[x->rank - 1], rows = x->dims[x->rank - 2];
    k = k < -(int64_t)rows ? -(int64_t)rows : k > (int64_t)columns ? (int64_t)columns : k;
    for (size_t e = 0; e < x->count; e++) {
        int64_t distance = (int64_t)(e % columns) - (int64_t)(e / columns % rows) - k;
        bool kept = upper ? distance >= 0 : distance <= 0;
        if (x->f)
            call->outputs->f[e] = kept ? x->f[e] : 0.0F;
        else
            call->outputs->i[e] = kept ? x->i[e] : 0;
    }
    return F0T_OK;
}

/* ---- Pad: constants, the edge or the mirrored inside around an array ------------------------- */

typedef enum fill { FILL_CONSTANT, FILL_EDGE, FILL_REFLECT, FILL_WRAP } fill;

static f0t_status read_mode(fill *out, const f0t_op_call *call)
{
    static const char *const names[] = {"constant", "edge", "reflect", "wrap"};
    const char *mode = f0t_op_text(call, "mode", "constant");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(mode, names[k]) == 0) {
            *out = (fill)k;
            return F0T_OK;
        }
    return f0t_fail(F0T_ERROR_UNSUPPORTED, "mode '%s'", mode);
}

/* Pads before and after each dimension; negative ones cut. */
static f0t_status read_pads(int64_t *before, size_t *dims, const f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    const int64_t *pads, *axes;
    size_t count, axis_count, places[F0T_ONNX_RANK];
    F0T_TRY(
        f0t_op_list(&pads, &count, call, f0t_op_has(call, "paddings") ? "paddings" : "pads", 1));
    F0T_TRY(f0t_op_list(&axes, &axis_count, call, NULL, 3));
    axis_count = axes ? axis_count : x->rank;
    if (axis_count > x->rank || count != 2 * axis_count)
        return f0t_fail(F0T_ERROR_FORMAT, "%zu pads for %zu dimensions", count, axis_count);
    memset(before, 0, F0T_ONNX_RANK * sizeof *before);
    memcpy(dims, x->dims, F0T_ONNX_RANK * sizeof *dims);
    F0T_TRY(f0t_op_axis_list(places, axes, axis_count, x->rank));
    for (size_t k = 0; k < axis_count; k++) {
        size_t d = places[k];
        int64_t start = pads[k], end = pads[axis_count + k];
        if (start < -INT32_MAX || start > INT32_MAX || end < -INT32_MAX || end > INT32_MAX ||
            (int64_t)x->dims[d] + start + end < 0)
            return f0t_fail(F0T_ERROR_FORMAT, "dimension %zu of %zu padded by %lld and %lld", d,
                            x->dims[d], (long long)start, (long long)end);
        before[d] = start;
        dims[d] = (size_t)((int64_t)x->dims[d] + start + end);
    }
    return F0T_OK;
}

/* The coordinate of the input that is shown at `at`; below 0: none. */
static int64_t source(int64_t at, int64_t size, fill mode)
{
    if (at >= 0 && at < size)
        return at;
    if (mode == FILL_CONSTANT || size == 0)
        return -1;
    if (mode == FILL_EDGE)
        return at < 0 ? 0 : size - 1;
    if (mode == FILL_WRAP)
        return (at % size + size) % size;
    int64_t period = size > 1 ? 2 * (size - 1) : 1;
    at = (at % period + period) % period;
    return at < size ? at : period - at;
}

f0t_status f0t_op_pad(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0), *value = f0t_op_in(call, 2);
    int64_t before[F0T_ONNX_RANK] = {0};
    size_t dims[F0T_ONNX_RANK] = {0};
    fill mode = FILL_CONSTANT;
    F0T_TRY(read_mode(&mode, call));
    F0T_TRY(read_pads(before, dims, call));
    if (value && (value->type != x->type || value->count > 1))
        return f0t_fail(F0T_ERROR_FORMAT, "its value is not one number of the type of its input");
    F0T_TRY(f0t_op_output(call, 0, x->type, x->rank, dims));
    f0t_onnx_array *y = call->outputs;
    float number = value && value->f && value->count ? value->f[0] : f0t_op_float(call, "value", 0);
    int64_t whole = value && value->i && value->count ? value->i[0] : 0;
    for (size_t k = 0; k < y->count && !call->shape_only; k++) {
        F0T_TRY(f0t_op_steps(call, x->rank, 4));
        size_t rest = k, stride = 1;
        int64_t from = 0;
        for (size_t d = x->rank; d-- > 0;) {
            int64_t at = source((int64_t)(rest % dims[d]) - before[d], (int64_t)x->dims[d], mode);
            from = at < 0 || from < 0 ? -1 : from + at * (int64_t)stride;
            rest /= dims[d];
            stride *= x->dims[d];
        }
        if (y->f)
            y->f[k] = from < 0 ? number : x->f[from];
        else
            y->i[k] = from < 0 ? whole : x->i[from];
    }
    return F0T_OK;
}
