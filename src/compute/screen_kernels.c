/* Compiled once per CPU level: the bounds of screen.h, and the scores themselves. */
#include "base/kernels.h"
#include "compute/screen.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { ROWS = F0T_SCREEN_BLOCK, WORDS = ROWS };

#define INLINE static inline __attribute__((always_inline))

/* ---- Exact scores ---------------------------------------------------------------------------------- */

/* Products of two float32 are exact in double, so that a fused sum is the same as two steps; the order of
 * the sums is written out: every level gives the same bits. */
double F0T_KERNEL(exact_product)(const float *a, const float *b, size_t n)
{
    enum { LANES = 16 };
    double lane[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lane[j] += (double)a[i + j] * (double)b[i + j];
    for (size_t j = 0; i + j < n; j++)
        lane[j] += (double)a[i + j] * (double)b[i + j];
    for (size_t half = LANES / 2; half; half /= 2)
        for (size_t j = 0; j < half; j++)
            lane[j] += lane[j + half];
    return lane[0];
}

/* ---- Codes ----------------------------------------------------------------------------------------- */

float F0T_KERNEL(largest_size)(const float *x, size_t n)
{
    float most = 0;
#pragma omp simd reduction(max : most)
    for (size_t i = 0; i < n; i++)
        most = __builtin_fabsf(x[i]) > most ? __builtin_fabsf(x[i]) : most;
    return most;
}

/* Adding and subtracting 1.5 · 2^52 rounds to whole numbers, ties to even, on every level. */
int64_t F0T_KERNEL(screen_encode)(int8_t *code, float *rest, const float *x, size_t n, double scale)
{
    static const double whole = 0x1.8p52;
    int32_t squares = 0;
    for (size_t i = 0; i < n; i++) {
        const double value = (double)x[i];
        double c = value / scale + whole;
        c -= whole;
        c = c > 127 ? 127 : c < -127 ? -127 : c;
        const int32_t number = (int32_t)c;
        code[i] = (int8_t)number;
        rest[i] = (float)(value - scale * c);
        squares += number * number;
    }
    return squares;
}

/* ---- Bounds ---------------------------------------------------------------------------------------- */

/* From the integer products of a block with direction i of the tile. */
INLINE void finish(float *upper, const int32_t *product, const f0t_screen_bounds *b,
                   const f0t_screen_tile *tile, size_t i)
{
    const float by_error = tile->by_error[i], by_length = tile->by_length[i], more = tile->more[i];
    for (size_t r = 0; r < ROWS; r++)
        upper[r] = (float)product[r] * b->scale[r] +
                   (by_error * b->error[r] + (by_length * b->length[r] + more));
}

void F0T_KERNEL(screen_finish)(float *upper, const int32_t *products,
                               const f0t_screen_bounds *bounds, size_t blocks,
                               const f0t_screen_query *q)
{
    const float by_error = q->by_error, by_length = q->by_length, more = q->more;
    const int32_t start = q->start;
    for (size_t b = 0; b < blocks; b++)
        for (size_t r = 0; r < ROWS; r++)
            upper[b * ROWS + r] =
                (float)(products[b * ROWS + r] + start) * bounds[b].scale[r] +
                (by_error * bounds[b].error[r] + (by_length * bounds[b].length[r] + more));
}

/* As many bytes as a register has. */
#if defined(__AVX512BW__)
enum { BYTES = 64 };
#elif defined(__AVX2__)
enum { BYTES = 32 };
#else
enum { BYTES = 16 };
#endif
enum { VECTORS = WORDS * 4 / BYTES, LANES32 = BYTES / 4 };
typedef int32_t words __attribute__((vector_size(BYTES)));

INLINE words load(const void *from)
{
    words to;
    memcpy(&to, from, sizeof to);
    return to;
}

INLINE words spread(int32_t value)
{
    return value - (words){0};
}

/* Products of the 16-bit halves of each word, added up. */
INLINE words add_pairs(words a, words b)
{
#if defined(__AVX512BW__)
    return (words)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (words)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (words)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    return (a << 16 >> 16) * (b << 16 >> 16) + (a >> 16) * (b >> 16);
#endif
}

/* A block's products with N directions, from direction `first` of the tile on. */
#define PLAIN(N)                                                                             \
    INLINE void plain_##N(int32_t(*product)[ROWS], const uint8_t *codes, size_t groups,      \
                          const f0t_screen_tile *tile, size_t first)                         \
    {                                                                                        \
        const words low = spread(0x00FF00FF);                                                \
        words sum[N][VECTORS];                                                               \
        for (size_t i = 0; i < N; i++)                                                       \
            for (size_t v = 0; v < VECTORS; v++)                                             \
                sum[i][v] = spread(tile->start[first + i]);                                  \
        for (size_t g = 0; g < groups; g++) {                                                \
            const int32_t *pairs = tile->pairs + (g * tile->count + first) * 2;              \
            for (size_t v = 0; v < VECTORS; v++) {                                           \
                const words all = load(codes + (g * VECTORS + v) * BYTES), even = all & low, \
                            odd = all >> 8 & low;                                            \
                for (size_t i = 0; i < N; i++)                                               \
                    sum[i][v] += add_pairs(even, spread(pairs[2 * i])) +                     \
                                 add_pairs(odd, spread(pairs[2 * i + 1]));                   \
            }                                                                                \
        }                                                                                    \
        memcpy(product, sum, sizeof sum);                                                    \
    }
