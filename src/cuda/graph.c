/*
 * A training step as one CUDA graph: some twenty kernels start with one call, and none waits for the host.
 *
 * What changes from step to step, rates and the counters of dropout, are the kernels' arguments, and what a batch brings is
 * copied from pinned memory. So every step is captured anew, and the graph of the one before takes its arguments. Where
 * the step has other kernels, as the first one of another size may, a new graph is made.
 */
#include "cuda/cuda.h"

#include <stdlib.h>
#include <string.h>

static bool is_wanted;   /* between begin and end, until a part was flushed */
static bool is_captured; /* what is started is held back */
static cudaGraphExec_t made;

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
}

bool f0t_cuda_is_captured(void)
{
    return is_captured;
}

f0t_status f0t_cuda_capture(void)
{
    if (!is_wanted || is_captured)
        return F0T_OK;
    f0t_cuda_join();
    F0T_CUDA_TRY(cudaStreamBeginCapture(f0t_cuda_stream, cudaStreamCaptureModeRelaxed), "a step");
    is_captured = true;
    return F0T_OK;
}

static f0t_status update(cudaGraph_t graph)
{
    cudaGraphExecUpdateResultInfo unused;
    if (made && cudaGraphExecUpdate(made, graph, &unused) == cudaSuccess)
        return F0T_OK;
    (void)cudaGetLastError();
    if (made)
        (void)cudaGraphExecDestroy(made);
    made = NULL;
    F0T_CUDA_TRY(cudaGraphInstantiate(&made, graph, 0), "a step");
    return F0T_OK;
}

static f0t_status start(cudaGraph_t graph)
{
    F0T_TRY(update(graph));
    F0T_CUDA_TRY(cudaGraphLaunch(made, f0t_cuda_stream), "a step");
    return f0t_cuda_stages_started();
}

f0t_status f0t_cuda_flush(void)
{
    cudaGraph_t graph = NULL;
    if (!is_captured)
        return F0T_OK;
    f0t_cuda_join();
    is_wanted = is_captured = false;
    cudaError_t error = cudaStreamEndCapture(f0t_cuda_stream, &graph);
    f0t_status status = error == cudaSuccess ? start(graph) : f0t_cuda_check(error, "a step");
    if (graph)
        (void)cudaGraphDestroy(graph);
    return status;
}

f0t_status f0t_cuda_end(void)
{
    F0T_CUDA_ENTER_AND(false);
    is_wanted = false;
    return f0t_cuda_flush();
}
