#include "made.h"

#include "expert/ridge.h"
#include "math/solve.h"

enum { D = 24, T = 9, Q = 40 };

/* ---- The kernel's own system, by direct loops -------------------------------------------------------- */

typedef struct dense {
    size_t count;
    double *kernel; /* [M x M] centred */
    double *means;  /* [M] of the kernel's rows */
    double mean;
    float *points; /* [M x dim] */
    double *y;     /* [T x M] centred, then the solution */
    double portion[T];
} dense;

static float *mapped(const f0t_votes *v, const made *of)
{
    const f0t_metric metric = {v->features, v->dim, v->map, v->shift};
    float *to;
    assert_ok(f0t_alloc(&to, of->count * v->dim, sizeof *to));
    assert_ok(f0t_metric_apply(to, &metric, of->rows, of->count));
    return to;
}

static double kernel(const float *a, const float *b, size_t n, double sharpness)
{
    double cosine = 0;
    for (size_t i = 0; i < n; i++)
        cosine += (double)a[i] * (double)b[i];
    return exp(-sharpness * (1 - cosine));
}

static void fill_kernel(dense *d, size_t dim, double sharpness)
{
    const size_t n = d->count;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double k = kernel(d->points + i * dim, d->points + j * dim, dim, sharpness);
            d->kernel[i * n + j] = k;
            d->means[i] += k / (double)n;
        }
    for (size_t i = 0; i < n; i++)
        d->mean += d->means[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            d->kernel[i * n + j] += d->mean - d->means[i] - d->means[j];
}

/* α = (K + λ)⁻¹ (y - mean), K centred. */
static dense solve(const made *m, const f0t_votes *v, const f0t_ridge *r)
{
    dense d = {.count = m->count, .points = mapped(v, m)};
    assert_ok(f0t_alloc(&d.kernel, m->count * m->count, sizeof *d.kernel));
    assert_ok(f0t_alloc_zero(&d.means, m->count, sizeof *d.means));
    assert_ok(f0t_alloc(&d.y, T * m->count, sizeof *d.y));
    fill_kernel(&d, v->dim, r->landmarks->sharpness);
    for (size_t t = 0; t < T; t++) {
        for (size_t i = 0; i < m->count; i++)
            d.portion[t] += (double)made_has(m, i, t) / (double)m->count;
        for (size_t i = 0; i < m->count; i++)
            d.y[t * m->count + i] = (double)made_has(m, i, t) - d.portion[t];
    }
    for (size_t i = 0; i < m->count; i++)
        d.kernel[i * m->count + i] += r->lambda;
    assert_ok(f0t_cholesky_solve_f64(d.kernel, m->count, d.y, T, NULL));
    return d;
}

static void score(double *out, const dense *d, const float *point, size_t dim, double sharpness)
{
    double mean = 0;
    for (size_t t = 0; t < T; t++)
        out[t] = d->portion[t];
    for (size_t i = 0; i < d->count; i++)
        mean += kernel(point, d->points + i * dim, dim, sharpness) / (double)d->count;
    for (size_t i = 0; i < d->count; i++) {
        const double k =
            kernel(point, d->points + i * dim, dim, sharpness) - mean - d->means[i] + d->mean;
        for (size_t t = 0; t < T; t++)
            out[t] += k * d->y[t * d->count + i];
    }
}

static void dense_free(dense *d)
{
    f0t_free(d->kernel);
    f0t_free(d->means);
    f0t_free(d->points);
    f0t_free(d->y);
}

/* ---- Fit ------------------------------------------------------------------------------------------ */

/* Each tag `copies` times: tag t is T numbers wide of t % T. */
static made copy_tags(const made *m, size_t copies)
{
    made c = made_create(m->count, m->features, T * copies, 1);
    size_t end = 0;
    memcpy(c.rows, m->rows, m->count * m->features * sizeof *c.rows);
    for (size_t i = 0; i < m->count; i++) {
        c.offsets[i] = end;
        for (size_t k = 0; k < copies; k++)
            for (size_t at = m->offsets[i]; at < m->offsets[i + 1]; at++)
                c.relevant[end++] = (uint32_t)(k * T + m->relevant[at]);
    }
    c.offsets[m->count] = end;
    return c;
}

