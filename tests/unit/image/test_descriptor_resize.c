#include "support.h"

#include "image/descriptor.h"

#include <math.h>
#include <string.h>

enum { SIDE = F0T_WORK_SIDE };

static f0t_work_scratch scratch;
static float picture[3 * F0T_WORK_PIXELS];

static float at(size_t channel, size_t y, size_t x)
{
    return picture[channel * F0T_WORK_PIXELS + y * F0T_WORK_STRIDE + x + 1];
}

/* The weight of input pixel j in output pixel i, before normalisation: by definition. */
static double weight(size_t size, size_t i, size_t j)
{
    double scale = (double)size / SIDE, reach = fmax(scale, 1);
    double x = ((double)j + 0.5 - ((double)i + 0.5) * scale) / reach * acos(-1);
    if (fabs(x) >= acos(-1))
        return 0;
    return (x == 0 ? 1 : sin(x) / x) * (0.54 + 0.46 * cos(x));
}

static double plain(const uint8_t *rgb, size_t width, size_t height, const size_t place[3])
{
    double sum = 0, all = 0;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            double w = weight(height, place[1], y) * weight(width, place[2], x);
            sum += w * rgb[(y * width + x) * 3 + place[0]];
            all += w;
        }
    return sum / all / 255;
}

static uint8_t *noise(size_t width, size_t height)
{
    uint8_t *rgb;
    uint32_t state = 1;
    assert_ok(f0t_alloc(&rgb, width * height, 3));
    for (size_t i = 0; i < width * height * 3; i++) {
        state = state * 1664525 + 1013904223;
        rgb[i] = (uint8_t)(60 + (state >> 24) / 2);
    }
    return rgb;
}

static void every_pixel_is_the_windowed_mean_of_those_it_covers(void **state)
{
    (void)state;
    const size_t sizes[][2] = {{171, 128}, {300, 200}, {511, 37}, {5, 3}, {1, 1}, {512, 130}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        uint8_t *rgb = noise(sizes[s][0], sizes[s][1]);
        f0t_work_resize(picture, &scratch, rgb, sizes[s][0], sizes[s][1]);
        for (size_t i = 0; i < 40; i++) {
            size_t place[3] = {i % 3, i * 53 % SIDE, i * 29 % SIDE};
            double want = plain(rgb, sizes[s][0], sizes[s][1], place);
            assert_true(fabs(at(place[0], place[1], place[2]) - want) < 1e-5);
        }
        f0t_free(rgb);
    }
}

static void a_picture_of_the_working_size_stays_as_it_is(void **state)
{
    (void)state;
    uint8_t *rgb = noise(SIDE, SIDE);
    f0t_work_resize(picture, &scratch, rgb, SIDE, SIDE);
    for (size_t i = 0; i < SIDE * SIDE * 3; i++)
        assert_true(fabs(at(i % 3, i / 3 / SIDE, i / 3 % SIDE) - rgb[i] / 255.0) < 1e-6);
    f0t_free(rgb);
}

static void the_border_is_repeated(void **state)
{
    (void)state;
    uint8_t *rgb = noise(200, 150);
    f0t_work_resize(picture, &scratch, rgb, 200, 150);
    for (size_t i = 0; i < 3 * SIDE; i++) {
        const float *row = picture + i * F0T_WORK_STRIDE;
        assert_true(row[0] == row[1] && row[SIDE + 1] == row[SIDE]);
    }
    f0t_free(rgb);
}

/* Beyond 512 pixels blocks are averaged first: a slope stays the same slope. */
static void large_pictures_keep_their_slopes(void **state)
{
    (void)state;
    const size_t sizes[][2] = {{1100, 20}, {20, 2049}, {700, 900}};
    for (size_t s = 0; s < 3; s++) {
        size_t width = sizes[s][0], height = sizes[s][1];
        uint8_t *rgb;
        assert_ok(f0t_alloc(&rgb, width * height, 3));
        for (size_t i = 0; i < width * height; i++) {
            rgb[i * 3] = (uint8_t)(255 * (i % width) / width);
            rgb[i * 3 + 1] = (uint8_t)(255 * (i / width) / height);
            rgb[i * 3 + 2] = 77;
        }
        f0t_work_resize(picture, &scratch, rgb, width, height);
        for (size_t i = 4; i < SIDE - 4; i++) {
            double want = ((double)i + 0.5) / SIDE;
            assert_true(width < SIDE || fabs(at(0, 64, i) - want) < 0.006);
            assert_true(height < SIDE || fabs(at(1, i, 64) - want) < 0.006);
            assert_true(fabs(at(2, i, 127 - i) - 77 / 255.0) < 1e-5);
        }
        f0t_free(rgb);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pixel_is_the_windowed_mean_of_those_it_covers),
        cmocka_unit_test(a_picture_of_the_working_size_stays_as_it_is),
        cmocka_unit_test(the_border_is_repeated),
        cmocka_unit_test(large_pictures_keep_their_slopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
