#include "image/thumbnail.h"

#include "image/protocol.h"

#include <string.h>

/* Markers of ITU-T T.81, table B.1. */
enum {
    SOF0 = 0xC0,
    SOF2 = 0xC2,
    DHT = 0xC4,
    SOI = 0xD8,
    EOI = 0xD9,
    SOS = 0xDA,
    DQT = 0xDB,
    DRI = 0xDD,
    APP0 = 0xE0
};

static size_t big_endian(const uint8_t *at)
{
    return (size_t)at[0] << 8 | at[1];
}

static bool is_frame(uint8_t marker)
{
    return marker >= SOF0 && marker <= SOF2;
}

/* Of a frame's segment: its length, the bits of a sample, height, width. */
static bool has_sides(const uint8_t *segment, size_t length)
{
    if (length < 8)
        return false;
    const size_t height = big_endian(segment + 3), width = big_endian(segment + 5);
    return height > 0 && height <= F0T_PICTURE_THUMBNAIL_SIDE && width > 0 &&
           width <= F0T_PICTURE_THUMBNAIL_SIDE;
}

/* JFIF's own, of that length: a version, a density, and no picture inside. Others may say what they like there. */
static bool is_jfif(const uint8_t *segment, size_t length)
{
    static const char name[] = "JFIF";
    return length == 16 && !memcmp(segment + 2, name, sizeof name) && !segment[14] && !segment[15];
}

static bool is_known(uint8_t marker)
{
    return marker == DHT || marker == DQT || marker == DRI || marker == APP0 || marker == SOS ||
           is_frame(marker);
}

/* After the entropy-coded bytes of a scan: at the next marker that is none of theirs. */
static size_t skip_scan(const uint8_t *jpeg, size_t at, size_t size)
{
    while (at + 1 < size &&
           (jpeg[at] != 0xFF || !jpeg[at + 1] || (jpeg[at + 1] >= 0xD0 && jpeg[at + 1] <= 0xD7)))
        at++;
    return at;
}

bool f0t_thumbnail_is_plain(const uint8_t *jpeg, size_t size)
{
    size_t at = 2;
    int frames = 0, scans = 0;
    if (size < 4 || jpeg[0] != 0xFF || jpeg[1] != SOI)
        return false;
    while (at + 4 <= size && jpeg[at] == 0xFF && is_known(jpeg[at + 1])) {
        const uint8_t marker = jpeg[at + 1];
        const size_t length = big_endian(jpeg + at + 2);
        if (length < 2 || length > size - at - 2 ||
            (marker == APP0 && !is_jfif(jpeg + at + 2, length)) ||
            (is_frame(marker) && (frames++ || !has_sides(jpeg + at + 2, length))))
            return false;
        at += 2 + length;
        if (marker == SOS) {
            scans++;
            at = skip_scan(jpeg, at, size);
        }
    }
    return frames == 1 && scans && at + 2 == size && jpeg[at] == 0xFF && jpeg[at + 1] == EOI;
}
