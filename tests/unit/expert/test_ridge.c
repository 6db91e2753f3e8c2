#include "made.h"

#include "expert/ridge.h"
#include "math/solve.h"

enum { M = 200, D = 24, T = 9 };

static f0t_ridge *fit(const made *m)
{
    f0t_ridge *r;
    assert_ok(
        f0t_ridge_fit(&r, m->rows, m->count, m->features, m->offsets, m->relevant, m->tags, NULL));
    return r;
}

/* ---- By direct loops ------------------------------------------------------------------------------ */

/* The images but one (`without`, or count for none), centred. */
typedef struct centred {
    size_t count, features, tags;
    double *x, *y;          /* [count x D], [count x T] */
    double *mean, *portion; /* [D], [T] */
} centred;

static void centre(double *x, double *mean, size_t count, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        mean[j] = 0;
        for (size_t i = 0; i < count; i++)
            mean[j] += x[i * n + j] / (double)count;
        for (size_t i = 0; i < count; i++)
            x[i * n + j] -= mean[j];
    }
}

static centred centred_create(const made *m, size_t without)
{
    centred c = {.features = m->features, .tags = m->tags};
    assert_ok(f0t_alloc(&c.x, m->count * m->features, sizeof *c.x));
    assert_ok(f0t_alloc(&c.y, m->count * m->tags, sizeof *c.y));
    assert_ok(f0t_alloc(&c.mean, m->features, sizeof *c.mean));
    assert_ok(f0t_alloc(&c.portion, m->tags, sizeof *c.portion));
    for (size_t i = 0; i < m->count; i++) {
        if (i == without)
            continue;
        for (size_t j = 0; j < m->features; j++)
            c.x[c.count * m->features + j] = (double)m->rows[i * m->features + j];
        for (size_t t = 0; t < m->tags; t++)
            c.y[c.count * m->tags + t] = made_has(m, i, t);
        c.count++;
    }
    centre(c.x, c.mean, c.count, m->features);
    centre(c.y, c.portion, c.count, m->tags);
    return c;
}

static void centred_free(centred *c)
{
    f0t_free(c->x);
    f0t_free(c->y);
    f0t_free(c->mean);
    f0t_free(c->portion);
}

/* The largest |(XᵀX + λ) w - Xᵀy| over tags and features: 0 for the minimum, whatever the solver. */
static double gradient(const centred *c, const float *weights, double lambda)
{
    const size_t n = c->features;
    double largest = 0;
    for (size_t t = 0; t < c->tags; t++) {
        double *g;
        assert_ok(f0t_alloc_zero(&g, n, sizeof *g));
        for (size_t i = 0; i < c->count; i++) {
            double residual = -c->y[i * c->tags + t];
            for (size_t j = 0; j < n; j++)
                residual += (double)weights[t * n + j] * c->x[i * n + j];
            for (size_t j = 0; j < n; j++)
                g[j] += residual * c->x[i * n + j];
        }
        for (size_t j = 0; j < n; j++)
            largest = fmax(largest, fabs(g[j] + lambda * (double)weights[t * n + j]));
        f0t_free(g);
    }
    return largest;
}

static double mean_value(const centred *c)
{
    double trace = 0;
    for (size_t i = 0; i < c->count * c->features; i++)
        trace += c->x[i] * c->x[i];
    return trace / (double)c->features;
}

/* ---- Fit ------------------------------------------------------------------------------------------ */

static void check_minimum(size_t count, size_t features)
{
    made m = made_create(count, features, T, 1);
    f0t_ridge *r = fit(&m);
    centred c = centred_create(&m, m.count);
    assert_true(gradient(&c, r->weights, r->lambda) < 1e-5);
    for (size_t j = 0; j < features; j++)
        assert_true(fabs((double)r->mean[j] - c.mean[j]) < 1e-6);
    for (size_t t = 0; t < T; t++)
        assert_true(fabs((double)r->base[t] - c.portion[t]) < 1e-6);
    centred_free(&c);
    f0t_ridge_free(r);
    made_free(&m);
}

static void weights_are_the_minimum(void **state)
{
    (void)state;
    check_minimum(M, D);
    check_minimum(20, 50);
}

