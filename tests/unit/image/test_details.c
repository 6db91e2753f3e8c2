/* What a catalogue keeps of a picture besides its pixels, as the process that decodes tells it: picture/details.c. */
#include "one_worker.h"
#include "pictures.h"

static f0t_picture_extra wanted;

static f0t_picture decode(const char *path, bool plain)
{
    f0t_picture p;
    const f0t_picture_source source = {.path = path, .extra = &wanted};
    assert_ok(f0t_worker_decode_source(&p, worker, &source, 256, plain));
    return p;
}

/* ---- Dates ----------------------------------------------------------------------------------------- */

/* Exif with one text: TIFF's directories (6.0, section 2), the second of which, Exif's own, has DateTimeOriginal. */
static size_t write_exif(uint8_t *to, const char *date)
{
    static const uint8_t head[] = {'E', 'x', 'i', 'f',  0,    0, 'M', 'M', 0,    42, 0, 0, 0,
                                   8,   0,   1,   0x87, 0x69, 0, 4,   0,   0,    0,  1, 0, 0,
                                   0,   26,  0,   0,    0,    0, 0,   1,   0x90, 3,  0, 2, 0,
                                   0,   0,   20,  0,    0,    0, 44,  0,   0,    0,  0};
    const size_t size = sizeof head + 20;
    to[0] = 0xFF;
    to[1] = 0xE1;
    to[2] = 0;
    to[3] = (uint8_t)(size + 2);
    memcpy(to + 4, head, sizeof head);
    memset(to + 4 + sizeof head, 0, 20);
    memcpy(to + 4 + sizeof head, date, strlen(date));
    return size + 4;
}

static int64_t date_of(const char *date)
{
    uint8_t with[8192], *plain;
    size_t size;
    plain = (uint8_t *)test_read(test_source("pictures/quarters.jpg"), &size);
    assert_in_range(size, 100, sizeof with - 200);
    memcpy(with, plain, 2); /* after the first marker */
    const size_t added = write_exif(with + 2, date);
    memcpy(with + 2 + added, plain + 2, size - 2);
    free(plain);
    return decode(test_file("dated.jpg", with, size + added), false).taken;
}

static void dates_are_those_of_the_camera(void **state)
{
    (void)state;
    assert_true(date_of("2012:05:01 12:34:56") == INT64_C(1335875696));
    assert_true(date_of("1970:01:01 00:00:00") == 0);
    assert_true(date_of("1901:12:31 23:59:60") == -INT64_C(2145916800)); /* a leap second */
    assert_true(decode(test_source("pictures/quarters.jpg"), false).taken == F0T_NO_DATE);
}

static void dates_that_are_none_are_left_out(void **state)
{
    static const char *const none[] = {"",
                                       "0000:00:00 00:00:00",
                                       "    :  :     :  :  ",
                                       "1799:01:01 00:00:00",
                                       "2012:13:01 00:00:00",
                                       "2012:01:00 00:00:00",
                                       "2012:01:32 00:00:00",
                                       "2012:01:01 24:00:00",
                                       "2012:01:01 00:60:00",
                                       "2012:01:01 00:00:61",
                                       "2012-01-01 00:00:00",
                                       "2012:1:1 0:0:0"};
    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (date_of(none[i]) != F0T_NO_DATE)
            fail_msg("'%s' is taken for a date", none[i]);
}

/* ---- Sizes and thumbnails -------------------------------------------------------------------------- */

/* The thumbnail as a picture, which stays until the next call. */
static f0t_picture decode_thumbnail(const f0t_picture *of)
{
    f0t_picture p;
    assert_non_null(of->thumbnail);
    const char *path = test_file("thumbnail.jpg", of->thumbnail, of->thumbnail_size);
    assert_ok(f0t_worker_decode(&p, worker, path, 256, true));
    return p;
}

static void a_thumbnail_is_small_and_never_larger(void **state)
{
    static uint8_t pixels[600 * 300 * 3];
    f0t_picture p = decode(png_write("wide.png", pixels, 600, 300, 3, 0), false);
    (void)state;
    assert_int_equal(p.whole_width, 600);
    assert_int_equal(p.whole_height, 300);
    p = decode_thumbnail(&p);
    assert_int_equal(p.width, 256);
    assert_int_equal(p.height, 128);
    p = decode(png_write("small.png", pixels, 30, 20, 3, 0), false);
    p = decode_thumbnail(&p);
    assert_int_equal(p.width, 30);
    assert_int_equal(p.height, 20);
}

static void sizes_are_those_of_the_upright_picture(void **state)
{
    f0t_picture p = decode(test_source("pictures/turned.jpg"), false);
    (void)state;
    assert_int_equal(p.whole_width, 48);
    assert_int_equal(p.whole_height, 32);
    p = decode_thumbnail(&p);
    assert_int_equal(p.width, 48);
    assert_int_equal(p.height, 32);
}

/* Whoever shows it knows of no profile: the upper left quarter is 220, 30, 40 there, and other numbers in the file. */
static void the_colours_of_a_thumbnail_are_srgb(void **state)
{
    static const int red[] = {220, 30, 40};
    (void)state;
    for (int plain = 0; plain < 2; plain++) {
        f0t_picture p = decode(test_source("pictures/p3.png"), plain);
        p = decode_thumbnail(&p);
        const uint8_t *at = p.rgb + 3 * (p.height / 4 * p.width + p.width / 4);
        for (int k = 0; k < 3; k++)
            assert_in_range(at[k], red[k] - 9, red[k] + 9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_are_those_of_the_camera),
        cmocka_unit_test(dates_that_are_none_are_left_out),
        cmocka_unit_test(a_thumbnail_is_small_and_never_larger),
        cmocka_unit_test(sizes_are_those_of_the_upright_picture),
        cmocka_unit_test(the_colours_of_a_thumbnail_are_srgb),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
