/* Networks with the shapes of each family, against PyTorch: the public interface from end to end. */
#include "support.h"

#include "math/matmul.h"
#include "onnx/head.h"
#include "onnx/picture.h"
#include "onnx_interpret.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const families[] = {
    "vgg19",        "squeezenet",   "resnet50",     "resnext50", "densenet121", "mobilenet_v1",
    "mobilenet_v2", "mobilenet_v3", "efficientnet", "convnext",  "vit",         "clip"};
enum { FAMILIES = sizeof families / sizeof *families, IMAGES = 2 };

static const char *beside(const char *name, const char *ending)
{
    char file[64];
    snprintf(file, sizeof file, "%s.%s", name, ending);
    return test_path(file);
}

static float *read_floats(const char *path, size_t *count)
{
    size_t size;
    char *bytes = test_read(path, &size);
    float *values;
    assert_ok(f0t_alloc(&values, size / sizeof *values, sizeof *values));
    memcpy(values, bytes, size);
    *count = size / sizeof *values;
    f0t_free(bytes);
    return values;
}

typedef struct errors {
    double largest, cosine; /* relative to the largest number; smallest cosine of a row */
} errors;

static errors compare(const float *got, const float *want, size_t rows, size_t n)
{
    errors e = {0, 1};
    double top = 0;
    for (size_t k = 0; k < rows * n; k++)
        top = fmax(top, fabs((double)want[k]));
    for (size_t r = 0; r < rows; r++) {
        double dot = 0, x = 0, y = 0;
        for (size_t k = r * n; k < (r + 1) * n; k++) {
            e.largest = fmax(e.largest, fabs((double)got[k] - (double)want[k]) / top);
            dot += (double)got[k] * (double)want[k];
            x += (double)got[k] * (double)got[k];
            y += (double)want[k] * (double)want[k];
        }
        e.cosine = fmin(e.cosine, dot / sqrt(x * y));
    }
    return e;
}

static errors run_family(const char *name, bool bf16)
{
    f0t_network *net;
    f0t_network_options options = {
        .size = sizeof(f0t_network_options), .output = "logits", .bf16 = bf16};
    size_t inputs, outputs;
    float *pixels = read_floats(beside(name, "in"), &inputs);
    float *want = read_floats(beside(name, "out"), &outputs), *got;
    assert_ok(f0t_network_open(&net, beside(name, "onnx"), &options, NULL));
    assert_int_equal(f0t_network_dim(net) * IMAGES, outputs);
    assert_ok(f0t_alloc(&got, outputs, sizeof *got));
    assert_ok(f0t_network_run(got, net, pixels, IMAGES, NULL));
    errors e = compare(got, want, IMAGES, outputs / IMAGES);
    /* One picture alone gives what it gives among others. */
    assert_ok(f0t_network_run(got, net, pixels + inputs / IMAGES, 1, NULL));
    errors single = compare(got, want + outputs / IMAGES, 1, outputs / IMAGES);
    e.largest = fmax(e.largest, single.largest);
    e.cosine = fmin(e.cosine, single.cosine);
    f0t_network_close(net);
    f0t_free(pixels);
    f0t_free(want);
    f0t_free(got);
    return e;
}

/* F0T_FULL_SIZE=1 takes the families as they are published: some minutes, 2 GB of files. */
static bool in_full_size(void)
{
    return getenv("F0T_FULL_SIZE") != NULL;
}

static int write_networks(void **state)
{
    (void)state;
    test_python("torch", "onnx_networks.py", in_full_size() ? "full" : "write", test_path("."));
    return 0;
}

static bool are_written(void)
{
    FILE *file = fopen(beside("vgg19", "onnx"), "rb");
    if (file)
        fclose(file);
    return file != NULL;
}

static void every_family_agrees_with_pytorch_in_float32(void **state)
{
    (void)state;
    write_networks(state);
    for (size_t k = 0; k < FAMILIES; k++) {
        errors e = run_family(families[k], false);
        print_message("%-14s %.1e\n", families[k], e.largest);
        assert_true(e.largest < 1e-4);
    }
}

static void every_family_is_near_pytorch_in_bfloat16(void **state)
{
    (void)state;
    if (!are_written())
        test_skip("no python3 with torch here");
    for (size_t k = 0; k < FAMILIES; k++) {
        errors e = run_family(families[k], true);
        print_message("%-14s %.1e, cosine %.6f\n", families[k], e.largest, e.cosine);
        assert_true(e.largest < (f0t_matmul_bf16_pays(1) ? 2e-2 : 1e-4));
        assert_true(e.cosine > 0.999);
    }
}

static void the_features_are_what_the_classifier_takes(void **state)
{
    static const struct {
        const char *name;
        size_t dim;
    } wanted[] = {{"vgg19", 32},         {"squeezenet", 10},    {"resnet50", 256},
                  {"densenet121", 36},   {"mobilenet_v2", 640}, {"mobilenet_v3", 640},
                  {"efficientnet", 640}, {"convnext", 128},     {"vit", 32},
                  {"clip", 16}};
    (void)state;
    if (!are_written() || in_full_size())
        test_skip("no python3 with torch here, or networks of full size");
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        f0t_network *net;
        assert_ok(f0t_network_open(&net, beside(wanted[k].name, "onnx"), NULL, NULL));
        if (f0t_network_dim(net) != wanted[k].dim)
            print_message("%s: %s, %zu\n", wanted[k].name, f0t_network_output(net),
                          f0t_network_dim(net));
        assert_int_equal(f0t_network_dim(net), wanted[k].dim);
        f0t_network_close(net);
    }
}

