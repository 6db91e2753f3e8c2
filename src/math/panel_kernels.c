#include "math/panels.h"

#include "base/kernels.h"
#include "math/floats.h"

/* Sums of some rows by the registers of the row of a panel, or two: with AVX2 six rows and two registers, with AVX-512 two
 * groups of six and a register of each of two panels, as many as there are registers for, beside those that are multiplied. */
enum {
    SIX = F0T_PANEL_ROWS,
    PAIRS = (int)F0T_FLOATS >=
            (int)F0T_PANEL, /* panels are multiplied by twos, and so are groups of rows */
    ROWS = PAIRS ? 2 * SIX : SIX,
    COLUMNS = PAIRS ? 2 * F0T_PANEL : F0T_PANEL,
    PARTS = COLUMNS / F0T_FLOATS
};

/* sum + factor · y. The compiler takes forms of the instruction that leave the sum in another register, and moves it back; that
 * takes 4 % of a product's time. */
static inline f0t_floats multiply_add(f0t_floats sum, float factor, f0t_floats y)
{
    const f0t_floats x = f0t_floats_all(factor);
#if defined(__FMA__)
    __asm__("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
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

/* Columns of a register lie in blocks that may be apart from each other. */
#if defined(__AVX512F__)
typedef float block_floats __attribute__((vector_size(F0T_PANEL_BLOCK * sizeof(float))));

static F0T_INLINE f0t_floats read_columns(const f0t_panel_strip *s, const float *c)
{
    block_floats low, high;
    memcpy(&low, c, sizeof low);
    memcpy(&high, c + s->c_block, sizeof high);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* Halves that were taken out of memory would keep the sums there. */
static F0T_INLINE void write_columns(const f0t_panel_strip *s, float *c, f0t_floats x)
{
    const block_floats low = __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7),
                       high = __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
    memcpy(c, &low, sizeof low);
    memcpy(c + s->c_block, &high, sizeof high);
}
#else
static F0T_INLINE f0t_floats read_columns(const f0t_panel_strip *s, const float *c)
{
    (void)s;
    return f0t_floats_read(c);
}

static F0T_INLINE void write_columns(const f0t_panel_strip *s, float *c, f0t_floats x)
{
    (void)s;
    f0t_floats_write(c, x);
}
#endif

/* Sums of the columns from `at` on of a panel, of a row. */
static F0T_INLINE void put(const f0t_panel_strip *s, float *row, f0t_floats sum, size_t at)
{
    float *c = row + at / F0T_PANEL_BLOCK * s->c_block + at % F0T_PANEL_BLOCK;
    if (s->bias)
        sum += f0t_floats_read(s->bias + at);
    if (s->add)
        sum += read_columns(s, c);
    write_columns(s, c, s->relu ? positive(sum) : sum);
}

/* Rows of c that are read when the sums are made come from memory until then. */
static F0T_INLINE void fetch(const f0t_panel_strip *s, const float *c, const size_t rows,
                             const size_t parts)
{
#pragma GCC unroll 12
    for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (size_t l = 0; l < parts * F0T_FLOATS / F0T_PANEL_BLOCK; l++)
            __builtin_prefetch(c + i * s->c_row + l * s->c_block, 0, 3);
}

/* What a strip asks for of the panels behind its own, which are multiplied next: `lines` in each step, `apart` from each
 * other. */
typedef struct behind {
    const float *from;
    size_t lines, apart;
} behind;

/* Where the numbers of register l begin in a row of panels that have so many rows each. */
static inline size_t part_at(size_t l, size_t depth)
{
    return l * F0T_FLOATS / F0T_PANEL * depth * F0T_PANEL + l * F0T_FLOATS % F0T_PANEL;
}

/* `rows` and `parts` are constants where this is called, so that the sums stay in registers. Strip after strip asks for its part
 * of what lies behind the panels: it comes from memory while these are in the cache. A is asked for some blocks ahead. */
static F0T_INLINE void strip(const f0t_panel_strip *s, const float *a, float *to,
                             const behind *next, const size_t rows, const size_t parts)
{
    enum { LINE = 16, AHEAD = 4 };
    f0t_floats sum[ROWS][PARTS] = {0};
    const float *b = s->b;
    const size_t depth = s->blocks * F0T_PANEL_BLOCK;
    if (s->add)
        fetch(s, to, rows, parts);
    for (size_t k = 0; k < s->blocks; k++, a += s->a_block) {
        for (size_t l = 0; l < next->lines; l++)
            __builtin_prefetch(next->from + l * next->apart + k * F0T_PANEL, 0, 2);
#pragma GCC unroll 2
        for (size_t g = 0; g < rows; g += SIX)
#pragma GCC unroll 3
            for (size_t l = 0; l < F0T_PANEL_STEP; l += LINE)
                __builtin_prefetch(a + g / SIX * s->a_group + AHEAD * s->a_block + l, 0, 3);
#pragma GCC unroll 8
        for (size_t e = 0; e < F0T_PANEL_BLOCK; e++, b += F0T_PANEL) {
            f0t_floats y[PARTS];
#pragma GCC unroll 4
            for (size_t l = 0; l < parts; l++)
                y[l] = f0t_floats_read(b + part_at(l, depth));
#pragma GCC unroll 12
            for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 4
                for (size_t l = 0; l < parts; l++)
                    sum[i][l] = multiply_add(
                        sum[i][l], a[i / SIX * s->a_group + i % SIX * F0T_PANEL_BLOCK + e], y[l]);
        }
    }
#pragma GCC unroll 12
    for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (size_t l = 0; l < parts; l++)
            put(s, to + i * s->c_row, sum[i][l], l * F0T_FLOATS);
}

static F0T_INLINE void last_strip(const f0t_panel_strip *s, const float *a, float *c, size_t rows,
                                  const size_t parts)
{
    const behind none = {0};
    if (rows == 1)
        strip(s, a, c, &none, 1, parts);
    else if (rows == 2)
        strip(s, a, c, &none, 2, parts);
    else if (rows == 3)
        strip(s, a, c, &none, 3, parts);
    else if (rows == 4)
        strip(s, a, c, &none, 4, parts);
    else if (rows == 5)
        strip(s, a, c, &none, 5, parts);
}

/* Where rows lie one behind the other, a last strip of few of them, whose sums would wait for each other, takes some of the strips
 * before it: these have a row less. */
static size_t strips_of_five(const f0t_panel_strip *s)
{
    const size_t rest = s->rows % SIX, missing = (SIX - rest) % SIX;
    return s->a_group == F0T_PANEL_STEP && s->rows / SIX + 1 >= missing ? missing : 0;
}

/* Of the lines behind the panels, as many as one of so many strips must ask for. */
static behind begin_behind(const f0t_panel_strip *s, size_t strips, size_t panels)
{
    const size_t lines = panels * F0T_PANEL_BLOCK, apart = s->blocks * F0T_PANEL;
    return (behind){s->b + lines * apart, (lines + strips - 1) / strips, apart};
}

static void go_on(behind *next, const float *end)
{
    next->from += next->lines * next->apart;
    const size_t left = next->from < end ? (size_t)(end - next->from) / next->apart : 0;
    next->lines = next->lines < left ? next->lines : left;
}

static F0T_INLINE void multiply(const f0t_panel_strip *s, const size_t parts)
{
    const size_t panels = parts * F0T_FLOATS / F0T_PANEL, five = strips_of_five(s);
    const size_t six = (s->rows - five * (SIX - 1)) / SIX, pairs = PAIRS ? six / 2 : 0;
    const float *a = s->a;
    float *c = s->c;
    behind next = begin_behind(s, six - pairs + five + 1, panels);
    const float *end = next.from + panels * F0T_PANEL_BLOCK * next.apart;
    for (size_t i = 0; i < pairs; i++, a += 2 * s->a_group, c += ROWS * s->c_row) {
        strip(s, a, c, &next, ROWS, parts);
        go_on(&next, end);
    }
    for (size_t i = 2 * pairs; i < six; i++, a += s->a_group, c += SIX * s->c_row) {
        strip(s, a, c, &next, SIX, parts);
        go_on(&next, end);
    }
    for (size_t i = 0; i < five; i++, a += (SIX - 1) * F0T_PANEL_BLOCK, c += (SIX - 1) * s->c_row) {
        strip(s, a, c, &next, SIX - 1, parts);
        go_on(&next, end);
    }
    last_strip(s, a, c, s->rows - six * SIX - five * (SIX - 1), parts);
}

static void product(const f0t_panel_strip *s)
{
    if (PAIRS && s->columns <= F0T_PANEL)
        multiply(s, F0T_PANEL / F0T_FLOATS);
    else
        multiply(s, PARTS);
}

/* The last columns, which end inside of a panel: whole rows are made apart. */
static void narrow_product(const f0t_panel_strip *s)
{
    float c[SIX * COLUMNS] = {0}, bias[COLUMNS] = {0};
    const size_t row = s->columns * sizeof *c;
    f0t_panel_strip some = *s;
    if (s->bias)
        memcpy(bias, s->bias, row);
    some.c = c;
    some.c_row = COLUMNS;
    some.c_block = F0T_PANEL_BLOCK;
    some.bias = s->bias ? bias : NULL;
    for (size_t i = 0; i < s->rows; i += SIX, some.a += s->a_group) {
        some.rows = s->rows - i < SIX ? s->rows - i : SIX;
        for (size_t r = 0; s->add && r < some.rows; r++)
            memcpy(c + r * COLUMNS, s->c + (i + r) * s->c_row, row);
        product(&some);
        for (size_t r = 0; r < some.rows; r++)
            memcpy(s->c + (i + r) * s->c_row, c + r * COLUMNS, row);
    }
}

void F0T_KERNEL(panel_product)(const f0t_panel_strip *s)
{
    const size_t depth = s->blocks * F0T_PANEL_BLOCK;
    f0t_panel_strip some = *s;
    for (size_t done = 0; done < s->columns; done += COLUMNS) {
        const size_t left = s->columns - done;
        some.c = s->c + done / F0T_PANEL_BLOCK * s->c_block;
        some.b = s->b + done * depth;
        some.bias = s->bias ? s->bias + done : NULL;
        some.columns = left < COLUMNS ? left : COLUMNS;
        if (some.columns % F0T_PANEL)
            narrow_product(&some);
        else
            product(&some);
    }
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
