#include "tasks.h"

#include "baseline/fasttag.h"
#include "math/solve.h"

enum { M = 40, D = 6, T = 5 };

/* Images with features x and tags h that depend on them; tags need not be 0 and 1: those of a second
 * layer are not. */
typedef struct made {
    double x[M][D], h[M][T];
    double x_mean[D], h_mean[T];
    double all[T * T], centred[T * T], explained[T * T], unexplained[T * T];
    double ridge;
    double r[T][D]; /* the ridge regression from centred x to centred h */
} made;

static void make_images(made *d)
{
    const f0t_random random = {21, 0};
    memset(d, 0, sizeof *d);
    d->ridge = 3;
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < D; j++)
            d->x[i][j] = f0t_random_normal(&random, i * D + j) + 0.5;
    for (size_t i = 0; i < M; i++)
        for (size_t t = 0; t < T; t++)
            d->h[i][t] = fmax(0, d->x[i][t] + 0.5 * d->x[i][t + 1] +
                                     f0t_random_normal(&random, M * D + i * T + t));
    for (size_t i = 0; i < M; i++) {
        for (size_t j = 0; j < D; j++)
            d->x_mean[j] += d->x[i][j] / M;
        for (size_t t = 0; t < T; t++)
            d->h_mean[t] += d->h[i][t] / M;
    }
}

/* targets · (Σ x̄ x̄ᵀ + ridge)⁻¹, row by row, in place. */
static void solve_features(const made *d, double (*rows)[D], size_t count)
{
    double system[D * D] = {0};
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < D; j++)
            for (size_t k = 0; k < D; k++)
                system[j * D + k] += (d->x[i][j] - d->x_mean[j]) * (d->x[i][k] - d->x_mean[k]);
    for (size_t j = 0; j < D; j++)
        system[j * D + j] += d->ridge;
    assert_ok(f0t_cholesky_solve_f64(system, D, &rows[0][0], count, NULL));
}

static void make_sums(made *d, f0t_fasttag_sums *sums)
{
    double crossed[T][D] = {{0}};
    for (size_t i = 0; i < M; i++)
        for (size_t s = 0; s < T; s++) {
            for (size_t t = 0; t < T; t++) {
                d->all[s * T + t] += d->h[i][s] * d->h[i][t];
                d->centred[s * T + t] += (d->h[i][s] - d->h_mean[s]) * (d->h[i][t] - d->h_mean[t]);
            }
            for (size_t j = 0; j < D; j++)
                crossed[s][j] += (d->h[i][s] - d->h_mean[s]) * (d->x[i][j] - d->x_mean[j]);
        }
    memcpy(d->r, crossed, sizeof crossed);
    solve_features(d, d->r, T);
    for (size_t s = 0; s < T; s++)
        for (size_t t = 0; t < T; t++)
            for (size_t j = 0; j < D; j++)
                d->explained[s * T + t] += d->r[s][j] * crossed[t][j];
    for (size_t i = 0; i < T * T; i++)
        d->unexplained[i] = d->centred[i] - d->explained[i];
    *sums = (f0t_fasttag_sums){T, d->all, d->unexplained};
}

/* Blanks are drawn, a hundred thousand for each image; nothing is known of expectations. */
static void the_expectations_are_those_of_drawn_blanks(void **state)
{
    (void)state;
    enum { DRAWS = 100000 };
    static made d;
    f0t_fasttag_sums sums;
    const double blank = 0.3;
    double p[T * T], q[T * T], drawn_p[T * T] = {0}, drawn_q[T * T] = {0};
    make_images(&d);
    make_sums(&d, &sums);
    for (size_t i = 0; i < M; i++) {
        const f0t_random random = {5, i};
        for (size_t n = 0; n < DRAWS; n++) {
            double left[T];
            uint64_t bits = f0t_random_u64(&random, n);
            for (size_t t = 0; t < T; t++, bits >>= 12)
                left[t] = (double)(bits & 4095) < 4096 * blank ? 0 : d.h[i][t];
            for (size_t s = 0; s < T; s++)
                for (size_t t = 0; t < T; t++) {
                    drawn_p[s * T + t] += d.h[i][s] * left[t] / DRAWS;
                    drawn_q[s * T + t] += left[s] * left[t] / DRAWS;
                }
        }
    }
    f0t_fasttag_blank_out(p, q, d.all, T, blank);
    for (size_t i = 0; i < T * T; i++) {
        assert_true(fabs(p[i] - drawn_p[i]) < 0.002 * d.all[i]);
        assert_true(fabs(q[i] - drawn_q[i]) < 0.004 * d.all[i]);
    }
}

/* The objective as it is written down, the expectation by all 2^T patterns of blanks. */
static double objective(const made *d, const double *b, double (*w)[D], double gamma, double blank)
{
    double sum = 0, offset[T];
    for (size_t s = 0; s < T; s++) {
        offset[s] = 0;
        for (size_t t = 0; t < T; t++)
            offset[s] += b[s * T + t] * d->h_mean[t];
        for (size_t j = 0; j < D; j++) {
            offset[s] -= w[s][j] * d->x_mean[j];
            sum += d->ridge * w[s][j] * w[s][j];
        }
    }
    for (size_t i = 0; i < M; i++) {
        for (size_t s = 0; s < T; s++) {
            double z = -offset[s];
            for (size_t t = 0; t < T; t++)
                z += b[s * T + t] * d->h[i][t];
            for (size_t j = 0; j < D; j++)
                z -= w[s][j] * d->x[i][j];
            sum += z * z;
        }
        for (unsigned pattern = 0; pattern < 1U << T; pattern++) {
            double chance = 1, square = 0;
            for (size_t t = 0; t < T; t++)
                chance *= pattern >> t & 1 ? blank : 1 - blank;
            for (size_t s = 0; s < T; s++) {
                double z = d->h[i][s];
                for (size_t t = 0; t < T; t++)
                    z -= pattern >> t & 1 ? 0 : b[s * T + t] * d->h[i][t];
                square += z * z;
            }
            sum += gamma * chance * square;
        }
    }
    return sum;
}

