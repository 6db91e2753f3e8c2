/* What new words are placed among: the vectors of the learned tags, and the classes that the backbone knows. */
#include "base/alloc.h"
#include "base/dtype.h"
#include "math/product.h"
#include "math/solve.h"
#include "model/blend_fit.h"
#include "word/classes.h"

#include <math.h>
#include <string.h>

enum { CENTRE_IMAGES = 1000 }; /* at most, of those held out */

/* ---- The learned tags as a space ------------------------------------------------------------------- */

/* Σ v over the tags that have one, and how many these are. */
static size_t sum_vectors(double *sum, const float *vectors, size_t count, size_t dim)
{
    size_t known = 0;
    for (size_t t = 0; t < count; t++) {
        const float *v = vectors + t * dim;
        known += f0t_has_vector(v, dim);
        for (size_t i = 0; i < dim; i++)
            sum[i] += (double)v[i];
    }
    return known;
}

static void set_moments(f0t_word_space *s, const double *squares, const double *sum, size_t known)
{
    const double n = known ? (double)known : 1;
    for (size_t i = 0; i < s->dim; i++) {
        s->mean[i] = (float)(sum[i] / n);
        for (size_t j = 0; j <= i; j++) {
            const double c = squares[i * s->dim + j] / n - sum[i] / n * (sum[j] / n);
            s->spread[i * s->dim + j] = s->spread[j * s->dim + i] = (float)c;
        }
    }
}

/* (VᵀV + 1)⁻¹, from the lower triangle of VᵀV. */
static f0t_status invert(f0t_word_space *s, double *squares)
{
    double *rows;
    const size_t dim = s->dim;
    F0T_TRY(f0t_alloc_zero(&rows, dim * dim, sizeof *rows));
    for (size_t i = 0; i < dim; i++) {
        rows[i * dim + i] = 1;
        squares[i * dim + i] += 1;
    }
    f0t_status status = f0t_cholesky_solve_f64(squares, dim, rows, dim, NULL);
    for (size_t i = 0; i < dim * dim && status == F0T_OK; i++)
        s->inverse[i] = (float)rows[i];
    f0t_free(rows);
    return status;
}

/* Σ (log frequency − its mean) v: turned by the inverse, it is the direction that explains them. */
static void sum_frequencies(f0t_word_space *s, const float *vectors, const float *frequency,
                            size_t count)
{
    const size_t dim = s->dim;
    double mean = 0, known = 0;
    for (size_t t = 0; t < count; t++)
        if (f0t_has_vector(vectors + t * dim, dim)) {
            mean += log((double)frequency[t] + 1e-4);
            known++;
        }
    mean = known > 0 ? mean / known : 0;
    memset(s->prior, 0, dim * sizeof *s->prior);
    for (size_t t = 0; t < count; t++) {
        const float *v = vectors + t * dim;
        const double w = log((double)frequency[t] + 1e-4) - mean;
        for (size_t i = 0; i < dim; i++)
            s->prior[i] += (float)(w * (double)v[i]);
    }
}

/* prior[d]·inverse, in place. */
static f0t_status turn_prior(f0t_word_space *s)
{
    float *turned;
    F0T_TRY(f0t_alloc(&turned, s->dim, sizeof *turned));
    for (size_t i = 0; i < s->dim; i++) {
        double sum = 0;
        for (size_t j = 0; j < s->dim; j++)
            sum += (double)s->inverse[i * s->dim + j] * (double)s->prior[j];
        turned[i] = (float)sum;
    }
    memcpy(s->prior, turned, s->dim * sizeof *turned);
    f0t_free(turned);
    return F0T_OK;
}

static f0t_status fill_space(f0t_word_space *s, double *squares, double *sum, const float *vectors,
                             const float *frequency, size_t count)
{
    const size_t known = sum_vectors(sum, vectors, count, s->dim);
    F0T_TRY(f0t_gram_add(squares, vectors, count, s->dim));
    set_moments(s, squares, sum, known);
    F0T_TRY(invert(s, squares));
    sum_frequencies(s, vectors, frequency, count);
    return turn_prior(s);
}

