/* Networks that were made to do harm. Each is small; each once wrote or read outside its memory, or
 * took memory or time without bound. */
#include "support.h"

#include "onnx/schedule.h"
#include "onnx/summary.h"
#include "onnx_interpret.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Making networks ----------------------------------------------------------------------------
 */

typedef struct bytes {
    unsigned char data[1 << 16];
    size_t size;
} bytes;

static void put_number(bytes *to, uint64_t value)
{
    assert_true(to->size + 16 < sizeof to->data);
    for (; value > 127; value >>= 7)
        to->data[to->size++] = (unsigned char)(value | 128);
    to->data[to->size++] = (unsigned char)value;
}

static void put(bytes *to, unsigned field, const void *data, size_t size)
{
    put_number(to, field << 3 | 2);
    put_number(to, size);
    assert_true(to->size + size < sizeof to->data);
    memcpy(to->data + to->size, data, size);
    to->size += size;
}

static void put_value(bytes *to, unsigned field, int64_t value)
{
    put_number(to, field << 3);
    put_number(to, (uint64_t)value);
}

/* One string for each word of `text`; "-" is an empty one. */
static void put_words(bytes *to, unsigned field, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, " ");
        bool empty = length == 1 && *text == '-';
        put(to, field, text, empty ? 0 : length);
        text += length + (text[length] == ' ');
    }
}

typedef struct attribute {
    const char *name;
    size_t count; /* 0: one integer, ints[0] */
    int64_t ints[8];
    const char *text;
} attribute;

static void add_node(bytes *graph, const char *op, const char *inputs, const char *outputs,
                     const attribute *attributes)
{
    static bytes node;
    node.size = 0;
    put_words(&node, 1, inputs);
    put_words(&node, 2, outputs);
    put(&node, 4, op, strlen(op));
    for (; attributes && attributes->name; attributes++) {
        static bytes a;
        a.size = 0;
        put(&a, 1, attributes->name, strlen(attributes->name));
        for (size_t k = 0; k < attributes->count; k++)
            put_value(&a, 8, attributes->ints[k]);
        if (attributes->text)
            put(&a, 4, attributes->text, strlen(attributes->text));
        else if (!attributes->count)
            put_value(&a, 3, attributes->ints[0]);
        put_value(&a, 20, attributes->text ? 3 : attributes->count ? 7 : 2);
        put(&node, 5, a.data, a.size);
    }
    put(graph, 1, node.data, node.size);
}

/* A list of integers, or (floats) the numbers themselves. */
static void add_list(bytes *graph, const char *name, size_t count, const int64_t *values)
{
    static bytes tensor;
    tensor.size = 0;
    put_value(&tensor, 1, (int64_t)count);
    put_value(&tensor, 2, F0T_ONNX_INT64);
    put(&tensor, 8, name, strlen(name));
    put(&tensor, 9, values, count * sizeof *values);
    put(graph, 5, tensor.data, tensor.size);
}

static void add_floats(bytes *graph, const char *name, size_t rank, const int64_t *dims,
                       const float *values)
{
    static bytes tensor;
    size_t count = 1;
    tensor.size = 0;
    for (size_t d = 0; d < rank; d++) {
        put_value(&tensor, 1, dims[d]);
        count *= (size_t)dims[d];
    }
    put_value(&tensor, 2, F0T_ONNX_FLOAT);
    put(&tensor, 8, name, strlen(name));
    put(&tensor, 9, values, count * sizeof *values);
    put(graph, 5, tensor.data, tensor.size);
}

/* Field 11: an input, 12: an output. */
static void add_end(bytes *graph, unsigned field, const char *name, size_t rank,
                    const int64_t *dims)
{
    static bytes end, shape, tensor, type;
    end.size = shape.size = tensor.size = type.size = 0;
    for (size_t d = 0; d < rank; d++) {
        bytes *dim = &type;
        dim->size = 0;
        put_value(dim, 1, dims[d]);
        put(&shape, 1, dim->data, dim->size);
    }
    type.size = 0;
    put_value(&tensor, 1, F0T_ONNX_FLOAT);
    put(&tensor, 2, shape.data, shape.size);
    put(&type, 1, tensor.data, tensor.size);
    put(&end, 1, name, strlen(name));
    if (rank)
        put(&end, 2, type.data, type.size);
    put(graph, field, end.data, end.size);
}

