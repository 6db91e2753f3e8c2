/* Networks of floats made into networks of eight bits: what the file has, and that it gives what the other gives. */
#include "onnx_text.h"
#include "support.h"

#include "base/alloc.h"
#include "base/cpu.h"
#include "onnx/op.h"
#include "onnx/quantise.h"
#include "onnx/schedule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PIXELS = 3 * 8 * 8, PICTURES = 4, MOST = 64 };

#define HEAD "image:float[1,3,8,8]; "
/* w = 0.1, 0.1 - 0.03, …: some of both signs. */
#define CONV1 "w=float[4,3,3,3]{-0.5,-0.49..}; b=float[4]{0.1,-0.1,0.2,0.3}; "
#define CONV2 "v=float[4,4,1,1]{-0.7,-0.6..}; "
#define NORM                                                                    \
    "s=float[4]{1,2,0.5,1}; t=float[4]{0.1,0,0.2,0}; m=float[4]{0,0.1,0.2,0}; " \
    "n=float[4]{1,2,1,0.5}; "
#define BODY                                                                              \
    HEAD CONV1 CONV2 NORM "c=Conv<pads=[1,1,1,1]>(image,w,b); r=Relu(c); e=Conv(r,v); "   \
                          "f=BatchNormalization(e,s,t,m,n); a=Add(f,r); h=Relu(a); "      \
                          "p=MaxPool<kernel_shape=[2,2],strides=[2,2]>(h); d=Conv(p,v); " \
                          "g=GlobalAveragePool(d); features=Flatten(g); "

typedef struct made {
    onnx_bytes file;
    f0t_onnx_graph *graph;
    f0t_onnx_picture picture;
    size_t output;
    f0t_onnx_quantiser *quantiser;
} made;

static float pixels[PICTURES][PIXELS];

static void set_pixels(void)
{
    for (size_t p = 0; p < PICTURES; p++)
        for (size_t k = 0; k < PIXELS; k++)
            pixels[p][k] = sinf((float)(k * (p + 3)) * 0.7F);
}

static f0t_status open_made(made *m, const char *text)
{
    *m = (made){.file = onnx_from_text(text)};
    assert_ok(
        f0t_onnx_graph_open_memory(&m->graph, m->file.data, m->file.size, "made", NULL, NULL));
    assert_ok(f0t_onnx_graph_output(&m->output, m->graph, "features"));
    assert_ok(f0t_onnx_picture_find(&m->picture, m->graph, m->output, 0, 0));
    return f0t_onnx_quantiser_create(&m->quantiser, m->graph, &m->picture, m->output, NULL);
}

static void close_made(made *m)
{
    f0t_onnx_quantiser_free(m->quantiser);
    f0t_onnx_graph_close(m->graph);
    onnx_bytes_free(&m->file);
}

static f0t_status observe(made *m)
{
    for (size_t p = 0; p < PICTURES; p++)
        F0T_TRY(f0t_onnx_quantiser_observe(m->quantiser, pixels[p]));
    return F0T_OK;
}

static f0t_status write_with(f0t_onnx_pack *file, made *m, size_t kept, bool narrow)
{
    const f0t_onnx_calibration how = {.percentile = 100, .narrow = narrow};
    bool keep[MOST] = {false};
    for (size_t k = 0; k < kept; k++)
        keep[k] = true;
    return f0t_onnx_quantiser_write(file, m->quantiser, keep, &how);
}

static f0t_status write_made(f0t_onnx_pack *file, made *m, size_t kept)
{
    return write_with(file, m, kept, false);
}

static void run_network(float *out, const void *data, size_t size)
{
    const f0t_network_options options = {.size = sizeof options, .output = "features"};
    f0t_network *network;
    assert_ok(f0t_network_open_memory(&network, data, size, "made", &options, NULL));
    assert_int_equal(f0t_network_dim(network), 4);
    for (size_t p = 0; p < PICTURES; p++)
        assert_ok(f0t_network_run(out + p * 4, network, pixels[p], 1, NULL));
    f0t_network_close(network);
}

static size_t count_ops(const f0t_onnx_pack *file, const char *op)
{
    f0t_onnx_graph *graph;
    size_t count = 0;
    assert_ok(f0t_onnx_graph_open_memory(&graph, file->data, file->size, "eight", NULL, NULL));
    assert_ok(f0t_onnx_graph_check_ops(graph, NULL));
    for (size_t n = 0; n < graph->node_count; n++)
        count += strcmp(graph->nodes[n].proto->op_type, op) == 0;
    f0t_onnx_graph_close(graph);
    return count;
}

