/* The fits of a few numbers to many pairs: against their optimality conditions, a search, and known answers. */
#include "support.h"

#include "base/random.h"
#include "model/stacking.h"

#include <math.h>
#include <string.h>

enum { MOST = 200000, COLUMNS = 4 };

static float column[COLUMNS][MOST];
static uint8_t truth[MOST];

static double sigmoid(double z)
{
    return 1 / (1 + exp(-z));
}

/* Probabilities in [0, 1), of which the truth follows Σ mix_c column_c. */
static f0t_pairs_table make_probabilities(size_t pairs, size_t columns, const double *mix)
{
    f0t_pairs_table t = {.pairs = pairs, .columns = columns, .truth = truth};
    const f0t_random chance = {5, 99};
    for (size_t c = 0; c < columns; c++) {
        const f0t_random random = {5, c};
        t.column[c] = column[c];
        for (size_t i = 0; i < pairs; i++)
            column[c][i] = (float)(f0t_random_uniform(&random, i) * f0t_random_uniform(&random, i));
    }
    for (size_t i = 0; i < pairs; i++) {
        double p = 0;
        for (size_t c = 0; c < columns; c++)
            p += mix[c] * (double)column[c][i];
        truth[i] = f0t_random_uniform(&chance, i) < p;
    }
    return t;
}

/* Normal numbers, of which the truth follows σ(Σ w_c column_c + w_last). */
static f0t_pairs_table make_scores(size_t pairs, size_t columns, const double *w)
{
    f0t_pairs_table t = {.pairs = pairs, .columns = columns, .truth = truth};
    const f0t_random chance = {6, 99};
    for (size_t c = 0; c < columns; c++) {
        const f0t_random random = {6, c};
        t.column[c] = column[c];
        for (size_t i = 0; i < pairs; i++)
            column[c][i] = (float)f0t_random_normal(&random, i);
    }
    for (size_t i = 0; i < pairs; i++) {
        double z = w[columns];
        for (size_t c = 0; c < columns; c++)
            z += w[c] * (double)column[c][i];
        truth[i] = f0t_random_uniform(&chance, i) < sigmoid(z);
    }
    return t;
}

/* ---- The mixture ------------------------------------------------------------------------------------ */

/* Half the derivative of the mixture's error by weight c. */
static double mixture_slope(const f0t_pairs_table *t, const double *w, const double *prior,
                            double strength, size_t c)
{
    double sum = strength * (w[c] - prior[c]);
    for (size_t i = 0; i < t->pairs; i++) {
        double p = -(double)truth[i];
        for (size_t a = 0; a < t->columns; a++)
            p += w[a] * (double)t->column[a][i];
        sum += p * (double)t->column[c][i];
    }
    return sum;
}

/* The derivative is 0 where the weight is positive, and not negative where it is 0. */
static void assert_mixture_is_best(const f0t_pairs_table *t, const double *w, const double *prior,
                                   double strength)
{
    for (size_t c = 0; c < t->columns; c++) {
        const double slope = mixture_slope(t, w, prior, strength, c);
        assert_true(w[c] >= 0);
        assert_true(slope > -1e-6 * (double)(t->pairs + 1));
        if (w[c] > 0)
            assert_true(slope < 1e-6 * (double)(t->pairs + 1));
    }
}

static void the_mixture_is_found_again(void **state)
{
    const double mix[COLUMNS] = {0.6, 0, 0.3, 0.1}, prior[COLUMNS] = {0.25, 0.25, 0.25, 0.25};
    double w[COLUMNS];
    (void)state;
    const f0t_pairs_table t = make_probabilities(MOST, COLUMNS, mix);
    f0t_mixture_fit(w, prior, 20, &t);
    assert_mixture_is_best(&t, w, prior, 20);
    for (size_t c = 0; c < COLUMNS; c++)
        assert_true(fabs(w[c] - mix[c]) < 0.02);
}

static void a_weight_that_would_be_negative_is_zero(void **state)
{
    const double mix[2] = {0.9, 0}, prior[2] = {0, 0};
    double w[2];
    (void)state;
    f0t_pairs_table t = make_probabilities(5000, 2, mix);
    for (size_t i = 0; i < t.pairs; i++)
        column[1][i] = truth[i] ? 0.1F : 0.9F; /* says the opposite */
    f0t_mixture_fit(w, prior, 0.1, &t);
    assert_true(w[1] == 0);
    assert_true(w[0] > 0.5);
    assert_mixture_is_best(&t, w, prior, 0.1);
}

static double mixture_error(const f0t_pairs_table *t, const double *w, const double *prior,
                            double strength)
{
    double sum = 0;
    for (size_t c = 0; c < t->columns; c++)
        sum += strength * (w[c] - prior[c]) * (w[c] - prior[c]);
    for (size_t i = 0; i < t->pairs; i++) {
        double p = -(double)truth[i];
        for (size_t a = 0; a < t->columns; a++)
            p += w[a] * (double)t->column[a][i];
        sum += p * p;
    }
    return sum;
}

static void no_mixture_of_a_grid_is_better(void **state)
{
    const double mix[2] = {0.2, 0.7}, prior[2] = {0.5, 0.5};
    double w[2], at[2];
    (void)state;
    const f0t_pairs_table t = make_probabilities(300, 2, mix);
    f0t_mixture_fit(w, prior, 3, &t);
    const double best = mixture_error(&t, w, prior, 3);
    for (at[0] = 0; at[0] <= 1.5; at[0] += 0.02)
        for (at[1] = 0; at[1] <= 1.5; at[1] += 0.02)
            assert_true(mixture_error(&t, at, prior, 3) > best - 1e-9);
}

