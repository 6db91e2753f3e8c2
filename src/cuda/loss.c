/* The losses of a batch: what comes from the caller, the kernels (loss.cu), and what goes back. */
#include "cuda/cuda.h"
#include "cuda/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In place of f0t_loss_plan, of which nobody else knows what it is. */
typedef struct plan {
    f0t_loss_options options;
    size_t images, tags;
    uint32_t *drawn; /* relevant tags in the order that listmle draws */
    size_t drawn_count;
    /* on the device: */
    double *losses;          /* [images] */
    float *rows;             /* of scores that are too many for shared memory, or NULL */
    void *pairs;             /* for those across a batch, or NULL */
    f0t_kernel_losses *sums; /* of losses that were asked for at once, and of those that add up */
} plan;

static f0t_status take_memory(void **out, size_t bytes)
{
    F0T_CUDA_TRY(cudaMallocAsync(out, bytes ? bytes : 1, f0t_cuda_stream), "the losses");
    return F0T_OK;
}

static f0t_status take_all(plan *p)
{
    F0T_CUDA_ENTER();
    F0T_TRY(f0t_cuda_flush());
    const size_t rows = f0t_kernel_loss_rows(p->images, p->tags);
    F0T_TRY(take_memory((void **)&p->losses, p->images * sizeof *p->losses));
    F0T_TRY(take_memory((void **)&p->sums, 2 * sizeof *p->sums));
    if (p->options.pairs == F0T_PAIRS_BATCH)
        F0T_TRY(take_memory(&p->pairs, f0t_kernel_pairs_work(p->images, p->tags)));
    else if (rows)
        F0T_TRY(take_memory((void **)&p->rows, rows * sizeof *p->rows));
    F0T_CUDA_TRY(cudaMemsetAsync(p->sums, 0, 2 * sizeof *p->sums, f0t_cuda_stream), "the losses");
    return F0T_OK;
}

/* The CPU says whether the options are right. */
static f0t_status check_options(const f0t_loss_options *options)
{
    f0t_loss_plan *none;
    F0T_TRY(f0t_cuda_host.cpu->loss_create(&none, options, 0, 0));
    f0t_cuda_host.cpu->loss_free(none);
    return F0T_OK;
}

f0t_status f0t_cuda_loss_create(f0t_loss_plan **out, const f0t_loss_options *options, size_t images,
                                size_t tags)
{
    *out = NULL;
    F0T_TRY(check_options(options));
    plan *p = calloc(1, sizeof *p);
    if (!p)
        return F0T_CUDA_FAIL(F0T_ERROR_MEMORY, "no memory for a loss");
    *p = (plan){.options = *options, .images = images, .tags = tags};
    f0t_status status = take_all(p);
    if (status == F0T_OK)
        *out = (f0t_loss_plan *)p;
    else
        f0t_cuda_loss_free((f0t_loss_plan *)p);
    return status;
}

static void free_on_device(void *memory)
{
    if (memory)
        (void)cudaFreeAsync(memory, f0t_cuda_stream);
}

void f0t_cuda_loss_free(f0t_loss_plan *of)
{
    plan *p = (plan *)of;
    if (!p)
        return;
    F0T_CUDA_ENTER();
    (void)f0t_cuda_flush(); /* what fails here, the step that it was of says again */
    free_on_device(p->losses);
    free_on_device(p->sums);
    free_on_device(p->rows);
    free_on_device(p->pairs);
    free(p->drawn);
    free(p);
}

/* ---- What comes from the caller ------------------------------------------------------------------ */

/* The order depends on nothing that is on the device. */
static f0t_status draw_orders(plan *p, const f0t_loss_batch *batch)
{
    const size_t *offsets = batch->offsets, count = offsets[batch->images];
    if (p->drawn_count < count) {
        free(p->drawn);
        p->drawn_count = 0;
        p->drawn = malloc(2 * count * sizeof *p->drawn);
        if (!p->drawn)
            return F0T_CUDA_FAIL(F0T_ERROR_MEMORY, "no memory for the order of %zu tags", count);
        p->drawn_count = 2 * count;
    }
    for (size_t m = 0; m < batch->images; m++) {
        f0t_cuda_host.loss_order(p->drawn + offsets[m], &p->options, batch, m);
        for (size_t i = offsets[m]; i < offsets[m + 1]; i++)
            p->drawn[i] = batch->relevant[offsets[m] + p->drawn[i]];
    }
    return F0T_OK;
}

