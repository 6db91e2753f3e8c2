#include "onnx/row_kernels.h"

#include "base/team.h"

#include <stdint.h>

/* Fewer elements than this are not worth waking other threads. */
enum { SHARED = 1 << 14 };

void f0t_rows_softmax(float *y, const float *x, size_t rows, size_t n)
{
    void (*kernel)(float *, const float *, size_t) = f0t_kernels()->row_softmax;
#pragma omp parallel for num_threads(f0t_team_size()) if (rows * n > SHARED)
    for (int64_t r = 0; r < (int64_t)rows; r++)
        kernel(y + (size_t)r * n, x + (size_t)r * n, n);
}

void f0t_rows_layer_norm(float *y, const float *x, size_t rows, size_t n, const float *scale,
                         const float *bias, float epsilon)
{
    void (*kernel)(float *, const float *, size_t, const float *, const float *, float) =
        f0t_kernels()->row_layer_norm;
#pragma omp parallel for num_threads(f0t_team_size()) if (rows * n > SHARED)
    for (int64_t r = 0; r < (int64_t)rows; r++)
        kernel(y + (size_t)r * n, x + (size_t)r * n, n, scale, bias, epsilon);
}