PLAIN(1)
PLAIN(4)

void F0T_KERNEL(screen_bounds)(float *upper, size_t stride, const uint8_t *codes,
                               const f0t_screen_bounds *bounds, size_t blocks, size_t groups,
                               const f0t_screen_tile *tile)
{
    enum { MOST = 4 };
    const size_t step = tile->count == 1 ? 1 : MOST;
    for (size_t b = 0; b < blocks; b++)
        for (size_t first = 0; first < tile->count; first += step) {
            int32_t product[MOST][ROWS];
            const uint8_t *block = codes + b * groups * ROWS * F0T_SCREEN_GROUP;
            if (step == 1)
                plain_1(product, block, groups, tile, first);
            else
                plain_4(product, block, groups, tile, first);
            for (size_t i = 0; i < step; i++)
                finish(upper + (first + i) * stride + b * ROWS, product[i], &bounds[b], tile,
                       first + i);
        }
}

/* ---- The same by instructions that multiply bytes and add up four of them ---------------------------- */

#if defined(__AVX512BW__)
#define VNNI __attribute__((target("avx512vnni")))
#define ADD_BYTES(sum, codes, q) \
    ((words)_mm512_dpbusd_epi32((__m512i)(sum), (__m512i)(codes), (__m512i)(q)))
enum { WIDE_TILE = 12, TOGETHER = 2 }; /* of 32 registers, 24 hold sums */
#elif defined(__AVX2__)
#define VNNI __attribute__((target("avxvnni")))
#define ADD_BYTES(sum, codes, q) \
    ((words)_mm256_dpbusd_avx_epi32((__m256i)(sum), (__m256i)(codes), (__m256i)(q)))
enum { WIDE_TILE = 6, TOGETHER = 1 }; /* of 16 registers, 12 hold sums */
#endif

#ifdef VNNI

/* The products of B blocks with N directions. */
#define VNNI_PRODUCTS(name, B, N)                                                          \
    VNNI INLINE void name(int32_t(*product)[B][ROWS], const uint8_t *codes, size_t groups, \
                          const f0t_screen_tile *tile, size_t first)                       \
    {                                                                                      \
        const size_t block = groups * ROWS * F0T_SCREEN_GROUP;                             \
        words sum[N][B][VECTORS];                                                          \
        for (size_t i = 0; i < N; i++)                                                     \
            for (size_t b = 0; b < B; b++)                                                 \
                for (size_t v = 0; v < VECTORS; v++)                                       \
                    sum[i][b][v] = spread(tile->start[first + i]);                         \
        for (size_t g = 0; g < groups; g++) {                                              \
            const int32_t *bytes = tile->bytes + g * tile->count + first;                  \
            words code[B][VECTORS];                                                        \
            for (size_t b = 0; b < B; b++)                                                 \
                for (size_t v = 0; v < VECTORS; v++)                                       \
                    code[b][v] = load(codes + b * block + (g * VECTORS + v) * BYTES);      \
            for (size_t i = 0; i < N; i++) {                                               \
                const words q = spread(bytes[i]);                                          \
                for (size_t b = 0; b < B; b++)                                             \
                    for (size_t v = 0; v < VECTORS; v++)                                   \
                        sum[i][b][v] = ADD_BYTES(sum[i][b][v], code[b][v], q);             \
            }                                                                              \
        }                                                                                  \
        memcpy(product, sum, sizeof sum);                                                  \
    }
