/*
 * Matrix products: C = A·B, with what training and ranking put around it.
 *
 * All matrices are row-major without padding. Which kernel runs is decided inside, by the shape:
 * docs/performance.md has the measurements. Training and ranking call them by
 * way of compute/compute.h.
 */
#ifndef F0T_MATH_MATMUL_H
#define F0T_MATH_MATMUL_H

#include "base/dtype.h"
#include "base/status.h"

/* One product: C[m x n] = relu(A[m x k] · B[k x n] + bias[n] + C). The parts after A·B are
 * optional.
 */
typedef struct f0t_matmul {
    size_t m, n, k;
    f0t_dtype type;    /* of A and B: F0T_F32 or F0T_BF16; sums are in float32 either way */
    f0t_dtype result;  /* of C: F0T_F32, or F0T_BF16 where A and B are */
    bool a_transposed; /* A is stored as k x m */
    bool b_transposed; /* B is stored as n x k: x·Wᵀ with W as outputs x inputs */
    bool accumulate;   /* adds what C holds (result F0T_F32 only) */
    bool relu;         /* negative results become 0 */
    bool coarse;       /* float32 may be rounded to 10 bits of fraction (TF32); the CPU does not */
} f0t_matmul;

/* `bias` (n floats) may be NULL. C overlaps neither A nor B. With k = 0 the product is zero. Many
 * threads may call at once; each call uses the threads of its context (base/context.h), one inside a parallel region
 * or where the product is small.
 * The first call of a shape prepares it; later ones allocate nothing. */
f0t_status f0t_matmul_run(void *c, const void *a, const void *b, const float *bias,
                          const f0t_matmul *op);

/* Below this many rows other kernels run, which sum in another order; from here on a row's bytes are
 * the same for any number of rows with AVX-512. Without it, the last rows of some numbers of rows still
 * sum in another order: what is left is rounding. */
enum { F0T_STABLE_ROWS = 16 };

/* The row-stable product: as f0t_matmul_run, but a row of C does not depend on how many rows A has, for
 * scores must not depend on the caller's blocks. Fewer rows than F0T_STABLE_ROWS are filled up with
 * zeros. Float32 only, with neither a_transposed nor accumulate. */
f0t_status f0t_matmul_run_stable(float *c, const float *a, const float *b, const float *bias,
                                 const f0t_matmul *op);

/* ---- Small products inside of larger arrays --------------------------------------------------- */

/* C[m x n] = alpha · A[m x k] · B[k x n] in float32, with so many elements between the beginnings of rows, which are at
 * least as long as a row. By the calling thread alone; nothing is kept of it. */
typedef struct f0t_matmul_strided {
    size_t m, n, k;
    size_t a_row, b_row, c_row;
    bool b_transposed; /* B is stored as n x k */
    float alpha;
} f0t_matmul_strided;

f0t_status f0t_matmul_run_strided(float *c, const float *a, const float *b,
                                  const f0t_matmul_strided *op);

/* ---- Fixed right-hand sides ------------------------------------------------------------------ */

/* B in the blocked layout that the kernels prefer. Worth it if B is used often and rarely
 * changes: ranking a vocabulary, applying a trained model. (Training keeps its weights plain.) */
typedef struct f0t_packed f0t_packed;

/* Room for a k x n matrix of `type`, laid out for products with about `m` rows. */
f0t_status f0t_packed_create(f0t_packed **out, size_t k, size_t n, f0t_dtype type, size_t m);
/* The same without the room, which comes with the first elements, its own or lent ones. */
f0t_status f0t_packed_describe(f0t_packed **out, size_t k, size_t n, f0t_dtype type, size_t m);
void f0t_packed_free(f0t_packed *packed);

/* From plain float32: k x n, or n x k when `transposed`. Bfloat16 rounds to nearest. */
f0t_status f0t_packed_set(f0t_packed *packed, const float *b, bool transposed);
/* Sets columns first … first + count - 1 from b, which is stored as count x k: large matrices may be set in
 * parts. Fails with F0T_ERROR_UNSUPPORTED where the layout has no border there. */
f0t_status f0t_packed_set_columns(f0t_packed *packed, const float *b, size_t first, size_t count);

/* The elements as they are laid out: their bytes, a number that tells one layout from others, also in another process,
 * and others of the same layout instead, which are borrowed from now on. */
size_t f0t_packed_bytes(const f0t_packed *packed);
uint64_t f0t_packed_fingerprint(const f0t_packed *packed);
const void *f0t_packed_elements(const f0t_packed *packed);
void f0t_packed_lend(f0t_packed *packed, const void *elements);

/* As f0t_matmul_run; op->k, op->n and op->type must be those of `b`, op->b_transposed is ignored.
 */
f0t_status f0t_matmul_run_packed(void *c, const void *a, const f0t_packed *b, const float *bias,
                                 const f0t_matmul *op);

/* ---- Bfloat16 -------------------------------------------------------------------------------- */

/* False where this CPU has no bfloat16 products (they need AVX-512 with AVX512_BF16), or slower ones than of float32
 * (math/dots.h): results are right all the same, computed in float32 from the rounded inputs, but not faster. */
bool f0t_matmul_bf16_native(void);
/* Whether there are instructions for it, fast or slow ones. */
bool f0t_matmul_has_bf16(void);
/* Whether a packed matrix is better kept in bfloat16 for products with about so many rows: where they are native, or
 * where it is read for so few that its size counts. */
bool f0t_matmul_bf16_pays(size_t rows);

/* Logs that as a warning, once per process; nothing where bfloat16 is native. */
void f0t_matmul_bf16_notice(const f0t_monitor *monitor);

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Prepared products that are kept at most while nobody uses them, the last used; and how many are kept now. */
enum { F0T_MATMUL_KEPT = 64 };
size_t f0t_matmul_kept(void);

/* Frees what the products keep for later calls and is not in use: prepared shapes and scratch. */
void f0t_matmul_clear(void);

#endif
