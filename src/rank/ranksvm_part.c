#include "rank/ranksvm_part.h"

#include "base/alloc.h"
#include "rank/ranksvm_work.h"

#include <math.h>
#include <string.h>

static const double default_gap = 5e-4; /* as in ranksvm.c */

struct f0t_ranksvm_part {
    const f0t_ranksvm *svm;
    f0t_svm_work *work;
    double *zeros; /* [tags] */
};

f0t_status f0t_ranksvm_part_create(f0t_ranksvm_part **out, const f0t_ranksvm *svm)
{
    f0t_ranksvm_part *part = NULL;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&part, 1, sizeof *part));
    part->svm = svm;
    f0t_status status = f0t_svm_work_create(&part->work, svm, svm->tags);
    if (status == F0T_OK)
        status = f0t_alloc_zero(&part->zeros, svm->tags, sizeof *part->zeros);
    if (status == F0T_OK)
        *out = part;
    else
        f0t_ranksvm_part_free(part);
    return status;
}

void f0t_ranksvm_part_free(f0t_ranksvm_part *part)
{
    if (!part)
        return;
    f0t_svm_work_free(part->work);
    f0t_free(part->zeros);
    f0t_free(part);
}

/* A hinge's solution comes with rounded corners: a little longer it is better. */
static void lengthen(f0t_svm_work *work, const f0t_svm_task *task, f0t_svm_bounds *bounds)
{
    double primal;
    if (task->hinge != F0T_HINGE_PLAIN)
        return;
    const double factor = f0t_svm_work_length(work, task, &primal);
    if (f0t_svm_gap(primal, bounds->dual) > task->gap)
        return;
    for (size_t i = 0; i < work->count; i++)
        work->beta[i] *= factor;
    bounds->primal = primal;
}

/* The losses that lead to the hinge, one the start of the next; half the way back where one was too
 * sharp to be solved. */
static f0t_svm_bounds solve(f0t_svm_work *work, const f0t_svm_task *task, double size,
                            uint32_t *rounds)
{
    f0t_svm_loss loss = f0t_svm_loss_first(task, size);
    f0t_svm_bounds bounds = {.dual = 0};
    double solved = loss.k / 10;
    for (bool more = true; more; ++*rounds) {
        int steps = 0;
        const bool done = f0t_svm_work_solve(work, task, loss, &bounds, &steps);
        lengthen(work, task, &bounds);
        if (f0t_svm_gap(bounds.primal, bounds.dual) <= task->gap)
            break;
        if (done) {
            solved = loss.k;
            more = f0t_svm_loss_next(task, &loss, size, bounds.strain);
        } else {
            const double k = sqrt(loss.k * solved);
            more = k < 0.8 * loss.k;
            loss.k = k;
        }
    }
    return bounds;
}

void f0t_ranksvm_part_solve(f0t_ranksvm_part *part, float *direction, f0t_ranksvm_result *result,
                            const uint32_t *tags, size_t relevant, size_t count, double lambda,
                            const f0t_ranksvm_options *options)
{
    const double gap = options && options->gap > 0 ? options->gap : default_gap;
    const f0t_svm_task task = {options ? options->hinge : F0T_HINGE_PLAIN, lambda, gap};
    uint32_t rounds = 0;
    f0t_svm_bounds bounds = {.dual = 0};
    if (!(part->svm->size > 0)) { /* all vectors are equal */
        memset(direction, 0, part->svm->dims * sizeof *direction);
        bounds.primal = bounds.dual = (double)relevant * (double)(count - relevant);
    } else {
        f0t_svm_work_load(part->work, tags, part->zeros, part->zeros, relevant, count);
        bounds = solve(part->work, &task, part->svm->size, &rounds);
        f0t_svm_work_result(part->work, direction);
        bounds.primal = f0t_svm_work_primal(part->work, &task);
    }
    if (result)
        *result =
            (f0t_ranksvm_result){bounds.primal, f0t_svm_gap(bounds.primal, bounds.dual), rounds};
}
