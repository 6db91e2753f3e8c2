#include "compute/loss.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "base/size.h"
#include "base/team.h"
#include "compute/loss_image.h"
#include "compute/loss_pairs.h"
#include "math/elementwise.h"

#include <math.h>
#include <string.h>

static const char *const names[F0T_LOSSES] = {
    [F0T_LOSS_RANKNET] = "ranknet",
    [F0T_LOSS_RANKNET_UNWEIGHTED] = "ranknet-unweighted",
    [F0T_LOSS_HINGE] = "hinge",
    [F0T_LOSS_SQUARED_HINGE] = "squared-hinge",
    [F0T_LOSS_CRAMMER_SINGER] = "crammer-singer",
    [F0T_LOSS_MAX_OUT] = "max-out",
    [F0T_LOSS_LISTMLE] = "listmle",
    [F0T_LOSS_LOGISTIC] = "logistic",
};

const char *f0t_loss_name(f0t_loss loss)
{
    return (unsigned)loss < F0T_LOSSES ? names[loss] : NULL;
}

static const char *name_at(size_t i)
{
    return i < F0T_LOSSES ? names[i] : NULL;
}

f0t_status f0t_loss_find(f0t_loss *out, const char *name)
{
    size_t found;
    F0T_REQUIRE(out);
    F0T_REQUIRE(name);
    F0T_TRY(f0t_name_find(&found, "loss", name, strlen(name), name_at));
    *out = (f0t_loss)found;
    return F0T_OK;
}

struct f0t_loss_plan {
    f0t_loss_options options;
    size_t images, tags;
    size_t stride; /* elements of an array of one thread */
    int threads;
    double *losses; /* [images] */
    uint32_t *order;
    float *scores, *positive, *work; /* these: [threads x stride] */
    double *tails;
    f0t_batch_pairs *pairs;
};

/* ---- The plan -------------------------------------------------------------------------------- */

static f0t_status check_options(const f0t_loss_options *options)
{
    if (!f0t_loss_name(options->loss))
        return f0t_fail(F0T_ERROR_ARGUMENT, "%d is no loss", (int)options->loss);
    if (options->pairs != F0T_PAIRS_IMAGE && options->pairs != F0T_PAIRS_BATCH)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%d is no choice of pairs", (int)options->pairs);
    if (options->pairs == F0T_PAIRS_BATCH && options->loss != F0T_LOSS_RANKNET)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "pairs across the batch are for the loss ranknet, not for %s",
                        names[options->loss]);
    return F0T_OK;
}

static f0t_status alloc_rows(f0t_loss_plan *plan)
{
    size_t count;
    /* Whole cache lines: threads do not write to each other's. */
    if (!f0t_size_round_up(&plan->stride, plan->tags, 16) ||
        !f0t_size_mul(&count, plan->stride, (size_t)plan->threads))
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for scores of %zu tags", plan->tags);
    F0T_TRY(f0t_alloc(&plan->order, count, sizeof *plan->order));
    F0T_TRY(f0t_alloc(&plan->scores, count, sizeof *plan->scores));
    F0T_TRY(f0t_alloc(&plan->positive, count, sizeof *plan->positive));
    F0T_TRY(f0t_alloc(&plan->work, count, sizeof *plan->work));
    F0T_TRY(f0t_alloc(&plan->tails, count, sizeof *plan->tails));
    return F0T_OK;
}

static f0t_status alloc_plan(f0t_loss_plan *plan)
{
    size_t scores;
    if (!f0t_size_mul(&scores, plan->images, plan->tags) || plan->tags > UINT32_MAX ||
        plan->images > UINT32_MAX)
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for %zu images with scores of %zu tags",
                        plan->images, plan->tags);
    F0T_TRY(f0t_alloc(&plan->losses, plan->images, sizeof *plan->losses));
    if (plan->options.pairs == F0T_PAIRS_BATCH)
        return f0t_batch_pairs_create(&plan->pairs, scores);
    return alloc_rows(plan);
}

f0t_status f0t_loss_plan_create(f0t_loss_plan **out, const f0t_loss_options *options, size_t images,
                                size_t tags)
{
    f0t_loss_plan *plan;
    *out = NULL;
    F0T_TRY(check_options(options));
    F0T_TRY(f0t_alloc_zero(&plan, 1, sizeof *plan));
    plan->options = *options;
    plan->images = images;
    plan->tags = tags;
    plan->threads = f0t_team_size();
    f0t_status status = alloc_plan(plan);
    if (status) {
        f0t_loss_plan_free(plan);
        return status;
    }
    *out = plan;
    return F0T_OK;
}

void f0t_loss_plan_free(f0t_loss_plan *plan)
{
    if (!plan)
        return;
    f0t_free(plan->losses);
    f0t_free(plan->order);
    f0t_free(plan->scores);
    f0t_free(plan->positive);
    f0t_free(plan->work);
    f0t_free(plan->tails);
    f0t_batch_pairs_free(plan->pairs);
    f0t_free(plan);
}

/* ---- A batch --------------------------------------------------------------------------------- */

static f0t_status check_row(const f0t_loss_batch *batch, size_t m)
{
    size_t from = batch->offsets[m], to = batch->offsets[m + 1];
    if (from > to || to - from > batch->tags)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "row %zu of the batch: relevant tags from %zu to %zu, of %zu tags", m, from,
                        to, batch->tags);
    for (size_t i = from; i < to; i++)
        if (batch->relevant[i] >= batch->tags ||
            (i > from && batch->relevant[i] <= batch->relevant[i - 1]))
            return f0t_fail(F0T_ERROR_ARGUMENT,
                            "row %zu of the batch: relevant tags must ascend below %zu; %lu does "
                            "not fit",
                            m, batch->tags, (unsigned long)batch->relevant[i]);
    return F0T_OK;
}