/* The largest error, as a share of the largest number. */
static double error_of(const made *m, const f0t_onnx_pack *file)
{
    float want[PICTURES * 4], got[PICTURES * 4];
    double most = 0, error = 0;
    run_network(want, m->file.data, m->file.size);
    run_network(got, file->data, file->size);
    for (size_t k = 0; k < PICTURES * 4; k++) {
        most = fmax(most, fabs((double)want[k]));
        error = fmax(error, fabs((double)want[k] - (double)got[k]));
    }
    return error / most;
}

static void a_network_gives_nearly_the_same(void **state)
{
    made m;
    f0t_onnx_pack file;
    (void)state;
    assert_ok(open_made(&m, BODY "return features"));
    assert_ok(observe(&m));
    assert_int_equal(f0t_onnx_quantiser_layers(m.quantiser), 3);
    assert_ok(write_made(&file, &m, 0));
    /* The picture, two results before the sum, the sum, what is pooled of it, and the last convolution's. */
    assert_int_equal(count_ops(&file, "QuantizeLinear"), 6);
    assert_int_equal(count_ops(&file, "BatchNormalization"), 0);
    assert_int_equal(count_ops(&file, "Conv"), 3);
    double error = error_of(&m, &file);
    assert_true(error > 0 && error < 0.02);
    f0t_onnx_pack_clear(&file);
    close_made(&m);
}

/* ---- By another engine ----------------------------------------------------------------------- */

