#include "io/number.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXACT_DIGITS = 19,    /* so many always fit in 64 bits */
    KEPT_DIGITS = 120,    /* a float32 tie has at most 112 significant digits */
    EXPONENT_MOST = 99999 /* beyond, every number is 0 or infinity whatever its digits */
};

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static const char *read_digits(const char *p, const char *end, uint64_t *digits)
{
    uint64_t w = *digits;
    while (p < end && is_digit(*p))
        w = w * 10 + (uint64_t)(*p++ - '0');
    *digits = w;
    return p;
}

/* The exponent part where there is a whole one; else `p`. */
static const char *read_exponent(const char *p, const char *end, long *exponent)
{
    const char *q = p + 1;
    bool negative = q < end && *q == '-';
    long e = 0;
    if (p >= end || (*p != 'e' && *p != 'E'))
        return p;
    if (q < end && (*q == '-' || *q == '+'))
        q++;
    if (q >= end || !is_digit(*q))
        return p;
    for (; q < end && is_digit(*q); q++)
        if (e < EXPONENT_MOST)
            e = e * 10 + (*q - '0');
    *exponent = negative ? -e : e;
    return q;
}

/* Clinger (PLDI 1990): a product or quotient of two exact doubles is rounded once. Rounding that
 * again to float32 can only go wrong where the double lies exactly between two floats. */
static bool convert_fast(uint64_t digits, long exponent, float *out)
{
    uint64_t bits;
    if (digits > UINT64_C(1) << 53 || exponent < -22 || exponent > 22)
        return false;
    double value =
        exponent < 0 ? (double)digits / powers[-exponent] : (double)digits * powers[exponent];
    memcpy(&bits, &value, sizeof bits);
    if (digits && (value < (double)FLT_MIN || (bits & 0x1FFFFFFF) == 0x10000000))
        return false;
    *out = (float)value;
    return true;
}

/* Any number of digits. strtof gets them as a whole number with an exponent: without a decimal
 * point the locale has no say. Digits that cannot matter one by one are represented by a last 1. */
static float convert_slow(const char *p, const char *end, long exponent)
{
    char text[KEPT_DIGITS + 32];
    size_t n = 0;
    bool decimals_point = false, more = false;
    for (; p < end; p++) {
        if (*p == '.') {
            decimals_point = true;
            continue;
        }
        exponent -= decimals_point;
        if (n == 0 && *p == '0')
            continue;
        if (n < KEPT_DIGITS)
            text[n++] = *p;
        else {
            more = more || *p != '0';
            exponent++;
        }
    }
    if (n == 0 || exponent + (long)n < -60)
        return 0;
    if (exponent + (long)n > 60)
        return HUGE_VALF;
    if (more) {
        text[n++] = '1';
        exponent--;
    }
    snprintf(text + n, sizeof text - n, "e%ld", exponent);
    return strtof(text, NULL);
}

/* ASCII alone: strncasecmp asks the locale. */
static bool begins_with(const char *p, const char *end, const char *name)
{
    while (*name && p < end && (*p | 0x20) == *name) {
        p++;
        name++;
    }
    return *name == '\0';
}

static const char *read_name(const char *p, const char *end, float *out)
{
    *out = HUGE_VALF;
    if (begins_with(p, end, "infinity"))
        return p + 8;
    if (begins_with(p, end, "inf"))
        return p + 3;
    *out = NAN;
    return begins_with(p, end, "nan") ? p + 3 : NULL;
}

const char *f0t_number_read(float *out, const char *text, const char *end)
{
    const char *p = text;
    bool negative = p < end && *p == '-';
    uint64_t digits = 0;
    long exponent = 0, written = 0;
    float value;
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    const char *first = p;
    p = read_digits(p, end, &digits);
    long count = (long)(p - first), decimals = 0;
    if (p < end && *p == '.') {
        const char *point = ++p;
        p = read_digits(p, end, &digits);
        decimals = (long)(p - point);
    }
    const char *last = p;
    if (count + decimals == 0) {
        p = read_name(first, end, &value);
    } else {
        p = read_exponent(p, end, &written);
        exponent = written - decimals;
        if (count + decimals > EXACT_DIGITS || !convert_fast(digits, exponent, &value))
            value = convert_slow(first, last, written);
    }
    *out = negative ? -value : value;
    return p;
}
