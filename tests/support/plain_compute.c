#include "plain_compute.h"

#include "base/alloc.h"
#include "loss_reference.h"
#include "net_reference.h"
#include "reference.h"

#include <math.h>
#include <string.h>

plain_counts plain_count;

/* ---- Memory ------------------------------------------------------------------------------------ */

/* The device's memory: buffer->data is no address that the library could read, but a handle. */
typedef struct memory {
    float *values; /* always float32: bfloat16 is rounded when it is stored */
    size_t k, n;   /* of a packed matrix, as k x n */
} memory;

static const uintptr_t MASK = (uintptr_t)1 << 63;

static memory *memory_of(const f0t_buffer *buffer)
{
    return (memory *)((uintptr_t)buffer->data ^ MASK);
}

static float *values(const f0t_buffer *buffer)
{
    return memory_of(buffer)->values;
}

static float stored(float value, f0t_dtype type)
{
    const uint32_t bits = (uint32_t)f0t_f32_to_bf16_ref(value) << 16;
    if (type != F0T_BF16)
        return value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

size_t plain_room_left = SIZE_MAX, plain_numbers_most = SIZE_MAX;
/* So many are taken to see whether there is memory for them, and not used. */
static const size_t MUCH = (size_t)1 << 26;
static size_t held; /* numbers in buffers */

static f0t_status plain_alloc(f0t_buffer *buffer)
{
    memory *m;
    F0T_TRY(f0t_alloc_zero(&m, 1, sizeof *m));
    buffer->data = (void *)((uintptr_t)m ^ MASK);
    plain_count.allocs++;
    held += buffer->count;
    return f0t_alloc_zero(&m->values, buffer->count < MUCH ? buffer->count : 1, sizeof *m->values);
}

static void plain_release(f0t_buffer *buffer)
{
    if (!buffer->data)
        return;
    plain_count.releases++;
    held -= buffer->count;
    f0t_free(values(buffer));
    f0t_free(memory_of(buffer));
}

static f0t_status plain_upload(f0t_buffer *to, size_t first, const float *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        values(to)[first + i] = stored(from[i], to->type);
    return F0T_OK;
}

static f0t_status plain_download(float *to, const f0t_buffer *from, size_t first, size_t n)
{
    memcpy(to, values(from) + first, n * sizeof *to);
    return F0T_OK;
}

static f0t_status plain_stream(f0t_buffer *to, size_t first, size_t n, f0t_fill *fill, void *user)
{
    float *block;
    F0T_TRY(f0t_alloc(&block, n, sizeof *block));
    f0t_status status = fill(user, block, n);
    if (status == F0T_OK)
        status = plain_upload(to, first, block, n);
    f0t_free(block);
    plain_count.streams++;
    return status;
}

static f0t_status plain_gather(f0t_buffer *to, const f0t_buffer *from, const uint32_t *index,
                               size_t rows, size_t cols)
{
    for (size_t r = 0; r < rows; r++)
        memcpy(values(to) + r * cols, values(from) + index[r] * cols, cols * sizeof(float));
    plain_count.gathers++;
    return F0T_OK;
}

static f0t_status plain_pack(f0t_buffer *to, const float *from, size_t k, size_t n, bool transposed,
                             size_t rows)
{
    (void)rows;
    F0T_TRY(plain_alloc(to));
    memory_of(to)->k = k;
    memory_of(to)->n = n;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < n; j++)
            values(to)[i * n + j] =
                stored(transposed ? from[j * k + i] : from[i * n + j], to->type);
    return F0T_OK;
}

/* ---- The training step -------------------------------------------------------------------------- */

bool plain_is_rough;

