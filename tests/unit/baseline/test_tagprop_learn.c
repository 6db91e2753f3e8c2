#include "tasks.h"

#include "baseline/neighbours.h"
#include "baseline/tagprop.h"

enum { NEAR = 12 };

typedef struct near_task {
    made_task m;
    f0t_neighbours *n;
} near_task;

static void near_create(near_task *t)
{
    made_task_create(&t->m, C_TAGS, 0);
    assert_ok(f0t_neighbours_create(&t->n, &t->m.task, 40));
}

static void near_free(near_task *t)
{
    f0t_neighbours_free(t->n);
    made_task_free(&t->m);
}

static bool has(const f0t_samples *s, size_t image, size_t tag)
{
    for (size_t j = s->offsets[image]; j < s->offsets[image + 1]; j++)
        if (s->relevant[j] == tag)
            return true;
    return false;
}

/* The likelihood as it is written down: every image, every tag, every neighbour. */
static double definition(const f0t_tagprop_model *m, const near_task *t)
{
    const f0t_samples *s = &t->m.task.train;
    const f0t_best *best = t->n->own;
    double positive = (double)s->offsets[s->count], sum = 0;
    double negative = (double)(s->count * C_TAGS) - positive;
    for (size_t i = 0; i < s->count; i++)
        for (size_t w = 0; w < C_TAGS; w++) {
            double x = 0, weights = 0, p;
            for (size_t k = 0; k < NEAR; k++) {
                double d = sqrt(fmax(0, 2 - 2 * (double)best->value[i * best->k + k]));
                double weight = m->ranks ? m->ranks[k] : exp(-m->scale * d);
                weights += weight;
                x += has(s, best->index[i * best->k + k], w) ? weight : 0;
            }
            x /= weights;
            p = m->slope ? 1 / (1 + exp(-m->slope[w] * x - m->shift[w])) : 1e-5 + (1 - 2e-5) * x;
            sum += has(s, i, w) ? log(p) / positive : log(1 - p) / negative;
        }
    return sum;
}

/* Four kinds of model with parameters that are not special. */
static f0t_tagprop_model *some_model(int kind)
{
    f0t_tagprop_model *m;
    double sum = 0;
    assert_ok(f0t_tagprop_model_create(&m, NEAR, C_TAGS, kind % 2 == 0, kind >= 2));
    for (size_t k = 0; m->ranks && k < NEAR; k++)
        sum += m->ranks[k] = 1.0 / (double)(k + 2);
    for (size_t k = 0; m->ranks && k < NEAR; k++)
        m->ranks[k] /= sum;
    for (size_t w = 0; m->slope && w < C_TAGS; w++) {
        m->slope[w] = 3 + (double)w / 5;
        m->shift[w] = -1 - (double)w / 7;
    }
    m->scale = 2.5;
    return m;
}

static void the_likelihood_is_that_of_its_definition(void **state)
{
    (void)state;
    near_task t;
    near_create(&t);
    for (int kind = 0; kind < 4; kind++) {
        f0t_tagprop_model *m = some_model(kind);
        f0t_tagprop_sums sums = {0};
        assert_ok(f0t_tagprop_likelihood(&sums, m, &t.m.task.train, t.n->own));
        double want = definition(m, &t);
        assert_true(fabs(sums.likelihood - want) < 1e-9 * fabs(want));
        f0t_tagprop_model_free(m);
    }
    near_free(&t);
}

static void threads_do_not_change_the_likelihood(void **state)
{
    (void)state;
    near_task t;
    double ranks[2][NEAR];
    near_create(&t);
    for (int kind = 0; kind < 4; kind++) {
        f0t_tagprop_model *m = some_model(kind);
        f0t_tagprop_sums sums[2] = {{.ranks = ranks[0]}, {.ranks = ranks[1]}};
        for (int i = 0; i < 2; i++) {
            test_threads(i + 1);
            assert_ok(f0t_tagprop_likelihood(&sums[i], m, &t.m.task.train, t.n->own));
        }
        assert_memory_equal(&sums[0].likelihood, &sums[1].likelihood, sizeof(double));
        assert_memory_equal(&sums[0].scale, &sums[1].scale, sizeof(double));
        assert_memory_equal(ranks[0], ranks[1], sizeof ranks[0]);
        f0t_tagprop_model_free(m);
    }
    test_threads(0);
    near_free(&t);
}

