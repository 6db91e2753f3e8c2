#include "made.h"

#include "expert/metric.h"
#include "expert/votes.h"

static f0t_votes *fit(const made *m)
{
    f0t_votes *v;
    assert_ok(
        f0t_votes_fit(&v, m->rows, m->count, m->features, m->offsets, m->relevant, m->tags, NULL));
    return v;
}

/* ---- By direct loops, in float ------------------------------------------------------------------- */

typedef struct neighbour {
    double cosine;
    size_t image;
} neighbour;

static int nearer(const void *a, const void *b)
{
    const neighbour *x = a, *y = b;
    return x->cosine != y->cosine ? (x->cosine < y->cosine ? 1 : -1)
                                  : (x->image > y->image) - (x->image < y->image);
}

/* all[M] by nearness to a mapped query. */
static void sort_all(neighbour *all, const float *mapped, size_t count, size_t dim,
                     const float *query)
{
    for (size_t i = 0; i < count; i++) {
        all[i] = (neighbour){0, i};
        for (size_t d = 0; d < dim; d++)
            all[i].cosine += (double)mapped[i * dim + d] * (double)query[d];
    }
    qsort(all, count, sizeof *all, nearer);
}

static void votes(double *p, const made *m, const neighbour *all, size_t k, double sharpness)
{
    double total = 0;
    for (size_t t = 0; t < m->tags; t++)
        p[t] = 0;
    for (size_t j = 0; j < k; j++) {
        const double w = exp(sharpness * all[j].cosine);
        total += w;
        for (size_t t = 0; t < m->tags; t++)
            p[t] += made_has(m, all[j].image, t) ? w : 0;
    }
    for (size_t t = 0; t < m->tags; t++)
        p[t] /= total;
}

static float *mapped(const made *m, const made *of, size_t dim)
{
    f0t_metric *metric;
    float *to;
    assert_ok(f0t_metric_create(&metric, m->rows, m->count, m->features, dim, NULL));
    assert_ok(f0t_alloc(&to, of->count * dim, sizeof *to));
    assert_ok(f0t_metric_apply(to, metric, of->rows, of->count));
    f0t_metric_free(metric);
    return to;
}

/* ---- Scores -------------------------------------------------------------------------------------- */

enum { M = 300, D = 40, T = 12, Q = 50 };

/* Bytes move a cosine by less than 0.01; where that swaps neighbours around the k-th, a vote moves. */
static void scores_are_the_neighbours_votes(void **state)
{
    (void)state;
    made m = made_create(M, D, T, 1), q = made_create(Q, D, T, 2);
    f0t_votes *v = fit(&m);
    float *rows = mapped(&m, &m, D), *queries = mapped(&m, &q, D), out[Q * T];
    neighbour all[M];
    double p[T], worst = 0, mean = 0;
    assert_int_equal(v->dim, D);
    assert_ok(f0t_votes_score(out, v, q.rows, Q));
    for (size_t i = 0; i < Q; i++) {
        sort_all(all, rows, M, D, queries + i * D);
        votes(p, &m, all, v->k, v->sharpness);
        for (size_t t = 0; t < T; t++) {
            const double error = fabs(p[t] - (double)out[i * T + t]);
            worst = fmax(worst, error);
            mean += error / (Q * T);
        }
    }
    assert_true(worst < 2.5 / (double)v->k);
    assert_true(mean < 0.005);
    f0t_free(rows);
    f0t_free(queries);
    f0t_votes_free(v);
    made_free(&m);
    made_free(&q);
}

/* The same bytes for rows alone, few and many, and for any length. */
static void rows_do_not_see_each_other(void **state)
{
    (void)state;
    made m = made_create(M, D, T, 1), q = made_create(200, D, T, 2);
    f0t_votes *v = fit(&m);
    float *all, part[16 * T];
    assert_ok(f0t_alloc(&all, 200 * T, sizeof *all));
    assert_ok(f0t_votes_score(all, v, q.rows, 200));
    for (size_t n = 1; n <= 16; n += 5)
        for (size_t i = 0; i + n <= 200; i += 37) {
            assert_ok(f0t_votes_score(part, v, q.rows + i * D, n));
            for (size_t j = 0; j < n * T; j++)
                assert_true(fabsf(part[j] - all[i * T + j]) < 2.5F / (float)v->k);
        }
    for (size_t j = 0; j < D; j++)
        q.rows[j] *= 1024;
    assert_ok(f0t_votes_score(part, v, q.rows, 1));
    for (size_t t = 0; t < T; t++)
        assert_true(fabsf(part[t] - all[t]) < 2.5F / (float)v->k);
    f0t_free(all);
    f0t_votes_free(v);
    made_free(&m);
    made_free(&q);
}

/* The scan and the product of matrices find the same neighbours with the same products. */
static void few_rows_find_what_many_find(void **state)
{
    (void)state;
    enum { K = 30, ROWS = 140 };
    made m = made_create(M, D, T, 1);
    f0t_votes *v = fit(&m);
    static uint32_t index[ROWS * K], own[K], skip[ROWS];
    static float value[ROWS * K], near[K];
    for (uint32_t i = 0; i < ROWS; i++)
        skip[i] = i;
    assert_ok(f0t_votes_nearest(index, value, v, v->rows, ROWS, K, skip));
    for (size_t i = 0; i < ROWS; i++) {
        assert_ok(f0t_votes_nearest(own, near, v, v->rows + i * v->dim, 1, K, skip + i));
        assert_memory_equal(own, index + i * K, sizeof own);
        assert_memory_equal(near, value + i * K, sizeof near);
        for (size_t j = 0; j < K; j++)
            assert_true(own[j] != i);
    }
    f0t_votes_free(v);
    made_free(&m);
}