static bytes *start(size_t rank, const int64_t *dims)
{
    static bytes graph;
    graph.size = 0;
    add_end(&graph, 11, "x", rank, dims);
    return &graph;
}

static f0t_onnx_graph *finish(bytes *graph, int opset)
{
    static bytes model;
    f0t_onnx_graph *made;
    bytes set = {.size = 0};
    model.size = 0;
    put_value(&set, 2, opset);
    put_value(&model, 1, 8);
    put(&model, 7, graph->data, graph->size);
    put(&model, 8, set.data, set.size);
    assert_ok(f0t_onnx_graph_open_memory(&made, model.data, model.size, "made.onnx", NULL, NULL));
    return made;
}

/* ---- Running them -------------------------------------------------------------------------------
 */

enum { MOST = 1 << 12 };

static f0t_status schedule_and_run(const f0t_onnx_graph *graph, float *out, size_t *count)
{
    f0t_onnx_array in = {0};
    f0t_onnx_weights *weights;
    f0t_onnx_schedule *schedule;
    const f0t_onnx_port *end = &graph->inputs[0];
    F0T_TRY(f0t_onnx_array_shape(&in, F0T_ONNX_FLOAT, end->rank, end->dims));
    assert_ok(f0t_onnx_weights_create(&weights));
    f0t_onnx_schedule_options options = {
        .inputs = &in, .outputs = &graph->outputs[0].value, .output_count = 1};
    f0t_status status = f0t_onnx_schedule_create(&schedule, graph, weights, &options);
    if (status == F0T_OK) {
        float pixels[MOST];
        const float *inputs[] = {pixels};
        void *outputs[] = {out};
        assert_true(in.count <= MOST && f0t_onnx_schedule_output(schedule, 0)->count <= MOST);
        *count = f0t_onnx_schedule_output(schedule, 0)->count;
        for (size_t k = 0; k < MOST; k++)
            pixels[k] = (float)k;
        status = f0t_onnx_schedule_run(outputs, schedule, inputs, NULL);
        f0t_onnx_schedule_free(schedule);
    }
    f0t_onnx_weights_free(weights);
    return status;
}

/* By the fast path, and by the plain operators. */
static f0t_status run_both(bytes *made, int opset, float *out, size_t *count)
{
    f0t_onnx_graph *graph = finish(made, opset);
    const f0t_onnx_port *end = &graph->inputs[0];
    f0t_onnx_array in = {0}, got = {0};
    f0t_status status = schedule_and_run(graph, out, count);
    if (status == F0T_OK) {
        assert_ok(f0t_onnx_array_shape(&in, F0T_ONNX_FLOAT, end->rank, end->dims));
        assert_ok(f0t_onnx_array_alloc(&in));
        for (size_t k = 0; k < in.count; k++)
            in.f[k] = (float)k;
        assert_ok(onnx_interpret(graph, &in, &got));
        assert_int_equal(got.count, *count);
        for (size_t k = 0; k < got.count; k++)
            assert_true(fabsf(got.f[k] - out[k]) <= 1e-4F * fabsf(got.f[k]) + 1e-5F);
    }
    f0t_onnx_array_clear(&in);
    f0t_onnx_array_clear(&got);
    f0t_onnx_graph_close(graph);
    return status;
}

static f0t_status run_it(bytes *made, int opset)
{
    float out[MOST];
    size_t count;
    return run_both(made, opset, out, &count);
}

/* ---- Outputs without a name ---------------------------------------------------------------------
 */

