#include "image/xmp_wide.h"

#include "base/alloc.h"

#include <string.h>
#include <utf8proc.h>

bool f0t_xmp_is_wide(const char *text, size_t length)
{
    return length > 1 &&
           (!text[0] || !text[1] || !memcmp(text, "\xFE\xFF", 2) || !memcmp(text, "\xFF\xFE", 2));
}

/* ---- Units of a text ---------------------------------------------------------------------------------- */

typedef struct wide {
    const unsigned char *at, *end;
    size_t unit; /* bytes: 2 or 4 */
    bool little;
} wide;

/* By the byte order mark, or by where the zeros of its first character, a '<', are. */
static wide open_wide(const char *text, size_t length)
{
    wide w = {(const unsigned char *)text, (const unsigned char *)text + length, 2, false};
    w.little = w.at[0] && w.at[0] != 0xFE;
    if (length > 3 && (w.little ? !w.at[2] && !w.at[3] : !w.at[0] && !w.at[1]))
        w.unit = 4;
    return w;
}

/* Past the end 0. */
static uint32_t next_unit(wide *w)
{
    uint32_t unit = 0;
    if ((size_t)(w->end - w->at) < w->unit)
        return 0;
    for (size_t i = 0; i < w->unit; i++)
        unit = unit << 8 | w->at[w->little ? w->unit - 1 - i : i];
    w->at += w->unit;
    return unit;
}

/* -1 where it is none. */
static utf8proc_int32_t next_point(wide *w)
{
    const uint32_t first = next_unit(w);
    if (w->unit == 2 && first >= 0xD800 && first < 0xDC00) {
        const uint32_t second = next_unit(w);
        return second >= 0xDC00 && second < 0xE000
                   ? (utf8proc_int32_t)(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
                   : -1;
    }
    return first && first <= 0x10FFFF && utf8proc_codepoint_valid((utf8proc_int32_t)first)
               ? (utf8proc_int32_t)first
               : -1;
}

/* ---- All of it -------------------------------------------------------------------------------------------- */

/* Some programs fill up with zeros. */
static void skip_filling(wide *w)
{
    const unsigned char *end = w->end;
    while (end > w->at && !end[-1])
        end--;
    w->end = w->at + ((size_t)(end - w->at) + w->unit - 1) / w->unit * w->unit;
}

/* Where the text begins that says nothing of an encoding. */
static size_t skip_declaration(const char *text, size_t length)
{
    const char *stop = length > 6 && !memcmp(text, "<?xml", 5) && strchr(" \t\r\n", text[5])
                           ? memmem(text, length, "?>", 2)
                           : NULL;
    return stop ? (size_t)(stop + 2 - text) : 0;
}

f0t_status f0t_xmp_narrow(char **out, size_t *out_length, const char *text, size_t length)
{
    wide w = open_wide(text, length);
    const size_t whole = length - length % w.unit;
    utf8proc_uint8_t *made;
    size_t count = 0;
    *out = NULL;
    w.end = w.at + whole;
    skip_filling(&w);
    if (whole != length)
        return F0T_OK;
    F0T_TRY(f0t_alloc(&made, length / w.unit + 1, 4)); /* bytes of the longest character */
    while (w.at < w.end) {
        const utf8proc_int32_t point = next_point(&w);
        if (point < 0) {
            f0t_free(made);
            return F0T_OK;
        }
        if (count || point != 0xFEFF)
            count += (size_t)utf8proc_encode_char(point, made + count);
    }
    const size_t begin = skip_declaration((const char *)made, count);
    memmove(made, made + begin, count - begin);
    *out = (char *)made;
    *out_length = count - begin;
    return F0T_OK;
}
