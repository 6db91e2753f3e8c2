/*
 * What convolutions of eight bits of our own (math/points_eight.h, math/depthwise_eight.h) do to sums in registers: scale
 * them to steps of the result, add what its memory holds where that is asked for, round, keep the limits. Four vectors of
 * sums become 64 bytes, for which limits and saturation cost least.
 */
#ifndef F0T_MATH_FINISH_EIGHT_H
#define F0T_MATH_FINISH_EIGHT_H

#include "math/lanes.h"
#include "math/layers.h"

#include <stdint.h>

typedef struct f0t_finish_eight {
    float zero; /* added to what is scaled: the result's 0, from the least number of its type on */
    uint8_t least, most; /* limits of the result, counted so */
    uint8_t flip;        /* exclusive or with it makes them bytes of the type */
    bool sum; /* with the result's memory: what is scaled is first kept within low … high */
    float low, high, factor; /* and what the memory, counted so, is multiplied by */
} f0t_finish_eight;

/* Whether this CPU has the instructions. */
bool f0t_finish_eight_native(void);

/* Whether it is limits alone, or a sum in the way of onnx/emit_eight_layers.c, and all numbers on the way to a byte fit
 * into 32 bits, each sum being one of `products` bytes times bytes. `conv` has a rescale. */
bool f0t_finish_eight_read(f0t_finish_eight *out, const f0t_layer_conv *conv, size_t products);

/* What is added to a scaled sum: its bias, scaled, and the 0 of the result. */
float f0t_finish_eight_offset(const f0t_finish_eight *finish, float bias, float scale);

#if defined(__x86_64__)

#define F0T_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,fma")))

/* Adds products of four bytes each, those of `pixels` without a sign. GCC 12 copies the sums where it is given the intrinsic
 * function in a loop. */
F0T_VNNI static F0T_INLINE void f0t_add_products(__m512i *sums, __m512i pixels, __m512i filters)
{
    __asm__("vpdpbusd %2, %1, %0" : "+v"(*sums) : "v"(pixels), "v"(filters));
}

/* The same in vectors. */
typedef struct f0t_finish_lanes {
    __m512 zero, low, high, factor;
    __m512i least, most, flip;
    bool whole; /* any byte is within limits as it is */
} f0t_finish_lanes;

F0T_VNNI static F0T_INLINE f0t_finish_lanes f0t_finish_eight_lanes(const f0t_finish_eight *f)
{
    return (f0t_finish_lanes){.zero = _mm512_set1_ps(f->zero),
                              .low = _mm512_set1_ps(f->low),
                              .high = _mm512_set1_ps(f->high),
                              .factor = _mm512_set1_ps(f->factor),
                              .least = _mm512_set1_epi8((char)f->least),
                              .most = _mm512_set1_epi8((char)f->most),
                              .flip = _mm512_set1_epi8((char)f->flip),
                              .whole = !f->least && f->most == UINT8_MAX && !f->flip};
}

/* Sums of 16 channels as steps of the result, rounded. */
F0T_VNNI static F0T_INLINE __m512i f0t_finish_eight_round(__m512i sums, __m512 scale, __m512 offset)
{
    return _mm512_cvtps_epi32(_mm512_fmadd_ps(_mm512_cvtepi32_ps(sums), scale, offset));
}

/* The same with what the memory of the result holds for these channels. */
F0T_VNNI static F0T_INLINE __m512i f0t_finish_eight_add(__m512i sums, __m512 scale, __m512 offset,
                                                        __m128i memory, const f0t_finish_lanes *f)
{
    const __m128i bytes = _mm_xor_si128(memory, _mm512_castsi512_si128(f->flip));
    const __m512 own = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sums), scale, offset),
                 kept = _mm512_min_ps(f->high, _mm512_max_ps(f->low, own)),
                 other = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes));
    return _mm512_cvtps_epi32(_mm512_fmadd_ps(other, f->factor, _mm512_add_ps(kept, f->zero)));
}

/* Four vectors of rounded numbers as bytes in limits. Of each sixteen bytes, four come from each vector. */
F0T_VNNI static F0T_INLINE __m512i f0t_finish_eight_pack(const __m512i *q,
                                                         const f0t_finish_lanes *f)
{
    const __m512i bytes =
        _mm512_packus_epi16(_mm512_packs_epi32(q[0], q[1]), _mm512_packs_epi32(q[2], q[3]));
    if (f->whole)
        return bytes;
    return _mm512_xor_si512(_mm512_min_epu8(_mm512_max_epu8(bytes, f->least), f->most), f->flip);
}

#endif
#endif
