#include "math/attention.h"

#include "base/kernels.h"
#include "math/floats.h"

/* Sums of some rows by some registers: with AVX2 twelve, with AVX-512 21, as many as there are registers for, beside those that are
 * multiplied. */
#if defined(__AVX512F__)
enum { ROWS = 7, PARTS = 3 };
#else
enum { ROWS = 6, PARTS = 2 };
#endif

/* Columns of K, and of V, that lie together: [panel][row][column], the last panel filled up with zeros. */
enum { LANES = F0T_FLOATS, VALUE_PARTS = 2, PANEL = PARTS * LANES, VALUES = VALUE_PARTS * LANES };

_Static_assert(F0T_ATTENTION_COLUMNS % PANEL == 0 && F0T_ATTENTION_VALUES % VALUES == 0 &&
                   (int)F0T_ATTENTION_ROWS >= (int)ROWS,
               "there is room for the panels");

/* What is packed of a head, and the products of a tile's rows, `row` apart. */
typedef struct packed {
    const f0t_attention *head;
    float *k, *v, *products;
    size_t row;
} packed;

/* ---- Packing -------------------------------------------------------------------------------------- */

/* As many rows as each has numbers become columns: in 2 x 2, 4 x 4, and so on. */
#if defined(__AVX512F__)

static F0T_INLINE void transpose(__m512 *x)
{
    __m512 y[LANES];
#pragma GCC unroll 8
    for (size_t i = 0; i < LANES; i += 2) {
        y[i] = _mm512_unpacklo_ps(x[i], x[i + 1]);
        y[i + 1] = _mm512_unpackhi_ps(x[i], x[i + 1]);
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < LANES; i += 4) {
        x[i] = _mm512_shuffle_ps(y[i], y[i + 2], 0x44);
        x[i + 1] = _mm512_shuffle_ps(y[i], y[i + 2], 0xEE);
        x[i + 2] = _mm512_shuffle_ps(y[i + 1], y[i + 3], 0x44);
        x[i + 3] = _mm512_shuffle_ps(y[i + 1], y[i + 3], 0xEE);
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++) {
        const __m512 a = _mm512_shuffle_f32x4(x[i], x[i + 4], 0x88),
                     b = _mm512_shuffle_f32x4(x[i], x[i + 4], 0xDD),
                     c = _mm512_shuffle_f32x4(x[i + 8], x[i + 12], 0x88),
                     d = _mm512_shuffle_f32x4(x[i + 8], x[i + 12], 0xDD);
        y[i] = _mm512_shuffle_f32x4(a, c, 0x88);
        y[i + 4] = _mm512_shuffle_f32x4(b, d, 0x88);
        y[i + 8] = _mm512_shuffle_f32x4(a, c, 0xDD);
        y[i + 12] = _mm512_shuffle_f32x4(b, d, 0xDD);
    }
#pragma GCC unroll 16
    for (size_t i = 0; i < LANES; i++)
        x[i] = y[i];
}

#elif defined(__AVX2__)

static F0T_INLINE void transpose(f0t_floats *x)
{
    __m256 y[LANES];
#pragma GCC unroll 4
    for (size_t i = 0; i < LANES; i += 2) {
        y[i] = _mm256_unpacklo_ps(x[i], x[i + 1]);
        y[i + 1] = _mm256_unpackhi_ps(x[i], x[i + 1]);
    }
#pragma GCC unroll 2
    for (size_t i = 0; i < LANES; i += 4) {
        x[i] = _mm256_shuffle_ps(y[i], y[i + 2], 0x44);
        x[i + 1] = _mm256_shuffle_ps(y[i], y[i + 2], 0xEE);
        x[i + 2] = _mm256_shuffle_ps(y[i + 1], y[i + 3], 0x44);
        x[i + 3] = _mm256_shuffle_ps(y[i + 1], y[i + 3], 0xEE);
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++) {
        const f0t_floats low = x[i], high = x[i + 4];
        x[i] = _mm256_permute2f128_ps(low, high, 0x20);
        x[i + 4] = _mm256_permute2f128_ps(low, high, 0x31);
    }
}

#else

