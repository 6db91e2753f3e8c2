/* The classes of a network, from its file and the file of their names. */
#include "base/alloc.h"
#include "base/context.h"
#include "base/monitor.h"
#include "image/request.h"
#include "io/json.h"
#include "io/text.h"
#include "onnx/head.h"
#include "onnx/picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Names ----------------------------------------------------------------------------------------- */

enum { LABELS_BYTES = 1 << 24 };

static f0t_status read_lines(f0t_texts *labels, f0t_stream *stream)
{
    const char *line;
    size_t length;
    for (;;) {
        F0T_TRY(f0t_text_line_trimmed(&line, &length, stream));
        if (!line)
            return F0T_OK;
        F0T_TRY(f0t_texts_add(labels, line, length));
    }
}

/* One label per line. */
static f0t_status read_map(f0t_texts *labels, const f0t_map *map, const char *name)
{
    f0t_stream *stream;
    if (map->size > LABELS_BYTES)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: %zu bytes are no list of classes", name, map->size);
    F0T_TRY(f0t_stream_open_memory(&stream, map->data, map->size, name));
    f0t_stream_watch(stream, f0t_context_monitor(NULL));
    f0t_status status = read_lines(labels, stream);
    f0t_stream_close(stream);
    return status;
}

/* The folder of a path. */
static f0t_status folder_of(char **out, const char *path)
{
    const char *slash = strrchr(path, '/');
    return f0t_string_copy(out, slash ? path : ".", slash ? (size_t)(slash - path) + 1 : 1);
}

static f0t_status no_labels(const char *path)
{
    return f0t_fail(F0T_ERROR_NOT_FOUND,
                    "%s: its classes have no names: put labels.txt beside it, one line per class",
                    path);
}

/* A file that FILE.json names, or that merely lies there, is not let out of the folder. */
static f0t_status open_beside(f0t_map *map, char **name, const f0t_network_request *r)
{
    char *folder;
    const char *labels = r->labels ? r->labels : "labels.txt";
    F0T_TRY(folder_of(&folder, r->path));
    bool there = true;
    f0t_status status = f0t_path_join(name, folder, labels);
    if (status == F0T_OK && !r->labels)
        status = f0t_path_look(&there, *name);
    if (status == F0T_OK && !there)
        status = no_labels(r->path);
    if (status == F0T_OK)
        status = f0t_map_open_below(map, folder, labels);
    f0t_free(folder);
    return status;
}

/* *name is the file that they came from, to be freed. */
static f0t_status read_labels(f0t_texts *labels, char **name, const f0t_network_request *r,
                              const char *given)
{
    f0t_map map;
    if (given) {
        F0T_TRY(f0t_string_copy(name, given, strlen(given)));
        F0T_TRY(f0t_map_open(&map, given));
    } else {
        F0T_TRY(open_beside(&map, name, r));
    }
    return f0t_map_finish(&map, *name, read_map(labels, &map, *name));
}

/* ---- The layer ------------------------------------------------------------------------------------- */

/* A network that is being looked at. */
typedef struct look {
    const f0t_onnx_graph *graph;
    const f0t_texts *labels;
    const char *labels_name;
    size_t features, classes; /* values */
} look;

static const char *name_of(const look *l, size_t value)
{
    return l->graph->values[value].name;
}

static f0t_status find_classes(look *l, const f0t_onnx_array *inputs, const char *name)
{
    const size_t count = l->labels->count;
    if (name)
        return f0t_onnx_graph_output(&l->classes, l->graph, name);
    F0T_TRY(f0t_onnx_head_find(&l->classes, l->graph, inputs, l->features, count,
                               f0t_context_monitor(NULL)));
    if (l->classes == F0T_NONE)
        return f0t_fail(F0T_ERROR_NOT_FOUND,
                        "%s: none of its outputs has %zu numbers, one for each line of %s",
                        l->graph->path, count, l->labels_name);
    return F0T_OK;
}

static f0t_status read_head(f0t_onnx_head *head, look *l, const f0t_onnx_array *inputs,
                            const f0t_network_request *r)
{
    F0T_TRY(find_classes(l, inputs, r->classes));
    F0T_TRY(f0t_onnx_head_read(head, l->graph, inputs, l->features, l->classes,
                               f0t_context_monitor(NULL)));
    if (head->classes == l->labels->count)
        return F0T_OK;
    f0t_fail(F0T_ERROR_MISMATCH, "%s: '%s' has %zu numbers, and %s has %zu lines", l->graph->path,
             name_of(l, l->classes), head->classes, l->labels_name, l->labels->count);
    f0t_onnx_head_clear(head);
    return F0T_ERROR_MISMATCH;
}

static f0t_status create(f0t_classes **out, const f0t_onnx_head *head, const look *l)
{
    const char **labels;
    F0T_TRY(f0t_alloc(&labels, head->classes, sizeof *labels));
    for (size_t c = 0; c < head->classes; c++)
        labels[c] = f0t_texts_get(l->labels, c);
    f0t_status status =
        f0t_classes_create(out, labels, head->weights, head->bias, head->classes, head->dim);
    f0t_free(labels);
    if (status != F0T_OK)
        return f0t_fail_prefix(
            status, "%s: ", status == F0T_ERROR_FORMAT ? l->labels_name : l->graph->path);
    f0t_log(f0t_context_monitor(NULL), F0T_LOG_INFO, "%s: %zu classes, '%s' from '%s', named by %s",
            l->graph->path, head->classes, name_of(l, l->classes), name_of(l, l->features),
            l->labels_name);
    return F0T_OK;
}