/* The centred indicators of the training images as the full weights fit them: [count x T]. */
static double *fitted(const centred *c, const f0t_ridge *r)
{
    double *y;
    assert_ok(f0t_alloc_zero(&y, c->count * c->tags, sizeof *y));
    for (size_t i = 0; i < c->count; i++)
        for (size_t t = 0; t < c->tags; t++)
            for (size_t j = 0; j < c->features; j++)
                y[i * c->tags + t] +=
                    (double)r->weights[t * c->features + j] * c->x[i * c->features + j];
    return y;
}

/* y[m x n] as its first `rank` singular vectors have it. */
static void truncate_rank(double *y, size_t m, size_t n, size_t rank)
{
    const size_t p = m < n ? m : n;
    double *u, *s, *vt;
    assert_ok(f0t_alloc(&u, m * p, sizeof *u));
    assert_ok(f0t_alloc(&s, p, sizeof *s));
    assert_ok(f0t_alloc(&vt, p * n, sizeof *vt));
    assert_ok(f0t_svd_f64(y, m, n, u, s, vt));
    for (size_t i = 0; i < m; i++)
        for (size_t t = 0; t < n; t++) {
            y[i * n + t] = 0;
            for (size_t k = 0; k < rank; k++)
                y[i * n + t] += u[i * p + k] * s[k] * vt[k * n + t];
        }
    f0t_free(u);
    f0t_free(s);
    f0t_free(vt);
}

/* With more images than features, or fewer. */
static void check_rank(size_t count, size_t features, size_t rank)
{
    made m = made_create(count, features, T, 1);
    f0t_ridge *full = fit(&m), *reduced;
    float *out;
    assert_ok(f0t_ridge_fit_rank(&reduced, m.rows, m.count, m.features, m.offsets, m.relevant,
                                 m.tags, rank, NULL));
    assert_true(!full->map && reduced->map && reduced->rank == rank);
    assert_true(reduced->lambda == full->lambda);
    centred c = centred_create(&m, m.count);
    double *want = fitted(&c, full);
    truncate_rank(want, count, T, rank);
    assert_ok(f0t_alloc(&out, count * T, sizeof *out));
    assert_ok(f0t_ridge_score(out, reduced, m.rows, count));
    for (size_t i = 0; i < count * T; i++)
        assert_true(fabs((double)out[i] - c.portion[i % T] - want[i]) < 1e-4);
    f0t_free(want);
    f0t_free(out);
    centred_free(&c);
    f0t_ridge_free(full);
    f0t_ridge_free(reduced);
    made_free(&m);
}

static void a_small_rank_fits_as_well_as_it_can(void **state)
{
    (void)state;
    check_rank(60, 12, 3);
    check_rank(14, 50, 4);
}

static double solve_pivot(double *a, double *b, size_t n, size_t wide)
{
    double least = INFINITY;
    for (size_t p = 0; p < n; p++) {
        least = fmin(least, a[p * n + p]);
        for (size_t i = p + 1; i < n; i++) {
            const double f = a[i * n + p] / a[p * n + p];
            for (size_t j = p; j < n; j++)
                a[i * n + j] -= f * a[p * n + j];
            for (size_t t = 0; t < wide; t++)
                b[i * wide + t] -= f * b[p * wide + t];
        }
    }
    for (size_t p = n; p-- > 0;)
        for (size_t t = 0; t < wide; t++) {
            for (size_t j = p + 1; j < n; j++)
                b[p * wide + t] -= a[p * n + j] * b[j * wide + t];
            b[p * wide + t] /= a[p * n + p];
        }
    return least;
}

/* The squared error of image `at` from the others. */
static double error_of(const made *m, size_t at, double lambda)
{
    centred c = centred_create(m, at);
    double a[D * D] = {0}, b[D * T] = {0}, error = 0;
    for (size_t i = 0; i < c.count; i++)
        for (size_t j = 0; j < D; j++) {
            for (size_t k = 0; k < D; k++)
                a[j * D + k] += c.x[i * D + j] * c.x[i * D + k];
            for (size_t t = 0; t < T; t++)
                b[j * T + t] += c.x[i * D + j] * c.y[i * T + t];
        }
    for (size_t j = 0; j < D; j++)
        a[j * D + j] += lambda;
    assert_true(solve_pivot(a, b, D, T) > 0);
    for (size_t t = 0; t < T; t++) {
        double p = c.portion[t];
        for (size_t j = 0; j < D; j++)
            p += b[j * T + t] * ((double)m->rows[at * D + j] - c.mean[j]);
        error += (p - made_has(m, at, t)) * (p - made_has(m, at, t));
    }
    centred_free(&c);
    return error;
}

