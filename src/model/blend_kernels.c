/* Bounds of a blend's experts. Compiled once per CPU level. */
#include "base/kernels.h"

#include <string.h>

/* No less than exp(x) for x from -87 to 0, and at most 6.2 % more: between powers of two a straight line, which is above
 * what it joins. Its bits are those of x in units of ln 2, up to what rounding that product may lose. */
static inline float exp_above(float x)
{
    const float per_unit = 12102203.2F /* 2^23 / ln 2 */, one = 1065353216.0F /* the bits of 1 */,
                lost = 256;
    const int32_t bits = (int32_t)(x * per_unit + (one + lost));
    float y;
    memcpy(&y, &bits, sizeof y);
    return y;
}

/* σ(x) = e - e² + e³ - … with e = exp(x); the first three terms are above it, and grow with e. */
static inline float sigmoid_above(float x)
{
    const float below = x < 0 ? x : 0, inside = below > -87 ? below : -87;
    const float e = exp_above(inside);
    return e * (1 - e * (1 - e));
}

void F0T_KERNEL(bound_rest)(float *p, const float *rest, const float *votes, float weight, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = rest[i] + weight * votes[i];
}

void F0T_KERNEL(bound_logistic)(float *p, const float *upper, const float *offset, float shift,
                                float weight, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] += weight * sigmoid_above(upper[i] + (offset[i] + shift));
}

void F0T_KERNEL(bound_clipped)(float *p, const float *upper, const float *offset, float shift,
                               float weight, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float x = upper[i] + (offset[i] + shift), below = x < 1 ? x : 1;
        p[i] += weight * (below > 0 ? below : 0);
    }
}