static void multiply_map(double (*w)[D], const double *b, const made *d)
{
    for (size_t s = 0; s < T; s++)
        for (size_t j = 0; j < D; j++) {
            w[s][j] = 0;
            for (size_t t = 0; t < T; t++)
                w[s][j] += b[s * T + t] * d->r[t][j];
        }
}

static void no_other_maps_have_a_lower_objective(void **state)
{
    (void)state;
    static made d;
    f0t_fasttag_sums sums;
    const double gamma = 0.7, blank = 0.4;
    double b[T * T], w[T][D];
    const f0t_random random = {9, 9};
    make_images(&d);
    make_sums(&d, &sums);
    assert_ok(f0t_fasttag_layer(b, &sums, gamma, blank, NULL));
    multiply_map(w, b, &d);
    const double least = objective(&d, b, w, gamma, blank);
    for (size_t trial = 0; trial < 50; trial++) {
        double other_b[T * T], other_w[T][D], step = trial % 2 ? 1e-3 : 1e-1;
        for (size_t i = 0; i < T * T; i++)
            other_b[i] = b[i] + step * f0t_random_normal(&random, trial * 100 + i);
        for (size_t i = 0; i < T * D; i++)
            (&other_w[0][0])[i] =
                (&w[0][0])[i] + step * f0t_random_normal(&random, 9000 + trial * 100 + i);
        assert_true(objective(&d, other_b, other_w, gamma, blank) > least);
    }
}

/* The paper's way: B from W, W from B, again and again. */
static void the_turns_of_the_paper_end_there(void **state)
{
    (void)state;
    static made d;
    f0t_fasttag_sums sums;
    const double gamma = 0.7, blank = 0.4;
    double b[T * T], want[T * T], p[T * T], q[T * T], w[T][D], crossed[T][D] = {{0}};
    make_images(&d);
    make_sums(&d, &sums);
    assert_ok(f0t_fasttag_layer(want, &sums, gamma, blank, NULL));
    f0t_fasttag_blank_out(p, q, d.all, T, blank);
    for (size_t i = 0; i < M; i++)
        for (size_t s = 0; s < T; s++)
            for (size_t j = 0; j < D; j++)
                crossed[s][j] += (d.h[i][s] - d.h_mean[s]) * (d.x[i][j] - d.x_mean[j]);
    memset(w, 0, sizeof w);
    for (int turn = 0; turn < 500; turn++) {
        double system[T * T];
        for (size_t s = 0; s < T; s++)
            for (size_t t = 0; t < T; t++) {
                system[s * T + t] = gamma * q[s * T + t] + d.centred[s * T + t];
                b[s * T + t] = gamma * p[s * T + t];
                for (size_t j = 0; j < D; j++)
                    b[s * T + t] += w[s][j] * crossed[t][j];
            }
        assert_ok(f0t_cholesky_solve_f64(system, T, b, T, NULL));
        memset(w, 0, sizeof w);
        for (size_t s = 0; s < T; s++)
            for (size_t t = 0; t < T; t++)
                for (size_t j = 0; j < D; j++)
                    w[s][j] += b[s * T + t] * crossed[t][j];
        solve_features(&d, w, T);
    }
    for (size_t i = 0; i < T * T; i++)
        assert_true(fabs(b[i] - want[i]) < 1e-6);
}

static void the_next_layer_has_the_sums_of_the_enriched_tags(void **state)
{
    (void)state;
    static made d, next;
    f0t_fasttag_sums sums, want;
    double b[T * T];
    make_images(&d);
    make_sums(&d, &sums);
    assert_ok(f0t_fasttag_layer(b, &sums, 1, 0.5, NULL));
    make_images(&next);
    memset(next.h_mean, 0, sizeof next.h_mean);
    for (size_t i = 0; i < M; i++)
        for (size_t s = 0; s < T; s++) {
            next.h[i][s] = 0;
            for (size_t t = 0; t < T; t++)
                next.h[i][s] += b[s * T + t] * d.h[i][t];
            next.h_mean[s] += next.h[i][s] / M;
        }
    make_sums(&next, &want);
    assert_ok(f0t_fasttag_next(&sums, b, NULL));
    for (size_t i = 0; i < T * T; i++) {
        assert_true(fabs(sums.all[i] - want.all[i]) < 1e-9 * M);
        assert_true(fabs(sums.unexplained[i] - want.unexplained[i]) < 1e-9 * M);
    }
}

static void a_tag_without_images_does_no_harm(void **state)
{
    (void)state;
    double all[4] = {5, 0, 0, 0}, unexplained[4] = {1, 0, 0, 0}, b[4];
    const f0t_fasttag_sums sums = {2, all, unexplained};
    assert_ok(f0t_fasttag_layer(b, &sums, 1, 0.5, NULL));
    for (size_t i = 0; i < 4; i++)
        assert_true(isfinite(b[i]));
    assert_true(b[0] > 0 && b[3] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_expectations_are_those_of_drawn_blanks),
        cmocka_unit_test(no_other_maps_have_a_lower_objective),
        cmocka_unit_test(the_turns_of_the_paper_end_there),
        cmocka_unit_test(the_next_layer_has_the_sums_of_the_enriched_tags),
        cmocka_unit_test(a_tag_without_images_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
