#include "math/attention.h"

#include "base/cpu.h"
#include "base/size.h"
#include "math/finish.h"
#include "math/lanes.h"

#include <math.h>

/* K lies in panels of so many columns: [panel][inner][column], the last one filled up with zeros. */
enum { LANES = 16, PANEL = 48, ROWS = 7, VECTORS = PANEL / LANES, WIDE = 2 };

bool f0t_attention_native(void)
{
#if defined(__x86_64__)
    return f0t_cpu_level() == F0T_CPU_WIDEST;
#else
    return false;
#endif
}

static size_t panels_of(const f0t_attention *h)
{
    return (h->n + PANEL - 1) / PANEL;
}

size_t f0t_attention_room(const f0t_attention *h)
{
    size_t room;
    if (h->n > PTRDIFF_MAX / 64 || h->inner > PTRDIFF_MAX / 64 ||
        !f0t_size_mul(&room, panels_of(h) * PANEL, h->inner + ROWS) ||
        room > PTRDIFF_MAX / sizeof(float))
        return 0;
    return room;
}

#if defined(__x86_64__)

/* ---- Packing K ------------------------------------------------------------------------------------ */

/* Sixteen rows of up to sixteen numbers become as many columns: in 2 x 2, 4 x 4, and so on. */
F0T_AVX512 static F0T_INLINE void transpose(__m512 *x)
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

/* Sixteen columns from j on, into a panel whose rows are PANEL numbers. */
F0T_AVX512 static void pack_turned(float *panel, const f0t_attention *h, const float *k, size_t j)
{
    const size_t rows = j < h->n ? h->n - j : 0;
    for (size_t e = 0; e < h->inner; e += LANES) {
        __m512 x[LANES];
#pragma GCC unroll 16
        for (size_t i = 0; i < LANES; i++)
            x[i] = i < rows ? _mm512_maskz_loadu_ps(f0t_lanes_first(h->inner - e),
                                                    k + (j + i) * h->k_row + e)
                            : _mm512_setzero_ps();
        transpose(x);
#pragma GCC unroll 16
        for (size_t i = 0; i < LANES; i++)
            if (e + i < h->inner)
                _mm512_storeu_ps(panel + (e + i) * PANEL, x[i]);
    }
}

F0T_AVX512 static void pack_plain(float *panel, const f0t_attention *h, const float *k, size_t j)
{
    const __mmask16 mask = j < h->n ? f0t_lanes_first(h->n - j) : 0;
    for (size_t e = 0; e < h->inner; e++)
        _mm512_storeu_ps(panel + e * PANEL,
                         _mm512_maskz_loadu_ps(mask, mask ? k + e * h->k_row + j : k));
}

static void pack(float *panels, const f0t_attention *h, const float *k)
{
    for (size_t j = 0; j < panels_of(h) * PANEL; j += LANES) {
        float *panel = panels + j / PANEL * PANEL * h->inner + j % PANEL;
        if (h->k_transposed)
            pack_turned(panel, h, k, j);
        else
            pack_plain(panel, h, k, j);
    }
}

/* ---- Rows ------------------------------------------------------------------------------------------ */

/* Some rows, x, times as many columns of w as `vectors` have, of whose last one these lanes are there. Sizes are constants
 * where this is called. */
typedef struct factors {
    const float *x, *w;
    size_t x_row, w_row, inner;
    __mmask16 last;
} factors;

F0T_AVX512 static F0T_INLINE void multiply(__m512 (*sums)[VECTORS], const factors *f,
                                           const size_t rows, const size_t vectors)
{
#pragma GCC unroll 7
    for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 3
        for (size_t v = 0; v < vectors; v++)
            sums[i][v] = _mm512_setzero_ps();
    for (size_t e = 0; e < f->inner; e++) {
        const float *from = f->w + e * f->w_row;
        __m512 w[VECTORS];
#pragma GCC unroll 3
        for (size_t v = 0; v < vectors; v++)
            w[v] = v + 1 < vectors ? _mm512_loadu_ps(from + v * LANES)
                                   : _mm512_maskz_loadu_ps(f->last, from + v * LANES);
#pragma GCC unroll 7
        for (size_t i = 0; i < rows; i++) {
            const __m512 x = _mm512_set1_ps(f->x[i * f->x_row + e]);
#pragma GCC unroll 3
            for (size_t v = 0; v < vectors; v++)
                sums[i][v] = _mm512_fmadd_ps(x, w[v], sums[i][v]);
        }
    }
}

