#include "made.h"

#include "expert/landmarks.h"

enum { M = 300, D = 40, T = 5, Q = 270 };

static f0t_votes *fit(const made *m)
{
    f0t_votes *v;
    assert_ok(
        f0t_votes_fit(&v, m->rows, m->count, m->features, m->offsets, m->relevant, m->tags, NULL));
    return v;
}

static float *mapped(const f0t_votes *v, const made *of)
{
    const f0t_metric metric = {v->features, v->dim, v->map, v->shift};
    float *to;
    assert_ok(f0t_alloc(&to, of->count * v->dim, sizeof *to));
    assert_ok(f0t_metric_apply(to, &metric, of->rows, of->count));
    return to;
}

static double product(const float *a, const float *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* By direct loops over the images as they were, not as bytes. */
static void nearness_is_that_of_the_images(void **state)
{
    (void)state;
    made m = made_create(M, D, T, 1), q = made_create(Q, D, T, 2);
    f0t_votes *v = fit(&m);
    f0t_landmarks *l;
    assert_ok(f0t_landmarks_create(&l, v));
    assert_int_equal(l->count, M);
    float *rows = mapped(v, &m), *queries = mapped(v, &q), *near, alone[M];
    double spread = 0;
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < M; j++)
            spread += (1 - product(rows + i * D, rows + j * D, D)) / (M * M);
    assert_ok(f0t_alloc(&near, Q * M, sizeof *near));
    assert_ok(f0t_landmarks_near(near, l, q.rows, Q));
    for (size_t i = 0; i < Q; i++)
        for (size_t j = 0; j < M; j++) {
            const double cosine = product(queries + i * D, rows + j * D, D);
            assert_true(fabs((double)near[i * M + j] - exp(-2 / spread * (1 - cosine))) < 0.01);
        }
    for (size_t j = 0; j < D; j++)
        q.rows[7 * D + j] *= 1000;
    assert_ok(f0t_landmarks_near(alone, l, q.rows + 7 * D, 1));
    for (size_t j = 0; j < M; j++)
        assert_true(fabsf(alone[j] - near[7 * M + j]) < 1e-5F);
    f0t_free(rows);
    f0t_free(queries);
    f0t_free(near);
    f0t_landmarks_free(l);
    f0t_votes_free(v);
    made_free(&m);
    made_free(&q);
}

static void landmarks_are_near_themselves(void **state)
{
    (void)state;
    made m = made_create(M, D, T, 1);
    f0t_votes *v = fit(&m);
    f0t_landmarks *l;
    const uint32_t some[] = {7, 299, 0};
    float among[9];
    assert_ok(f0t_landmarks_place(&l, v, some, 3));
    assert_ok(f0t_landmarks_among(among, l));
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(l->images[i], some[i]);
        for (size_t j = 0; j < 3; j++)
            assert_true(i == j ? fabsf(among[i * 3 + j] - 1) < 1e-5F
                               : among[i * 3 + j] < 1 && among[i * 3 + j] == among[j * 3 + i]);
    }
    f0t_landmarks_free(l);
    f0t_votes_free(v);
    made_free(&m);
}

/* Of many images so many, from the first to nearly the last, none twice. */
static void many_images_are_thinned(void **state)
{
    (void)state;
    enum { MANY = 3000, FEW = 4 };
    made m = made_create(MANY, FEW, T, 1);
    f0t_votes *v = fit(&m);
    f0t_landmarks *l;
    assert_ok(f0t_landmarks_create(&l, v));
    assert_int_equal(l->count, F0T_LANDMARKS_MOST);
    assert_int_equal(l->images[0], 0);
    for (size_t i = 1; i < l->count; i++)
        assert_in_range(l->images[i] - l->images[i - 1], 1, 2);
    assert_true(l->images[l->count - 1] >= MANY - 3);
    f0t_landmarks_free(l);
    f0t_votes_free(v);
    made_free(&m);
}

static f0t_status create_and_ask(void *context)
{
    const f0t_votes *v = context;
    float near[M], row[D] = {1};
    f0t_landmarks *l;
    F0T_TRY(f0t_landmarks_create(&l, v));
    f0t_status status = f0t_landmarks_near(near, l, row, 1);
    f0t_landmarks_free(l);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    made m = made_create(M, D, T, 1);
    f0t_votes *v = fit(&m);
    test_each_fault(F0T_FAULT_ALLOC, create_and_ask, v);
    f0t_votes_free(v);
    made_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearness_is_that_of_the_images),
        cmocka_unit_test(landmarks_are_near_themselves),
        cmocka_unit_test(many_images_are_thinned),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
