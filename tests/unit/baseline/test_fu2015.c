#include "tasks.h"

#include "baseline/fu2015.h"
#include "math/solve.h"

enum { D = C_FEATURES, U = C_TAGS - C_SEEN };

/* The regression from its definition: a constant feature that no ridge touches, in place of means. */
static void regression(double (*map)[D + 1], const made_task *m, double ridge)
{
    const f0t_samples *s = &m->task.train;
    double system[(D + 1) * (D + 1)] = {0}, mean[D] = {0}, trace = 0, M = (double)s->count;
    float *x;
    assert_ok(f0t_alloc(&x, s->count * D, sizeof *x));
    assert_ok(f0t_task_read(x, &m->task, s->images, s->count));
    memset(map, 0, C_DIM * sizeof *map);
    for (size_t i = 0; i < s->count; i++) {
        double row[D + 1];
        row[D] = 1;
        for (size_t j = 0; j < D; j++) {
            row[j] = (double)x[i * D + j];
            mean[j] += row[j] / M;
        }
        for (size_t j = 0; j <= D; j++)
            for (size_t k = 0; k <= D; k++)
                system[j * (D + 1) + k] += row[j] * row[k];
        for (size_t t = s->offsets[i]; t < s->offsets[i + 1]; t++)
            for (size_t k = 0; k < C_DIM; k++)
                for (size_t j = 0; j <= D; j++)
                    map[k][j] += (double)m->vectors[s->relevant[t] * C_DIM + k] * row[j];
    }
    for (size_t j = 0; j < D; j++)
        trace += system[j * (D + 1) + j] - M * mean[j] * mean[j];
    for (size_t j = 0; j < D; j++)
        system[j * (D + 1) + j] += ridge * trace / D;
    assert_ok(f0t_cholesky_solve_f64(system, D + 1, &map[0][0], C_DIM, NULL));
    f0t_free(x);
}

static void project(double *to, double (*map)[D + 1], const float *x)
{
    double norm = 0;
    for (size_t k = 0; k < C_DIM; k++) {
        to[k] = map[k][D];
        for (size_t j = 0; j < D; j++)
            to[k] += map[k][j] * (double)x[j];
        norm += to[k] * to[k];
    }
    for (size_t k = 0; k < C_DIM; k++)
        to[k] /= sqrt(norm);
}

static void direct_scores_are_the_marginals_of_all_combinations(void **state)
{
    (void)state;
    const double knobs[] = {0.1, 0.2};
    made_task m;
    double map[C_DIM][D + 1];
    float *prototypes;
    made_task_create(&m, C_SEEN, C_SEEN);
    float *scores = made_room(&m);
    assert_ok(made_scores(scores, &m, &f0t_ranker_fu2015_direct, knobs, m.test.count));
    regression(map, &m, knobs[0]);
    assert_ok(f0t_combinations_create(&prototypes, m.tags.vectors, U, C_DIM));
    for (size_t i = 0; i < m.test.count; i += 5) {
        double z[C_DIM], with[U] = {0}, all = 0;
        project(z, map, m.features + i * D);
        for (size_t c = 1; c < 1U << U; c++) {
            double cosine = 0;
            for (size_t k = 0; k < C_DIM; k++)
                cosine += z[k] * (double)prototypes[(c - 1) * C_DIM + k];
            all += exp(cosine / knobs[1]);
            for (size_t u = 0; u < U; u++)
                with[u] += c >> u & 1 ? exp(cosine / knobs[1]) : 0;
        }
        for (size_t u = 0; u < U; u++)
            assert_true(fabs(with[u] / all - (double)scores[i * U + u]) < 1e-3);
    }
    f0t_free(prototypes);
    f0t_free(scores);
    made_task_free(&m);
}

