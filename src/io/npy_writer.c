#include "io/npy.h"

#include "base/alloc.h"
#include "base/size.h"

#include <stdio.h>
#include <string.h>

enum { HEADER_SIZE = 128, BLOCK = 4096 };

struct f0t_npy_writer {
    f0t_writer *file;
    f0t_dtype dtype;
    size_t rows, cols;
};

/* The header has room for any number of rows, so that it can be written first and put right at the
 * end. NumPy pads it with spaces and a newline to a multiple of 64; 10 bytes are before it. */
static void make_header(const f0t_npy_writer *w, char out[HEADER_SIZE])
{
    const char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    memset(out, ' ', HEADER_SIZE);
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (HEADER_SIZE - 10) & 0xFF;
    out[9] = (HEADER_SIZE - 10) >> 8;
    int n = snprintf(out + 10, HEADER_SIZE - 10,
                     "{'descr': '%cf%zu', 'fortran_order': False, 'shape': (%zu, %zu), }", order,
                     f0t_dtype_size(w->dtype), w->rows, w->cols);
    out[10 + n] = ' ';
    out[HEADER_SIZE - 1] = '\n';
}

f0t_status f0t_npy_create(f0t_npy_writer **out, const char *path, f0t_dtype dtype, size_t cols)
{
    char header[HEADER_SIZE];
    *out = NULL;
    if (dtype != F0T_F32 && dtype != F0T_F16 && dtype != F0T_F64)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: npy files are written as float16, 32 or 64", path);
    if (!cols)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: a matrix without columns", path);
    f0t_npy_writer *w;
    F0T_TRY(f0t_alloc_zero(&w, 1, sizeof *w));
    w->dtype = dtype;
    w->cols = cols;
    make_header(w, header);
    f0t_status status = f0t_writer_open(&w->file, path);
    if (status == F0T_OK)
        status = f0t_writer_write(w->file, header, sizeof header);
    if (status != F0T_OK)
        f0t_npy_abort(w);
    else
        *out = w;
    return status;
}

static f0t_status write_block(f0t_npy_writer *w, const float *from, size_t n)
{
    union {
        uint16_t f16[BLOCK];
        double f64[BLOCK];
    } block;
    if (w->dtype == F0T_F16)
        f0t_f32_to_f16(block.f16, from, n);
    else
        for (size_t i = 0; i < n; i++)
            block.f64[i] = (double)from[i];
    return f0t_writer_write(w->file, &block, n * f0t_dtype_size(w->dtype));
}

f0t_status f0t_npy_write_rows(f0t_npy_writer *w, const float *from, size_t rows)
{
    size_t n, total;
    if (!f0t_size_mul(&n, rows, w->cols) || !f0t_size_mul(&total, n, sizeof *from) ||
        !f0t_size_add(&total, w->rows, rows))
        return f0t_fail(F0T_ERROR_ARGUMENT, "%zu rows of %zu numbers are too many", rows, w->cols);
    w->rows = total;
    if (w->dtype == F0T_F32)
        return f0t_writer_write(w->file, from, n * sizeof *from);
    for (size_t done = 0, part; done < n; done += part) {
        part = n - done < BLOCK ? n - done : BLOCK;
        F0T_TRY(write_block(w, from + done, part));
    }
    return F0T_OK;
}

f0t_status f0t_npy_commit(f0t_npy_writer *w)
{
    char header[HEADER_SIZE];
    make_header(w, header);
    f0t_status status = f0t_writer_patch(w->file, 0, header, sizeof header);
    status = f0t_writer_finish(w->file, status);
    f0t_free(w);
    return status;
}

void f0t_npy_abort(f0t_npy_writer *w)
{
    if (!w)
        return;
    f0t_writer_abort(w->file);
    f0t_free(w);
}
