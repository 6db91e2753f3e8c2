#include "baseline/softmax_loss.h"

#include "math/elementwise.h"

#include <string.h>

float f0t_softmax_row(float *y, const float *x, size_t n)
{
    float sum = f0t_logsumexp(x, n);
    for (size_t t = 0; t < n; t++)
        y[t] = x[t] - sum;
    f0t_exp(y, y, n);
    return sum;
}

static double run_row(float *gradient, const float *s, size_t tags, const uint32_t *relevant,
                      size_t count, float share)
{
    double mean = 0;
    for (size_t i = 0; i < count; i++)
        mean += (double)s[relevant[i]] / (double)count;
    double loss = (double)f0t_softmax_row(gradient, s, tags) - mean;
    for (size_t t = 0; t < tags; t++)
        gradient[t] *= share;
    for (size_t i = 0; i < count; i++)
        gradient[relevant[i]] -= share / (float)count;
    return loss;
}

f0t_status f0t_softmax_loss_run(f0t_loss_result *result, float *gradient, const f0t_loss_batch *b)
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
                           1 / (float)result->images);
    }
    result->loss = result->images ? sum / (double)result->images : 0;
    return F0T_OK;
}
