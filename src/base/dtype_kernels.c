#include "base/kernels.h"

#include "base/dtype.h"

#include <string.h>

#if defined(__F16C__) && defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__F16C__) && defined(__AVX2__)
/* F16C has the rounding of the reference. */
static void widen_8(float *to, const void *from)
{
    const __m128i *halves = from;
    _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128(halves)));
}

static void narrow_8(uint16_t *to, const float *from)
{
    _mm_storeu_si128((__m128i *)(void *)to,
                     _mm256_cvtps_ph(_mm256_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT));
}

void F0T_KERNEL(f16_to_f32)(float *to, const void *from, size_t n)
{
    const char *bytes = from;
    uint16_t rest[8] = {0};
    float widened[8];
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        widen_8(to + i, bytes + 2 * i);
    if (i == n)
        return;
    memcpy(rest, bytes + 2 * i, 2 * (n - i));
    widen_8(widened, rest);
    memcpy(to + i, widened, sizeof *to * (n - i));
}

void F0T_KERNEL(f32_to_f16_block)(uint16_t *to, const float *from, size_t n)
{
    float rest[8] = {0};
    uint16_t narrowed[8];
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        narrow_8(to + i, from + i);
    if (i == n)
        return;
    memcpy(rest, from + i, sizeof *from * (n - i));
    narrow_8(narrowed, rest);
    memcpy(to + i, narrowed, sizeof *to * (n - i));
}
#else
/* Exponent and mantissa moved into place are the number times 2^-112, also below the normal ones. */
void F0T_KERNEL(f16_to_f32)(float *to, const void *from, size_t n)
{
    const char *bytes = from;
    for (size_t i = 0; i < n; i++) {
        uint16_t h;
        memcpy(&h, bytes + 2 * i, 2);
        uint32_t u = (uint32_t)(h & 0x7FFF) << 13;
        float f;
        memcpy(&f, &u, 4);
        f *= 0x1p112F;
        memcpy(&u, &f, 4);
        u |= (h & 0x7C00) == 0x7C00 ? 0x7F800000u : 0;
        u |= (uint32_t)(h & 0x8000) << 16;
        memcpy(&to[i], &u, 4);
    }
}

void F0T_KERNEL(f32_to_f16_block)(uint16_t *to, const float *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = f0t_f32_to_f16_ref(from[i]);
}
#endif

/* Plain loops that every compiler vectorises. */
void F0T_KERNEL(bf16_to_f32)(float *to, const void *from, size_t n)
{
    const char *bytes = from;
    for (size_t i = 0; i < n; i++) {
        uint16_t h;
        memcpy(&h, bytes + 2 * i, 2);
        uint32_t u = (uint32_t)h << 16;
        memcpy(&to[i], &u, 4);
    }
}

void F0T_KERNEL(f32_to_bf16_block)(uint16_t *to, const float *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t u;
        memcpy(&u, &from[i], 4);
        uint32_t rounded = (u + 0x7FFF + (u >> 16 & 1)) >> 16;
        uint32_t quiet = u >> 16 | 0x40;
        to[i] = (uint16_t)((u & 0x7FFFFFFF) > 0x7F800000 ? quiet : rounded);
    }
}