/* Memory for them grows by so many: batches have about as many relevant tags. */
enum { TAILS = 1 << 16 };

/* What the kernels want. All memory is taken here: once one of them has started, none is missing. */
static f0t_status prepare(f0t_kernel_batch *out, plan *p, const f0t_loss_batch *batch)
{
    const bool draws = p->options.loss == F0T_LOSS_LISTMLE && batch->images;
    const uint32_t *offsets;
    void *tails = NULL;
    if (draws) {
        const size_t count = batch->offsets[batch->images] - batch->offsets[0];
        F0T_TRY(draw_orders(p, batch));
        F0T_TRY(f0t_cuda_scratch(&tails, F0T_SCRATCH_SUMS,
                                 (count / TAILS + 1) * TAILS * sizeof *out->tails));
    }
    F0T_TRY(f0t_cuda_stage_relevant(&offsets, batch->offsets, draws ? p->drawn : batch->relevant,
                                    batch->images));
    *out = (f0t_kernel_batch){.images = batch->images,
                              .tags = batch->tags,
                              .offsets = offsets,
                              .relevant = offsets + batch->images + 1,
                              .losses = p->losses,
                              .rows = p->rows,
                              .tails = tails};
    return F0T_OK;
}

/* ---- A batch ------------------------------------------------------------------------------------- */

static f0t_status explain(const f0t_kernel_losses *losses, const char *numbers)
{
    if (losses->far)
        return F0T_CUDA_FAIL(F0T_ERROR_NUMERIC,
                             "the scores of the batch span %g to %g, too far for pairs across it: "
                             "has the training diverged?",
                             (double)losses->low, (double)losses->high);
    if (!losses->bad)
        return F0T_OK;
    return F0T_CUDA_FAIL(F0T_ERROR_NUMERIC, "row %llu of the batch: %s",
                         (unsigned long long)(losses->bad - 1),
                         losses->infinite ? "the loss is infinite" : numbers);
}

/* Reads one of the sums and sets it to 0. */
static f0t_status take(f0t_kernel_losses *out, f0t_kernel_losses *from)
{
    F0T_TRY(f0t_cuda_flush());
    F0T_CUDA_TRY(cudaMemcpyAsync(out, from, sizeof *out, cudaMemcpyDeviceToHost, f0t_cuda_stream),
                 "the losses");
    F0T_CUDA_TRY(cudaMemsetAsync(from, 0, sizeof *from, f0t_cuda_stream), "the losses");
    F0T_CUDA_TRY(cudaStreamSynchronize(f0t_cuda_stream), "the losses");
    return F0T_OK;
}

static const char SCORES[] = "a score is NaN or infinite";

/* Adds `times` the mean over the images that train, of which there are 1 / own->scale. */
static f0t_status run_rows(f0t_kernel_losses *to, double times, const f0t_kernel_batch *own,
                           f0t_loss loss)
{
    F0T_CUDA_TRY(f0t_kernel_loss((int)loss, own, f0t_cuda_stream), "the loss");
    F0T_CUDA_TRY(
        f0t_kernel_loss_add(to, own->losses, own->images, own->scale * times, f0t_cuda_stream),
        "the loss");
    return F0T_OK;
}

static size_t relevant_of(const f0t_loss_batch *batch)
{
    return batch->images ? batch->offsets[batch->images] - batch->offsets[0] : 0;
}

/* How many train, with pairs across the batch all or none. */
static size_t count_trained(const plan *p, const f0t_loss_batch *batch, size_t training)
{
    const size_t relevant = relevant_of(batch);
    if (!p->pairs)
        return training;
    return relevant && relevant < batch->images * batch->tags ? batch->images : 0;
}

static f0t_status check_batch(size_t *training, const plan *p, const f0t_loss_batch *batch)
{
    F0T_TRY(f0t_cuda_host.loss_check(training, p->options.loss, p->images, p->tags, batch));
    if (p->pairs && batch->training)
        return F0T_CUDA_FAIL(F0T_ERROR_UNSUPPORTED,
                             "pairs across the batch need the whole batch, not a part of it");
    return F0T_OK;
}