static void an_unnamed_output_has_its_own_size(void **state)
{
    static const int64_t dims[] = {1000, 2}, sizes[] = {1, 999}, scale_dims[] = {2};
    static const float scale[] = {1, 1};
    float out[MOST];
    size_t count;
    (void)state;
    /* Split: the first part is small, the unnamed second is not. */
    bytes *graph = start(2, dims);
    add_list(graph, "sizes", 2, sizes);
    add_node(graph, "Split", "x sizes", "y -", (attribute[]){{"axis", 0, {0}, NULL}, {0}});
    add_end(graph, 12, "y", 0, NULL);
    assert_ok(run_both(graph, 13, out, &count));
    assert_int_equal(count, 2);
    assert_true(out[0] == 0 && out[1] == 1);
    /* The first has no name: there was none whose size could be taken. */
    graph = start(2, dims);
    add_list(graph, "sizes", 2, sizes);
    add_node(graph, "Split", "x sizes", "- y", (attribute[]){{"axis", 0, {0}, NULL}, {0}});
    add_end(graph, 12, "y", 0, NULL);
    assert_ok(run_both(graph, 13, out, &count));
    assert_int_equal(count, 1998);
    assert_true(out[0] == 2);
    /* LayerNormalization without Mean, which is legal. */
    graph = start(2, dims);
    add_floats(graph, "scale", 1, scale_dims, scale);
    add_node(graph, "LayerNormalization", "x scale", "y - deviation", NULL);
    add_end(graph, 12, "deviation", 0, NULL);
    assert_ok(run_both(graph, 17, out, &count));
    assert_int_equal(count, 1000);
}

static void other_outputs_may_be_unnamed(void **state)
{
    static const int64_t dims[] = {1, 1, 8, 8}, kernel[] = {2, 2};
    static const struct {
        const char *op, *outputs;
        int opset;
    } cases[] = {{"MaxPool", "y -", 12}, {"Dropout", "y -", 13}, {"Dropout", "y -", 7}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bytes *graph = start(4, dims);
        attribute pool[] = {{"kernel_shape", 2, {kernel[0], kernel[1]}, NULL}, {0}};
        add_node(graph, cases[k].op, "x", cases[k].outputs, pool);
        add_end(graph, 12, "y", 0, NULL);
        assert_ok(run_it(graph, cases[k].opset));
    }
    bytes *graph = start(4, dims);
    add_node(graph, "MaxPool", "x", "- at", (attribute[]){{"kernel_shape", 2, {2, 2}, NULL}, {0}});
    add_node(graph, "Cast", "at", "y", (attribute[]){{"to", 0, {1}, NULL}, {0}});
    add_end(graph, 12, "y", 0, NULL);
    assert_ok(run_it(graph, 12));
}

/* ---- Memory that is not there -------------------------------------------------------------------
 */

/* x spread to `length`, and seventeen arrays of that size at a time. */
static f0t_status schedule_wide(int64_t length)
{
    enum { COPIES = 17 };
    static const int64_t dims[] = {1};
    char sum[COPIES * 4] = "";
    float out[1];
    size_t count;
    bytes *graph = start(1, dims);
    add_list(graph, "shape", 1, &length);
    add_node(graph, "Expand", "x shape", "wide", NULL);
    for (int k = 0; k < COPIES; k++) {
        char name[8];
        snprintf(name, sizeof name, "%sv%d", k ? " " : "", k);
        add_node(graph, "Neg", "wide", name + (k > 0), NULL);
        strcat(sum, name);
    }
    add_node(graph, "Max", sum, "most", NULL);
    add_node(graph, "ReduceMax", "most", "y", NULL);
    add_end(graph, 12, "y", 0, NULL);
    f0t_onnx_graph *made = finish(graph, 13);
    f0t_status status = schedule_and_run(made, out, &count);
    f0t_onnx_graph_close(made);
    return status;
}

/* At 2^58 the sum of the sizes is 0 again. */
static void arrays_that_no_file_explains_are_refused(void **state)
{
    (void)state;
    assert_ok(schedule_wide(1000));
    assert_fails(F0T_ERROR_UNSUPPORTED, "made.onnx: a run would need more than 512 MB of memory",
                 schedule_wide((int64_t)1 << 24));
    assert_fails(F0T_ERROR_UNSUPPORTED, "does not explain", schedule_wide((int64_t)1 << 58));
}

