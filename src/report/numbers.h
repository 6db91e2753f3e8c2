/* What can be said of many numbers after one pass over them. */
#ifndef F0T_REPORT_NUMBERS_H
#define F0T_REPORT_NUMBERS_H

#include "base/dtype.h"

/* All zero has seen nothing. */
typedef struct f0t_numbers {
    uint64_t finite, nan, infinite;
    double min, max, sum; /* of the finite ones; min and max are set once there is one */
} f0t_numbers;

/* `n` more elements of this type, in this machine's byte order and any alignment. */
void f0t_numbers_add(f0t_numbers *numbers, const void *elements, f0t_dtype type, size_t n);

#endif