static void few_pairs_change_the_mixture_little(void **state)
{
    const double mix[2] = {0.9, 0}, prior[2] = {0.3, 0.7};
    double none[2], few[2], many[2];
    (void)state;
    f0t_pairs_table t = make_probabilities(MOST, 2, mix);
    f0t_mixture_fit(many, prior, 20, &t);
    t.pairs = 10;
    f0t_mixture_fit(few, prior, 20, &t);
    t.pairs = 0;
    f0t_mixture_fit(none, prior, 20, &t);
    assert_memory_equal(none, prior, sizeof prior);
    for (size_t c = 0; c < 2; c++)
        assert_true(fabs(few[c] - prior[c]) < 0.1 && fabs(many[c] - prior[c]) > 0.4);
}

/* Two columns that say the same share what one would get. */
static void columns_may_be_the_same(void **state)
{
    const double mix[1] = {0.8}, prior[2] = {0.5, 0.5};
    double w[2];
    (void)state;
    f0t_pairs_table t = make_probabilities(50000, 1, mix);
    t.columns = 2;
    t.column[1] = t.column[0];
    f0t_mixture_fit(w, prior, 20, &t);
    assert_mixture_is_best(&t, w, prior, 20);
    assert_true(fabs(w[0] + w[1] - 0.8) < 0.03);
    assert_true(fabs(w[0] - w[1]) < 1e-6);
}

/* ---- The likelihood ------------------------------------------------------------------------------------ */

static double likelihood_slope(const f0t_pairs_table *t, const double *w, const double *prior,
                               double strength, size_t c)
{
    double sum = strength * (w[c] - prior[c]);
    for (size_t i = 0; i < t->pairs; i++) {
        double z = w[t->columns];
        for (size_t a = 0; a < t->columns; a++)
            z += w[a] * (double)t->column[a][i];
        sum += (sigmoid(z) - truth[i]) * (c < t->columns ? (double)t->column[c][i] : 1);
    }
    return sum;
}

static void assert_likelihood_is_best(const f0t_pairs_table *t, const double *w,
                                      const double *prior, double strength)
{
    for (size_t c = 0; c <= t->columns; c++) {
        assert_true(isfinite(w[c]));
        assert_true(fabs(likelihood_slope(t, w, prior, strength, c)) <
                    1e-5 * (double)(t->pairs + 1));
    }
}

static void the_logistic_weights_are_found_again(void **state)
{
    const double known[3] = {1.3, -0.7, -2}, prior[3] = {0, 0, 0};
    double w[3];
    (void)state;
    const f0t_pairs_table t = make_scores(MOST, 2, known);
    f0t_logistic_fit(w, prior, 5, &t);
    assert_likelihood_is_best(&t, w, prior, 5);
    for (size_t c = 0; c < 3; c++)
        assert_true(fabs(w[c] - known[c]) < 0.05);
}

/* Columns of any scale, also where the prior is far off. */
static void the_gradient_vanishes_wherever_the_fit_began(void **state)
{
    const double known[3] = {0.5, 2, -6};
    const double priors[][3] = {{1, 1, 0}, {-8, 4, 3}, {10, 10, 10}};
    const float scales[] = {0.01F, 1, 20};
    double w[3];
    (void)state;
    for (size_t s = 0; s < 3; s++)
        for (size_t p = 0; p < 3; p++) {
            const f0t_pairs_table t = make_scores(3000, 2, known);
            for (size_t i = 0; i < t.pairs; i++)
                column[0][i] *= scales[s];
            f0t_logistic_fit(w, priors[p], 1, &t);
            assert_likelihood_is_best(&t, w, priors[p], 1);
        }
}

static void separable_and_one_sided_pairs_stay_finite(void **state)
{
    const double prior[2] = {1, 0};
    double w[2];
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        const f0t_pairs_table t = make_scores(1000, 1, (const double[]){1, 0});
        for (size_t i = 0; i < t.pairs; i++) {
            column[0][i] *= kind == 0 ? 1000 : 1;
            truth[i] = kind < 2 ? column[0][i] > 0 : kind == 2;
        }
        f0t_logistic_fit(w, prior, 5, &t);
        assert_likelihood_is_best(&t, w, prior, 5);
        assert_true(fabs(w[0]) < 20 && fabs(w[1]) < 20);
    }
    double none[2];
    f0t_logistic_fit(none, prior, 5, &(f0t_pairs_table){.columns = 1, .column = {column[0]}});
    assert_memory_equal(none, prior, sizeof prior);
}

/* ---- Threads ------------------------------------------------------------------------------------------- */

static void any_number_of_threads_gives_the_same_bytes(void **state)
{
    const double mix[COLUMNS] = {0.1, 0.2, 0.3, 0.1}, prior[COLUMNS + 1] = {0.25};
    double one[2 * COLUMNS + 1], three[2 * COLUMNS + 1];
    (void)state;
    const f0t_pairs_table t = make_probabilities(MOST, COLUMNS, mix);
    test_threads(1);
    f0t_mixture_fit(one, prior, 20, &t);
    f0t_logistic_fit(one + COLUMNS, prior, 5, &t);
    test_threads(3);
    f0t_mixture_fit(three, prior, 20, &t);
    f0t_logistic_fit(three + COLUMNS, prior, 5, &t);
    test_threads(0);
    assert_memory_equal(one, three, sizeof one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mixture_is_found_again),
        cmocka_unit_test(a_weight_that_would_be_negative_is_zero),
        cmocka_unit_test(no_mixture_of_a_grid_is_better),
        cmocka_unit_test(few_pairs_change_the_mixture_little),
        cmocka_unit_test(columns_may_be_the_same),
        cmocka_unit_test(the_logistic_weights_are_found_again),
        cmocka_unit_test(the_gradient_vanishes_wherever_the_fit_began),
        cmocka_unit_test(separable_and_one_sided_pairs_stay_finite),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
