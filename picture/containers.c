/*
 * XMP and IPTC of files whose metadata libvips does not give: JPEG 2000, JPEG XL and CR3 (boxes), GIF (blocks), cameras'
 * raw files (TIFF inside), and the profiles that ImageMagick puts into the text of a PNG.
 *
 * Each reader takes the first XMP and the first IPTC that it finds. What breaks the rules of its format ends the search:
 * whether the picture can be read is not decided here.
 */
#include "picture.h"

#include <brotli/decode.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that are read from the front; every read checks what is left. */
typedef struct bytes {
    const unsigned char *data;
    size_t length;
} bytes;

static bytes after(bytes b, size_t skipped)
{
    skipped = skipped < b.length ? skipped : b.length;
    return (bytes){b.data + skipped, b.length - skipped};
}

static bool begins_with(bytes b, const void *with, size_t length)
{
    return b.length >= length && !memcmp(b.data, with, length);
}

/* ---- What is kept ------------------------------------------------------------------------------- */

static void keep(void **to, size_t *to_length, bytes b)
{
    if (*to || !b.length || b.length > F0T_PICTURE_TEXT_MAX)
        return;
    *to = malloc(b.length);
    *to_length = *to ? b.length : 0;
    if (*to)
        memcpy(*to, b.data, b.length);
}

void embedded_keep_xmp(embedded *out, const void *data, size_t length)
{
    const char *text = data;
    static const char rdf[] = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
    while (length && !text[length - 1]) /* what fills a box, or ends a text */
        length--;
    if (length && memmem(data, length, rdf, sizeof rdf - 1))
        keep(&out->xmp, &out->xmp_length, (bytes){data, length});
}

static void keep_iptc(embedded *out, bytes b)
{
    keep(&out->iptc, &out->iptc_length, b);
}

void embedded_free(embedded *e)
{
    free(e->xmp);
    free(e->iptc);
    *e = (embedded){0};
}

/* ---- Boxes -------------------------------------------------------------------------------------- */

static uint64_t big_endian(const unsigned char *at, size_t size)
{
    uint64_t number = 0;
    for (size_t i = 0; i < size; i++)
        number = number << 8 | at[i];
    return number;
}

/* A box of JPEG XL whose content is compressed: four bytes of its true type, then Brotli (ISO/IEC 18181-2). */
static void take_compressed(embedded *out, bytes content)
{
    size_t length = F0T_PICTURE_TEXT_MAX;
    unsigned char *text = begins_with(content, "xml ", 4) && !out->xmp ? malloc(length) : NULL;
    content = after(content, 4);
    if (text && BrotliDecoderDecompress(content.length, content.data, &length, text) ==
                    BROTLI_DECODER_RESULT_SUCCESS)
        embedded_keep_xmp(out, text, length);
    free(text);
}

/* The identifiers are those of XMP's specification, part 3, and of exiftool's Jpeg2000.pm. */
static void take_uuid(embedded *out, bytes content)
{
    enum { ID = 16 };
    static const unsigned char xmp[ID] = {0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8,
                                          0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC};
    static const unsigned char iptc[][ID] = {{0x33, 0xC7, 0xA4, 0xD2, 0xB8, 0x1D, 0x47, 0x23, 0xA0,
                                              0xBA, 0xF1, 0xA3, 0xE0, 0x97, 0xAD, 0x38},
                                             {0x09, 0xA1, 0x4E, 0x97, 0xC0, 0xB4, 0x42, 0xE0, 0xBE,
                                              0xBF, 0x36, 0xDF, 0x6F, 0x0C, 0xE3, 0x6F},
                                             {0x2C, 0x4C, 0x01, 0x00, 0x85, 0x04, 0x40, 0xB9, 0xA0,
                                              0x3E, 0x56, 0x21, 0x48, 0xD6, 0xDF, 0xEB}};
    const bytes rest = after(content, ID);
    if (begins_with(content, xmp, ID))
        embedded_keep_xmp(out, rest.data, rest.length);
    for (size_t i = 0; i < sizeof iptc / sizeof *iptc; i++)
        if (begins_with(content, iptc[i], ID))
            keep_iptc(out, rest);
}

/* Boxes of the outermost level (ISO/IEC 14496-12, 4.2): a length of four bytes, 1 for one of eight after the type, 0 for all
 * that is left. */
static void take_boxes(embedded *out, bytes file)
{
    while (file.length >= 8) {
        const uint64_t small = big_endian(file.data, 4);
        const size_t header = small == 1 ? 16 : 8;
        if (file.length < header)
            return;
        const uint64_t size = small == 1   ? big_endian(file.data + 8, 8)
                              : small == 0 ? file.length
                                           : small;
        if (size < header || size > file.length)
            return;
        const bytes content = {file.data + header, (size_t)size - header};
        if (!memcmp(file.data + 4, "uuid", 4))
            take_uuid(out, content);
        else if (!memcmp(file.data + 4, "xml ", 4))
            embedded_keep_xmp(out, content.data, content.length);
        else if (!memcmp(file.data + 4, "brob", 4))
            take_compressed(out, content);
        file = after(file, (size_t)size);
    }
}

/* ---- GIF ---------------------------------------------------------------------------------------- */

/* The rest after sub-blocks, each after a byte of its length; a length of 0 ends them. */
static bytes skip_blocks(bytes b)
{
    while (b.length && *b.data)
        b = after(b, 1 + (size_t)*b.data);
    return after(b, 1);
}

/* The bytes of a table of colours that the flags announce. */
static size_t size_of_colours(unsigned char flags)
{
    return flags & 0x80 ? (size_t)3 << ((flags & 7) + 1) : 0;
}

