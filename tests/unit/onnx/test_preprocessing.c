#include "support.h"

#include "onnx/preprocessing.h"

#include <math.h>
#include <string.h>

static f0t_status parse(f0t_preprocessing *out, const char *text)
{
    return f0t_preprocessing_parse(out, text, strlen(text), "p.json");
}

static void every_preset_has_three_finite_means_and_scales(void **state)
{
    (void)state;
    for (const char *const *name = f0t_preprocessing_presets(); *name; name++) {
        f0t_preprocessing p;
        assert_ok(f0t_preprocessing_find(&p, *name));
        assert_int_equal(p.crop, 224);
        for (size_t k = 0; k < 3; k++) {
            assert_true(p.mean[k] > 100 && p.mean[k] < 130);
            assert_true(p.scale[k] > 0.005F && p.scale[k] <= 1);
        }
    }
    f0t_preprocessing p;
    assert_fails(F0T_ERROR_NOT_FOUND, "caffe-vgg", f0t_preprocessing_find(&p, "imagenette"));
}

static void imagenet_makes_white_what_torchvision_makes_it(void **state)
{
    f0t_preprocessing p;
    (void)state;
    assert_ok(f0t_preprocessing_find(&p, "imagenet"));
    assert_true(fabsf((255 - p.mean[0]) * p.scale[0] - (1 - 0.485F) / 0.229F) < 1e-5F);
    assert_ok(f0t_preprocessing_find(&p, "clip"));
    assert_true(fabsf((255 - p.mean[2]) * p.scale[2] - (1 - 0.40821073F) / 0.27577711F) < 1e-5F);
}

static void the_file_beside_a_network_is_read(void **state)
{
    f0t_preprocessing p;
    (void)state;
    assert_ok(f0t_preprocessing_load(&p, test_data("mobilenet_v2/mobilenet_v2.json")));
    assert_string_equal(p.input, "image");
    assert_string_equal(p.output, "features");
    assert_int_equal(p.shorter_side, 256);
    assert_int_equal(p.kernel, F0T_RESIZE_AREA);
    assert_int_equal(p.crop, 224);
    assert_false(p.bgr);
    assert_true(p.mean[1] == 128 && p.scale[2] == 0.0078125F);
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    for (const char *const *name = f0t_preprocessing_presets(); *name; name++) {
        f0t_preprocessing p, again;
        json_t *object;
        assert_ok(f0t_preprocessing_find(&p, *name));
        assert_ok(f0t_preprocessing_write(&object, &p));
        assert_ok(f0t_preprocessing_read(&again, object, "again"));
        assert_true(f0t_preprocessing_equal(&p, &again));
        again.crop++;
        assert_false(f0t_preprocessing_equal(&p, &again));
        json_decref(object);
    }
}

static void a_preset_may_be_changed(void **state)
{
    f0t_preprocessing p;
    (void)state;
    assert_ok(parse(&p, "{\"preset\": \"clip\", \"crop\": {\"centre\": 336}, \"resize\": "
                        "{\"width\": 336, \"height\": 336, \"kernel\": \"linear\"}}"));
    assert_int_equal(p.crop, 336);
    assert_int_equal(p.shorter_side, 0);
    assert_int_equal(p.width, 336);
    assert_true(p.mean[0] > 122);
}

static void wrong_descriptions_are_refused(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"{\"preset\": \"x\"}", "p.json: there is no preprocessing 'x'"},
        {"{\"means\": [1,2,3]}", "means"},
        {"{\"mean\": [1,2]}", "\"mean\" must be three numbers"},
        {"{\"mean\": [1,2,\"3\"]}", "\"mean\" must be three numbers"},
        {"{\"scale\": [1,2,1e300]}", "\"scale\" must be three numbers"},
        {"{\"channels\": \"GRB\"}", "'GRB', not RGB or BGR"},
        {"{\"resize\": {\"width\": 3}}", "either a shorter_side"},
        {"{\"resize\": {\"shorter_side\": -1}}", "-1, not a size"},
        {"{\"resize\": {\"shorter_side\": 99999999}}", "not a size"},
        {"{\"resize\": {\"kernel\": \"box\"}}", "kernel 'box'"},
        {"{\"resize\": {\"side\": 3}}", "side"},
        {"{\"crop\": {\"center\": 3}}", "center"},
        {"[]", "no object"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        f0t_preprocessing p;
        f0t_status status = parse(&p, cases[k].text);
        assert_true(status == F0T_ERROR_FORMAT || status == F0T_ERROR_NOT_FOUND);
        assert_non_null(strstr(f0t_last_error(), cases[k].says));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_preset_has_three_finite_means_and_scales),
        cmocka_unit_test(imagenet_makes_white_what_torchvision_makes_it),
        cmocka_unit_test(the_file_beside_a_network_is_read),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(a_preset_may_be_changed),
        cmocka_unit_test(wrong_descriptions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
