#include "support.h"

#include "onnx/graph.h"
#include "onnx_interpret.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *corpus(const char *name)
{
    char file[64];
    snprintf(file, sizeof file, "%s.onnx", name);
    return test_corpus("onnx", file);
}

/* ---- Small files by hand ------------------------------------------------------------------------
 */

typedef struct bytes {
    unsigned char data[4096];
    size_t size;
} bytes;

static void put_number(bytes *to, uint64_t value)
{
    for (; value > 127; value >>= 7)
        to->data[to->size++] = (unsigned char)(value | 128);
    to->data[to->size++] = (unsigned char)value;
}

static void put(bytes *to, unsigned field, const void *data, size_t size)
{
    put_number(to, field << 3 | 2);
    put_number(to, size);
    memcpy(to->data + to->size, data, size);
    to->size += size;
}

static void put_value(bytes *to, unsigned field, uint64_t value)
{
    put_number(to, field << 3);
    put_number(to, value);
}

static void put_text(bytes *to, unsigned field, const char *text)
{
    put(to, field, text, strlen(text));
}

static void add_node(bytes *graph, const char *op, const char *input, const char *output)
{
    bytes node = {.size = 0};
    put_text(&node, 1, input);
    put_text(&node, 2, output);
    put_text(&node, 4, op);
    put(graph, 1, node.data, node.size);
}

static void add_end(bytes *graph, unsigned field, const char *name)
{
    bytes end = {.size = 0};
    put_text(&end, 1, name);
    put(graph, field, end.data, end.size);
}

static f0t_status open_graph(f0t_onnx_graph **out, const bytes *graph, uint64_t opset)
{
    bytes model = {.size = 0}, set = {.size = 0};
    put_value(&set, 2, opset);
    put_value(&model, 1, 7);
    put(&model, 7, graph->data, graph->size);
    put(&model, 8, set.data, set.size);
    return f0t_onnx_graph_open_memory(out, model.data, model.size, "made.onnx", NULL, NULL);
}

static f0t_status read_graph(const bytes *graph, uint64_t opset)
{
    f0t_onnx_graph *made;
    f0t_status status = open_graph(&made, graph, opset);
    f0t_onnx_graph_close(made);
    return status;
}

static bytes relu_graph(void)
{
    bytes graph = {.size = 0};
    add_node(&graph, "Relu", "x", "y");
    add_end(&graph, 11, "x");
    add_end(&graph, 12, "y");
    return graph;
}

/* ---- What is read -------------------------------------------------------------------------------
 */

static void inputs_outputs_and_nodes_are_read(void **state)
{
    f0t_onnx_graph *graph;
    (void)state;
    assert_ok(f0t_onnx_graph_open(&graph, corpus("convolutions"), NULL));
    assert_int_equal(graph->opset, 13);
    assert_int_equal(graph->node_count, 8);
    assert_int_equal(graph->input_count, 1);
    assert_int_equal(graph->inputs[0].rank, 4);
    assert_int_equal(graph->inputs[0].dims[0], 0);
    assert_string_equal(graph->inputs[0].names[0], "N");
    assert_int_equal(graph->inputs[0].dims[1], 2);
    assert_string_equal(graph->values[graph->outputs[0].value].name, "logits");
    size_t w = f0t_onnx_graph_find(graph, "w1");
    assert_int_equal(graph->values[w].constant.count, 4 * 2 * 9);
    assert_true(graph->values[w].constant.raw > graph->map.data); /* read in place */
    f0t_onnx_graph_close(graph);
}

static void run_and_compare(const f0t_onnx_graph *graph, const float *x, const float *want,
                            size_t n)
{
    f0t_onnx_array in = {.type = F0T_ONNX_FLOAT}, out = {0};
    assert_ok(f0t_onnx_array_shape(&in, F0T_ONNX_FLOAT, 1, &n));
    assert_ok(f0t_onnx_array_alloc(&in));
    memcpy(in.f, x, n * sizeof *x);
    assert_ok(onnx_interpret(graph, &in, &out));
    assert_int_equal(out.count, n);
    for (size_t k = 0; k < n; k++)
        assert_true(out.f[k] == want[k]);
    f0t_onnx_array_clear(&in);
    f0t_onnx_array_clear(&out);
}

