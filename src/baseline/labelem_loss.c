#include "baseline/labelem_loss.h"

#include "math/elementwise.h"

#include <string.h>

/* The two highest of n >= 2 scores, lower indices first among equals. */
static void highest_two(size_t top[2], const float *s, size_t n)
{
    top[0] = s[1] > s[0];
    top[1] = !top[0];
    for (size_t t = 2; t < n; t++) {
        if (s[t] > s[top[0]]) {
            top[1] = top[0];
            top[0] = t;
        } else if (s[t] > s[top[1]]) {
            top[1] = t;
        }
    }
}

static double run_row(float *gradient, const float *s, size_t tags, const uint32_t *relevant,
                      size_t count, double share)
{
    size_t top[2];
    double sum = 0;
    highest_two(top, s, tags);
    for (size_t i = 0; i < count; i++) {
        uint32_t p = relevant[i];
        size_t y = top[0] == p ? top[1] : top[0];
        double bracket = 1 + (double)s[y] - (double)s[p];
        if (bracket <= 0)
            continue;
        sum += bracket;
        gradient[y] += (float)share;
        gradient[p] -= (float)share;
    }
    return sum;
}

f0t_status f0t_labelem_loss_run(f0t_loss_result *result, float *gradient, const f0t_loss_batch *b)
{
    double sum = 0;
    *result = (f0t_loss_result){0};
    for (size_t m = 0; m < b->images; m++) {
        size_t count = b->offsets[m + 1] - b->offsets[m];
        result->images += count > 0 && count < b->tags;
    }
    for (size_t m = 0; m < b->images; m++) {
        const float *s = b->scores + m * b->tags;
        size_t count = b->offsets[m + 1] - b->offsets[m];
        if (!f0t_finite_f32(s, b->tags))
            return f0t_fail(F0T_ERROR_NUMERIC, "a score of row %zu of the mini-batch is not finite",
                            m);
        memset(gradient + m * b->tags, 0, b->tags * sizeof *gradient);
        if (count > 0 && count < b->tags)
            sum += run_row(gradient + m * b->tags, s, b->tags, b->relevant + b->offsets[m], count,
                           1 / (double)result->images);
    }
    result->loss = result->images ? sum / (double)result->images : 0;
    return F0T_OK;
}