static void the_derivatives_are_finite_differences(void **state)
{
    (void)state;
    near_task t;
    double ranks[NEAR];
    near_create(&t);
    for (int kind = 0; kind < 4; kind++) {
        f0t_tagprop_model *m = some_model(kind);
        f0t_tagprop_sums sums = {.ranks = ranks}, up = {0}, down = {0};
        assert_ok(f0t_tagprop_likelihood(&sums, m, &t.m.task.train, t.n->own));
        /* Weights are brought to a sum of 1: the derivative by rank is along the simplex. */
        double *at = m->ranks ? &m->ranks[3] : &m->scale, old = *at, step = 1e-5, mean = 0;
        for (size_t k = 0; m->ranks && k < NEAR; k++)
            mean += m->ranks[k] * ranks[k];
        *at = old + step;
        assert_ok(f0t_tagprop_likelihood(&up, m, &t.m.task.train, t.n->own));
        *at = old - step;
        assert_ok(f0t_tagprop_likelihood(&down, m, &t.m.task.train, t.n->own));
        double slope = (up.likelihood - down.likelihood) / (2 * step);
        double want = m->ranks ? ranks[3] - mean : sums.scale;
        assert_true(fabs(slope - want) < 1e-5 * (1 + fabs(want)));
        f0t_tagprop_model_free(m);
    }
    near_free(&t);
}

/* At the best weights no rank that has weight pulls harder than another. */
static void learned_weights_maximise_the_likelihood(void **state)
{
    (void)state;
    near_task t;
    double ranks[NEAR];
    near_create(&t);
    for (int kind = 0; kind < 2; kind++) {
        f0t_tagprop_model *m = some_model(kind);
        f0t_tagprop_sums before = {0}, after = {.ranks = ranks};
        assert_ok(f0t_tagprop_likelihood(&before, m, &t.m.task.train, t.n->own));
        assert_ok(f0t_tagprop_learn(m, &t.m.task.train, t.n->own, NULL));
        assert_ok(f0t_tagprop_likelihood(&after, m, &t.m.task.train, t.n->own));
        assert_true(after.likelihood > before.likelihood);
        double mean = 0, most = -INFINITY;
        for (size_t k = 0; m->ranks && k < NEAR; k++) {
            mean += m->ranks[k] * ranks[k];
            most = fmax(most, ranks[k]);
        }
        /* The gap of a concave function on the simplex is at most most − mean. */
        if (m->ranks)
            assert_true(most - mean < 0.01 * fabs(after.likelihood));
        else
            assert_true(fabs(after.scale * m->scale) < 1e-3);
        f0t_tagprop_model_free(m);
    }
    near_free(&t);
}

static void sigmoids_raise_the_likelihood(void **state)
{
    (void)state;
    near_task t;
    near_create(&t);
    for (int kind = 0; kind < 2; kind++) {
        f0t_tagprop_model *plain = some_model(kind), *modulated = some_model(2 + kind);
        f0t_tagprop_sums a = {0}, b = {0};
        assert_ok(f0t_tagprop_learn(plain, &t.m.task.train, t.n->own, NULL));
        assert_ok(f0t_tagprop_learn(modulated, &t.m.task.train, t.n->own, NULL));
        assert_ok(f0t_tagprop_likelihood(&a, plain, &t.m.task.train, t.n->own));
        assert_ok(f0t_tagprop_likelihood(&b, modulated, &t.m.task.train, t.n->own));
        assert_true(b.likelihood > a.likelihood);
        f0t_tagprop_model_free(plain);
        f0t_tagprop_model_free(modulated);
    }
    near_free(&t);
}

static void a_sigmoid_is_at_its_maximum(void **state)
{
    (void)state;
    const float mixed[] = {0.1F, -0.2F, 0.5F, -0.4F, 0.9F, -0.05F, 0.3F};
    const float apart[] = {0.5F, 0.6F, -0.1F, -0.2F};
    const f0t_tag_column columns[] = {
        {mixed, 7, 2, 40, 0.1, 0.01}, {apart, 4, 0, 10, 0.5, 0.1}, {NULL, 0, 3, 20, 1, 1}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        double a = 1, b = 0;
        f0t_sigmoid_fit(&a, &b, &columns[i]);
        assert_true(isfinite(a) && isfinite(b));
        double best = f0t_sigmoid_value(a, b, &columns[i]);
        for (int k = 0; k < 8; k++) {
            double angle = k * acos(-1) / 4;
            assert_true(f0t_sigmoid_value(a + 0.05 * cos(angle), b + 0.05 * sin(angle),
                                          &columns[i]) < best + 1e-12);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_likelihood_is_that_of_its_definition),
        cmocka_unit_test(threads_do_not_change_the_likelihood),
        cmocka_unit_test(the_derivatives_are_finite_differences),
        cmocka_unit_test(learned_weights_maximise_the_likelihood),
        cmocka_unit_test(sigmoids_raise_the_likelihood),
        cmocka_unit_test(a_sigmoid_is_at_its_maximum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
