#include "model/validate.h"

#include "base/alloc.h"
#include "base/group.h"
#include "compute/scoring.h"
#include "rank/miap.h"

enum { BLOCK_ROWS = 1000 };

/* The memory for one block of images. */
typedef struct block {
    float *features;   /* [rows x D] */
    float *directions; /* [rows x d] */
    float *scores;     /* [rows x T] */
    size_t *offsets;   /* [rows + 1] */
} block;

static size_t directions_of(const f0t_train_data *data)
{
    return data->tags && data->directions ? data->directions : 1;
}

static size_t rows_at(const f0t_samples *val, size_t first)
{
    return val->count - first < BLOCK_ROWS ? val->count - first : BLOCK_ROWS;
}

static f0t_status block_create(block *b, const f0t_train_data *data)
{
    const size_t K = directions_of(data);
    *b = (block){0};
    F0T_TRY(f0t_alloc(&b->features, BLOCK_ROWS * data->condition->dim, sizeof *b->features));
    F0T_TRY(f0t_alloc(&b->directions, BLOCK_ROWS * K * data->dim, sizeof *b->directions));
    F0T_TRY(f0t_alloc(&b->offsets, BLOCK_ROWS + 1, sizeof *b->offsets));
    return f0t_alloc(&b->scores, BLOCK_ROWS * K * data->train->tags, sizeof *b->scores);
}

static void block_free(block *b)
{
    f0t_free(b->features);
    f0t_free(b->directions);
    f0t_free(b->offsets);
    f0t_free(b->scores);
}

/* Offsets of a block begin where its first image's tags do. */
static f0t_status add_block(f0t_miap *miap, const f0t_train_data *data, const f0t_net *net,
                            block *b, size_t first, size_t rows)
{
    const f0t_samples *val = data->val;
    const size_t start = val->offsets[first], K = directions_of(data);
    F0T_TRY(f0t_net_apply(data->tags ? b->directions : b->scores, net, b->features, rows));
    if (data->tags)
        F0T_TRY(f0t_score_once(b->scores, b->directions, rows * K, data->tags, val->tags, data->dim,
                               false));
    f0t_score_highest(b->scores, b->scores, rows, K, val->tags);
    for (size_t r = 0; r <= rows; r++)
        b->offsets[r] = val->offsets[first + r] - start;
    f0t_ranking ranking = {.images = rows,
                           .tags = val->tags,
                           .scores = b->scores,
                           .offsets = b->offsets,
                           .relevant = val->relevant + start};
    return f0t_miap_add(miap, &ranking);
}

static f0t_status add_all(f0t_miap *miap, const f0t_net *const *nets, size_t count,
                          const f0t_train_data *data, block *b)
{
    const f0t_group *group = f0t_group_current();
    const f0t_samples *val = data->val;
    const size_t end = f0t_group_part(val->count, group->rank + 1, group->size);
    for (size_t first = f0t_group_part(val->count, group->rank, group->size), rows; first < end;
         first += rows) {
        rows = end - first < BLOCK_ROWS ? end - first : BLOCK_ROWS;
        F0T_TRY(f0t_condition_gather(b->features, data->condition, data->dataset,
                                     val->images + first, rows));
        for (size_t i = 0; i < count; i++)
            F0T_TRY(add_block(&miap[i], data, nets[i], b, first, rows));
    }
    return F0T_OK;
}

/* Each process has ranked some of the images. */
static f0t_status add_up(f0t_miap *miap)
{
    double sums[3] = {miap->sum, (double)miap->ranked, (double)miap->images};
    F0T_TRY(f0t_group_total(f0t_group_current(), sums, 3));
    *miap = (f0t_miap){.sum = sums[0], .ranked = (size_t)sums[1], .images = (size_t)sums[2]};
    return F0T_OK;
}

f0t_status f0t_validate(double *miap, const f0t_net *const *nets, size_t count,
                        const f0t_train_data *data)
{
    block b = {0};
    f0t_miap *sums = NULL;
    f0t_status status = f0t_alloc_zero(&sums, count, sizeof *sums);
    if (status == F0T_OK)
        status = block_create(&b, data);
    if (status == F0T_OK)
        status = add_all(sums, nets, count, data, &b);
    for (size_t i = 0; i < count && status == F0T_OK; i++) {
        status = add_up(&sums[i]);
        miap[i] = 100 * f0t_miap_get(&sums[i]);
    }
    block_free(&b);
    f0t_free(sums);
    return status;
}

/* ---- On a device ------------------------------------------------------------------------------- */

