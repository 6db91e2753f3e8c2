#include "support.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "image/preprocess.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const f0t_preprocess plain = {0, 2, 2, F0T_RESAMPLE_AREA, false, {0, 0, 0}, {1, 1, 1}};

static f0t_status run(float *out, const f0t_preprocess *p, const f0t_picture *picture, bool last)
{
    f0t_preprocess_plan plan = {.preprocess = p};
    f0t_status status = f0t_preprocess_run(out, &plan, picture, last);
    f0t_preprocess_plan_free(&plan);
    return status;
}

static void a_picture_of_the_right_size_stays_as_it_is(void **state)
{
    const uint8_t rgb[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const f0t_picture picture = {.width = 2, .height = 2, .rgb = rgb};
    const float planes[12] = {1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12};
    float out[12];
    (void)state;
    for (int kind = F0T_RESAMPLE_AREA; kind <= F0T_RESAMPLE_BICUBIC; kind++) {
        f0t_preprocess p = plain;
        p.resample = (f0t_resample)kind;
        assert_ok(run(out, &p, &picture, false));
        assert_memory_equal(out, planes, sizeof planes);
        assert_ok(run(out, &p, &picture, true));
        for (size_t i = 0; i < 12; i++)
            assert_true(out[i] == (float)rgb[i]);
    }
}

static void channels_mean_and_scale_are_applied(void **state)
{
    const uint8_t rgb[12] = {10, 20, 30, 10, 20, 30, 10, 20, 30, 10, 20, 30};
    const f0t_picture picture = {.width = 2, .height = 2, .rgb = rgb};
    const f0t_preprocess p = {0, 2, 2, F0T_RESAMPLE_AREA, true, {1, 2, 3}, {2, 3, 4}};
    float out[12];
    (void)state;
    assert_ok(run(out, &p, &picture, false));
    assert_true(out[0] == (30 - 1) * 2 && out[4] == (20 - 2) * 3 && out[8] == (10 - 3) * 4);
}

/* The mean of the old pixels that a new one covers, in parts of them. */
static double area(const f0t_picture *picture, size_t whole_w, size_t whole_h, size_t x, size_t y,
                   size_t k)
{
    const double sx = (double)picture->width / (double)whole_w;
    const double sy = (double)picture->height / (double)whole_h;
    double sum = 0, weight = 0;
    for (size_t r = 0; r < picture->height; r++)
        for (size_t c = 0; c < picture->width; c++) {
            const double w =
                fmin((double)c + 1, (double)(x + 1) * sx) - fmax((double)c, (double)x * sx);
            const double h =
                fmin((double)r + 1, (double)(y + 1) * sy) - fmax((double)r, (double)y * sy);
            if (w <= 0 || h <= 0)
                continue;
            sum += w * h * picture->rgb[(r * picture->width + c) * 3 + k];
            weight += w * h;
        }
    return sum / weight;
}

static void area_is_the_mean_of_what_a_pixel_covers(void **state)
{
    enum { W = 37, H = 23 };
    uint8_t rgb[W * H * 3];
    const f0t_picture picture = {.width = W, .height = H, .rgb = rgb};
    const f0t_preprocess p = {9, 7, 5, F0T_RESAMPLE_AREA, false, {0, 0, 0}, {1, 1, 1}};
    float out[3 * 5 * 7];
    const size_t wide =
        (9 * W + H / 2) / H; /* 14: the middle 7 begin at 3, the middle 5 of 9 at 2 */
    (void)state;
    for (size_t i = 0; i < sizeof rgb; i++)
        rgb[i] = (uint8_t)(i * 7919 % 251);
    assert_ok(run(out, &p, &picture, false));
    for (size_t y = 0; y < 5; y++)
        for (size_t x = 0; x < 7; x++)
            for (size_t k = 0; k < 3; k++) {
                const double want = area(&picture, wide, 9, x + (wide - 7) / 2, y + 2, k);
                assert_true(fabs((double)out[(k * 5 + y) * 7 + x] - want) < 0.51);
            }
}

static void one_colour_stays_that_colour(void **state)
{
    static const size_t sizes[][2] = {{1, 1}, {1, 300}, {500, 2}, {13, 17}};
    (void)state;
    for (size_t s = 0; s < 4; s++)
        for (int kind = F0T_RESAMPLE_AREA; kind <= F0T_RESAMPLE_BICUBIC; kind++) {
            uint8_t *rgb = malloc(sizes[s][0] * sizes[s][1] * 3);
            float out[3 * 16 * 16];
            const f0t_picture picture = {.width = sizes[s][0], .height = sizes[s][1], .rgb = rgb};
            f0t_preprocess p = {20, 16, 16, (f0t_resample)kind, false, {0, 0, 0}, {1, 1, 1}};
            memset(rgb, 99, sizes[s][0] * sizes[s][1] * 3);
            assert_ok(run(out, &p, &picture, false));
            for (size_t i = 0; i < 3 * 16 * 16; i++)
                assert_true(out[i] == 99);
            free(rgb);
        }
}

/* A plan serves pictures of one size after another, and of others. */
static void a_plan_is_used_again(void **state)
{
    enum { MOST = 40 * 40 * 3 };
    static const size_t sizes[][2] = {{37, 23}, {37, 23}, {23, 37}, {23, 23}, {40, 40}, {37, 23}};
    const f0t_preprocess p = {9, 7, 5, F0T_RESAMPLE_BICUBIC, true, {1, 2, 3}, {1, 2, 3}};
    f0t_preprocess_plan plan = {.preprocess = &p};
    uint8_t rgb[MOST];
    float out[3 * 5 * 7], want[3 * 5 * 7];
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const f0t_picture picture = {.width = sizes[s][0], .height = sizes[s][1], .rgb = rgb};
        for (size_t i = 0; i < MOST; i++)
            rgb[i] = (uint8_t)(i * (7919 + s) % 251);
        assert_ok(run(want, &p, &picture, false));
        assert_ok(f0t_preprocess_run(out, &plan, &picture, false));
        assert_memory_equal(out, want, sizeof want);
    }
    f0t_preprocess_plan_free(&plan);
}

