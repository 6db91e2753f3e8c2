#include "fuzz.h"

#include "onnx/schedule.h"
#include "onnx/summary.h"

enum { SMALL = 1 << 16, ENDS = 4 };

/* Names, nodes and constants that were accepted can be touched. */
static void touch(const f0t_graph *graph)
{
    volatile size_t sum = 0; /* kept by the compiler */
    for (size_t v = 0; v < graph->value_count; v++) {
        f0t_array copy;
        sum += (unsigned char)graph->values[v].name[0];
        if (f0t_array_copy(&copy, &graph->values[v].constant) == F0T_OK)
            f0t_array_clear(&copy);
    }
    for (size_t k = 0; k < graph->node_count; k++)
        for (size_t i = 0; i < graph->nodes[k].input_count; i++)
            sum += graph->nodes[k].inputs[i];
    (void)sum;
}

/* The shapes of its inputs, where the file gives them; false when they are not small. */
static bool set_inputs(f0t_array *inputs, const f0t_graph *graph)
{
    if (graph->input_count > ENDS || graph->output_count > ENDS || graph->node_count > 64)
        return false;
    for (size_t k = 0; k < graph->input_count; k++) {
        const f0t_end *end = &graph->inputs[k];
        size_t dims[F0T_ARRAY_RANK];
        for (size_t d = 0; d < end->rank; d++)
            dims[d] = end->dims[d] ? end->dims[d] : 1;
        if (end->type != F0T_ARRAY_FLOAT ||
            f0t_array_shape(&inputs[k], F0T_ARRAY_FLOAT, end->rank, dims) != F0T_OK ||
            inputs[k].count > SMALL)
            return false;
    }
    return true;
}

static void run(f0t_schedule *schedule, const f0t_graph *graph)
{
    static const float zeros[SMALL];
    static int64_t results[ENDS][SMALL];
    const float *inputs[ENDS] = {zeros, zeros, zeros, zeros};
    void *outputs[ENDS] = {results[0], results[1], results[2], results[3]};
    for (size_t k = 0; k < graph->output_count; k++)
        if (f0t_schedule_output(schedule, k)->count > SMALL)
            return;
    if (f0t_schedule_arena(schedule) <= SMALL)
        f0t_schedule_run(schedule, inputs, outputs);
}

/* What is small is run as well. */
static void schedule(const f0t_graph *graph)
{
    f0t_array inputs[ENDS] = {{0}};
    size_t outputs[ENDS];
    f0t_weights *weights;
    f0t_schedule *made;
    if (!set_inputs(inputs, graph) || f0t_weights_create(&weights) != F0T_OK)
        return;
    for (size_t k = 0; k < graph->output_count; k++)
        outputs[k] = graph->outputs[k].value;
    f0t_schedule_options options = {
        .inputs = inputs, .outputs = outputs, .output_count = graph->output_count};
    if (f0t_schedule_create(&made, graph, weights, &options) == F0T_OK)
        run(made, graph);
    else
        made = NULL;
    f0t_schedule_free(made);
    f0t_weights_free(weights);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f0t_graph *graph;
    f0t_summary summary;
    if (f0t_graph_open_memory(&graph, data, size, "fuzz.onnx", NULL) != F0T_OK)
        return 0;
    touch(graph);
    if (f0t_summary_create(&summary, graph) == F0T_OK)
        f0t_summary_clear(&summary);
    schedule(graph);
    f0t_graph_close(graph);
    return 0;
}
