/* From the bytes of a ModelProto to a graph. */
#include "onnx/graph.h"

#include "base/alloc.h"
#include "base/size.h"
#include "onnx/op.h"

#include <string.h>

/* ---- Values -------------------------------------------------------------------------------------
 */

static f0t_status add_value(f0t_onnx_graph *graph, const char *name, size_t *value)
{
    uint32_t index;
    bool added;
    F0T_TRY(f0t_onnx_budget_take(graph->budget, 1, sizeof *graph->values));
    F0T_TRY(f0t_grow(&graph->values, &graph->value_capacity, graph->value_count, 1,
                     sizeof *graph->values));
    F0T_TRY(f0t_names_add(&index, &added, &graph->names, name, strlen(name)));
    *value = index;
    if (added)
        graph->values[graph->value_count++] = (f0t_onnx_value){.producer = F0T_NONE};
    return F0T_OK;
}

size_t f0t_onnx_graph_find(const f0t_onnx_graph *graph, const char *name)
{
    return f0t_words_find(&graph->names.view, name, strlen(name));
}

/* Outputs that a node leaves without a name are values as well, after those with one: whatever is
 * kept of a value (shape, memory) is kept of every output. */
static f0t_status add_unnamed(f0t_onnx_graph *graph)
{
    for (size_t n = 0; n < graph->node_count; n++)
        for (size_t k = 0; k < graph->nodes[n].output_count; k++) {
            if (graph->nodes[n].outputs[k] != F0T_NONE)
                continue;
            F0T_TRY(f0t_onnx_budget_take(graph->budget, 1, sizeof *graph->values));
            F0T_TRY(f0t_grow(&graph->values, &graph->value_capacity, graph->value_count, 1,
                             sizeof *graph->values));
            graph->nodes[n].outputs[k] = graph->value_count;
            graph->values[graph->value_count++] = (f0t_onnx_value){.name = "", .producer = n};
        }
    return F0T_OK;
}

/* The words of the list as strings, each with a 0 after it. */
static f0t_status set_names(f0t_onnx_graph *graph)
{
    const f0t_words *words = &graph->names.view;
    F0T_TRY(f0t_alloc(&graph->name_text, words->size + 1, 1));
    memcpy(graph->name_text, words->text, words->size);
    for (size_t v = 0; v < words->count; v++) {
        size_t length;
        const char *at = f0t_words_at(&length, words, v);
        graph->values[v].name = graph->name_text + (at - words->text);
        graph->name_text[(size_t)(at - words->text) + length] = '\0';
    }
    return F0T_OK;
}