static F0T_INLINE void transpose(f0t_floats *x)
{
    for (size_t i = 0; i < LANES; i++)
        for (size_t j = 0; j < i; j++) {
            const float above = x[j][i];
            x[j][i] = x[i][j];
            x[i][j] = above;
        }
}

#endif

/* A vector's columns from j on, into a panel of K whose rows are PANEL numbers. */
static void pack_turned(float *panel, const f0t_attention *h, const float *k, size_t j)
{
    const size_t rows = j < h->n ? h->n - j : 0;
    for (size_t e = 0; e < h->inner; e += LANES) {
        f0t_floats x[LANES];
#pragma GCC unroll 16
        for (size_t i = 0; i < LANES; i++)
            x[i] = i < rows ? f0t_floats_read_first(k + (j + i) * h->k_row + e, h->inner - e)
                            : (f0t_floats){0};
        transpose(x);
#pragma GCC unroll 16
        for (size_t i = 0; i < LANES; i++)
            if (e + i < h->inner)
                f0t_floats_write(panel + (e + i) * PANEL, x[i]);
    }
}

/* A vector's columns of `rows` rows, of which some are there, into a panel whose rows are `panel_row` numbers. */
static void pack_plain(float *panel, size_t panel_row, const float *from, size_t from_row,
                       size_t rows, size_t columns)
{
    for (size_t e = 0; e < rows; e++)
        f0t_floats_write(panel + e * panel_row,
                         columns ? f0t_floats_read_first(from + e * from_row, columns)
                                 : (f0t_floats){0});
}

static void pack_keys(float *panels, const f0t_attention *h, const float *k)
{
    for (size_t j = 0; j < (h->n + PANEL - 1) / PANEL * PANEL; j += LANES) {
        float *panel = panels + j / PANEL * PANEL * h->inner + j % PANEL;
        if (h->k_transposed)
            pack_turned(panel, h, k, j);
        else
            pack_plain(panel, PANEL, j < h->n ? k + j : k, h->k_row, h->inner,
                       j < h->n ? h->n - j : 0);
    }
}

static void pack_values(float *panels, const f0t_attention *h, const float *v)
{
    for (size_t w = 0; w < (h->width + VALUES - 1) / VALUES * VALUES; w += LANES)
        pack_plain(panels + w / VALUES * VALUES * h->n + w % VALUES, VALUES,
                   w < h->width ? v + w : v, h->v_row, h->n, w < h->width ? h->width - w : 0);
}

/* ---- Rows ------------------------------------------------------------------------------------------ */

/* Some rows x times the first `vectors` of a panel's rows, w. What is const is a constant where this is called, so that the sums
 * stay in registers. */
static F0T_INLINE void multiply(f0t_floats (*sums)[PARTS], const float *x, size_t x_row,
                                const float *w, size_t inner, const size_t w_row, const size_t rows,
                                const size_t vectors)
{
#pragma GCC unroll 7
    for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 3
        for (size_t v = 0; v < vectors; v++)
            sums[i][v] = (f0t_floats){0};
    for (size_t e = 0; e < inner; e++) {
        f0t_floats y[PARTS];
#pragma GCC unroll 3
        for (size_t v = 0; v < vectors; v++)
            y[v] = f0t_floats_read(w + e * w_row + v * LANES);
#pragma GCC unroll 7
        for (size_t i = 0; i < rows; i++) {
            const f0t_floats all = f0t_floats_all(x[i * x_row + e]);
#pragma GCC unroll 3
            for (size_t v = 0; v < vectors; v++)
                sums[i][v] = f0t_floats_add_product(sums[i][v], all, y[v]);
        }
    }
}

/* Times scale / log(2). */
static F0T_INLINE void multiply_keys(float *products, const packed *p, const float *q,
                                     const float *panel, const size_t rows, const size_t vectors)
{
    const f0t_floats factor = f0t_floats_all(p->head->scale * 1.44269504F);
    f0t_floats sums[ROWS][PARTS];
    multiply(sums, q, p->head->q_row, panel, p->head->inner, PANEL, rows, vectors);
#pragma GCC unroll 7
    for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 3
        for (size_t v = 0; v < vectors; v++)
            f0t_floats_write(products + i * p->row + v * LANES, sums[i][v] * factor);
}

