#include "devices.h"

static const f0t_dtype types[] = {F0T_F32, F0T_BF16};

/* The same numbers drop out, whatever the first one is: the bytes are the CPU's. */
static void dropout_has_the_cpus_masks(void **state)
{
    const f0t_compute *const computes[] = {&f0t_compute_cpu, gpu()};
    const size_t counts[] = {1, 63, 512, 1025, 70001};
    (void)state;
    for (size_t s = 0; s < 5; s++)
        for (int form = 0; form < 12; form++) {
            f0t_dropout dropout = f0t_dropout_make(form % 3 ? 0.3 : 0, 99, 1000 + s, 2);
            const f0t_dtype to = types[form / 3 % 2], from = form / 6 ? to : F0T_F32;
            const size_t n = counts[s];
            float *x = random_floats(n, s);
            f0t_buffer *y[2], *source[2];
            dropout.first = form % 3 == 2 ? 777777777777 : 0;
            for (int i = 0; i < 2; i++) {
                source[i] = buffer_of(computes[i], from, x, n);
                y[i] = form / 6 ? source[i] : buffer_of(computes[i], to, NULL, n);
                assert_ok(computes[i]->drop(y[i], source[i], n, &dropout));
            }
            assert_near(y[0], y[1], n, 0);
            for (int i = 0; i < 2; i++) {
                if (y[i] != source[i])
                    f0t_buffer_free(y[i]);
                f0t_buffer_free(source[i]);
            }
            f0t_free(x);
        }
}

static void the_backward_pass_is_the_cpus(void **state)
{
    const f0t_compute *const computes[] = {&f0t_compute_cpu, gpu()};
    const size_t shapes[][2] = {{1, 1}, {3, 65}, {1000, 130}, {77, 300}, {33, 2049}};
    (void)state;
    for (size_t s = 0; s < 5; s++)
        for (int type = 0; type < 2; type++) {
            const size_t rows = shapes[s][0], cols = shapes[s][1], n = rows * cols;
            float *x = random_floats(n, s), *by = random_floats(n, s + 100);
            f0t_buffer *d[2], *y[2], *sums[2], *given[2], *to[2], *totals[2];
            for (int i = 0; i < 2; i++) {
                d[i] = buffer_of(computes[i], types[type], x, n);
                y[i] = buffer_of(computes[i], types[type], by, n);
                sums[i] = buffer_of(computes[i], F0T_F32, NULL, cols);
                assert_ok(computes[i]->gate(d[i], y[i], rows, cols, 1.25F, sums[i]));
                given[i] = buffer_of(computes[i], F0T_F32, x, n);
                to[i] = buffer_of(computes[i], types[type], NULL, n);
                totals[i] = buffer_of(computes[i], F0T_F32, NULL, cols);
                assert_ok(computes[i]->outputs(to[i], given[i], rows, cols, totals[i]));
            }
            assert_near(d[0], d[1], n, 0);
            assert_near(sums[0], sums[1], cols, 1e-5);
            assert_near(to[0], to[1], n, 0);
            assert_near(totals[0], totals[1], cols, 1e-5);
            f0t_buffer **all[] = {d, y, sums, given, to, totals};
            for (size_t i = 0; i < 6; i++)
                free_all(all[i], 2);
            f0t_free(x);
            f0t_free(by);
        }
}

/* ---- The optimiser -------------------------------------------------------------------------------- */

/* w, m, v, half */
typedef struct parameters {
    f0t_buffer *buffer[4];
    f0t_parameter_buffers at;
} parameters;

static parameters make_parameters(const f0t_compute *compute, size_t n, bool adam, bool half)
{
    parameters p = {.at = {.decays = true}};
    for (int i = 0; i < 4; i++) {
        float *x = random_floats(n, 10 + (uint64_t)i);
        for (size_t k = 0; k < n; k++)
            x[k] = i == 2 ? fabsf(x[k]) : x[k];
        p.buffer[i] = buffer_of(compute, i == 3 ? F0T_BF16 : F0T_F32, x, n);
        f0t_free(x);
    }
    p.at.w = p.buffer[0];
    p.at.m = p.buffer[1];
    p.at.v = adam ? p.buffer[2] : NULL;
    p.at.half = half ? p.buffer[3] : NULL;
    return p;
}

