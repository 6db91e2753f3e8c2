/*
 * The fast path: a graph for inputs of known shapes as a list of steps over one block of memory.
 * Convolutions with what follows them are one step each, arrays stay in the layouts that the kernels
 * like, memory is reused as soon as its content is not needed any more.
 *
 * A schedule is used by one thread at a time; schedules of one network share its weights.
 */
#ifndef F0T_ONNX_SCHEDULE_H
#define F0T_ONNX_SCHEDULE_H

#include "onnx/weights.h"

typedef struct f0t_onnx_schedule f0t_onnx_schedule;

typedef struct f0t_onnx_schedule_options {
    const f0t_onnx_array *inputs; /* in the order of the graph's: shapes; elements where constant */
    const size_t *outputs;        /* values that are wanted */
    size_t output_count;
    bool bf16;                  /* convolutions and products in bfloat16, where that is native */
    size_t images;              /* for which it is made, 0: one; a run may take the more work */
    const f0t_monitor *monitor; /* or NULL; not kept */
} f0t_onnx_schedule_options;

/* Made for the number of threads that the caller has now. */
f0t_status f0t_onnx_schedule_create(f0t_onnx_schedule **out, const f0t_onnx_graph *graph,
                                    f0t_onnx_weights *weights,
                                    const f0t_onnx_schedule_options *options);
void f0t_onnx_schedule_free(f0t_onnx_schedule *schedule);

/* The shape of output k, and how it is computed. */
const f0t_onnx_array *f0t_onnx_schedule_output(const f0t_onnx_schedule *schedule, size_t k);
size_t f0t_onnx_schedule_steps(const f0t_onnx_schedule *schedule);
size_t f0t_onnx_schedule_arena(const f0t_onnx_schedule *schedule); /* bytes that a run needs */
/* Whether arrays are joined by being written into their place, which those of several pictures cannot be. */
bool f0t_onnx_schedule_joins(const f0t_onnx_schedule *schedule);
/* Bytes of the weights that are multiplied with one row for each picture: of dense layers. */
size_t f0t_onnx_schedule_dense(const f0t_onnx_schedule *schedule);
/* Bytes that arrays of runs at a time may take. */
size_t f0t_onnx_schedule_arena_most(const f0t_onnx_schedule *schedule);
int f0t_onnx_schedule_threads(const f0t_onnx_schedule *schedule);

/* inputs[k]: the elements of input k (NULL for constants); outputs[k] is written: float, or int64 for
 * integers. */
f0t_status f0t_onnx_schedule_run(void *const *outputs, f0t_onnx_schedule *schedule,
                                 const float *const *inputs, const f0t_monitor *monitor);

#endif