static f0t_status parse(f0t_preprocess *out, const char *text)
{
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    f0t_status status = f0t_preprocess_parse(out, json, "test");
    json_decref(json);
    return status;
}

#define REST "\"mean\": [1, 2, 3], \"scale\": [1, 1, 1]}"

static void descriptions_are_read_and_written(void **state)
{
    static const char *const presets[] = {"imagenet", "caffe-vgg", "mobilenet", "clip"};
    f0t_preprocess p, again;
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_ok(f0t_preprocess_preset(&p, presets[i]));
        json_t *json = f0t_preprocess_describe(&p);
        assert_ok(f0t_preprocess_parse(&again, json, "test"));
        json_decref(json);
        assert_true(again.side == p.side && again.width == p.width && again.bgr == p.bgr);
        assert_true(again.resample == p.resample && again.mean[1] == p.mean[1]);
        assert_true(again.scale[2] == p.scale[2]);
    }
    assert_ok(parse(&p, "{\"resize\": {\"shorter_side\": 256, \"kernel\": \"area\"}, \"crop\": "
                        "{\"centre\": 224}, \"channels\": \"BGR\", " REST));
    assert_true(p.side == 256 && p.height == 224 && p.bgr);
}

static void wrong_descriptions_are_refused(void **state)
{
    f0t_preprocess p;
    (void)state;
    assert_fails(F0T_ERROR_NOT_FOUND, "imagenet, caffe-vgg", f0t_preprocess_preset(&p, "x"));
    assert_fails(F0T_ERROR_FORMAT, "crop", parse(&p, "{" REST));
    assert_fails(F0T_ERROR_FORMAT, " must be from 1 to 4096",
                 parse(&p, "{\"crop\": {\"centre\": 0}, " REST));
    assert_fails(
        F0T_ERROR_FORMAT, "the crop is larger than the shorter side",
        parse(&p, "{\"resize\": {\"shorter_side\": 9}, \"crop\": {\"centre\": 10}, " REST));
    assert_fails(F0T_ERROR_FORMAT, " is 'cubic': area, bilinear or bicubic is expected",
                 parse(&p, "{\"resize\": {\"shorter_side\": 9, \"kernel\": \"cubic\"}, \"crop\": "
                           "{\"centre\": 9}, " REST));
    assert_fails(F0T_ERROR_FORMAT, " must be three numbers",
                 parse(&p, "{\"crop\": {\"centre\": 9}, \"mean\": [1, 2], \"scale\": [1, 1, 1]}"));
    assert_fails(F0T_ERROR_FORMAT, "pad",
                 parse(&p, "{\"crop\": {\"centre\": 9}, \"pad\": 1, " REST));
    assert_fails(F0T_ERROR_FORMAT, "width",
                 parse(&p, "{\"resize\": {\"width\": 9}, \"crop\": {\"centre\": 9}, " REST));
    assert_fails(F0T_ERROR_FORMAT, " is 'HSV': RGB or BGR is expected",
                 parse(&p, "{\"crop\": {\"centre\": 9}, \"channels\": \"HSV\", " REST));
}

static f0t_status run_once(void *context)
{
    const uint8_t rgb[12] = {0};
    const f0t_picture picture = {.width = 2, .height = 2, .rgb = rgb};
    float out[12];
    (void)context;
    return run(out, &plain, &picture, false);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, run_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_of_the_right_size_stays_as_it_is),
        cmocka_unit_test(channels_mean_and_scale_are_applied),
        cmocka_unit_test(area_is_the_mean_of_what_a_pixel_covers),
        cmocka_unit_test(one_colour_stays_that_colour),
        cmocka_unit_test(a_plan_is_used_again),
        cmocka_unit_test(descriptions_are_read_and_written),
        cmocka_unit_test(wrong_descriptions_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