static float cut_off(float x, bool coarse)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= coarse ? ~(uint32_t)0x1fff : ~(uint32_t)0;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Sums of rounded products, cut off to float32 after each. */
static void rough_product(double *sums, const float *a, const float *b, const float *bias,
                          const f0t_matmul *op)
{
    const bool coarse = op->coarse;
    for (size_t i = 0; i < op->m; i++)
        for (size_t j = 0; j < op->n; j++) {
            float sum = 0;
            for (size_t p = 0; p < op->k; p++) {
                const float x =
                    cut_off(a[op->a_transposed ? p * op->m + i : i * op->k + p], coarse);
                const float y =
                    cut_off(b[op->b_transposed ? j * op->k + p : p * op->n + j], coarse);
                const double whole = (double)sum + (double)x * (double)y;
                sum = (float)whole;
                if (fabs((double)sum) > fabs(whole))
                    sum = nextafterf(sum, 0);
            }
            sum += bias ? bias[j] : 0;
            sums[i * op->n + j] = (double)(op->relu && sum < 0 ? 0 : sum);
        }
}

/* The numbers are float32 here, whatever their type. */
static f0t_status plain_product(f0t_buffer *c, const f0t_buffer *a, const f0t_buffer *b,
                                const f0t_buffer *bias, const f0t_matmul *op)
{
    f0t_matmul wide = *op;
    double *sums;
    if (held > plain_numbers_most)
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for a product");
    if (!plain_count.products)
        plain_count.first = held;
    plain_count.most = held > plain_count.most ? held : plain_count.most;
    wide.type = wide.result = F0T_F32;
    wide.b_transposed = op->b_transposed && !memory_of(b)->n;
    plain_count.products++;
    F0T_TRY(f0t_alloc(&sums, op->m * op->n, sizeof *sums));
    for (size_t i = 0; i < op->m * op->n; i++)
        sums[i] = op->accumulate ? (double)values(c)[i] : 0;
    if (plain_is_rough && !op->accumulate)
        rough_product(sums, values(a), values(b), bias ? values(bias) : NULL, &wide);
    else
        f0t_matmul_ref(sums, NULL, values(a), values(b), bias ? values(bias) : NULL, &wide);
    for (size_t i = 0; i < op->m * op->n; i++)
        values(c)[i] = stored((float)sums[i], op->result);
    f0t_free(sums);
    return F0T_OK;
}

static f0t_status plain_drop(f0t_buffer *y, const f0t_buffer *x, size_t n,
                             const f0t_dropout *dropout)
{
    plain_count.drops++;
    for (size_t i = 0; i < n; i++) {
        const bool dropped =
            f0t_dropout_number(&dropout->random, dropout->first + i) < dropout->limit;
        values(y)[i] =
            dropped ? 0 : stored(values(x)[i] * (dropout->limit ? dropout->scale : 1), y->type);
    }
    return F0T_OK;
}

static void sum_columns(f0t_buffer *sums, const double *numbers, size_t rows, size_t cols)
{
    for (size_t c = 0; c < cols; c++) {
        double sum = 0;
        for (size_t r = 0; r < rows; r++)
            sum += numbers[r * cols + c];
        values(sums)[c] = (float)sum;
    }
}

static f0t_status plain_gate(f0t_buffer *d, const f0t_buffer *y, size_t rows, size_t cols,
                             float scale, f0t_buffer *sums)
{
    double *passed;
    plain_count.gates++;
    F0T_TRY(f0t_alloc(&passed, rows * cols, sizeof *passed));
    for (size_t i = 0; i < rows * cols; i++) {
        passed[i] = values(y)[i] > 0 ? (double)(values(d)[i] * scale) : 0;
        values(d)[i] = stored((float)passed[i], d->type);
    }
    sum_columns(sums, passed, rows, cols);
    f0t_free(passed);
    return F0T_OK;
}

