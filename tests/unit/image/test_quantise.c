/* Networks in eight bits by pictures: what is refused, and what is written beside them. */
#include "onnx_text.h"
#include "pictures.h"
#include "support.h"

#include "fast0tag.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>

#define CONV \
    "image:float[1,3,8,8]; w=float[4,3,8,8]{-0.3,-0.299..}; c=Conv(image,w); f=Flatten(c); "

static const char *write_network(const char *text)
{
    onnx_bytes file = onnx_from_text(text);
    const char *path = test_file("floats.onnx", file.data, file.size);
    onnx_bytes_free(&file);
    test_text("floats.json", "{\"crop\": {\"centre\": 8}, \"mean\": [0, 0, 0], "
                             "\"scale\": [1, 1, 1]}");
    return path;
}

static const char *write_picture(void)
{
    uint8_t pixels[8 * 8 * 3];
    for (size_t k = 0; k < sizeof pixels; k++)
        pixels[k] = (uint8_t)(k * 37);
    return png_write("one.png", pixels, 8, 8, 3, 0);
}

static f0t_status quantise_well(const char *to, const char *network, const char *output,
                                double cosine)
{
    f0t_quantize_options options = F0T_QUANTIZE_OPTIONS;
    f0t_quantize_report report;
    const char *picture = write_picture();
    options.output = output;
    options.cosine = cosine;
    return f0t_network_quantize(&report, to, network, &picture, 1, &options, NULL);
}

static f0t_status quantise(const char *to, const char *network, const char *output)
{
    return quantise_well(to, network, output, 0.5);
}

static void features_that_are_no_numbers_are_refused(void **state)
{
    const char *to = test_path("eight.onnx");
    (void)state;
    const char *network =
        write_network(CONV "z=float[]{0}; m=Mul(f,z); features=Div(m,z); return features");
    assert_int_equal(quantise(to, network, "features"), F0T_ERROR_UNSUPPORTED);
    assert_non_null(strstr(f0t_last_error(), "no finite numbers"));
    assert_false(f0t_path_exists(to));
}

static void the_output_goes_beside(void **state)
{
    const char *to = test_path("eight.onnx");
    char *text;
    size_t size;
    (void)state;
    const char *network = write_network(CONV "y=Relu(f); return y");
    assert_ok(quantise(to, network, "f"));
    assert_ok(f0t_file_read(&text, &size, test_path("eight.json"), 1 << 16, NULL));
    assert_non_null(strstr(text, "\"output\": \"f\""));
    f0t_free(text);
    assert_ok(quantise(to, network, "f"));
    assert_int_equal(quantise(to, network, "c"), F0T_ERROR_ARGUMENT);
    assert_non_null(strstr(f0t_last_error(), "eight.json is there already"));
}

/* Of two ways to say the same in an old set, one counts; the network in eight bits, of a newer set, must not have the other: its
 * features would be more numbers than there is room for. */
static void what_an_old_set_says_twice_is_refused(void **state)
{
    static const char *const ends[] = {
        "features=Pad<pads=[0,0,0,0],paddings=[0,0,0,-3]>(f); return features",
        "p=int64[4]{0,0,0,-3}; features=Pad<pads=[0,0,0,0]>(f,p); return features",
        "a=int64[1]{1}; u=Unsqueeze(f,a); features=ReduceMean<axes=[1]>(u); return features"};
    const char *to = test_path("twice.onnx");
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char text[1024];
        snprintf(text, sizeof text, "opset 10; " CONV "%s", ends[i]);
        assert_fails(F0T_ERROR_UNSUPPORTED, "it is of operator set 10, and is written otherwise",
                     quantise(to, write_network(text), "features"));
        assert_false(f0t_path_exists(to));
    }
}

static void pictures_of_another_size_are_refused(void **state)
{
    (void)state;
    assert_fails(F0T_ERROR_MISMATCH,
                 "takes 9 x 9 pixels of 3 channels, but pictures are prepared as 8 x 8 of 3",
                 quantise(test_path("nine.onnx"),
                          write_network("image:float[1,3,9,9]; w=float[4,3,9,9]{-0.3,-0.299..}; "
                                        "c=Conv(image,w); f=Flatten(c); return f"),
                          "f"));
}

static void what_eight_bits_cannot_is_told(void **state)
{
    const char *to = test_path("exact.onnx");
    (void)state;
    assert_fails(F0T_ERROR_UNSUPPORTED, "even one layer in eight bits leaves a cosine of 1.00000",
                 quantise_well(to, write_network(CONV "return f"), "f", 1));
    assert_false(f0t_path_exists(to));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_that_are_no_numbers_are_refused),
        cmocka_unit_test(the_output_goes_beside),
        cmocka_unit_test(what_an_old_set_says_twice_is_refused),
        cmocka_unit_test(pictures_of_another_size_are_refused),
        cmocka_unit_test(what_eight_bits_cannot_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
