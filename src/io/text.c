#include "io/text.h"

#include <string.h>
#include <utf8proc.h>

static bool is_control(unsigned char c)
{
    return (c < 0x20 && c != '\t') || c == 0x7F;
}

const char *f0t_text_fault(const char *text, size_t length)
{
    const unsigned char *c = (const unsigned char *)text, *end = c + length;
    while (c < end) {
        if (is_control(*c))
            return "a control character";
        if (*c < 0x80) {
            c++;
            continue;
        }
        utf8proc_int32_t point;
        utf8proc_ssize_t n = utf8proc_iterate(c, end - c, &point);
        if (n <= 0)
            return "not UTF-8";
        c += n;
    }
    return NULL;
}

bool f0t_text_is_word(const char *text, size_t length)
{
    size_t i = 0;
    while (i < length) {
        utf8proc_int32_t c = (unsigned char)text[i];
        if (c == 0 || c == '\n')
            return false;
        if (c < 0x80) {
            i++;
            continue;
        }
        utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)text + i,
                                              (utf8proc_ssize_t)(length - i), &c);
        if (n <= 0)
            return false;
        i += (size_t)n;
    }
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

void f0t_text_trim(const char **text, size_t *length)
{
    while (*length && is_blank((*text)[*length - 1]))
        --*length;
    while (*length && is_blank(**text)) {
        ++*text;
        --*length;
    }
}

f0t_status f0t_text_line(const char **line, size_t *length, f0t_stream *stream)
{
    char *text;
    *line = NULL;
    F0T_TRY(f0t_stream_line(&text, length, stream));
    if (!text)
        return F0T_OK;
    if (f0t_stream_line_number(stream) == 1 && *length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3)) {
        text += 3;
        *length -= 3;
    }
    const char *fault = f0t_text_fault(text, *length);
    if (fault)
        return f0t_text_fail(stream, "%s, UTF-8 text is expected", fault);
    *line = text;
    return F0T_OK;
}

f0t_status f0t_text_line_trimmed(const char **line, size_t *length, f0t_stream *stream)
{
    F0T_TRY(f0t_text_line(line, length, stream));
    if (*line)
        f0t_text_trim(line, length);
    return F0T_OK;
}
