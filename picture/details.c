/* What a catalogue wants to know of a picture besides its pixels: a thumbnail, when it was taken, its size. */
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vips/vips.h>

/* ---- From the header ---------------------------------------------------------------------------- */

/* "2012:05:01 12:34:56", and whatever libvips adds, as seconds since 1970 by the clock of the camera. */
static bool read_date(int64_t *out, const char *text)
{
    struct tm date = {0};
    int length = 0;
    if (sscanf(text, "%4d:%2d:%2d %2d:%2d:%2d%n", &date.tm_year, &date.tm_mon, &date.tm_mday,
               &date.tm_hour, &date.tm_min, &date.tm_sec, &length) != 6 ||
        length != 19 || date.tm_year < 1800 || date.tm_mon < 1 || date.tm_mon > 12 ||
        date.tm_mday < 1 || date.tm_mday > 31 || date.tm_hour > 23 || date.tm_min > 59 ||
        date.tm_sec > 60)
        return false;
    date.tm_year -= 1900;
    date.tm_mon -= 1;
    *out = timegm(&date);
    return true;
}

void details_of_header(f0t_picture_details *out, VipsImage *header)
{
    static const char *const dates[] = {"exif-ifd2-DateTimeOriginal", "exif-ifd2-DateTimeDigitized",
                                        "exif-ifd0-DateTime"};
    const bool lies = vips_image_get_orientation(header) > 4;
    const uint32_t width = (uint32_t)vips_image_get_width(header),
                   height = (uint32_t)vips_image_get_height(header);
    *out = (f0t_picture_details){
        .taken = F0T_NO_DATE, .width = lies ? height : width, .height = lies ? width : height};
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        const char *text;
        if (vips_image_get_typeof(header, dates[i]) &&
            !vips_image_get_string(header, dates[i], &text) && read_date(&out->taken, text))
            break;
    }
    vips_error_clear();
}

/* ---- The thumbnail ------------------------------------------------------------------------------ */

static VipsImage *from_pixels(const void *pixels, int width, int height)
{
    VipsImage *bare = vips_image_new_from_memory(pixels, 3 * (size_t)width * (size_t)height, width,
                                                 height, 3, VIPS_FORMAT_UCHAR),
              *out = NULL;
    if (bare && vips_copy(bare, &out, "interpretation", VIPS_INTERPRETATION_sRGB, NULL))
        out = NULL;
    if (bare)
        g_object_unref(bare);
    return out;
}

/* Pixels of the picture, small; freed with g_free(). */
static void *make_small(const answer *a, int *width, int *height)
{
    size_t size;
    void *pixels = NULL;
    VipsImage *whole = from_pixels(a->data, (int)a->width, (int)a->height), *small = NULL;
    const double longer = fmax((double)a->width, (double)a->height);
    if (whole && !vips_resize(whole, &small, fmin(1, F0T_PICTURE_THUMBNAIL_SIDE / longer), NULL)) {
        pixels = vips_image_write_to_memory(small, &size);
        *width = vips_image_get_width(small);
        *height = vips_image_get_height(small);
        g_object_unref(small);
    }
    if (whole)
        g_object_unref(whole);
    return pixels;
}

static void *encode(void *pixels, int width, int height, size_t *length)
{
    VipsImage *image = from_pixels(pixels, width, height);
    void *jpeg = NULL;
    if (!image || vips_jpegsave_buffer(image, &jpeg, length, "Q", 78, "strip", TRUE, NULL))
        jpeg = NULL;
    if (image)
        g_object_unref(image);
    return jpeg;
}

void details_add(answer *to, f0t_picture_details *details, const void *profile, size_t length)
{
    int width = 0, height = 0;
    size_t size = 0;
    unsigned char *small = make_small(to, &width, &height);
    if (small && profile)
        colour_to_srgb(small, (size_t)width * (size_t)height, profile, length);
    void *jpeg = small ? encode(small, width, height, &size) : NULL;
    if (!jpeg || size > F0T_PICTURE_THUMBNAIL_MAX)
        size = 0;
    details->thumbnail = (uint32_t)size;
    answer_add(to, (const char *)details, sizeof *details);
    if (size)
        answer_add(to, jpeg, size);
    g_free(jpeg);
    g_free(small);
    vips_error_clear();
}
