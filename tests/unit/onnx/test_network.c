/* Networks as the public header has them: what is no network of pictures, and numbers of pictures. */
#include "onnx_text.h"
#include "support.h"

#include "onnx/network.h"

#include <stdio.h>
#include <string.h>

static f0t_status open_text(f0t_network **out, onnx_bytes *file, const char *text,
                            const f0t_network_options *options)
{
    *file = onnx_from_text(text);
    return f0t_network_open_memory(out, file->data, file->size, "made", options, NULL);
}

static void what_is_no_network_of_pictures_is_refused(void **state)
{
    static const struct {
        const char *text, *output, *want;
    } rows[] = {
        {"x:float[N,3,4,4]; y=Relu(x); return y", "z", "there is no value 'z' in it"},
        {"x:float[N,3,4,4]; z:float[N,3,4,4]; y=Add(x,z); return y", NULL,
         "'y' depends on 2 inputs; a network of pictures has one"},
        {"c=float[1,3]{1..}; y=Relu(c); return y", NULL, "'y' depends on 0 inputs"},
        {"x:int64[N,3,4,4]; y=Abs(x); return y", NULL, "input 'x' is not float32 of N x C x H x W"},
        {"x:float[N,3]; y=Relu(x); return y", NULL, "input 'x' is not float32 of N x C x H x W"},
        {"x:float[N,3,4,4]; y=Shape(x); return y", NULL, "'y' is no row of numbers"},
        {"x:float[N,3,4,4]; y=ReduceSum<keepdims=0>(x); return y", NULL,
         "'y' is no row of numbers"},
        {"x:float[2,3,4,4]; y=ReduceSum(x); return y", NULL, "'y' is no row of numbers"},
        {"x:float[N,3,4,4]; s=int64[1]{0}; a=int64[1]{1}; y=Slice(x,s,s,a); return y", NULL,
         "'y' is no row of numbers"},
        {"x:float[N,3,4,4]; y=Loop(x); return y", NULL, "node 0 (Loop)"},
        {"x:float[N,3,4,4]; w=float[1,2,1,1]{1..}; y=Conv(x,w); return y", NULL,
         "the weights are for 2 channels, the input has 3"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        f0t_network *network;
        onnx_bytes file;
        f0t_network_options options = {.size = sizeof(f0t_network_options),
                                       .output = rows[k].output};
        f0t_status status = open_text(&network, &file, rows[k].text, &options);
        if (status == F0T_OK || !strstr(f0t_last_error(), rows[k].want))
            print_error("%s\n", rows[k].text);
        assert_int_not_equal(status, F0T_OK);
        assert_non_null(strstr(f0t_last_error(), rows[k].want));
        assert_null(network);
        onnx_bytes_free(&file);
    }
}

static void open_dimensions_are_filled_in(void **state)
{
    static const struct {
        const char *shape;
        size_t height, width; /* asked for */
        f0t_network_input want;
    } rows[] = {
        {"[N,3,H,W]", 0, 0, {"x", 3, 224, 224, false}}, {"[N,3,H,W]", 5, 7, {"x", 3, 5, 7, false}},
        {"[N,C,6,6]", 5, 7, {"x", 3, 6, 6, false}},     {"[N,1,6,6]", 0, 0, {"x", 1, 6, 6, false}},
        {"[N,6,8,3]", 0, 0, {"x", 3, 6, 8, true}},      {"[N,6,8,1]", 0, 0, {"x", 1, 6, 8, true}},
        {"[N,3,8,3]", 0, 0, {"x", 3, 8, 3, false}},     {"", 4, 4, {"x", 3, 4, 4, false}},
    };
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        f0t_network *network;
        onnx_bytes file;
        char text[128];
        f0t_network_options options = {
            .size = sizeof(f0t_network_options), .height = rows[k].height, .width = rows[k].width};
        snprintf(text, sizeof text, "x:float%s; r=Relu(x); y=Flatten(r); return y", rows[k].shape);
        assert_ok(open_text(&network, &file, text, &options));
        const f0t_network_input *got = f0t_network_get_input(network);
        assert_string_equal(got->name, rows[k].want.name);
        assert_int_equal(got->channels, rows[k].want.channels);
        assert_int_equal(got->height, rows[k].want.height);
        assert_int_equal(got->width, rows[k].want.width);
        assert_int_equal(got->channels_last, rows[k].want.channels_last);
        assert_int_equal(f0t_network_dim(network), got->channels * got->height * got->width);
        f0t_network_close(network);
        onnx_bytes_free(&file);
    }
}

