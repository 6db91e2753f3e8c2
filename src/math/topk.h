/* The largest numbers of a row, exactly: larger first, equal ones by lower index, NaN after every
 * number (also by index). */
#ifndef F0T_MATH_TOPK_H
#define F0T_MATH_TOPK_H

#include "base/status.h"

/* Indices of the min(k, n) largest of x[n] into index, their values into value (may be NULL).
 * Returns min(k, n). Both outputs have room for that many; n is below 2^32. */
size_t f0t_topk_row(uint32_t *index, float *value, const float *x, size_t n, size_t k);

/* The same for each row of x[rows x n]: index and value (may be NULL) are rows x min(k, n). */
void f0t_topk_rows(uint32_t *index, float *value, const float *x, size_t rows, size_t n, size_t k);

/* The k largest numbers of rows whose numbers come piece by piece, in any order of pieces: larger
 * first, equal ones by lower index. NaN is never among them. */
typedef struct f0t_best {
    size_t rows;
    size_t k;
    uint32_t *count; /* [rows] how many each row has, at most k */
    uint32_t *index; /* [rows x k] */
    float *value;    /* [rows x k] */
} f0t_best;

f0t_status f0t_best_create(f0t_best **out, size_t rows, size_t k);
void f0t_best_free(f0t_best *best);

/* Offers row `row` the numbers x[n], which have the indices first, first + 1, …; the one with index
 * `skip` is skipped. Threads may work on different rows at once. */
void f0t_best_add(f0t_best *best, size_t row, const float *x, size_t n, uint32_t first,
                  uint32_t skip);

/* The k-th of the row so far; -infinity while it has fewer. */
float f0t_best_least(const f0t_best *best, size_t row);

/* Puts the row in order, after its last piece. */
void f0t_best_sort(f0t_best *best, size_t row);

#endif
