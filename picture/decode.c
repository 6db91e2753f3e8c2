/*
 * Pictures by libvips: shrunk while they are read, upright, in sRGB, transparency on white.
 *
 * They are shrunk by whole numbers, which is quick and keeps means as they are; what looks at the pixels
 * has its own way to the size that it wants. libvips' own thumbnails take four times as long: they go
 * to the very size, by way of Lab where there is a profile, and open the file three times.
 */
#include "picture.h"
#include "svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <vips/vips.h>

/* libvips says what is wrong in several lines, the most general first: `VipsForeignLoad: file "PATH"
 * does not exist`. Who said it and the path go: the library puts the path before it. */
static const char *without_source(const char *line)
{
    const char *colon = strstr(line, ": ");
    if (colon && !strncmp(line, "Vips", 4))
        line = colon + 2;
    const char *open = strchr(line, '"');
    const char *close = open ? strchr(open + 1, '"') : NULL;
    const bool leads = open && (open == line || (open == line + 5 && !strncmp(line, "file ", 5)));
    return leads && close && close[1] == ' ' ? close + 2 : line;
}

static void fail_by_vips(answer *to, f0t_status status)
{
    char line[400];
    snprintf(line, sizeof line, "%s", vips_error_buffer());
    line[strcspn(line, "\n")] = 0;
    vips_error_clear();
    answer_fail(to, status, "%s", *line ? without_source(line) : "cannot be read");
}

/* All that may be read. libvips trusts none of its other loaders, or nobody needs them; it does not
 * trust the last three either, but this program is limit enough. */
static const char *const loaders[] = {
    "VipsForeignLoadJpeg", "VipsForeignLoadPng",   "VipsForeignLoadWebp",
    "VipsForeignLoadTiff", "VipsForeignLoadNsgif", "VipsForeignLoadHeif",
    "VipsForeignLoadSvg",  "VipsForeignLoadJp2k",  "VipsForeignLoadJxl"};

/* ImageMagick reads BMP, and nothing else: it is given bytes that begin as a BMP file does, and never
 * a name, which might ask for another of its hundred formats. */
static const char bmp_loader[] = "VipsForeignLoadMagickBuffer";
#define BMP_MAX ((size_t)512 << 20)

static bool reads_bitmaps;

static void allow(const char *loader)
{
    vips_operation_block_set(loader, FALSE);
}

void decode_start(const char *program, bool bitmaps)
{
    if (VIPS_INIT(program))
        exit(1);
    reads_bitmaps = bitmaps;
    vips_block_untrusted_set(TRUE);
    vips_operation_block_set("VipsForeignLoad", TRUE);
    for (size_t i = 0; !bitmaps && i < sizeof loaders / sizeof *loaders; i++)
        allow(loaders[i]);
    if (bitmaps)
        allow(bmp_loader);
    vips_concurrency_set(1);
    vips_cache_set_max(0);
}

static bool is_svg(const char *loader)
{
    return strstr(loader, "Svg") || strstr(loader, "svg");
}

static bool is_open(const char *loader)
{
    for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++)
        if (!strncmp(loader, loaders[i], strlen(loaders[i])))
            return true;
    return false;
}

/* libvips looks for "<svg" in the first thousand bytes, which a license before it may fill. */
static bool is_named_svg(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && !strcasecmp(name + length - 4, ".svg");
}

/* Where a picture's bytes are: in its file, or, where `data` is set, in memory. */
typedef struct source {
    int fd;
    const char *loader; /* libvips' name of what reads it */
    void *data;
    size_t length;
    bool mapped;
    preview raw; /* what `data` is part of, of a camera's raw file */
} source;

static void source_close(source *s)
{
    if (s->mapped)
        picture_file_unmap(s->data, s->length);
    free(s->raw.data);
}

static bool begins_with(const void *data, size_t length, const char *bytes)
{
    return length > strlen(bytes) && !memcmp(data, bytes, strlen(bytes));
}

