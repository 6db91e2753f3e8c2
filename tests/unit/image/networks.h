/* A small network for tests. */
#ifndef F0T_TESTS_NETWORKS_H
#define F0T_TESTS_NETWORKS_H

#include "onnx_text.h"
#include "support.h"

static inline void network_put_image(onnx_bytes *graph, const char *name)
{
    static const uint64_t dims[] = {0, 3, 8, 8};
    onnx_bytes end = {0}, type = {0}, tensor = {0}, shape = {0};
    for (size_t d = 0; d < 4; d++) {
        onnx_bytes dim = {0};
        if (dims[d])
            onnx_put_int(&dim, 1, dims[d]);
        else
            onnx_put_text(&dim, 2, "N");
        onnx_put_message(&shape, 1, &dim);
    }
    onnx_put_int(&tensor, 1, 1);
    onnx_put_message(&tensor, 2, &shape);
    onnx_put_message(&type, 1, &tensor);
    onnx_put_text(&end, 1, name);
    onnx_put_message(&end, 2, &type);
    onnx_put_message(graph, 11, &end);
}

static inline void network_put_node(onnx_bytes *graph, const char *op, const char *a, const char *b,
                                    const char *out)
{
    onnx_bytes node = {0};
    onnx_put_text(&node, 1, a);
    if (b)
        onnx_put_text(&node, 1, b);
    onnx_put_text(&node, 2, out);
    onnx_put_text(&node, 4, op);
    onnx_put_message(graph, 1, &node);
}

/* Flatten(x * w) of pictures of 8 x 8 pixels, with the one number w in the file "weight". */
static inline const char *network_write(void)
{
    onnx_bytes model = {0}, graph = {0}, weight = {0}, place = {0}, set = {0}, end = {0};
    network_put_node(&graph, "Mul", "x", "w", "m");
    network_put_node(&graph, "Flatten", "m", NULL, "y");
    onnx_put_int(&weight, 1, 1);
    onnx_put_int(&weight, 2, 1);
    onnx_put_text(&weight, 8, "w");
    onnx_put_text(&place, 1, "location");
    onnx_put_text(&place, 2, "weight");
    onnx_put_message(&weight, 13, &place);
    onnx_put_int(&weight, 14, 1);
    onnx_put_message(&graph, 5, &weight);
    network_put_image(&graph, "x");
    onnx_put_text(&end, 1, "y");
    onnx_put_message(&graph, 12, &end);
    onnx_put_int(&set, 2, 13);
    onnx_put_message(&model, 7, &graph);
    onnx_put_message(&model, 8, &set);
    test_text("net.json", "{\"output\": \"y\", \"crop\": {\"centre\": 8}, \"mean\": [0, 0, 0], "
                          "\"scale\": [1, 1, 1]}");
    const char *path = test_file("net.onnx", model.data, model.size);
    onnx_bytes_free(&model);
    return path;
}

#endif
