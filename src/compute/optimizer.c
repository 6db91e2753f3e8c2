#include "compute/optimizer.h"

#include "base/kernels.h"
#include "base/team.h"

#include <math.h>

/* Elements that a thread takes at a time. */
enum { CHUNK = 1 << 14 };

f0t_optimizer f0t_optimizer_default(f0t_optimizer_kind kind)
{
    return (f0t_optimizer){
        .kind = kind, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8, .momentum = 0.9};
}

static f0t_status check_share(double value, const char *name)
{
    if (!(value >= 0 && value < 1))
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s is %g: it must be at least 0 and below 1", name,
                        value);
    return F0T_OK;
}

f0t_status f0t_optimizer_check(const f0t_optimizer *optimizer)
{
    F0T_TRY(check_share(optimizer->beta1, "Adam's first decay rate"));
    F0T_TRY(check_share(optimizer->beta2, "Adam's second decay rate"));
    F0T_TRY(check_share(optimizer->momentum, "the momentum"));
    if (!(optimizer->epsilon >= 0 && isfinite(optimizer->epsilon)))
        return f0t_fail(F0T_ERROR_ARGUMENT, "Adam's epsilon is %g: it must not be negative",
                        optimizer->epsilon);
    if (!(optimizer->decay >= 0 && isfinite(optimizer->decay)))
        return f0t_fail(F0T_ERROR_ARGUMENT, "the weight decay is %g: it must not be negative",
                        optimizer->decay);
    return F0T_OK;
}

f0t_update_factors f0t_update_factors_make(const f0t_optimizer *o, bool decays, uint64_t t,
                                           double rate)
{
    bool adam = o->kind == F0T_OPTIMIZER_ADAM;
    double decay = decays ? o->decay : 0;
    return (f0t_update_factors){
        .beta1 = (float)o->beta1,
        .rest1 = (float)(1 - o->beta1),
        .beta2 = (float)o->beta2,
        .rest2 = (float)(1 - o->beta2),
        .rate = (float)(adam ? rate / (1 - pow(o->beta1, (double)t)) : rate),
        .root = (float)(1 / sqrt(1 - pow(o->beta2, (double)t))),
        .epsilon = (float)o->epsilon,
        .keep = (float)(1 - rate * decay),
        .momentum = (float)o->momentum,
        .decay = (float)decay,
    };
}

static void update_chunk(const f0t_parameters *p, size_t first, const float *g, size_t n,
                         f0t_optimizer_kind kind, const f0t_update_factors *factors)
{
    uint16_t *half = p->half ? p->half + first : NULL;
    if (kind == F0T_OPTIMIZER_ADAM)
        f0t_kernels()->update_adam(p->w + first, p->m + first, p->v + first, half, g, n, factors);
    else
        f0t_kernels()->update_sgd(p->w + first, p->m + first, half, g, n, factors);
}

void f0t_optimizer_update(const f0t_parameters *parameters, size_t first, const float *g, size_t n,
                          const f0t_optimizer *optimizer, uint64_t t, double rate)
{
    const f0t_update_factors factors =
        f0t_update_factors_make(optimizer, parameters->decays, t, rate);
#pragma omp parallel for schedule(static) num_threads(f0t_team_size())
    for (size_t done = 0; done < n; done += CHUNK)
        update_chunk(parameters, first + done, g + done, n - done < CHUNK ? n - done : CHUNK,
                     optimizer->kind, &factors);
}
