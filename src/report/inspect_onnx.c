/* ONNX models, looked at from outside: onnx/onnx.proto has the numbers of the fields. */
#include "report/inspect.h"

#include "base/alloc.h"

#include "onnx/graph.h"
#include "onnx/summary.h"

#include <stdio.h>
#include <string.h>

enum { /* of ModelProto */
       IR_VERSION = 1,
       PRODUCER_NAME = 2,
       PRODUCER_VERSION = 3,
       DOMAIN = 4,
       MODEL_VERSION = 5,
       DOC_STRING = 6,
       GRAPH = 7,
       OPSET_IMPORT = 8,
       METADATA_PROPS = 14,
       TRAINING_INFO = 20,
       FUNCTIONS = 25
};
enum { NODE = 1, GRAPH_NAME = 2, INITIALIZER = 5, INPUT = 11, OUTPUT = 12 }; /* of GraphProto */

/* Fields that have bytes; the other ones are numbers. */
static bool is_model_field(const f0t_onnx_field *f)
{
    static const uint32_t bytes[] = {PRODUCER_NAME, PRODUCER_VERSION, DOMAIN,         DOC_STRING,
                                     GRAPH,         OPSET_IMPORT,     METADATA_PROPS, TRAINING_INFO,
                                     FUNCTIONS};
    if (f->number == IR_VERSION || f->number == MODEL_VERSION)
        return f->wire == 0;
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        if (f->number == bytes[i])
            return f->wire == 2;
    return false;
}

/* There is no magic: the whole file is fields of a ModelProto, with a version, a set of operators
 * and one graph. */
static bool is_model(const f0t_inspector *in)
{
    f0t_onnx_message model = {in->map.data, in->map.data + in->map.size};
    f0t_onnx_field f;
    size_t versions = 0, graphs = 0, opsets = 0;
    while (f0t_onnx_message_next(&f, &model)) {
        if (!is_model_field(&f))
            return false;
        versions += f.number == IR_VERSION;
        graphs += f.number == GRAPH;
        opsets += f.number == OPSET_IMPORT;
    }
    return model.at == model.end && versions == 1 && graphs == 1 && opsets > 0;
}

static f0t_status matches(bool *yes, const f0t_inspector *in)
{
    *yes = is_model(in);
    return F0T_OK;
}

/* The first field of bytes with this number; empty when there is none. */
static f0t_onnx_message find(f0t_onnx_message m, uint32_t number)
{
    f0t_onnx_field f;
    while (f0t_onnx_message_next(&f, &m))
        if (f.number == number && f.wire == 2)
            return f.body;
    return (f0t_onnx_message){m.end, m.end};
}

static uint64_t find_value(f0t_onnx_message m, uint32_t number)
{
    f0t_onnx_field f;
    while (f0t_onnx_message_next(&f, &m))
        if (f.number == number && f.wire == 0)
            return f.value;
    return 0;
}

static int text_length(f0t_onnx_message m)
{
    return m.end - m.at < 200 ? (int)(m.end - m.at) : 200;
}

/* TypeProto.tensor_type.shape: "1 x 3 x 224 x 224", names for what is not fixed. */
static void describe_shape(char *out, size_t size, f0t_onnx_message value_info)
{
    f0t_onnx_message shape = find(find(find(value_info, 2), 1), 2);
    f0t_onnx_field f;
    size_t used = 0;
    out[0] = '\0';
    while (f0t_onnx_message_next(&f, &shape) && used < size) {
        f0t_onnx_message name = find(f.body, 2);
        const char *between = used ? " x " : "";
        if (f.number != 1 || f.wire != 2)
            continue;
        if (name.at < name.end)
            used += (size_t)snprintf(out + used, size - used, "%s%.*s", between, text_length(name),
                                     (const char *)name.at);
        else
            used += (size_t)snprintf(out + used, size - used, "%s%llu", between,
                                     (unsigned long long)find_value(f.body, 1));
    }
}

/* What a graph takes or gives. Weights that are listed among the inputs are the graph's own. */
static f0t_status add_ends(f0t_inspector *in, f0t_onnx_message graph, uint32_t number,
                           const char *name)
{
    f0t_onnx_field f;
    char shape[300];
    while (f0t_onnx_message_next(&f, &graph)) {
        if (f.number != number || f.wire != 2)
            continue;
        f0t_onnx_message end = find(f.body, 1);
        describe_shape(shape, sizeof shape, f.body);
        F0T_TRY(f0t_inspector_fact(in, name, "%.*s%s%s", text_length(end), (const char *)end.at,
                                   shape[0] ? ": " : "", shape));
    }
    return F0T_OK;
}

static uint64_t count_fields(f0t_onnx_message m, uint32_t number)
{
    uint64_t count = 0;
    f0t_onnx_field f;
    while (f0t_onnx_message_next(&f, &m))
        count += f.number == number;
    return count;
}

static f0t_status add_opsets(f0t_inspector *in, f0t_onnx_message model)
{
    f0t_onnx_field f;
    while (f0t_onnx_message_next(&f, &model)) {
        if (f.number != OPSET_IMPORT)
            continue;
        f0t_onnx_message domain = find(f.body, 1);
        F0T_TRY(f0t_inspector_fact(
            in, "opset", "%llu%s%.*s", (unsigned long long)find_value(f.body, 2),
            domain.at < domain.end ? " of " : "", text_length(domain), (const char *)domain.at));
    }
    return F0T_OK;
}

/* ---- What the reader of networks makes of it ------------------------------------------------------
 */