static void write_bytes(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* What was made is freed before ONNX Runtime is asked: where there is none, the test ends there. */
static void compare_with_onnxruntime(bool narrow)
{
    made m;
    f0t_onnx_pack file;
    float ours[PICTURES * 4], theirs[4];
    double most = 0;
    size_t size;
    assert_ok(open_made(&m, BODY "return features"));
    assert_ok(observe(&m));
    assert_ok(write_with(&file, &m, 0, narrow));
    run_network(ours, file.data, file.size);
    write_bytes(test_path("eight.onnx"), file.data, file.size);
    write_bytes(test_path("pixels"), pixels[0], sizeof pixels[0]);
    f0t_onnx_pack_clear(&file);
    close_made(&m);
    test_onnxruntime(test_path("eight.onnx"), test_path("pixels"), test_path("result"), "1 3 8 8");
    char *bytes = test_read(test_path("result"), &size);
    assert_int_equal(size, sizeof theirs);
    memcpy(theirs, bytes, size);
    f0t_free(bytes);
    for (size_t k = 0; k < PICTURES * 4; k++)
        most = fmax(most, fabs((double)ours[k]));
    for (size_t k = 0; k < 4; k++)
        assert_true(fabs((double)ours[k] - (double)theirs[k]) < 0.02 * most);
}

/* Without VNNI its sums of two products overflow, unless weights are narrow. */
static void onnx_runtime_runs_the_file(void **state)
{
    (void)state;
    if (!f0t_cpu_vnni(f0t_cpu_level()))
        test_skip("this CPU has no VNNI, or F0T_MAX_CPU is set");
    compare_with_onnxruntime(false);
}

static void onnx_runtime_runs_narrow_weights_on_any_cpu(void **state)
{
    (void)state;
    compare_with_onnxruntime(true);
}

/* The largest weight of eight bits in a file. */
static int64_t largest_weight(const f0t_onnx_pack *file)
{
    f0t_onnx_graph *graph;
    int64_t most = 0;
    assert_ok(f0t_onnx_graph_open_memory(&graph, file->data, file->size, "eight", NULL, NULL));
    for (size_t v = 0; v < graph->value_count; v++) {
        const f0t_onnx_array *a = &graph->values[v].constant;
        for (size_t k = 0; k < a->count && a->type == F0T_ONNX_INT8 && a->raw; k++) {
            const int64_t x = (int8_t)a->raw[k];
            most = x > most ? x : -x > most ? -x : most;
        }
    }
    f0t_onnx_graph_close(graph);
    return most;
}

static void narrow_weights_have_seven_bits(void **state)
{
    (void)state;
    for (int narrow = 0; narrow < 2; narrow++) {
        made m;
        f0t_onnx_pack file;
        assert_ok(open_made(&m, BODY "return features"));
        assert_ok(observe(&m));
        assert_ok(write_with(&file, &m, 0, narrow));
        assert_in_range(largest_weight(&file), narrow ? 32 : 65, narrow ? 64 : 127);
        assert_true(error_of(&m, &file) < 0.03);
        f0t_onnx_pack_clear(&file);
        close_made(&m);
    }
}

/* ---- What is taken, and what is not ---------------------------------------------------------- */

static void layers_stay_in_floats_when_told(void **state)
{
    made m;
    f0t_onnx_pack file;
    (void)state;
    assert_ok(open_made(&m, BODY "return features"));
    assert_ok(observe(&m));
    assert_ok(write_made(&file, &m, 2));
    assert_int_equal(count_ops(&file, "BatchNormalization"), 1);
    assert_int_equal(count_ops(&file, "QuantizeLinear"), 2);
    assert_true(error_of(&m, &file) < 0.02);
    f0t_onnx_pack_clear(&file);
    assert_ok(write_made(&file, &m, 3));
    assert_int_equal(count_ops(&file, "QuantizeLinear"), 0);
    assert_true(error_of(&m, &file) < 1e-6);
    f0t_onnx_pack_clear(&file);
    close_made(&m);
}

static void dense_layers_and_older_sets_are_taken(void **state)
{
#define DENSE                                                              \
    HEAD "w=float[4,3,8,8]{-0.3,-0.299..}; b=float[4]{0.1,-0.1,0.2,0.3}; " \
         "q=float[4,4]{-0.7,-0.6..}; c=Conv(image,w,b); "
    static const char *const networks[] = {
        DENSE "f=Flatten(c); features=Gemm<transB=1>(f,q,b); return features",
        DENSE "f=Flatten(c); features=Gemm(f,q); return features",
        DENSE "f=Flatten(c); features=MatMul(f,q); return features",
        "opset 9; " DENSE "d=Dropout(c); k=Clip<min=-0.5,max=0.6>(d); f=Squeeze<axes=[2,3]>(k); "
        "features=Gemm<transB=1>(f,q,b); return features",
        "opset 9; " DENSE "d=Pad<pads=[0,0,0,0,0,0,0,0]>(c); f=Flatten(d); "
        "features=Gemm<transB=1>(f,q,b); return features",
        "opset 9; " DENSE
        "d=Unsqueeze<axes=[]>(c); f=Squeeze<axes=[]>(d); u=Unsqueeze<axes=[0]>(f); "
        "features=Gemm<transB=1>(u,q,b); return features",
    };
#undef DENSE
    (void)state;
    for (size_t k = 0; k < sizeof networks / sizeof *networks; k++) {
        made m;
        f0t_onnx_pack file;
        assert_ok(open_made(&m, networks[k]));
        assert_ok(observe(&m));
        assert_int_equal(f0t_onnx_quantiser_layers(m.quantiser), 2);
        assert_ok(write_made(&file, &m, 0));
        assert_true(count_ops(&file, "QuantizeLinear") >= 2);
        assert_int_equal(count_ops(&file, "Dropout") + count_ops(&file, "Pad"), 0);
        double error = error_of(&m, &file);
        assert_true(error > 0 && error < 0.1); /* sums of numbers that nearly cancel */
        f0t_onnx_pack_clear(&file);
        close_made(&m);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"opset 9; " HEAD CONV1 "c=Conv(image,w,b); features,k=Dropout(c); return features,k",
         "(Dropout): its mask is used"},
        {"opset 9; " HEAD CONV1 "f=Conv(image,w,b); c=Relu(f); features=GlobalAveragePool(c); "
         "h=Flatten(features); y=Clip<min=0.5>(h); return features,y",
         "(Clip): it is of operator set 9"},
        {HEAD "features=GlobalAveragePool(image); return features",
         "no convolution or dense layer"},
        {"opset 6; " HEAD CONV1 "features=Conv(image,w,b); return features", "set 6 is too old"},
        {"opset 9; " HEAD CONV1 "c=Conv(image,w,b); features=Softmax(c); return features",
         "(Softmax): it is of operator set 9"},
        {"opset 9; " HEAD CONV1
         "c=Conv(image,w,b); features=Slice<starts=[0],ends=[2]>(c); return features",
         "(Slice): it is of operator set 9"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        made m;
        f0t_onnx_pack file = {0};
        f0t_status status = open_made(&m, cases[k].text);
        if (status == F0T_OK)
            status = observe(&m);
        if (status == F0T_OK)
            status = write_made(&file, &m, 0);
        assert_int_equal(status, F0T_ERROR_UNSUPPORTED);
        if (!strstr(f0t_last_error(), cases[k].message))
            fail_msg("%s, not %s", f0t_last_error(), cases[k].message);
        assert_null(file.data);
        close_made(&m);
    }
}

/* The network with more fields of its graph before the others. */
static onnx_bytes with_fields(const onnx_bytes *file, f0t_onnx_pack *graph)
{
    f0t_onnx_message model = {file->data, file->data + file->size};
    f0t_onnx_pack out = {0};
    f0t_onnx_field field;
    for (const unsigned char *from = model.at; f0t_onnx_message_next(&field, &model);
         from = model.at) {
        if (field.number != F0T_ONNX_MODEL_GRAPH) {
            f0t_onnx_pack_field(&out, from, model.at);
            continue;
        }
        f0t_onnx_pack_field(graph, field.body.at, field.body.end);
        f0t_onnx_pack_message(&out, F0T_ONNX_MODEL_GRAPH, graph);
    }
    assert_ok(out.status);
    return (onnx_bytes){.data = out.data, .size = out.size};
}

static f0t_status write_with_fields(f0t_onnx_pack *file, f0t_onnx_pack *fields)
{
    made m, odd = {0};
    assert_ok(open_made(&m, BODY "return features"));
    odd.file = with_fields(&m.file, fields);
    assert_ok(
        f0t_onnx_graph_open_memory(&odd.graph, odd.file.data, odd.file.size, "odd", NULL, NULL));
    assert_ok(f0t_onnx_graph_output(&odd.output, odd.graph, "features"));
    assert_ok(f0t_onnx_quantiser_create(&odd.quantiser, odd.graph, &m.picture, odd.output, NULL));
    assert_ok(observe(&odd));
    f0t_status status = write_made(file, &odd, 0);
    f0t_onnx_quantiser_free(odd.quantiser);
    f0t_onnx_graph_close(odd.graph);
    f0t_free(odd.file.data);
    close_made(&m);
    return status;
}

/* Numbers where nodes, initializers and inputs should be, which readers pass over. */
static void fields_of_another_kind_are_passed_over(void **state)
{
    f0t_onnx_pack file, fields = {0};
    (void)state;
    for (int k = 0; k < 100; k++)
        f0t_onnx_pack_int(&fields, F0T_ONNX_GRAPH_NODE, 1);
    f0t_onnx_pack_int(&fields, F0T_ONNX_GRAPH_INITIALIZER, 1);
    f0t_onnx_pack_int(&fields, F0T_ONNX_GRAPH_INPUT, 1);
    assert_ok(write_with_fields(&file, &fields));
    assert_int_equal(count_ops(&file, "Conv"), 3);
    f0t_onnx_pack_clear(&file);
}

static void put_relu(f0t_onnx_pack *fields, const char *result)
{
    enum { INPUT = 1, OUTPUT = 2, OP = 4 };
    f0t_onnx_pack node = {0};
    f0t_onnx_pack_text(&node, INPUT, "image");
    f0t_onnx_pack_text(&node, OUTPUT, result);
    f0t_onnx_pack_text(&node, OP, "Relu");
    f0t_onnx_pack_message(fields, F0T_ONNX_GRAPH_NODE, &node);
}

static void graphs_inside_nodes_are_refused(void **state)
{
    enum { INPUT = 1, OUTPUT = 2, OP = 4, ATTRIBUTE = 5, NAME = 1, GRAPH = 6, TYPE = 20 };
    f0t_onnx_pack file, fields = {0}, node = {0}, attribute = {0}, end = {0};
    (void)state;
    f0t_onnx_pack_text(&attribute, NAME, "then_branch");
    f0t_onnx_pack_text(&attribute, GRAPH, "");
    f0t_onnx_pack_int(&attribute, TYPE, 5);
    f0t_onnx_pack_text(&node, INPUT, "image");
    f0t_onnx_pack_text(&node, OUTPUT, "other");
    f0t_onnx_pack_text(&node, OP, "If");
    f0t_onnx_pack_message(&node, ATTRIBUTE, &attribute);
    f0t_onnx_pack_message(&fields, F0T_ONNX_GRAPH_NODE, &node);
    f0t_onnx_pack_text(&end, F0T_ONNX_VALUE_NAME, "other");
    f0t_onnx_pack_message(&fields, F0T_ONNX_GRAPH_OUTPUT, &end);
    assert_int_equal(write_with_fields(&file, &fields), F0T_ERROR_UNSUPPORTED);
    assert_non_null(strstr(f0t_last_error(), "(If): it has a graph of its own"));
}

static void names_that_are_taken_are_not_given_again(void **state)
{
    static const struct {
        size_t names;
        const char *message; /* or NULL */
    } cases[] = {{2, NULL}, {100, "rename them"}};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        f0t_onnx_pack file, fields = {0};
        for (size_t n = 0; n < cases[k].names; n++) {
            char name[32];
            snprintf(name, sizeof name, n ? "int8_%zu_x" : "int8_x", n);
            put_relu(&fields, name);
        }
        f0t_status status = write_with_fields(&file, &fields);
        assert_int_equal(status, cases[k].message ? F0T_ERROR_UNSUPPORTED : F0T_OK);
        if (cases[k].message)
            assert_non_null(strstr(f0t_last_error(), cases[k].message));
        f0t_onnx_pack_clear(&file);
    }
}

