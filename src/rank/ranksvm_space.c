#include "rank/ranksvm_space.h"

#include "base/alloc.h"
#include "base/size.h"
#include "math/solve.h"

#include <math.h>
#include <string.h>

/* A Gram matrix above this many tags (128 MB) is computed piece by piece where it is needed. */
enum { GRAM_TAGS = 5792, PACK_ROWS = 512 };

/* Singular values below this part of the largest are the rounding of float32 vectors. */
static const double no_extent = 3e-8;

static f0t_status check(const float *vectors, size_t tags, size_t dims)
{
    if (!tags || !dims)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a ranking SVM over %zu tags of %zu dimensions", tags,
                        dims);
    if (tags >= F0T_NO_TAG || dims >= INT32_MAX || tags > INT32_MAX)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%zu tags of %zu dimensions are too many", tags, dims);
    for (size_t i = 0; i < tags * dims; i++)
        if (!isfinite(vectors[i]))
            return f0t_fail(F0T_ERROR_NUMERIC,
                            "the vector of tag %zu has a number that is not finite, at %zu",
                            i / dims, i % dims);
    return F0T_OK;
}

static void centre(const f0t_ranksvm *svm, double *to)
{
    const size_t tags = svm->tags, dims = svm->dims;
    memset(svm->mean, 0, dims * sizeof *svm->mean);
    for (size_t t = 0; t < tags; t++)
        for (size_t j = 0; j < dims; j++)
            svm->mean[j] += (double)svm->given[t * dims + j] / (double)tags;
    for (size_t t = 0; t < tags; t++)
        for (size_t j = 0; j < dims; j++)
            to[t * dims + j] = (double)svm->given[t * dims + j] - svm->mean[j];
}

/* Keeps the axes with extent: coordinates are left singular vectors times singular values. */
static f0t_status keep_axes(f0t_ranksvm *svm, const double *u, const double *s, size_t all)
{
    svm->rank = 1;
    while (svm->rank < all && s[svm->rank] > no_extent * s[0])
        svm->rank++;
    F0T_TRY(f0t_alloc(&svm->vectors, svm->tags * svm->rank, sizeof *svm->vectors));
    F0T_TRY(f0t_alloc(&svm->moments, svm->rank, sizeof *svm->moments));
    for (size_t t = 0; t < svm->tags; t++)
        for (size_t j = 0; j < svm->rank; j++)
            svm->vectors[t * svm->rank + j] = (float)(u[t * all + j] * s[j]);
    svm->size = 0;
    for (size_t j = 0; j < svm->rank; j++) {
        svm->moments[j] = s[j] * s[j];
        svm->size += svm->moments[j] / (double)svm->tags;
    }
    return F0T_OK;
}

/* Room for the singular value decomposition of the centred vectors. */
typedef struct svd_room {
    double *centred, *u, *s, *vt;
    float *axes;
} svd_room;

static f0t_status find_axes(f0t_ranksvm *svm, svd_room *room)
{
    const size_t tags = svm->tags, dims = svm->dims, all = tags < dims ? tags : dims;
    F0T_TRY(f0t_alloc(&room->centred, tags * dims, sizeof *room->centred));
    F0T_TRY(f0t_alloc(&room->u, tags * all, sizeof *room->u));
    F0T_TRY(f0t_alloc(&room->s, all, sizeof *room->s));
    F0T_TRY(f0t_alloc(&room->vt, all * dims, sizeof *room->vt));
    F0T_TRY(f0t_alloc(&room->axes, all * dims, sizeof *room->axes));
    centre(svm, room->centred);
    F0T_TRY(f0t_svd_by_one(room->centred, tags, dims, room->u, room->s, room->vt));
    F0T_TRY(keep_axes(svm, room->u, room->s, all));
    for (size_t i = 0; i < svm->rank * dims; i++)
        room->axes[i] = (float)room->vt[i];
    F0T_TRY(f0t_packed_create(&svm->axes, svm->rank, dims, F0T_F32, PACK_ROWS));
    return f0t_packed_set(svm->axes, room->axes, false);
}

