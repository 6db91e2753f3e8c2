#include "model/validate.h"

#include "base/alloc.h"
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
    const f0t_samples *val = data->val;
    for (size_t first = 0; first < val->count; first += BLOCK_ROWS) {
        size_t rows = val->count - first < BLOCK_ROWS ? val->count - first : BLOCK_ROWS;
        F0T_TRY(f0t_condition_gather(b->features, data->condition, data->dataset,
                                     val->images + first, rows));
        for (size_t i = 0; i < count; i++)
            F0T_TRY(add_block(&miap[i], data, nets[i], b, first, rows));
    }
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
    for (size_t i = 0; i < count && status == F0T_OK; i++)
        miap[i] = 100 * f0t_miap_get(&sums[i]);
    block_free(&b);
    f0t_free(sums);
    return status;
}