bool f0t_loss_trains(f0t_loss loss, size_t relevant, size_t tags)
{
    return loss == F0T_LOSS_LOGISTIC ? tags > 0 : relevant && relevant < tags;
}

static bool trains(f0t_loss loss, const f0t_loss_batch *batch, size_t m)
{
    return f0t_loss_trains(loss, batch->offsets[m + 1] - batch->offsets[m], batch->tags);
}

f0t_status f0t_loss_batch_check(size_t *training, f0t_loss loss, size_t images, size_t tags,
                                const f0t_loss_batch *batch)
{
    *training = 0;
    if (batch->images > images || batch->tags > tags)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "a batch of %zu images and %zu tags, planned for %zu and %zu",
                        batch->images, batch->tags, images, tags);
    for (size_t m = 0; m < batch->images; m++) {
        F0T_TRY(check_row(batch, m));
        *training += trains(loss, batch, m);
    }
    return F0T_OK;
}

static f0t_loss_row row_of_thread(const f0t_loss_plan *plan)
{
#ifdef _OPENMP
    size_t at = (size_t)omp_get_thread_num() * plan->stride;
#else
    size_t at = 0;
#endif
    return (f0t_loss_row){.order = plan->order + at,
                          .scores = plan->scores + at,
                          .positive = plan->positive + at,
                          .work = plan->work + at,
                          .tails = plan->tails + at};
}

/* NaN marks scores that are not finite. */
static double run_row(float *gradient, const f0t_loss_plan *plan, const f0t_loss_batch *batch,
                      size_t m, f0t_loss_row *row)
{
    if (!f0t_finite_f32(batch->scores + m * batch->tags, batch->tags))
        return (double)NAN;
    if (!trains(plan->options.loss, batch, m)) {
        memset(gradient, 0, batch->tags * sizeof *gradient);
        return 0;
    }
    f0t_loss_row_load(row, &plan->options, batch, m);
    return f0t_loss_row_run(gradient, plan->options.loss, row);
}

static void run_rows(float *gradient, f0t_loss_plan *plan, const f0t_loss_batch *batch,
                     size_t training)
{
    int team = f0t_team_size(), threads = team < plan->threads ? team : plan->threads;
    (void)threads;
#pragma omp parallel num_threads(threads)
    {
        f0t_loss_row row = row_of_thread(plan);
        row.scale = training ? 1 / (double)training : 0;
#pragma omp for schedule(dynamic, 16)
        for (size_t m = 0; m < batch->images; m++)
            plan->losses[m] = run_row(gradient + m * batch->tags, plan, batch, m, &row);
    }
}

static f0t_status check_finite(const f0t_loss_batch *batch)
{
    for (size_t m = 0; m < batch->images; m++)
        if (!f0t_finite_f32(batch->scores + m * batch->tags, batch->tags))
            return f0t_fail(F0T_ERROR_NUMERIC, "row %zu of the batch: a score is NaN or infinite",
                            m);
    return F0T_OK;
}

f0t_status f0t_loss_run(f0t_loss_result *result, float *gradient, f0t_loss_plan *plan,
                        const f0t_loss_batch *batch)
{
    size_t training;
    *result = (f0t_loss_result){0, 0};
    F0T_TRY(f0t_loss_batch_check(&training, plan->options.loss, plan->images, plan->tags, batch));
    if (plan->pairs && batch->training)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "pairs across the batch need the whole batch, not a part of it");
    if (plan->pairs) {
        F0T_TRY(check_finite(batch));
        return f0t_batch_pairs_run(result, gradient, plan->pairs, batch);
    }
    const size_t all = batch->training ? batch->training : training;
    run_rows(gradient, plan, batch, all);
    double sum = 0;
    for (size_t m = 0; m < batch->images; m++) {
        if (!isfinite(plan->losses[m]))
            return f0t_fail(F0T_ERROR_NUMERIC, "row %zu of the batch: %s", m,
                            isnan(plan->losses[m]) ? "a score is NaN or infinite"
                                                   : "the loss is infinite");
        sum += plan->losses[m];
    }
    *result = (f0t_loss_result){all ? sum / (double)all : 0, training};
    return F0T_OK;
}

/* ---- Regression ------------------------------------------------------------------------------------ */

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

static bool has_target(const f0t_regression *regression, size_t m)
{
    return !regression->index || regression->index[m] != F0T_NO_TARGET;
}

static double regress_row(float *gradient, const f0t_regression *regression, size_t m, double scale)
{
    size_t dims = regression->dims;
    if (!has_target(regression, m)) {
        memset(gradient + m * dims, 0, dims * sizeof *gradient);
        return 0;
    }
    return f0t_kernels()->row_distance(gradient + m * dims, regression->outputs + m * dims,
                                       regression->targets + target_of(regression, m) * dims, dims,
                                       (float)(2 * scale));
}

/* Σ over a part, or NaN; *bad is then the first row that is not finite. */
static double regress_part(float *gradient, const f0t_regression *regression, size_t part,
                           double scale, size_t *bad)
{
    double sum = 0;
    size_t end = part_start(part + 1, regression->images);
    for (size_t m = part_start(part, regression->images); m < end; m++) {
        sum += regress_row(gradient, regression, m, scale);
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
        training += has_target(regression, m);
    const size_t all = regression->training ? regression->training : training;
    const double scale = all ? 1 / (double)all : 0;
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t part = 0; part < PARTS; part++)
        sums[part] = regress_part(gradient, regression, part, scale, &bad[part]);
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
