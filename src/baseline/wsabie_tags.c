#include "baseline/wsabie_tags.h"

#include "base/alloc.h"
#include "base/random.h"
#include "math/matmul.h"

#include <math.h>
#include <string.h>

static f0t_status allocate(f0t_wsabie_tags *s)
{
    size_t size = s->tags * s->dim;
    F0T_TRY(f0t_alloc(&s->w, size, sizeof *s->w));
    F0T_TRY(f0t_alloc_zero(&s->m, size, sizeof *s->m));
    F0T_TRY(f0t_alloc_zero(&s->v, size, sizeof *s->v));
    F0T_TRY(f0t_alloc(&s->best, size, sizeof *s->best));
    F0T_TRY(f0t_alloc(&s->dw, size, sizeof *s->dw));
    F0T_TRY(f0t_alloc(&s->scores, s->batch * s->tags, sizeof *s->scores));
    F0T_TRY(f0t_alloc(&s->dscores, s->batch * s->tags, sizeof *s->dscores));
    F0T_TRY(f0t_alloc(&s->map, s->dim * s->features, sizeof *s->map));
    return f0t_alloc(&s->factors, s->features, sizeof *s->factors);
}

void f0t_wsabie_tags_free(f0t_wsabie_tags *s)
{
    f0t_warp_loss_free(s->warp);
    f0t_free(s->w);
    f0t_free(s->m);
    f0t_free(s->v);
    f0t_free(s->best);
    f0t_free(s->dw);
    f0t_free(s->scores);
    f0t_free(s->dscores);
    f0t_free(s->map);
    f0t_free(s->factors);
    *s = (f0t_wsabie_tags){0};
}

static void shorten_rows(float *x, size_t rows, size_t cols, double norm)
{
    for (size_t r = 0; r < rows; r++) {
        double square = 0;
        for (size_t j = 0; j < cols; j++)
            square += (double)x[r * cols + j] * (double)x[r * cols + j];
        float factor = square > norm * norm ? (float)(norm / sqrt(square)) : 1;
        for (size_t j = 0; j < cols; j++)
            x[r * cols + j] *= factor;
    }
}

static void shorten_columns(float *x, double *factors, size_t rows, size_t cols, double norm)
{
    memset(factors, 0, cols * sizeof *factors);
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < cols; j++)
            factors[j] += (double)x[r * cols + j] * (double)x[r * cols + j];
    for (size_t j = 0; j < cols; j++)
        factors[j] = factors[j] > norm * norm ? norm / sqrt(factors[j]) : 1;
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < cols; j++)
            x[r * cols + j] = (float)((double)x[r * cols + j] * factors[j]);
}

static f0t_status fill(f0t_wsabie_tags *s, uint64_t seed)
{
    const f0t_random random = {seed, UINT64_C(0x77736162) << 32}; /* "wsab" */
    F0T_TRY(allocate(s));
    for (size_t i = 0; i < s->tags * s->dim; i++)
        s->w[i] = (float)(f0t_random_normal(&random, i) / sqrt((double)s->dim));
    shorten_rows(s->w, s->tags, s->dim, s->norm);
    return f0t_warp_loss_create(&s->warp, s->batch, s->tags, seed);
}

f0t_status f0t_wsabie_tags_create(f0t_wsabie_tags *s, size_t tags, size_t dim, size_t features,
                                  size_t batch, double norm, uint64_t seed)
{
    *s = (f0t_wsabie_tags){.optimizer = f0t_optimizer_default(F0T_OPTIMIZER_ADAM),
                           .tags = tags,
                           .dim = dim,
                           .features = features,
                           .batch = batch,
                           .norm = norm};
    f0t_status status = fill(s, seed);
    if (status != F0T_OK)
        f0t_wsabie_tags_free(s);
    return status;
}

/* ---- The objective ------------------------------------------------------------------------- */

/* batch->scores are U x here. */
static f0t_status loss(void *context, f0t_loss_result *result, float *gradient,
                       const f0t_loss_batch *batch, const uint32_t *samples)
{
    f0t_wsabie_tags *s = context;
    size_t rows = batch->images;
    f0t_loss_batch scored = *batch;
    f0t_matmul scores = {.m = rows, .n = s->tags, .k = s->dim, .b_transposed = true};
    f0t_matmul back = {.m = rows, .n = s->dim, .k = s->tags};
    f0t_matmul tags = {.m = s->tags, .n = s->dim, .k = rows, .a_transposed = true};
    F0T_TRY(f0t_matmul_run(s->scores, batch->scores, s->w, NULL, &scores));
    scored.scores = s->scores;
    F0T_TRY(f0t_warp_loss_run(result, s->dscores, s->warp, &scored, samples));
    F0T_TRY(f0t_matmul_run(gradient, s->dscores, s->w, NULL, &back));
    return f0t_matmul_run(s->dw, s->dscores, batch->scores, NULL, &tags);
}

static f0t_status update(void *context, f0t_net *net, uint64_t step, double rate)
{
    f0t_wsabie_tags *s = context;
    f0t_parameters parameters = {.w = s->w, .m = s->m, .v = s->v};
    f0t_optimizer_update(&parameters, 0, s->dw, s->tags * s->dim, &s->optimizer, step, rate);
    shorten_rows(s->w, s->tags, s->dim, s->norm);
    F0T_TRY(f0t_net_array_get(net, 0, s->map));
    shorten_columns(s->map, s->factors, s->dim, s->features, s->norm);
    return f0t_net_array_set(net, 0, s->map);
}

static f0t_status keep(void *context)
{
    f0t_wsabie_tags *s = context;
    memcpy(s->best, s->w, s->tags * s->dim * sizeof *s->best);
    return F0T_OK;
}

f0t_objective f0t_wsabie_tags_objective(f0t_wsabie_tags *tags)
{
    return (f0t_objective){.context = tags, .loss = loss, .update = update, .keep = keep};
}
