/* The k largest numbers of rows whose numbers come piece by piece, in any order of pieces: larger
 * first, equal ones by lower index. NaN is never among them. */
#ifndef F0T_MATH_BEST_H
#define F0T_MATH_BEST_H

#include "base/status.h"

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
 * `skip` is passed over. Threads may work on different rows at once. */
void f0t_best_add(f0t_best *best, size_t row, const float *x, size_t n, uint32_t first,
                  uint32_t skip);

/* Puts the row in order, after its last piece. */
void f0t_best_sort(f0t_best *best, size_t row);

#endif
