/*
 * What methods with a net keep of their training, and how it scores. Images pass in blocks that
 * always have the same number of rows, the last one filled up with zeros: matrix products may sum in
 * another order for another number of rows, and a score must not depend on the caller's blocks.
 */
#ifndef F0T_BASELINE_SCORER_H
#define F0T_BASELINE_SCORER_H

#include "baseline/ranker.h"
#include "compute/scoring.h"
#include "model/net.h"

enum { F0T_SCORER_ROWS = 256 };

typedef struct f0t_scorer {
    f0t_condition condition;
    f0t_net *net;
} f0t_scorer;

void f0t_scorer_free(void *scorer);

/* Takes the outputs[F0T_SCORER_ROWS x width] of images first, …, first + rows - 1 of the queries. */
typedef f0t_status (*f0t_scorer_use)(void *context, float *outputs, size_t first, size_t rows);

/* Applies the net to all images, block by block. */
f0t_status f0t_scorer_each(const f0t_scorer *scorer, const f0t_queries *queries, f0t_scorer_use use,
                           void *context);

/* Scores (compute/scoring.h) of the first `rows` of a block: outputs[F0T_SCORER_ROWS x dim]. */
f0t_status f0t_scorer_product(float *scores, const float *outputs, size_t rows,
                              const float *vectors, size_t tags, size_t dim);

/* A ranker's score: the outputs are directions, tags are scored along them. */
f0t_status f0t_scorer_along(float *scores, const void *scorer, const f0t_task *task,
                            const f0t_candidates *tags, const f0t_queries *queries);

/* A ranker's score: the outputs are those of the training tags. */
f0t_status f0t_scorer_known(float *scores, const void *scorer, const f0t_task *task,
                            const f0t_candidates *tags, const f0t_queries *queries);

#endif