static void numbers_are_read_from_every_field(void **state)
{
    f0t_onnx_graph *graph;
    (void)state;
    assert_ok(f0t_onnx_graph_open(&graph, corpus("places"), NULL));
    run_and_compare(graph, (const float[]){1, 2}, (const float[]){5, 9}, 2);
    f0t_onnx_graph_close(graph);
}

static void weights_may_be_in_a_file_beside(void **state)
{
    f0t_onnx_graph *graph;
    char *model;
    size_t size;
    const float weights[] = {9, 3, 4};
    (void)state;
    model = test_read(corpus("external"), &size);
    const char *path = test_file("external.onnx", model, size);
    assert_fails(F0T_ERROR_NOT_FOUND, "w.bin", f0t_onnx_graph_open(&graph, path, NULL));
    test_file("w.bin", weights, sizeof weights);
    assert_ok(f0t_onnx_graph_open(&graph, path, NULL));
    run_and_compare(graph, (const float[]){1, 2}, (const float[]){3, 8}, 2);
    f0t_onnx_graph_close(graph);
    test_file("w.bin", weights, 8);
    assert_fails(F0T_ERROR_FORMAT, "after the end of 'w.bin'",
                 f0t_onnx_graph_open(&graph, path, NULL));
    f0t_free(model);
}

static void weights_beside_may_not_be_elsewhere(void **state)
{
    static const char *const places[] = {"../w", "/w.bi", "a/../", "..", "a/.."};
    char *model;
    size_t size;
    (void)state;
    model = test_read(corpus("external"), &size);
    char *at = memmem(model, size, "w.bin", 5);
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        f0t_onnx_graph *graph;
        memset(at, '/', 5);
        memcpy(at, places[k], strlen(places[k]));
        assert_fails(F0T_ERROR_FORMAT, "outside the folder",
                     f0t_onnx_graph_open_memory(&graph, model, size, "m.onnx", "/tmp", NULL));
    }
    f0t_free(model);
}

static f0t_status open_path(const char *path)
{
    f0t_onnx_graph *graph;
    f0t_status status = f0t_onnx_graph_open(&graph, path, NULL);
    f0t_onnx_graph_close(graph);
    return status;
}

/* A network may not name a file of somebody else through a link that came with it. */
static void links_to_weights_are_not_followed(void **state)
{
    char *model, path[512], place[512], elsewhere[512];
    size_t size;
    const float weights[] = {9, 3, 4};
    (void)state;
    model = test_read(corpus("external"), &size);
    memcpy(memmem(model, size, "w.bin", 5), "d/l.b", 5);
    snprintf(path, sizeof path, "%s", test_file("linked.onnx", model, size));
    snprintf(elsewhere, sizeof elsewhere, "%s",
             test_file("elsewhere.bin", weights, sizeof weights));
    snprintf(place, sizeof place, "%s", test_path("d"));
    assert_int_equal(mkdir(place, 0777), 0);
    strcat(place, "/l.b");
    assert_int_equal(symlink(elsewhere, place), 0);
    assert_fails(F0T_ERROR_FORMAT, "'l.b' is a link, which is not followed", open_path(path));
    assert_int_equal(unlink(place), 0);
    assert_int_equal(link(elsewhere, place), 0);
    assert_ok(open_path(path));
    assert_int_equal(unlink(place), 0);
    assert_int_equal(mkfifo(place, 0666), 0);
    assert_fails(F0T_ERROR_FORMAT, "is not a regular file", open_path(path));
    assert_int_equal(unlink(place), 0);
    /* The folder is a link. */
    *strrchr(place, '/') = '\0';
    assert_int_equal(rmdir(place), 0);
    assert_int_equal(symlink(".", place), 0);
    assert_fails(F0T_ERROR_FORMAT, "'d' is a link, which is not followed", open_path(path));
    assert_int_equal(unlink(place), 0);
    f0t_free(model);
}

