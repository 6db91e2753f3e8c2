#include "model/resident.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "base/random.h"
#include "base/team.h"
#include "compute/tolerance.h"

#include <math.h>
#include <string.h>

enum { BLOCK_ROWS = 512 };

/* ---- Room -------------------------------------------------------------------------------------- */

/* What is left for the products' own memory, batches and their results. */
static const size_t MARGIN = (size_t)1 << 30;

static bool has_room(const f0t_compute *compute, f0t_dtype type, size_t count, size_t dim)
{
    const size_t each = type == F0T_BF16 ? sizeof(uint16_t) : sizeof(float);
    const size_t room = compute->room ? compute->room() : SIZE_MAX;
    return !dim || (room > MARGIN && count <= (room - MARGIN) / each / dim);
}

/* Memory that somebody else took in the meantime, or that lies in pieces, shows here and not in the first step: what is
 * left for a training is taken beside the features, and given back to the device's own memory. */
static f0t_status take_room(f0t_resident *r, const f0t_compute *compute, f0t_dtype type)
{
    f0t_buffer *margin;
    f0t_status status =
        f0t_buffer_create(&margin, compute, F0T_F32, compute->room ? MARGIN / sizeof(float) : 0);
    if (status == F0T_OK)
        status = f0t_buffer_create(&r->rows, compute, type, r->count * r->dim);
    if (status == F0T_OK)
        status = f0t_buffer_create(&r->signs, compute, type, r->dim);
    if (status == F0T_OK)
        status = f0t_buffer_create(&r->sums, compute, F0T_F32, r->count);
    f0t_buffer_free(margin);
    return status;
}

static f0t_status draw_signs(f0t_resident *r)
{
    const f0t_random random = {0x5e1ec7ed, 0};
    F0T_TRY(f0t_alloc(&r->sign, r->dim, sizeof *r->sign));
    F0T_TRY(f0t_alloc(&r->expected, r->count, sizeof *r->expected));
    F0T_TRY(f0t_alloc(&r->size, r->count, sizeof *r->size));
    F0T_TRY(f0t_alloc(&r->found, r->count, sizeof *r->found));
    for (size_t j = 0; j < r->dim; j++)
        r->sign[j] = f0t_random_below(&random, j, 2) ? 1 : -1;
    return r->signs->compute->upload(r->signs, 0, r->sign, r->dim);
}

/* ---- Upload ------------------------------------------------------------------------------------ */

/* Rows [first, …) of the resident ones, as they are made. */
typedef struct part {
    f0t_resident *r;
    f0t_condition_rows rows;
    size_t first;
} part;

enum { RUN = 64 }; /* numbers that are added up in float32 */

/* The numbers as they are stored. */
static void round_run(float *to, const float *x, size_t n, f0t_dtype type)
{
    uint16_t half[RUN];
    if (type != F0T_BF16) {
        memcpy(to, x, n * sizeof *to);
        return;
    }
    f0t_f32_to_bf16(half, x, n);
    f0t_dtype_to_f32(to, half, F0T_BF16, n);
}

static void add_up(f0t_resident *r, size_t row, const float *x)
{
    double sums = 0, sizes = 0;
    float stored[RUN];
    for (size_t j = 0, n; j < r->dim; j += n) {
        float sum = 0, size = 0;
        n = r->dim - j < RUN ? r->dim - j : RUN;
        round_run(stored, x + j, n, r->rows->type);
        for (size_t i = 0; i < n; i++) {
            sum += r->sign[j + i] * stored[i];
            size += fabsf(stored[i]);
        }
        sums += (double)sum;
        sizes += (double)size;
    }
    r->expected[row] = (float)sums;
    r->size[row] = (float)sizes;
}

static f0t_status fill(void *user, float *to, size_t n)
{
    part *p = user;
    const size_t dim = p->r->dim;
    F0T_TRY(f0t_condition_fill(&p->rows, to, n));
#pragma omp parallel for schedule(static) num_threads(f0t_team_size())
    for (size_t i = 0; i < n / dim; i++)
        add_up(p->r, p->first + i, to + i * dim);
    return F0T_OK;
}

