/* Tags in the plane of a direction and of what spreads them most across it. */
#include "base/alloc.h"
#include "base/status.h"
#include "fast0tag.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 60 };

typedef struct plane {
    const float *vectors; /* [count x dim] */
    size_t count, dim;
    double *along, *across, *next; /* [dim] directions of length 1, and room */
} plane;

static double dot(const float *a, const double *b, size_t dim)
{
    double sum = 0;
    for (size_t j = 0; j < dim; j++)
        sum += (double)a[j] * b[j];
    return sum;
}

/* false: it is 0, or not finite. */
static bool make_unit(double *v, size_t dim)
{
    double length = 0;
    for (size_t j = 0; j < dim; j++)
        length += v[j] * v[j];
    for (size_t j = 0; j < dim && length > 0; j++)
        v[j] /= sqrt(length);
    return length > 0 && isfinite(length);
}

/* Takes the part along the direction off, and makes the rest as long as 1. */
static void straighten(const plane *p, double *v)
{
    double part = 0;
    for (size_t j = 0; j < p->dim; j++)
        part += p->along[j] * v[j];
    for (size_t j = 0; j < p->dim; j++)
        v[j] -= part * p->along[j];
    (void)make_unit(v, p->dim);
}

/* The first principal axis of the tags across the direction, by power iteration. */
static void find_across(plane *p)
{
    for (size_t j = 0; j < p->dim; j++)
        p->across[j] = 1 + (double)(j % 7);
    straighten(p, p->across);
    for (int round = 0; round < ROUNDS; round++) {
        memset(p->next, 0, p->dim * sizeof *p->next);
        for (size_t t = 0; t < p->count; t++) {
            const float *v = p->vectors + t * p->dim;
            const double share = dot(v, p->across, p->dim);
            for (size_t j = 0; j < p->dim; j++)
                p->next[j] += share * (double)v[j];
        }
        straighten(p, p->next);
        memcpy(p->across, p->next, p->dim * sizeof *p->next);
    }
}

static f0t_status place(double *along, double *across, plane *p, const float *direction)
{
    for (size_t j = 0; j < p->dim; j++)
        p->along[j] = (double)direction[j];
    if (!make_unit(p->along, p->dim))
        return f0t_fail(F0T_ERROR_NUMERIC, "the direction is 0 or not finite");
    if (across)
        find_across(p);
    for (size_t t = 0; t < p->count; t++) {
        along[t] = dot(p->vectors + t * p->dim, p->along, p->dim);
        if (across)
            across[t] = dot(p->vectors + t * p->dim, p->across, p->dim);
    }
    return F0T_OK;
}

f0t_status f0t_direction_plane(double *along, double *across, const float *direction,
                               const float *vectors, size_t count, size_t dim)
{
    F0T_REQUIRE(along);
    F0T_REQUIRE(direction);
    F0T_REQUIRE(vectors);
    plane p = {.vectors = vectors, .count = count, .dim = dim};
    f0t_status status = f0t_alloc(&p.along, dim, 3 * sizeof *p.along);
    if (status != F0T_OK)
        return status;
    p.across = p.along + dim;
    p.next = p.across + dim;
    status = place(along, across, &p, direction);
    f0t_free(p.along);
    return status;
}
