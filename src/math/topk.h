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

#endif
