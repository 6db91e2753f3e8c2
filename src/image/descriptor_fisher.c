/*
 * The Fisher vector of the patches under a mixture of Gaussians with diagonal covariance: how the
 * picture would move each mean and each deviation (Perronnin, Sánchez and Mensink, "Improving the
 * Fisher kernel for large-scale image classification", ECCV 2010, equations 4 and 5).
 */
#include "base/kernels.h"
#include "image/descriptor_parts.h"

#include <math.h>
#include <string.h>

enum { D = F0T_PATCH_DIM };

static double thousandth(int16_t x)
{
    return x / 1000.0;
}

static double weight_of(size_t k)
{
    double all = 0;
    for (size_t i = 0; i < F0T_MIXTURE; i++)
        all += f0t_mixture.weight[i];
    return f0t_mixture.weight[k] / all;
}

/* log of weight and density without the part that all Gaussians share:
 * log w − Σ log σ − Σ (x − μ)² / 2σ², as a linear function of x and x². */
void f0t_fisher_prepare(f0t_fisher *fisher)
{
    memset(fisher, 0, sizeof *fisher);
    for (size_t k = 0; k < F0T_MIXTURE; k++) {
        double constant = log(weight_of(k));
        for (size_t d = 0; d < D; d++) {
            double mean = thousandth(f0t_mixture.mean[k][d]);
            double deviation = thousandth(f0t_mixture.deviation[k][d]);
            double precision = 1 / (deviation * deviation);
            constant -= log(deviation) + 0.5 * mean * mean * precision;
            fisher->slope[d][k] = (float)(mean * precision);
            fisher->slope[F0T_PATCH_STRIDE + d][k] = (float)(-0.5 * precision);
        }
        fisher->constant[k] = (float)constant;
    }
}

void f0t_fisher_clear(f0t_fisher *fisher)
{
    memset(fisher->count, 0, sizeof fisher->count);
    memset(fisher->sum, 0, sizeof fisher->sum);
}

static void fill_moments(float *moments, const float *patch)
{
    for (size_t d = 0; d < D; d++) {
        float x = (patch[d] - f0t_mixture.shift[d]) * f0t_mixture.scale[d];
        moments[d] = x;
        moments[F0T_PATCH_STRIDE + d] = x * x;
    }
}

void f0t_fisher_add(f0t_fisher *fisher, const float *patches)
{
    float *posterior = fisher->posterior[0], *moments = fisher->moments[0];
    for (size_t i = 0; i < F0T_PLACES; i++) {
        fill_moments(fisher->moments[i], patches + i * F0T_PATCH_STRIDE);
        memcpy(fisher->posterior[i], fisher->constant, sizeof fisher->constant);
    }
    f0t_kernels()->descriptor_product(posterior, moments, F0T_MOMENTS, 1, fisher->slope[0],
                                      F0T_PLACES, F0T_MOMENTS, F0T_MIXTURE);
    f0t_kernels()->descriptor_posterior(posterior, F0T_PLACES);
    f0t_kernels()->descriptor_product(fisher->sum[0], posterior, 1, F0T_MIXTURE, moments,
                                      F0T_MIXTURE, F0T_PLACES, F0T_MOMENTS);
    for (size_t i = 0; i < F0T_PLACES; i++)
        for (size_t k = 0; k < F0T_MIXTURE; k++)
            fisher->count[k] += fisher->posterior[i][k];
}

void f0t_fisher_get(const f0t_fisher *fisher, float *out)
{
    const float patches = F0T_PLACES * F0T_PLACES;
    for (size_t k = 0; k < F0T_MIXTURE; k++) {
        const float *first = fisher->sum[k], *second = first + F0T_PATCH_STRIDE;
        float n = fisher->count[k], scale = 1 / (patches * sqrtf((float)weight_of(k)));
        float *by_mean = out + k * D, *by_deviation = by_mean + F0T_MIXTURE * D;
        for (size_t d = 0; d < D; d++) {
            float mean = (float)thousandth(f0t_mixture.mean[k][d]);
            float deviation = (float)thousandth(f0t_mixture.deviation[k][d]);
            float variance = deviation * deviation;
            float spread = second[d] - 2 * mean * first[d] + n * (mean * mean - variance);
            by_mean[d] = scale * (first[d] - n * mean) / deviation;
            by_deviation[d] = scale * 0.70710678F * spread / variance;
        }
    }
}
