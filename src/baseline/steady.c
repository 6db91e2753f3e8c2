#include "baseline/steady.h"

#include "base/size.h"
#include "math/workspace.h"

#include <string.h>

f0t_status f0t_steady_run(float *c, const float *a, const float *b, const float *bias,
                          const f0t_matmul *op)
{
    f0t_matmul whole = *op;
    f0t_workspace *room;
    size_t size;
    if (op->m >= F0T_STEADY_ROWS || !op->m)
        return f0t_matmul_run(c, a, b, bias, op);
    whole.m = F0T_STEADY_ROWS;
    if (!f0t_size_add(&size, op->k, op->n) ||
        !f0t_size_mul(&size, size, F0T_STEADY_ROWS * sizeof(float)))
        return f0t_fail(F0T_ERROR_MEMORY, "rows of %zu and %zu numbers are too long", op->k, op->n);
    F0T_TRY(f0t_workspace_take(&room, size));
    float *rows = room->data, *results = rows + F0T_STEADY_ROWS * op->k;
    memset(rows, 0, F0T_STEADY_ROWS * op->k * sizeof *rows);
    memcpy(rows, a, op->m * op->k * sizeof *rows);
    f0t_status status = f0t_matmul_run(results, rows, b, bias, &whole);
    if (status == F0T_OK)
        memcpy(c, results, op->m * op->n * sizeof *c);
    f0t_workspace_give(room);
    return status;
}