/* Only what looks like a JPEG goes on: nothing else is expected here. */
static bool open_raw(answer *to, source *s)
{
    if (!raw_preview(to, &s->raw, s->fd))
        return false;
    s->data = s->raw.data;
    s->length = s->raw.length;
    s->loader = "VipsForeignLoadJpegBuffer";
    if (s->raw.width || begins_with(s->data, s->length, "\xFF\xD8\xFF"))
        return true;
    answer_fail(to, F0T_ERROR_FORMAT, "its preview is no JPEG");
    return false;
}

/* False, with the reason in `to`, where it is none. */
static bool open_bmp(answer *to, source *s)
{
    s->data = picture_file_map(to, s->fd, &s->length);
    s->mapped = s->data != NULL;
    s->loader = bmp_loader;
    if (!s->data)
        return false;
    if (s->length <= BMP_MAX && begins_with(s->data, s->length, "BM"))
        return true;
    answer_fail(to, F0T_ERROR_UNSUPPORTED, "is not a known file format");
    return false;
}

/* What libvips reads the file with, or NULL. */
static const char *find_loader(const source *s)
{
    VipsSource *bytes = vips_source_new_from_descriptor(s->fd);
    const char *loader = bytes ? vips_foreign_find_load_source(bytes) : NULL;
    if (bytes)
        g_object_unref(bytes);
    vips_error_clear();
    return loader && is_open(loader) ? loader : NULL;
}

/* Finds out what reads the file. False, with the reason in `to`, where nothing does; to be closed
 * either way. */
static bool source_open(answer *to, source *s, int fd, const char *name)
{
    *s = (source){.fd = fd};
    if (reads_bitmaps)
        return open_bmp(to, s);
    if (raw_is_named(name))
        return open_raw(to, s);
    s->loader = find_loader(s);
    if (!s->loader && is_named_svg(name))
        s->loader = "VipsForeignLoadSvg";
    if (!s->loader)
        answer_fail(to, F0T_ERROR_UNSUPPORTED, "is not a known file format");
    return s->loader != NULL;
}

