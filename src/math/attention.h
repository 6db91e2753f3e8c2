/*
 * One head of attention in float32: softmax(scale · Q·Kᵀ)·V, some rows at a time, so that the products of all pairs never leave the first
 * cache. For CPUs with AVX2 or AVX-512, the fastest there; elsewhere src/onnx/emit_attention.c multiplies by oneDNN.
 */
#ifndef F0T_MATH_ATTENTION_H
#define F0T_MATH_ATTENTION_H

#include <stdbool.h>
#include <stddef.h>

/* Q is m x inner, V n x width; K is inner x n, or n x inner in memory where it is transposed. Steps are between rows, whose
 * elements lie beside each other. */
typedef struct f0t_attention {
    size_t m, n, inner, width;
    size_t q_row, k_row, v_row, result_row;
    bool k_transposed;
    float scale;
} f0t_attention;

/* Of what is packed: at all CPU levels panels have a divisor of these columns of K and of V, and no more rows are made at a
 * time. */
enum { F0T_ATTENTION_COLUMNS = 48, F0T_ATTENTION_VALUES = 32, F0T_ATTENTION_ROWS = 7 };

/* Whether it is the fastest on this CPU. */
bool f0t_attention_native(void);

/* Floats of room that a run needs; 0 where no memory could hold them. */
size_t f0t_attention_room(const f0t_attention *head);

/* A row of the result is the same for any number of rows. */
void f0t_attention_run(float *result, const float *q, const float *k, const float *v,
                       const f0t_attention *head, float *room);

#endif