/* Generalised cross-validation stands for leaving one out: what it chooses is about as good. */
static void the_penalty_has_about_the_least_error(void **state)
{
    (void)state;
    const double penalties[] = {0.1, 0.3, 1, 3, 10};
    made m = made_create(M, D, T, 2);
    f0t_ridge *r = fit(&m);
    centred c = centred_create(&m, m.count);
    double least = INFINITY, largest = 0, own = -1;
    for (size_t p = 0; p < 5; p++) {
        const double lambda = fmax(penalties[p], 0.5 * D / M) * mean_value(&c);
        double error = 0;
        for (size_t i = 0; i < M; i++)
            error += error_of(&m, i, lambda);
        least = fmin(least, error);
        largest = fmax(largest, error);
        if (fabs(r->lambda - lambda) < 1e-4 * lambda)
            own = error;
    }
    assert_true(own > 0);
    assert_true(own - least < 0.1 * (largest - least));
    centred_free(&c);
    f0t_ridge_free(r);
    made_free(&m);
}

/* Features that are always 0 change nothing but the mean eigenvalue, here by a factor that both sets of penalties
 * know, and the system that is solved. */
static void few_images_choose_the_same_penalty(void **state)
{
    (void)state;
    enum { FEW = 90, NARROW = 12, WIDE = 120 };
    made m = made_create(FEW, NARROW, T, 5), wide = made_create(FEW, WIDE, T, 5);
    memset(wide.rows, 0, FEW * WIDE * sizeof *wide.rows);
    for (size_t i = 0; i < FEW; i++)
        memcpy(wide.rows + i * WIDE, m.rows + i * NARROW, NARROW * sizeof *m.rows);
    memcpy(wide.offsets, m.offsets, (FEW + 1) * sizeof *m.offsets);
    memcpy(wide.relevant, m.relevant, m.offsets[FEW] * sizeof *m.relevant);
    f0t_ridge *primal = fit(&m), *dual = fit(&wide);
    assert_true(fabs(dual->lambda - primal->lambda) < 1e-4 * primal->lambda);
    for (size_t t = 0; t < T; t++)
        for (size_t j = 0; j < NARROW; j++)
            assert_true(fabsf(primal->weights[t * NARROW + j] - dual->weights[t * WIDE + j]) <
                        1e-4F);
    f0t_ridge_free(primal);
    f0t_ridge_free(dual);
    made_free(&m);
    made_free(&wide);
}

/* Tags beyond the 500 most frequent do not change the choice. */
static void rare_tags_do_not_judge(void **state)
{
    (void)state;
    made m = made_create(60, 8, 600, 3), few;
    size_t kept = 0;
    for (size_t i = 0; i < m.count; i++) { /* tag t on the images below 60 - t / 12, always */
        size_t end = kept;
        for (uint32_t t = 0; t < 600; t++)
            if (i + t / 12 < 60)
                m.relevant[end++] = t;
        m.offsets[i] = kept;
        kept = end;
    }
    m.offsets[m.count] = kept;
    f0t_ridge *all = fit(&m), *first;
    few = made_create(60, 8, 500, 3);
    kept = 0;
    for (size_t i = 0; i < m.count; i++) {
        few.offsets[i] = kept;
        for (uint32_t t = 0; t < 500; t++)
            if (i + t / 12 < 60)
                few.relevant[kept++] = t;
    }
    few.offsets[m.count] = kept;
    memcpy(few.rows, m.rows, 60 * 8 * sizeof *m.rows);
    first = fit(&few);
    assert_true(all->lambda == first->lambda);
    for (size_t i = 0; i < 500 * 8; i++)
        assert_true(fabsf(all->weights[i] - first->weights[i]) < 1e-6F);
    f0t_ridge_free(all);
    f0t_ridge_free(first);
    made_free(&m);
    made_free(&few);
}

static void one_image_gives_its_tags(void **state)
{
    (void)state;
    made m = made_create(1, 5, 3, 1);
    f0t_ridge *r = fit(&m);
    float out[3];
    assert_ok(f0t_ridge_score(out, r, m.rows, 1));
    for (size_t t = 0; t < 3; t++)
        assert_true(out[t] == (float)made_has(&m, 0, t));
    f0t_ridge_free(r);
    made_free(&m);
}