static VipsImage *read_file(const source *s, const char *shrinks, int shrink)
{
    VipsSource *bytes = vips_source_new_from_descriptor(s->fd);
    VipsImage *image =
        bytes ? vips_image_new_from_source(bytes, "", "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                                           VIPS_FAIL_ON_TRUNCATED, shrinks, shrink, NULL)
              : NULL;
    if (bytes)
        g_object_unref(bytes);
    return image;
}

static VipsImage *read_header(const source *s, int shrink)
{
    const char *shrinks = shrink > 1 ? "shrink" : NULL;
    if (s->raw.width)
        return vips_image_new_from_memory(s->data, s->length, (int)s->raw.width, (int)s->raw.height,
                                          3, VIPS_FORMAT_UCHAR);
    if (s->data)
        return vips_image_new_from_buffer(s->data, s->length, "", "access", VIPS_ACCESS_SEQUENTIAL,
                                          "fail_on", VIPS_FAIL_ON_TRUNCATED, shrinks, shrink, NULL);
    return read_file(s, shrinks, shrink);
}

/* A preview lies as the sensor does, unless it says itself how it is to be turned. */
static VipsImage *set_orientation(VipsImage *in, const source *s)
{
    VipsImage *out = NULL;
    if (!s->raw.data || s->raw.orientation <= 1 || vips_image_get_orientation(in) != 1)
        return in;
    /* A bitmap says nothing of its colours; a JPEG does, and may be grey. */
    const VipsInterpretation colours =
        s->raw.width ? VIPS_INTERPRETATION_sRGB : vips_image_get_interpretation(in);
    if (vips_copy(in, &out, "interpretation", colours, NULL))
        out = NULL;
    g_object_unref(in);
    if (out)
        vips_image_set_int(out, VIPS_META_ORIENTATION, s->raw.orientation);
    return out;
}

/* A picture that is not yet read; NULL, with the reason, when there is none or it has more than `most` pixels. */
static VipsImage *open_picture(answer *to, const source *s, int shrink, uint64_t most)
{
    VipsImage *image = read_header(s, shrink);
    if (image)
        image = set_orientation(image, s);
    if (!image) {
        fail_by_vips(to, F0T_ERROR_FORMAT);
        return NULL;
    }
    const uint64_t pixels =
        (uint64_t)vips_image_get_width(image) * (uint64_t)vips_image_get_height(image);
    if (pixels > most) {
        answer_fail(to, F0T_ERROR_UNSUPPORTED, "has %d x %d pixels: at most %g million",
                    vips_image_get_width(image), vips_image_get_height(image), (double)most / 1e6);
        g_object_unref(image);
        return NULL;
    }
    return image;
}

/* ---- Shrinking ------------------------------------------------------------------------------------ */

/* The whole number by which the shorter side shrinks to `side` or little more; more where the picture
 * would still be too large. */
static int factor_of(VipsImage *image, size_t side)
{
    const double width = vips_image_get_width(image), height = vips_image_get_height(image);
    const double shorter = width < height ? width : height;
    const double least = ceil(sqrt(width * height / F0T_PICTURE_SHRUNK_MAX));
    return (int)fmax(fmax(floor(shorter / (double)side), least), 1);
}

/* libjpeg decodes at a half, a quarter and an eighth, and leaves out what is not needed. */
static VipsImage *shrink_on_load(answer *to, VipsImage *image, const source *s, size_t side)
{
    const int factor = factor_of(image, side);
    if (!strstr(s->loader, "Jpeg") || s->raw.width || factor < 2)
        return image;
    g_object_unref(image);
    return open_picture(to, s, factor >= 8 ? 8 : factor >= 4 ? 4 : 2, F0T_PICTURE_PIXELS_MAX);
}

/* SVG has no size of its own. */
static VipsImage *draw(answer *to, int fd, size_t side, uint64_t pixels)
{
    size_t length;
    char *text = picture_file_read(to, fd, &length);
    if (!text)
        return NULL;
    VipsImage *drawn = svg_draw(text, length, side, pixels);
    free(text);
    if (!drawn)
        fail_by_vips(to, F0T_ERROR_FORMAT);
    return drawn;
}

/* ---- Steps ---------------------------------------------------------------------------------------- */

/* Each takes `in`, which is NULL after a failure, and gives a new image or NULL. */

/* By how much `length` pixels shrink: by the factor, more where they are a line without end. */
static double shrink_of(int length, int factor)
{
    return fmin(fmax(factor, ceil((double)length / F0T_PICTURE_SIDE_MAX)), length);
}

static VipsImage *shrink(VipsImage *in, size_t side)
{
    VipsImage *out = NULL;
    if (!in)
        return NULL;
    const int factor = factor_of(in, side);
    const double across = shrink_of(vips_image_get_width(in), factor),
                 down = shrink_of(vips_image_get_height(in), factor);
    if (across <= 1 && down <= 1)
        return in;
    if (vips_shrink(in, &out, across, down, NULL))
        out = NULL;
    g_object_unref(in);
    return out;
}

static VipsImage *flatten(VipsImage *in)
{
    VipsImage *out = NULL;
    double white = 255;
    if (!in || !vips_image_hasalpha(in))
        return in;
    VipsArrayDouble *background = vips_array_double_new(&white, 1);
    if (vips_flatten(in, &out, "background", background, NULL))
        out = NULL;
    vips_area_unref(VIPS_AREA(background));
    g_object_unref(in);
    return out;
}

static VipsImage *by_profile(VipsImage *in)
{
    VipsImage *out = NULL;
    if (!in)
        return NULL;
    if (vips_icc_transform(in, &out, "srgb", "embedded", TRUE, "intent", VIPS_INTENT_RELATIVE,
                           NULL))
        out = NULL;
    g_object_unref(in);
    return out;
}

static VipsImage *to_srgb(VipsImage *in)
{
    VipsImage *out = NULL;
    if (!in || vips_image_get_interpretation(in) == VIPS_INTERPRETATION_sRGB)
        return in;
    if (vips_colourspace(in, &out, VIPS_INTERPRETATION_sRGB, NULL))
        out = NULL;
    g_object_unref(in);
    return out;
}

static VipsImage *to_bytes(VipsImage *in)
{
    VipsImage *out = NULL;
    if (!in || vips_image_get_format(in) == VIPS_FORMAT_UCHAR)
        return in;
    if (vips_cast(in, &out, VIPS_FORMAT_UCHAR, NULL))
        out = NULL;
    g_object_unref(in);
    return out;
}

/* Turning needs all rows at once; there are few left. */
static VipsImage *upright(VipsImage *in)
{
    VipsImage *out = NULL;
    if (!in || vips_image_get_orientation(in) == 1)
        return in;
    VipsImage *whole = vips_image_copy_memory(in);
    g_object_unref(in);
    if (!whole || vips_autorot(whole, &out, NULL))
        out = NULL;
    if (whole)
        g_object_unref(whole);
    return out;
}

/* ---- All of it ------------------------------------------------------------------------------------ */

/* A profile of its own, for pixels of three bytes; freed with free(). */
typedef struct profile {
    void *data;
    size_t length;
} profile;

static void *copy_blob(VipsImage *image, const char *name, size_t *length)
{
    const void *data;
    void *copy = NULL;
    *length = 0;
    if (vips_image_get_typeof(image, name) && !vips_image_get_blob(image, name, &data, length) &&
        *length <= F0T_PICTURE_TEXT_MAX)
        copy = malloc(*length + 1);
    if (copy)
        memcpy(copy, data, *length);
    else
        *length = 0;
    vips_error_clear();
    return copy;
}

/* The steps in their order. Colours of plain RGB are left to the end, when there are only bytes of
 * a small picture: colour.c. Without a profile they are sRGB as they are. */
static VipsImage *prepare(VipsImage *in, profile *own, size_t side, bool plain)
{
    const bool rgb = vips_image_get_interpretation(in) == VIPS_INTERPRETATION_sRGB &&
                     vips_image_get_format(in) == VIPS_FORMAT_UCHAR;
    const bool has_profile = vips_image_get_typeof(in, VIPS_META_ICC_NAME) != 0;
    if (rgb && has_profile && !vips_image_hasalpha(in))
        own->data = copy_blob(in, VIPS_META_ICC_NAME, &own->length);
    else if (has_profile && (!plain || !rgb))
        in = by_profile(in);
    if (in && vips_image_hasalpha(in))
        in = flatten(to_bytes(to_srgb(in)));
    return upright(to_bytes(to_srgb(shrink(in, side))));
}

static void take_pixels(answer *to, VipsImage *image, const profile *own, bool plain)
{
    size_t size = 0;
    if (vips_image_get_bands(image) != 3) {
        answer_fail(to, F0T_ERROR_UNSUPPORTED, "has %d colour channels",
                    vips_image_get_bands(image));
        return;
    }
    void *pixels = vips_image_write_to_memory(image, &size);
    if (!pixels) {
        fail_by_vips(to, F0T_ERROR_FORMAT);
        return;
    }
    if (own->data && !plain)
        colour_to_srgb(pixels, size / 3, own->data, own->length);
    to->width = (size_t)vips_image_get_width(image);
    to->height = (size_t)vips_image_get_height(image);
    answer_add(to, pixels, size);
    g_free(pixels);
}

/* The pixels, and then what else is wanted. */
static void take_all(answer *to, VipsImage *image, const profile *own,
                     const f0t_picture_request *request, f0t_picture_details *details)
{
    take_pixels(to, image, own, request->plain);
    if (request->details && to->status == F0T_OK)
        details_add(to, details, request->plain ? own->data : NULL, own->length);
}

static void decode(answer *to, const source *s, const f0t_picture_request *request)
{
    const size_t side = request->side;
    const uint64_t most = request->pixels && request->pixels < F0T_PICTURE_PIXELS_MAX
                              ? request->pixels
                              : F0T_PICTURE_PIXELS_MAX;
    profile own = {NULL, 0};
    f0t_picture_details details = {.taken = F0T_NO_DATE};
    const bool svg = is_svg(s->loader);
    VipsImage *image = svg ? draw(to, s->fd, side, most) : open_picture(to, s, 1, most);
    if (image && !svg) {
        details_of_header(&details, image);
        if (s->raw.data && details.taken == F0T_NO_DATE)
            details.taken = s->raw.taken;
        image = shrink_on_load(to, image, s, side);
    }
    if (!image)
        return;
    image = prepare(image, &own, side, request->plain);
    if (image) {
        take_all(to, image, &own, request, &details);
        g_object_unref(image);
    } else {
        fail_by_vips(to, F0T_ERROR_FORMAT);
    }
    free(own.data);
}

void decode_picture(answer *to, int fd, const char *name, const f0t_picture_request *request)
{
    source s;
    if (source_open(to, &s, fd, name))
        decode(to, &s, request);
    source_close(&s);
}

static void take_blobs(embedded *out, VipsImage *header)
{
    if (!out->xmp)
        out->xmp = copy_blob(header, VIPS_META_XMP_NAME, &out->xmp_length);
    if (!out->iptc)
        out->iptc = copy_blob(header, VIPS_META_IPTC_NAME, &out->iptc_length);
}

void decode_jpeg_metadata(embedded *out, const void *data, size_t length)
{
    VipsImage *header = NULL;
    if (!vips_jpegload_buffer((void *)(uintptr_t)data, length, &header, NULL)) {
        take_blobs(out, header);
        g_object_unref(header);
    }
    vips_error_clear();
}

/* libvips gives the XMP of HEIC and AVIF among their "heif-mime-NUMBER", and profiles of PNG among its
 * "png-comment-NUMBER-KEYWORD". */
static void *take_field(VipsImage *header, const char *name, GValue *value, void *context)
{
    embedded *out = context;
    const char *text, *keyword;
    size_t length;
    int number, begin = 0;
    (void)header;
    if (!strncmp(name, "heif-mime-", 10) && G_VALUE_TYPE(value) == VIPS_TYPE_BLOB) {
        const void *data = vips_value_get_blob(value, &length);
        embedded_keep_xmp(out, data, length);
    } else if (sscanf(name, "png-comment-%d-%n", &number, &begin) == 1 && begin &&
               G_VALUE_TYPE(value) == VIPS_TYPE_REF_STRING) {
        keyword = name + begin;
        text = vips_value_get_ref_string(value, &length);
        embedded_of_png_text(out, keyword, text ? text : "");
    }
    return NULL;
}

/* Of these libvips gives no XMP at all. */
static bool read_containers(answer *to, embedded *out, const source *s)
{
    static const char *const silent[] = {"Nsgif", "Jp2k", "Jxl"};
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
        size_t length;
        void *data;
        if (!strstr(s->loader, silent[i]))
            continue;
        data = picture_file_map(to, s->fd, &length);
        if (!data)
            return false;
        embedded_find(out, data, length);
        picture_file_unmap(data, length);
    }
    return true;
}

static bool read_metadata(answer *to, embedded *out, const source *s)
{
    out->is_svg = is_svg(s->loader);
    if (out->is_svg)
        return true;
    VipsImage *header = open_picture(to, s, 1, UINT64_MAX);
    if (!header)
        return false;
    take_blobs(out, header);
    vips_image_map(header, take_field, out);
    g_object_unref(header);
    return read_containers(to, out, s);
}

bool decode_metadata(answer *to, embedded *out, int fd, const char *name)
{
    source s;
    *out = (embedded){0};
    if (raw_is_named(name))
        return raw_metadata(to, out, fd);
    const bool read = source_open(to, &s, fd, name) && read_metadata(to, out, &s);
    source_close(&s);
    return read;
}
