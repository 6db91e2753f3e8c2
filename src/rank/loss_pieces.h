/* The scores of a batch, the irrelevant ones sorted into pieces of equal width. */
#ifndef F0T_RANK_LOSS_PIECES_H
#define F0T_RANK_LOSS_PIECES_H

#include "rank/loss.h"
#include "rank/loss_batch_kernels.h"

/* Irrelevant scores of one piece: what a thread takes at a time. */
typedef struct f0t_segment {
    size_t first, count; /* of f0t_pieces.values */
    size_t piece;        /* index into f0t_pieces.list */
} f0t_segment;

/* A piece in which an irrelevant score lies. */
typedef struct f0t_piece {
    double centre;
    double count;                   /* of its scores */
    double weights[F0T_NODES];      /* of its nodes, which stand for its scores; before: moments */
    double coefficients[F0T_NODES]; /* of Σ_i sigmoid(b − a_i) as a function of b */
    double loss;
} f0t_piece;

typedef struct f0t_pieces {
    float *values;         /* irrelevant scores by piece, then the relevant ones */
    uint32_t *origin;      /* where each stood in the batch */
    f0t_segment *segments; /* all irrelevant scores in their order */
    f0t_piece *list;       /* ascending */
    size_t segment_count, count, negatives, positives;
    size_t segment_capacity;
    size_t
        *places; /* counts, then the next free place in `values`, by part of the rows and piece */
    float low;   /* the smallest score */
    size_t grid; /* pieces from there to the largest, with scores or without */
} f0t_pieces;

/* Memory for batches of at most this many scores. On failure free what was taken. */
f0t_status f0t_pieces_alloc(f0t_pieces *pieces, size_t scores);
void f0t_pieces_release(f0t_pieces *pieces);

/* Sorts the scores of a batch, which has relevant and irrelevant ones. Fails with F0T_ERROR_NUMERIC
 * when they lie too far apart. */
f0t_status f0t_pieces_sort(f0t_pieces *pieces, const f0t_loss_batch *batch);

#endif
