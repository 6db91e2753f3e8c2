#include "image/packet.h"

#include <string.h>
#include <zlib.h>

/* XMP specification, part 3, 1.1.3 and 1.1.5 (2020 edition): what stands before the packet. */
static const char jpeg_main[] = "http://ns.adobe.com/xap/1.0/";
static const char jpeg_extended[] = "http://ns.adobe.com/xmp/extension/";
static const char png_keyword[] = "XML:com.adobe.xmp";
static const uint8_t png_signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

enum {
    JPEG_MOST = 65535 - 2 - (int)sizeof jpeg_main, /* bytes of a packet */
    PNG_HEAD = sizeof png_keyword + 4,             /* not packed, method, no language, no title */
    PNG_MOST = 1 << 24,
    APP0 = 0xE0,
    APP1 = 0xE1,
    APP2 = 0xE2,
    START_OF_SCAN = 0xDA,
    EXTENDED_HEAD = sizeof jpeg_extended + 32 + 4 + 4, /* name, checksum, length, offset */
    SEAM = 32 /* more bytes than the name of a list of keywords */
};

static f0t_status refuse(const char *name, const char *why)
{
    return f0t_fail(F0T_ERROR_UNSUPPORTED, "%s: tags cannot go into it: %s", name, why);
}

static f0t_status take_place(f0t_xmp_packet *p, size_t begin, size_t end, const uint8_t *text,
                             size_t length, const char *name)
{
    if (p->length)
        return refuse(name, "it has two XMP packets");
    if (!length)
        return refuse(name, "its XMP packet is empty");
    *p = (f0t_xmp_packet){p->is_png, begin, end, (const char *)text, length};
    return F0T_OK;
}

/* ---- JPEG ------------------------------------------------------------------------------------------ */

typedef struct jpeg {
    const uint8_t *bytes;
    size_t size;
    size_t after; /* where the segment before ends; bytes of 0xFF may fill up the way to the next */
    bool has_offsets;       /* an index of further pictures that counts bytes from its own place */
    uint8_t seam[2 * SEAM]; /* the end of one piece of extended XMP and the beginning of the next */
    size_t seam_length;
} jpeg;

static bool begins_with(const uint8_t *data, size_t length, const char *word, size_t word_length)
{
    return length >= word_length && !memcmp(data, word, word_length);
}