/* Some rows of Q times a panel, of which `vectors` are wanted. */
F0T_AVX512 static F0T_INLINE void multiply_panel(float *products, size_t row,
                                                 const f0t_attention *h, const float *q,
                                                 const float *panel, const size_t rows,
                                                 const size_t vectors)
{
    const factors f = {q, panel, h->q_row, PANEL, h->inner, 0xFFFF};
    __m512 sums[ROWS][VECTORS];
    multiply(sums, &f, rows, vectors);
#pragma GCC unroll 7
    for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 3
        for (size_t v = 0; v < vectors; v++)
            _mm512_storeu_ps(products + i * row + v * LANES, sums[i][v]);
}

/* exp(scale·x - scale·top) in place; their sum. As in softmax, the largest has exponent 0. */
F0T_AVX512 static float exponentials(float *x, size_t n, float scale)
{
    const __m512 factor = _mm512_set1_ps(scale * 1.44269504F);
    __m512 top = _mm512_set1_ps(-INFINITY), sum = _mm512_setzero_ps();
    for (size_t j = 0; j < n; j += LANES) {
        const __mmask16 mask = f0t_lanes_first(n - j);
        const __m512 z = _mm512_mul_ps(_mm512_loadu_ps(x + j), factor);
        _mm512_storeu_ps(x + j, z);
        top = _mm512_mask_max_ps(top, mask, z, top);
    }
    const __m512 most = _mm512_set1_ps(_mm512_reduce_max_ps(top));
    for (size_t j = 0; j < n; j += LANES) {
        const __m512 y = f0t_finish_exp2(_mm512_sub_ps(_mm512_loadu_ps(x + j), most));
        _mm512_storeu_ps(x + j, y);
        sum = _mm512_mask_add_ps(sum, f0t_lanes_first(n - j), sum, y);
    }
    return _mm512_reduce_add_ps(sum);
}

/* Some rows of weights times `vectors` of V's columns, by the reciprocal sum of each row. */
F0T_AVX512 static F0T_INLINE void multiply_values(float *result, const f0t_attention *h,
                                                  const float *weights, size_t row,
                                                  const float *shares, const float *v,
                                                  __mmask16 last, const size_t rows,
                                                  const size_t vectors)
{
    const factors f = {weights, v, row, h->v_row, h->n, last};
    __m512 sums[ROWS][VECTORS];
    multiply(sums, &f, rows, vectors);
#pragma GCC unroll 7
    for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (size_t w = 0; w < vectors; w++)
            _mm512_mask_storeu_ps(result + i * h->result_row + w * LANES,
                                  w + 1 < vectors ? (__mmask16)0xFFFF : last,
                                  _mm512_mul_ps(sums[i][w], _mm512_set1_ps(shares[i])));
}

F0T_AVX512 static F0T_INLINE void run_rows(float *result, const f0t_attention *h, const float *q,
                                           const float *panels, const float *v, float *products,
                                           const size_t rows)
{
    const size_t row = panels_of(h) * PANEL;
    float shares[ROWS];
    for (size_t j = 0; j < h->n; j += PANEL) {
        const float *panel = panels + j * h->inner;
        if (h->n - j > 2 * LANES)
            multiply_panel(products + j, row, h, q, panel, rows, 3);
        else if (h->n - j > LANES)
            multiply_panel(products + j, row, h, q, panel, rows, 2);
        else
            multiply_panel(products + j, row, h, q, panel, rows, 1);
    }
    for (size_t i = 0; i < rows; i++)
        shares[i] = 1 / exponentials(products + i * row, h->n, h->scale);
    for (size_t w = 0; w < h->width; w += WIDE * LANES) {
        const size_t left = h->width - w;
        if (left > LANES)
            multiply_values(result + w, h, products, row, shares, v + w,
                            f0t_lanes_first(left - LANES), rows, 2);
        else
            multiply_values(result + w, h, products, row, shares, v + w, f0t_lanes_first(left),
                            rows, 1);
    }
}

F0T_AVX512 void f0t_attention_run(float *result, const float *q, const float *k, const float *v,
                                  const f0t_attention *h, float *room)
{
    float *products = room + panels_of(h) * PANEL * h->inner;
    size_t i = 0;
    pack(room, h, k);
    for (; i + ROWS <= h->m; i += ROWS)
        run_rows(result + i * h->result_row, h, q + i * h->q_row, room, v, products, ROWS);
    for (; i < h->m; i++)
        run_rows(result + i * h->result_row, h, q + i * h->q_row, room, v, products, 1);
}

#else

void f0t_attention_run(float *result, const float *q, const float *k, const float *v,
                       const f0t_attention *h, float *room)
{
    (void)result, (void)q, (void)k, (void)v, (void)h, (void)room;
}

#endif
