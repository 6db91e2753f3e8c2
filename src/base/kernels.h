/*
 * The inner loops that are compiled once per CPU level (base/cpu.h), in one table. A file named
 * *_kernels.c defines some of them, F0T_KERNEL(name) being the name of the level's copy; everybody
 * else calls f0t_kernels()->name(…). A new kernel is a line here and a function there.
 *
 * Arrays may be unaligned; they overlap only where it is said.
 */
#ifndef F0T_BASE_KERNELS_H
#define F0T_BASE_KERNELS_H

#include "base/cpu.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct f0t_attention;      /* math/attention.h */
struct f0t_depthwise_form; /* math/depthwise.h */
struct f0t_dropout;        /* compute/dropout.h */
struct f0t_update_factors; /* compute/optimizer.h */
struct f0t_nodes;          /* compute/loss_pairs.h */
struct f0t_screen_bounds;  /* compute/screen.h, and the next two */
struct f0t_screen_query;
struct f0t_screen_tile;
struct f0t_panel_strip;   /* math/panels.h */
struct f0t_winograd_form; /* math/winograd.h */
struct f0t_svm_loss;      /* rank/ranksvm_pairs.h, and the next two */
struct f0t_svm_sums;
struct f0t_svm_zone;

/* clang-format off */

/* Element types. */
#define F0T_KERNELS_DTYPE(K) \
    K(void, f16_to_f32, (float *to, const void *from, size_t n)) \
    K(void, bf16_to_f32, (float *to, const void *from, size_t n)) \
    K(void, f32_to_f16_block, (uint16_t *to, const float *from, size_t n)) \
    K(void, f32_to_bf16_block, (uint16_t *to, const float *from, size_t n))

/* Functions of each number, and sums. y may be x. */
#define F0T_KERNELS_ELEMENTWISE(K) \
    K(void, exp_block, (float *y, const float *x, size_t n)) \
    K(void, sigmoid_block, (float *y, const float *x, size_t n)) \
    K(void, softplus_block, (float *y, const float *x, size_t n)) \
    K(void, log_block, (float *y, const float *x, size_t n)) \
    /* x / (1 + 2^(slope·x)), and x·(1 + erf(x / sqrt 2)) / 2. */ \
    K(void, swish_block, (float *y, const float *x, size_t n, float slope)) \
    K(void, gelu_block, (float *y, const float *x, size_t n)) \
    /* The largest: NaN is passed over, -infinity for n = 0; and Σ exp(x_i - shift). */ \
    K(float, largest, (const float *x, size_t n)) \
    K(double, sum_exp, (const float *x, size_t n, float shift)) \
    K(double, sum_squares, (const float *x, size_t n)) \
    K(double, sum_block, (const float *x, size_t n)) \
    K(void, scale_block, (float *x, size_t n, double factor)) \
    K(void, add_block, (float *y, const float *x, size_t n)) /* y += x */ \
    K(bool, finite_f32, (const float *x, size_t n)) \
    K(bool, finite_f64, (const double *x, size_t n)) \
    /* The products of a[n] with b[n] and with itself, summed in double: nothing overflows. */ \
    K(void, products, (double *ab, double *aa, const float *a, const float *b, size_t n)) \
    /* c[n] = Σ value[k] · row column[k] of b[… x n], k below count. */ \
    K(void, sparse_row, (float *c, const uint32_t *column, const float *value, size_t count, \
                         const float *b, size_t n))

/* Ranking: the first i of [from, n) with x[i] > limit, or n; how many of x are above a
 * value, and equal to it. */
#define F0T_KERNELS_RANKING(K) \
    K(size_t, find_above, (const float *x, size_t from, size_t n, float limit)) \
    K(void, count_above, (uint32_t *above, uint32_t *equal, const float *x, size_t n, float value)) \
    K(bool, has_nan, (const float *x, size_t n))