static void a_view_of_a_constant_is_no_view(void **state)
{
    static const int64_t dims[] = {1}, many[] = {1024};
    static float numbers[1024];
    float out[MOST];
    size_t count;
    (void)state;
    numbers[1000] = 5;
    bytes *graph = start(1, dims); /* ratio varies, what is dropped from does not */
    add_floats(graph, "w", 1, many, numbers);
    add_node(graph, "Dropout", "w x", "y", NULL);
    add_end(graph, 12, "y", 0, NULL);
    assert_ok(run_both(graph, 13, out, &count));
    assert_true(count == 1024 && out[1000] == 5);
}

/* Both attributes of old sets: the one that is obeyed decides whether it is a view. */
static void a_pad_that_says_two_things_is_no_view(void **state)
{
    static const int64_t dims[] = {1, 4};
    float out[MOST];
    size_t count;
    (void)state;
    bytes *graph = start(2, dims);
    add_node(
        graph, "Pad", "x", "y",
        (attribute[]){{"pads", 4, {0, 0, 0, 0}, NULL}, {"paddings", 4, {0, 0, 9, 9}, NULL}, {0}});
    add_end(graph, 12, "y", 0, NULL);
    assert_ok(run_both(graph, 1, out, &count));
    assert_int_equal(count, 130);
}

/* ---- Axes ---------------------------------------------------------------------------------------
 */

static void an_axis_comes_once(void **state)
{
    static const int64_t dims[] = {4, 4}, low[] = {3, 3, 3}, high[] = {4, 4, 4},
                         same[] = {0, 0, -2};
    static const int64_t pads[] = {1, 1, 1, 1}, twice[] = {1, 1}, sizes[] = {4, 8};
    (void)state;
    bytes *graph = start(2, dims);
    add_list(graph, "low", 3, low);
    add_list(graph, "high", 3, high);
    add_list(graph, "axes", 3, same);
    add_node(graph, "Slice", "x low high axes", "y", NULL);
    add_end(graph, 12, "y", 0, NULL);
    assert_fails(F0T_ERROR_FORMAT, "axis 0 comes twice", run_it(graph, 13));
    graph = start(2, dims);
    add_list(graph, "pads", 4, pads);
    add_list(graph, "axes", 2, twice);
    add_node(graph, "Pad", "x pads - axes", "y", NULL);
    add_end(graph, 12, "y", 0, NULL);
    assert_fails(F0T_ERROR_FORMAT, "axis 1 comes twice", run_it(graph, 18));
    graph = start(2, dims);
    add_list(graph, "sizes", 2, sizes);
    add_node(graph, "Resize", "x - - sizes", "y", (attribute[]){{"axes", 2, {1, -1}, NULL}, {0}});
    add_end(graph, 12, "y", 0, NULL);
    assert_fails(F0T_ERROR_FORMAT, "axis -1 comes twice", run_it(graph, 18));
}

/* ---- Numbers that no index can be ---------------------------------------------------------------
 */

static void nan_is_no_place_in_a_picture(void **state)
{
    static const int64_t dims[] = {1, 1, 4, 4}, eight[] = {8}, four[] = {4};
    const float roi[] = {0, 0, NAN, 0, 1, 1, INFINITY, 1}, scales[] = {1, 1, 2, NAN};
    const float twice[] = {1, 1, 2, 2};
    attribute crop[] = {{"coordinate_transformation_mode", 0, {0}, "tf_crop_and_resize"}, {0}};
    (void)state;
    bytes *graph = start(4, dims);
    add_floats(graph, "roi", 1, eight, roi);
    add_floats(graph, "scales", 1, four, twice);
    add_node(graph, "Resize", "x roi scales", "y", crop);
    add_end(graph, 12, "y", 0, NULL);
    assert_fails(F0T_ERROR_FORMAT, "a region from nan", run_it(graph, 13));
    graph = start(4, dims);
    add_floats(graph, "scales", 1, four, scales);
    add_node(graph, "Resize", "x - scales", "y", NULL);
    add_end(graph, 12, "y", 0, NULL);
    assert_fails(F0T_ERROR_FORMAT, "a scale of nan", run_it(graph, 13));
}