static f0t_status plain_outputs(f0t_buffer *to, const f0t_buffer *d, size_t rows, size_t cols,
                                f0t_buffer *sums)
{
    double *numbers;
    F0T_TRY(f0t_alloc(&numbers, rows * cols, sizeof *numbers));
    for (size_t i = 0; i < rows * cols; i++) {
        numbers[i] = (double)values(d)[i];
        values(to)[i] = stored(values(d)[i], to->type);
    }
    sum_columns(sums, numbers, rows, cols);
    f0t_free(numbers);
    return F0T_OK;
}

static f0t_status plain_update(const f0t_parameter_buffers *p, const f0t_buffer *gradient, size_t n,
                               const f0t_optimizer *optimizer, uint64_t t, double rate)
{
    plain_count.updates++;
    for (size_t i = 0; i < n; i++) {
        double w = (double)values(p->w)[i], m = (double)values(p->m)[i], v = 0;
        const double g = (double)values(gradient)[i];
        v = p->v ? (double)values(p->v)[i] : 0;
        f0t_optimizer_update_ref(&w, &m, &v, &g, 1, p->decays, optimizer, t, rate);
        values(p->w)[i] = (float)w;
        values(p->m)[i] = (float)m;
        if (p->v)
            values(p->v)[i] = (float)v;
        if (p->half)
            values(p->half)[i] = stored((float)w, F0T_BF16);
    }
    return F0T_OK;
}

static f0t_status plain_descend(const f0t_parameter_buffers *p, const f0t_buffer *dy,
                                const f0t_buffer *x, size_t rows, size_t outputs, size_t inputs,
                                const f0t_optimizer *optimizer, uint64_t t, double rate)
{
    const f0t_matmul op = {
        .m = outputs, .n = inputs, .k = rows, .type = dy->type, .a_transposed = true};
    f0t_buffer *gradient;
    F0T_TRY(f0t_buffer_create(&gradient, dy->compute, F0T_F32, outputs * inputs));
    f0t_status status = plain_product(gradient, dy, x, NULL, &op);
    if (status == F0T_OK)
        status = plain_update(p, gradient, outputs * inputs, optimizer, t, rate);
    f0t_buffer_free(gradient);
    return status;
}

/* ---- Losses ------------------------------------------------------------------------------------- */

/* In place of f0t_loss_plan, of which nobody else knows what it is. */
typedef struct plan {
    f0t_loss_options options;
    double sum; /* of losses that nobody has asked for yet */
} plan;

static f0t_status plain_loss_create(f0t_loss_plan **out, const f0t_loss_options *options,
                                    size_t images, size_t tags)
{
    plan *p;
    (void)images;
    (void)tags;
    F0T_TRY(f0t_alloc(&p, 1, sizeof *p));
    *p = (plan){.options = *options};
    *out = (f0t_loss_plan *)p;
    return F0T_OK;
}

static void plain_loss_free(f0t_loss_plan *p)
{
    f0t_free(p);
}

static f0t_status run_loss(f0t_loss_result *result, f0t_buffer *gradient, const f0t_buffer *scores,
                           f0t_loss_plan *p, const f0t_loss_batch *batch)
{
    const size_t n = batch->images * batch->tags;
    double *wide, *slopes = NULL;
    plain_count.losses++;
    F0T_TRY(f0t_alloc(&wide, n, sizeof *wide));
    f0t_status status = f0t_alloc(&slopes, n, sizeof *slopes);
    for (size_t i = 0; i < n; i++)
        wide[i] = (double)values(scores)[i];
    *result = (f0t_loss_result){0, 0};
    for (size_t m = 0; m < batch->images; m++) {
        const size_t relevant = batch->offsets[m + 1] - batch->offsets[m];
        result->images += f0t_loss_trains(((plan *)p)->options.loss, relevant, batch->tags);
    }
    if (status == F0T_OK)
        status = f0t_loss_ref(&result->loss, slopes, wide, &((plan *)p)->options, batch);
    for (size_t i = 0; i < n && status == F0T_OK; i++)
        values(gradient)[i] = (float)slopes[i];
    f0t_free(wide);
    f0t_free(slopes);
    return status;
}