f0t_status f0t_word_space_create(f0t_word_space *s, const float *vectors, const float *frequency,
                                 size_t count, size_t dim)
{
    double *squares = NULL, *sum = NULL;
    *s = (f0t_word_space){.dim = dim};
    f0t_status status = f0t_alloc(&s->mean, dim, sizeof *s->mean);
    if (status == F0T_OK)
        status = f0t_alloc(&s->spread, dim * dim, sizeof *s->spread);
    if (status == F0T_OK)
        status = f0t_alloc(&s->inverse, dim * dim, sizeof *s->inverse);
    if (status == F0T_OK)
        status = f0t_alloc(&s->prior, dim, sizeof *s->prior);
    if (status == F0T_OK)
        status = f0t_alloc_zero(&squares, dim * dim, sizeof *squares);
    if (status == F0T_OK)
        status = f0t_alloc_zero(&sum, dim, sizeof *sum);
    if (status == F0T_OK)
        status = fill_space(s, squares, sum, vectors, frequency, count);
    f0t_free(squares);
    f0t_free(sum);
    if (status != F0T_OK)
        f0t_word_space_free(s);
    return status;
}

/* ---- The backbone's classes -------------------------------------------------------------------------- */

static f0t_status copy_floats(float **out, const float *from, size_t count)
{
    F0T_TRY(f0t_alloc(out, count, sizeof **out));
    memcpy(*out, from, count * sizeof **out);
    return F0T_OK;
}

/* The nearest numbers of float16, as the model file has them. */
static f0t_status round_floats(float **out, const float *from, size_t count)
{
    uint16_t half;
    F0T_TRY(f0t_alloc(out, count, sizeof **out));
    for (size_t i = 0; i < count; i++) {
        f0t_f32_to_f16(&half, from + i, 1);
        (*out)[i] = f0t_f16_to_f32_ref(half);
        if (!isfinite((*out)[i]))
            return f0t_fail(F0T_ERROR_NUMERIC, "a weight of the classes, %g, is out of range",
                            (double)from[i]);
    }
    return F0T_OK;
}

/* Lengths of some features as the dataset has them. */
static f0t_status measure_length(float *out, const f0t_blend_fitting *f)
{
    const f0t_samples *s = &f->held.truth;
    const size_t dim = f->blend->features, count = s->count < 256 ? s->count : 256;
    float *row;
    double sum = 0;
    F0T_TRY(f0t_alloc(&row, dim, sizeof *row));
    f0t_status status = F0T_OK;
    for (size_t i = 0; i < count && status == F0T_OK; i++) {
        double square = 0;
        status = f0t_dataset_read_features(row, f->data->dataset, s->images[i], 1);
        for (size_t j = 0; j < dim && status == F0T_OK; j++)
            square += (double)row[j] * (double)row[j];
        sum += sqrt(square);
    }
    *out = count ? (float)(sum / (double)count) : 1;
    f0t_free(row);
    return status;
}

/* The mean direction of the held-out images: first 0, then what comes out. */
static f0t_status centre_classes(f0t_blend *b, const f0t_held_out *h)
{
    const size_t count = h->truth.count < CENTRE_IMAGES ? h->truth.count : CENTRE_IMAGES;
    float *directions;
    F0T_TRY(f0t_alloc(&directions, count * b->dim, sizeof *directions));
    float *const to[F0T_WORD_PARTS] = {[F0T_WORD_CLASSES] = directions};
    const f0t_word_sources sources = {.space = &b->space, .count = count, .rows = h->rows};
    f0t_status status = f0t_word_parts(to, b, &sources);
    for (size_t i = 0; i < count * b->dim && status == F0T_OK; i++)
        b->classes.mean[i % b->dim] += directions[i] / (float)count;
    f0t_free(directions);
    return status;
}

f0t_status f0t_blend_take_classes(f0t_blend_fitting *f)
{
    const f0t_classes *from = f->data->classes;
    f0t_blend *b = f->blend;
    f0t_class_directions *c = &b->classes;
    if (!f0t_blend_has_classes(f))
        return F0T_OK;
    c->count = from->count;
    F0T_TRY(round_floats(&c->weights, from->weights, from->count * from->dim));
    F0T_TRY(copy_floats(&c->bias, from->bias, from->count));
    F0T_TRY(copy_floats(&c->vectors, f->data->class_vectors, from->count * b->dim));
    F0T_TRY(f0t_alloc_zero(&c->mean, b->dim, sizeof *c->mean));
    F0T_TRY(measure_length(&c->length, f));
    return centre_classes(b, &f->held);
}
