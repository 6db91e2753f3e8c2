#include "base/dtype_kernels.h"

#include "base/dtype.h"

#include <string.h>

#if defined(__F16C__) && defined(__AVX2__)
#include <immintrin.h>
#endif

/* F16C has the rounding of the reference; the tail, and CPUs without it, use the reference. */
void F0T_KERNEL(f16_to_f32)(float *to, const void *from, size_t n)
{
    const char *bytes = from;
    size_t i = 0;
#if defined(__F16C__) && defined(__AVX2__)
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(
                                     (const __m128i *)(const void *)(bytes + 2 * i))));
#endif
    for (; i < n; i++) {
        uint16_t h;
        memcpy(&h, bytes + 2 * i, 2);
        to[i] = f0t_f16_to_f32_ref(h);
    }
}

void F0T_KERNEL(f32_to_f16_block)(uint16_t *to, const float *from, size_t n)
{
    size_t i = 0;
#if defined(__F16C__) && defined(__AVX2__)
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(void *)(to + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
#endif
    for (; i < n; i++)
        to[i] = f0t_f32_to_f16_ref(from[i]);
}

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