/* exp(z - top) in place, for z that are divided by log(2); their sum. As in softmax, the largest has exponent 0. */
static float exponentials(float *z, size_t n)
{
    const size_t whole = n / LANES * LANES;
    const f0t_floats none = f0t_floats_all(-INFINITY), zero = {0};
    const f0t_float_bits last = f0t_floats_first(n - whole);
    f0t_floats top = none, sum = zero;
    for (size_t j = 0; j < whole; j += LANES)
        top = f0t_floats_larger(f0t_floats_read(z + j), top);
    if (whole < n)
        top = f0t_floats_larger(f0t_floats_choose(last, f0t_floats_read(z + whole), none), top);
    top = f0t_floats_all(f0t_floats_largest(top));
    for (size_t j = 0; j < whole; j += LANES) {
        const f0t_floats y = f0t_floats_exp2(f0t_floats_read(z + j) - top);
        f0t_floats_write(z + j, y);
        sum += y;
    }
    if (whole < n) {
        const f0t_floats y = f0t_floats_exp2(f0t_floats_read(z + whole) - top);
        f0t_floats_write(z + whole, y);
        sum += f0t_floats_choose(last, y, zero);
    }
    return f0t_floats_sum(sum);
}

/* Some rows of weights times a panel of V, of which so many columns are wanted, by the reciprocal sum of each row. */
static F0T_INLINE void multiply_values(float *result, const packed *p, const float *shares,
                                       const float *panel, size_t columns, const size_t rows,
                                       const size_t vectors)
{
    f0t_floats sums[ROWS][PARTS];
    multiply(sums, p->products, p->row, panel, p->head->n, VALUES, rows, vectors);
#pragma GCC unroll 7
    for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (size_t v = 0; v < vectors; v++)
            f0t_floats_write_first(result + i * p->head->result_row + v * LANES,
                                   sums[i][v] * f0t_floats_all(shares[i]), columns - v * LANES);
}

/* Some rows through both products. */
static F0T_INLINE void run_tile(float *result, const packed *p, const float *q, const size_t rows)
{
    const f0t_attention *h = p->head;
    float shares[ROWS];
    for (size_t j = 0; j < h->n; j += PANEL) {
        const float *panel = p->k + j * h->inner;
        if (PARTS > 2 && h->n - j > 2 * LANES)
            multiply_keys(p->products + j, p, q, panel, rows, PARTS);
        else if (h->n - j > LANES)
            multiply_keys(p->products + j, p, q, panel, rows, 2);
        else
            multiply_keys(p->products + j, p, q, panel, rows, 1);
    }
    for (size_t i = 0; i < rows; i++)
        shares[i] = 1 / exponentials(p->products + i * p->row, h->n);
    for (size_t w = 0; w < h->width; w += VALUES) {
        const float *panel = p->v + w * h->n;
        if (h->width - w > LANES)
            multiply_values(result + w, p, shares, panel, h->width - w, rows, 2);
        else
            multiply_values(result + w, p, shares, panel, h->width - w, rows, 1);
    }
}

/* The last tile begins so early that it is whole, or there are single rows: a row is the same in any tile. */
static void run_tiles(float *result, const packed *p, const float *q)
{
    const f0t_attention *h = p->head;
    const bool early = h->m > ROWS && h->m % ROWS > 1;
    size_t i = 0;
    for (; i + ROWS <= h->m || (early && i < h->m); i += ROWS) {
        const size_t at = i + ROWS <= h->m ? i : h->m - ROWS;
        run_tile(result + at * h->result_row, p, q + at * h->q_row, ROWS);
    }
    for (; i < h->m; i++)
        run_tile(result + i * h->result_row, p, q + i * h->q_row, 1);
}

void F0T_KERNEL(attention_head)(float *result, const float *q, const float *k, const float *v,
                                const f0t_attention *h, float *room)
{
    packed p = {.head = h, .k = room, .row = (h->n + PANEL - 1) / PANEL * PANEL};
    p.v = p.k + p.row * h->inner;
    p.products = p.v + (h->width + VALUES - 1) / VALUES * VALUES * h->n;
    pack_keys(p.k, h, k);
    pack_values(p.v, h, v);
    run_tiles(result, &p, q);
}
