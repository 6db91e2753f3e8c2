#include "eval/ranks.h"

#include <math.h>

static bool is_complete(const double *values, size_t methods)
{
    for (size_t m = 0; m < methods; m++)
        if (isnan(values[m]))
            return false;
    return true;
}

size_t f0t_mean_ranks(double *ranks, const double *values, size_t blocks, size_t methods)
{
    size_t counted = 0;
    for (size_t m = 0; m < methods; m++)
        ranks[m] = 0;
    for (size_t b = 0; b < blocks; b++) {
        const double *row = values + b * methods;
        if (!is_complete(row, methods))
            continue;
        counted++;
        for (size_t m = 0; m < methods; m++)
            for (size_t other = 0; other < methods; other++)
                ranks[m] += row[other] > row[m] ? 1 : row[other] == row[m] ? 0.5 : 0;
    }
    for (size_t m = 0; m < methods; m++) /* 0.5 is its own share */
        ranks[m] = counted ? ranks[m] / (double)counted + 0.5 : (double)NAN;
    return counted;
}

/* ---- Nemenyi --------------------------------------------------------------------------------- */

static double normal_below(double z)
{
    return erfc(-z / sqrt(2)) / 2;
}

/* The probability that `count` normal numbers lie within `range` of each other:
 * k ∫ φ(z) (Φ(z) - Φ(z - range))^(k - 1) dz, by Simpson's rule. */
static double range_below(double range, size_t count)
{
    enum { STEPS = 800 };
    const double from = -8, width = 16.0 / STEPS, k = (double)count;
    double sum = 0;
    for (int i = 0; i <= STEPS; i++) {
        const double z = from + i * width, weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;
        sum += weight * exp(-z * z / 2) * pow(normal_below(z) - normal_below(z - range), k - 1);
    }
    return k * sum * width / 3 / sqrt(8 * atan(1));
}

/* The studentised range of infinite degrees of freedom that 95 % are below. */
static double critical_range(size_t count)
{
    double low = 0, high = 20;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        *(range_below(middle, count) < 0.95 ? &low : &high) = middle;
    }
    return high;
}

double f0t_critical_difference(size_t methods, size_t blocks)
{
    const double k = (double)methods;
    if (methods < 2 || !blocks)
        return (double)NAN;
    return critical_range(methods) / sqrt(2) * sqrt(k * (k + 1) / (6 * (double)blocks));
}
