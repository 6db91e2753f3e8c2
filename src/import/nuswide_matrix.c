#include "import/nuswide.h"

#include "base/monitor.h"
#include "io/text.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Most of a matrix is "0\t0\t0\t…": how many bytes of it, 16 at a time, begin here. */
static size_t skip_zeros(const char *at, const char *end)
{
    static const char tabs[17] = "0\t0\t0\t0\t0\t0\t0\t0\t", blanks[17] = "0 0 0 0 0 0 0 0 ";
    const char *start = at, *pattern = end - at > 1 && at[1] == ' ' ? blanks : tabs;
    while (end - at >= 16 && !memcmp(at, pattern, 16))
        at += 16;
    return (size_t)(at - start);
}

static f0t_status read_row(f0t_stream *stream, f0t_rows *rows, size_t columns, const char *at,
                           size_t length)
{
    const char *end = at + length;
    size_t column = 0;
    for (;;) {
        while (at < end && is_blank(*at))
            at++;
        size_t zeros = skip_zeros(at, end);
        at += zeros;
        column += zeros / 2;
        f0t_stream_let_go(stream, zeros);
        if (zeros)
            continue;
        if (at == end)
            break;
        if ((*at != '0' && *at != '1') || (at + 1 < end && !is_blank(at[1])))
            return f0t_text_fail(stream, "column %zu: 0 or 1 is wanted", column + 1);
        if (column >= columns)
            break;
        if (*at == '1')
            F0T_TRY(f0t_rows_add(rows, (uint32_t)column));
        column++;
        at++;
    }
    if (column != columns || at != end)
        return f0t_text_fail(stream, "%s%zu columns, %zu are wanted", at != end ? "over " : "",
                             column, columns);
    return f0t_rows_end(rows);
}

f0t_status f0t_nus_read_matrix(f0t_stream *stream, f0t_rows *rows, size_t columns,
                               const f0t_monitor *monitor)
{
    f0t_stage stage =
        f0t_stage_begin(monitor, f0t_stream_name(stream), "bytes", f0t_stream_size(stream));
    char *line;
    size_t length;
    for (;;) {
        F0T_TRY(f0t_stream_line(stream, &line, &length));
        if (!line)
            break;
        if (!length)
            continue;
        F0T_TRY(read_row(stream, rows, columns, line, length));
        if (rows->count % 256 == 0)
            F0T_TRY(f0t_stage_update(&stage, f0t_stream_position(stream)));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

f0t_status f0t_nus_read_column(f0t_stream *stream, uint8_t *column, size_t stride, size_t count)
{
    char *line;
    size_t length, i = 0;
    for (;;) {
        F0T_TRY(f0t_stream_line(stream, &line, &length));
        if (!line)
            break;
        const char *text = line;
        f0t_text_trim(&text, &length);
        if (!length)
            continue;
        if (length != 1 || (*text != '0' && *text != '1'))
            return f0t_text_fail(stream, "'%.*s': 0 or 1 is wanted", length < 40 ? (int)length : 40,
                                 text);
        if (i < count)
            column[i * stride] = *text == '1';
        i++;
    }
    if (i != count)
        return f0t_fail(F0T_ERROR_MISMATCH, "%s has %zu lines, but its image list has %zu images",
                        f0t_stream_name(stream), i, count);
    return F0T_OK;
}

/* ---- Raw tags -------------------------------------------------------------------------------- */

/* Words of the line from `at` on; what is not in the list may be of any bytes. */
static f0t_status read_raw_row(f0t_rows *rows, const f0t_names *words, const char *at,
                               const char *end, uint64_t *others)
{
    while (at < end) {
        const char *start = at;
        uint32_t index;
        while (at < end && !is_blank(*at))
            at++;
        if (at > start) {
            if (f0t_names_find(words, start, (size_t)(at - start), &index))
                F0T_TRY(f0t_rows_add(rows, index));
            else
                ++*others;
        }
        at++;
    }
    return f0t_rows_end(rows);
}

f0t_status f0t_nus_read_raw(f0t_stream *stream, const f0t_names *words, f0t_texts *ids,
                            f0t_rows *rows, uint64_t *others, const f0t_monitor *monitor)
{
    f0t_stage stage =
        f0t_stage_begin(monitor, f0t_stream_name(stream), "bytes", f0t_stream_size(stream));
    char *line;
    size_t length;
    for (;;) {
        F0T_TRY(f0t_stream_line(stream, &line, &length));
        if (!line)
            break;
        const char *text = line;
        f0t_text_trim(&text, &length);
        if (!length)
            continue;
        size_t id = 0;
        while (id < length && !is_blank(text[id]))
            id++;
        F0T_TRY(f0t_texts_add(ids, text, id));
        F0T_TRY(read_raw_row(rows, words, text + id, text + length, others));
        if (rows->count % 256 == 0)
            F0T_TRY(f0t_stage_update(&stage, f0t_stream_position(stream)));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}