static void features_inside_the_network_stay(void **state)
{
    made m;
    f0t_onnx_pack file;
    (void)state;
    assert_ok(open_made(&m, BODY "other=Relu(image); return other"));
    assert_ok(observe(&m));
    assert_ok(write_made(&file, &m, 0));
    assert_int_equal(count_ops(&file, "Conv"), 3);
    assert_true(error_of(&m, &file) < 0.02);
    f0t_onnx_pack_clear(&file);
    close_made(&m);
}

/* One number for each row is no bias of the filters, though there are as many. */
static void columns_are_no_bias(void **state)
{
    made m;
    (void)state;
    assert_ok(open_made(&m, HEAD "w=float[4,3,8,8]{-0.3,-0.299..}; c=Conv(image,w); "
                                 "s=int64[2]{4,1}; f=Reshape(c,s); q=float[1,4]{-0.7,-0.6..}; "
                                 "t=float[4,1]{1,2,3,4}; g=Gemm(f,q,t); k=int64[2]{1,16}; "
                                 "features=Reshape(g,k); return features"));
    assert_int_equal(f0t_onnx_quantiser_layers(m.quantiser), 1);
    close_made(&m);
}

static void memory_is_what_the_file_explains(void **state)
{
    made m;
    f0t_status status =
        open_made(&m, "image:float[1,3,2048,2048]; w=float[3,3,1,1]{-0.7,-0.6..}; a=Conv(image,w); "
                      "b=Conv(a,w); c=Conv(b,w); features=GlobalAveragePool(c); return features");
    (void)state;
    assert_int_equal(status, F0T_ERROR_UNSUPPORTED);
    assert_ptr_equal(strstr(f0t_last_error(), "made: it would need"), f0t_last_error());
    assert_non_null(strstr(f0t_last_error(), "MB more memory, which a file of"));
    close_made(&m);
}

