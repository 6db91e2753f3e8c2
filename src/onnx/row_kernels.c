#include "base/kernels.h"

#include "math/approx.h"

#include <math.h>

/* Many sums side by side: the compiler may not reorder one. */
enum { LANES = 32 };

static float sum_lanes(const float *lanes)
{
    float sum = 0;
    for (size_t k = 0; k < LANES; k++)
        sum += lanes[k];
    return sum;
}

void F0T_KERNEL(row_softmax)(float *y, const float *x, size_t n)
{
    float top = -INFINITY, lanes[LANES] = {0};
    size_t k;
    for (k = 0; k < n; k++)
        top = x[k] > top ? x[k] : top;
    for (k = 0; k + LANES <= n; k += LANES)
        for (size_t l = 0; l < LANES; l++) {
            y[k + l] = f0t_exp_inline(x[k + l] - top);
            lanes[l] += y[k + l];
        }
    for (; k < n; k++) {
        y[k] = f0t_exp_inline(x[k] - top);
        lanes[0] += y[k];
    }
    float scale = 1.0F / sum_lanes(lanes);
    for (k = 0; k < n; k++)
        y[k] *= scale;
}

static float mean_of(const float *x, size_t n)
{
    float lanes[LANES] = {0};
    size_t k;
    for (k = 0; k + LANES <= n; k += LANES)
        for (size_t l = 0; l < LANES; l++)
            lanes[l] += x[k + l];
    for (; k < n; k++)
        lanes[0] += x[k];
    return sum_lanes(lanes) / (float)n;
}

static float variance_of(const float *x, size_t n, float mean)
{
    float lanes[LANES] = {0};
    size_t k;
    for (k = 0; k + LANES <= n; k += LANES)
        for (size_t l = 0; l < LANES; l++)
            lanes[l] += (x[k + l] - mean) * (x[k + l] - mean);
    for (; k < n; k++)
        lanes[0] += (x[k] - mean) * (x[k] - mean);
    return sum_lanes(lanes) / (float)n;
}

void F0T_KERNEL(row_layer_norm)(float *y, const float *x, size_t n, const float *scale,
                                const float *bias, float epsilon)
{
    float mean = mean_of(x, n), factor = 1.0F / sqrtf(variance_of(x, n, mean) + epsilon);
    if (scale && bias)
        for (size_t k = 0; k < n; k++)
            y[k] = (x[k] - mean) * factor * scale[k] + bias[k];
    else
        for (size_t k = 0; k < n; k++)
            y[k] = (x[k] - mean) * factor * (scale ? scale[k] : 1.0F) + (bias ? bias[k] : 0.0F);
}
