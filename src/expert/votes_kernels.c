/* Compiled once per CPU level. */
#include "base/kernels.h"

/* Products of 16 bits are what compilers add up in pairs by one instruction. */
void F0T_KERNEL(byte_products)(float *y, const int8_t *rows, const float *scales,
                               const int8_t *query, size_t count, size_t dim)
{
    enum { STRIP = 256 };
    for (size_t i = 0; i < count; i++)
        y[i] = 0;
    for (size_t from = 0; from < dim; from += STRIP) {
        const size_t n = dim - from < STRIP ? dim - from : STRIP;
        int16_t wide[STRIP];
        for (size_t d = 0; d < n; d++)
            wide[d] = query[from + d];
        for (size_t i = 0; i < count; i++) {
            const int8_t *row = rows + i * dim + from;
            int32_t sum = 0;
            for (size_t d = 0; d < n; d++)
                sum += (int16_t)row[d] * wide[d];
            y[i] += (float)sum;
        }
    }
    for (size_t i = 0; i < count; i++)
        y[i] *= scales[i];
}
