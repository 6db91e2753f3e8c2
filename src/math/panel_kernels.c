#include "math/panels.h"

#include "base/kernels.h"

#include <string.h>

/* One register. */
#if defined(__AVX512F__)
enum { LANES = 16 };
#elif defined(__AVX__)
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif

/* Sums of six rows by the registers of a panel's row: with AVX2 twelve, as many as there are registers for, beside
 * those that are multiplied. */
enum { ROWS = F0T_PANEL_ROWS, PARTS = F0T_PANEL / LANES };

typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

static inline lanes read_lanes(const float *from)
{
    lanes x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline void write_lanes(float *to, lanes x)
{
    memcpy(to, &x, sizeof x);
}

/* `rows` is a constant where this is called, so that the sums stay in registers. Strip after strip asks for its part of
 * what lies behind the panel, which is multiplied next: it comes from memory while this one is in the cache. */
static inline __attribute__((always_inline)) void
strip(const f0t_panel_strip *s, const float *a, float *to, const float *next, const size_t rows)
{
    lanes sum[ROWS][PARTS] = {0};
    const float *b = s->b;
    for (size_t k = 0; k < s->blocks; k++, a += ROWS * F0T_PANEL_BLOCK) {
        __builtin_prefetch(next + k * F0T_PANEL, 0, 2);
#pragma GCC unroll 8
        for (size_t e = 0; e < F0T_PANEL_BLOCK; e++, b += F0T_PANEL) {
            lanes y[PARTS];
#pragma GCC unroll 4
            for (size_t l = 0; l < PARTS; l++)
                y[l] = read_lanes(b + l * LANES);
#pragma GCC unroll 6
            for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 4
                for (size_t l = 0; l < PARTS; l++)
                    sum[i][l] += a[i * F0T_PANEL_BLOCK + e] * y[l];
        }
    }
#pragma GCC unroll 6
    for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (size_t l = 0; l < PARTS; l++) {
            float *c = to + i * s->c_row + l * LANES;
            write_lanes(c, s->add ? read_lanes(c) + sum[i][l] : sum[i][l]);
        }
}

static void last_strip(const f0t_panel_strip *s, const float *a, float *c, size_t rows)
{
    if (rows == 1)
        strip(s, a, c, s->b, 1);
    else if (rows == 2)
        strip(s, a, c, s->b, 2);
    else if (rows == 3)
        strip(s, a, c, s->b, 3);
    else if (rows == 4)
        strip(s, a, c, s->b, 4);
    else if (rows == 5)
        strip(s, a, c, s->b, 5);
}

void F0T_KERNEL(panel_product)(const f0t_panel_strip *s)
{
    const size_t part = s->blocks * F0T_PANEL, parts = F0T_PANEL_BLOCK;
    const float *a = s->a, *next = s->b + parts * part;
    size_t i = 0;
    for (; i + ROWS <= s->rows; i += ROWS, a += s->a_group)
        strip(s, a, s->c + i * s->c_row, next + i / ROWS % parts * part, ROWS);
    last_strip(s, a, s->c + i * s->c_row, s->rows - i);
}

void F0T_KERNEL(panel_finish)(float *c, const float *sums, const float *bias, size_t count,
                              bool add, bool relu)
{
    float x[F0T_PANEL];
    for (size_t l = 0; l < F0T_PANEL; l++)
        x[l] = sums[l];
    if (bias)
        for (size_t l = 0; l < count; l++)
            x[l] += bias[l];
    if (add)
        for (size_t l = 0; l < count; l++)
            x[l] += c[l];
    if (relu)
        for (size_t l = 0; l < F0T_PANEL; l++)
            x[l] = x[l] < 0 ? 0 : x[l];
    memcpy(c, x, count * sizeof *c);
}
