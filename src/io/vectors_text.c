#include "io/vectors_text.h"

#include "io/number.h"

#include <string.h>

f0t_line f0t_line_at(const char *p, const char *end, const char **next)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    f0t_line line = {p, newline ? newline : end};
    *next = newline ? newline + 1 : end;
    if (line.end > line.begin && line.end[-1] == '\r')
        line.end--;
    while (line.end > line.begin && line.end[-1] == ' ')
        line.end--;
    return line;
}

/* The last field of the line, which does not end with a space. */
static f0t_line last_field(f0t_line line)
{
    const char *p = line.end;
    while (p > line.begin && p[-1] != ' ')
        p--;
    return (f0t_line){p, line.end};
}

static f0t_line before_field(f0t_line line, f0t_line field)
{
    line.end = field.begin;
    while (line.end > line.begin && line.end[-1] == ' ')
        line.end--;
    return line;
}

static bool read_field(f0t_line field, float *value)
{
    return f0t_number_read(field.begin, field.end, value) == field.end;
}

size_t f0t_line_numbers(f0t_line line)
{
    size_t count = 0;
    float value;
    while (line.end > line.begin) {
        f0t_line field = last_field(line);
        if (field.begin == line.begin || !read_field(field, &value))
            break;
        line = before_field(line, field);
        count++;
    }
    return count;
}

/* The usual case, in one pass: a word without spaces, then `dim` numbers and the end. */
static bool parse_simple(f0t_line line, size_t dim, float *values, f0t_line *word)
{
    const char *p = memchr(line.begin, ' ', (size_t)(line.end - line.begin));
    if (!p)
        return false;
    *word = (f0t_line){line.begin, p};
    for (size_t i = 0; i < dim; i++) {
        if (p >= line.end || *p != ' ')
            return false;
        p = f0t_number_read(p + 1, line.end, &values[i]);
        if (!p)
            return false;
    }
    return p == line.end;
}

/* Words with spaces in them, fields that several spaces separate: from the end. */
static f0t_line_result parse_backwards(f0t_line line, size_t dim, float *values, f0t_line *word,
                                       f0t_line *bad)
{
    for (size_t i = dim; i > 0; i--) {
        f0t_line field = last_field(line);
        if (field.begin == line.begin)
            return F0T_LINE_SHORT;
        if (!read_field(field, &values[i - 1])) {
            *bad = field;
            return F0T_LINE_BAD;
        }
        line = before_field(line, field);
    }
    *word = line;
    return F0T_LINE_ROW;
}

f0t_line_result f0t_line_parse(f0t_line line, size_t dim, float *values, f0t_line *word,
                               f0t_line *bad)
{
    if (line.begin == line.end)
        return F0T_LINE_BLANK;
    if (parse_simple(line, dim, values, word))
        return F0T_LINE_ROW;
    return parse_backwards(line, dim, values, word, bad);
}