/* Screening (compute/screen.h). */
#define F0T_KERNELS_SCREEN(K) \
    /* Σ a_i b_i, summed in double: the same bits on every level. */ \
    K(double, exact_product, (const float *a, const float *b, size_t n)) \
    K(float, largest_size, (const float *x, size_t n)) \
    /* code = x / scale to the nearest whole number, within ±127, and rest = x − scale · code. Returns \
     * Σ code², which has room for n up to 2^16. */ \
    K(int64_t, screen_encode, (int8_t *code, float *rest, const float *x, size_t n, double scale)) \
    /* The bounds of the rows of some blocks along the tile's directions: row r along direction i at \
     * upper[i * stride + r]. */ \
    K(void, screen_bounds, (float *upper, size_t stride, const uint8_t *codes, \
                            const struct f0t_screen_bounds *bounds, size_t blocks, size_t groups, \
                            const struct f0t_screen_tile *tile)) \
    /* The same where f0t_cpu_vnni() says that the CPU has the instructions. */ \
    K(void, screen_bounds_vnni, (float *upper, size_t stride, const uint8_t *codes, \
                                 const struct f0t_screen_bounds *bounds, size_t blocks, \
                                 size_t groups, const struct f0t_screen_tile *tile)) \
    /* The same of one direction, from the products of its code with those of the rows as they are stored. */ \
    K(void, screen_finish, (float *upper, const int32_t *products, \
                            const struct f0t_screen_bounds *bounds, size_t blocks, \
                            const struct f0t_screen_query *query))

/* The training step (compute/dropout.h, compute/optimizer.h). Dropout is of the elements [first, first + n) of a
 * layer, with pointers to element `first`; y may be x. Gate and
 * column sums take a strip of at most F0T_STRIP columns, all rows, `stride` elements apart. `half` (may be
 * NULL) receives w rounded to bfloat16. */
#define F0T_KERNELS_STEP(K) \
    K(void, drop_f32, (float *y, const float *x, uint64_t first, size_t n, \
                       const struct f0t_dropout *d)) \
    K(void, drop_bf16, (uint16_t *y, const uint16_t *x, uint64_t first, size_t n, \
                        const struct f0t_dropout *d)) \
    K(void, drop_to_bf16, (uint16_t *y, const float *x, uint64_t first, size_t n, \
                           const struct f0t_dropout *d)) \
    K(void, gate_f32, (float *d, const float *y, size_t stride, size_t rows, size_t cols, \
                       float scale, float *sums)) \
    K(void, gate_bf16, (uint16_t *d, const uint16_t *y, size_t stride, size_t rows, size_t cols, \
                        float scale, float *sums)) \
    K(void, column_sums, (float *sums, const float *d, size_t stride, size_t rows, size_t cols)) \
    K(void, update_adam, (float *w, float *m, float *v, uint16_t *half, const float *g, size_t n, \
                          const struct f0t_update_factors *f)) \
    K(void, update_sgd, (float *w, float *m, uint16_t *half, const float *g, size_t n, \
                         const struct f0t_update_factors *f))

/* The losses of an image. A row is its scores with those of its relevant tags set to -infinity, so that they
 * add nothing to a sum over the irrelevant. Sums are in double, or in float over short stretches. */
#define F0T_KERNELS_LOSS(K) \
    /* y = exp(row − shift); returns Σ y. */ \
    K(double, row_exp, (float *y, const float *row, size_t n, float shift)) \
    /* RankNet's pairs of one relevant tag with all irrelevant ones, from exponentials taken once \
     * per score: z_n = t_n u is exp(s_n − s_p). Adds sigmoid(s_n − s_p) = z / (1 + z) to gradient[n] \
     * and returns their sum. log Π (1 + z) is the sum of the losses over the relevant tags: \
     * excess[n], from 0, becomes that product − 1, which is accurate for small z too. */ \
    K(double, pairs_from_exp, (float *excess, float *gradient, const float *t, float u, size_t n)) \
    /* Σ log(1 + excess), and excess = 0. */ \
    K(double, excess_take, (float *excess, size_t n)) \
    /* The same pairs from the scores, whatever their range: adds Σ softplus(row − score) to *loss. */ \
    K(double, pairs_from_scores, (double *loss, float *gradient, const float *row, float score, \
                                  size_t n)) \
    /* Σ [1 + row]₊ or its squares; gradient[n] = slope where the bracket is above 0, or twice the \
     * bracket times slope. */ \
    K(double, row_hinge, (float *gradient, const float *row, size_t n, float slope)) \
    K(double, row_squared_hinge, (float *gradient, const float *row, size_t n, float slope)) \
    /* Σ log(1 + exp(row)); gradient[n] = sigmoid(row) times slope. */ \
    K(double, row_logistic, (float *gradient, const float *row, size_t n, float slope)) \
    K(void, row_scale, (float *y, const float *x, size_t n, float factor)) \
    /* Σ (x − target)², gradient = factor (x − target). gradient may be x. */ \
    K(double, row_distance, (float *gradient, const float *x, const float *target, size_t n, \
                             float factor))

