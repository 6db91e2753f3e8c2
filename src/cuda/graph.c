/*
 * A training step as one CUDA graph: some twenty kernels start with one call, and none waits for the host.
 *
 * What changes from step to step, rates and the counters of dropout, are the kernels' arguments, and what a batch brings is
 * copied from pinned memory. So every step is captured anew, and is a graph of its own. That of the step before is never given
 * the new arguments by cudaGraphExecUpdate: where a training in float32 followed one in bfloat16, the driver (580.159.04)
 * accepted it, and the step's product wrote nothing from then on.
 */
#include "cuda/cuda.h"

#include <stdlib.h>
#include <string.h>

static bool is_open;     /* between begin and end */
static bool is_wanted;   /* then, until a part was flushed */
static bool is_captured; /* what is started is held back */
static cudaGraphExec_t made;
/* Why a part of the step did not start, or was not all done: what is left of it fails the same way. */
static cudaError_t broken;

/* F0T_CUDA_GRAPH=0: to compare. */
static bool is_off(void)
{
    const char *text = getenv("F0T_CUDA_GRAPH");
    return text && strcmp(text, "0") == 0;
}

void f0t_cuda_begin(void)
{
    static int off = -1;
    F0T_CUDA_ENTER_AND(false);
    if (off < 0)
        off = is_off();
    is_wanted = !off;
    is_open = true;
}

bool f0t_cuda_is_captured(void)
{
    return is_captured;
}

f0t_status f0t_cuda_once(f0t_status status)
{
    if (status == F0T_ERROR_MEMORY && is_open)
        broken = cudaErrorMemoryAllocation;
    return status;
}

f0t_status f0t_cuda_capture(void)
{
    if (broken != cudaSuccess)
        return f0t_cuda_check(broken, "a step");
    if (!is_wanted || is_captured)
        return F0T_OK;
    f0t_cuda_join();
    F0T_CUDA_TRY(cudaStreamBeginCapture(f0t_cuda_stream, cudaStreamCaptureModeRelaxed), "a step");
    is_captured = true;
    return F0T_OK;
}

/* The graph before may still be running: CUDA keeps what it needs of it until then. */
static cudaError_t make(cudaGraph_t graph)
{
    if (made)
        (void)cudaGraphExecDestroy(made);
    made = NULL;
    return cudaGraphInstantiate(&made, graph, 0);
}

static cudaError_t start(cudaGraph_t graph)
{
    cudaError_t error = make(graph);
    if (error == cudaSuccess)
        error = cudaGraphLaunch(made, f0t_cuda_stream);
    return error == cudaSuccess ? f0t_cuda_stages_started() : error;
}

/* A step that is broken does not go on. */
static void end_capture(void)
{
    cudaGraph_t graph = NULL;
    f0t_cuda_join();
    is_wanted = is_captured = false;
    const cudaError_t error = cudaStreamEndCapture(f0t_cuda_stream, &graph);
    if (broken == cudaSuccess)
        broken = error == cudaSuccess ? start(graph) : error;
    if (graph)
        (void)cudaGraphDestroy(graph);
}

f0t_status f0t_cuda_flush(void)
{
    if (is_captured)
        end_capture();
    return f0t_cuda_check(broken, "a step");
}

f0t_status f0t_cuda_end(void)
{
    F0T_CUDA_ENTER_AND(false);
    is_wanted = false;
    f0t_status status = f0t_cuda_flush();
    is_open = false;
    broken = cudaSuccess;
    return status;
}
