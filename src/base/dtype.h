/* Element types of matrices in files and memory, and conversion between them and float32. */
#ifndef F0T_BASE_DTYPE_H
#define F0T_BASE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum f0t_dtype {
    F0T_F32,
    F0T_F16,
    F0T_BF16,
    F0T_F64,
    F0T_I32,
    F0T_I64,
    F0T_U8,
    F0T_I8,
    F0T_BOOL,
    F0T_DTYPES
} f0t_dtype;

/* Bytes of one element. */
size_t f0t_dtype_size(f0t_dtype type);

/* "float32", "float16", "bfloat16", … */
const char *f0t_dtype_name(f0t_dtype type);

/* `n` elements of `type` at `from` (any alignment, this machine's byte order) as float32. */
void f0t_dtype_to_f32(float *to, const void *from, f0t_dtype type, size_t n);

/* float32 to nearest, ties to even. Too large becomes infinity, NaN stays NaN. */
void f0t_f32_to_f16(uint16_t *to, const float *from, size_t n);
void f0t_f32_to_bf16(uint16_t *to, const float *from, size_t n);

/* Reverses the bytes of each element in place. `size` is 1, 2, 4 or 8. */
void f0t_swap_bytes(void *elements, size_t size, size_t n);

/* The definitions, one number at a time: what the fast kernels are compared with. */
float f0t_f16_to_f32_ref(uint16_t h);
float f0t_bf16_to_f32_ref(uint16_t h);
uint16_t f0t_f32_to_f16_ref(float f);
uint16_t f0t_f32_to_bf16_ref(float f);

#endif
