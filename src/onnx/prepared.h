/*
 * Weights in the kernels' layouts, kept in a file from one start to the next: a folder of the user's own that may be
 * removed at any time. The file is mapped, and nothing of it is read before it is used. What is not exactly what this
 * process would make (another network, another CPU, another version) or may come from somebody else is passed over.
 */
#ifndef F0T_ONNX_PREPARED_H
#define F0T_ONNX_PREPARED_H

#include "base/status.h"

typedef struct f0t_onnx_prepared f0t_onnx_prepared;

/* One array of weights: of which node, what for, and in which layout. */
typedef struct f0t_onnx_piece {
    uint32_t node, kind;
    uint64_t layout; /* a fingerprint */
    uint64_t bytes;
    const void *data;
} f0t_onnx_piece;

/* The file at this path, where it is the caller's own and was written for `key`; else *out is NULL. Fails for want of
 * memory alone. */
f0t_status f0t_onnx_prepared_open(f0t_onnx_prepared **out, const char *path, const char *key);
void f0t_onnx_prepared_close(f0t_onnx_prepared *prepared);

/* The data of the piece, which stay until it is closed; NULL where it is not there. `prepared` may be NULL. */
const void *f0t_onnx_prepared_find(const f0t_onnx_prepared *prepared, const f0t_onnx_piece *piece);

/* Those that it has: `prepared` may be NULL, which has none. */
size_t f0t_onnx_prepared_count(const f0t_onnx_prepared *prepared);
f0t_onnx_piece f0t_onnx_prepared_piece(const f0t_onnx_prepared *prepared, size_t k);

/* Fails where the file was made shorter since it was opened; that of NULL never was. */
f0t_status f0t_onnx_prepared_check(const f0t_onnx_prepared *prepared);

/* What is written along with the pieces: checksums of the network's file and of those beside it. */
typedef struct f0t_onnx_sums {
    uint32_t file, beside;
} f0t_onnx_sums;

f0t_onnx_sums f0t_onnx_prepared_sums(const f0t_onnx_prepared *prepared);

/* Writes the file, whole or not at all: until it is complete, what is there stays. Only the user may read it. Pieces
 * may lie in `lender`, or it is NULL: nothing is written where that was made shorter. */
f0t_status f0t_onnx_prepared_write(const char *path, const char *key, f0t_onnx_sums sums,
                                   const f0t_onnx_piece *pieces, size_t count,
                                   const f0t_onnx_prepared *lender);

#endif
