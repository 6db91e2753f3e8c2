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
    bool by_cpu;        /* the CPU computes it, from a copy of the scores */
    f0t_loss_plan *cpu; /* then: its plan, and the scores and the gradient */
    float *host;        /* [images x tags] */
    double *losses;     /* on the device: [images] */
    f0t_kernel_losses
        *sums; /* on the device: of losses that were asked for at once, and of those that add up */
    double waiting; /* losses of the CPU's that add up */
} plan;

/* What has no kernel: the order that listmle draws, and the pairs across a batch. */
static bool is_by_cpu(const f0t_loss_options *options, size_t tags)
{
    return options->loss == F0T_LOSS_LISTMLE || options->pairs == F0T_PAIRS_BATCH ||
           tags > f0t_kernel_loss_tags_most();
}

static f0t_status plan_by_cpu(plan *p)
{
    if (p->tags && p->images > SIZE_MAX / sizeof *p->host / p->tags)
        return F0T_CUDA_FAIL(F0T_ERROR_MEMORY, "no memory for %zu images with scores of %zu tags",
                             p->images, p->tags);
    p->host = malloc(p->images * p->tags * sizeof *p->host + 1);
    if (!p->host)
        return F0T_CUDA_FAIL(F0T_ERROR_MEMORY, "no memory for %zu images with scores of %zu tags",
                             p->images, p->tags);
    return F0T_OK;
}

static f0t_status plan_by_gpu(plan *p)
{
    F0T_CUDA_ENTER();
    F0T_TRY(f0t_cuda_flush());
    const size_t bytes = p->images * sizeof *p->losses;
    F0T_CUDA_TRY(cudaMallocAsync((void **)&p->losses, bytes ? bytes : 1, f0t_cuda_stream),
                 "the losses");
    F0T_CUDA_TRY(cudaMallocAsync((void **)&p->sums, 2 * sizeof *p->sums, f0t_cuda_stream),
                 "the losses");
    F0T_CUDA_TRY(cudaMemsetAsync(p->sums, 0, 2 * sizeof *p->sums, f0t_cuda_stream), "the losses");
    return F0T_OK;
}

f0t_status f0t_cuda_loss_create(f0t_loss_plan **out, const f0t_loss_options *options, size_t images,
                                size_t tags)
{
    *out = NULL;
    plan *p = calloc(1, sizeof *p);
    if (!p)
        return F0T_CUDA_FAIL(F0T_ERROR_MEMORY, "no memory for a loss");
    *p = (plan){.options = *options, .images = images, .tags = tags};
    p->by_cpu = is_by_cpu(options, tags);
    /* The CPU's plan also says whether the options are right. */
    f0t_status status = f0t_cuda_host.cpu->loss_create(&p->cpu, options, images, tags);
    if (status == F0T_OK)
        status = p->by_cpu ? plan_by_cpu(p) : plan_by_gpu(p);
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
    f0t_cuda_host.cpu->loss_free(p->cpu);
    F0T_CUDA_ENTER();
    (void)f0t_cuda_flush();
    free_on_device(p->losses);
    free_on_device(p->sums);
    free(p->host);
    free(p);
}

/* ---- By the CPU -------------------------------------------------------------------------------- */

static f0t_status run_by_cpu(f0t_loss_result *result, f0t_buffer *gradient,
                             const f0t_buffer *scores, plan *p, const f0t_loss_batch *batch)
{
    const size_t n = batch->images * batch->tags;
    size_t training;
    f0t_loss_result own;
    F0T_TRY(f0t_cuda_host.loss_check(&training, p->options.loss, p->images, p->tags, batch));
    F0T_TRY(f0t_cuda_download(p->host, scores, 0, n));
    f0t_buffer view = f0t_buffer_view(f0t_cuda_host.cpu, F0T_F32, n, p->host);
    F0T_TRY(f0t_cuda_host.cpu->loss(&own, &view, &view, p->cpu, batch));
    F0T_TRY(f0t_cuda_upload(gradient, 0, p->host, n));
    if (result)
        *result = own;
    else
        p->waiting += own.loss * (double)batch->images;
    return F0T_OK;
}

/* ---- By the GPU -------------------------------------------------------------------------------- */

static f0t_status explain(const f0t_kernel_losses *losses, const char *numbers)
{
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

static f0t_status run_by_gpu(f0t_loss_result *result, f0t_buffer *gradient,
                             const f0t_buffer *scores, plan *p, const f0t_loss_batch *batch)
{
    F0T_CUDA_ENTER();
    size_t training;
    const uint32_t *offsets;
    f0t_kernel_losses losses;
    F0T_TRY(f0t_cuda_host.loss_check(&training, p->options.loss, p->images, p->tags, batch));
    const size_t all = batch->training ? batch->training : training;
    const double share = all ? 1 / (double)all : 0;
    F0T_TRY(f0t_cuda_capture());
    F0T_TRY(f0t_cuda_stage_relevant(&offsets, batch->offsets, batch->relevant, batch->images));
    const f0t_kernel_batch own = {.images = batch->images,
                                  .tags = batch->tags,
                                  .scores = scores->data,
                                  .offsets = offsets,
                                  .relevant = offsets + batch->images + 1,
                                  .scale = share,
                                  .gradient = gradient->data,
                                  .losses = p->losses};
    F0T_CUDA_TRY(f0t_kernel_loss((int)p->options.loss, &own, f0t_cuda_stream), "the loss");
    F0T_CUDA_TRY(f0t_kernel_loss_add(&p->sums[result ? 0 : 1], p->losses, batch->images,
                                     result ? share : share * (double)batch->images,
                                     f0t_cuda_stream),
                 "the loss");
    if (!result)
        return F0T_OK;
    F0T_TRY(take(&losses, &p->sums[0]));
    F0T_TRY(explain(&losses, SCORES));
    *result = (f0t_loss_result){losses.sum, training};
    return F0T_OK;
}

f0t_status f0t_cuda_loss(f0t_loss_result *result, f0t_buffer *gradient, const f0t_buffer *scores,
                         f0t_loss_plan *of, const f0t_loss_batch *batch)
{
    plan *p = (plan *)of;
    if (result)
        *result = (f0t_loss_result){0, 0};
    return p->by_cpu ? run_by_cpu(result, gradient, scores, p, batch)
                     : run_by_gpu(result, gradient, scores, p, batch);
}

f0t_status f0t_cuda_loss_sum(double *sum, f0t_loss_plan *of)
{
    F0T_CUDA_ENTER();
    plan *p = (plan *)of;
    f0t_kernel_losses losses = {0};
    if (!p->by_cpu)
        F0T_TRY(take(&losses, &p->sums[1]));
    *sum = losses.sum + p->waiting;
    p->waiting = 0;
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
