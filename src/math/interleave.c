#include "math/interleave.h"

#include "base/cpu.h"
#include "base/team.h"
#include "math/lanes.h"

enum { LANES = 16, CHANNELS = 3, PART = 4096 }; /* PART: pixels that a thread takes at a time */

bool f0t_interleave_native(void)
{
#if defined(__x86_64__)
    return f0t_cpu_level() == F0T_CPU_WIDEST && __builtin_cpu_supports("avx512bw");
#else
    return false;
#endif
}

#if defined(__x86_64__)

#define AVX512 __attribute__((target("avx512f,avx512bw,fma")))

/* The three bytes of a pixel in 32 bits, then without those between. */
AVX512 static F0T_INLINE void put(unsigned char *to, const __m512 *x, size_t count,
                                  const f0t_interleave *h)
{
    const __m512 scale = _mm512_set1_ps(h->scale), zero = _mm512_set1_ps(h->zero),
                 low = _mm512_set1_ps(h->result == F0T_U8 ? 0 : -128),
                 high = _mm512_set1_ps(h->result == F0T_U8 ? 255 : 127);
    const __m512i byte = _mm512_set1_epi32(0xFF);
    const __m512i close = _mm512_broadcast_i32x4(
                      _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1)),
                  join = _mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15);
    __m512i q[CHANNELS];
#pragma GCC unroll 3
    for (size_t k = 0; k < CHANNELS; k++) {
        const __m512 y = _mm512_fmadd_ps(x[k], scale, zero);
        q[k] =
            _mm512_and_epi32(_mm512_cvtps_epi32(_mm512_min_ps(_mm512_max_ps(y, low), high)), byte);
    }
    const __m512i pixels = _mm512_or_epi32(
        q[0], _mm512_or_epi32(_mm512_slli_epi32(q[1], 8), _mm512_slli_epi32(q[2], 16)));
    _mm512_mask_storeu_epi8(to, ((uint64_t)1 << count * CHANNELS) - 1,
                            _mm512_permutexvar_epi32(join, _mm512_shuffle_epi8(pixels, close)));
}

/* Some pixels of an image; `to` and `from` are where it begins. */
AVX512 static void run_part(unsigned char *to, const f0t_interleave *h, const float *from,
                            size_t begin, size_t end)
{
    for (size_t p = begin; p < end; p += LANES) {
        const size_t count = end - p < LANES ? end - p : LANES;
        __m512 x[CHANNELS];
#pragma GCC unroll 3
        for (size_t k = 0; k < CHANNELS; k++)
            x[k] = _mm512_maskz_loadu_ps(f0t_lanes_first(count), from + k * h->space + p);
        put(to + p * CHANNELS, x, count, h);
    }
}

void f0t_interleave_run(void *result, const f0t_interleave *h, const float *source)
{
    const int team = f0t_team_size(), threads = team < h->threads ? team : h->threads;
    const size_t parts = (h->space + PART - 1) / PART, all = h->images * parts,
                 image = h->space * CHANNELS;
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t t = 0; t < all; t++) {
        const size_t begin = t % parts * PART,
                     end = begin + PART < h->space ? begin + PART : h->space;
        run_part((unsigned char *)result + t / parts * image, h, source + t / parts * image, begin,
                 end);
    }
}

#else

void f0t_interleave_run(void *result, const f0t_interleave *h, const float *source)
{
    (void)result, (void)h, (void)source;
}

#endif
