/*
 * Operators: the plain implementations, written after onnx/docs/Operators.md and docs/Changelog.md.
 * They are the reference that the fast path is compared with, fold constants, find the shapes of
 * results, and run what the fast path has nothing better for.
 */
#ifndef F0T_ONNX_OP_H
#define F0T_ONNX_OP_H

#include "base/size.h"
#include "onnx/array.h"
#include "onnx/budget.h"
#include "onnx/graph.h"

enum { F0T_OPSET_LAST = 21, F0T_OP_INPUTS = 1024, F0T_OP_OUTPUTS = 256 };

/* One use of an operator. An output whose memory is set already (f or i) has its type and shape as
 * well, and is written there; it fails where the operator would give another shape. */
typedef struct f0t_op_call {
    const f0t_onnx_node *node;
    const f0t_op *op;
    int opset;
    const f0t_onnx_array *const *inputs; /* NULL for one that is left out */
    size_t input_count;
    f0t_onnx_array *outputs;
    size_t output_count;
    bool shape_only;         /* find types and shapes of the outputs, compute nothing */
    f0t_onnx_budget *budget; /* of f0t_op_run: for memory that the outputs need, and for the work */
} f0t_op_call;

/* What the inputs must be: all float; all of one type; anything. */
typedef enum f0t_op_takes { F0T_TAKES_FLOAT, F0T_TAKES_SAME, F0T_TAKES_ANY } f0t_op_takes;

struct f0t_op {
    const char *name;
    f0t_status (*run)(f0t_op_call *call);
    int kind; /* for functions that serve several operators */
    f0t_op_takes takes;
    size_t least, most; /* inputs; most 0: any number, or none where `least` is 0, too */
    size_t outputs;     /* at most */
    int since, until;   /* operator sets; until 0: to the last */
};

/* NULL when it is not supported in this set of operators. */
const f0t_op *f0t_op_find(const char *name, int opset);
/* All of them, in alphabetical order. */
const f0t_op *f0t_op_table(size_t *count);

/* Checks numbers and types of the inputs, finds the shapes of all outputs, gives them memory where
 * they have none, and runs it. Outputs that are all empty are shaped and not computed. */
f0t_status f0t_op_run(f0t_op_call *call);
/* Runs one node on these inputs (NULL: left out); outputs are made. Messages name file and node. */
f0t_status f0t_onnx_node_run(f0t_onnx_array *outputs, const f0t_onnx_graph *graph,
                             const f0t_onnx_node *node, const f0t_onnx_array *const *inputs,
                             bool shape_only, f0t_onnx_budget *budget);

/* ---- For the operators ------------------------------------------------------------------------
 */

static inline const f0t_onnx_array *f0t_op_in(const f0t_op_call *call, size_t k)
{
    return k < call->input_count ? call->inputs[k] : NULL;
}

/* Shapes output k. An operator is called twice, for the shapes and to compute; when it computes, its
 * outputs have memory. */
f0t_status f0t_op_output(f0t_op_call *call, size_t k, f0t_onnx_array_type type, size_t rank,
                         const size_t *dims);
f0t_status f0t_op_output_like(f0t_op_call *call, size_t k, const f0t_onnx_array *like);

/* Fails unless the elements of input k are known: what decides a shape may not depend on the
 * picture. */
f0t_status f0t_op_need(const f0t_op_call *call, size_t k);

/* Before a x b steps more than f0t_op_run has charged already: eight for each element of the outputs,
 * one for each of the inputs. */
static inline f0t_status f0t_op_steps(const f0t_op_call *call, size_t a, size_t b)
{
    size_t steps;
    return f0t_onnx_budget_steps(call->budget, f0t_size_mul(&steps, a, b) ? steps : SIZE_MAX);
}

/* Attributes. A missing one gives what is said. */
int64_t f0t_op_int(const f0t_op_call *call, const char *name, int64_t otherwise);
float f0t_op_float(const f0t_op_call *call, const char *name, float otherwise);
const char *f0t_op_text(const f0t_op_call *call, const char *name, const char *otherwise);
const int64_t *f0t_op_ints(size_t *count, const f0t_op_call *call, const char *name);
const float *f0t_op_floats(size_t *count, const f0t_op_call *call, const char *name);
const f0t_onnx_tensor_proto *f0t_op_tensor(const f0t_op_call *call, const char *name);
bool f0t_op_has(const f0t_op_call *call, const char *name);

/* -rank … rank - 1 as 0 … rank - 1. */
f0t_status f0t_op_axis(size_t *out, int64_t axis, size_t rank);
/* The same for a list, in which each comes once: out[F0T_ONNX_RANK]. NULL: 0 … count - 1. */
f0t_status f0t_op_axis_list(size_t *out, const int64_t *axes, size_t count, size_t rank);
/* Such a list as flags [F0T_ONNX_RANK]. */
f0t_status f0t_op_axes(bool *set, const int64_t *axes, size_t count, size_t rank);
/* Integers that are an attribute in old sets of operators and input k in new ones; *list is NULL
 * when neither is there. */
f0t_status f0t_op_list(const int64_t **list, size_t *count, const f0t_op_call *call,
                       const char *attribute, size_t k);

/* How several arrays are spread over one shape (numpy's broadcasting). */
typedef struct f0t_onnx_spread {
    size_t rank, count;
    size_t dims[F0T_ONNX_RANK];
    size_t strides[3][F0T_ONNX_RANK]; /* in elements, of each of up to three arrays */
} f0t_onnx_spread;

f0t_status f0t_onnx_spread_make(f0t_onnx_spread *out, const f0t_onnx_array *const *arrays,
                                size_t count);
/* Elements of the row (all but the last dimension) number `row` begin here. */
size_t f0t_onnx_spread_offset(const f0t_onnx_spread *spread, size_t which, size_t row);

/* ---- Geometry of windows: convolution and pooling ------------------------------------------------
 */

enum { F0T_ONNX_WINDOW_RANK = 3 };

/* In spatial dimensions; `before` and `after` are padding. */
typedef struct f0t_onnx_window {
    size_t rank;
    size_t in[F0T_ONNX_WINDOW_RANK], kernel[F0T_ONNX_WINDOW_RANK], stride[F0T_ONNX_WINDOW_RANK];
    size_t dilation[F0T_ONNX_WINDOW_RANK], before[F0T_ONNX_WINDOW_RANK],
        after[F0T_ONNX_WINDOW_RANK];
    size_t out[F0T_ONNX_WINDOW_RANK];
} f0t_onnx_window;

/* What the attributes say; kernel sizes are those of `weights` where there are some. */
f0t_status f0t_onnx_window_attributes(f0t_onnx_window *out, const f0t_op_call *call,
                                      const f0t_onnx_array *x, const f0t_onnx_array *weights);
/* The same with the number of windows, and the padding that auto_pad asks for. */
f0t_status f0t_onnx_window_read(f0t_onnx_window *out, const f0t_op_call *call,
                                const f0t_onnx_array *x, const f0t_onnx_array *weights);

#endif
