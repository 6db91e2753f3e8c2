#include "tasks.h"

#include "math/solve.h"

/* CCA as textbooks have it: the singular value decomposition of Cxx^-½ Cxy Cyy^-½, ridges added,
 * from the centred data themselves. */
typedef struct textbook {
    double x_mean[C_FEATURES], y_mean[C_TAGS];
    double cxx[C_FEATURES * C_FEATURES], cyy[C_TAGS * C_TAGS], cxy[C_FEATURES * C_TAGS];
    double a[C_FEATURES * C_TAGS], b[C_TAGS * C_TAGS], rho[C_TAGS]; /* columns are directions */
} textbook;

static void add_image(textbook *t, const double *x, const double *y)
{
    for (size_t i = 0; i < C_FEATURES; i++)
        for (size_t j = 0; j < C_FEATURES; j++)
            t->cxx[i * C_FEATURES + j] += x[i] * x[j];
    for (size_t i = 0; i < C_TAGS; i++)
        for (size_t j = 0; j < C_TAGS; j++)
            t->cyy[i * C_TAGS + j] += y[i] * y[j];
    for (size_t i = 0; i < C_FEATURES; i++)
        for (size_t j = 0; j < C_TAGS; j++)
            t->cxy[i * C_TAGS + j] += x[i] * y[j];
}

static void covariances(textbook *t, const made_task *m)
{
    const f0t_samples *s = &m->task.train;
    float *read;
    assert_ok(f0t_alloc(&read, s->count * C_FEATURES, sizeof *read));
    assert_ok(f0t_task_read(read, &m->task, s->images, s->count));
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < s->count; i++) {
            double x[C_FEATURES], y[C_TAGS] = {0};
            for (size_t j = 0; j < C_FEATURES; j++)
                x[j] = (double)read[i * C_FEATURES + j] - t->x_mean[j];
            for (size_t k = s->offsets[i]; k < s->offsets[i + 1]; k++)
                y[s->relevant[k]] = 1;
            for (size_t k = 0; k < C_TAGS; k++)
                y[k] -= t->y_mean[k];
            if (pass) {
                for (size_t j = 0; j < C_FEATURES; j++)
                    x[j] /= sqrt((double)s->count);
                for (size_t k = 0; k < C_TAGS; k++)
                    y[k] /= sqrt((double)s->count);
                add_image(t, x, y);
                continue;
            }
            /* The first pass sums into cxx and cyy's first rows; means are set at its end. */
            for (size_t j = 0; j < C_FEATURES; j++)
                t->cxx[j] += x[j];
            for (size_t k = 0; k < C_TAGS; k++)
                t->cyy[k] += y[k];
            if (i + 1 < s->count)
                continue;
            for (size_t j = 0; j < C_FEATURES; j++)
                t->x_mean[j] = t->cxx[j] / (double)s->count;
            for (size_t k = 0; k < C_TAGS; k++)
                t->y_mean[k] = t->cyy[k] / (double)s->count;
            memset(t->cxx, 0, sizeof t->cxx);
            memset(t->cyy, 0, sizeof t->cyy);
        }
    f0t_free(read);
}

/* root[n x n] = (c + ridge · mean diagonal · I)^-½. */
static void inverse_root(double *root, const double *c, size_t n, double ridge)
{
    double e[C_FEATURES * C_FEATURES], values[C_FEATURES], trace = 0;
    memcpy(e, c, n * n * sizeof *e);
    for (size_t i = 0; i < n; i++)
        trace += c[i * n + i];
    for (size_t i = 0; i < n; i++)
        e[i * n + i] += ridge * trace / (double)n;
    assert_ok(f0t_eigen_f64(e, n, values));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += e[k * n + i] * e[k * n + j] / sqrt(values[k]);
            root[i * n + j] = sum;
        }
}

static void multiply(double *c, const double *a, const double *b, size_t m, size_t k, size_t n)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t l = 0; l < k; l++)
                sum += a[i * k + l] * b[l * n + j];
            c[i * n + j] = sum;
        }
}