static f0t_status whole(void *context)
{
    f0t_onnx_pack file = {0};
    made *m = context;
    f0t_status status =
        f0t_onnx_graph_open_memory(&m->graph, m->file.data, m->file.size, "made", NULL, NULL);
    if (status == F0T_OK)
        status = f0t_onnx_quantiser_create(&m->quantiser, m->graph, &m->picture, m->output, NULL);
    if (status == F0T_OK)
        status = f0t_onnx_quantiser_observe(m->quantiser, pixels[0]);
    if (status == F0T_OK)
        status = write_made(&file, m, 0);
    f0t_onnx_pack_clear(&file);
    f0t_onnx_quantiser_free(m->quantiser);
    f0t_onnx_graph_close(m->graph);
    m->quantiser = NULL;
    m->graph = NULL;
    return status;
}

static void every_allocation_may_fail(void **state)
{
    made m;
    (void)state;
    assert_ok(open_made(&m, BODY "return features"));
    f0t_onnx_quantiser_free(m.quantiser);
    f0t_onnx_graph_close(m.graph);
    m.quantiser = NULL;
    m.graph = NULL;
    test_each_fault(F0T_FAULT_ALLOC, whole, &m);
    onnx_bytes_free(&m.file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_network_gives_nearly_the_same),
        cmocka_unit_test(onnx_runtime_runs_the_file),
        cmocka_unit_test(onnx_runtime_runs_narrow_weights_on_any_cpu),
        cmocka_unit_test(narrow_weights_have_seven_bits),
        cmocka_unit_test(layers_stay_in_floats_when_told),
        cmocka_unit_test(dense_layers_and_older_sets_are_taken),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(fields_of_another_kind_are_passed_over),
        cmocka_unit_test(graphs_inside_nodes_are_refused),
        cmocka_unit_test(names_that_are_taken_are_not_given_again),
        cmocka_unit_test(features_inside_the_network_stay),
        cmocka_unit_test(columns_are_no_bias),
        cmocka_unit_test(memory_is_what_the_file_explains),
        cmocka_unit_test(every_allocation_may_fail),
    };
    set_pixels();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