f0t_status f0t_cuda_loss(f0t_loss_result *result, f0t_buffer *gradient, const f0t_buffer *scores,
                         f0t_loss_plan *of, const f0t_loss_batch *batch)
{
    F0T_CUDA_ENTER();
    plan *p = (plan *)of;
    size_t training;
    f0t_kernel_batch own;
    f0t_kernel_losses losses, *to = &p->sums[result ? 0 : 1];
    const double times = result ? 1 : (double)batch->images;
    if (result)
        *result = (f0t_loss_result){0, 0};
    F0T_TRY(check_batch(&training, p, batch));
    const size_t all = batch->training ? batch->training : training;
    F0T_TRY(f0t_cuda_capture());
    F0T_TRY(prepare(&own, p, batch));
    own.scores = scores->data;
    own.gradient = gradient->data;
    own.scale = all ? 1 / (double)all : 0;
    if (p->pairs)
        F0T_CUDA_TRY(
            f0t_kernel_pairs(to, times, &own, relevant_of(batch), p->pairs, f0t_cuda_stream),
            "the loss");
    else
        F0T_TRY(run_rows(to, times, &own, p->options.loss));
    if (!result)
        return F0T_OK;
    F0T_TRY(take(&losses, to));
    F0T_TRY(explain(&losses, SCORES));
    *result = (f0t_loss_result){losses.sum, count_trained(p, batch, training)};
    return F0T_OK;
}

f0t_status f0t_cuda_loss_sum(double *sum, f0t_loss_plan *of)
{
    F0T_CUDA_ENTER();
    plan *p = (plan *)of;
    f0t_kernel_losses losses = {0};
    F0T_TRY(take(&losses, &p->sums[1]));
    *sum = losses.sum;
    return explain(&losses, SCORES);
}

/* ---- Regression -------------------------------------------------------------------------------- */

/* The targets of a batch as rows of their own, and which images have one. */
typedef struct targets {
    float *rows;
    uint32_t *trains;
    size_t training;
} targets;

static f0t_status gather_targets(targets *out, const f0t_regression *r)
{
    out->rows = calloc(r->images * r->dims + 1, sizeof *out->rows);
    out->trains = calloc(r->images + 1, sizeof *out->trains);
    if (!out->rows || !out->trains)
        return F0T_CUDA_FAIL(F0T_ERROR_MEMORY, "no memory for the targets of a batch");
    for (size_t m = 0; m < r->images; m++) {
        const size_t row = r->index ? r->index[m] : m;
        out->trains[m] = !r->index || r->index[m] != F0T_NO_TARGET;
        out->training += out->trains[m];
        if (out->trains[m])
            memcpy(out->rows + m * r->dims, r->targets + row * r->dims, r->dims * sizeof(float));
    }
    return F0T_OK;
}

/* The sums and the losses of the images, in one piece of scratch. */
static f0t_status regress(f0t_loss_result *result, f0t_buffer *gradient, const f0t_buffer *outputs,
                          const f0t_regression *r, const targets *t)
{
    F0T_CUDA_ENTER();
    const size_t all = r->training ? r->training : t->training;
    const double share = all ? 1 / (double)all : 0;
    f0t_kernel_losses losses, *sum;
    void *rows, *trains, *memory;
    if (!r->images)
        return F0T_OK;
    F0T_TRY(f0t_cuda_flush());
    F0T_TRY(f0t_cuda_stage(&rows, t->rows, r->images * r->dims * sizeof *t->rows));
    F0T_TRY(f0t_cuda_stage(&trains, t->trains, r->images * sizeof *t->trains));
    F0T_TRY(
        f0t_cuda_scratch(&memory, F0T_SCRATCH_GRADIENT, sizeof *sum + r->images * sizeof(double)));
    sum = memory;
    double *each = (double *)(sum + 1);
    F0T_CUDA_TRY(cudaMemsetAsync(sum, 0, sizeof *sum, f0t_cuda_stream), "the loss");
    F0T_CUDA_TRY(f0t_kernel_regression(gradient->data, each, outputs->data, rows, r->images,
                                       r->dims, share, trains, f0t_cuda_stream),
                 "the loss");
    F0T_CUDA_TRY(f0t_kernel_loss_add(sum, each, r->images, share, f0t_cuda_stream), "the loss");
    F0T_TRY(take(&losses, sum));
    *result = (f0t_loss_result){losses.sum, t->training};
    losses.infinite = 0;
    return explain(&losses, "an output or target is NaN or infinite");
}

f0t_status f0t_cuda_regression(f0t_loss_result *result, f0t_buffer *gradient,
                               const f0t_buffer *outputs, const f0t_regression *regression)
{
    targets t = {0};
    *result = (f0t_loss_result){0, 0};
    f0t_status status = gather_targets(&t, regression);
    if (status == F0T_OK)
        status = regress(result, gradient, outputs, regression, &t);
    free(t.rows);
    free(t.trains);
    return status;
}
