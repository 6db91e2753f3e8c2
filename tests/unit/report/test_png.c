#include "support.h"

#include "report/png.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static size_t number_at(const unsigned char *p)
{
    return (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
}

/* The data of the chunk of this type, whose checksum must be right; what follows goes to *next. */
static const unsigned char *chunk(const unsigned char *at, const char *type, size_t *size,
                                  const unsigned char **next)
{
    *size = number_at(at);
    assert_memory_equal(at + 4, type, 4);
    assert_int_equal(number_at(at + 8 + *size), crc32(0, at + 4, (uInt)(*size + 4)));
    *next = at + 12 + *size;
    return at + 8;
}

/* An independent reader: the filters of ISO/IEC 15948, section 9, that we write. */
static void unfilter(unsigned char *rgb, const unsigned char *raw, size_t stride, size_t height)
{
    for (size_t y = 0; y < height; y++)
        for (size_t i = 0; i < stride; i++) {
            const int filter = raw[y * (stride + 1)];
            assert_in_range(filter, 0, 2);
            const unsigned char left = i >= 3 ? rgb[y * stride + i - 3] : 0;
            const unsigned char above = y ? rgb[(y - 1) * stride + i] : 0;
            rgb[y * stride + i] =
                (unsigned char)(raw[y * (stride + 1) + 1 + i] + (filter == 1   ? left
                                                                 : filter == 2 ? above
                                                                               : 0));
        }
}

static void check(const unsigned char *rgb, size_t width, size_t height)
{
    f0t_text file = {0};
    size_t size;
    f0t_png_write(&file, rgb, width, height);
    assert_ok(file.status);
    const unsigned char *at = (const unsigned char *)file.bytes, *data;
    assert_memory_equal(at, "\x89PNG\r\n\x1A\n", 8);
    data = chunk(at + 8, "IHDR", &size, &at);
    assert_int_equal(size, 13);
    assert_int_equal(number_at(data), width);
    assert_int_equal(number_at(data + 4), height);
    assert_memory_equal(data + 8, "\x08\x02\0\0\0", 5);
    data = chunk(at, "IDAT", &size, &at);
    uLongf room = (uLongf)((3 * width + 1) * height);
    unsigned char *raw = malloc(room), *back = malloc(3 * width * height);
    assert_int_equal(uncompress(raw, &room, data, (uLong)size), Z_OK);
    assert_int_equal(room, (3 * width + 1) * height);
    unfilter(back, raw, 3 * width, height);
    assert_memory_equal(back, rgb, 3 * width * height);
    chunk(at, "IEND", &size, &at);
    assert_ptr_equal(at, file.bytes + file.size);
    free(raw);
    free(back);
    f0t_text_free(&file);
}

static void pixels_come_back(void **state)
{
    unsigned char rgb[24 * 17 * 3];
    (void)state;
    for (size_t i = 0; i < sizeof rgb; i++) { /* rows that suit each filter */
        const size_t row = i / 72 % 3;
        const size_t value = row == 0 ? i * 37 % 251 : row == 1 ? i / 3 : (size_t)rgb[i - 72] + 1;
        rgb[i] = (unsigned char)value;
    }
    check(rgb, 24, 17);
    check(rgb, 1, 1);
    check(rgb, 17, 24);
    check(rgb, 24 * 17, 1);
}

static void sizes_that_are_none_are_refused(void **state)
{
    f0t_text file = {0};
    (void)state;
    f0t_png_write(&file, NULL, 0, 5);
    assert_fails(F0T_ERROR_ARGUMENT, "a picture of 0 x 5 pixels", file.status);
    f0t_text_free(&file);
    f0t_png_write(&file, NULL, 1, F0T_PNG_SIDE_MOST + 1);
    assert_int_equal(file.status, F0T_ERROR_ARGUMENT);
    f0t_text_free(&file);
}

static f0t_status write_once(void *context)
{
    f0t_text file = {0};
    f0t_png_write(&file, context, 4, 4);
    f0t_status status = file.status;
    f0t_text_free(&file);
    return status;
}

static void a_lack_of_memory_is_told(void **state)
{
    unsigned char rgb[48] = {1, 2, 3};
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, write_once, rgb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels_come_back),
        cmocka_unit_test(sizes_that_are_none_are_refused),
        cmocka_unit_test(a_lack_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
