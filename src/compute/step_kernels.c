/* The passes of a training step over memory. Compiled once per CPU level. */
#include "base/kernels.h"
#include "compute/dropout.h"
#include "compute/optimizer.h"

#include <math.h>
#include <string.h>

/* ---- Random numbers: base/random.c's Philox, LANES blocks side by side ----------------------- */

enum { LANES = F0T_DROPOUT_GROUP / 8 };

/* Written out, so that the loop around it vectorises with all of its state in registers. */
#define ROUND(n)                                                             \
    do {                                                                     \
        uint64_t p0 = (uint64_t)0xD2511F53U * c0;                            \
        uint64_t p1 = (uint64_t)0xCD9E8D57U * c2;                            \
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ (key0 + (uint32_t)(n)*0x9E3779B9U); \
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ (key1 + (uint32_t)(n)*0xBB67AE85U); \
        c1 = (uint32_t)p1;                                                   \
        c3 = (uint32_t)p0;                                                   \
    } while (0)

/* The numbers of a group: words[w][b] holds number 2w LANES + b below, LANES later above. */
static inline void draw_group(uint32_t words[4][LANES], const f0t_random *random, uint64_t group)
{
    const uint32_t key0 = (uint32_t)random->seed, key1 = (uint32_t)(random->seed >> 32);
    const uint32_t stream0 = (uint32_t)random->stream, stream1 = (uint32_t)(random->stream >> 32);
    const uint32_t first0 = (uint32_t)(group * LANES), first1 = (uint32_t)(group * LANES >> 32);
    for (uint32_t b = 0; b < LANES; b++) {
        uint32_t c0 = first0 + b, c1 = first1, c2 = stream0, c3 = stream1;
        ROUND(0);
        ROUND(1);
        ROUND(2);
        ROUND(3);
        ROUND(4);
        ROUND(5);
        ROUND(6);
        ROUND(7);
        ROUND(8);
        ROUND(9);
        words[0][b] = c0;
        words[1][b] = c1;
        words[2][b] = c2;
        words[3][b] = c3;
    }
}

/* The factor of each element of a group: the scale, or 0. */
static inline void draw_factors(float factors[F0T_DROPOUT_GROUP], const f0t_dropout *dropout,
                                uint64_t group)
{
    const uint32_t limit = dropout->limit;
    const float scale = dropout->scale;
    uint32_t words[4][LANES];
    draw_group(words, &dropout->random, group);
    for (int w = 0; w < 4; w++)
        for (int b = 0; b < LANES; b++) {
            factors[2 * LANES * w + b] = (words[w][b] & 0xFFFF) < limit ? 0.0F : scale;
            factors[2 * LANES * w + LANES + b] = (words[w][b] >> 16) < limit ? 0.0F : scale;
        }
}

/* ---- Elements -------------------------------------------------------------------------------- */

static inline float widen(uint16_t h)
{
    uint32_t bits = (uint32_t)h << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* To nearest, ties to even; NaN stays NaN (base/dtype.h has the definition). */
static inline uint16_t narrow(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
    return (uint16_t)((bits & 0x7FFFFFFF) > 0x7F800000 ? bits >> 16 | 0x40 : rounded);
}

/* ---- Dropout --------------------------------------------------------------------------------- */

/* A factor of 0 must also remove infinity and NaN: a dropped element is 0 whatever it was. */
#define DEFINE_DROP(name, to_type, from_type, LOAD, STORE)                                 \
    void F0T_KERNEL(name)(to_type * y, const from_type *x, uint64_t first, size_t n,       \
                          const f0t_dropout *dropout)                                      \
    {                                                                                      \
        float factors[F0T_DROPOUT_GROUP];                                                  \
        for (size_t done = 0, count; done < n; done += count) {                            \
            const size_t at = (size_t)((first + done) % F0T_DROPOUT_GROUP);                \
            count = n - done < F0T_DROPOUT_GROUP - at ? n - done : F0T_DROPOUT_GROUP - at; \
            draw_factors(factors, dropout, (first + done) / F0T_DROPOUT_GROUP);            \
            for (size_t i = 0; i < count; i++) {                                           \
                float value = LOAD(x[done + i]) * factors[at + i];                         \
                y[done + i] = STORE(factors[at + i] > 0.0F ? value : 0.0F);                \
            }                                                                              \
        }                                                                                  \
    }

#define AS_IT_IS(value) (value)
DEFINE_DROP(drop_f32, float, float, AS_IT_IS, AS_IT_IS)
DEFINE_DROP(drop_bf16, uint16_t, uint16_t, widen, narrow)
DEFINE_DROP(drop_to_bf16, uint16_t, float, AS_IT_IS, narrow)

/* ---- Backward -------------------------------------------------------------------------------- */

#define DEFINE_GATE(name, type, LOAD, STORE)                                                \
    void F0T_KERNEL(name)(type * d, const type *y, size_t stride, size_t rows, size_t cols, \
                          float scale, float *sums)                                         \
    {                                                                                       \
        float total[F0T_STRIP] = {0};                                                       \
        for (size_t r = 0; r < rows; r++, d += stride, y += stride)                         \
            for (size_t c = 0; c < cols; c++) {                                             \
                float value = LOAD(d[c]) * scale;                                           \
                value = LOAD(y[c]) > 0.0F ? value : 0.0F;                                   \
                total[c] += value;                                                          \
                d[c] = STORE(value);                                                        \
            }                                                                               \
        memcpy(sums, total, cols * sizeof *sums);                                           \
    }

DEFINE_GATE(gate_f32, float, AS_IT_IS, AS_IT_IS)
DEFINE_GATE(gate_bf16, uint16_t, widen, narrow)

void F0T_KERNEL(column_sums)(float *sums, const float *d, size_t stride, size_t rows, size_t cols)
{
    float total[F0T_STRIP] = {0};
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++)
            total[c] += d[r * stride + c];
    memcpy(sums, total, cols * sizeof *sums);
}

/* ---- Optimisers ------------------------------------------------------------------------------------ */

/* Elements between two writes of the bfloat16 copy: they stay in the first-level cache. */
enum { BLOCK = 256 };

static inline void narrow_block(uint16_t *half, const float *w, size_t n)
{
    for (size_t i = 0; i < n; i++)
        half[i] = narrow(w[i]);
}

/* Moments of what has no gradient any more, of units that are never above 0, become numbers without their full precision, which
 * cost a hundred cycles each. Far above these they move no weight by a rounding: epsilon is 1e-8. */
static const float FIRST_LEAST = 1e-30F, SECOND_LEAST = 1e-36F;

static inline void adam_block(float *restrict w, float *restrict m, float *restrict v,
                              const float *restrict g, size_t n, const f0t_update_factors *factors)
{
    const f0t_update_factors f = *factors;
    for (size_t i = 0; i < n; i++) {
        const float first = f.beta1 * m[i] + f.rest1 * g[i],
                    second = f.beta2 * v[i] + f.rest2 * g[i] * g[i];
        m[i] = __builtin_fabsf(first) < FIRST_LEAST ? 0 : first;
        v[i] = second < SECOND_LEAST ? 0 : second;
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
