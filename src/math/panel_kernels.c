#include "math/panels.h"

#include "base/kernels.h"
#include "math/floats.h"

/* Sums of six rows by the registers of a panel's row: with AVX2 twelve, as many as there are registers for, beside
 * those that are multiplied. */
enum { ROWS = F0T_PANEL_ROWS, PARTS = F0T_PANEL / F0T_FLOATS };

/* sum + factor · y. The compiler takes forms of the instruction that leave the sum in another register, and moves it back; that
 * takes 4 % of a product's time. */
static inline f0t_floats multiply_add(f0t_floats sum, float factor, f0t_floats y)
{
    const f0t_floats x = f0t_floats_all(factor);
#if defined(__FMA__)
    __asm__("vfmadd231ps %2, %1, %0" : "+x"(sum) : "x"(x), "x"(y));
    return sum;
#else
    return sum + x * y;
#endif
}

/* What is no number stays so. */
static inline f0t_floats positive(f0t_floats x)
{
    return (f0t_floats)((f0t_float_bits)x & ~(x < (f0t_floats){0}));
}

/* Sums of the columns from `at` on of a panel. */
static inline __attribute__((always_inline)) void put(const f0t_panel_strip *s, float *c,
                                                      f0t_floats sum, size_t at)
{
    if (s->bias)
        sum += f0t_floats_read(s->bias + at);
    if (s->add)
        sum += f0t_floats_read(c);
    f0t_floats_write(c, s->relu ? positive(sum) : sum);
}

/* `rows` is a constant where this is called, so that the sums stay in registers. Strip after strip asks for its part of
 * what lies behind the panel, which is multiplied next: it comes from memory while this one is in the cache. A is asked
 * for some blocks ahead. */
static inline __attribute__((always_inline)) void
strip(const f0t_panel_strip *s, const float *a, float *to, const float *next, const size_t rows)
{
    enum { BLOCK = ROWS * F0T_PANEL_BLOCK, LINE = 16, AHEAD = 4 };
    f0t_floats sum[ROWS][PARTS] = {0};
    const float *b = s->b;
    for (size_t k = 0; k < s->blocks; k++, a += BLOCK) {
        __builtin_prefetch(next + k * F0T_PANEL, 0, 2);
#pragma GCC unroll 3
        for (size_t l = 0; l < BLOCK; l += LINE)
            __builtin_prefetch(a + AHEAD * BLOCK + l, 0, 3);
#pragma GCC unroll 8
        for (size_t e = 0; e < F0T_PANEL_BLOCK; e++, b += F0T_PANEL) {
            f0t_floats y[PARTS];
#pragma GCC unroll 4
            for (size_t l = 0; l < PARTS; l++)
                y[l] = f0t_floats_read(b + l * F0T_FLOATS);
#pragma GCC unroll 6
            for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 4
                for (size_t l = 0; l < PARTS; l++)
                    sum[i][l] = multiply_add(sum[i][l], a[i * F0T_PANEL_BLOCK + e], y[l]);
        }
    }
#pragma GCC unroll 6
    for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (size_t l = 0; l < PARTS; l++)
            put(s, to + i * s->c_row + l * F0T_FLOATS, sum[i][l], l * F0T_FLOATS);
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

static void product(const f0t_panel_strip *s)
{
    const size_t part = s->blocks * F0T_PANEL, parts = F0T_PANEL_BLOCK;
    const float *a = s->a, *next = s->b + parts * part;
    size_t i = 0;
    for (; i + ROWS <= s->rows; i += ROWS, a += s->a_group)
        strip(s, a, s->c + i * s->c_row, next + i / ROWS % parts * part, ROWS);
    last_strip(s, a, s->c + i * s->c_row, s->rows - i);
}

/* A last panel of few columns: whole rows of it are made apart. */
static void narrow_product(const f0t_panel_strip *s)
{
    float c[ROWS * F0T_PANEL] = {0}, bias[F0T_PANEL] = {0};
    const size_t row = s->columns * sizeof *c;
    f0t_panel_strip some = *s;
    if (s->bias)
        memcpy(bias, s->bias, row);
    some.c = c;
    some.c_row = F0T_PANEL;
    some.bias = s->bias ? bias : NULL;
    for (size_t i = 0; i < s->rows; i += ROWS, some.a += s->a_group) {
        some.rows = s->rows - i < ROWS ? s->rows - i : ROWS;
        for (size_t r = 0; s->add && r < some.rows; r++)
            memcpy(c + r * F0T_PANEL, s->c + (i + r) * s->c_row, row);
        product(&some);
        for (size_t r = 0; r < some.rows; r++)
            memcpy(s->c + (i + r) * s->c_row, c + r * F0T_PANEL, row);
    }
}

void F0T_KERNEL(panel_product)(const f0t_panel_strip *s)
{
    if (s->columns < F0T_PANEL)
        narrow_product(s);
    else
        product(s);
}

/* Numbers of a row of A, of which the last block is filled up with zeros. */
void F0T_KERNEL(panel_pack)(float *to, const float *from, size_t k)
{
    const size_t whole = k / F0T_PANEL_BLOCK, rest = k % F0T_PANEL_BLOCK;
    for (size_t block = 0; block < whole; block++)
        memcpy(to + block * ROWS * F0T_PANEL_BLOCK, from + block * F0T_PANEL_BLOCK,
               F0T_PANEL_BLOCK * sizeof *to);
    if (rest) {
        float *last = to + whole * ROWS * F0T_PANEL_BLOCK;
        memset(last, 0, F0T_PANEL_BLOCK * sizeof *to);
        memcpy(last, from + whole * F0T_PANEL_BLOCK, rest * sizeof *to);
    }
}
