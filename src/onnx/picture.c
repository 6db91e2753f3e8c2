#include "onnx/picture.h"

#include "base/alloc.h"

#include <string.h>

enum { SIZE_OPEN = 224 };

/* The one input that the output depends on. */
static f0t_status find_input(size_t *input, const f0t_onnx_graph *graph, size_t output)
{
    bool *wanted;
    size_t found = F0T_NONE, count = 0;
    F0T_TRY(f0t_alloc_zero(&wanted, graph->value_count, sizeof *wanted));
    wanted[output] = true;
    for (size_t n = graph->node_count; n-- > 0;) {
        const f0t_onnx_node *node = &graph->nodes[n];
        bool used = false;
        for (size_t k = 0; k < node->output_count; k++)
            used = used || wanted[node->outputs[k]];
        for (size_t k = 0; k < node->input_count && used; k++)
            if (node->inputs[k] != F0T_NONE)
                wanted[node->inputs[k]] = true;
    }
    for (size_t k = 0; k < graph->input_count; k++)
        if (wanted[graph->inputs[k].value]) {
            found = found == F0T_NONE ? k : found;
            count++;
        }
    f0t_free(wanted);
    if (count != 1)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%s: '%s' depends on %zu inputs; a network of pictures has one",
                        graph->path, graph->values[output].name, count);
    *input = found;
    return F0T_OK;
}

/* N x C x H x W, or with the channels last; what is open is filled in. */
static f0t_status set_shape(f0t_onnx_picture *p, const f0t_onnx_graph *graph, size_t height,
                            size_t width)
{
    const f0t_onnx_port *end = &graph->inputs[p->input];
    const char *name = graph->values[end->value].name;
    if (end->type != F0T_ONNX_FLOAT || (end->has_shape && end->rank != 4))
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%s: input '%s' is not float32 of N x C x H x W, as pictures are",
                        graph->path, name);
    p->rank = 4;
    memcpy(p->dims, end->dims, sizeof p->dims);
    bool last = (end->dims[3] == 3 || end->dims[3] == 1) && end->dims[1] != 3 && end->dims[1] != 1;
    size_t c = last ? 3 : 1, h = last ? 1 : 2, w = last ? 2 : 3;
    p->dims[c] = p->dims[c] ? p->dims[c] : 3;
    p->dims[h] = p->dims[h] ? p->dims[h] : height ? height : SIZE_OPEN;
    p->dims[w] = p->dims[w] ? p->dims[w] : width ? width : SIZE_OPEN;
    p->batch = end->dims[0];
    p->shape = (f0t_network_input){name, p->dims[c], p->dims[h], p->dims[w], last};
    return F0T_OK;
}

f0t_status f0t_onnx_picture_find(f0t_onnx_picture *out, const f0t_onnx_graph *graph, size_t output,
                                 size_t height, size_t width)
{
    *out = (f0t_onnx_picture){0};
    F0T_TRY(find_input(&out->input, graph, output));
    return set_shape(out, graph, height, width);
}

f0t_status f0t_onnx_picture_inputs(f0t_onnx_array **out, const f0t_onnx_picture *picture,
                                   const f0t_onnx_graph *graph, size_t images)
{
    size_t dims[F0T_ONNX_RANK];
    F0T_TRY(f0t_alloc_zero(out, graph->input_count, sizeof **out));
    memcpy(dims, picture->dims, sizeof dims);
    dims[0] = images;
    for (size_t k = 0; k < graph->input_count; k++)
        (*out)[k].type = F0T_ONNX_INT64; /* the others lead to nothing that is wanted */
    f0t_status status =
        f0t_onnx_array_shape(&(*out)[picture->input], F0T_ONNX_FLOAT, picture->rank, dims);
    if (status == F0T_OK)
        return F0T_OK;
    f0t_free(*out);
    *out = NULL;
    return f0t_fail_prefix(status, "%s: input '%s': ", graph->path, picture->shape.name);
}
