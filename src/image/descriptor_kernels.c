#include "base/kernels.h"

#include "image/descriptor.h"
#include "math/approx.h"

#include <math.h>
#include <string.h>

/* ---- Products ---------------------------------------------------------------------------------
 */

/* One register. Sums in variables of this type stay in registers, which gcc does not manage for
 * arrays of floats. */
#if defined(__AVX512F__)
enum { LANES = 16 };
#elif defined(__AVX__)
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif

typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

/* Eight sums at a time: as many as it takes to hide the latency of one. */
enum { ROWS = 4, COLUMNS = 2 * LANES };

static inline lanes read_lanes(const float *from)
{
    lanes x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline void add_lanes(float *to, lanes x)
{
    lanes sum = read_lanes(to) + x;
    memcpy(to, &sum, sizeof sum);
}

static inline void product_rows(float *c, const float *a, size_t row, size_t step, const float *b,
                                size_t inner, size_t m)
{
    lanes sum[ROWS][2] = {0};
    for (size_t e = 0; e < inner; e++) {
        lanes y0 = read_lanes(b + e * m), y1 = read_lanes(b + e * m + LANES);
#pragma GCC unroll 4
        for (size_t i = 0; i < ROWS; i++) {
            float x = a[i * row + e * step];
            sum[i][0] += x * y0;
            sum[i][1] += x * y1;
        }
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < ROWS; i++) {
        add_lanes(c + i * m, sum[i][0]);
        add_lanes(c + i * m + LANES, sum[i][1]);
    }
}

static inline void product_row(float *c, const float *a, size_t step, const float *b, size_t inner,
                               size_t m)
{
    lanes sum0 = {0}, sum1 = {0};
    for (size_t e = 0; e < inner; e++) {
        sum0 += a[e * step] * read_lanes(b + e * m);
        sum1 += a[e * step] * read_lanes(b + e * m + LANES);
    }
    add_lanes(c, sum0);
    add_lanes(c + LANES, sum1);
}

void F0T_KERNEL(descriptor_product)(float *c, const float *a, size_t row, size_t step,
                                    const float *b, size_t n, size_t inner, size_t m)
{
    for (size_t j = 0; j < m; j += COLUMNS) {
        size_t i = 0;
        for (; i + ROWS <= n; i += ROWS)
            product_rows(c + i * m + j, a + i * row, row, step, b + j, inner, m);
        for (; i < n; i++)
            product_row(c + i * m + j, a + i * row, step, b + j, inner, m);
    }
}

void F0T_KERNEL(descriptor_add)(float *sum, const float *x, float weight, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum[i] += weight * x[i];
}

void F0T_KERNEL(descriptor_add_bytes)(float *sum, const uint8_t *x, float weight, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum[i] += weight * (float)x[i];
}

/* ---- Pixels -----------------------------------------------------------------------------------
 */

static inline float positive(float x)
{
    return x > 0 ? x : 0;
}

/* A gradient is the sum of its shares along the two directions that enclose it. With c its part
 * along a direction and s across it, the share is c − |s|: the hat that is linear between
 * neighbours at 45°, without an angle to compute. */
static void directions(float *restrict planes, const float *restrict gx, const float *restrict gy)
{
    enum { W = F0T_WORK_SIDE };
    for (size_t x = 0; x < W; x++) {
        float u = gx[x], v = gy[x];
        float p = (u + v) * 0.70710678F, q = (v - u) * 0.70710678F;
        float au = fabsf(u), av = fabsf(v), ap = fabsf(p), aq = fabsf(q);
        planes[x] = positive(u - av);
        planes[W + x] = positive(p - aq);
        planes[2 * W + x] = positive(v - au);
        planes[3 * W + x] = positive(q - ap);
        planes[4 * W + x] = positive(-u - av);
        planes[5 * W + x] = positive(-p - aq);
        planes[6 * W + x] = positive(-v - au);
        planes[7 * W + x] = positive(-q - ap);
    }
}

/* Of the three channels the one that changes most, as in Dalal and Triggs (CVPR 2005). */
static void gradients(float *restrict gx, float *restrict gy, const float *restrict picture,
                      size_t y)
{
    size_t above = y > 0 ? y - 1 : y, below = y + 1 < F0T_WORK_SIDE ? y + 1 : y;
    for (size_t c = 0; c < 3; c++) {
        const float *plane = picture + c * F0T_WORK_PIXELS + 1;
        const float *at = plane + y * F0T_WORK_STRIDE, *up = plane + above * F0T_WORK_STRIDE,
                    *down = plane + below * F0T_WORK_STRIDE;
        const float *left = at - 1, *right = at + 1;
        float first = c == 0;
        for (size_t x = 0; x < F0T_WORK_SIDE; x++) {
            float u = right[x] - left[x], v = down[x] - up[x];
            float best = gx[x] * gx[x] + gy[x] * gy[x];
            float take = first + (u * u + v * v > best ? 1.0F : 0.0F);
            gx[x] = take > 0 ? u : gx[x];
            gy[x] = take > 0 ? v : gy[x];
        }
    }
}

static void opponents(float *restrict planes, const float *restrict r, const float *restrict g,
                      const float *restrict b)
{
    enum { W = F0T_WORK_SIDE };
    for (size_t x = 0; x < W; x++) {
        float light = (r[x] + g[x] + b[x]) * (1.0F / 3.0F);
        float red = (r[x] - g[x]) * 0.5F;
        float blue = (r[x] + g[x]) * 0.25F - b[x] * 0.5F;
        planes[x] = light;
        planes[W + x] = red;
        planes[2 * W + x] = blue;
        planes[3 * W + x] = light * light;
        planes[4 * W + x] = red * red;
        planes[5 * W + x] = blue * blue;
    }
}

void F0T_KERNEL(descriptor_pixels)(float *planes, const float *picture, size_t y)
{
    float gx[F0T_WORK_SIDE] = {0}, gy[F0T_WORK_SIDE] = {0};
    const float *at = picture + y * F0T_WORK_STRIDE + 1;
    gradients(gx, gy, picture, y);
    directions(planes, gx, gy);
    opponents(planes + F0T_CELL_DIRECTIONS * F0T_WORK_SIDE, at, at + F0T_WORK_PIXELS,
              at + 2 * F0T_WORK_PIXELS);
}

/* ---- Patches ----------------------------------------------------------------------------------
 */

static inline float sum_of_squares(const float *x, size_t n)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

/* Lowe's normalisation (IJCV 2004): length 1, no number above 0.2, length 1 again; then square
 * roots (Arandjelović and Zisserman, CVPR 2012). What is added to the lengths keeps the noise of
 * flat patches small: 0.02 is about one step of an 8-bit picture in every cell. */
void F0T_KERNEL(descriptor_normalise)(float *gradients, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float *x = gradients + i * F0T_PATCH_SIZE;
        float scale = 1 / (sqrtf(sum_of_squares(x, F0T_PATCH_SIZE)) + 0.02F);
        for (size_t j = 0; j < F0T_PATCH_SIZE; j++)
            x[j] = x[j] * scale < 0.2F ? x[j] * scale : 0.2F;
        scale = 1 / (sqrtf(sum_of_squares(x, F0T_PATCH_SIZE)) + 1e-3F);
        for (size_t j = 0; j < F0T_PATCH_SIZE; j++)
            x[j] = sqrtf(x[j] * scale);
    }
}

void F0T_KERNEL(descriptor_posterior)(float *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float *x = rows + i * F0T_MIXTURE, most = x[0], sum = 0;
#pragma omp simd reduction(max : most)
        for (size_t k = 0; k < F0T_MIXTURE; k++)
            most = x[k] > most ? x[k] : most;
#pragma omp simd reduction(+ : sum)
        for (size_t k = 0; k < F0T_MIXTURE; k++)
            sum += x[k] = f0t_exp_inline(x[k] - most);
        for (size_t k = 0; k < F0T_MIXTURE; k++)
            x[k] /= sum;
    }
}

void F0T_KERNEL(descriptor_root)(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = copysignf(sqrtf(fabsf(x[i])), x[i]);
}

void F0T_KERNEL(descriptor_stretch)(float *x, size_t n, float length)
{
    float have = sqrtf(sum_of_squares(x, n));
    float scale = have > 0 ? length / have : 0;
    for (size_t i = 0; i < n; i++)
        x[i] *= scale;
}
