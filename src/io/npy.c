#include "io/npy.h"

#include "base/alloc.h"
#include "base/size.h"
#include "io/npy_header.h"

#include <string.h>

struct f0t_npy {
    char *name;
    f0t_map map; /* of f0t_npy_open */
    const unsigned char *elements;
    f0t_npy_header header;
};

static f0t_status create(f0t_npy **out, const char *name)
{
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    f0t_status status = f0t_string_copy(&(*out)->name, name, strlen(name));
    if (status != F0T_OK) {
        f0t_free(*out);
        *out = NULL;
    }
    return status;
}

static f0t_status start(f0t_npy *npy, const void *data, size_t size)
{
    F0T_TRY(f0t_npy_header_parse(&npy->header, data, size, npy->name));
    npy->elements = (const unsigned char *)data + npy->header.offset;
    return F0T_OK;
}

f0t_status f0t_npy_open(f0t_npy **out, const char *path)
{
    F0T_TRY(create(out, path));
    f0t_status status = f0t_map_open(&(*out)->map, path);
    if (status == F0T_OK)
        status = start(*out, (*out)->map.data, (*out)->map.size);
    if (status != F0T_OK) {
        f0t_npy_close(*out);
        *out = NULL;
    }
    return status;
}

f0t_status f0t_npy_open_memory(f0t_npy **out, const void *data, size_t size, const char *name)
{
    F0T_TRY(create(out, name));
    f0t_status status = start(*out, data, size);
    if (status != F0T_OK) {
        f0t_npy_close(*out);
        *out = NULL;
    }
    return status;
}

f0t_status f0t_npy_open_matrix(f0t_npy **out, const void *elements, f0t_dtype dtype, size_t rows,
                               size_t cols, const char *name)
{
    size_t count, bytes;
    *out = NULL;
    if (!f0t_size_mul(&count, rows, cols) || !f0t_size_mul(&bytes, count, f0t_dtype_size(dtype)))
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: %zu x %zu numbers are more than memory can hold",
                        name, rows, cols);
    F0T_TRY(create(out, name));
    (*out)->elements = elements;
    (*out)->header =
        (f0t_npy_header){.dtype = dtype, .dims = 2, .shape = {rows, cols}, .count = count};
    return F0T_OK;
}

void f0t_npy_close(f0t_npy *npy)
{
    if (!npy)
        return;
    f0t_map_close(&npy->map);
    f0t_free(npy->name);
    f0t_free(npy);
}

f0t_dtype f0t_npy_dtype(const f0t_npy *npy)
{
    return npy->header.dtype;
}

size_t f0t_npy_dims(const f0t_npy *npy)
{
    return npy->header.dims;
}

const size_t *f0t_npy_shape(const f0t_npy *npy)
{
    return npy->header.shape;
}

size_t f0t_npy_count(const f0t_npy *npy)
{
    return npy->header.count;
}

bool f0t_npy_fortran(const f0t_npy *npy)
{
    return npy->header.fortran;
}

bool f0t_npy_swapped(const f0t_npy *npy)
{
    return npy->header.swapped;
}

int f0t_npy_version(const f0t_npy *npy)
{
    return npy->header.version;
}

f0t_status f0t_npy_matrix(const f0t_npy *npy, size_t *rows, size_t *cols)
{
    const f0t_npy_header *h = &npy->header;
    *rows = *cols = 0;
    if (h->dims > 2)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: has %zu dimensions, a matrix (two) is wanted",
                        npy->name, h->dims);
    *rows = h->dims > 0 ? h->shape[0] : 1;
    *cols = h->dims > 1 ? h->shape[1] : 1;
    if (*rows && !*cols)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: has %zu rows without columns", npy->name, *rows);
    return F0T_OK;
}

/* An array with one long dimension at most is the same in both orders. */
static bool column_major(const f0t_npy_header *h)
{
    size_t longer = 0;
    for (size_t i = 0; i < h->dims; i++)
        longer += h->shape[i] != 1;
    return h->fortran && longer > 1;
}

const void *f0t_npy_data(const f0t_npy *npy)
{
    const f0t_npy_header *h = &npy->header;
    bool aligned = (uintptr_t)npy->elements % f0t_dtype_size(h->dtype) == 0;
    return h->swapped || !aligned || column_major(h) ? NULL : npy->elements;
}

/* `n` elements that lie in a row on disk, as float32. */
static void convert(const f0t_npy_header *h, float *to, const unsigned char *from, size_t n)
{
    unsigned char block[4096];
    size_t size = f0t_dtype_size(h->dtype);
    if (!h->swapped) {
        f0t_dtype_to_f32(to, from, h->dtype, n);
        return;
    }
    for (size_t done = 0, part; done < n; done += part) {
        part = n - done < sizeof block / size ? n - done : sizeof block / size;
        memcpy(block, from + done * size, part * size);
        f0t_swap_bytes(block, size, part);
        f0t_dtype_to_f32(to + done, block, h->dtype, part);
    }
}

enum { TILE_ROWS = 256, TILE_COLS = 16 };

/* Columns lie in a row on disk. A tile takes a strip of each of 16 columns, so that what is written
 * of a row is one cache line. */
static void read_tile(const f0t_npy *npy, size_t row, size_t rows, size_t col, size_t cols,
                      float *to)
{
    float tile[TILE_COLS][TILE_ROWS];
    const f0t_npy_header *h = &npy->header;
    size_t size = f0t_dtype_size(h->dtype);
    for (size_t c = 0; c < cols; c++)
        convert(h, tile[c], npy->elements + ((col + c) * h->shape[0] + row) * size, rows);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++)
            to[r * h->shape[1] + col + c] = tile[c][r];
}

/* Strip by strip down the columns: pages of the file are met in their order. */
static void read_column_major(const f0t_npy *npy, size_t first, size_t count, float *to)
{
    size_t all = npy->header.shape[1];
    for (size_t col = 0; col < all; col += TILE_COLS)
        for (size_t r = 0; r < count; r += TILE_ROWS)
            read_tile(npy, first + r, count - r < TILE_ROWS ? count - r : TILE_ROWS, col,
                      all - col < TILE_COLS ? all - col : TILE_COLS, to + r * all);
}

f0t_status f0t_npy_read_rows(const f0t_npy *npy, size_t first, size_t count, float *to)
{
    const f0t_npy_header *h = &npy->header;
    size_t rows, cols;
    F0T_TRY(f0t_npy_matrix(npy, &rows, &cols));
    if (first > rows || count > rows - first)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: rows %zu to %zu are wanted, and there are %zu",
                        npy->name, first, first + count, rows);
    if (column_major(h))
        read_column_major(npy, first, count, to);
    else
        convert(h, to, npy->elements + first * cols * f0t_dtype_size(h->dtype), count * cols);
    return F0T_OK;
}

f0t_status f0t_npy_read_elements(const f0t_npy *npy, size_t first, size_t count, void *to)
{
    const f0t_npy_header *h = &npy->header;
    size_t size = f0t_dtype_size(h->dtype);
    if (first > h->count || count > h->count - first)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: elements %zu to %zu are wanted, there are %zu",
                        npy->name, first, first + count, h->count);
    if (count)
        memcpy(to, npy->elements + first * size, count * size);
    if (h->swapped)
        f0t_swap_bytes(to, size, count);
    return F0T_OK;
}
