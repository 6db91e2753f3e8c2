/* Size arithmetic that says when it does not fit. */
#ifndef F0T_BASE_SIZE_H
#define F0T_BASE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool f0t_size_add(size_t *out, size_t a, size_t b)
{
    return !__builtin_add_overflow(a, b, out);
}

static inline bool f0t_size_mul(size_t *out, size_t a, size_t b)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* `value` rounded up to a multiple of `unit`, which is not 0. */
static inline bool f0t_size_round_up(size_t *out, size_t value, size_t unit)
{
    size_t sum;
    if (!f0t_size_add(&sum, value, unit - 1))
        return false;
    *out = sum / unit * unit;
    return true;
}

#endif