/* Other weights beside the same file make other features. */
static f0t_status check_external(const f0t_onnx_graph *graph, const char *want)
{
    uint32_t sum;
    bool any;
    char text[9];
    F0T_TRY(f0t_onnx_graph_external_checksum(&sum, &any, graph));
    snprintf(text, sizeof text, "%08" PRIx32, sum);
    if (!want || !strcmp(text, want))
        return F0T_OK;
    return f0t_fail(F0T_ERROR_MISMATCH,
                    "%s: its weights in other files are not those that they were: their checksum "
                    "is %s, not %s",
                    graph->path, text, want);
}

static f0t_status look_at(f0t_classes **out, look *l, const f0t_network_request *r)
{
    f0t_onnx_picture picture;
    f0t_onnx_array *inputs;
    f0t_onnx_head head;
    F0T_TRY(check_external(l->graph, r->external));
    F0T_TRY(f0t_onnx_graph_output(&l->features, l->graph, r->output));
    F0T_TRY(f0t_onnx_picture_find(&picture, l->graph, l->features, r->preprocess.height,
                                  r->preprocess.width));
    if (picture.batch > 1)
        return f0t_fail(
            F0T_ERROR_UNSUPPORTED,
            "%s: takes %zu pictures at a time; classes are read from networks that take "
            "any number, or one",
            l->graph->path, picture.batch);
    F0T_TRY(f0t_onnx_picture_inputs(&inputs, &picture, l->graph, 1));
    f0t_status status = read_head(&head, l, inputs, r);
    f0t_free(inputs);
    F0T_TRY(status);
    status = create(out, &head, l);
    f0t_onnx_head_clear(&head);
    return status;
}

static f0t_status look_into(f0t_classes **out, const f0t_network_request *r,
                            const f0t_texts *labels, const char *labels_name)
{
    f0t_onnx_graph *graph;
    F0T_TRY(f0t_onnx_graph_open(&graph, r->path, f0t_context_monitor(NULL)));
    look l = {.graph = graph, .labels = labels, .labels_name = labels_name};
    f0t_status status = look_at(out, &l, r);
    f0t_onnx_graph_close(graph);
    return status;
}

/* ---- Opening --------------------------------------------------------------------------------------- */

static f0t_status open_requested(f0t_classes **out, f0t_network_request *r,
                                 const f0t_classes_options *o)
{
    f0t_texts labels = {0};
    char *name = NULL;
    F0T_TRY(f0t_request_read_beside(r, f0t_context_monitor(NULL)));
    r->classes = o->classes ? o->classes : r->classes;
    f0t_status status = read_labels(&labels, &name, r, o->labels);
    if (status == F0T_OK)
        status = look_into(out, r, &labels, name);
    f0t_texts_free(&labels);
    f0t_free(name);
    return status;
}

static f0t_status open_described(f0t_classes **out, const char *description,
                                 const f0t_classes_options *o)
{
    json_t *json;
    f0t_network_request r = {.output = o->output};
    F0T_TRY(f0t_json_parse(&json, description, strlen(description), "the backbone's description"));
    f0t_status status = f0t_request_describe(&r, json);
    if (status == F0T_OK && !r.path)
        status = f0t_fail(F0T_ERROR_NOT_FOUND, "the built-in descriptor knows no classes");
    if (status == F0T_OK)
        status = open_requested(out, &r, o);
    f0t_request_clear(&r);
    json_decref(json);
    return status;
}

f0t_status f0t_classes_open(f0t_classes **out, const char *network,
                            const f0t_classes_options *options, const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(network);
    F0T_READ_OPTIONS(f0t_classes_options, F0T_CLASSES_OPTIONS, options);
    if (network[0] == '{')
        return open_described(out, network, options);
    f0t_network_request r = {.path = network, .output = options->output};
    f0t_status status = open_requested(out, &r, options);
    f0t_request_clear(&r);
    return status;
}

/* ---- Those of a dataset's features ------------------------------------------------------------------- */

/* The built-in descriptor is no file, and knows no classes. */
static bool is_network(const char *backbone)
{
    json_t *json = backbone ? json_loads(backbone, 0, NULL) : NULL;
    const bool network = json_is_string(json_object_get(json, "file"));
    json_decref(json);
    return network;
}

f0t_status f0t_classes_open_for(f0t_classes **out, const char *network, const f0t_dataset *dataset,
                                const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(dataset);
    const f0t_monitor *monitor = f0t_context_monitor(context);
    const char *own = f0t_dataset_backbone(dataset);
    if (network)
        return f0t_classes_open(out, network, NULL, NULL);
    if (!is_network(own))
        return F0T_OK;
    f0t_status status = f0t_classes_open(out, own, NULL, NULL);
    if (status == F0T_ERROR_MEMORY || status == F0T_ERROR_INTERRUPTED)
        return status;
    if (status != F0T_OK) {
        f0t_log(monitor, F0T_LOG_INFO, "the backbone's classes are not used: %s", f0t_last_error());
    } else if (f0t_classes_dim(*out) != f0t_dataset_dim(dataset)) {
        f0t_log(monitor, F0T_LOG_INFO,
                "the backbone's classes are not used: they go by %zu features, not %zu",
                f0t_classes_dim(*out), f0t_dataset_dim(dataset));
        f0t_classes_close(*out);
        *out = NULL;
    }
    return F0T_OK;
}