static f0t_status plain_loss(f0t_loss_result *result, f0t_buffer *gradient,
                             const f0t_buffer *scores, f0t_loss_plan *p,
                             const f0t_loss_batch *batch)
{
    f0t_loss_result own;
    if (result)
        return run_loss(result, gradient, scores, p, batch);
    F0T_TRY(run_loss(&own, gradient, scores, p, batch));
    ((plan *)p)->sum += own.loss * (double)batch->images;
    return F0T_OK;
}

static f0t_status plain_loss_sum(double *sum, f0t_loss_plan *p)
{
    *sum = ((plan *)p)->sum;
    ((plan *)p)->sum = 0;
    return F0T_OK;
}

static f0t_status plain_regression(f0t_loss_result *result, f0t_buffer *gradient,
                                   const f0t_buffer *outputs, const f0t_regression *r)
{
    double sum = 0;
    size_t training = 0;
    plain_count.regressions++;
    for (size_t m = 0; m < r->images; m++)
        training += !r->index || r->index[m] != F0T_NO_TARGET;
    for (size_t m = 0; m < r->images; m++)
        for (size_t d = 0; d < r->dims; d++) {
            const size_t i = m * r->dims + d, row = r->index ? r->index[m] : m;
            const bool trains = !r->index || r->index[m] != F0T_NO_TARGET;
            const double far =
                trains ? (double)values(outputs)[i] - (double)r->targets[row * r->dims + d] : 0;
            sum += far * far;
            values(gradient)[i] = (float)(2 * far / (double)(training ? training : 1));
        }
    *result = (f0t_loss_result){training ? sum / (double)training : 0, training};
    return F0T_OK;
}

/* ---- Ranking ------------------------------------------------------------------------------------ */

static f0t_status plain_top(uint32_t *index, float *value, const f0t_buffer *scores, size_t rows,
                            size_t n, size_t k)
{
    const size_t kept = k < n ? k : n;
    uint32_t *order;
    plain_count.tops++;
    F0T_TRY(f0t_alloc(&order, n, sizeof *order));
    for (size_t r = 0; r < rows; r++) {
        f0t_topk_row_ref(order, values(scores) + r * n, n, k);
        memcpy(index + r * kept, order, kept * sizeof *index);
        for (size_t i = 0; i < kept && value; i++)
            value[r * kept + i] = values(scores)[r * n + order[i]];
    }
    f0t_free(order);
    return F0T_OK;
}

static f0t_status plain_places(f0t_place *places, const f0t_buffer *scores, size_t rows, size_t n,
                               const size_t *offsets, const uint32_t *relevant)
{
    plain_count.places++;
    for (size_t r = 0; r < rows; r++)
        for (size_t i = offsets[r]; i < offsets[r + 1]; i++) {
            const float *row = values(scores) + r * n;
            f0t_place place = {0};
            for (size_t t = 0; t < n; t++) {
                place.above += row[t] > row[relevant[i]];
                place.equal += row[t] == row[relevant[i]];
            }
            places[i - offsets[0]] = place;
        }
    return F0T_OK;
}

static size_t plain_room(void)
{
    return plain_room_left;
}

const f0t_compute plain_compute = {
    .device = "plain",
    .shares_memory = false,
    .alloc = plain_alloc,
    .release = plain_release,
    .room = plain_room,
    .upload = plain_upload,
    .download = plain_download,
    .stream = plain_stream,
    .gather = plain_gather,
    .pack = plain_pack,
    .product = plain_product,
    .drop = plain_drop,
    .gate = plain_gate,
    .outputs = plain_outputs,
    .loss_create = plain_loss_create,
    .loss_free = plain_loss_free,
    .loss = plain_loss,
    .loss_sum = plain_loss_sum,
    .regression = plain_regression,
    .update = plain_update,
    .descend = plain_descend,
    .top = plain_top,
    .places = plain_places,
};
