/* Pictures by libvips: shrunk while they are read, upright, in sRGB, transparency on white. */
#include "picture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
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
 * trust SVG either, but this program is limit enough. */
static const char *const loaders[] = {
    "VipsForeignLoadJpeg",  "VipsForeignLoadPng",  "VipsForeignLoadWebp", "VipsForeignLoadTiff",
    "VipsForeignLoadNsgif", "VipsForeignLoadHeif", "VipsForeignLoadSvg"};

void decode_start(const char *program)
{
    if (VIPS_INIT(program))
        exit(1);
    vips_block_untrusted_set(TRUE);
    vips_operation_block_set("VipsForeignLoad", TRUE);
    for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++)
        vips_operation_block_set(loaders[i], FALSE);
    vips_concurrency_set(1);
    vips_cache_set_max(0);
}

static bool is_svg(const char *loader)
{
    return strstr(loader, "Svg") || strstr(loader, "svg");
}

/* libvips would wait for the other end of a pipe, and says less of what is wrong. */
static bool is_file(answer *to, const char *path)
{
    size_t size;
    const int fd = picture_file_open(to, path, &size);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static const char *find_loader(answer *to, const char *path)
{
    if (!is_file(to, path))
        return NULL;
    const char *loader = vips_foreign_find_load(path);
    if (!loader)
        fail_by_vips(to, F0T_ERROR_UNSUPPORTED);
    return loader;
}

/* What the header says; NULL, with the reason, when there is none or the picture is too large. */
static VipsImage *open_header(answer *to, const char *path, bool vector)
{
    VipsImage *image = vips_image_new_from_file(path, "access", VIPS_ACCESS_SEQUENTIAL, NULL);
    if (!image) {
        fail_by_vips(to, F0T_ERROR_FORMAT);
        return NULL;
    }
    const uint64_t pixels =
        (uint64_t)vips_image_get_width(image) * (uint64_t)vips_image_get_height(image);
    if (!vector && pixels > F0T_PICTURE_PIXELS_MAX) {
        answer_fail(to, F0T_ERROR_UNSUPPORTED, "has %d x %d pixels: %u million at the most",
                    vips_image_get_width(image), vips_image_get_height(image),
                    F0T_PICTURE_PIXELS_MAX / 1000000);
        g_object_unref(image);
        return NULL;
    }
    return image;
}

/* The side of a square that the picture fits into when its shorter side is `side`: the longer side,
 * which does not care which way the picture is turned. */
static int box_of(VipsImage *header, size_t side)
{
    const double width = vips_image_get_width(header), height = vips_image_get_height(header);
    const double longer = width > height ? width : height;
    const double shorter = width > height ? height : width;
    double box = (double)side * longer / shorter;
    const double most = (double)F0T_PICTURE_SHRUNK_MAX / (double)side;
    box = box < most ? box : most;
    return (int)(box < 1 ? 1 : box + 0.5);
}

/* Each takes `in`, which may be NULL after a failure, and gives a new image or NULL. */
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

static VipsImage *to_srgb(VipsImage *in)
{
    VipsImage *out = NULL;
    if (!in)
        return NULL;
    if (vips_colourspace(in, &out, VIPS_INTERPRETATION_sRGB, NULL))
        out = NULL;
    g_object_unref(in);
    return out;
}

static VipsImage *to_bytes(VipsImage *in)
{
    VipsImage *out = NULL;
    if (!in)
        return NULL;
    if (vips_cast(in, &out, VIPS_FORMAT_UCHAR, NULL))
        out = NULL;
    g_object_unref(in);
    return out;
}

static void take_pixels(answer *to, VipsImage *image)
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
    to->width = (size_t)vips_image_get_width(image);
    to->height = (size_t)vips_image_get_height(image);
    answer_add(to, pixels, size);
    g_free(pixels);
}

void decode_picture(answer *to, const char *path, size_t side, bool plain)
{
    VipsImage *shrunk = NULL;
    const char *loader = find_loader(to, path);
    VipsImage *header = loader ? open_header(to, path, is_svg(loader)) : NULL;
    if (!header)
        return;
    const int box = box_of(header, side);
    /* Without a profile colours are sRGB as they are: a way through one would change them. */
    const bool managed = vips_image_get_typeof(header, VIPS_META_ICC_NAME) &&
                         (!plain || vips_image_get_bands(header) != 3);
    const char *profile = managed ? "srgb" : NULL;
    g_object_unref(header);
    if (vips_thumbnail(path, &shrunk, box, "height", box, "size",
                       is_svg(loader) ? VIPS_SIZE_BOTH : VIPS_SIZE_DOWN, "fail_on",
                       VIPS_FAIL_ON_TRUNCATED, "intent", VIPS_INTENT_RELATIVE,
                       profile ? "export_profile" : NULL, profile, NULL))
        shrunk = NULL;
    VipsImage *image = to_bytes(flatten(to_srgb(shrunk)));
    if (image) {
        take_pixels(to, image);
        g_object_unref(image);
    } else {
        fail_by_vips(to, F0T_ERROR_FORMAT);
    }
}

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

bool decode_metadata(answer *to, embedded *out, const char *path)
{
    const char *loader = find_loader(to, path);
    *out = (embedded){.is_svg = loader && is_svg(loader)};
    if (!loader || out->is_svg)
        return loader != NULL;
    VipsImage *header = open_header(to, path, true);
    if (!header)
        return false;
    out->xmp = copy_blob(header, VIPS_META_XMP_NAME, &out->xmp_length);
    out->iptc = copy_blob(header, VIPS_META_IPTC_NAME, &out->iptc_length);
    g_object_unref(header);
    return true;
}
