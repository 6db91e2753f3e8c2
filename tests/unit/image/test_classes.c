#include "onnx_text.h"
#include "support.h"

#include "word/classes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Networks in folders of their own -------------------------------------------------------------- */

#define NET                                                                             \
    "x:float[N,3,8,8]; p=GlobalAveragePool(x); f=Flatten(p); "                          \
    "w=float[3,4]{1,2,3,4,5,6,7,8,9,10,11,12}; b=float[4]{0.5,1,1.5,2}; y=Gemm(f,w,b);" \
    " r=Relu(y); "

/* "FOLDER/NAME", where a test writes. */
static const char *in(const char *folder, const char *name)
{
    char path[128];
    mkdir(test_path(folder), 0700);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return test_path(path);
}

static void put(const char *folder, const char *name, const void *data, size_t size)
{
    FILE *file = fopen(in(folder, name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

static void put_text(const char *folder, const char *name, const char *text)
{
    put(folder, name, text, strlen(text));
}

/* Writes FOLDER/net.onnx and what lies beside it (NULL: nothing); gives its path. */
static const char *put_net(const char *folder, const char *net, const char *json,
                           const char *labels)
{
    onnx_bytes file = onnx_from_text(net);
    put(folder, "net.onnx", file.data, file.size);
    onnx_bytes_free(&file);
    if (json)
        put_text(folder, "net.json", json);
    if (labels)
        put_text(folder, "labels.txt", labels);
    return in(folder, "net.onnx");
}

#define JSON(more) "{\"crop\": {\"centre\": 8}, \"mean\": [0, 0, 0], \"scale\": [1, 1, 1]" more "}"
static const char four[] = "dog, hound\n\n  cat \r\npalm tree";

/* ---- What is found --------------------------------------------------------------------------------- */

static void keep_line(void *user, f0t_log_level level, const char *line)
{
    assert_int_equal(level, F0T_LOG_INFO);
    snprintf(user, 512, "%s", line);
}

static void assert_four(const f0t_classes *classes)
{
    static const char *const labels[] = {"dog, hound", "", "cat", "palm tree"};
    assert_int_equal(f0t_classes_count(classes), 4);
    assert_int_equal(f0t_classes_dim(classes), 3);
    for (size_t c = 0; c < 4; c++) {
        assert_string_equal(f0t_classes_label(classes, c), labels[c]);
        assert_true(classes->bias[c] == 0.5F * (float)(c + 1));
        for (size_t d = 0; d < 3; d++)
            assert_true(classes->weights[c * 3 + d] == (float)(d * 4 + c + 1));
    }
}

static void names_beside_a_network_are_enough(void **state)
{
    char line[512] = "";
    const f0t_monitor monitor = {.log = keep_line, .user = line};
    f0t_context_options options = F0T_CONTEXT_OPTIONS;
    f0t_context *context;
    f0t_classes *classes;
    (void)state;
    options.monitor = &monitor;
    assert_ok(f0t_context_create(&context, &options));
    assert_ok(f0t_classes_open(&classes, put_net("enough", NET "return f, y", NULL, four), NULL,
                               context));
    assert_four(classes);
    assert_non_null(strstr(line, "net.onnx: 4 classes, 'y' from 'f', named by "));
    assert_non_null(strstr(line, "enough/labels.txt"));
    f0t_classes_close(classes);
    f0t_context_free(context);
}

static void the_file_beside_a_network_may_name_both(void **state)
{
    f0t_classes *classes;
    const char *path = put_net(
        "named", NET "z=Gemm(f,w); return r, z",
        JSON(", \"output\": \"f\", \"classes\": \"y\", \"labels\": \"names.txt\""), "one\ntwo\n");
    (void)state;
    put_text("named", "names.txt", four);
    assert_ok(f0t_classes_open(&classes, path, NULL, NULL));
    assert_four(classes);
    f0t_classes_close(classes);
}

static void options_come_before_the_file_beside(void **state)
{
    f0t_classes_options options = F0T_CLASSES_OPTIONS;
    f0t_classes *classes;
    const char *path = put_net(
        "options", NET "return r",
        JSON(", \"output\": \"r\", \"classes\": \"r\", \"labels\": \"names.txt\""), "one\n");
    (void)state;
    options.output = "f";
    options.classes = "y";
    options.labels = test_text("elsewhere.txt", four);
    assert_ok(f0t_classes_open(&classes, path, &options, NULL));
    assert_four(classes);
    f0t_classes_close(classes);
}

static void a_description_names_the_network(void **state)
{
    f0t_classes_options options = F0T_CLASSES_OPTIONS;
    f0t_backbone *backbone;
    f0t_classes *classes;
    const char *path = put_net("described", NET "return f, y", JSON(""), four);
    (void)state;
    assert_ok(f0t_backbone_open(&backbone, path, NULL, NULL));
    const char *description = f0t_backbone_description(backbone);
    assert_ok(f0t_classes_open(&classes, description, NULL, NULL));
    assert_four(classes);
    f0t_classes_close(classes);
    options.output = "y";
    assert_fails(F0T_ERROR_ARGUMENT, "as the features were made",
                 f0t_classes_open(&classes, description, &options, NULL));
    put_net("described", NET "q=Relu(r); return f, y", NULL, NULL);
    assert_fails(F0T_ERROR_MISMATCH, "is not the file that it was: its checksum is ",
                 f0t_classes_open(&classes, description, NULL, NULL));
    f0t_backbone_close(backbone);
    assert_ok(f0t_backbone_open(&backbone, "builtin", NULL, NULL));
    assert_fails(F0T_ERROR_NOT_FOUND, "the built-in descriptor knows no classes",
                 f0t_classes_open(&classes, f0t_backbone_description(backbone), NULL, NULL));
    assert_fails(F0T_ERROR_FORMAT, "description", f0t_classes_open(&classes, "{", NULL, NULL));
    assert_null(classes);
    f0t_backbone_close(backbone);
}

static void other_weights_beside_the_network_are_not_those_described(void **state)
{
    char description[1024];
    f0t_classes *classes;
    const char *path = put_net("external", NET "return f, y", JSON(""), four);
    f0t_backbone *backbone;
    (void)state;
    assert_ok(f0t_backbone_open(&backbone, path, NULL, NULL));
    snprintf(description, sizeof description, "{\"external_crc32\": \"12345678\", %s",
             f0t_backbone_description(backbone) + 1);
    f0t_backbone_close(backbone);
    assert_fails(F0T_ERROR_MISMATCH,
                 "its weights in other files are not those that they were: their checksum is "
                 "00000000, not 12345678",
                 f0t_classes_open(&classes, description, NULL, NULL));
}

/* ---- What is refused ------------------------------------------------------------------------------- */

static void a_network_without_classes_says_why(void **state)
{
    static const struct {
        const char *net, *json, *labels, *want;
        f0t_status status;
    } rows[] = {
        {NET "return f, y", NULL, NULL, "put labels.txt beside it, one line per class",
         F0T_ERROR_NOT_FOUND},
        {NET "return f, y", NULL, "one\ntwo\nthree\n", "none of its outputs has 3 numbers",
         F0T_ERROR_NOT_FOUND},
        {NET "return f, y", NULL, "", "none of its outputs has 0 numbers", F0T_ERROR_NOT_FOUND},
        {NET "return f, y", JSON(", \"classes\": \"y\""), "one\ntwo\nthree\n",
         "'y' has 4 numbers, and ", F0T_ERROR_MISMATCH},
        {NET "return f, y", JSON(", \"classes\": \"q\""), four, "there is no value 'q'",
         F0T_ERROR_NOT_FOUND},
        {NET "return f, y", JSON(", \"classes\": 7"), four, "\"classes\" must be",
         F0T_ERROR_FORMAT},
        {NET "return f, y", JSON(", \"labels\": \"none.txt\""), four, "none.txt",
         F0T_ERROR_NOT_FOUND},
        {NET "return f, y", JSON(", \"names\": \"labels.txt\""), four, "names", F0T_ERROR_FORMAT},
        {NET "return f, y", JSON(", \"output\": \"g\""), four, "there is no value 'g'",
         F0T_ERROR_NOT_FOUND},
        {NET "return f, r", NULL, four, "(Relu): 'r' does not come from 'f'",
         F0T_ERROR_UNSUPPORTED},
        {"x:float[2,3,8,8]; p=GlobalAveragePool(x); f=Flatten(p); w=float[3,4]{1..}; "
         "b=float[4]{1..}; y=Gemm(f,w,b); return y",
         NULL, four, "takes 2 pictures at a time", F0T_ERROR_UNSUPPORTED},
        {"x:float[N,3,8,8]; p=GlobalAveragePool(x); f=Flatten(p); w=float[3,4]{1,nan..}; "
         "y=Gemm(f,w); return y,f",
         JSON(", \"output\": \"f\""), four, "NaN or infinity", F0T_ERROR_NUMERIC},
        {"x:float[N,3]; f=Relu(x); w=float[3,4]{1..}; b=float[4]{1..}; y=Gemm(f,w,b); return y",
         NULL, four, "as pictures are", F0T_ERROR_UNSUPPORTED},
        {NET "return f, y", NULL, "a\nb\nc\nd\xff\n", "labels.txt:4: not UTF-8", F0T_ERROR_FORMAT},
        {NET "return f, y", NULL, "a\nb\nc\x1b[2J\nd\n", "labels.txt:3: a control character",
         F0T_ERROR_FORMAT},
        {NET "return f, y", NULL, "a\nb\nc\td\ne\n", "labels.txt: class 3: a control character",
         F0T_ERROR_FORMAT},
    };
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char folder[32];
        f0t_classes *classes;
        snprintf(folder, sizeof folder, "refused%zu", k);
        const char *path = put_net(folder, rows[k].net, rows[k].json, rows[k].labels);
        assert_fails(rows[k].status, rows[k].want, f0t_classes_open(&classes, path, NULL, NULL));
        assert_null(classes);
    }
}

static void names_that_are_none_are_refused(void **state)
{
    const size_t most = (size_t)1 << 24;
    char *large = malloc(most + 1);
    f0t_classes *classes;
    const char *path = put_net("large", NET "return f, y", NULL, NULL);
    (void)state;
    put("large", "labels.txt", memset(large, 'x', most + 1), most + 1);
    assert_fails(F0T_ERROR_FORMAT, "16777217 bytes are no list of classes",
                 f0t_classes_open(&classes, path, NULL, NULL));
    memcpy(large, "a\nb\nc\n", 6);
    put("large", "labels.txt", large, 6 + 1025);
    assert_fails(F0T_ERROR_FORMAT, "labels.txt: class 4: it is longer than 1024 bytes",
                 f0t_classes_open(&classes, path, NULL, NULL));
    free(large);
}

/* A file that came with a network has no say over others. */
static void names_outside_of_the_folder_are_not_read(void **state)
{
    static const struct {
        const char *labels, *want;
    } ways[] = {{"../outside.txt", "is outside the folder"},
                {"sub/../../outside.txt", "is outside the folder"},
                {"/etc/hostname", "is outside the folder"},
                {"link.txt", "'link.txt' is a link"},
                {"", "is outside the folder"}};
    char json[256];
    f0t_classes *classes;
    (void)state;
    test_text("outside.txt", four);
    const char *path = put_net("inside", NET "return f, y", NULL, NULL);
    assert_int_equal(symlink("../outside.txt", in("inside", "link.txt")), 0);
    assert_int_equal(symlink("../outside.txt", in("inside", "labels.txt")), 0);
    assert_fails(F0T_ERROR_FORMAT, "'labels.txt' is a link",
                 f0t_classes_open(&classes, path, NULL, NULL));
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        snprintf(json, sizeof json, JSON(", \"labels\": \"%s\""), ways[k].labels);
        put_text("inside", "net.json", json);
        assert_fails(F0T_ERROR_FORMAT, ways[k].want, f0t_classes_open(&classes, path, NULL, NULL));
        assert_null(classes);
    }
}

/* ---- Faults ---------------------------------------------------------------------------------------- */

static f0t_status open_and_close(void *context)
{
    f0t_classes *classes;
    F0T_TRY(f0t_classes_open(&classes, context, NULL, NULL));
    f0t_classes_close(classes);
    return F0T_OK;
}

static void every_allocation_may_fail(void **state)
{
    const char *path = put_net("faults", NET "return f, y", JSON(""), four);
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, open_and_close, (void *)(uintptr_t)path);
}

