#include "svg.h"

#include "image/protocol.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Sizes in points and millimetres ----------------------------------------------------------- */

/* The first tag <svg …>: where it begins, and its ">". */
typedef struct root {
    const char *begin, *end;
} root;

static bool find_root(root *out, const char *text, size_t length)
{
    char quote = 0;
    const char *at = memmem(text, length, "<svg", 4);
    if (!at)
        return false;
    *out = (root){.begin = at};
    for (; at < text + length; at++) {
        if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? 0 : *at;
        else if (!quote && *at == '>') {
            out->end = at;
            return true;
        }
    }
    return false;
}

static const char BLANKS[] = " \t\r\n";

/* The value of an attribute: what is between its quotes; NULL when there is none. Blanks may be around
 * the "=" (XML 1.0, production 25); no search goes beyond the tag's ">". */
static const char *find_value(const root *tag, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = tag->begin + 4; at + length < tag->end; at++) {
        if (strncmp(at, name, length) != 0 || !strchr(BLANKS, at[-1]))
            continue;
        const char *value = at + length + strspn(at + length, BLANKS);
        if (*value != '=')
            continue;
        value += 1 + strspn(value + 1, BLANKS);
        if (*value == '"' || *value == '\'')
            return value + 1;
    }
    return NULL;
}

/* Pixels of a length that is in another absolute unit: an inch has 96 (CSS Values and Units, section
 * 6.2). 0 for all else. */
static double pixels_of(const char *value)
{
    static const struct {
        const char *unit;
        double pixels;
    } units[] = {{"pt", 96.0 / 72}, {"pc", 16}, {"mm", 96 / 25.4}, {"cm", 96 / 2.54}, {"in", 96}};
    char *end = NULL;
    const double number = value ? g_ascii_strtod(value, &end) : 0;
    for (size_t i = 0; value && i < sizeof units / sizeof *units; i++)
        if (!strncasecmp(end, units[i].unit, 2) && number > 0 && number < 1e6)
            return number * units[i].pixels;
    return 0;
}

/* libvips draws with 72 pixels an inch, whatever it is told: of what is drawn in pixels on a page whose
 * size is in points or millimetres it cuts off a quarter. Such a page gets the view that it means. */
static char *with_view(const char *text, size_t *length)
{
    root tag;
    char view[128], sizes[2][G_ASCII_DTOSTR_BUF_SIZE], *copy;
    if (!find_root(&tag, text, *length) || find_value(&tag, "viewBox"))
        return NULL;
    const double width = pixels_of(find_value(&tag, "width")),
                 height = pixels_of(find_value(&tag, "height"));
    if (width <= 0 || height <= 0 || !strchr(BLANKS, tag.begin[4]))
        return NULL;
    const size_t more = (size_t)snprintf(view, sizeof view, " viewBox=\"0 0 %s %s\"",
                                         g_ascii_dtostr(sizes[0], sizeof sizes[0], width),
                                         g_ascii_dtostr(sizes[1], sizeof sizes[1], height));
    const size_t before = (size_t)(tag.begin + 4 - text);
    copy = malloc(*length + more);
    if (!copy)
        return NULL;
    memcpy(copy, text, before);
    memcpy(copy + before, view, more);
    memcpy(copy + before + more, text + before, *length - before);
    *length += more;
    return copy;
}

/* ---- Drawing ----------------------------------------------------------------------------------- */

static VipsImage *load(char *text, size_t length, double scale)
{
    VipsImage *image = NULL;
    if (vips_svgload_buffer(text, length, &image, "scale", scale, "access", VIPS_ACCESS_SEQUENTIAL,
                            "fail_on", VIPS_FAIL_ON_TRUNCATED, NULL))
        return NULL;
    return image;
}

static VipsImage *draw(char *text, size_t length, size_t side, double most)
{
    VipsImage *header = load(text, length, 1), *drawn, *whole = NULL;
    if (!header)
        return NULL;
    const double width = vips_image_get_width(header), height = vips_image_get_height(header);
    g_object_unref(header);
    drawn =
        load(text, length, fmin((double)side / fmin(width, height), sqrt(most / (width * height))));
    if (drawn) {
        whole = vips_image_copy_memory(drawn); /* the text goes */
        g_object_unref(drawn);
    }
    return whole;
}

VipsImage *svg_draw(char *text, size_t length, size_t side, uint64_t pixels)
{
    char *viewed = with_view(text, &length);
    const double most =
        fmin(fmax((double)pixels, (double)side * (double)side), F0T_PICTURE_SHRUNK_MAX);
    VipsImage *drawn = draw(viewed ? viewed : text, length, side, most);
    free(viewed);
    return drawn;
}
