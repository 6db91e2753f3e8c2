#include "fuzz.h"

#include "onnx/summary.h"

/* What the reader accepts has names, nodes and constants that can be touched, and its shapes can be
 * found or not. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f0t_graph *graph;
    volatile size_t sum = 0; /* kept by the compiler */
    if (f0t_graph_open_memory(&graph, data, size, "fuzz.onnx", NULL) != F0T_OK)
        return 0;
    for (size_t v = 0; v < graph->value_count; v++) {
        f0t_array copy;
        sum += (unsigned char)graph->values[v].name[0];
        if (f0t_array_copy(&copy, &graph->values[v].constant) == F0T_OK)
            f0t_array_clear(&copy);
    }
    for (size_t k = 0; k < graph->node_count; k++)
        for (size_t i = 0; i < graph->nodes[k].input_count; i++)
            sum += graph->nodes[k].inputs[i];
    f0t_summary summary;
    if (f0t_summary_create(&summary, graph) == F0T_OK)
        f0t_summary_clear(&summary);
    f0t_graph_close(graph);
    return 0;
}
