#include "rank/loss_batch_kernels.h"

#include <math.h>
#include <string.h>

void F0T_KERNEL(row_range)(float *low, float *high, const float *x, size_t n)
{
    float least = INFINITY, most = -INFINITY;
#pragma omp simd reduction(min : least) reduction(max : most)
    for (size_t i = 0; i < n; i++) {
        least = x[i] < least ? x[i] : least;
        most = x[i] > most ? x[i] : most;
    }
    *low = least;
    *high = most;
}

enum { STRETCH = 256 };

/* next = 2 u T_m − T_{m-1}, in place of T_{m-1}; returns its sum. */
static double next_polynomial(double *last, const double *current, const double *u, size_t n)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) {
        last[i] = 2 * u[i] * current[i] - last[i];
        sum += last[i];
    }
    return sum;
}

static void stretch_moments(double *moments, const float *x, size_t n, double centre)
{
    double u[STRETCH], last[STRETCH], current[STRETCH], sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) {
        u[i] = ((double)x[i] - centre) * (2 / F0T_PIECE_WIDTH);
        last[i] = 1;
        current[i] = u[i];
        sum += u[i];
    }
    moments[0] += (double)n;
    moments[1] += sum;
    for (int m = 2; m < F0T_NODES; m += 2) {
        moments[m] += next_polynomial(last, current, u, n);
        moments[m + 1] += next_polynomial(current, last, u, n);
    }
}

void F0T_KERNEL(piece_moments)(double *moments, const float *x, size_t n, double centre)
{
    memset(moments, 0, F0T_NODES * sizeof *moments);
    for (size_t i = 0; i < n; i += STRETCH)
        stretch_moments(moments, x + i, n - i < STRETCH ? n - i : STRETCH, centre);
}

/* Clenshaw's recurrence. */
void F0T_KERNEL(piece_evaluate)(float *y, const float *x, size_t n, double centre,
                                const double *coefficients, double factor)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double u = ((double)x[i] - centre) * (2 / F0T_PIECE_WIDTH);
        double b1 = 0, b2 = 0;
        for (int m = F0T_NODES - 1; m > 0; m--) {
            double b0 = 2 * u * b1 - b2 + coefficients[m];
            b2 = b1;
            b1 = b0;
        }
        y[i] = (float)(factor * (u * b1 - b2 + coefficients[0]));
    }
}

/* As in loss_kernels.h: the softplus of several a at once is the log of a product. Each factor is
 * below exp(FAR_ABOVE + 2), and so many of them below a double's largest. */
enum { FACTORS = 16 };

static void take_excess(double *softplus, double *excess)
{
    for (int k = 0; k < F0T_NODES; k++) {
        softplus[k] += log1p(excess[k]);
        excess[k] = 0;
    }
}

void F0T_KERNEL(node_sums)(double *softplus, double *sigmoid, const f0t_nodes *nodes, double centre,
                           const float *a, size_t n)
{
    double excess[F0T_NODES] = {0}, above = 0, far = 0;
    int factors = 0;
    memset(softplus, 0, F0T_NODES * sizeof *softplus);
    memset(sigmoid, 0, F0T_NODES * sizeof *sigmoid);
    for (size_t i = 0; i < n; i++) {
        double distance = centre - (double)a[i];
        if (distance > F0T_FAR_ABOVE) {
            above += distance;
            far++;
        } else if (distance > -F0T_FAR_BELOW) {
            double exp_centre = exp(distance);
#pragma omp simd
            for (int k = 0; k < F0T_NODES; k++) {
                double z = nodes->exps[k] * exp_centre;
                sigmoid[k] += z / (1 + z);
                excess[k] = excess[k] * (1 + z) + z;
            }
            if (++factors == FACTORS) {
                take_excess(softplus, excess);
                factors = 0;
            }
        }
    }
    take_excess(softplus, excess);
    for (int k = 0; k < F0T_NODES; k++) {
        softplus[k] += above + far * nodes->at[k];
        sigmoid[k] += far;
    }
}

double F0T_KERNEL(node_weighted)(const f0t_nodes *nodes, const double *weights, double exp_centre)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < F0T_NODES; k++) {
        double z = nodes->exps[k] * exp_centre;
        sum += weights[k] * (z / (1 + z));
    }
    return sum;
}
