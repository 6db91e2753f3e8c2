/* Lists of numbers of rows: pictures, tags. */
#ifndef F0T_CATALOGUE_ROW_NUMBERS_H
#define F0T_CATALOGUE_ROW_NUMBERS_H

#include "catalogue/catalogue.h"

/* Zero-initialise; free `items` with f0t_free. */
typedef struct f0t_row_numbers {
    int64_t *items;
    size_t count, capacity;
} f0t_row_numbers;

/* Adds what the query gives in its first column. */
f0t_status f0t_row_numbers_read(f0t_row_numbers *to, f0t_catalogue *c, const char *sql,
                                const f0t_sql_value *values, size_t count);
bool f0t_row_numbers_has(const f0t_row_numbers *n, int64_t item);
/* The same numbers, in any order. */
bool f0t_row_numbers_same(const f0t_row_numbers *a, const f0t_row_numbers *b);
/* "12 7 3", as a column has them, and back. */
f0t_status f0t_row_numbers_join(char **out, const f0t_row_numbers *n);
f0t_status f0t_row_numbers_split(f0t_row_numbers *to, const char *text);

#endif
