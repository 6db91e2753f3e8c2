/* Axes: from data to round steps, from values to pixels. */
#include "report/svg_frame.h"

#include <float.h>
#include <math.h>

f0t_svg_range f0t_svg_range_none(void)
{
    return (f0t_svg_range){DBL_MAX, -DBL_MAX};
}

void f0t_svg_range_add(f0t_svg_range *range, double value, bool log)
{
    if (!isfinite(value) || (log && value <= 0))
        return;
    range->least = fmin(range->least, value);
    range->most = fmax(range->most, value);
}

/* The steps 1, 2, 5, 10, … of which about `count` cover the span. */
static double step_of(double span, double count)
{
    double raw = span / count, unit = pow(10, floor(log10(raw)));
    double lead = raw / unit;
    return unit * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

static void round_linear(f0t_svg_scale *scale)
{
    double span = scale->to - scale->from;
    if (!(span > 0)) {
        double pad = scale->to != 0 ? fabs(scale->to) / 2 : 1;
        scale->from -= pad;
        scale->to += pad;
        span = scale->to - scale->from;
    }
    double step = step_of(span, 6);
    scale->from = floor(scale->from / step + 1e-9) * step;
    scale->to = ceil(scale->to / step - 1e-9) * step;
}

/* A decade where the data have several, else the next of 1, 2, 5. */
static double round_log(double value, bool up)
{
    static const double leads[] = {1, 2, 5, 10};
    double unit = pow(10, floor(log10(value) + 1e-9)), best = up ? 10 * unit : unit;
    for (int i = 0; i < 4; i++) {
        double round = unit * leads[i];
        if (up && round >= value * (1 - 1e-9))
            return round;
        if (!up && round <= value * (1 + 1e-9))
            best = round;
    }
    return best;
}

f0t_svg_scale f0t_svg_scale_create(const f0t_svg_axis *axis, f0t_svg_range range)
{
    f0t_svg_scale scale = {.log = axis->log, .bare = axis->bare};
    bool demanded = axis->from != axis->to && (!axis->log || (axis->from > 0 && axis->to > 0));
    if (demanded) {
        scale.from = axis->from;
        scale.to = axis->to;
        return scale;
    }
    if (range.least > range.most)
        range = (f0t_svg_range){axis->log ? 1 : 0, axis->log ? 10 : 1};
    scale.from = range.least;
    scale.to = range.most;
    if (!axis->log) {
        round_linear(&scale);
        return scale;
    }
    scale.from = round_log(range.least, false);
    scale.to = round_log(range.most, true);
    if (scale.from == scale.to)
        scale.to = 10 * scale.from;
    return scale;
}

double f0t_svg_place(const f0t_svg_scale *scale, double value)
{
    double share = scale->log ? log(value / scale->from) / log(scale->to / scale->from)
                              : (value - scale->from) / (scale->to - scale->from);
    share = fmax(-1, fmin(2, share));
    return scale->start + share * (scale->end - scale->start);
}

bool f0t_svg_can_show(const f0t_svg_scale *scale, double value)
{
    return isfinite(value) && (!scale->log || value > 0);
}

static size_t ticks_of_decades(double *ticks, const f0t_svg_scale *scale)
{
    static const double leads[] = {1, 2, 5};
    double decades = log10(scale->to / scale->from);
    double low = floor(log10(scale->from) + 1e-9), high = ceil(log10(scale->to) - 1e-9);
    double stride = ceil((high - low + 1) / (F0T_SVG_TICKS_MOST / 3));
    size_t count = 0;
    for (double power = low; power <= high; power += stride)
        for (int i = 0; i < (decades <= 2.5 ? 3 : 1); i++) {
            double tick = pow(10, power) * leads[i];
            bool inside = tick >= scale->from * (1 - 1e-9) && tick <= scale->to * (1 + 1e-9);
            if (inside && count < F0T_SVG_TICKS_MOST)
                ticks[count++] = tick;
        }
    return count;
}

size_t f0t_svg_ticks(double ticks[F0T_SVG_TICKS_MOST], const f0t_svg_scale *scale)
{
    if (scale->log)
        return ticks_of_decades(ticks, scale);
    double step = step_of(scale->to - scale->from, 6);
    double first = ceil(scale->from / step - 1e-9);
    size_t count = 0;
    for (double i = first; i * step <= scale->to + 1e-9 * step && count < F0T_SVG_TICKS_MOST; i++)
        ticks[count++] = i == 0 ? 0 : i * step;
    return count;
}