/* With all others as neighbours P is dense: the fixed point by its definition. */
static void transductive_scores_satisfy_their_equation(void **state)
{
    (void)state;
    const double knobs[] = {0.1, 0.2, 1e6, 0.6};
    made_task m;
    double map[C_DIM][D + 1], (*z)[C_DIM];
    made_task_create(&m, C_SEEN, C_SEEN);
    const size_t n = m.test.count;
    float *direct = made_room(&m), *scores = made_room(&m);
    assert_ok(made_scores(direct, &m, &f0t_ranker_fu2015_direct, knobs, n));
    assert_ok(made_scores(scores, &m, &f0t_ranker_fu2015, knobs, n));
    assert_ok(f0t_alloc(&z, n, sizeof *z));
    regression(map, &m, knobs[0]);
    for (size_t i = 0; i < n; i++)
        project(z[i], map, m.features + i * D);
    for (size_t i = 0; i < n; i += 7) {
        double sum[U] = {0}, all = 0;
        for (size_t j = 0; j < n; j++) {
            double cosine = 0;
            for (size_t k = 0; k < C_DIM; k++)
                cosine += z[i][k] * z[j][k];
            double weight = j == i ? 0 : exp(cosine / knobs[1]);
            all += weight;
            for (size_t u = 0; u < U; u++)
                sum[u] += weight * (double)scores[j * U + u];
        }
        for (size_t u = 0; u < U; u++)
            assert_true(fabs(knobs[3] * sum[u] / all + (1 - knobs[3]) * (double)direct[i * U + u] -
                             (double)scores[i * U + u]) < 1e-3);
    }
    f0t_free(z);
    f0t_free(direct);
    f0t_free(scores);
    made_task_free(&m);
}

/* Three unseen tags: by chance about 64. */
static void both_rank_unseen_tags_better_than_chance(void **state)
{
    (void)state;
    made_task m;
    made_task_create(&m, C_SEEN, C_SEEN);
    assert_true(made_default_miap(&m, &f0t_ranker_fu2015_direct) > 70);
    assert_true(made_default_miap(&m, &f0t_ranker_fu2015) > 70);
    made_check_blocks(&m, &f0t_ranker_fu2015_direct);
    made_task_free(&m);
}

static void one_image_is_its_own_company(void **state)
{
    (void)state;
    const double knobs[] = {0.1, 0.2, 10, 0.5};
    made_task m;
    made_task_create(&m, C_SEEN, C_SEEN);
    float one[U], *direct = made_room(&m);
    assert_ok(made_scores(direct, &m, &f0t_ranker_fu2015_direct, knobs, m.test.count));
    m.queries.count = 1;
    assert_ok(made_scores(one, &m, &f0t_ranker_fu2015, knobs, 1));
    for (size_t u = 0; u < U; u++)
        assert_true(fabs((double)one[u] - (double)direct[u]) < 1e-5);
    f0t_free(direct);
    made_task_free(&m);
}

static void too_many_tags_are_refused_with_the_reason(void **state)
{
    (void)state;
    const double knobs[] = {0.1, 0.2};
    static float vectors[13 * C_DIM], scores[13];
    made_task m;
    void *shared, *fitted;
    made_task_create(&m, C_SEEN, C_SEEN);
    assert_ok(f0t_ranker_fu2015_direct.prepare(&shared, &m.task));
    assert_ok(f0t_ranker_fu2015_direct.fit(&fitted, &m.task, shared, knobs));
    const f0t_candidates many = {.count = 13, .vectors = vectors};
    f0t_queries one = m.queries;
    one.count = 1;
    assert_fails(F0T_ERROR_UNSUPPORTED, "combinations",
                 f0t_ranker_fu2015_direct.score(scores, fitted, &m.task, &many, &one));
    assert_int_equal(f0t_ranker_fu2015.most_tags, 12);
    f0t_ranker_fu2015_direct.free(fitted);
    f0t_ranker_fu2015_direct.release(shared);
    made_task_free(&m);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    made_task m;
    made_task_create(&m, C_SEEN, C_SEEN);
    made_check_faults(&m, &f0t_ranker_fu2015);
    made_task_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_scores_are_the_marginals_of_all_combinations),
        cmocka_unit_test(transductive_scores_satisfy_their_equation),
        cmocka_unit_test(both_rank_unseen_tags_better_than_chance),
        cmocka_unit_test(one_image_is_its_own_company),
        cmocka_unit_test(too_many_tags_are_refused_with_the_reason),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