struct f0t_validation {
    const f0t_train_data *data;
    f0t_resident *all; /* [val->count x D]; NULL: every block brings its own */
    f0t_scoring scoring;
    f0t_buffer *directions; /* [rows x d], or NULL where the outputs are the scores */
    f0t_buffer *scores;     /* [rows x T] */
    uint32_t *index;        /* [rows] */
    f0t_place *places;      /* of the relevant tags of a block */
};

static size_t most_places(const f0t_samples *val)
{
    size_t most = 0;
    for (size_t first = 0; first < val->count; first += BLOCK_ROWS) {
        const size_t count = val->offsets[first + rows_at(val, first)] - val->offsets[first];
        most = count > most ? count : most;
    }
    return most;
}

static f0t_status fill_validation(f0t_validation *v, const f0t_net *net, const f0t_monitor *monitor)
{
    const f0t_train_data *data = v->data;
    const f0t_samples *val = data->val;
    const f0t_compute *compute = net->compute;
    if (data->tags) {
        F0T_TRY(f0t_scoring_open(&v->scoring, compute, data->tags, val->tags, data->dim,
                                 &(f0t_scoring_options){.packed_for = BLOCK_ROWS}));
        F0T_TRY(f0t_buffer_create(&v->directions, compute, F0T_F32, BLOCK_ROWS * data->dim));
    }
    F0T_TRY(f0t_buffer_create(&v->scores, compute, F0T_F32, BLOCK_ROWS * val->tags));
    F0T_TRY(f0t_alloc(&v->index, BLOCK_ROWS, sizeof *v->index));
    F0T_TRY(f0t_alloc(&v->places, most_places(val), sizeof *v->places));
    return f0t_resident_create(&v->all, data->condition, data->dataset, val->images, val->count,
                               compute, net->precision, monitor);
}

f0t_status f0t_validation_open(f0t_validation **out, const f0t_train_data *data, const f0t_net *net,
                               const f0t_monitor *monitor)
{
    f0t_validation *v;
    *out = NULL;
    if (!net->compute->places || !data->val->count || directions_of(data) != 1 ||
        f0t_group_current()->size > 1)
        return F0T_OK;
    F0T_TRY(f0t_alloc_zero(&v, 1, sizeof *v));
    v->data = data;
    f0t_status status = fill_validation(v, net, monitor);
    if (status == F0T_OK && (v->all || net->compute->stream))
        *out = v;
    else
        f0t_validation_close(v);
    return status == F0T_ERROR_MEMORY ? F0T_OK : status; /* by the caller's memory, then */
}

void f0t_validation_close(f0t_validation *v)
{
    if (!v)
        return;
    f0t_scoring_close(&v->scoring);
    f0t_resident_free(v->all);
    f0t_buffer_free(v->directions);
    f0t_buffer_free(v->scores);
    f0t_free(v->index);
    f0t_free(v->places);
    f0t_free(v);
}

const f0t_resident *f0t_validation_resident(const f0t_validation *v)
{
    return v->all;
}

/* The outputs of a block of images. */
static f0t_status apply_there(f0t_buffer *to, f0t_validation *v, const f0t_net *net, size_t first,
                              size_t rows)
{
    const f0t_train_data *data = v->data;
    f0t_condition_rows some = {data->condition, data->dataset, data->val->images + first};
    if (!v->all)
        return f0t_net_apply_stream(to, net, f0t_condition_fill, &some, rows);
    for (size_t r = 0; r < rows; r++)
        v->index[r] = (uint32_t)(first + r);
    return f0t_net_apply_rows(to, net, v->all->rows, v->index, rows);
}

static f0t_status add_there(f0t_miap *sum, f0t_validation *v, const f0t_net *net, size_t first)
{
    const f0t_samples *val = v->data->val;
    const size_t rows = rows_at(val, first), *offsets = val->offsets + first;
    F0T_TRY(apply_there(v->directions ? v->directions : v->scores, v, net, first, rows));
    if (v->directions)
        F0T_TRY(f0t_scoring_run(v->scores, &v->scoring, v->directions, rows));
    F0T_TRY(net->compute->places(v->places, v->scores, rows, val->tags, offsets, val->relevant));
    return f0t_miap_add_places(sum, v->places, offsets, rows);
}

f0t_status f0t_validation_run(double *miap, f0t_validation *v, const f0t_net *net)
{
    f0t_miap sum = {0};
    for (size_t first = 0; first < v->data->val->count; first += BLOCK_ROWS)
        F0T_TRY(add_there(&sum, v, net, first));
    *miap = 100 * f0t_miap_get(&sum);
    return F0T_OK;
}
