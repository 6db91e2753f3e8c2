#include "onnx/summary.h"

#include "base/alloc.h"
#include "onnx/fold.h"
#include "onnx/op.h"

#include <stdio.h>
#include <string.h>

enum { SIZE_OPEN = 224 };

/* ---- Operators ------------------------------------------------------------------------------------
 */

static f0t_status count_operators(f0t_onnx_summary *s, const f0t_onnx_graph *graph)
{
    F0T_TRY(f0t_alloc_zero(&s->counts, graph->node_count, sizeof *s->counts));
    F0T_TRY(f0t_alloc_zero(&s->supported, graph->node_count, sizeof *s->supported));
    for (size_t n = 0; n < graph->node_count; n++) {
        const char *name = graph->nodes[n].proto->op_type;
        uint32_t index;
        bool added;
        F0T_TRY(f0t_names_add(&index, &added, &s->operators, name, strlen(name)));
        s->counts[index]++;
        s->supported[index] = graph->nodes[n].op != NULL && (added || s->supported[index]);
    }
    return F0T_OK;
}

/* ---- Whether it runs ------------------------------------------------------------------------------
 */

static f0t_status set_inputs(f0t_onnx_array *inputs, f0t_onnx_summary *s,
                             const f0t_onnx_graph *graph)
{
    for (size_t k = 0; k < graph->input_count; k++) {
        const f0t_onnx_port *end = &graph->inputs[k];
        size_t dims[F0T_ONNX_RANK];
        if (!f0t_onnx_array_type_name(end->type))
            return f0t_fail(F0T_ERROR_UNSUPPORTED, "input '%s' is of another type than numbers",
                            graph->values[end->value].name);
        for (size_t d = 0; d < end->rank; d++)
            dims[d] = end->dims[d] ? end->dims[d] : d == 0 ? 1 : d == 1 ? 3 : SIZE_OPEN;
        F0T_TRY(f0t_onnx_array_shape(&inputs[k], (f0t_onnx_array_type)end->type, end->rank, dims));
        if (!s->picture) {
            f0t_onnx_array_print_shape(s->picture_text, sizeof s->picture_text, &inputs[k]);
            s->picture = s->picture_text;
        }
    }
    return F0T_OK;
}

static f0t_status fold_one(f0t_onnx_summary *s, const f0t_onnx_graph *graph,
                           const f0t_onnx_array *inputs, const f0t_monitor *monitor)
{
    f0t_onnx_fold fold;
    f0t_onnx_budget budget = f0t_onnx_budget_load(f0t_onnx_graph_file_bytes(graph), monitor);
    F0T_TRY(f0t_onnx_fold_create(&fold, graph, inputs, &s->features, 1, &budget));
    for (size_t n = 0; n < graph->node_count; n++)
        if (fold.used[n])
            s->arithmetic += f0t_onnx_fold_operations(&fold, &graph->nodes[n]);
    const f0t_onnx_array *out = &fold.arrays[s->features];
    s->dim = out->rank && out->dims[0] ? out->count / out->dims[0] : out->count;
    f0t_onnx_fold_clear(&fold);
    return F0T_OK;
}

/* Only lack of memory is a failure, and being stopped. */
static f0t_status try_it(f0t_onnx_summary *s, const f0t_onnx_graph *graph,
                         const f0t_monitor *monitor)
{
    f0t_onnx_array *inputs;
    F0T_TRY(f0t_alloc_zero(&inputs, graph->input_count, sizeof *inputs));
    f0t_status status = set_inputs(inputs, s, graph);
    if (status == F0T_OK)
        status = fold_one(s, graph, inputs, monitor);
    f0t_free(inputs);
    s->runs = status == F0T_OK;
    if (!s->runs)
        snprintf(s->reason, sizeof s->reason, "%s", f0t_last_error());
    return status == F0T_ERROR_MEMORY || status == F0T_ERROR_INTERRUPTED ? status : F0T_OK;
}

static f0t_status fill(f0t_onnx_summary *s, const f0t_onnx_graph *graph, const f0t_monitor *monitor)
{
    for (size_t v = 0; v < graph->value_count; v++) {
        const f0t_onnx_array *constant = &graph->values[v].constant;
        if (f0t_onnx_array_known(constant) && f0t_onnx_array_type_is_float(constant->type))
            s->parameters += constant->count;
    }
    s->features = f0t_onnx_graph_features(graph);
    F0T_TRY(count_operators(s, graph));
    return try_it(s, graph, monitor);
}

f0t_status f0t_onnx_summary_create(f0t_onnx_summary *out, const f0t_onnx_graph *graph,
                                   const f0t_monitor *monitor)
{
    *out = (f0t_onnx_summary){0};
    f0t_status status = fill(out, graph, monitor);
    if (status != F0T_OK)
        f0t_onnx_summary_clear(out);
    return status;
}

void f0t_onnx_summary_clear(f0t_onnx_summary *summary)
{
    f0t_names_free(&summary->operators);
    f0t_free(summary->counts);
    f0t_free(summary->supported);
    *summary = (f0t_onnx_summary){0};
}
