#include "rank/ranksvm_bounds.h"

#include <math.h>

/* Curvature of the squared hinge. */
static const double squared = 2;

/* The first problem of a series: λ / k in units of the vectors' size. Near 1/2 few Newton steps
 * solve it from nothing. */
static const double easy = 0.5;

/* How much sharper the next loss is; how much where λ / k is so small that the zone hardly changes any
 * more; and the sharpest: beyond that rounding errors rule. */
static const double sharper = 10, much_sharper = 100, settled = 0.005;
static const double sharpest = 1e9;

/* The largest of t linear − t² quadratic for t up to `most`. */
static double best_multiple(double linear, double quadratic, double most)
{
    double t = quadratic > 0 ? linear / (2 * quadratic) : most;
    t = t < most ? t : most;
    return isfinite(t) ? t * linear - t * t * quadratic : 0;
}

f0t_svm_bounds f0t_svm_bounds_get(const f0t_svm_task *task, f0t_svm_loss loss,
                                  const f0t_svm_sums *sums, double norm, double dual_norm)
{
    const double ridge = task->lambda / 2 * norm, dual_ridge = task->lambda / 2 * dual_norm;
    const double conjugate = sums->square / (2 * loss.k), most = isfinite(loss.cap) ? 1 : HUGE_VAL;
    f0t_svm_bounds bounds = {.rounded_primal = ridge + sums->moment - conjugate,
                             .rounded_dual =
                                 best_multiple(sums->slope, conjugate + dual_ridge, most)};
    if (task->hinge == F0T_HINGE_SQUARED) {
        bounds.primal = ridge + sums->moment / loss.k;
        bounds.dual = best_multiple(sums->slope, sums->square / 4 + dual_ridge, HUGE_VAL);
    } else {
        bounds.primal = ridge + sums->slack;
        bounds.dual = best_multiple(sums->slope, dual_ridge, 1);
    }
    return bounds;
}

double f0t_svm_gap(double upper, double lower)
{
    return upper > lower ? (upper - lower) / upper : 0;
}

f0t_svm_loss f0t_svm_loss_first(const f0t_svm_task *task, double size)
{
    const double k = task->lambda / (easy * size);
    return (f0t_svm_loss){k < squared ? k : squared,
                          task->hinge == F0T_HINGE_SQUARED ? HUGE_VAL : 1};
}

bool f0t_svm_loss_next(const f0t_svm_task *task, f0t_svm_loss *loss, double size)
{
    const double most = task->hinge == F0T_HINGE_SQUARED ? squared : sharpest;
    const bool rough = task->lambda / loss->k > settled * size;
    const double k = loss->k * (rough ? sharper : much_sharper);
    if (loss->k >= most)
        return false;
    loss->k = k < most ? k : most;
    return true;
}

bool f0t_svm_loss_done(const f0t_svm_task *task, f0t_svm_loss loss, const f0t_svm_bounds *bounds)
{
    const double rounded = f0t_svm_gap(bounds->rounded_primal, bounds->rounded_dual);
    if (task->hinge == F0T_HINGE_SQUARED && loss.k >= squared)
        return rounded <= task->gap / 4;
    return rounded <= 0.1 &&
           (task->hinge == F0T_HINGE_SQUARED ||
            bounds->rounded_primal - bounds->rounded_dual <= 0.2 * (bounds->primal - bounds->dual));
}