static bool names_keywords(const uint8_t *text, size_t length)
{
    static const char *const lists[] = {":subject", ":hierarchicalSubject", ":TagsList"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (memmem(text, length, lists[i], strlen(lists[i])))
            return true;
    return false;
}

/* What does not fit into one segment stands in others, in pieces. They stay as they are, for the packet's
 * reference to them does; but a list of keywords there would be a second one. */
static f0t_status see_extended(jpeg *j, const uint8_t *data, size_t length, const char *name)
{
    if (length <= EXTENDED_HEAD)
        return refuse(name, "its extended XMP is damaged");
    const uint8_t *text = data + EXTENDED_HEAD;
    const size_t size = length - EXTENDED_HEAD, part = size < SEAM ? size : SEAM;
    memcpy(j->seam + j->seam_length, text, part);
    if (names_keywords(text, size) || names_keywords(j->seam, j->seam_length + part))
        return refuse(name, "its keywords are in the extended part of its XMP");
    memcpy(j->seam, text + size - part, part);
    j->seam_length = part;
    return F0T_OK;
}

/* A segment's bytes after its length. */
static f0t_status see_segment(f0t_xmp_packet *p, jpeg *j, size_t at, size_t length,
                              const char *name)
{
    const uint8_t *data = j->bytes + at + 4;
    const int marker = j->bytes[at + 1];
    const size_t end = at + 4 + length;
    if (marker == APP1 && begins_with(data, length, jpeg_extended, sizeof jpeg_extended))
        return see_extended(j, data, length, name);
    if (marker == APP2 && begins_with(data, length, "MPF", 4))
        j->has_offsets = true;
    if (marker == APP1 && begins_with(data, length, jpeg_main, sizeof jpeg_main)) {
        if (j->has_offsets)
            return refuse(name, "its XMP stands after an index of further pictures");
        return take_place(p, at, end, data + sizeof jpeg_main, length - sizeof jpeg_main, name);
    }
    /* A new one goes after JFIF and EXIF, which want to be first. */
    if ((marker == APP0 || marker == APP1) && !p->length && p->end == j->after)
        p->begin = p->end = end;
    return F0T_OK;
}

static f0t_status find_jpeg(f0t_xmp_packet *p, const uint8_t *bytes, size_t size, const char *name)
{
    jpeg j = {.bytes = bytes, .size = size, .after = 2};
    size_t at = 2;
    p->begin = p->end = 2;
    while (size - at >= 4 && bytes[at] == 0xFF && bytes[at + 1] >= 0xC0) {
        if (bytes[at + 1] == 0xFF) {
            at++;
            continue;
        }
        const size_t length = (size_t)bytes[at + 2] << 8 | bytes[at + 3];
        if (bytes[at + 1] == START_OF_SCAN)
            return F0T_OK;
        if (length < 2 || length > size - at - 2)
            break;
        F0T_TRY(see_segment(p, &j, at, length - 2, name));
        at = j.after = at + 2 + length;
    }
    return f0t_fail(F0T_ERROR_FORMAT, "%s: is a damaged JPEG file: no segment at byte %zu", name,
                    at);
}

/* ---- PNG ------------------------------------------------------------------------------------------- */

static size_t number(const uint8_t *at)
{
    return (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
}

static f0t_status see_text(f0t_xmp_packet *p, const uint8_t *bytes, size_t at, size_t length,
                           const char *name)
{
    const uint8_t *data = bytes + at + 8, *end = data + length;
    if (!begins_with(data, length, png_keyword, sizeof png_keyword))
        return F0T_OK;
    const uint8_t *language = data + sizeof png_keyword + 2;
    if (language >= end || language[-2] != 0)
        return refuse(name, "its XMP is compressed");
    const uint8_t *title = memchr(language, 0, (size_t)(end - language));
    const uint8_t *text = title ? memchr(title + 1, 0, (size_t)(end - title - 1)) : NULL;
    if (!text)
        return refuse(name, "its XMP is damaged");
    return take_place(p, at, at + length + 12, text + 1, (size_t)(end - text - 1), name);
}

static f0t_status find_png(f0t_xmp_packet *p, const uint8_t *bytes, size_t size, const char *name)
{
    size_t at = sizeof png_signature;
    while (size - at >= 12) {
        const size_t length = number(bytes + at);
        if (length > size - at - 12 || (at == 8 && memcmp(bytes + at + 4, "IHDR", 4) != 0))
            break;
        if (!memcmp(bytes + at + 4, "iTXt", 4))
            F0T_TRY(see_text(p, bytes, at, length, name));
        if (at == 8)
            p->begin = p->end = at + length + 12;
        if (!memcmp(bytes + at + 4, "IEND", 4))
            return F0T_OK;
        at += length + 12;
    }
    return f0t_fail(F0T_ERROR_FORMAT, "%s: is a damaged PNG file: no chunk at byte %zu", name, at);
}

/* ---- Both ------------------------------------------------------------------------------------------ */

f0t_status f0t_xmp_packet_find(f0t_xmp_packet *packet, const void *data, size_t size,
                               const char *name)
{
    const uint8_t *bytes = data;
    *packet = (f0t_xmp_packet){.is_png = size >= 8 && !memcmp(bytes, png_signature, 8)};
    if (packet->is_png)
        return find_png(packet, bytes, size, name);
    if (size >= 4 && bytes[0] == 0xFF && bytes[1] == 0xD8)
        return find_jpeg(packet, bytes, size, name);
    return refuse(name, "only JPEG and PNG take them; a sidecar serves every picture");
}

static f0t_status write_jpeg(f0t_writer *writer, const char *text, size_t length, const char *name)
{
    const size_t size = 2 + sizeof jpeg_main + length;
    const uint8_t head[4] = {0xFF, APP1, (uint8_t)(size >> 8), (uint8_t)size};
    if (length > JPEG_MOST)
        return refuse(name, "its XMP would be more than a JPEG segment holds");
    F0T_TRY(f0t_writer_write(writer, head, sizeof head));
    F0T_TRY(f0t_writer_write(writer, jpeg_main, sizeof jpeg_main));
    return f0t_writer_write(writer, text, length);
}

static void put_number(uint8_t *to, size_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (24 - 8 * i));
}

static f0t_status write_png(f0t_writer *writer, const char *text, size_t length, const char *name)
{
    uint8_t head[8 + PNG_HEAD] = {0}, sum[4];
    if (length > PNG_MOST)
        return refuse(name, "its XMP would be more than 16 MB");
    put_number(head, PNG_HEAD + length);
    memcpy(head + 4, "iTXt", 4);
    memcpy(head + 8, png_keyword, sizeof png_keyword);
    uLong crc = crc32_z(crc32(0, NULL, 0), head + 4, sizeof head - 4);
    put_number(sum, crc32_z(crc, (const uint8_t *)text, length));
    F0T_TRY(f0t_writer_write(writer, head, sizeof head));
    F0T_TRY(f0t_writer_write(writer, text, length));
    return f0t_writer_write(writer, sum, sizeof sum);
}

f0t_status f0t_xmp_packet_write(f0t_writer *writer, const f0t_xmp_packet *place, const void *data,
                                size_t size, const char *text, size_t length, const char *name)
{
    const uint8_t *bytes = data;
    F0T_TRY(f0t_writer_write(writer, bytes, place->begin));
    if (length)
        F0T_TRY(place->is_png ? write_png(writer, text, length, name)
                              : write_jpeg(writer, text, length, name));
    return f0t_writer_write(writer, bytes + place->end, size - place->end);
}
