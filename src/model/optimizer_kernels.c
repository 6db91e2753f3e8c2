#include "model/optimizer_kernels.h"

#include <math.h>
#include <string.h>

/* Elements between two writes of the bfloat16 copy: they stay in the first-level cache. */
enum { BLOCK = 256 };

/* To nearest, ties to even; NaN stays NaN (base/dtype.h has the definition). */
static inline void narrow_block(uint16_t *half, const float *w, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &w[i], sizeof bits);
        uint32_t rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
        half[i] = (uint16_t)((bits & 0x7FFFFFFF) > 0x7F800000 ? bits >> 16 | 0x40 : rounded);
    }
}

static inline void adam_block(float *restrict w, float *restrict m, float *restrict v,
                              const float *restrict g, size_t n, const f0t_update_factors *factors)
{
    const f0t_update_factors f = *factors;
    for (size_t i = 0; i < n; i++) {
        m[i] = f.beta1 * m[i] + f.rest1 * g[i];
        v[i] = f.beta2 * v[i] + f.rest2 * g[i] * g[i];
        w[i] = f.keep * w[i] - f.rate * m[i] / (sqrtf(v[i]) * f.root + f.epsilon);
    }
}

static inline void sgd_block(float *restrict w, float *restrict m, const float *restrict g,
                             size_t n, const f0t_update_factors *factors)
{
    const f0t_update_factors f = *factors;
    for (size_t i = 0; i < n; i++) {
        m[i] = f.momentum * m[i] + (g[i] + f.decay * w[i]);
        w[i] -= f.rate * m[i];
    }
}

void F0T_KERNEL(update_adam)(float *w, float *m, float *v, uint16_t *half, const float *g, size_t n,
                             const f0t_update_factors *f)
{
    for (size_t done = 0; done < n; done += BLOCK) {
        size_t count = n - done < BLOCK ? n - done : BLOCK;
        adam_block(w + done, m + done, v + done, g + done, count, f);
        if (half)
            narrow_block(half + done, w + done, count);
    }
}

void F0T_KERNEL(update_sgd)(float *w, float *m, uint16_t *half, const float *g, size_t n,
                            const f0t_update_factors *f)
{
    for (size_t done = 0; done < n; done += BLOCK) {
        size_t count = n - done < BLOCK ? n - done : BLOCK;
        sgd_block(w + done, m + done, g + done, count, f);
        if (half)
            narrow_block(half + done, w + done, count);
    }
}
