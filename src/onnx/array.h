/*
 * The arrays that flow through a network. All float types are held as float32, all integer types and
 * booleans as int64: an operator is written once for each of the two, and the type that the file
 * gave is kept beside it. docs/onnx.md says what that means for float64.
 */
#ifndef F0T_ONNX_ARRAY_H
#define F0T_ONNX_ARRAY_H

#include "base/status.h"

enum { F0T_ONNX_RANK = 8 };

/* Numbers of onnx.proto's TensorProto.DataType. */
typedef enum f0t_onnx_array_type {
    F0T_ONNX_NONE = 0,
    F0T_ONNX_FLOAT = 1,
    F0T_ONNX_UINT8 = 2,
    F0T_ONNX_INT8 = 3,
    F0T_ONNX_UINT16 = 4,
    F0T_ONNX_INT16 = 5,
    F0T_ONNX_INT32 = 6,
    F0T_ONNX_INT64 = 7,
    F0T_ONNX_BOOL = 9,
    F0T_ONNX_FLOAT16 = 10,
    F0T_ONNX_DOUBLE = 11,
    F0T_ONNX_UINT32 = 12,
    F0T_ONNX_UINT64 = 13,
    F0T_ONNX_BFLOAT16 = 16
} f0t_onnx_array_type;

/* Row-major. Which of the three has the elements: `f` for float types, `i` for the others, `raw` for
 * bytes of a file that were not converted yet (any alignment, little-endian). None: the shape alone
 * is known. */
typedef struct f0t_onnx_array {
    f0t_onnx_array_type type;
    size_t rank;
    size_t dims[F0T_ONNX_RANK];
    size_t count; /* of elements */
    float *f;
    int64_t *i;
    const unsigned char *raw;
    bool owned; /* f or i is freed with the array */
} f0t_onnx_array;

/* "float32", "int64", …; NULL for types that this part cannot hold. */
const char *f0t_onnx_array_type_name(int type);
bool f0t_onnx_array_type_is_float(f0t_onnx_array_type type);
bool f0t_onnx_array_type_is_eight(f0t_onnx_array_type type); /* uint8 or int8 */
size_t f0t_onnx_array_type_size(f0t_onnx_array_type type);   /* in a file */

/* Sets type and shape, and counts the elements; fails when there are more than memory could hold or
 * `rank` is above F0T_ONNX_RANK. */
f0t_status f0t_onnx_array_shape(f0t_onnx_array *array, f0t_onnx_array_type type, size_t rank,
                                const size_t *dims);
bool f0t_onnx_array_same_shape(const f0t_onnx_array *x, const f0t_onnx_array *y);

/* Memory for the elements, with any content. */
f0t_status f0t_onnx_array_alloc(f0t_onnx_array *array);
/* A copy that owns its elements, converted where `from` has raw bytes. */
f0t_status f0t_onnx_array_copy(f0t_onnx_array *to, const f0t_onnx_array *from);
/* Converts `count` elements of a file into `f` or `i`, which have room. */
void f0t_onnx_array_decode(f0t_onnx_array *array, const unsigned char *bytes);
void f0t_onnx_array_clear(f0t_onnx_array *array);

bool f0t_onnx_array_known(const f0t_onnx_array *array); /* it has elements */
/* An integer cut to the range of its type, as arithmetic in that type does. */
int64_t f0t_onnx_array_wrap(f0t_onnx_array_type type, int64_t value);
/* A number without its fraction, wrapped likewise; NaN and what is beyond int64 are 0. */
int64_t f0t_onnx_array_to_integer(f0t_onnx_array_type type, double x);

/* "1x3x224x224" */
void f0t_onnx_array_print_shape(char *out, size_t size, const f0t_onnx_array *array);

#endif