static f0t_status add_operators(f0t_inspector *in, const f0t_onnx_summary *s)
{
    for (size_t k = 0; k < s->operators.view.count; k++) {
        size_t length;
        const char *name = f0t_words_at(&length, &s->operators.view, k);
        F0T_TRY(f0t_inspector_fact(in, s->supported[k] ? "operator" : "not supported", "%zu %.*s",
                                   s->counts[k], (int)length, name));
    }
    return F0T_OK;
}

static f0t_status add_numbers(f0t_inspector *in, const f0t_onnx_graph *graph,
                              const f0t_onnx_summary *s)
{
    F0T_TRY(f0t_inspector_count(in, "parameters", s->parameters));
    F0T_TRY(add_operators(in, s));
    if (!s->runs)
        return f0t_inspector_fact(in, "cannot run", "%s", s->reason);
    F0T_TRY(f0t_inspector_fact(in, "arithmetic", "%.3f GFLOP for an input of %s",
                               s->arithmetic / 1e9, s->picture ? s->picture : "nothing"));
    return f0t_inspector_fact(in, "features", "%s: %zu numbers", graph->values[s->features].name,
                              s->dim);
}

/* ---- Its classes ---------------------------------------------------------------------------------- */

/* "background; tench, Tinca tinca; …" */
static void list_labels(char *out, size_t size, const f0t_classes *classes)
{
    enum { SHOWN = 3, LONGEST = 100 };
    size_t used = 0;
    for (size_t c = 0; c < SHOWN && c < f0t_classes_count(classes); c++) {
        const char *label = f0t_classes_label(classes, c);
        used += (size_t)snprintf(out + used, size - used, "%s; ",
                                 strlen(label) > LONGEST ? "…" : label);
    }
    snprintf(out + used - 2, size - used + 2, "%s",
             f0t_classes_count(classes) > SHOWN ? "; …" : "");
}

/* A failure that is none of the file's. */
static bool is_of_system(f0t_status status)
{
    return status == F0T_ERROR_MEMORY || status == F0T_ERROR_INTERRUPTED || status == F0T_ERROR_IO;
}

/* Those of a file, with the names that lie beside it; else why there are none. */
static f0t_status add_classes(f0t_inspector *in)
{
    const f0t_monitor quiet = {.stop = in->monitor ? in->monitor->stop : NULL};
    char labels[512];
    f0t_classes *classes;
    if (!f0t_path_is_file(in->result.path))
        return F0T_OK;
    f0t_status status = f0t_classes_open(&classes, in->result.path, NULL, F0T_WATCHED(&quiet));
    if (is_of_system(status))
        return status;
    if (status != F0T_OK)
        return f0t_inspector_fact(in, "classes", "none: %s", f0t_last_error());
    list_labels(labels, sizeof labels, classes);
    status = f0t_inspector_fact(in, "classes", "%zu, by one layer from the features: %s",
                                f0t_classes_count(classes), labels);
    f0t_classes_close(classes);
    return status;
}

static f0t_status folder_of(char **out, const char *path)
{
    const char *slash = strrchr(path, '/');
    return f0t_string_copy(out, slash ? path : ".", slash ? (size_t)(slash - path) + 1 : 1);
}

/* What the library cannot run says why; what the system cannot do is a failure, and being stopped. */
static f0t_status add_summary(f0t_inspector *in)
{
    f0t_onnx_graph *graph;
    f0t_onnx_summary summary;
    char *folder;
    F0T_TRY(folder_of(&folder, in->result.path));
    f0t_status status = f0t_onnx_graph_open_memory(&graph, in->map.data, in->map.size,
                                                   in->result.path, folder, in->monitor);
    f0t_free(folder);
    if (status != F0T_OK)
        return is_of_system(status) ? status
                                    : f0t_inspector_fact(in, "cannot run", "%s", f0t_last_error());
    status = f0t_onnx_summary_create(&summary, graph, in->monitor);
    if (status == F0T_OK) {
        status = add_numbers(in, graph, &summary);
        if (status == F0T_OK && summary.runs)
            status = add_classes(in);
        f0t_onnx_summary_clear(&summary);
    }
    f0t_onnx_graph_close(graph);
    return status;
}

static f0t_status describe(f0t_inspector *in)
{
    f0t_onnx_message model = {in->map.data, in->map.data + in->map.size};
    f0t_onnx_message graph = find(model, GRAPH), producer = find(model, PRODUCER_NAME),
                     version = find(model, PRODUCER_VERSION), name = find(graph, GRAPH_NAME);
    uint64_t nodes = count_fields(graph, NODE);
    F0T_TRY(f0t_inspector_kind(in, "onnx", "ONNX model, %llu nodes", (unsigned long long)nodes));
    F0T_TRY(f0t_inspector_count(in, "IR version", find_value(model, IR_VERSION)));
    F0T_TRY(add_opsets(in, model));
    if (producer.at < producer.end)
        F0T_TRY(f0t_inspector_fact(in, "producer", "%.*s %.*s", text_length(producer),
                                   (const char *)producer.at, text_length(version),
                                   (const char *)version.at));
    F0T_TRY(f0t_inspector_fact(in, "graph", "%.*s", text_length(name), (const char *)name.at));
    F0T_TRY(f0t_inspector_count(in, "nodes", nodes));
    F0T_TRY(f0t_inspector_count(in, "initializers", count_fields(graph, INITIALIZER)));
    F0T_TRY(add_ends(in, graph, INPUT, "input"));
    F0T_TRY(add_ends(in, graph, OUTPUT, "output"));
    return in->quick ? F0T_OK : add_summary(in);
}

const f0t_inspect_kind f0t_inspect_onnx = {matches, describe};
