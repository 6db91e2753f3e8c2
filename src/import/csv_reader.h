/* Records of comma- or tab-separated text, quoted as RFC 4180 says: a cell in quotes may contain
 * the delimiter, line ends and, doubled, quotes. Lines end with LF or CRLF; a byte-order mark is
 * passed over, and so are empty lines. A quote inside a cell that does not begin with one is text. */
#ifndef F0T_IMPORT_CSV_READER_H
#define F0T_IMPORT_CSV_READER_H

#include "io/file.h"

typedef struct f0t_csv_cell {
    const char *text; /* with a 0 behind */
    size_t length;
} f0t_csv_cell;

typedef struct f0t_csv f0t_csv;

/* Reads from the stream, which stays the caller's. Delimiter 0: a tab when the first line has one,
 * else a comma. */
f0t_status f0t_csv_open(f0t_csv **out, f0t_stream *stream, char delimiter);
void f0t_csv_close(f0t_csv *csv);

/* The next record, borrowed until the next call; *count is 0 at the end. Every record has as many
 * cells as the first, else FORMAT. */
f0t_status f0t_csv_next(f0t_csv *csv, const f0t_csv_cell **cells, size_t *count);

/* The line on which the record that was read last begins. */
uint64_t f0t_csv_line(const f0t_csv *csv);

#endif
