/* Matrix products by others: oneDNN and OpenBLAS called directly. */
#ifndef F0T_CLI_BENCH_PEERS_H
#define F0T_CLI_BENCH_PEERS_H

#include "math/matmul.h"

typedef struct bench_product {
    f0t_matmul op;
    bool packed; /* B in the blocked layout that oneDNN's matmul likes best */
    void *c;
    const void *a, *b; /* B is plain here also when packed is asked for */
} bench_product;

typedef enum bench_primitive { BENCH_MATMUL, BENCH_INNER_PRODUCT } bench_primitive;

/* oneDNN's primitive for this product at this layout; NULL where it has none (packed and doubly
 * transposed inner products). */
typedef struct bench_onednn bench_onednn;

bench_onednn *bench_onednn_create(const bench_product *product, bench_primitive primitive);
void bench_onednn_free(bench_onednn *peer);
f0t_status bench_onednn_run(void *peer);

/* cblas_sgemm of a bench_product. */
f0t_status bench_openblas_run(void *product);

#endif
