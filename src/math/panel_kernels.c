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

/* Registers of columns that lie together: those of a block, or a part of it. */
enum { TOGETHER = (int)F0T_FLOATS < (int)F0T_PANEL_BLOCK ? (int)F0T_FLOATS : (int)F0T_PANEL_BLOCK };

static inline __attribute__((always_inline)) f0t_floats read_columns(const f0t_panel_strip *s,
                                                                     const float *c)
{
    f0t_floats x;
#pragma GCC unroll 2
    for (size_t l = 0; l < F0T_FLOATS; l += TOGETHER)
        memcpy((float *)&x + l, c + l / TOGETHER * s->c_block, TOGETHER * sizeof *c);
    return x;
}

static inline __attribute__((always_inline)) void write_columns(const f0t_panel_strip *s, float *c,
                                                                f0t_floats x)
{
#pragma GCC unroll 2
    for (size_t l = 0; l < F0T_FLOATS; l += TOGETHER)
        memcpy(c + l / TOGETHER * s->c_block, (const float *)&x + l, TOGETHER * sizeof *c);
}

/* Sums of the columns from `at` on of a panel, of a row. */
static inline __attribute__((always_inline)) void put(const f0t_panel_strip *s, float *row,
                                                      f0t_floats sum, size_t at)
{
    float *c = row + at / F0T_PANEL_BLOCK * s->c_block + at % F0T_PANEL_BLOCK;
    if (s->bias)
        sum += f0t_floats_read(s->bias + at);
    if (s->add)
        sum += read_columns(s, c);
    write_columns(s, c, s->relu ? positive(sum) : sum);
}

/* Rows of c that are read when the sums are made come from memory until then. */
static inline __attribute__((always_inline)) void fetch(const f0t_panel_strip *s, const float *c,
                                                        const size_t rows)
{
#pragma GCC unroll 6
    for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (size_t l = 0; l < F0T_PANEL / F0T_PANEL_BLOCK; l++)
            __builtin_prefetch(c + i * s->c_row + l * s->c_block, 0, 3);
}

/* `rows` is a constant where this is called, so that the sums stay in registers. Strip after strip asks for its part of
 * what lies behind the panel, which is multiplied next: it comes from memory while this one is in the cache. A is asked
 * for some blocks ahead. */
static inline __attribute__((always_inline)) void
strip(const f0t_panel_strip *s, const float *a, float *to, const float *next, const size_t rows)
{
    enum { LINE = 16, AHEAD = 4 };
    f0t_floats sum[ROWS][PARTS] = {0};
    const float *b = s->b;
    if (s->add)
        fetch(s, to, rows);
    for (size_t k = 0; k < s->blocks; k++, a += s->a_block) {
        __builtin_prefetch(next + k * F0T_PANEL, 0, 2);
#pragma GCC unroll 3
        for (size_t l = 0; l < F0T_PANEL_STEP; l += LINE)
            __builtin_prefetch(a + AHEAD * s->a_block + l, 0, 3);
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
            put(s, to + i * s->c_row, sum[i][l], l * F0T_FLOATS);
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

/* Where rows lie one behind the other, a last strip of few of them, whose sums would wait for each other, takes some of the strips
 * before it: these have a row less. */
static size_t strips_of_five(const f0t_panel_strip *s)
{
    const size_t rest = s->rows % ROWS, missing = (ROWS - rest) % ROWS;
    return s->a_group == F0T_PANEL_STEP && s->rows / ROWS + 1 >= missing ? missing : 0;
}

static void product(const f0t_panel_strip *s)
{
    const size_t part = s->blocks * F0T_PANEL, parts = F0T_PANEL_BLOCK, five = strips_of_five(s),
                 six = (s->rows - five * (ROWS - 1)) / ROWS;
    const float *a = s->a, *next = s->b + parts * part;
    float *c = s->c;
    for (size_t i = 0; i < six; i++, a += s->a_group, c += ROWS * s->c_row)
        strip(s, a, c, next + i % parts * part, ROWS);
    for (size_t i = 0; i < five; i++, a += (ROWS - 1) * F0T_PANEL_BLOCK, c += (ROWS - 1) * s->c_row)
        strip(s, a, c, next + (six + i) % parts * part, ROWS - 1);
    last_strip(s, a, c, s->rows - six * ROWS - five * (ROWS - 1));
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
    some.c_block = F0T_PANEL_BLOCK;
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
        memcpy(to + block * F0T_PANEL_STEP, from + block * F0T_PANEL_BLOCK,
               F0T_PANEL_BLOCK * sizeof *to);
    if (rest) {
        float *last = to + whole * F0T_PANEL_STEP;
        memset(last, 0, F0T_PANEL_BLOCK * sizeof *to);
        memcpy(last, from + whole * F0T_PANEL_BLOCK, rest * sizeof *to);
    }
}
