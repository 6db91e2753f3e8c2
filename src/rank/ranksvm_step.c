#include "rank/ranksvm_step.h"

#include <math.h>

enum { GROW = 40, SHRINK = 60 };

static const double enough = 0.1;

/* False position between a slope below and one above 0, in the Illinois form: an end that stays
 * twice counts half. A kink can make that slow, so every third point is the middle. */
static double close_in(f0t_svm_slope slope, void *context, double target, double low,
                       double low_slope, double high, double high_slope)
{
    int last = 0;
    for (int i = 0; i < SHRINK; i++) {
        double part = i % 3 == 2 ? 0.5 : low_slope / (low_slope - high_slope);
        double t = low + (high - low) * part;
        double at = slope(context, t);
        if (fabs(at) <= target)
            return t;
        if (at < 0) {
            low = t;
            low_slope = at;
            high_slope = last < 0 ? high_slope / 2 : high_slope;
            last = -1;
        } else {
            high = t;
            high_slope = at;
            low_slope = last > 0 ? low_slope / 2 : low_slope;
            last = 1;
        }
    }
    return low > 0 ? low : high;
}

double f0t_svm_step(f0t_svm_slope slope, void *context, double start)
{
    const double target = -enough * start;
    double low = 0, low_slope = start, high = 1, high_slope = slope(context, high);
    for (int i = 0; i < GROW && high_slope < -target; i++) {
        low = high;
        low_slope = high_slope;
        high *= 2;
        high_slope = slope(context, high);
    }
    if (high_slope <= target)
        return high;
    return close_in(slope, context, target, low, low_slope, high, high_slope);
}