/* Sums of equal numbers in float32 err to one side: more than any penalty, where the rows are many. */
static void rows_that_are_all_alike_are_no_failure(void **state)
{
    enum { WIDE = 16, FEW = 3 };
    static const size_t counts[] = {8, 40, 300, 2000, 5000};
    (void)state;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        made m = made_create(counts[k], WIDE, FEW, 1);
        for (size_t i = 0; i < counts[k] * WIDE; i++)
            m.rows[i] = (float)(i % WIDE + 1) / 38.678159F;
        f0t_ridge *r = fit(&m);
        float out[FEW];
        assert_ok(f0t_ridge_score(out, r, m.rows, 1));
        for (size_t t = 0; t < FEW; t++)
            assert_true(fabsf(out[t] - r->base[t]) < 0.05F);
        f0t_ridge_free(r);
        made_free(&m);
    }
}

/* ---- Scores --------------------------------------------------------------------------------------- */

static void scores_are_products_of_centred_features(void **state)
{
    (void)state;
    enum { Q = 300 };
    made m = made_create(M, D, T, 1), q = made_create(Q, D, T, 2);
    f0t_ridge *r = fit(&m);
    static float out[Q * T], part[T];
    for (size_t i = 0; i < Q; i++)
        for (size_t j = 0; j < D; j++)
            q.rows[i * D + j] *= (float)(i + 1);
    assert_ok(f0t_ridge_score(out, r, q.rows, Q));
    for (size_t i = 0; i < Q; i++)
        for (size_t t = 0; t < T; t++) {
            double p = (double)r->base[t];
            for (size_t j = 0; j < D; j++)
                p += (double)r->weights[t * D + j] *
                     ((double)q.rows[i * D + j] / (double)(i + 1) - (double)r->mean[j]);
            assert_true(fabs(p - (double)out[i * T + t]) < 1e-5);
        }
    for (size_t i = 0; i < Q; i += 29) {
        assert_ok(f0t_ridge_score(part, r, q.rows + i * D, 1));
        for (size_t t = 0; t < T; t++)
            assert_true(fabsf(part[t] - out[i * T + t]) < 1e-6F);
    }
    f0t_ridge_free(r);
    made_free(&m);
    made_free(&q);
}

static f0t_status fit_and_score(void *context)
{
    const made *m = context;
    float out[T];
    f0t_ridge *r;
    F0T_TRY(
        f0t_ridge_fit(&r, m->rows, m->count, m->features, m->offsets, m->relevant, m->tags, NULL));
    f0t_status status = f0t_ridge_score(out, r, m->rows, 1);
    f0t_ridge_free(r);
    F0T_TRY(status);
    F0T_TRY(f0t_ridge_fit_rank(&r, m->rows, m->count, m->features, m->offsets, m->relevant, m->tags,
                               2, NULL));
    status = f0t_ridge_score(out, r, m->rows, 1);
    f0t_ridge_free(r);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    made m = made_create(M, D, T, 4);
    test_each_fault(F0T_FAULT_ALLOC, fit_and_score, &m);
    made_free(&m);
    m = made_create(20, 50, T, 4);
    test_each_fault(F0T_FAULT_ALLOC, fit_and_score, &m);
    made_free(&m);
}

static void nothing_to_learn_from_is_refused(void **state)
{
    (void)state;
    const size_t offsets[] = {0};
    f0t_ridge *r;
    assert_fails(F0T_ERROR_ARGUMENT, "needs images",
                 f0t_ridge_fit(&r, NULL, 0, 3, offsets, NULL, 2, NULL));
    assert_null(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_the_minimum),
        cmocka_unit_test(a_small_rank_fits_as_well_as_it_can),
        cmocka_unit_test(the_penalty_has_about_the_least_error),
        cmocka_unit_test(few_images_choose_the_same_penalty),
        cmocka_unit_test(rare_tags_do_not_judge),
        cmocka_unit_test(one_image_gives_its_tags),
        cmocka_unit_test(rows_that_are_all_alike_are_no_failure),
        cmocka_unit_test(scores_are_products_of_centred_features),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(nothing_to_learn_from_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