static void svd_room_free(svd_room *room)
{
    f0t_free(room->centred);
    f0t_free(room->u);
    f0t_free(room->s);
    f0t_free(room->vt);
    f0t_free(room->axes);
}

static f0t_status pack(f0t_ranksvm *svm)
{
    F0T_TRY(f0t_packed_create(&svm->to_scores, svm->rank, svm->tags, F0T_F32, PACK_ROWS));
    F0T_TRY(f0t_packed_set(svm->to_scores, svm->vectors, true));
    F0T_TRY(f0t_packed_create(&svm->from_weights, svm->tags, svm->rank, F0T_F32, PACK_ROWS));
    return f0t_packed_set(svm->from_weights, svm->vectors, false);
}

static f0t_status prepare(f0t_ranksvm *svm, const float *vectors)
{
    svd_room room = {0};
    F0T_TRY(f0t_alloc(&svm->given, svm->tags * svm->dims, sizeof *svm->given));
    F0T_TRY(f0t_alloc(&svm->mean, svm->dims, sizeof *svm->mean));
    memcpy(svm->given, vectors, svm->tags * svm->dims * sizeof *vectors);
    f0t_status status = find_axes(svm, &room);
    svd_room_free(&room);
    F0T_TRY(status);
    F0T_TRY(pack(svm));
    if (svm->tags > GRAM_TAGS)
        return F0T_OK;
    F0T_TRY(f0t_alloc(&svm->gram, svm->tags * svm->tags, sizeof *svm->gram));
    return f0t_ranksvm_scores(svm, svm->gram, svm->vectors, svm->tags);
}

f0t_status f0t_ranksvm_create(f0t_ranksvm **out, const float *vectors, size_t tags, size_t dims)
{
    f0t_ranksvm *svm = NULL;
    size_t total;
    *out = NULL;
    if (!f0t_size_mul(&total, tags, dims))
        return f0t_fail(F0T_ERROR_ARGUMENT, "%zu tags of %zu dimensions are too many", tags, dims);
    F0T_TRY(check(vectors, tags, dims));
    F0T_TRY(f0t_alloc_zero(&svm, 1, sizeof *svm));
    svm->tags = tags;
    svm->dims = dims;
    svm->kernels = f0t_kernels();
    f0t_status status = prepare(svm, vectors);
    if (status == F0T_OK)
        *out = svm;
    else
        f0t_ranksvm_free(svm);
    return status;
}

void f0t_ranksvm_free(f0t_ranksvm *svm)
{
    if (!svm)
        return;
    f0t_free(svm->vectors);
    f0t_free(svm->given);
    f0t_free(svm->mean);
    f0t_free(svm->moments);
    f0t_free(svm->gram);
    f0t_packed_free(svm->to_scores);
    f0t_packed_free(svm->from_weights);
    f0t_packed_free(svm->axes);
    f0t_free(svm);
}

f0t_status f0t_ranksvm_scores(const f0t_ranksvm *svm, float *scores, const float *directions,
                              size_t rows)
{
    const f0t_matmul op = {
        .m = rows, .n = svm->tags, .k = svm->rank, .type = F0T_F32, .result = F0T_F32};
    return f0t_matmul_run_packed(scores, directions, svm->to_scores, NULL, &op);
}

f0t_status f0t_ranksvm_sums(const f0t_ranksvm *svm, float *sums, const float *weights, size_t rows)
{
    const f0t_matmul op = {
        .m = rows, .n = svm->rank, .k = svm->tags, .type = F0T_F32, .result = F0T_F32};
    return f0t_matmul_run_packed(sums, weights, svm->from_weights, NULL, &op);
}

f0t_status f0t_ranksvm_restore(const f0t_ranksvm *svm, float *to, const float *directions,
                               size_t rows)
{
    const f0t_matmul op = {
        .m = rows, .n = svm->dims, .k = svm->rank, .type = F0T_F32, .result = F0T_F32};
    return f0t_matmul_run_packed(to, directions, svm->axes, NULL, &op);
}