/* ---- Classes ---------------------------------------------------------------------------------------- */

static f0t_status read_head(f0t_onnx_head *head, const char *path)
{
    f0t_onnx_graph *graph;
    f0t_onnx_picture picture;
    f0t_onnx_array *inputs;
    assert_ok(f0t_onnx_graph_open(&graph, path, NULL));
    const size_t features = f0t_onnx_graph_features(graph);
    assert_ok(f0t_onnx_picture_find(&picture, graph, features, 0, 0));
    assert_ok(f0t_onnx_picture_inputs(&inputs, &picture, graph, 1));
    f0t_status status = f0t_onnx_head_read(head, graph, inputs, features,
                                           f0t_onnx_graph_find(graph, "logits"), NULL);
    f0t_free(inputs);
    f0t_onnx_graph_close(graph);
    return status;
}

/* What the layer makes of the features, in double. */
static float *apply(const f0t_onnx_head *head, const float *features)
{
    float *out;
    assert_ok(f0t_alloc(&out, IMAGES * head->classes, sizeof *out));
    for (size_t i = 0; i < IMAGES * head->classes; i++) {
        const float *w = head->weights + i % head->classes * head->dim,
                    *x = features + i / head->classes * head->dim;
        double sum = (double)head->bias[i % head->classes];
        for (size_t d = 0; d < head->dim; d++)
            sum += (double)w[d] * (double)x[d];
        out[i] = (float)sum;
    }
    return out;
}

static void one_layer_makes_the_classes_of_the_features(void **state)
{
    (void)state;
    if (!are_written())
        test_skip("no python3 with torch here");
    for (size_t k = 0; k < FAMILIES; k++) {
        size_t inputs, outputs;
        f0t_network *net;
        f0t_onnx_head head;
        float *features;
        f0t_status status = read_head(&head, beside(families[k], "onnx"));
        if (!strcmp(families[k], "squeezenet") || !strcmp(families[k], "clip")) {
            assert_int_equal(status, F0T_ERROR_UNSUPPORTED); /* their features are their output */
            continue;
        }
        assert_ok(status);
        float *pixels = read_floats(beside(families[k], "in"), &inputs);
        float *want = read_floats(beside(families[k], "out"), &outputs);
        assert_ok(f0t_network_open(&net, beside(families[k], "onnx"), NULL, NULL));
        assert_int_equal(f0t_network_dim(net), head.dim);
        assert_int_equal(IMAGES * head.classes, outputs);
        assert_ok(f0t_alloc(&features, IMAGES * head.dim, sizeof *features));
        assert_ok(f0t_network_run(features, net, pixels, IMAGES, NULL));
        float *got = apply(&head, features);
        assert_true(compare(got, want, IMAGES, head.classes).largest < 1e-4);
        f0t_network_close(net);
        f0t_onnx_head_clear(&head);
        f0t_free(features);
        f0t_free(pixels);
        f0t_free(want);
        f0t_free(got);
    }
}

/* MobileNetV2 as it was published, by the fast path and by the plain operators. */
static void a_real_network_agrees_with_the_plain_operators(void **state)
{
    enum { PIXELS = 3 * 224 * 224, DIM = 1280, CLASSES = 1001 };
    char path[512];
    f0t_network *net;
    f0t_onnx_graph *graph;
    f0t_onnx_array in = {0}, out[2] = {{0}};
    const size_t dims[] = {1, 3, 224, 224};
    float got[DIM];
    (void)state;
    snprintf(path, sizeof path, "%s", test_data("mobilenet_v2/mobilenet_v2.onnx"));
    assert_ok(f0t_onnx_array_shape(&in, F0T_ONNX_FLOAT, 4, dims));
    assert_ok(f0t_onnx_array_alloc(&in));
    test_random_floats(in.f, PIXELS, 1);
    assert_ok(f0t_network_open(&net, path, NULL, NULL));
    assert_string_equal(f0t_network_output(net), "features");
    assert_int_equal(f0t_network_dim(net), DIM);
    assert_ok(f0t_network_run(got, net, in.f, 1, NULL));
    assert_ok(f0t_onnx_graph_open(&graph, path, NULL));
    assert_ok(onnx_interpret(graph, &in, out));
    assert_int_equal(out[0].count, DIM);
    assert_int_equal(out[1].count, CLASSES);
    assert_true(compare(got, out[0].f, 1, DIM).largest < 1e-4);
    f0t_network_close(net);
    f0t_onnx_graph_close(graph);
    f0t_onnx_array_clear(&in);
    f0t_onnx_array_clear(&out[0]);
    f0t_onnx_array_clear(&out[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family_agrees_with_pytorch_in_float32),
        cmocka_unit_test(every_family_is_near_pytorch_in_bfloat16),
        cmocka_unit_test(the_features_are_what_the_classifier_takes),
        cmocka_unit_test(one_layer_makes_the_classes_of_the_features),
        cmocka_unit_test(a_real_network_agrees_with_the_plain_operators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