/* What a network may cost grows with what its files really hold. */
static void holes_in_a_file_do_not_count(void **state)
{
    enum { SIZE = 1 << 28 };
    f0t_onnx_graph *graph;
    char *model, path[512], weights[512];
    size_t size;
    const float numbers[] = {9, 3, 4};
    (void)state;
    model = test_read(corpus("external"), &size);
    snprintf(path, sizeof path, "%s", test_file("holes.onnx", model, size));
    snprintf(weights, sizeof weights, "%s", test_file("w.bin", numbers, sizeof numbers));
    assert_ok(f0t_onnx_graph_open(&graph, path, NULL));
    assert_int_equal(f0t_onnx_graph_file_bytes(graph), size + sizeof numbers);
    f0t_onnx_graph_close(graph);
    assert_int_equal(truncate(weights, SIZE), 0);
    assert_ok(f0t_onnx_graph_open(&graph, path, NULL));
    assert_int_equal(graph->files[0].map.size, SIZE);
    assert_true(f0t_onnx_graph_file_bytes(graph) < (1 << 20));
    f0t_onnx_graph_close(graph);
    f0t_free(model);
}

/* ---- What is refused ------------------------------------------------------------------------------
 */

static void a_graph_by_hand_is_read(void **state)
{
    (void)state;
    bytes graph = relu_graph();
    assert_ok(read_graph(&graph, 13));
    assert_fails(F0T_ERROR_UNSUPPORTED, "operator set 99 (known are 1 to ", read_graph(&graph, 99));
}

static void a_cycle_is_refused(void **state)
{
    bytes graph = {.size = 0};
    (void)state;
    add_node(&graph, "Relu", "b", "a");
    add_node(&graph, "Relu", "a", "b");
    add_end(&graph, 12, "b");
    assert_fails(F0T_ERROR_FORMAT, "node 0 (Relu): its input 'b' is made by no node before it",
                 read_graph(&graph, 13));
}

static void two_makers_of_one_value_are_refused(void **state)
{
    (void)state;
    bytes graph = relu_graph();
    add_node(&graph, "Relu", "x", "y");
    assert_fails(F0T_ERROR_FORMAT, "its output 'y' exists already", read_graph(&graph, 13));
}

static void an_output_that_nobody_makes_is_refused(void **state)
{
    (void)state;
    bytes graph = relu_graph();
    add_end(&graph, 12, "z");
    assert_fails(F0T_ERROR_FORMAT, "no node makes the output 'z'", read_graph(&graph, 13));
}

static void graphs_that_lack_something_are_refused(void **state)
{
    bytes empty = {.size = 0}, graph = {.size = 0}, tensor = {.size = 0};
    (void)state;
    add_node(&graph, "Relu", "x", "y");
    add_end(&graph, 11, "x");
    assert_fails(F0T_ERROR_FORMAT, "made.onnx: the graph has no output", read_graph(&graph, 13));
    graph = relu_graph();
    add_node(&graph, "", "x", "z");
    assert_fails(F0T_ERROR_FORMAT, "node 1 (): it has no operator", read_graph(&graph, 13));
    graph = relu_graph();
    put(&graph, 11, empty.data, 0);
    assert_fails(F0T_ERROR_FORMAT, "an input or output of the graph has no name",
                 read_graph(&graph, 13));
    graph = relu_graph();
    put_value(&tensor, 2, 1);
    put(&tensor, 9, "0000", 4);
    put(&graph, 5, tensor.data, tensor.size);
    assert_fails(F0T_ERROR_FORMAT, "an initializer has no name", read_graph(&graph, 13));
}