/* Each picture gives the sum of its pixels, whatever the file says about how many come together. */
static void any_number_of_pictures_can_be_run(void **state)
{
    static const char *const batches[] = {"N", "1", "2", "4"};
    enum { IMAGES = 5, PIXELS = 3 };
    (void)state;
    for (size_t b = 0; b < sizeof batches / sizeof *batches; b++)
        for (size_t images = 1; images <= IMAGES; images++) {
            f0t_network *network;
            onnx_bytes file;
            char text[128];
            float pixels[IMAGES * PIXELS], got[IMAGES + 1];
            for (size_t k = 0; k < IMAGES * PIXELS; k++)
                pixels[k] = (float)k;
            got[images] = -1;
            snprintf(text, sizeof text,
                     "x:float[%s,3,1,1]; y=ReduceSum<axes=[1,2,3],keepdims=0>(x); opset 11; "
                     "return y",
                     batches[b]);
            assert_ok(open_text(&network, &file, text, NULL));
            assert_int_equal(f0t_network_dim(network), 1);
            assert_ok(f0t_network_run(got, network, pixels, images, NULL));
            for (size_t k = 0; k < images; k++)
                assert_true(got[k] == (float)(9 * k + 3));
            assert_true(got[images] == -1);
            f0t_network_close(network);
            onnx_bytes_free(&file);
        }
}

/* The shape in the file is of one picture: two cannot be reshaped by it. */
static void a_network_for_one_picture_says_so(void **state)
{
#define WEIGHTS                                                                               \
    "x:float[N,3,1,1]; w=float[256,3,1,1]{1,2..}; v=float[256,256,1,1]{1,2..}; d=Conv(x,w); " \
    "c=Conv(d,v); "
    f0t_network *network;
    onnx_bytes file;
    float pixels[6] = {0}, got[2 * 256];
    (void)state;
    assert_ok(
        open_text(&network, &file, WEIGHTS "s=int64[2]{1,256}; y=Reshape(c,s); return y", NULL));
    assert_ok(f0t_network_run(got, network, pixels, 1, NULL));
    assert_fails(F0T_ERROR_FORMAT, "512 elements do not become 256",
                 f0t_network_run(got, network, pixels, 2, NULL));
    f0t_network_close(network);
    onnx_bytes_free(&file);
    assert_ok(open_text(&network, &file,
                        WEIGHTS "a=int64[1]{0}; e=int64[1]{1}; y=Slice(c,a,e); return y", NULL));
#undef WEIGHTS
    assert_fails(F0T_ERROR_UNSUPPORTED, "cannot take 2 pictures at a time",
                 f0t_network_run(got, network, pixels, 2, NULL));
    f0t_network_close(network);
    onnx_bytes_free(&file);
}

static f0t_status open_and_run(void *context)
{
    const onnx_bytes *file = context;
    f0t_network *network;
    float pixels[9] = {0}, got[3];
    F0T_TRY(f0t_network_open_memory(&network, file->data, file->size, "made", NULL, NULL));
    f0t_status status = f0t_network_run(got, network, pixels, 3, NULL);
    f0t_network_close(network);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    onnx_bytes file = onnx_from_text(
        "x:float[2,3,1,1]; w=float[1,3,1,1]{1..}; c=Conv(x,w); y=Flatten(c); return y");
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, open_and_run, &file);
    onnx_bytes_free(&file);
}

/* A few bytes that ask for 51 MB per picture get no more of them by there being many threads. */
static void threads_share_the_limit_of_arrays(void **state)
{
    static const struct {
        const char *text;
        int least, most;
    } rows[] = {{"x:float[1,1,8,8]; y=Relu(x); return y", 32, 32},
                {"x:float[1,1,8,8]; n=int64[4]{1,200000,1,1}; t=Tile(x,n); "
                 "y=ReduceMean<axes=[1]>(t); return y",
                 1, 10}};
    (void)state;
    test_threads(32);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        f0t_network *network;
        onnx_bytes file;
        assert_ok(open_text(&network, &file, rows[k].text, NULL));
        assert_in_range(f0t_network_threads_apart(network, 64), rows[k].least, rows[k].most);
        assert_int_equal(f0t_network_threads_apart(network, 1), 1);
        assert_int_equal(f0t_network_threads_apart(network, 0), 1);
        f0t_network_close(network);
        onnx_bytes_free(&file);
    }
    test_threads(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_the_limit_of_arrays),
        cmocka_unit_test(what_is_no_network_of_pictures_is_refused),
        cmocka_unit_test(open_dimensions_are_filled_in),
        cmocka_unit_test(any_number_of_pictures_can_be_run),
        cmocka_unit_test(a_network_for_one_picture_says_so),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
