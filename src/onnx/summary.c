#include "onnx/summary.h"

#include "base/alloc.h"
#include "onnx/features.h"
#include "onnx/fold.h"
#include "onnx/op.h"

#include <stdio.h>
#include <string.h>

enum { SIZE_OPEN = 224 };

/* ---- Operators ------------------------------------------------------------------------------------
 */

static f0t_status count_operators(f0t_summary *s, const f0t_graph *graph)
{
    F0T_TRY(f0t_words_list_init(&s->operators));
    F0T_TRY(f0t_alloc_zero(&s->counts, graph->node_count, sizeof *s->counts));
    F0T_TRY(f0t_alloc_zero(&s->supported, graph->node_count, sizeof *s->supported));
    for (size_t n = 0; n < graph->node_count; n++) {
        const char *name = graph->nodes[n].proto->op_type;
        size_t index;
        bool added;
        F0T_TRY(f0t_words_list_add(&s->operators, name, strlen(name), &index, &added));
        s->counts[index]++;
        s->supported[index] = graph->nodes[n].op != NULL && (added || s->supported[index]);
    }
    return F0T_OK;
}

/* ---- Arithmetic -----------------------------------------------------------------------------------
 */

/* Two for each multiplication and addition. A sum of huge ones is only an order of magnitude. */
static double operations(const f0t_fold *fold, const f0t_node *node)
{
    const f0t_array *y = &fold->arrays[node->outputs[0]];
    if (node->input_count < 2 || node->inputs[1] == F0T_NONE)
        return 0;
    const f0t_array *w = &fold->arrays[node->inputs[1]], *x = &fold->arrays[node->inputs[0]];
    double each = 0;
    if (strcmp(node->op->name, "Conv") == 0 && w->dims[0])
        each = (double)(w->count / w->dims[0]);
    else if (strcmp(node->op->name, "MatMul") == 0)
        each = (double)x->dims[x->rank - 1];
    else if (strcmp(node->op->name, "Gemm") == 0 && y->count)
        each = (double)(x->count / y->dims[0]);
    return 2 * (double)y->count * each;
}

static f0t_status set_inputs(f0t_array *inputs, f0t_summary *s, const f0t_graph *graph)
{
    for (size_t k = 0; k < graph->input_count; k++) {
        const f0t_end *end = &graph->inputs[k];
        size_t dims[F0T_ARRAY_RANK];
        if (!f0t_array_type_name(end->type))
            return f0t_fail(F0T_ERROR_UNSUPPORTED, "input '%s' is of another type than numbers",
                            graph->values[end->value].name);
        for (size_t d = 0; d < end->rank; d++)
            dims[d] = end->dims[d] ? end->dims[d] : d == 0 ? 1 : d == 1 ? 3 : SIZE_OPEN;
        F0T_TRY(f0t_array_shape(&inputs[k], (f0t_array_type)end->type, end->rank, dims));
        if (!s->picture) {
            f0t_array_print_shape(s->picture_text, sizeof s->picture_text, &inputs[k]);
            s->picture = s->picture_text;
        }
    }
    return F0T_OK;
}

static f0t_status fold_one(f0t_summary *s, const f0t_graph *graph, const f0t_array *inputs)
{
    f0t_fold fold;
    F0T_TRY(f0t_fold_create(&fold, graph, inputs, &s->features, 1));
    for (size_t n = 0; n < graph->node_count; n++)
        if (fold.used[n])
            s->arithmetic += operations(&fold, &graph->nodes[n]);
    const f0t_array *out = &fold.arrays[s->features];
    s->dim = out->rank && out->dims[0] ? out->count / out->dims[0] : out->count;
    f0t_fold_clear(&fold);
    return F0T_OK;
}

/* A network that cannot run is described all the same; only lack of memory is a failure. */
static f0t_status try_it(f0t_summary *s, const f0t_graph *graph)
{
    f0t_array *inputs;
    F0T_TRY(f0t_alloc_zero(&inputs, graph->input_count, sizeof *inputs));
    f0t_status status = set_inputs(inputs, s, graph);
    if (status == F0T_OK)
        status = fold_one(s, graph, inputs);
    f0t_free(inputs);
    s->runs = status == F0T_OK;
    if (!s->runs)
        snprintf(s->reason, sizeof s->reason, "%s", f0t_last_error());
    return status == F0T_ERROR_MEMORY ? status : F0T_OK;
}

static f0t_status fill(f0t_summary *s, const f0t_graph *graph)
{
    for (size_t v = 0; v < graph->value_count; v++) {
        const f0t_array *constant = &graph->values[v].constant;
        if (f0t_array_known(constant) && f0t_array_type_is_float(constant->type))
            s->parameters += constant->count;
    }
    s->features = f0t_graph_features(graph);
    F0T_TRY(count_operators(s, graph));
    return try_it(s, graph);
}

f0t_status f0t_summary_create(f0t_summary *out, const f0t_graph *graph)
{
    *out = (f0t_summary){0};
    f0t_status status = fill(out, graph);
    if (status != F0T_OK)
        f0t_summary_clear(out);
    return status;
}

void f0t_summary_clear(f0t_summary *summary)
{
    f0t_words_list_clear(&summary->operators);
    f0t_free(summary->counts);
    f0t_free(summary->supported);
    *summary = (f0t_summary){0};
}