static f0t_status add_initializer(f0t_onnx_graph *graph, f0t_onnx_message bytes)
{
    f0t_onnx_array array;
    char *name;
    size_t value = 0;
    F0T_TRY(f0t_onnx_tensor_read(&array, &name, bytes, graph));
    f0t_status status = *name ? add_value(graph, name, &value)
                              : f0t_fail(F0T_ERROR_FORMAT, "an initializer has no name");
    if (status == F0T_OK && f0t_onnx_array_known(&graph->values[value].constant))
        status = f0t_fail(F0T_ERROR_FORMAT, "there are two initializers '%s'", name);
    if (status == F0T_OK)
        graph->values[value].constant = array;
    else
        f0t_onnx_array_clear(&array);
    f0t_free(name);
    return status;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* NodeProto: names become numbers of values, and the operator is found. */

/* protobuf-c does not NUL-terminate bytes. */
static f0t_status end_text(f0t_onnx_attribute_proto *attribute)
{
    char *text;
    if (!attribute->has_s)
        return F0T_OK;
    F0T_TRY(f0t_string_copy(&text, (const char *)attribute->s.data, attribute->s.len));
    f0t_free(attribute->s.data);
    attribute->s.data = (uint8_t *)text;
    return F0T_OK;
}

static f0t_status read_attributes(f0t_onnx_node *node, f0t_onnx_message bytes,
                                  f0t_onnx_budget *budget)
{
    /* Graphs and types can nest; operators that have them are not supported. */
    static const uint32_t dropped[] = {6, 11, 13, 14, 15, 22, 23, 0};
    f0t_onnx_field field;
    size_t capacity = 0;
    while (f0t_onnx_message_next(&field, &bytes)) {
        if (field.number != F0T_ONNX_NODE_ATTRIBUTE || field.wire != 2)
            continue;
        F0T_TRY(f0t_grow(&node->attributes, &capacity, node->attribute_count, 1, sizeof(void *)));
        F0T_TRY(f0t_onnx_proto_unpack(&node->attributes[node->attribute_count],
                                      &f0t_onnx__attribute_proto__descriptor, field.body, dropped,
                                      "an attribute", budget));
        F0T_TRY(end_text(node->attributes[node->attribute_count++]));
    }
    return F0T_OK;
}

static bool is_defined(const f0t_onnx_value *value)
{
    return value->input || value->producer != F0T_NONE || f0t_onnx_array_known(&value->constant);
}

static f0t_status find_inputs(f0t_onnx_graph *graph, f0t_onnx_node *node)
{
    const f0t_onnx_node_proto *proto = node->proto;
    F0T_TRY(f0t_alloc(&node->inputs, proto->n_input, sizeof *node->inputs));
    for (size_t k = 0; k < proto->n_input; k++) {
        size_t value = *proto->input[k] ? f0t_onnx_graph_find(graph, proto->input[k]) : F0T_NONE;
        if (*proto->input[k] && (value == F0T_NONE || !is_defined(&graph->values[value])))
            return f0t_fail(F0T_ERROR_FORMAT,
                            "its input '%s' is made by no node before it (a cycle, or a lost "
                            "part of the file)",
                            proto->input[k]);
        node->inputs[node->input_count++] = value;
    }
    return F0T_OK;
}

static f0t_status add_outputs(f0t_onnx_graph *graph, f0t_onnx_node *node, size_t number)
{
    const f0t_onnx_node_proto *proto = node->proto;
    F0T_TRY(f0t_alloc(&node->outputs, proto->n_output, sizeof *node->outputs));
    for (size_t k = 0; k < proto->n_output; k++) {
        size_t value = F0T_NONE;
        if (*proto->output[k]) {
            F0T_TRY(add_value(graph, proto->output[k], &value));
            if (is_defined(&graph->values[value]))
                return f0t_fail(F0T_ERROR_FORMAT, "its output '%s' exists already",
                                proto->output[k]);
            graph->values[value].producer = number;
        }
        node->outputs[node->output_count++] = value;
    }
    return F0T_OK;
}

static bool is_standard(const f0t_onnx_node_proto *proto)
{
    return !proto->domain || !*proto->domain || strcmp(proto->domain, "ai.onnx") == 0;
}

static f0t_status fill_node(f0t_onnx_graph *graph, f0t_onnx_node *node, f0t_onnx_message bytes)
{
    static const uint32_t dropped[] = {F0T_ONNX_NODE_ATTRIBUTE, 6 /* doc_string */, 0};
    F0T_TRY(f0t_onnx_proto_unpack(&node->proto, &f0t_onnx__node_proto__descriptor, bytes, dropped,
                                  "a node", graph->budget));
    if (!node->proto->op_type || !*node->proto->op_type)
        return f0t_fail(F0T_ERROR_FORMAT, "it has no operator");
    if (is_standard(node->proto))
        node->op = f0t_op_find(node->proto->op_type, graph->opset);
    F0T_TRY(read_attributes(node, bytes, graph->budget));
    F0T_TRY(find_inputs(graph, node));
    return add_outputs(graph, node, (size_t)(node - graph->nodes));
}

/* Where a node stands, for people: its name, or its number, and its operator. */
static f0t_status fail_node(const f0t_onnx_graph *graph, const f0t_onnx_node *node,
                            f0t_status status)
{
    const char *op = node->proto && node->proto->op_type ? node->proto->op_type : "?";
    if (node->proto && node->proto->name && *node->proto->name)
        return f0t_fail_prefix(status, "node '%s' (%s): ", node->proto->name, op);
    return f0t_fail_prefix(status, "node %zu (%s): ", (size_t)(node - graph->nodes), op);
}

f0t_status f0t_onnx_graph_fail_at(const f0t_onnx_graph *graph, const f0t_onnx_node *node,
                                  f0t_status status)
{
    if (status == F0T_OK)
        return F0T_OK;
    fail_node(graph, node, status);
    return f0t_fail_prefix(status, "%s: ", graph->path);
}

static f0t_status read_node(f0t_onnx_graph *graph, f0t_onnx_message bytes)
{
    F0T_TRY(f0t_onnx_budget_take(graph->budget, 1, sizeof *graph->nodes));
    F0T_TRY(
        f0t_grow(&graph->nodes, &graph->node_capacity, graph->node_count, 1, sizeof *graph->nodes));
    f0t_onnx_node *node = &graph->nodes[graph->node_count++];
    *node = (f0t_onnx_node){0};
    f0t_status status = fill_node(graph, node, bytes);
    return status == F0T_OK ? F0T_OK : fail_node(graph, node, status);
}

f0t_status f0t_onnx_graph_check_ops(const f0t_onnx_graph *graph, const bool *used)
{
    for (size_t k = 0; k < graph->node_count; k++) {
        const f0t_onnx_node *node = &graph->nodes[k];
        if (node->op || (used && !used[k]))
            continue;
        f0t_status status =
            is_standard(node->proto)
                ? f0t_fail(F0T_ERROR_UNSUPPORTED, "this operator of set %d is not supported",
                           graph->opset)
                : f0t_fail(F0T_ERROR_UNSUPPORTED, "operators of the domain '%s' are not supported",
                           node->proto->domain);
        return f0t_onnx_graph_fail_at(graph, node, status);
    }
    return F0T_OK;
}

/* ---- Inputs and outputs -------------------------------------------------------------------------
 */

static f0t_status read_end_shape(f0t_onnx_port *end)
{
    const F0tOnnx__TensorShapeProto *shape = end->proto->shape;
    end->type = end->proto->elem_type;
    if (!shape)
        return F0T_OK;
    if (shape->n_dim > F0T_ONNX_RANK)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "has %zu dimensions (at most %d are known)",
                        shape->n_dim, (int)F0T_ONNX_RANK);
    end->has_shape = true;
    end->rank = shape->n_dim;
    for (size_t d = 0; d < shape->n_dim; d++) {
        const F0tOnnx__TensorShapeProto__Dimension *dim = shape->dim[d];
        if (dim->value_case == F0T_ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
            dim->dim_value > 0)
            end->dims[d] = (size_t)dim->dim_value;
        else if (dim->value_case == F0T_ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM)
            end->names[d] = dim->dim_param;
    }
    return F0T_OK;
}