/* RankNet over all pairs of a batch, in pieces with Chebyshev nodes. */
#define F0T_KERNELS_LOSS_BATCH(K) \
    K(void, row_range, (float *low, float *high, const float *x, size_t n)) \
    /* moments[m] = Σ T_m over the scores x of a piece. */ \
    K(void, piece_moments, (double *moments, const float *x, size_t n, double centre)) \
    /* y = factor · Σ_m coefficients[m] T_m at the scores x of a piece. */ \
    K(void, piece_evaluate, (float *y, const float *x, size_t n, double centre, \
                             const double *coefficients, double factor)) \
    /* At each node b of a piece, over the relevant scores a[n]: Σ softplus(b − a), Σ sigmoid(b − a). */ \
    K(void, node_sums, (double *softplus, double *sigmoid, const struct f0t_nodes *nodes, \
                        double centre, const float *a, size_t n)) \
    /* Σ weights sigmoid(b − a) over the nodes b of a piece; exp_centre is exp(centre − a). */ \
    K(double, node_weighted, (const struct f0t_nodes *nodes, const double *weights, \
                              double exp_centre))

/* Ranking SVMs (rank/ranksvm_pairs.h has the types). */
#define F0T_KERNELS_SVM(K) \
    /* z = 1 − p[i] + n[j] over np relevant and nn irrelevant scores. gp[i] and gn[j] become the \
     * sums of h'(z) over the pairs of i and of j. */ \
    K(void, svm_pairs_f32, (struct f0t_svm_sums *sums, float *gp, float *gn, const float *p, \
                            size_t np, const float *n, size_t nn, struct f0t_svm_loss loss)) \
    K(void, svm_pairs_f64, (struct f0t_svm_sums *sums, double *gp, double *gn, const double *p, \
                            size_t np, const double *n, size_t nn, struct f0t_svm_loss loss)) \
    /* The Laplacian of the graph of the zone's pairs times a vector: yp[i] = Σ xp[i] − xn[j] over \
     * the pairs of i in the zone, yn[j] = Σ xn[j] − xp[i]. */ \
    K(void, svm_zone_product, (float *yp, float *yn, const float *xp, const float *xn, \
                               const struct f0t_svm_zone *zone)) \
    /* row[j] = 1 where the pair of a relevant score and n[j] is in the zone, else 0, added to \
     * degrees[j]. Returns the sum. */ \
    K(double, svm_zone_row, (double *row, double *degrees, double p, const double *n, size_t nn, \
                             struct f0t_svm_loss loss)) \
    /* y[n] = Σ x[i] row i over the rows i = index[0 … count - 1] of a[… x n]. */ \
    K(void, svm_sum_rows, (double *y, const double *a, const double *x, const size_t *index, \
                           size_t count, size_t n)) \
    /* c = aᵀ b in the lower triangle, for a and b [k x n]; the rows of c are `stride` apart. */ \
    K(void, svm_product_lower, (double *c, size_t stride, const double *a, const double *b, \
                                size_t k, size_t n)) \
    /* row[j] += own[places[j]] − ground[places[j]] − own[grounds[j]] + ground[grounds[j]]. */ \
    K(void, svm_add_grounded, (double *row, const double *own, const double *ground, \
                               const size_t *places, const size_t *grounds, size_t count)) \
    /* Solves a x = b for the symmetric positive definite a[n x n], of which the lower triangle is \
     * read and overwritten, b being in x. room[8 x n]. False when a is not positive definite. \
     * LAPACK does the same, but takes more than twice as long for the 20 to 200 rows of a working \
     * set. */ \
    K(bool, svm_cholesky, (double *a, double *x, double *room, size_t n)) \
    /* c[m x n] = a[m x k] b[k x n]. */ \
    K(void, svm_product_rows, (double *c, const double *a, const double *b, size_t m, size_t k, \
                               size_t n)) \
    /* to[count] = from[index[…]]. */ \
    K(void, svm_gather, (double *to, const float *from, const uint32_t *index, size_t count)) \
    K(double, svm_dot, (const float *a, const float *b, size_t n)) \
    K(double, svm_dot_mixed, (const float *a, const double *b, size_t n)) \
    K(double, svm_dot_f64, (const double *a, const double *b, size_t n)) \
    /* to += scale · from. */ \
    K(void, svm_add, (double *to, double scale, const float *from, size_t n)) \
    K(void, svm_add_f32, (float *to, float scale, const float *from, size_t n))

