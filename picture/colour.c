/*
 * Colour profiles by Little CMS. To prepare one takes longer than to decode a photo, and a collection
 * has few of them, again and again: the last ones are kept.
 */
#include "picture.h"

#include <lcms2.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 32 };

typedef struct entry {
    void *profile;
    size_t length;
    cmsHTRANSFORM transform; /* NULL: colours stay as they are */
} entry;

static entry entries[KEPT];
static size_t next_entry;

/* Whether colours stay what they are, but for rounding: most profiles are sRGB itself. */
static bool changes_nothing(cmsHTRANSFORM transform)
{
    for (int r = 0; r <= 255; r += 51)
        for (int g = 0; g <= 255; g += 51)
            for (int b = 0; b <= 255; b += 51) {
                const unsigned char from[3] = {(unsigned char)r, (unsigned char)g,
                                               (unsigned char)b};
                unsigned char to[3];
                cmsDoTransform(transform, from, to, 1);
                for (int k = 0; k < 3; k++)
                    if (abs(from[k] - to[k]) > 1)
                        return false;
            }
    return true;
}

static cmsHTRANSFORM make_transform(const void *data, size_t length)
{
    cmsHTRANSFORM made = NULL;
    cmsHPROFILE from = cmsOpenProfileFromMem(data, (cmsUInt32Number)length);
    cmsHPROFILE to = cmsCreate_sRGBProfile();
    if (from && to && cmsGetColorSpace(from) == cmsSigRgbData)
        made =
            cmsCreateTransform(from, TYPE_RGB_8, to, TYPE_RGB_8, INTENT_RELATIVE_COLORIMETRIC, 0);
    if (made && changes_nothing(made)) {
        cmsDeleteTransform(made);
        made = NULL;
    }
    if (from)
        cmsCloseProfile(from);
    if (to)
        cmsCloseProfile(to);
    return made;
}

static const entry *find(const void *data, size_t length)
{
    for (size_t i = 0; i < KEPT; i++)
        if (entries[i].length == length && !memcmp(entries[i].profile, data, length))
            return &entries[i];
    return NULL;
}

static const entry *keep(const void *data, size_t length)
{
    entry *e = &entries[next_entry++ % KEPT];
    void *copy = malloc(length);
    if (!copy)
        exit(1);
    memcpy(copy, data, length);
    free(e->profile);
    if (e->transform)
        cmsDeleteTransform(e->transform);
    *e = (entry){copy, length, make_transform(data, length)};
    return e;
}

void colour_to_srgb(unsigned char *rgb, size_t count, const void *data, size_t length)
{
    if (!length)
        return;
    const entry *e = find(data, length);
    if (!e)
        e = keep(data, length);
    if (e->transform)
        cmsDoTransform(e->transform, rgb, rgb, (cmsUInt32Number)count);
}