static f0t_status read_end(f0t_onnx_port *end, char **name, f0t_onnx_message bytes,
                           f0t_onnx_budget *budget)
{
    f0t_onnx_message text = f0t_onnx_message_find(bytes, F0T_ONNX_VALUE_NAME);
    f0t_onnx_message type = f0t_onnx_message_find(bytes, F0T_ONNX_VALUE_TYPE);
    f0t_onnx_message tensor = type.at ? f0t_onnx_message_find(type, F0T_ONNX_TYPE_TENSOR) : type;
    *end = (f0t_onnx_port){0};
    *name = NULL;
    if (!text.at || text.at == text.end || memchr(text.at, 0, (size_t)(text.end - text.at)))
        return f0t_fail(F0T_ERROR_FORMAT, "an input or output of the graph has no name");
    if (tensor.at)
        F0T_TRY(f0t_onnx_proto_unpack(&end->proto, &f0t_onnx__type_proto__tensor__descriptor,
                                      tensor, NULL, "the type of an input or output", budget));
    f0t_status status = f0t_string_copy(name, (const char *)text.at, (size_t)(text.end - text.at));
    if (status == F0T_OK && end->proto) {
        status = read_end_shape(end);
        if (status != F0T_OK)
            status = f0t_fail_prefix(status, "'%s' ", *name);
    }
    if (status != F0T_OK)
        f0t_onnx_proto_free(end->proto);
    return status;
}

