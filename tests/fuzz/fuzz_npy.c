#include "fuzz.h"

#include "base/alloc.h"
#include "io/npy.h"

/* All rows, a few at a time, and the first and last alone. */
static void read_all(const f0t_npy *npy)
{
    size_t rows, cols;
    float *to;
    if (f0t_npy_matrix(&rows, &cols, npy) != F0T_OK || !rows)
        return;
    size_t step = rows < 300 ? rows : 300;
    if (f0t_alloc(&to, step * cols, sizeof *to) != F0T_OK)
        return;
    for (size_t row = 0; row < rows; row += step)
        f0t_npy_read_rows(to, npy, row, rows - row < step ? rows - row : step);
    f0t_npy_read_rows(to, npy, rows - 1, 1);
    f0t_npy_read_rows(to, npy, 0, 1);
    f0t_free(to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f0t_npy *npy;
    if (f0t_npy_open_memory(&npy, data, size, "fuzz.npy") != F0T_OK)
        return 0;
    read_all(npy);
    f0t_npy_close(npy);
    return 0;
}
