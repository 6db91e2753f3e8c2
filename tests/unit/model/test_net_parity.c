/* Three steps of small nets against those of another implementation: tests/parity/make_net.py. */
#include "nets.h"

#include <stdio.h>

typedef struct parity {
    FILE *file;
    net_case c;
    f0t_net *net;
    f0t_step *step;
    double rate;
    float *x, *tags, *relevant;
} parity;

static double read_number(FILE *file)
{
    double number = 0;
    assert_int_equal(fscanf(file, "%lf", &number), 1);
    return number;
}

static size_t read_count(FILE *file)
{
    return (size_t)read_number(file);
}

static float *read_floats(FILE *file, size_t n)
{
    float *values = make_floats(n, 0);
    for (size_t i = 0; i < n; i++)
        values[i] = (float)read_number(file);
    return values;
}

/* ω Σ_p Σ_n log(1 + exp(s_n - s_p)), mean over the images, with its gradient. */
static double ranknet(const parity *p, const float *scores, float *gradient)
{
    size_t tags = p->c.tags, rows = p->c.rows;
    double loss = 0;
    for (size_t m = 0; m < rows; m++) {
        const float *s = scores + m * tags, *y = p->relevant + m * tags;
        double row = 0, slopes[16] = {0}, pairs = 0;
        for (size_t i = 0; i < tags * tags; i++) {
            size_t a = i / tags, b = i % tags;
            if (!(y[a] > 0.0F) || y[b] > 0.0F)
                continue;
            double difference = (double)s[b] - (double)s[a];
            double slope = 1 / (1 + exp(-difference));
            row += log1p(exp(difference));
            slopes[a] -= slope;
            slopes[b] += slope;
            pairs++;
        }
        loss += row / pairs / (double)rows;
        for (size_t t = 0; t < tags; t++)
            gradient[m * tags + t] = (float)(slopes[t] / pairs / (double)rows);
    }
    return loss;
}

static void read_shape(parity *p)
{
    p->c.shape = (f0t_net_shape){.inputs = read_count(p->file), .bias = true};
    p->c.shape.hidden_count = read_count(p->file);
    for (size_t l = 0; l < p->c.shape.hidden_count; l++)
        p->c.shape.hidden[l] = read_count(p->file);
    p->c.shape.outputs = read_count(p->file);
    p->c.rows = read_count(p->file);
    p->c.tags = read_count(p->file);
    assert_in_range(p->c.tags, 1, 16);
}

static void read_case(parity *p, f0t_optimizer_kind kind)
{
    f0t_step_options options = {.optimizer = f0t_optimizer_default(kind)};
    read_shape(p);
    p->rate = read_number(p->file);
    options.optimizer.decay = read_number(p->file);
    assert_ok(f0t_net_create(&p->net, &f0t_compute_cpu, &p->c.shape, F0T_F32));
    for (size_t i = 0; i < f0t_net_array_count(p->net); i++) {
        f0t_model_array array = f0t_net_array(p->net, i);
        float *values = read_floats(p->file, array.rows * array.cols);
        assert_ok(f0t_net_array_set(p->net, i, values));
        f0t_free(values);
    }
    p->x = read_floats(p->file, p->c.rows * p->c.shape.inputs);
    p->tags = read_floats(p->file, p->c.tags * p->c.shape.outputs);
    p->relevant = read_floats(p->file, p->c.rows * p->c.tags);
    options.batch = p->c.rows;
    options.tags = p->tags;
    options.tag_count = p->c.tags;
    assert_ok(f0t_step_create(&p->step, p->net, &options));
}

static void compare_parameters(const parity *p, int step)
{
    for (size_t i = 0; i < f0t_net_array_count(p->net); i++) {
        f0t_model_array array = f0t_net_array(p->net, i);
        size_t n = array.rows * array.cols;
        float *want = read_floats(p->file, n), *got = make_floats(n, 0);
        assert_ok(f0t_net_array_get(got, p->net, i));
        for (size_t j = 0; j < n; j++)
            if (!(fabsf(got[j] - want[j]) < 3e-6F))
                fail_msg("step %d, %s, number %zu: %.9g, not %.9g", step, array.name, j,
                         (double)got[j], (double)want[j]);
        f0t_free(want);
        f0t_free(got);
    }
}

static void check_case(parity *p, f0t_optimizer_kind kind)
{
    read_case(p, kind);
    for (int step = 0; step < 3; step++) {
        float *gradient = floats_of(f0t_step_gradient(p->step));
        assert_ok(f0t_step_forward(p->step, p->x, p->c.rows, 0));
        double loss = ranknet(p, floats_of(f0t_step_scores(p->step)), gradient);
        assert_true(fabs(loss - read_number(p->file)) < 1e-6);
        assert_ok(step_back(p->step, p->rate));
        compare_parameters(p, step);
    }
    f0t_step_free(p->step);
    f0t_net_free(p->net);
    f0t_free(p->x);
    f0t_free(p->tags);
    f0t_free(p->relevant);
}

static void steps_are_those_of_pytorch(void **state)
{
    parity p = {.file = fopen(test_source("parity/net.txt"), "r")};
    char word[8];
    int cases = 0;
    (void)state;
    assert_non_null(p.file);
    while (fscanf(p.file, " case %7s", word) == 1) {
        check_case(&p, strcmp(word, "adam") ? F0T_OPTIMIZER_SGD : F0T_OPTIMIZER_ADAM);
        cases++;
    }
    assert_int_equal(cases, 3);
    fclose(p.file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_are_those_of_pytorch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