/* Products with packed panels (math/panels.h). */
#define F0T_KERNELS_PANEL(K) \
    K(void, panel_product, (const struct f0t_panel_strip *strip)) \
    /* A row of A[k], whose blocks of F0T_PANEL_BLOCK have F0T_PANEL_ROWS of them between each other. */ \
    K(void, panel_pack, (float *to, const float *from, size_t k))

/* Winograd's convolutions (math/winograd.h): the tiles [first, first + count) of a block of channels into the rows of
 * panel products, and of a block of filters out of them. */
#define F0T_KERNELS_WINOGRAD(K) \
    K(void, winograd_in, (float *to, const struct f0t_winograd_form *form, const float *source, \
                          size_t block, size_t first, size_t count)) \
    K(void, winograd_out, (float *result, const struct f0t_winograd_form *form, \
                           const float *products, const float *bias, size_t block, size_t first, \
                           size_t count))

/* Networks: a row of float32. `scale` and `bias` [n] may be NULL; y may be x. */
#define F0T_KERNELS_NETWORK(K) \
    K(void, row_softmax, (float *y, const float *x, size_t n)) \
    K(void, row_layer_norm, (float *y, const float *x, size_t n, const float *scale, \
                             const float *bias, float epsilon)) \
    /* One head of attention (math/attention.h). */ \
    K(void, attention_head, (float *result, const float *q, const float *k, const float *v, \
                             const struct f0t_attention *head, float *room)) \
    /* A row of a depthwise convolution's result (math/depthwise.h). */ \
    K(void, depthwise_row, (float *result, const struct f0t_depthwise_form *form, \
                            const float *image, const float *filters, const float *bias, size_t row))

/* The built-in descriptor of pictures. */
#define F0T_KERNELS_DESCRIPTOR(K) \
    /* c[n x m] += a · b[inner x m]; element (i, e) of a is at a[i * row + e * step]. m is a \
     * multiple of 32. For matrices that stay in the cache: the products of a picture. */ \
    K(void, descriptor_product, (float *c, const float *a, size_t row, size_t step, \
                                 const float *b, size_t n, size_t inner, size_t m)) \
    /* sum[n] += weight x[n], of floats and of bytes. */ \
    K(void, descriptor_add, (float *sum, const float *x, float weight, size_t n)) \
    K(void, descriptor_add_bytes, (float *sum, const uint8_t *x, float weight, size_t n)) \
    /* Row y of the working picture as planes[F0T_CELL_PLANES][F0T_WORK_SIDE]: the gradient's share \
     * in 8 directions, 3 opponent colours, their squares. */ \
    K(void, descriptor_pixels, (float *planes, const float *picture, size_t y)) \
    /* Normalises n patches of F0T_PATCH_SIZE gradients in place. */ \
    K(void, descriptor_normalise, (float *gradients, size_t n)) \
    /* n rows of F0T_MIXTURE logarithms become shares that add up to 1. */ \
    K(void, descriptor_posterior, (float *rows, size_t n)) \
    /* x becomes sign(x) sqrt|x|; then has this length (stays 0 where it was 0). */ \
    K(void, descriptor_root, (float *x, size_t n)) \
    K(void, descriptor_stretch, (float *x, size_t n, float length))

