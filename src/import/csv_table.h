/* A CSV or TSV table of images and tags in memory. */
#ifndef F0T_IMPORT_CSV_TABLE_H
#define F0T_IMPORT_CSV_TABLE_H

#include "import/collection.h"

typedef struct f0t_csv_table {
    f0t_names images;          /* paths or ids, each once */
    f0t_collection collection; /* its tags alone are filled */
    size_t *starts;            /* [images + 1]: those of image m are */
    uint32_t *tags;            /*   tags[starts[m] … starts[m + 1] - 1] */
    bool has_split;
    uint8_t *splits; /* [images] where has_split */
    uint64_t merged; /* lines of an image that was there before */
} f0t_csv_table;

/* Reads all of the file, with the columns and separators of the options, and reports how tags were
 * divided where they do not say it. On failure, too, the table is to be freed. */
f0t_status f0t_csv_table_load(f0t_csv_table *table, const char *path,
                              const f0t_import_options *options, f0t_import_report *report);
void f0t_csv_table_free(f0t_csv_table *table);

#endif