static void a_row_with_nan_gets_nan(void **state)
{
    (void)state;
    made m = made_create(30, 4, 3, 1);
    f0t_votes *v = fit(&m);
    float x[8] = {1, 2, NAN, 4, 1, 2, 3, 4}, out[6];
    assert_ok(f0t_votes_score(out, v, x, 2));
    for (size_t t = 0; t < 3; t++) {
        assert_true(isnan(out[t]));
        assert_true(isfinite(out[3 + t]));
    }
    f0t_votes_free(v);
    made_free(&m);
}

/* ---- Fit ----------------------------------------------------------------------------------------- */

/* No other k and β of the grids has a clearly smaller error, leaving one out. */
static void k_and_sharpness_have_the_least_error(void **state)
{
    (void)state;
    const size_t ks[] = {20, 50, 100};
    const double sharpnesses[] = {0, 5, 10, 15};
    made m = made_create(M, D, T, 3);
    f0t_votes *v = fit(&m);
    float *rows = mapped(&m, &m, D);
    neighbour all[M];
    double p[T], errors[3][4] = {{0}}, least = INFINITY, own = -1;
    for (size_t i = 0; i < M; i++) {
        sort_all(all, rows, M, D, rows + i * D);
        assert_int_equal(all[0].image, i);
        for (size_t a = 0; a < 3; a++)
            for (size_t b = 0; b < 4; b++) {
                votes(p, &m, all + 1, ks[a], sharpnesses[b]);
                for (size_t t = 0; t < T; t++)
                    errors[a][b] += pow(p[t] - made_has(&m, i, t), 2);
            }
    }
    for (size_t a = 0; a < 3; a++)
        for (size_t b = 0; b < 4; b++) {
            least = fmin(least, errors[a][b]);
            if (v->k == ks[a] && v->sharpness == sharpnesses[b])
                own = errors[a][b];
        }
    assert_true(own > 0);
    assert_true(own < 1.001 * least);
    f0t_free(rows);
    f0t_votes_free(v);
    made_free(&m);
}

static void few_images_are_enough(void **state)
{
    (void)state;
    for (size_t count = 1; count < 10; count++) {
        made m = made_create(count, 5, 3, count);
        f0t_votes *v = fit(&m);
        float out[3];
        assert_int_equal(v->k, count < 6 ? 1 : count / 3);
        assert_ok(f0t_votes_score(out, v, m.rows, 1));
        for (size_t t = 0; t < 3; t++)
            assert_true(out[t] >= 0 && out[t] <= 1.0001F);
        f0t_votes_free(v);
        made_free(&m);
    }
}

/* Image i has the tag i % 7 alone, in any subset: it keeps its own. */
static void many_images_are_thinned_with_their_tags(void **state)
{
    (void)state;
    enum { MANY = F0T_VOTES_IMAGES + 5000 };
    made m = made_create(MANY, 14, 7, 5);
    for (size_t i = 0; i < MANY; i++) {
        m.relevant[i] = (uint32_t)(i % 7);
        m.offsets[i + 1] = i + 1;
    }
    f0t_votes *v = fit(&m);
    float out[7 * 7];
    assert_int_equal(v->images, F0T_VOTES_IMAGES);
    assert_int_equal(v->offsets[v->images], F0T_VOTES_IMAGES);
    assert_ok(f0t_votes_score(out, v, m.rows, 7));
    for (size_t i = 0; i < 7; i++)
        assert_true(out[i * 7 + i] > 0.5F);
    f0t_votes_free(v);
    made_free(&m);
}

static f0t_status fit_and_score(void *context)
{
    const made *m = context;
    float out[20 * T];
    f0t_votes *v;
    F0T_TRY(
        f0t_votes_fit(&v, m->rows, m->count, m->features, m->offsets, m->relevant, m->tags, NULL));
    f0t_status status = f0t_votes_score(out, v, m->rows, 1);
    if (status == F0T_OK)
        status = f0t_votes_score(out, v, m->rows, 20);
    f0t_votes_free(v);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    made m = made_create(M, D, T, 4);
    test_each_fault(F0T_FAULT_ALLOC, fit_and_score, &m);
    made_free(&m);
    m = made_create(30, D, T, 4);
    test_each_fault(F0T_FAULT_ALLOC, fit_and_score, &m);
    made_free(&m);
}

static void nothing_to_learn_from_is_refused(void **state)
{
    (void)state;
    const size_t offsets[] = {0};
    f0t_votes *v;
    assert_fails(F0T_ERROR_ARGUMENT, "need images",
                 f0t_votes_fit(&v, NULL, 0, 3, offsets, NULL, 2, NULL));
    assert_null(v);
}

static void a_stop_is_heard(void **state)
{
    (void)state;
    volatile sig_atomic_t stop = 1;
    const f0t_monitor monitor = {.stop = &stop};
    made m = made_create(M, D, T, 4);
    f0t_votes *v;
    assert_fails(F0T_ERROR_INTERRUPTED, "",
                 f0t_votes_fit(&v, m.rows, M, D, m.offsets, m.relevant, T, &monitor));
    made_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_the_neighbours_votes),
        cmocka_unit_test(rows_do_not_see_each_other),
        cmocka_unit_test(few_rows_find_what_many_find),
        cmocka_unit_test(a_row_with_nan_gets_nan),
        cmocka_unit_test(k_and_sharpness_have_the_least_error),
        cmocka_unit_test(few_images_are_enough),
        cmocka_unit_test(many_images_are_thinned_with_their_tags),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(nothing_to_learn_from_is_refused),
        cmocka_unit_test(a_stop_is_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
