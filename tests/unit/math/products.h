/* Products with made numbers, and how far they are from the reference: shared by the tests of
 * matmul. */
#ifndef F0T_TESTS_PRODUCTS_H
#define F0T_TESTS_PRODUCTS_H

#include "support.h"

#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct product {
    f0t_matmul op;
    bool bias;
} product;

static inline void *make(size_t count, size_t size)
{
    void *memory = NULL;
    assert_ok(f0t_alloc_zero(&memory, count, size));
    return memory;
}

/* `count` numbers in [-1, 1), as `type`. */
static inline void *make_matrix(size_t count, f0t_dtype type, uint64_t seed)
{
    float *wide = make(count, sizeof *wide);
    test_random_floats(wide, count, seed);
    if (type == F0T_F32)
        return wide;
    uint16_t *narrow = make(count, sizeof *narrow);
    f0t_f32_to_bf16(narrow, wide, count);
    f0t_free(wide);
    return narrow;
}

/* A sum of k products in float32, in any order, is within about k units of rounding of the sum of
 * their magnitudes (Higham, Accuracy and Stability, 3.1), here k + 3 with bias and C. AVX-512's
 * bfloat16 instruction also flushes denormal numbers. A bfloat16 result is rounded once more. */
static inline double tolerance(const f0t_matmul *op, double want, double magnitude)
{
    double error = ((double)op->k + 3) * 0x1p-24 * magnitude * 1.01;
    if (op->type == F0T_BF16)
        error += (double)op->k * 0x1p-126;
    if (op->result == F0T_BF16)
        error += 0x1p-8 * 1.01 * (fabs(want) + error);
    return error;
}

static inline void assert_near(const void *got, const double *want, const double *magnitude,
                               const f0t_matmul *op)
{
    for (size_t i = 0; i < op->m * op->n; i++) {
        float value;
        f0t_dtype_to_f32(&value, (const char *)got + i * f0t_dtype_size(op->result), op->result, 1);
        if (!(fabs((double)value - want[i]) <= tolerance(op, want[i], magnitude[i])))
            fail_msg("%zu x %zu x %zu, %s to %s%s%s%s%s: element %zu is %.9g, not %.9g", op->m,
                     op->n, op->k, f0t_dtype_name(op->type), f0t_dtype_name(op->result),
                     op->a_transposed ? ", A transposed" : "",
                     op->b_transposed ? ", B transposed" : "", op->accumulate ? ", added" : "",
                     op->relu ? ", relu" : "", i, (double)value, want[i]);
    }
}

/* Runs the product with B plain, or packed for `packed_rows` rows, and compares. */
static inline void check_product(const product *p, size_t packed_rows)
{
    const f0t_matmul *op = &p->op;
    size_t results = op->m * op->n;
    void *a = make_matrix(op->m * op->k, op->type, 1), *b = make_matrix(op->k * op->n, op->type, 2);
    float *bias = p->bias ? make_matrix(op->n, F0T_F32, 3) : NULL;
    void *c = make_matrix(results, op->result, 4);
    double *want = make(results, sizeof *want), *magnitude = make(results, sizeof *want);
    for (size_t i = 0; i < results && op->accumulate; i++)
        want[i] = (double)((float *)c)[i];
    if (packed_rows) {
        f0t_packed *packed;
        float *wide = make(op->k * op->n, sizeof *wide);
        f0t_dtype_to_f32(wide, b, op->type, op->k * op->n);
        assert_ok(f0t_packed_create(&packed, op->k, op->n, op->type, packed_rows));
        assert_ok(f0t_packed_set(packed, wide, op->b_transposed));
        assert_ok(f0t_matmul_run_packed(c, a, packed, bias, op));
        f0t_packed_free(packed);
        f0t_free(wide);
    } else {
        assert_ok(f0t_matmul_run(c, a, b, bias, op));
    }
    f0t_matmul_ref(want, magnitude, a, b, bias, op);
    assert_near(c, want, magnitude, op);
    f0t_free(a);
    f0t_free(b);
    f0t_free(bias);
    f0t_free(c);
    f0t_free(want);
    f0t_free(magnitude);
}

/* Combinations of types, transpositions and what stands around A·B, at one shape: each `step`-th
 * from `first` on. */
static inline void check_forms(size_t m, size_t n, size_t k, size_t packed_rows, int first,
                               int step)
{
    static const f0t_dtype types[][2] = {
        {F0T_F32, F0T_F32}, {F0T_BF16, F0T_F32}, {F0T_BF16, F0T_BF16}};
    for (int form = first % step; form < 3 * 32; form += step) {
        f0t_dtype type = types[form / 32][0], result = types[form / 32][1];
        product p = {{.m = m,
                      .n = n,
                      .k = k,
                      .type = type,
                      .result = result,
                      .a_transposed = form & 1,
                      .b_transposed = form & 2,
                      .accumulate = form & 4,
                      .relu = form & 8},
                     form & 16};
        if (p.op.accumulate && result == F0T_BF16)
            continue;
        check_product(&p, packed_rows);
    }
}

#endif
