/* What the tests of the net and of its step share. */
#ifndef F0T_TESTS_NETS_H
#define F0T_TESTS_NETS_H

#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/matmul.h"
#include "model/net.h"
#include "model/step.h"
#include "net_reference.h"

/* Emulators are slow: F0T_TEST_SMALL leaves out the large shapes. */
static inline bool small_only(void)
{
    return getenv("F0T_TEST_SMALL") != NULL;
}

/* A mini-batch of a shape: rows, tags, and the net. */
typedef struct net_case {
    size_t rows, tags;
    f0t_net_shape shape;
} net_case;

static const net_case odd_cases[] = {
    {1, 1, {1, 0, {0}, 1, true}},
    {1, 1, {1, 2, {1, 1}, 1, true}},
    {5, 3, {1, 1, {4}, 2, false}},
    {7, 1, {3, 1, {1}, 1, true}},
    {3, 17, {13, 0, {0}, 5, false}},
    {9, 33, {31, 2, {65, 17}, 12, true}},
    {64, 10, {40, 3, {48, 8, 19}, 7, true}},
    {130, 92, {129, 2, {255, 65}, 30, true}},
};
enum { ODD_CASES = sizeof odd_cases / sizeof *odd_cases };

static inline size_t case_count(void)
{
    return small_only() ? ODD_CASES - 1 : ODD_CASES;
}

/* A net with random weights and biases. */
static inline f0t_net *make_net(const f0t_net_shape *shape, f0t_dtype precision, uint64_t seed)
{
    f0t_net *net = NULL;
    assert_ok(f0t_net_create(&net, &f0t_compute_cpu, shape, precision));
    assert_ok(f0t_net_set_random(net, seed, 1));
    for (size_t i = 1; shape->bias && i < f0t_net_array_count(net); i += 2) {
        f0t_model_array array = f0t_net_array(net, i);
        float *bias = NULL;
        assert_ok(f0t_alloc(&bias, array.cols, sizeof *bias));
        test_random_floats(bias, array.cols, seed + i);
        assert_ok(f0t_net_array_set(net, i, bias));
        f0t_free(bias);
    }
    return net;
}

/* The numbers of a buffer of the CPU. */
static inline float *floats_of(const f0t_buffer *buffer)
{
    return buffer->data;
}

/* All that comes after the loss. */
static inline f0t_status step_back(f0t_step *step, double rate)
{
    F0T_TRY(f0t_step_gradients(step));
    return f0t_step_apply(step, rate);
}

static inline float *make_floats(size_t n, uint64_t seed)
{
    float *values = NULL;
    assert_ok(f0t_alloc(&values, n, sizeof *values));
    test_random_floats(values, n, seed);
    return values;
}

static inline double *make_doubles(const float *from, size_t n)
{
    double *values = NULL;
    assert_ok(f0t_alloc(&values, n, sizeof *values));
    for (size_t i = 0; i < n; i++)
        values[i] = (double)from[i];
    return values;
}

/* |x - y| over |y|, Euclidean. */
static inline double relative_distance(const float *x, const double *y, size_t n)
{
    double difference = 0, length = 0;
    for (size_t i = 0; i < n; i++) {
        difference += ((double)x[i] - y[i]) * ((double)x[i] - y[i]);
        length += y[i] * y[i];
    }
    return length > 0 ? sqrt(difference / length) : sqrt(difference);
}

#endif