static f0t_votes *vote(const made *m)
{
    f0t_votes *v;
    assert_ok(
        f0t_votes_fit(&v, m->rows, m->count, m->features, m->offsets, m->relevant, m->tags, NULL));
    return v;
}

static void compare(const f0t_ridge *r, const f0t_votes *v, const dense *d, size_t tags)
{
    made q = made_create(Q, D, T, 2);
    float *out, *points = mapped(v, &q);
    double want[T], worst = 0, extent = 0;
    assert_ok(f0t_alloc(&out, Q * tags, sizeof *out));
    assert_ok(f0t_ridge_score(out, r, q.rows, Q));
    for (size_t i = 0; i < Q; i++) {
        score(want, d, points + i * v->dim, v->dim, r->landmarks->sharpness);
        for (size_t t = 0; t < tags; t++) {
            worst = fmax(worst, fabs(want[t % T] - (double)out[i * tags + t]));
            extent = fmax(extent, fabs(want[t % T] - d->portion[t % T]));
        }
    }
    if (!(worst < 0.02 * extent))
        print_error("off by %g of %g\n", worst, extent);
    assert_true(extent > 0.2 && worst < 0.02 * extent);
    f0t_free(out);
    f0t_free(points);
    made_free(&q);
}

/* Copies of tags need no higher rank: a small one gives the same. */
static void check(size_t count, size_t copies, size_t rank)
{
    made m = made_create(count, D, T, 1), all = copy_tags(&m, copies);
    f0t_votes *v = vote(&all);
    f0t_ridge *r;
    assert_ok(f0t_ridge_fit_near(&r, v, all.rows, count, all.offsets, all.relevant, NULL));
    assert_int_equal(r->rank, rank);
    assert_int_equal(r->features, count);
    dense d = solve(&m, v, r);
    compare(r, v, &d, all.tags);
    dense_free(&d);
    f0t_ridge_free(r);
    f0t_votes_free(v);
    made_free(&m);
    made_free(&all);
}

static void scores_are_those_of_the_kernels_own_system(void **state)
{
    (void)state;
    check(150, 1, 0);
    check(1100, 130, F0T_RIDGE_RANK);
}

static void images_that_are_all_alike_have_their_frequencies(void **state)
{
    (void)state;
    made m = made_create(60, D, T, 1);
    float out[T];
    for (size_t i = 0; i < 60 * D; i++)
        m.rows[i] = m.rows[i % D];
    f0t_votes *v = vote(&m);
    f0t_ridge *r;
    assert_ok(f0t_ridge_fit_near(&r, v, m.rows, 60, m.offsets, m.relevant, NULL));
    assert_ok(f0t_ridge_score(out, r, m.rows, 1));
    for (size_t t = 0; t < T; t++)
        assert_true(fabsf(out[t] - r->base[t]) < 0.05F);
    f0t_ridge_free(r);
    f0t_votes_free(v);
    made_free(&m);
}

typedef struct fitting {
    const made *m;
    const f0t_votes *votes;
} fitting;

static f0t_status fit_and_score(void *context)
{
    const fitting *f = context;
    float out[T];
    f0t_ridge *r;
    F0T_TRY(f0t_ridge_fit_near(&r, f->votes, f->m->rows, f->m->count, f->m->offsets, f->m->relevant,
                               NULL));
    f0t_status status = f0t_ridge_score(out, r, f->m->rows, 1);
    f0t_ridge_free(r);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    made m = made_create(30, D, T, 1);
    f0t_votes *v = vote(&m);
    test_each_fault(F0T_FAULT_ALLOC, fit_and_score, &(fitting){&m, v});
    f0t_votes_free(v);
    made_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_those_of_the_kernels_own_system),
        cmocka_unit_test(images_that_are_all_alike_have_their_frequencies),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