/* Files of IR version 3 list the weights among the inputs as well. */
static f0t_status place_input(f0t_onnx_graph *graph, f0t_onnx_port *end, const char *name,
                              bool *kept)
{
    F0T_TRY(f0t_grow(&graph->inputs, &graph->input_capacity, graph->input_count, 1,
                     sizeof *graph->inputs));
    F0T_TRY(add_value(graph, name, &end->value));
    f0t_onnx_value *value = &graph->values[end->value];
    if (f0t_onnx_array_known(&value->constant))
        return F0T_OK;
    if (value->input)
        return f0t_fail(F0T_ERROR_FORMAT, "there are two inputs '%s'", name);
    value->input = true;
    graph->inputs[graph->input_count++] = *end;
    *kept = true;
    return F0T_OK;
}

static f0t_status place_output(f0t_onnx_graph *graph, f0t_onnx_port *end, const char *name,
                               bool *kept)
{
    F0T_TRY(f0t_grow(&graph->outputs, &graph->output_capacity, graph->output_count, 1,
                     sizeof *graph->outputs));
    end->value = f0t_onnx_graph_find(graph, name);
    const f0t_onnx_value *value = end->value == F0T_NONE ? NULL : &graph->values[end->value];
    if (!value ||
        (value->producer == F0T_NONE && !value->input && !f0t_onnx_array_known(&value->constant)))
        return f0t_fail(F0T_ERROR_FORMAT, "no node makes the output '%s'", name);
    graph->outputs[graph->output_count++] = *end;
    *kept = true;
    return F0T_OK;
}

static f0t_status add_end(f0t_onnx_graph *graph, f0t_onnx_message bytes, bool input)
{
    f0t_onnx_port end;
    char *name;
    bool kept = false;
    F0T_TRY(f0t_onnx_budget_take(graph->budget, 1, sizeof end));
    F0T_TRY(read_end(&end, &name, bytes, graph->budget));
    f0t_status status =
        input ? place_input(graph, &end, name, &kept) : place_output(graph, &end, name, &kept);
    if (!kept)
        f0t_onnx_proto_free(end.proto);
    f0t_free(name);
    return status;
}

/* ---- The whole ----------------------------------------------------------------------------------
 */

typedef f0t_status (*read_part)(f0t_onnx_graph *graph, f0t_onnx_message bytes);

static f0t_status add_input(f0t_onnx_graph *graph, f0t_onnx_message bytes)
{
    return add_end(graph, bytes, true);
}

static f0t_status add_output(f0t_onnx_graph *graph, f0t_onnx_message bytes)
{
    return add_end(graph, bytes, false);
}

static f0t_status refuse_sparse(f0t_onnx_graph *graph, f0t_onnx_message bytes)
{
    (void)graph;
    (void)bytes;
    return f0t_fail(F0T_ERROR_UNSUPPORTED, "it has sparse initializers");
}

enum { FIELD_STEPS = 8 };