static void floats_that_no_integer_is_become_0(void **state)
{
    static const int64_t three[] = {3};
    const float odd[] = {NAN, INFINITY, -1e30F};
    float out[MOST];
    size_t count;
    (void)state;
    bytes *graph = start(1, three);
    add_floats(graph, "odd", 1, three, odd);
    add_node(graph, "Cast", "odd", "whole", (attribute[]){{"to", 0, {7}, NULL}, {0}});
    add_node(graph, "Pow", "whole odd", "power", NULL);
    add_node(graph, "Cast", "power", "back", (attribute[]){{"to", 0, {1}, NULL}, {0}});
    add_node(graph, "Mul", "x back", "y", NULL);
    add_end(graph, 12, "y", 0, NULL);
    assert_ok(run_both(graph, 13, out, &count));
    assert_true(out[1] == 1 && out[2] == 2);
}

/* ---- Memory and work by what a file says --------------------------------------------------------
 */

/* y = x + the largest of what `op` gives for a constant of this shape. */
static bytes *with_constant(size_t rank, const int64_t *shape, const char *op, const char *inputs,
                            const attribute *attributes)
{
    static const int64_t dims[] = {1};
    bytes *graph = start(1, dims);
    add_list(graph, "shape", rank, shape);
    add_node(graph, "ConstantOfShape", "shape", "c", NULL);
    add_node(graph, op, inputs, "made", attributes);
    add_node(graph, "Size", "made", "size", NULL);
    add_node(graph, "Cast", "size", "number", (attribute[]){{"to", 0, {1}, NULL}, {0}});
    add_node(graph, "Add", "x number", "y", NULL);
    add_end(graph, 12, "y", 0, NULL);
    return graph;
}

static void constants_are_limited_in_sum(void **state)
{
    enum { CONSTANTS = 40 };
    static const int64_t dims[] = {1}, shape[] = {2000000};
    char name[16], sum[CONSTANTS * 4] = "";
    (void)state;
    bytes *graph = start(1, dims);
    add_list(graph, "shape", 1, shape);
    for (int k = 0; k < CONSTANTS; k++) {
        snprintf(name, sizeof name, "c%d", k);
        add_node(graph, "ConstantOfShape", "shape", name, NULL);
        strcat(strcat(sum, name), k + 1 < CONSTANTS ? " " : "");
    }
    add_node(graph, "Max", sum, "most", NULL);
    add_node(graph, "Add", "x most", "y", NULL);
    add_end(graph, 12, "y", 0, NULL);
    assert_fails(F0T_ERROR_UNSUPPORTED, "(ConstantOfShape): it would need 8 MB more memory",
                 run_it(graph, 13));
}

/* Dimensions of 2^58 beside one of 0: a loop over the one must not begin. */
static void nothing_takes_no_time(void **state)
{
    static const int64_t shapes[][2] = {{0, (int64_t)1 << 58}, {(int64_t)1 << 58, 0}};
    static const struct {
        const char *op, *inputs;
        attribute attributes[2];
    } cases[] = {{"Relu", "c", {{0}}},
                 {"CumSum", "c axis", {{0}}},
                 {"LpNormalization", "c", {{"axis", 0, {0}, NULL}, {0}}},
                 {"LpNormalization", "c", {{"axis", 0, {1}, NULL}, {0}}},
                 {"Concat", "c c", {{"axis", 0, {0}, NULL}, {0}}},
                 {"Concat", "c c", {{"axis", 0, {1}, NULL}, {0}}},
                 {"Softmax", "c", {{"axis", 0, {0}, NULL}, {0}}},
                 {"Split", "c", {{"axis", 0, {0}, NULL}, {0}}},
                 {"Transpose", "c", {{0}}},
                 {"Tile", "c twice", {{0}}},
                 {"Trilu", "c", {{0}}},
                 {"EyeLike", "c", {{0}}}};
    static const int64_t zero[] = {0}, twice[] = {2, 1};
    (void)state;
    for (size_t s = 0; s < 2; s++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            bytes *graph =
                with_constant(2, shapes[s], cases[k].op, cases[k].inputs, cases[k].attributes);
            add_list(graph, "axis", 1, zero);
            add_list(graph, "twice", 2, twice);
            assert_ok(run_it(graph, 14));
        }
}

