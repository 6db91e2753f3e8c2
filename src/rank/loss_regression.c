#include "rank/loss.h"

#include "base/kernels.h"
#include "base/team.h"

#include <math.h>
#include <string.h>

/* Parts of the rows that are summed apart: fixed, so that threads change nothing. */
enum { PARTS = 64 };

static size_t part_start(size_t part, size_t images)
{
    return part * (images / PARTS) + (part < images % PARTS ? part : images % PARTS);
}

static size_t target_of(const f0t_regression *regression, size_t m)
{
    return regression->index ? regression->index[m] : m;
}

static bool trains(const f0t_regression *regression, size_t m)
{
    return !regression->index || regression->index[m] != F0T_NO_TARGET;
}

static double run_row(float *gradient, const f0t_regression *regression, size_t m, double scale)
{
    size_t dims = regression->dims;
    if (!trains(regression, m)) {
        memset(gradient + m * dims, 0, dims * sizeof *gradient);
        return 0;
    }
    return f0t_kernels()->row_distance(gradient + m * dims, regression->outputs + m * dims,
                                       regression->targets + target_of(regression, m) * dims, dims,
                                       (float)(2 * scale));
}

/* Σ over a part, or NaN; *bad is then the first row that is not finite. */
static double run_part(float *gradient, const f0t_regression *regression, size_t part, double scale,
                       size_t *bad)
{
    double sum = 0;
    size_t end = part_start(part + 1, regression->images);
    for (size_t m = part_start(part, regression->images); m < end; m++) {
        sum += run_row(gradient, regression, m, scale);
        if (!isfinite(sum)) {
            *bad = m;
            return (double)NAN;
        }
    }
    return sum;
}

f0t_status f0t_regression_run(f0t_loss_result *result, float *gradient,
                              const f0t_regression *regression)
{
    double sums[PARTS], sum = 0;
    size_t bad[PARTS], training = 0;
    *result = (f0t_loss_result){0, 0};
    for (size_t m = 0; m < regression->images; m++)
        training += trains(regression, m);
    double scale = training ? 1 / (double)training : 0;
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t part = 0; part < PARTS; part++)
        sums[part] = run_part(gradient, regression, part, scale, &bad[part]);
    for (size_t part = 0; part < PARTS; part++) {
        if (isnan(sums[part]))
            return f0t_fail(F0T_ERROR_NUMERIC,
                            "row %zu of the batch: an output or target is NaN or infinite",
                            bad[part]);
        sum += sums[part];
    }
    *result = (f0t_loss_result){sum * scale, training};
    return F0T_OK;
}
