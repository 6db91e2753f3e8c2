#include "nets.h"

/* A batch in double with the factors of a fixed dropout mask in front of every layer. */
typedef struct problem {
    f0t_net_ref *ref;
    f0t_batch_ref batch;
    double *x, *target, *factors[F0T_NET_HIDDEN_MAX + 1];
    size_t outputs;
} problem;

static problem make_problem(const net_case *c, double rate)
{
    problem p = {.outputs = c->rows * c->shape.outputs};
    f0t_net *net = make_net(&c->shape, F0T_F32, 11);
    assert_ok(f0t_net_ref_create(&p.ref, net));
    f0t_net_free(net);
    float *x = make_floats(c->rows * c->shape.inputs, 1), *target = make_floats(p.outputs, 2);
    p.x = make_doubles(x, c->rows * c->shape.inputs);
    p.target = make_doubles(target, p.outputs);
    f0t_free(x);
    f0t_free(target);
    p.batch = (f0t_batch_ref){.x = p.x, .rows = c->rows};
    for (size_t l = 0; l < f0t_net_shape_layers(&c->shape); l++) {
        size_t n = c->rows * f0t_net_shape_inputs(&c->shape, l);
        f0t_dropout dropout = f0t_dropout_make(rate, 5, 3, l);
        assert_ok(f0t_alloc(&p.factors[l], n, sizeof(double)));
        f0t_dropout_factors_ref(p.factors[l], n, &dropout);
        p.batch.factors[l] = p.factors[l];
    }
    return p;
}

static void free_problem(problem *p)
{
    f0t_net_ref_free(p->ref);
    f0t_free(p->x);
    f0t_free(p->target);
    for (size_t l = 0; l <= F0T_NET_HIDDEN_MAX; l++)
        f0t_free(p->factors[l]);
}

/* Σ (f - target)² / 2, and its gradient with respect to f into df. */
static double loss(const problem *p, double *df)
{
    double sum = 0;
    assert_ok(f0t_net_ref_forward(p->ref, df, &p->batch));
    for (size_t i = 0; i < p->outputs; i++) {
        df[i] -= p->target[i];
        sum += df[i] * df[i] / 2;
    }
    return sum;
}

/* The central difference of the loss along parameter j of array i. */
static double difference(const problem *p, size_t i, size_t j, double *df)
{
    const double h = 1e-6;
    double *w = &p->ref->w[i][j], before = *w;
    *w = before + h;
    double above = loss(p, df);
    *w = before - h;
    double below = loss(p, df);
    *w = before;
    return (above - below) / (2 * h);
}

static void check_gradients(const net_case *c, double rate)
{
    problem p = make_problem(c, rate);
    double *df = NULL;
    assert_ok(f0t_alloc(&df, p.outputs, sizeof(double)));
    loss(&p, df);
    assert_ok(f0t_net_ref_backward(p.ref, df, &p.batch));
    for (size_t i = 0; i < p.ref->count; i++) {
        size_t stride = p.ref->size[i] / 20 + 1;
        for (size_t j = 0; j < p.ref->size[i]; j += stride) {
            double want = difference(&p, i, j, df), got = p.ref->g[i][j];
            if (fabs(got - want) > 1e-6 + 1e-6 * fabs(want))
                fail_msg("array %zu, parameter %zu: gradient %g, difference %g", i, j, got, want);
        }
    }
    f0t_free(df);
    free_problem(&p);
}

static void gradients_are_finite_differences(void **state)
{
    (void)state;
    for (size_t i = 0; i < ODD_CASES - 1; i++)
        check_gradients(&odd_cases[i], 0);
}

static void gradients_under_dropout_are_finite_differences(void **state)
{
    (void)state;
    for (size_t i = 0; i < ODD_CASES - 1; i++)
        check_gradients(&odd_cases[i], 0.3);
}

static void the_first_adam_step_has_the_length_of_the_rate(void **state)
{
    double w[2] = {1, 1}, m[2] = {0}, v[2] = {0}, g[2] = {1e-3, -7};
    f0t_optimizer adam = f0t_optimizer_default(F0T_OPTIMIZER_ADAM);
    (void)state;
    f0t_optimizer_update_ref(w, m, v, g, 2, true, &adam, 1, 0.25);
    assert_true(fabs(w[0] - 0.75) < 1e-5);
    assert_true(fabs(w[1] - 1.25) < 1e-5);
}

static void decay_alone_shrinks_weights_and_spares_biases(void **state)
{
    double w[1] = {2}, m[1] = {0}, v[1] = {0}, g[1] = {0};
    f0t_optimizer adam = f0t_optimizer_default(F0T_OPTIMIZER_ADAM);
    adam.decay = 0.1;
    (void)state;
    f0t_optimizer_update_ref(w, m, v, g, 1, true, &adam, 1, 0.5);
    assert_true(fabs(w[0] - 1.9) < 1e-15);
    f0t_optimizer_update_ref(w, m, v, g, 1, false, &adam, 2, 0.5);
    assert_true(fabs(w[0] - 1.9) < 1e-15);
}

static void momentum_adds_up(void **state)
{
    double w[1] = {0}, m[1] = {0}, v[1] = {0}, g[1] = {1};
    f0t_optimizer sgd = f0t_optimizer_default(F0T_OPTIMIZER_SGD);
    (void)state;
    f0t_optimizer_update_ref(w, m, v, g, 1, true, &sgd, 1, 0.1);
    f0t_optimizer_update_ref(w, m, v, g, 1, true, &sgd, 2, 0.1);
    assert_true(fabs(w[0] + 0.1 * (1 + 1.9)) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_finite_differences),
        cmocka_unit_test(gradients_under_dropout_are_finite_differences),
        cmocka_unit_test(the_first_adam_step_has_the_length_of_the_rate),
        cmocka_unit_test(decay_alone_shrinks_weights_and_spares_biases),
        cmocka_unit_test(momentum_adds_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