static f0t_status send(part *p, size_t n, float *block)
{
    f0t_buffer *to = p->r->rows;
    const size_t at = p->first * p->r->dim;
    if (to->compute->stream)
        return to->compute->stream(to, at, n, fill, p);
    F0T_TRY(fill(p, block, n));
    return to->compute->upload(to, at, block, n);
}

static f0t_status upload_blocks(f0t_resident *r, float *block, const f0t_condition *c,
                                const f0t_dataset *dataset, const uint32_t *images,
                                const f0t_monitor *monitor)
{
    f0t_stage stage = f0t_stage_begin(monitor, "uploading the features", "images", r->count);
    for (size_t first = 0; first < r->count; first += BLOCK_ROWS) {
        const size_t rows = r->count - first < BLOCK_ROWS ? r->count - first : BLOCK_ROWS;
        part p = {r, {c, dataset, images + first}, first};
        F0T_TRY(send(&p, rows * r->dim, block));
        F0T_TRY(f0t_stage_update(&stage, first));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

static f0t_status upload(f0t_resident *r, const f0t_condition *c, const f0t_dataset *dataset,
                         const uint32_t *images, const f0t_monitor *monitor)
{
    float *block;
    F0T_TRY(f0t_alloc(&block, BLOCK_ROWS * r->dim, sizeof *block));
    f0t_status status = draw_signs(r);
    if (status == F0T_OK)
        status = upload_blocks(r, block, c, dataset, images, monitor);
    f0t_free(block);
    return status;
}

f0t_status f0t_resident_create(f0t_resident **out, const f0t_condition *c,
                               const f0t_dataset *dataset, const uint32_t *images, size_t count,
                               const f0t_compute *compute, f0t_dtype type,
                               const f0t_monitor *monitor)
{
    f0t_resident *r;
    *out = NULL;
    if (compute->shares_memory || !compute->gather || !has_room(compute, type, count, c->dim))
        return F0T_OK;
    F0T_TRY(f0t_alloc_zero(&r, 1, sizeof *r));
    r->count = count;
    r->dim = c->dim;
    f0t_status status = take_room(r, compute, type);
    const bool is_full = status == F0T_ERROR_MEMORY;
    if (status == F0T_OK)
        status = upload(r, c, dataset, images, monitor);
    if (status == F0T_OK)
        *out = r;
    else
        f0t_resident_free(r);
    return is_full ? F0T_OK : status;
}

void f0t_resident_free(f0t_resident *r)
{
    if (!r)
        return;
    f0t_buffer_free(r->rows);
    f0t_buffer_free(r->signs);
    f0t_buffer_free(r->sums);
    f0t_free(r->sign);
    f0t_free(r->expected);
    f0t_free(r->size);
    f0t_free(r->found);
    f0t_free(r);
}

/* ---- The check --------------------------------------------------------------------------------- */

f0t_status f0t_resident_check(f0t_resident_fault *out, const f0t_resident *r)
{
    const f0t_compute *compute = r->rows->compute;
    const f0t_matmul op = {.m = r->count, .n = 1, .k = r->dim, .type = r->rows->type};
    *out = (f0t_resident_fault){.row = F0T_NONE};
    F0T_TRY(compute->product(r->sums, r->rows, r->signs, NULL, &op));
    F0T_TRY(compute->download(r->found, r->sums, 0, r->count));
    for (size_t m = 0; m < r->count; m++) {
        const double found = (double)r->found[m], expected = (double)r->expected[m];
        if (fabs(found - expected) <= f0t_tolerance_sum(r->dim, (double)r->size[m]))
            continue;
        *out = (f0t_resident_fault){m, found, expected};
        return F0T_OK;
    }
    return F0T_OK;
}
