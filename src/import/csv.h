/* CSV and TSV: records of cells, and the table of images and tags that they make. */
#ifndef F0T_IMPORT_CSV_H
#define F0T_IMPORT_CSV_H

#include "import/collection.h"
#include "io/file.h"

/* ---- Records --------------------------------------------------------------------------------- */

/* Records of comma- or tab-separated text, quoted as RFC 4180 says: a cell in quotes may contain
 * the delimiter, line ends and, doubled, quotes. Lines end with LF or CRLF; a byte-order mark is
 * passed over, and so are empty lines. A quote inside a cell that does not begin with one is text. */

typedef struct f0t_csv_cell {
    const char *text; /* NUL-terminated */
    size_t length;
} f0t_csv_cell;

typedef struct f0t_csv f0t_csv;

/* Reads from the stream, which stays the caller's. Delimiter 0: a tab when the first line has one,
 * else a comma. */
f0t_status f0t_csv_open(f0t_csv **out, f0t_stream *stream, char delimiter);
void f0t_csv_close(f0t_csv *csv);

/* The next record, borrowed until the next call; *count is 0 at the end. Every record has as many
 * cells as the first, else FORMAT. */
f0t_status f0t_csv_next(const f0t_csv_cell **cells, size_t *count, f0t_csv *csv);

/* The line on which the record that was read last begins. */
uint64_t f0t_csv_line(const f0t_csv *csv);

/* ---- The table of images and tags ------------------------------------------------------------ */

typedef struct f0t_csv_table {
    f0t_names images;          /* paths or ids, each once */
    f0t_collection collection; /* its tags alone are filled */
    size_t *starts;            /* [images + 1]: those of image m are */
    uint32_t *tags;            /*   tags[starts[m], starts[m + 1]) */
    bool has_split;
    uint8_t *splits; /* [images] where has_split */
    uint64_t merged; /* lines of an image that was there before */
} f0t_csv_table;

/* Reads all of the file, with the columns and separators of the options, and reports how tags were
 * divided where they do not say it. `synonyms` (NULL: none) say what tags are called instead. On failure, too, the table is to be freed. */
f0t_status f0t_csv_table_load(f0t_csv_table *table, const char *path,
                              const f0t_import_options *options, const f0t_synonym_index *synonyms,
                              f0t_import_report *report);
void f0t_csv_table_free(f0t_csv_table *table);

#endif
