#include "math/panels.h"

#include "base/kernels.h"
#include "base/size.h"
#include "base/team.h"
#include "math/workspace.h"

#include <string.h>

/* Rows whose part of A stays in the second cache; panels that share it; rows that are packed at a time. */
enum { ROWS = 102, SHARE = 8, CHUNK = 16 * ROWS };

/* With AVX-512 panels are faster than oneDNN's layout for some rows and a right-hand side that comes from memory each time, being
 * larger than the second cache: it is asked for while the panels before it are multiplied. */
enum { FEW_LEAST = 6, FEW_MOST = 240, LARGE = 1 << 19 };

bool f0t_panels_native(void)
{
#if defined(__x86_64__)
    return f0t_cpu_level() == F0T_CPU_WIDE;
#else
    return false;
#endif
}

bool f0t_panels_suit(size_t m, size_t k, size_t n)
{
    if (n < F0T_PANEL || k < F0T_PANEL_BLOCK) /* padding at most doubles it */
        return false;
    return f0t_panels_native() ||
           (f0t_cpu_level() == F0T_CPU_WIDEST && m >= FEW_LEAST && m <= FEW_MOST && k >= LARGE / n);
}

static size_t at_most(size_t left, size_t most)
{
    return left < most ? left : most;
}

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

size_t f0t_panels_room(size_t k, size_t n)
{
    size_t room;
    if (k > PTRDIFF_MAX / 64 || n > PTRDIFF_MAX / 64 ||
        !f0t_size_mul(&room, round_up(k, F0T_PANEL_BLOCK), round_up(n, F0T_PANEL)) ||
        room > PTRDIFF_MAX / sizeof(float))
        return 0;
    return room;
}

static size_t depth_at(size_t k, size_t p)
{
    return at_most(round_up(k, F0T_PANEL_BLOCK) - p, F0T_PANEL_DEPTH);
}

size_t f0t_panel_at(size_t k, size_t n, size_t p, size_t j)
{
    return p * round_up(n, F0T_PANEL) + j * depth_at(k, p);
}

/* Weights lie in a file at any address. */
static void pack_row(float *to, const unsigned char *b, size_t step, size_t count)
{
    memset(to, 0, F0T_PANEL * sizeof *to);
    for (size_t l = 0; l < F0T_PANEL && l < count; l++)
        memcpy(to + l, b + l * step * sizeof *to, sizeof *to);
}

void f0t_panels_pack(float *panels, size_t k, size_t n, const float *b, size_t first, size_t count,
                     bool transposed)
{
    const size_t row = transposed ? 1 : count, column = transposed ? k : 1;
    for (size_t p = 0; p < k; p += F0T_PANEL_DEPTH)
        for (size_t j = 0; j < count; j += F0T_PANEL) {
            float *to = panels + f0t_panel_at(k, n, p, first + j);
            for (size_t e = 0; e < depth_at(k, p); e++)
                pack_row(to + e * F0T_PANEL,
                         (const unsigned char *)b +
                             (j * column + (p + e < k ? (p + e) * row : 0)) * sizeof *b,
                         column, p + e < k ? count - j : 0);
        }
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Some rows of a product, of which A is packed. */
typedef struct chunk {
    const f0t_matmul *op;
    const float *a, *panels, *bias;
    float *c, *packed;
    size_t rows, block;  /* of the chunk, and at a time */
    size_t inner, share; /* inner: blocks of a row of A */
} chunk;

static void pack_a_row(const chunk *h, size_t i)
{
    const size_t k = h->op->k, step = h->op->m;
    if (!h->op->a_transposed) {
        f0t_kernels()->panel_pack(h->packed + f0t_panel_row(i, 0, h->inner), h->a + i * k, k);
        return;
    }
    for (size_t block = 0; block < h->inner; block++) {
        const size_t first = block * F0T_PANEL_BLOCK, count = at_most(k - first, F0T_PANEL_BLOCK);
        float *to = h->packed + f0t_panel_row(i, block, h->inner);
        for (size_t e = 0; e < F0T_PANEL_BLOCK; e++)
            to[e] = e < count ? h->a[i + (first + e) * step] : 0;
    }
}

static void run_block(const chunk *h, size_t i, size_t from)
{
    const size_t n = h->op->n, k = h->op->k, rows = at_most(h->rows - i, h->block);
    for (size_t p = 0; p < k; p += F0T_PANEL_DEPTH) {
        const f0t_panel_strip s = {.c = h->c + i * n + from,
                                   .a = h->packed + f0t_panel_row(i, p / F0T_PANEL_BLOCK, h->inner),
                                   .b = h->panels + f0t_panel_at(k, n, p, from),
                                   .bias = h->bias && p == 0 ? h->bias + from : NULL,
                                   .c_row = n,
                                   .c_block = F0T_PANEL_BLOCK,
                                   .a_group = f0t_panel_row(F0T_PANEL_ROWS, 0, h->inner),
                                   .a_block = F0T_PANEL_STEP,
                                   .rows = rows,
                                   .blocks = depth_at(k, p) / F0T_PANEL_BLOCK,
                                   .columns = at_most(n - from, h->share * F0T_PANEL),
                                   .add = p > 0 || h->op->accumulate,
                                   .relu = h->op->relu && p + F0T_PANEL_DEPTH >= k};
        f0t_kernels()->panel_product(&s);
    }
}

/* Blocks of rows are alike: a last one of few rows would read all of B for them. Those of the same columns are done one after
 * another, so that what they read of B comes from memory once. */
static void run_chunk(chunk *h, int threads)
{
    const size_t wide = h->share * F0T_PANEL, columns = (h->op->n + wide - 1) / wide;
    const size_t blocks = (h->rows + ROWS - 1) / ROWS, all = blocks * columns;
    h->block = round_up((h->rows + blocks - 1) / blocks, F0T_PANEL_ROWS);
    (void)threads;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (size_t i = 0; i < h->rows; i++)
            pack_a_row(h, i);
#pragma omp for schedule(dynamic)
        for (size_t t = 0; t < all; t++)
            run_block(h, t % blocks * h->block, t / blocks * wide);
    }
}

f0t_status f0t_panels_run(float *c, const float *a, const float *panels, const float *bias,
                          const f0t_matmul *op)
{
    const int threads = f0t_team_size();
    const size_t across = (op->n + F0T_PANEL - 1) / F0T_PANEL;
    chunk h = {.op = op, .panels = panels, .bias = bias};
    size_t room;
    f0t_workspace *work;
    h.inner = (op->k + F0T_PANEL_BLOCK - 1) / F0T_PANEL_BLOCK;
    h.share = at_most((across + (size_t)threads - 1) / (size_t)threads, SHARE);
    if (!f0t_size_mul(&room, h.inner * F0T_PANEL_BLOCK,
                      round_up(at_most(op->m, CHUNK), F0T_PANEL_ROWS)) ||
        !f0t_size_mul(&room, room, sizeof(float)))
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for a product of %zu x %zu x %zu", op->m,
                        op->n, op->k);
    F0T_TRY(f0t_workspace_take(&work, room));
    h.packed = work->data;
    for (size_t i = 0; i < op->m; i += CHUNK) {
        h.rows = at_most(op->m - i, CHUNK);
        h.a = a + (op->a_transposed ? i : i * op->k);
        h.c = c + i * op->n;
        run_chunk(&h, threads);
    }
    f0t_workspace_give(work);
    return F0T_OK;
}
