#include "report/inspect.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "io/npy.h"

#include <string.h>

static f0t_status matches(bool *yes, const f0t_inspector *in)
{
    *yes = in->head_size >= 6 && !memcmp(in->head, "\x93NUMPY", 6);
    return F0T_OK;
}

f0t_status f0t_inspect_measure(f0t_numbers *numbers, const f0t_npy *npy, const f0t_monitor *monitor)
{
    enum { BLOCK = 1 << 16 };
    char *block;
    f0t_dtype type = f0t_npy_dtype(npy);
    size_t count = f0t_npy_count(npy);
    f0t_stage stage = f0t_stage_begin(monitor, "reading the numbers", "numbers", count);
    F0T_TRY(f0t_alloc(&block, BLOCK, f0t_dtype_size(type)));
    f0t_status status = F0T_OK;
    for (size_t done = 0, part; done < count && status == F0T_OK; done += part) {
        part = count - done < BLOCK ? count - done : BLOCK;
        status = f0t_npy_read_elements(npy, done, part, block);
        f0t_numbers_add(numbers, block, type, part);
        if (status == F0T_OK)
            status = f0t_stage_update(&stage, done + part);
    }
    f0t_free(block);
    f0t_stage_end(&stage);
    return status;
}

static f0t_status add_rows(f0t_inspector *in, const f0t_npy *npy, size_t rows, size_t cols)
{
    float *numbers;
    F0T_TRY(f0t_alloc(&numbers, rows, cols * sizeof *numbers));
    f0t_status status = f0t_npy_read_rows(npy, 0, rows, numbers);
    for (size_t r = 0; r < rows && status == F0T_OK; r++)
        status = f0t_inspector_row(in, "", 0, numbers + r * cols, cols);
    f0t_free(numbers);
    return status;
}

/* The first rows of a matrix. A vector is one row; what has more dimensions shows none. */
static f0t_status show_rows(f0t_inspector *in, const f0t_npy *npy)
{
    float first[F0T_INSPECT_SHOWN];
    size_t rows, cols;
    if (f0t_npy_matrix(npy, &rows, &cols) != F0T_OK || !rows)
        return F0T_OK;
    if (f0t_npy_dims(npy) == 2)
        return add_rows(in, npy, rows < in->rows ? rows : in->rows, cols);
    F0T_TRY(f0t_npy_read_rows(npy, 0, rows < F0T_INSPECT_SHOWN ? rows : F0T_INSPECT_SHOWN, first));
    return f0t_inspector_row(in, "", 0, first, rows);
}

static f0t_status describe_array(f0t_inspector *in, const f0t_npy *npy)
{
    char shape[200];
    f0t_numbers numbers = {0};
    const char *type = f0t_dtype_name(f0t_npy_dtype(npy));
    f0t_inspect_shape(shape, sizeof shape, f0t_npy_dims(npy), f0t_npy_shape(npy));
    F0T_TRY(f0t_inspector_kind(in, "npy", "NumPy array, %s %s", shape, type));
    F0T_TRY(f0t_inspector_count(in, "version", (uint64_t)f0t_npy_version(npy)));
    F0T_TRY(f0t_inspector_fact(in, "order", "%s",
                               f0t_npy_fortran(npy) ? "column-major (Fortran)" : "row-major (C)"));
    if (f0t_npy_swapped(npy))
        F0T_TRY(f0t_inspector_fact(in, "byte order", "not that of this machine"));
    if (!in->quick)
        F0T_TRY(f0t_inspect_measure(&numbers, npy, in->monitor));
    F0T_TRY(f0t_inspector_array(in, "", type, f0t_npy_dims(npy), f0t_npy_shape(npy),
                                in->quick ? NULL : &numbers));
    return show_rows(in, npy);
}

static f0t_status describe(f0t_inspector *in)
{
    f0t_npy *npy;
    if (in->packed)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "%s: is an npy file packed by gzip: unpack it first",
                        in->result.path);
    F0T_TRY(f0t_npy_open_memory(&npy, in->map.data, in->map.size, in->result.path));
    f0t_status status = describe_array(in, npy);
    f0t_npy_close(npy);
    return status;
}

const f0t_inspect_kind f0t_inspect_npy = {matches, describe};
