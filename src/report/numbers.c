#include "report/numbers.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 4096 };

static void add_block(f0t_numbers *s, const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            s->nan += x[i] != x[i];
            s->infinite += x[i] == x[i];
            continue;
        }
        if (!s->finite || x[i] < s->min)
            s->min = x[i];
        if (!s->finite || x[i] > s->max)
            s->max = x[i];
        s->finite++;
        sum += x[i];
    }
    s->sum += sum;
}

#define WIDEN_EACH(type)                                       \
    for (size_t i = 0; i < n; i++) {                           \
        type value;                                            \
        memcpy(&value, from + i * sizeof value, sizeof value); \
        to[i] = (double)value;                                 \
    }                                                          \
    break

/* float32 would lose the whole numbers of 64 bits and the range of float64. */
static void widen(double *to, const char *from, f0t_dtype type, size_t n)
{
    float narrow[BLOCK];
    switch (type) {
    case F0T_F64:
        WIDEN_EACH(double);
    case F0T_I32:
        WIDEN_EACH(int32_t);
    case F0T_I64:
        WIDEN_EACH(int64_t);
    default:
        f0t_dtype_to_f32(narrow, from, type, n);
        for (size_t i = 0; i < n; i++)
            to[i] = (double)narrow[i];
    }
}

void f0t_numbers_add(f0t_numbers *s, const void *elements, f0t_dtype type, size_t n)
{
    double block[BLOCK];
    const char *from = elements;
    for (size_t done = 0, part; done < n; done += part) {
        part = n - done < BLOCK ? n - done : BLOCK;
        widen(block, from + done * f0t_dtype_size(type), type, part);
        add_block(s, block, part);
    }
}