/* Each kind of part in turn: nodes may name initializers, which stand after them in the file. */
static f0t_status read_graph(f0t_onnx_graph *graph, f0t_onnx_message bytes)
{
    static const struct {
        uint32_t number;
        read_part read;
    } parts[] = {{F0T_ONNX_GRAPH_SPARSE, refuse_sparse},
                 {F0T_ONNX_GRAPH_INITIALIZER, add_initializer},
                 {F0T_ONNX_GRAPH_INPUT, add_input},
                 {F0T_ONNX_GRAPH_NODE, read_node},
                 {F0T_ONNX_GRAPH_OUTPUT, add_output}};
    f0t_onnx_field field;
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        f0t_onnx_message rest = bytes;
        while (f0t_onnx_message_next(&field, &rest)) {
            F0T_TRY(f0t_onnx_budget_steps(graph->budget, FIELD_STEPS));
            if (field.number == parts[p].number && field.wire == 2)
                F0T_TRY(parts[p].read(graph, field.body));
        }
        if (rest.at != rest.end)
            return f0t_fail(F0T_ERROR_FORMAT, "the graph is broken at byte %zu of it",
                            (size_t)(rest.at - bytes.at));
    }
    if (!graph->output_count)
        return f0t_fail(F0T_ERROR_FORMAT, "the graph has no output");
    F0T_TRY(set_names(graph));
    return add_unnamed(graph);
}

static f0t_status read_opset(f0t_onnx_graph *graph, f0t_onnx_message bytes)
{
    F0tOnnx__OperatorSetIdProto *proto;
    F0T_TRY(f0t_onnx_proto_unpack(&proto, &f0t_onnx__operator_set_id_proto__descriptor, bytes, NULL,
                                  "the set of operators", graph->budget));
    bool ours = !proto->domain || !*proto->domain || strcmp(proto->domain, "ai.onnx") == 0;
    int64_t version = proto->version;
    f0t_onnx_proto_free(proto);
    if (!ours)
        return F0T_OK;
    if (version < 1 || version > F0T_OPSET_LAST)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "operator set %lld (known are 1 to %d)",
                        (long long)version, (int)F0T_OPSET_LAST);
    graph->opset = (int)version;
    return F0T_OK;
}

static f0t_status read_model(f0t_onnx_graph *graph)
{
    f0t_onnx_message model = {graph->map.data, graph->map.data + graph->map.size};
    f0t_onnx_message body = {NULL, NULL};
    f0t_onnx_field field;
    while (f0t_onnx_message_next(&field, &model)) {
        F0T_TRY(f0t_onnx_budget_steps(graph->budget, FIELD_STEPS));
        if (field.number == F0T_ONNX_MODEL_IR && field.wire == 0)
            graph->ir_version = field.value < 1000 ? (int)field.value : 1000;
        if (field.number == F0T_ONNX_MODEL_OPSET && field.wire == 2)
            F0T_TRY(read_opset(graph, field.body));
        if (field.number == F0T_ONNX_MODEL_GRAPH && field.wire == 2)
            body = field.body;
    }
    if (model.at != model.end)
        return f0t_fail(F0T_ERROR_FORMAT, "is cut or not an ONNX file (at byte %zu of %zu)",
                        (size_t)(model.at - graph->map.data), graph->map.size);
    if (!body.at)
        return f0t_fail(F0T_ERROR_FORMAT, "is not an ONNX file: it has no graph");
    if (!graph->opset)
        return f0t_fail(F0T_ERROR_FORMAT, "does not say which set of operators it uses");
    return read_graph(graph, body);
}

static f0t_status fill(f0t_onnx_graph *graph, const f0t_monitor *monitor)
{
    f0t_onnx_budget budget = f0t_onnx_budget_load(graph->map.size, monitor);
    graph->budget = &budget;
    f0t_status status = read_model(graph);
    graph->budget = NULL;
    return status == F0T_OK ? F0T_OK : f0t_fail_prefix(status, "%s: ", graph->path);
}

f0t_status f0t_onnx_graph_open_memory(f0t_onnx_graph **out, const void *data, size_t size,
                                      const char *name, const char *folder,
                                      const f0t_monitor *monitor)
{
    f0t_onnx_graph *graph;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&graph, 1, sizeof *graph));
    graph->map = (f0t_map){.data = data, .size = size, .stored = size};
    f0t_status status = f0t_string_copy(&graph->path, name, strlen(name));
    if (status == F0T_OK && folder)
        status = f0t_string_copy(&graph->folder, folder, strlen(folder));
    if (status == F0T_OK)
        status = fill(graph, monitor);
    if (status == F0T_OK)
        *out = graph;
    else
        f0t_onnx_graph_close(graph);
    return status;
}