/* XMP is not cut into blocks: a trailer of 257 bytes, of which each leads a reader of blocks to their end (XMP's
 * specification, part 3, 1.1.2). */
static void take_application(embedded *out, bytes at, bytes end)
{
    enum { TRAILER = 257 };
    const size_t length = at.length - end.length;
    if (length > TRAILER + 1)
        embedded_keep_xmp(out, at.data, length - TRAILER - 1);
}

static void take_gif(embedded *out, bytes file)
{
    static const char xmp[] = "\x21\xFF\x0BXMP DataXMP";
    file = after(file, 13 + (file.length > 10 ? size_of_colours(file.data[10]) : 0));
    while (file.length > 2) {
        if (*file.data == ',') { /* an image: its own colours, a code's size, its pixels */
            file = skip_blocks(
                after(file, 11 + (file.length > 9 ? size_of_colours(file.data[9]) : 0)));
        } else if (*file.data == '!') {
            const bytes next = skip_blocks(after(file, 2));
            if (begins_with(file, xmp, sizeof xmp - 1))
                take_application(out, after(file, sizeof xmp - 1), next);
            file = next;
        } else {
            return;
        }
    }
}

/* ---- TIFF --------------------------------------------------------------------------------------- */

static uint32_t number_of(const bytes *file, size_t at, size_t size)
{
    uint32_t number = 0;
    for (size_t i = 0; i < size; i++)
        number |= (uint32_t)file->data[at + i]
                  << 8 * (*file->data == 'I' ? i : size - 1 - i); /* "II": the least first */
    return number;
}

/* Tags 700 (XMP) and 33723 (IPTC) of the first directory: TIFF 6.0, section 2. */
static void take_tiff(embedded *out, bytes file)
{
    enum { ENTRY = 12 };
    static const unsigned char sizes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8};
    const size_t directory = file.length >= 8 ? number_of(&file, 4, 4) : 0;
    if (directory < 8 || directory + 2 > file.length)
        return;
    const size_t count = number_of(&file, directory, 2);
    for (size_t i = 0; i < count && directory + 2 + (i + 1) * ENTRY <= file.length; i++) {
        const size_t entry = directory + 2 + i * ENTRY;
        const uint32_t tag = number_of(&file, entry, 2), type = number_of(&file, entry + 2, 2);
        const uint64_t size =
            (uint64_t)number_of(&file, entry + 4, 4) * (type < sizeof sizes ? sizes[type] : 0);
        const size_t at = size <= 4 ? entry + 8 : number_of(&file, entry + 8, 4);
        if ((tag != 700 && tag != 33723) || at > file.length || size > file.length - at)
            continue;
        if (tag == 700)
            embedded_keep_xmp(out, file.data + at, (size_t)size);
        else
            keep_iptc(out, (bytes){file.data + at, (size_t)size});
    }
}

/* ---- By what the file begins with ----------------------------------------------------------------- */

void embedded_find(embedded *out, const void *data, size_t length)
{
    const bytes file = {data, length};
    if (begins_with(file, "GIF8", 4))
        take_gif(out, file);
    else if (begins_with(file, "II", 2) || begins_with(file, "MM", 2))
        take_tiff(out, file);
    else
        take_boxes(out, file);
}

bool raw_find_jpeg(const void **jpeg, size_t *jpeg_length, const void *data, size_t length)
{
    enum { PLACE = 84 }; /* where RAF says where its JPEG is, and how long */
    const bytes file = {data, length};
    if (!begins_with(file, "FUJIFILM", 8) || length < PLACE + 8)
        return false;
    const uint64_t at = big_endian(file.data + PLACE, 4),
                   size = big_endian(file.data + PLACE + 4, 4);
    if (!size || at > length || size > length - at)
        return false;
    *jpeg = file.data + at;
    *jpeg_length = (size_t)size;
    return true;
}

/* ---- PNG ---------------------------------------------------------------------------------------- */

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Pairs of hexadecimal digits, in lines; as many bytes as there are. */
static size_t read_hex(unsigned char *to, const char *text)
{
    size_t digits = 0;
    for (; *text; text++) {
        const int digit = digit_of(*text);
        if (digit < 0)
            continue;
        to[digits / 2] = (unsigned char)(digits % 2 ? to[digits / 2] | digit : digit << 4);
        digits++;
    }
    return digits / 2;
}

/* "\niptc\n      40\n3842…": a line of its kind, a line of its length, the bytes in hexadecimal digits. */
void embedded_of_png_text(embedded *out, const char *keyword, const char *text)
{
    static const char profile[] = "Raw profile type ", jpeg[] = "http://ns.adobe.com/xap/1.0/";
    if (strncmp(keyword, profile, sizeof profile - 1) != 0 || strlen(text) > F0T_PICTURE_TEXT_MAX)
        return;
    const char *kind = keyword + sizeof profile - 1;
    for (int line = 0; line < 2 && text; line++) {
        text += strspn(text, "\n");
        text = strchr(text, '\n');
    }
    unsigned char *bytes_of = text ? malloc(strlen(text) / 2 + 1) : NULL;
    if (!bytes_of)
        return;
    bytes b = {bytes_of, read_hex(bytes_of, text)};
    if (!strcmp(kind, "iptc") || !strcmp(kind, "8bim")) {
        keep_iptc(out, b);
    } else if (!strcmp(kind, "xmp") || !strcmp(kind, "APP1")) {
        b = begins_with(b, jpeg, sizeof jpeg) ? after(b, sizeof jpeg) : b;
        embedded_keep_xmp(out, b.data, b.length);
    }
    free(bytes_of);
}