static void solve_textbook(textbook *t, double ridge_x, double ridge_y)
{
    double rx[C_FEATURES * C_FEATURES], ry[C_TAGS * C_TAGS], half[C_FEATURES * C_TAGS],
        k[C_FEATURES * C_TAGS], u[C_FEATURES * C_TAGS], vt[C_TAGS * C_TAGS], v[C_TAGS * C_TAGS];
    inverse_root(rx, t->cxx, C_FEATURES, ridge_x);
    inverse_root(ry, t->cyy, C_TAGS, ridge_y);
    multiply(half, rx, t->cxy, C_FEATURES, C_FEATURES, C_TAGS);
    multiply(k, half, ry, C_FEATURES, C_TAGS, C_TAGS);
    assert_ok(f0t_svd_f64(k, C_FEATURES, C_TAGS, u, t->rho, vt));
    for (size_t i = 0; i < C_TAGS; i++)
        for (size_t j = 0; j < C_TAGS; j++)
            v[i * C_TAGS + j] = vt[j * C_TAGS + i];
    multiply(t->a, rx, u, C_FEATURES, C_FEATURES, C_TAGS);
    multiply(t->b, ry, v, C_TAGS, C_TAGS, C_TAGS);
}

static double textbook_cosine(const textbook *t, const float *features, size_t tag, size_t dims,
                              double power)
{
    double xy = 0, xx = 0, yy = 0;
    for (size_t k = 0; k < dims; k++) {
        double x = 0, y = t->b[tag * C_TAGS + k];
        for (size_t j = 0; j < C_FEATURES; j++)
            x += ((double)features[j] - t->x_mean[j]) * t->a[j * C_TAGS + k];
        for (size_t j = 0; j < C_TAGS; j++)
            y -= t->y_mean[j] * t->b[j * C_TAGS + k];
        x *= pow(t->rho[k], power);
        y *= pow(t->rho[k], power);
        xy += x * y;
        xx += x * x;
        yy += y * y;
    }
    return xy / sqrt(xx * yy);
}

static void the_scores_are_cosines_in_the_space_of_the_textbook(void **state)
{
    (void)state;
    const double settings[][4] = {{0.1, 0.01, 1. / 3, 0}, {1, 1, 1, 1}, {0.01, 10, 0.5, 0.5}};
    made_task m;
    static textbook t;
    made_task_create(&m, C_TAGS, 0);
    covariances(&t, &m);
    float *scores = made_room(&m);
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
        const size_t dims = (size_t)round(settings[s][2] * C_TAGS);
        assert_ok(made_scores(scores, &m, &f0t_ranker_cca, settings[s], m.test.count));
        solve_textbook(&t, settings[s][0], settings[s][1]);
        for (size_t i = 0; i < m.test.count; i++)
            for (size_t k = 0; k < C_TAGS; k++)
                assert_true(
                    fabs(textbook_cosine(&t, m.features + i * C_FEATURES, k, dims, settings[s][3]) -
                         (double)scores[i * C_TAGS + k]) < 2e-4);
    }
    f0t_free(scores);
    made_task_free(&m);
}

/* Else a search by neighbouring values would stand still. */
static void every_share_of_the_dimensions_is_another_model(void **state)
{
    (void)state;
    const f0t_knob *shares = &f0t_ranker_cca.knobs[2];
    double knobs[F0T_KNOBS_MAX];
    made_task m;
    made_task_create(&m, C_TAGS, 0);
    float *scores = made_room(&m), *before = made_room(&m);
    const size_t size = m.test.count * m.tags.count * sizeof *scores;
    made_knobs(knobs, &f0t_ranker_cca);
    for (size_t i = 0; i < shares->count; i++) {
        knobs[2] = shares->values[i];
        assert_ok(made_scores(scores, &m, &f0t_ranker_cca, knobs, m.test.count));
        assert_true(i == 0 || memcmp(scores, before, size) != 0);
        memcpy(before, scores, size);
    }
    f0t_free(scores);
    f0t_free(before);
    made_task_free(&m);
}

static void it_finds_the_tags_of_images(void **state)
{
    (void)state;
    made_task m;
    made_task_create(&m, C_TAGS, 0);
    assert_true(made_default_miap(&m, &f0t_ranker_cca) > 75);
    made_check_blocks(&m, &f0t_ranker_cca);
    made_task_free(&m);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    made_task m;
    made_task_create(&m, C_TAGS, 0);
    made_check_faults(&m, &f0t_ranker_cca);
    made_task_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scores_are_cosines_in_the_space_of_the_textbook),
        cmocka_unit_test(every_share_of_the_dimensions_is_another_model),
        cmocka_unit_test(it_finds_the_tags_of_images),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