VNNI_PRODUCTS(vnni_many, TOGETHER, WIDE_TILE)
VNNI_PRODUCTS(vnni_rest, 1, WIDE_TILE)
VNNI_PRODUCTS(vnni_few, TOGETHER, 4)
VNNI_PRODUCTS(vnni_few_rest, 1, 4)

/* One direction: four sums, so that none waits for the one before it, over memory that is read in order. */
VNNI INLINE void vnni_one(int32_t *product, const uint8_t *codes, size_t groups,
                          const f0t_screen_tile *tile)
{
    enum { SUMS = 4 };
    words sum[SUMS][VECTORS] = {{{0}}};
    size_t g = 0;
    for (; g + SUMS <= groups; g += SUMS)
        for (size_t j = 0; j < SUMS; j++)
            for (size_t v = 0; v < VECTORS; v++)
                sum[j][v] = ADD_BYTES(sum[j][v], load(codes + ((g + j) * VECTORS + v) * BYTES),
                                      spread(tile->bytes[g + j]));
    for (; g < groups; g++)
        for (size_t v = 0; v < VECTORS; v++)
            sum[0][v] = ADD_BYTES(sum[0][v], load(codes + (g * VECTORS + v) * BYTES),
                                  spread(tile->bytes[g]));
    for (size_t v = 0; v < VECTORS; v++) {
        const words all =
            (sum[0][v] + sum[1][v]) + (sum[2][v] + sum[3][v]) + spread(tile->start[0]);
        memcpy(product + v * LANES32, &all, sizeof all);
    }
}

VNNI static void bounds_of_one(float *upper, const uint8_t *codes, const f0t_screen_bounds *bounds,
                               size_t blocks, size_t groups, const f0t_screen_tile *tile)
{
    for (size_t b = 0; b < blocks; b++) {
        int32_t product[ROWS];
        vnni_one(product, codes + b * groups * ROWS * F0T_SCREEN_GROUP, groups, tile);
        finish(upper + b * ROWS, product, &bounds[b], tile, 0);
    }
}

#define VNNI_BOUNDS(name, N, products, products_rest)                                            \
    VNNI static void name(float *upper, size_t stride, const uint8_t *codes,                     \
                          const f0t_screen_bounds *bounds, size_t blocks, size_t groups,         \
                          const f0t_screen_tile *tile, size_t first)                             \
    {                                                                                            \
        const size_t block = groups * ROWS * F0T_SCREEN_GROUP;                                   \
        size_t b = 0;                                                                            \
        for (; b + TOGETHER <= blocks; b += TOGETHER) {                                          \
            int32_t product[N][TOGETHER][ROWS];                                                  \
            products(product, codes + b * block, groups, tile, first);                           \
            for (size_t i = 0; i < N; i++)                                                       \
                for (size_t j = 0; j < TOGETHER; j++)                                            \
                    finish(upper + (first + i) * stride + (b + j) * ROWS, product[i][j],         \
                           &bounds[b + j], tile, first + i);                                     \
        }                                                                                        \
        for (; b < blocks; b++) {                                                                \
            int32_t product[N][1][ROWS];                                                         \
            products_rest(product, codes + b * block, groups, tile, first);                      \
            for (size_t i = 0; i < N; i++)                                                       \
                finish(upper + (first + i) * stride + b * ROWS, product[i][0], &bounds[b], tile, \
                       first + i);                                                               \
        }                                                                                        \
    }
VNNI_BOUNDS(bounds_of_many, WIDE_TILE, vnni_many, vnni_rest)
VNNI_BOUNDS(bounds_of_few, 4, vnni_few, vnni_few_rest)

void F0T_KERNEL(screen_bounds_vnni)(float *upper, size_t stride, const uint8_t *codes,
                                    const f0t_screen_bounds *bounds, size_t blocks, size_t groups,
                                    const f0t_screen_tile *tile)
{
    if (tile->count == 1)
        bounds_of_one(upper, codes, bounds, blocks, groups, tile);
    else if (tile->count == 4)
        bounds_of_few(upper, stride, codes, bounds, blocks, groups, tile, 0);
    else
        for (size_t first = 0; first < tile->count; first += WIDE_TILE)
            bounds_of_many(upper, stride, codes, bounds, blocks, groups, tile, first);
}

#else

void F0T_KERNEL(screen_bounds_vnni)(float *upper, size_t stride, const uint8_t *codes,
                                    const f0t_screen_bounds *bounds, size_t blocks, size_t groups,
                                    const f0t_screen_tile *tile)
{
    F0T_KERNEL(screen_bounds)(upper, stride, codes, bounds, blocks, groups, tile);
}

#endif
