#include "answers.h"

#include "baseline/wsabie.h"

static const double KNOBS[] = {6, 1e-2, 1, 0.2}; /* m, rate, C, dropout */

static void it_learns_tags(void **state)
{
    (void)state;
    assert_true(miap_after(&f0t_ranker_wsabie, KNOBS, C_SEEN, 0, C_SEEN) > 0.85);
    needs_no_validation(&f0t_ranker_wsabie, KNOBS, 0.8);
}

/* ---- The objective ------------------------------------------------------------------------- */

enum { ROWS = 5, TAGS = 7, DIM = 3, FEATURES = 4 };

static double loss_at(f0t_wsabie_tags *tags, const float *outputs, float *gradient)
{
    static const size_t offsets[] = {0, 1, 3, 3, 5, 6};
    static const uint32_t relevant[] = {2, 0, 6, 3, 4, 5}, samples[] = {4, 8, 15, 16, 23};
    const f0t_objective o = f0t_wsabie_tags_objective(tags);
    f0t_loss_batch batch = {ROWS, TAGS, outputs, offsets, relevant, 42, 0, 0};
    f0t_loss_result result;
    assert_ok(o.host_loss(o.context, &result, gradient, &batch, samples));
    assert_int_equal(result.images, 4);
    return result.loss;
}

/* The difference quotient of the loss by one number. */
static double quotient(f0t_wsabie_tags *tags, const float *outputs, float *number)
{
    float scratch[ROWS * DIM], before = *number, step = 1.0F / 4096;
    *number = before + step;
    double above = loss_at(tags, outputs, scratch);
    *number = before - step;
    double below = loss_at(tags, outputs, scratch);
    *number = before;
    return (above - below) / (2 * (double)step);
}

static void gradients_of_both_sides_are_those_of_the_loss(void **state)
{
    f0t_wsabie_tags tags;
    float outputs[ROWS * DIM], gradient[ROWS * DIM], dw[TAGS * DIM];
    double largest = 0;
    (void)state;
    assert_ok(f0t_wsabie_tags_create(&tags, TAGS, DIM, FEATURES, ROWS, 1, 5));
    test_random_floats(outputs, ROWS * DIM, 3);
    loss_at(&tags, outputs, gradient);
    memcpy(dw, tags.dw, sizeof dw);
    for (size_t i = 0; i < (size_t)ROWS * DIM; i++)
        assert_true(fabs((double)gradient[i] - quotient(&tags, outputs, outputs + i)) < 2e-3);
    for (size_t i = 0; i < (size_t)TAGS * DIM; i++) {
        assert_true(fabs((double)dw[i] - quotient(&tags, outputs, tags.w + i)) < 2e-3);
        largest = fmax(largest, fabs((double)dw[i]));
    }
    assert_true(largest > 0.1);
    f0t_wsabie_tags_free(&tags);
}

static double length(const float *x, size_t n, size_t stride)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i * stride] * (double)x[i * stride];
    return sqrt(sum);
}

/* Long ones are brought back to C in their direction, short ones stay. */
static void an_update_keeps_the_norms(void **state)
{
    f0t_wsabie_tags tags;
    f0t_net *net;
    f0t_net_shape shape = {.inputs = FEATURES, .outputs = DIM};
    float map[DIM * FEATURES] = {3, 0.1F, 0, 0, 4, 0.1F, 0, 0, 0, 0.1F, 0, 1}, got[DIM * FEATURES];
    (void)state;
    assert_ok(f0t_wsabie_tags_create(&tags, TAGS, DIM, FEATURES, ROWS, 0.5, 5));
    const f0t_objective o = f0t_wsabie_tags_objective(&tags);
    for (size_t t = 0; t < TAGS; t++)
        assert_true(length(tags.w + t * DIM, DIM, 1) < 0.5 + 1e-6);
    memset(tags.dw, 0, TAGS * DIM * sizeof *tags.dw);
    tags.w[0] = 30;
    tags.w[1] = 40;
    tags.w[2] = 0;
    assert_ok(f0t_net_create(&net, &f0t_compute_cpu, &shape, F0T_F32));
    assert_ok(f0t_net_array_set(net, 0, map));
    assert_ok(o.update(o.context, net, 1, 0.01));
    assert_true(fabs((double)tags.w[0] - 0.3) < 1e-6 && fabs((double)tags.w[1] - 0.4) < 1e-6);
    assert_ok(f0t_net_array_get(got, net, 0));
    assert_true(fabs((double)got[0] - 0.3) < 1e-6 && fabs((double)got[FEATURES] - 0.4) < 1e-6);
    assert_true(got[1] == map[1] && got[FEATURES + 1] == map[1]);
    assert_true(fabs(length(got + 3, DIM, FEATURES) - 0.5) < 1e-6);
    f0t_net_free(net);
    f0t_wsabie_tags_free(&tags);
}

static void its_bytes_depend_on_neither_threads_nor_blocks(void **state)
{
    (void)state;
    keeps_its_bytes(&f0t_ranker_wsabie, KNOBS);
}

static void failures_leak_nothing(void **state)
{
    (void)state;
    survives_faults(&f0t_ranker_wsabie, KNOBS);
    refuses_untagged(&f0t_ranker_wsabie, KNOBS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_learns_tags),
        cmocka_unit_test(gradients_of_both_sides_are_those_of_the_loss),
        cmocka_unit_test(an_update_keeps_the_norms),
        cmocka_unit_test(its_bytes_depend_on_neither_threads_nor_blocks),
        cmocka_unit_test(failures_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