static void graphs_that_say_something_twice_are_refused(void **state)
{
    bytes graph = relu_graph(), tensor = {.size = 0};
    (void)state;
    add_end(&graph, 11, "x");
    assert_fails(F0T_ERROR_FORMAT, "there are two inputs 'x'", read_graph(&graph, 13));
    graph = relu_graph();
    put_value(&tensor, 2, 1);
    put_text(&tensor, 8, "w");
    put(&tensor, 9, "0000", 4);
    put(&graph, 5, tensor.data, tensor.size);
    put(&graph, 5, tensor.data, tensor.size);
    assert_fails(F0T_ERROR_FORMAT, "there are two initializers 'w'", read_graph(&graph, 13));
}

static void graphs_of_another_kind_are_refused(void **state)
{
    bytes graph = relu_graph(), tensor = {.size = 0};
    (void)state;
    put(&graph, 15, tensor.data, 0);
    assert_fails(F0T_ERROR_UNSUPPORTED, "it has sparse initializers", read_graph(&graph, 13));
    graph = relu_graph();
    put_value(&tensor, 2, 1);
    put(&tensor, 3, tensor.data, 0);
    put_text(&tensor, 8, "w");
    put(&graph, 5, tensor.data, tensor.size);
    assert_fails(F0T_ERROR_UNSUPPORTED, "tensor 'w': it is in segments", read_graph(&graph, 13));
    graph = relu_graph();
    graph.data[graph.size++] = 0xFF;
    assert_fails(F0T_ERROR_FORMAT, "the graph is broken at byte ", read_graph(&graph, 13));
}

static f0t_status open_bytes(const void *data, size_t size)
{
    f0t_onnx_graph *graph;
    f0t_status status = f0t_onnx_graph_open_memory(&graph, data, size, "made.onnx", NULL, NULL);
    f0t_onnx_graph_close(graph);
    return status;
}

static void what_is_no_network_is_said_to_be_none(void **state)
{
    bytes model = {.size = 0}, graph = relu_graph();
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "made.onnx: is cut or not an ONNX file (at byte ",
                 open_bytes("\x3A\x7F", 2));
    put_value(&model, 1, 7);
    assert_fails(F0T_ERROR_FORMAT, "is not an ONNX file: it has no graph",
                 open_bytes(model.data, model.size));
    put(&model, 7, graph.data, graph.size);
    assert_fails(F0T_ERROR_FORMAT, "does not say which set of operators it uses",
                 open_bytes(model.data, model.size));
}

static void an_unknown_operator_is_named_when_it_is_needed(void **state)
{
    f0t_onnx_graph *graph;
    bytes made = relu_graph();
    bool used[] = {true, false};
    (void)state;
    add_node(&made, "Quibble", "x", "z");
    assert_ok(open_graph(&graph, &made, 13));
    assert_fails(F0T_ERROR_UNSUPPORTED, "node 1 (Quibble)", f0t_onnx_graph_check_ops(graph, NULL));
    assert_ok(f0t_onnx_graph_check_ops(graph, used));
    f0t_onnx_graph_close(graph);
}

static f0t_status read_tensor(const uint64_t *dims, size_t rank, uint64_t type, size_t raw)
{
    bytes graph = relu_graph(), tensor = {.size = 0};
    unsigned char zeros[64] = {0};
    for (size_t d = 0; d < rank; d++)
        put_value(&tensor, 1, dims[d]);
    put_value(&tensor, 2, type);
    put_text(&tensor, 8, "w");
    put(&tensor, 9, zeros, raw);
    put(&graph, 5, tensor.data, tensor.size);
    return read_graph(&graph, 13);
}

