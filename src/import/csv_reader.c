/* Records of comma- or tab-separated text. */
#include "import/csv.h"

#include "base/alloc.h"
#include "io/text.h"

#include <string.h>

struct f0t_csv {
    f0t_stream *stream;
    char delimiter;
    uint64_t line;  /* where the record began */
    size_t columns; /* of the first record */
    char *bytes;    /* of the record's cells, each NUL-terminated */
    size_t size, capacity;
    size_t *starts; /* of the cells in bytes, then the end: [count + 1] */
    size_t count, starts_capacity;
    f0t_csv_cell *cells;
    size_t cells_capacity;
    bool quoted; /* inside a quoted cell */
};

f0t_status f0t_csv_open(f0t_csv **out, f0t_stream *stream, char delimiter)
{
    *out = NULL;
    if (delimiter == '"' || delimiter == '\r' || delimiter == '\n')
        return f0t_fail(F0T_ERROR_ARGUMENT, "a quote or a line end cannot be the delimiter");
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    (*out)->stream = stream;
    (*out)->delimiter = delimiter;
    return F0T_OK;
}

void f0t_csv_close(f0t_csv *csv)
{
    if (!csv)
        return;
    f0t_free(csv->bytes);
    f0t_free(csv->starts);
    f0t_free(csv->cells);
    f0t_free(csv);
}

uint64_t f0t_csv_line(const f0t_csv *csv)
{
    return csv->line;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static f0t_status append(f0t_csv *csv, const char *text, size_t length)
{
    if (length > F0T_LINE_MOST - csv->size)
        return f0t_text_fail(csv->stream,
                             "the record from line %llu on is too long; is a quote open?",
                             (unsigned long long)csv->line);
    F0T_TRY(f0t_grow(&csv->bytes, &csv->capacity, csv->size, length, 1));
    if (length)
        memcpy(csv->bytes + csv->size, text, length);
    csv->size += length;
    return F0T_OK;
}

static f0t_status begin_cell(f0t_csv *csv)
{
    F0T_TRY(f0t_grow(&csv->starts, &csv->starts_capacity, csv->count, 2, sizeof *csv->starts));
    csv->starts[csv->count++] = csv->size;
    return F0T_OK;
}

static f0t_status end_cell(f0t_csv *csv)
{
    F0T_TRY(append(csv, "", 1));
    csv->starts[csv->count] = csv->size;
    return F0T_OK;
}

/* From inside quotes to what stands after the closing one, or to the end of the line. */
static f0t_status read_quoted(f0t_csv *csv, const char **at, const char *end)
{
    while (*at < end) {
        const char *quote = memchr(*at, '"', (size_t)(end - *at));
        const char *stop = quote ? quote : end;
        F0T_TRY(append(csv, *at, (size_t)(stop - *at)));
        *at = stop + (quote != NULL);
        if (!quote)
            return F0T_OK;
        if (*at == end || **at != '"') {
            csv->quoted = false;
            return F0T_OK;
        }
        F0T_TRY(append(csv, "\"", 1));
        ++*at;
    }
    return F0T_OK;
}

/* One cell, which begins at *at, or goes on there when it is quoted. */
static f0t_status read_cell(f0t_csv *csv, const char **at, const char *end)
{
    bool closed = csv->quoted;
    if (!csv->quoted && *at < end && **at == '"') {
        csv->quoted = closed = true;
        ++*at;
    }
    if (csv->quoted) {
        F0T_TRY(read_quoted(csv, at, end));
        if (csv->quoted)
            return F0T_OK;
    }
    const char *next = *at < end ? memchr(*at, csv->delimiter, (size_t)(end - *at)) : NULL;
    const char *stop = next ? next : end;
    if (closed && stop != *at)
        return f0t_text_fail(csv->stream, "cell %zu: text after the closing quote", csv->count);
    if (!closed)
        F0T_TRY(append(csv, *at, (size_t)(stop - *at)));
    *at = stop;
    return end_cell(csv);
}

/* ---- Records --------------------------------------------------------------------------------- */

static f0t_status read_line(f0t_csv *csv, const char *line, size_t length)
{
    const char *at = line, *end = line + length;
    if (csv->quoted)
        F0T_TRY(append(csv, "\n", 1));
    else
        F0T_TRY(begin_cell(csv));
    for (;;) {
        F0T_TRY(read_cell(csv, &at, end));
        if (at == end)
            return F0T_OK;
        at++; /* the delimiter */
        F0T_TRY(begin_cell(csv));
    }
}

static f0t_status finish_record(f0t_csv *csv)
{
    if (!csv->columns)
        csv->columns = csv->count;
    if (csv->count != csv->columns)
        return f0t_fail(
            F0T_ERROR_FORMAT, "%s:%llu: has %zu cells, but the first record has %zu%s",
            f0t_stream_name(csv->stream), (unsigned long long)csv->line, csv->count, csv->columns,
            csv->count > csv->columns ? "; tags with the delimiter between them need quotes" : "");
    F0T_TRY(f0t_grow(&csv->cells, &csv->cells_capacity, 0, csv->count, sizeof *csv->cells));
    for (size_t i = 0; i < csv->count; i++)
        csv->cells[i] =
            (f0t_csv_cell){csv->bytes + csv->starts[i], csv->starts[i + 1] - csv->starts[i] - 1};
    return F0T_OK;
}

static f0t_status read_record(f0t_csv *csv, const char *line, size_t length)
{
    csv->line = f0t_stream_line_number(csv->stream);
    for (;;) {
        F0T_TRY(read_line(csv, line, length));
        if (!csv->quoted)
            return finish_record(csv);
        F0T_TRY(f0t_text_line(&line, &length, csv->stream));
        if (!line)
            return f0t_fail(F0T_ERROR_FORMAT,
                            "%s:%llu: a quote is opened in this record and never closed",
                            f0t_stream_name(csv->stream), (unsigned long long)csv->line);
    }
}

/* A semicolon is what spreadsheets write where the comma is in numbers. */
static char guess_delimiter(const char *line, size_t length)
{
    static const char known[] = {'\t', ',', ';'};
    for (size_t i = 0; i < sizeof known; i++)
        if (memchr(line, known[i], length))
            return known[i];
    return ',';
}

f0t_status f0t_csv_next(const f0t_csv_cell **cells, size_t *count, f0t_csv *csv)
{
    const char *line;
    size_t length;
    csv->size = csv->count = 0;
    csv->quoted = false;
    *count = 0;
    *cells = NULL;
    do {
        F0T_TRY(f0t_text_line(&line, &length, csv->stream));
        if (!line)
            return F0T_OK;
    } while (!length);
    if (!csv->delimiter)
        csv->delimiter = guess_delimiter(line, length);
    F0T_TRY(read_record(csv, line, length));
    *cells = csv->cells;
    *count = csv->count;
    return F0T_OK;
}