static void check_parameters(parameters *p, size_t n, double tolerance)
{
    for (int i = 0; i < 3; i++)
        assert_near(p[0].buffer[i], p[1].buffer[i], n, tolerance);
    assert_near(p[0].buffer[3], p[1].buffer[3], n, tolerance + 8e-3);
    free_all(p[0].buffer, 4);
    free_all(p[1].buffer, 4);
}

static f0t_optimizer optimizer_of(int form)
{
    f0t_optimizer o = f0t_optimizer_default(form & 1 ? F0T_OPTIMIZER_ADAM : F0T_OPTIMIZER_SGD);
    o.decay = 0.01;
    return o;
}

static void updates_are_the_cpus(void **state)
{
    const f0t_compute *const computes[] = {&f0t_compute_cpu, gpu()};
    const size_t counts[] = {1, 2, 7, 1024, 100003};
    (void)state;
    for (size_t s = 0; s < 5; s++)
        for (int form = 0; form < 4; form++) {
            const f0t_optimizer o = optimizer_of(form);
            float *g = random_floats(counts[s], 20);
            parameters p[2];
            for (int i = 0; i < 2; i++) {
                f0t_buffer *gradient = buffer_of(computes[i], F0T_F32, g, counts[s]);
                p[i] = make_parameters(computes[i], counts[s], form & 1, form & 2);
                for (uint64_t t = 1; t <= 3; t++)
                    assert_ok(computes[i]->update(&p[i].at, gradient, counts[s], &o, t, 0.1));
                f0t_buffer_free(gradient);
            }
            check_parameters(p, counts[s], 1e-5);
            f0t_free(g);
        }
}

/* By the kernel, and by a product where the shape or the type is not the kernel's. */
static void check_descent(size_t rows, size_t outputs, size_t inputs, f0t_dtype type, int form)
{
    const f0t_compute *cpu = &f0t_compute_cpu, *cuda = gpu();
    const f0t_optimizer o = optimizer_of(form);
    const size_t n = outputs * inputs;
    float *left = random_floats(rows * outputs, 1), *right = random_floats(rows * inputs, 2);
    f0t_buffer *dy[2], *x[2], *gradient = buffer_of(cpu, F0T_F32, NULL, n);
    const f0t_matmul op = {
        .m = outputs, .n = inputs, .k = rows, .type = type, .a_transposed = true};
    parameters p[2] = {make_parameters(cpu, n, form & 1, form & 2),
                       make_parameters(cuda, n, form & 1, form & 2)};
    for (int i = 0; i < 2; i++) {
        dy[i] = buffer_of(i ? cuda : cpu, type, left, rows * outputs);
        x[i] = buffer_of(i ? cuda : cpu, type, right, rows * inputs);
    }
    for (uint64_t t = 1; t <= 2; t++) {
        assert_ok(cpu->product(gradient, dy[0], x[0], NULL, &op));
        assert_ok(cpu->update(&p[0].at, gradient, n, &o, t, 0.01));
        assert_ok(cuda->descend(&p[1].at, dy[1], x[1], rows, outputs, inputs, &o, t, 0.01));
    }
    check_parameters(p, n, 2e-5);
    free_all(dy, 2);
    free_all(x, 2);
    f0t_buffer_free(gradient);
    f0t_free(left);
    f0t_free(right);
}

static void weights_descend_as_on_the_cpu(void **state)
{
    const size_t shapes[][3] = {{1, 8, 8},        {31, 136, 128}, {100, 128, 264}, {33, 300, 64},
                                {1000, 264, 520}, {5, 7, 9},      {129, 2056, 136}};
    (void)state;
    for (size_t s = 0; s < 7; s++)
        for (int form = 0; form < 4; form++) {
            check_descent(shapes[s][0], shapes[s][1], shapes[s][2], F0T_BF16, form);
            check_descent(shapes[s][0], shapes[s][1], shapes[s][2], F0T_F32, form);
        }
    check_descent(9, 9001, 1028, F0T_BF16, 3); /* in bands of rows */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dropout_has_the_cpus_masks),
        cmocka_unit_test(the_backward_pass_is_the_cpus),
        cmocka_unit_test(updates_are_the_cpus),
        cmocka_unit_test(weights_descend_as_on_the_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