static void wrong_tensors_are_refused(void **state)
{
    const uint64_t two[] = {2}, huge[] = {1ULL << 40, 1ULL << 40}, below[] = {UINT64_MAX};
    const uint64_t hidden[] = {0, 1ULL << 62, 1ULL << 62}, many[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    (void)state;
    assert_ok(read_tensor(two, 1, 1, 8));
    assert_fails(F0T_ERROR_FORMAT, "tensor 'w': it has 4 bytes, its shape and type need 8",
                 read_tensor(two, 1, 1, 4));
    assert_fails(F0T_ERROR_FORMAT, "more elements than memory", read_tensor(huge, 2, 1, 8));
    assert_fails(F0T_ERROR_FORMAT, "more elements than memory", read_tensor(hidden, 3, 1, 0));
    assert_fails(F0T_ERROR_FORMAT, "dimension 0 is -1", read_tensor(below, 1, 1, 8));
    assert_fails(F0T_ERROR_UNSUPPORTED, "type 8", read_tensor(two, 1, 8, 8));
    assert_fails(F0T_ERROR_UNSUPPORTED, "9 dimensions", read_tensor(many, 9, 1, 4));
}

/* protobuf-c follows nested messages on the stack: they must never reach it. */
static void deep_nesting_does_no_harm(void **state)
{
    enum { DEPTH = 200000 };
    unsigned char *data;
    size_t end = (size_t)DEPTH * 16, at = end;
    f0t_onnx_graph *graph;
    (void)state;
    assert_ok(f0t_alloc(&data, end, 1));
    for (size_t k = 0; k < DEPTH && at > 24; k++) { /* graph of attribute of node of graph of … */
        static const unsigned char fields[] = {6 << 3 | 2, 5 << 3 | 2, 1 << 3 | 2};
        size_t size = end - at;
        bytes head = {.size = 0};
        put_number(&head, k == 0 ? 7 << 3 | 2 : fields[k % 3]);
        put_number(&head, size);
        at -= head.size;
        memcpy(data + at, head.data, head.size);
    }
    bytes head = {.size = 0};
    put_number(&head, 7 << 3 | 2);
    put_number(&head, end - at);
    at -= head.size;
    memcpy(data + at, head.data, head.size);
    assert_int_not_equal(
        f0t_onnx_graph_open_memory(&graph, data + at, end - at, "deep.onnx", NULL, NULL), F0T_OK);
    f0t_free(data);
}

/* ---- Faults ------------------------------------------------------------------------------
 */

static f0t_status open_again(void *context)
{
    f0t_onnx_graph *graph;
    F0T_TRY(f0t_onnx_graph_open(&graph, context, NULL));
    f0t_onnx_graph_close(graph);
    return F0T_OK;
}

static void every_allocation_may_fail(void **state)
{
    char path[256];
    (void)state;
    snprintf(path, sizeof path, "%s", corpus("places"));
    test_each_fault(F0T_FAULT_ALLOC, open_again, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_outputs_and_nodes_are_read),
        cmocka_unit_test(numbers_are_read_from_every_field),
        cmocka_unit_test(weights_may_be_in_a_file_beside),
        cmocka_unit_test(weights_beside_may_not_be_elsewhere),
        cmocka_unit_test(links_to_weights_are_not_followed),
        cmocka_unit_test(holes_in_a_file_do_not_count),
        cmocka_unit_test(a_graph_by_hand_is_read),
        cmocka_unit_test(a_cycle_is_refused),
        cmocka_unit_test(two_makers_of_one_value_are_refused),
        cmocka_unit_test(an_output_that_nobody_makes_is_refused),
        cmocka_unit_test(graphs_that_lack_something_are_refused),
        cmocka_unit_test(graphs_that_say_something_twice_are_refused),
        cmocka_unit_test(graphs_of_another_kind_are_refused),
        cmocka_unit_test(what_is_no_network_is_said_to_be_none),
        cmocka_unit_test(an_unknown_operator_is_named_when_it_is_needed),
        cmocka_unit_test(wrong_tensors_are_refused),
        cmocka_unit_test(deep_nesting_does_no_harm),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
