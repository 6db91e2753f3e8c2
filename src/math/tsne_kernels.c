#include "base/kernels.h"

void F0T_KERNEL(tsne_pull)(float sums[5], const float *x, const float *y, const float *p, size_t n,
                           float at_x, float at_y)
{
    float near_x = 0, near_y = 0, far_x = 0, far_y = 0, sum = 0;
#pragma omp simd reduction(+ : near_x, near_y, far_x, far_y, sum)
    for (size_t j = 0; j < n; j++) {
        const float dx = at_x - x[j], dy = at_y - y[j];
        const float k = 1 / (1 + dx * dx + dy * dy);
        near_x += p[j] * k * dx;
        near_y += p[j] * k * dy;
        far_x += k * k * dx;
        far_y += k * k * dy;
        sum += k;
    }
    sums[0] = near_x;
    sums[1] = near_y;
    sums[2] = far_x;
    sums[3] = far_y;
    sums[4] = sum;
}
