#include "base/alloc.h"
#include "io/file.h"

#include <string.h>

/* The list that the caller sees, and what it points to. */
typedef struct tag_file {
    f0t_tags shown;
    char **items;
    size_t capacity;
} tag_file;

void f0t_tags_free(f0t_tags *tags)
{
    tag_file *file = (tag_file *)tags;
    if (!file)
        return;
    for (size_t i = 0; i < file->shown.count; i++)
        f0t_free(file->items[i]);
    f0t_free(file->items);
    f0t_free(file);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static f0t_status add_line(tag_file *file, const char *line, size_t length)
{
    if (file->shown.count == 0 && length >= 3 && memcmp(line, "\xEF\xBB\xBF", 3) == 0) {
        line += 3;
        length -= 3;
    }
    for (; length && is_blank(*line); length--)
        line++;
    while (length && is_blank(line[length - 1]))
        length--;
    if (length == 0)
        return F0T_OK;
    F0T_TRY(f0t_grow(&file->items, &file->capacity, file->shown.count, 1, sizeof *file->items));
    F0T_TRY(f0t_string_copy(&file->items[file->shown.count], line, length));
    file->shown.count++;
    return F0T_OK;
}

static f0t_status read_lines(tag_file *file, f0t_stream *stream)
{
    char *line;
    size_t length;
    F0T_TRY(f0t_stream_line(stream, &line, &length));
    while (line) {
        if (memchr(line, '\0', length))
            return f0t_fail(F0T_ERROR_FORMAT, "%s:%llu: a NUL byte: not a list of tags",
                            f0t_stream_name(stream),
                            (unsigned long long)f0t_stream_line_number(stream));
        F0T_TRY(add_line(file, line, length));
        F0T_TRY(f0t_stream_line(stream, &line, &length));
    }
    file->shown.items = (const char *const *)file->items;
    return F0T_OK;
}

f0t_status f0t_tags_load(f0t_tags **out, const char *path, const f0t_monitor *monitor)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(path);
    f0t_stream *stream;
    tag_file *file;
    F0T_TRY(f0t_alloc_zero(&file, 1, sizeof *file));
    f0t_status status = f0t_stream_open(&stream, path);
    f0t_stream_watch(stream, monitor);
    if (status == F0T_OK) {
        status = read_lines(file, stream);
        f0t_stream_close(stream);
    }
    if (status != F0T_OK)
        f0t_tags_free(&file->shown);
    else
        *out = &file->shown;
    return status;
}