static void work_that_no_file_explains_is_refused(void **state)
{
    static const int64_t square[] = {1500, 1500}, eight[] = {8, 8, 8, 8, 8, 8, 8, 8};
    static const int64_t dims[] = {1, 1, 8, 8};
    static const int64_t wide = (int64_t)1 << 30;
    (void)state;
    assert_fails(F0T_ERROR_UNSUPPORTED, "(MatMul): it is more work than a file of",
                 run_it(with_constant(2, square, "MatMul", "c c", NULL), 13));
    bytes *graph =
        with_constant(8, (const int64_t[]){1, 1, 1, 1, 1, 1, 1, 1}, "Tile", "c eight", NULL);
    add_list(graph, "eight", 8, eight);
    assert_fails(F0T_ERROR_UNSUPPORTED, "(Tile): it ", run_it(graph, 13));
    graph = start(4, dims); /* a window of 2^60 taps */
    add_node(graph, "AveragePool", "x", "y",
             (attribute[]){{"kernel_shape", 2, {wide, wide}, NULL},
                           {"pads", 4, {wide, wide, wide, wide}, NULL},
                           {"strides", 2, {wide, wide}, NULL},
                           {0}});
    add_end(graph, 12, "y", 0, NULL);
    assert_fails(F0T_ERROR_UNSUPPORTED, "(AveragePool): it is more work", run_it(graph, 13));
}

static void every_long_loop_can_be_stopped(void **state)
{
    static const int64_t square[] = {500, 500};
    volatile sig_atomic_t stop = 1;
    f0t_monitor monitor = {.stop = &stop};
    f0t_onnx_graph *graph, *again;
    f0t_onnx_summary summary;
    f0t_onnx_weights *weights;
    f0t_onnx_schedule *schedule;
    f0t_onnx_array in = {0};
    const float pixel[] = {1}, *inputs[] = {pixel};
    float out[1];
    void *outputs[] = {out};
    (void)state;
    graph = finish(with_constant(2, square, "MatMul", "c c", NULL), 13);
    assert_fails(
        F0T_ERROR_INTERRUPTED, "interrupted",
        f0t_onnx_graph_open_memory(&again, graph->map.data, graph->map.size, "m", NULL, &monitor));
    assert_fails(F0T_ERROR_INTERRUPTED, "interrupted",
                 f0t_onnx_summary_create(&summary, graph, &monitor));
    assert_ok(f0t_onnx_array_shape(&in, F0T_ONNX_FLOAT, 1, (const size_t[]){1}));
    assert_ok(f0t_onnx_weights_create(&weights));
    f0t_onnx_schedule_options options = {
        .inputs = &in, .outputs = &graph->outputs[0].value, .output_count = 1, .monitor = &monitor};
    assert_fails(F0T_ERROR_INTERRUPTED, "interrupted",
                 f0t_onnx_schedule_create(&schedule, graph, weights, &options));
    options.monitor = NULL;
    assert_ok(f0t_onnx_schedule_create(&schedule, graph, weights, &options));
    assert_fails(F0T_ERROR_INTERRUPTED, "interrupted",
                 f0t_onnx_schedule_run(outputs, schedule, inputs, &monitor));
    stop = 0;
    assert_ok(f0t_onnx_schedule_run(outputs, schedule, inputs, &monitor));
    assert_true(out[0] == 250001);
    f0t_onnx_schedule_free(schedule);
    f0t_onnx_weights_free(weights);
    f0t_onnx_graph_close(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unnamed_output_has_its_own_size),
        cmocka_unit_test(other_outputs_may_be_unnamed),
        cmocka_unit_test(arrays_that_no_file_explains_are_refused),
        cmocka_unit_test(a_view_of_a_constant_is_no_view),
        cmocka_unit_test(a_pad_that_says_two_things_is_no_view),
        cmocka_unit_test(an_axis_comes_once),
        cmocka_unit_test(nan_is_no_place_in_a_picture),
        cmocka_unit_test(floats_that_no_integer_is_become_0),
        cmocka_unit_test(constants_are_limited_in_sum),
        cmocka_unit_test(nothing_takes_no_time),
        cmocka_unit_test(work_that_no_file_explains_is_refused),
        cmocka_unit_test(every_long_loop_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