/* ---- A real network -------------------------------------------------------------------------------- */

static float *run_backbone(size_t *count, size_t *dim, const char *output)
{
    char network[512];
    f0t_backbone_options options = F0T_BACKBONE_OPTIONS;
    f0t_backbone *backbone;
    f0t_pictures *pictures;
    snprintf(network, sizeof network, "%s", test_data("mobilenet_v2/mobilenet_v2.onnx"));
    const char *folder = test_data("photos");
    options.output = output;
    assert_ok(f0t_backbone_open(&backbone, network, &options, NULL));
    assert_ok(f0t_pictures_find(&pictures, &folder, 1, NULL));
    const char *const *paths = f0t_pictures_paths(count, pictures);
    *dim = f0t_backbone_dim(backbone);
    float *out = malloc(*count * *dim * sizeof *out);
    assert_ok(f0t_backbone_run(out, NULL, backbone, paths, *count, NULL));
    f0t_pictures_free(pictures);
    f0t_backbone_close(backbone);
    return out;
}

/* MobileNetV2 on the photographs: the layer makes of its features what it makes itself. */
static void the_layer_gives_what_the_network_gives(void **state)
{
    size_t count, dim, classes_dim;
    f0t_classes *classes;
    double largest = 0, off = 0;
    (void)state;
    assert_ok(f0t_classes_open(&classes, test_data("mobilenet_v2/mobilenet_v2.onnx"), NULL, NULL));
    assert_int_equal(f0t_classes_count(classes), 1001);
    assert_string_equal(f0t_classes_label(classes, 1), "tench, Tinca tinca");
    float *features = run_backbone(&count, &dim, NULL);
    float *want = run_backbone(&count, &classes_dim, "logits");
    assert_int_equal(count, 40);
    assert_int_equal(dim, f0t_classes_dim(classes));
    assert_int_equal(classes_dim, 1001);
    float *got = malloc(count * classes_dim * sizeof *got);
    assert_ok(f0t_classes_logits(got, classes, features, count));
    for (size_t i = 0; i < count * classes_dim; i++) {
        largest = fmax(largest, fabs((double)want[i]));
        off = fmax(off, fabs((double)want[i] - (double)got[i]));
    }
    print_message("off by %.2g of %.3g at most\n", off, largest);
    assert_true(largest > 5 && off < 2e-6 * largest);
    free(features);
    free(want);
    free(got);
    f0t_classes_close(classes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_beside_a_network_are_enough),
        cmocka_unit_test(the_file_beside_a_network_may_name_both),
        cmocka_unit_test(options_come_before_the_file_beside),
        cmocka_unit_test(a_description_names_the_network),
        cmocka_unit_test(other_weights_beside_the_network_are_not_those_described),
        cmocka_unit_test(a_network_without_classes_says_why),
        cmocka_unit_test(names_that_are_none_are_refused),
        cmocka_unit_test(names_outside_of_the_folder_are_not_read),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(the_layer_gives_what_the_network_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