static f0t_status folder_of(char **out, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return f0t_string_copy(out, ".", 1);
    return f0t_string_copy(out, path, slash == path ? 1 : (size_t)(slash - path));
}

f0t_status f0t_onnx_graph_open(f0t_onnx_graph **out, const char *path, const f0t_monitor *monitor)
{
    f0t_map map;
    char *folder;
    *out = NULL;
    F0T_TRY(f0t_map_open(&map, path));
    f0t_status status = folder_of(&folder, path);
    if (status == F0T_OK) {
        status = f0t_onnx_graph_open_memory(out, map.data, map.size, path, folder, monitor);
        f0t_free(folder);
    }
    if (status == F0T_OK)
        (*out)->map = map;
    else
        f0t_map_close(&map);
    return status;
}

f0t_status f0t_onnx_graph_check(const f0t_onnx_graph *graph)
{
    for (size_t k = 0; k < graph->file_count; k++)
        F0T_TRY(f0t_map_check(&graph->files[k].map, graph->files[k].location));
    return f0t_map_check(&graph->map, graph->path);
}

/* A file may be named in more than one way. */
static bool is_counted(const f0t_onnx_graph *graph, size_t k)
{
    const f0t_map *map = &graph->files[k].map;
    for (size_t before = 0; before < k; before++)
        if (graph->files[before].map.device == map->device &&
            graph->files[before].map.inode == map->inode)
            return true;
    return false;
}

size_t f0t_onnx_graph_file_bytes(const f0t_onnx_graph *graph)
{
    size_t bytes = graph->map.stored;
    for (size_t k = 0; k < graph->file_count; k++)
        if (!is_counted(graph, k) && !f0t_size_add(&bytes, bytes, graph->files[k].map.stored))
            return SIZE_MAX;
    return bytes;
}

f0t_status f0t_onnx_graph_external_checksum(uint32_t *sum, bool *any, const f0t_onnx_graph *graph)
{
    *sum = 0;
    for (size_t k = 0; k < graph->file_count; k++)
        if (!is_counted(graph, k))
            *sum = f0t_map_checksum(&graph->files[k].map, *sum);
    *any = graph->file_count > 0;
    return f0t_onnx_graph_check(graph);
}

static void free_ends(f0t_onnx_port *ends, size_t count)
{
    for (size_t k = 0; k < count; k++)
        f0t_onnx_proto_free(ends[k].proto);
    f0t_free(ends);
}

static void free_node(f0t_onnx_node *node)
{
    for (size_t k = 0; k < node->attribute_count; k++)
        f0t_onnx_proto_free(node->attributes[k]);
    f0t_free(node->attributes);
    f0t_free(node->inputs);
    f0t_free(node->outputs);
    f0t_onnx_proto_free(node->proto);
}

void f0t_onnx_graph_close(f0t_onnx_graph *graph)
{
    if (!graph)
        return;
    for (size_t k = 0; k < graph->node_count; k++)
        free_node(&graph->nodes[k]);
    for (size_t k = 0; k < graph->value_count; k++)
        f0t_onnx_array_clear(&graph->values[k].constant);
    for (size_t k = 0; k < graph->file_count; k++) {
        f0t_map_close(&graph->files[k].map);
        f0t_free(graph->files[k].location);
    }
    free_ends(graph->inputs, graph->input_count);
    free_ends(graph->outputs, graph->output_count);
    f0t_names_free(&graph->names);
    f0t_free(graph->name_text);
    f0t_free(graph->nodes);
    f0t_free(graph->values);
    f0t_free(graph->files);
    f0t_map_close(&graph->map);
    f0t_free(graph->path);
    f0t_free(graph->folder);
    f0t_free(graph);
}