/* t-SNE: the pull (math/tsne_kernels.c) of points x[n], y[n] with likeness p[n] on the point (at_x, at_y), as
 * near x, near y, far x, far y, sum; a point at the same place, itself too, adds 1 to the sum. */
#define F0T_KERNELS_TSNE(K) \
    K(void, tsne_pull, (float sums[5], const float *x, const float *y, const float *p, size_t n, \
                        float at_x, float at_y))

/* Experts: y[i] = scales[i] · the product of row i of rows[count x dim] with the query[dim]. Exact but for the
 * rounding of the scale, for dim up to 1040. */
#define F0T_KERNELS_EXPERT(K) \
    K(void, byte_products, (float *y, const int8_t *rows, const float *scales, \
                            const int8_t *query, size_t count, size_t dim))

/* The first tags of a blend (model/blend_shortlist.h): p = rest + weight · votes, then added to p what no product up to
 * `upper` makes more of, x = upper + (offset + shift): weight · σ(x), at most twice as much, or weight · x kept in [0, 1]. What
 * is no number counts as infinite. */
#define F0T_KERNELS_SHORTLIST(K) \
    K(void, bound_rest, (float *p, const float *rest, const float *votes, float weight, size_t n)) \
    K(void, bound_logistic, (float *p, const float *upper, const float *offset, float shift, \
                             float weight, size_t n)) \
    K(void, bound_clipped, (float *p, const float *upper, const float *offset, float shift, \
                            float weight, size_t n))

#define F0T_KERNELS(K) \
    F0T_KERNELS_DTYPE(K) F0T_KERNELS_ELEMENTWISE(K) F0T_KERNELS_RANKING(K) F0T_KERNELS_SCREEN(K) \
    F0T_KERNELS_STEP(K) F0T_KERNELS_LOSS(K) F0T_KERNELS_LOSS_BATCH(K) F0T_KERNELS_SVM(K) F0T_KERNELS_PANEL(K) F0T_KERNELS_WINOGRAD(K) \
    F0T_KERNELS_NETWORK(K) \
    F0T_KERNELS_DESCRIPTOR(K) F0T_KERNELS_TSNE(K) F0T_KERNELS_EXPERT(K) F0T_KERNELS_SHORTLIST(K)

/* clang-format on */

#define F0T_KERNEL_MEMBER(type, name, args) type(*name) args;
typedef struct f0t_kernel_table {
    F0T_KERNELS(F0T_KERNEL_MEMBER)
} f0t_kernel_table;

/* Those of this CPU's level, chosen at the first call: a load and a branch, for it stands in inner loops. */
extern _Atomic(const f0t_kernel_table *) f0t_kernels_chosen;
const f0t_kernel_table *f0t_kernels_choose(void);
static inline const f0t_kernel_table *f0t_kernels(void)
{
    const f0t_kernel_table *table = atomic_load_explicit(&f0t_kernels_chosen, memory_order_relaxed);
    return table ? table : f0t_kernels_choose();
}
/* Those of another level, no higher than this CPU's: for tests. */
const f0t_kernel_table *f0t_kernels_of(f0t_cpu level);

/* In a kernel file: the names of this level's copies. */
#ifdef F0T_KERNEL_LEVEL
#define F0T_KERNEL(name) F0T_KERNEL_PASTE(name, F0T_KERNEL_LEVEL)
#define F0T_KERNEL_PASTE(name, level) F0T_KERNEL_JOIN(name, level)
#define F0T_KERNEL_JOIN(name, level) f0t_##name##_##level
#define F0T_KERNEL_PROTOTYPE(type, name, args) type F0T_KERNEL(name) args;
F0T_KERNELS(F0T_KERNEL_PROTOTYPE)
extern const f0t_kernel_table F0T_KERNEL(kernel_table);
#endif

#endif
