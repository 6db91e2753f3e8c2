/* The inside of a table, for its writers. */
#ifndef F0T_REPORT_TABLE_PARTS_H
#define F0T_REPORT_TABLE_PARTS_H

#include "report/table.h"

#include "io/dataset_names.h"

struct f0t_table {
    char *caption, *aligns;
    size_t columns, rows, filled;   /* filled: cells of the last row */
    f0t_texts heads, groups, cells; /* cells: rows x columns, the last row as far as it is filled */
    bool *grouped;                  /* [columns] a group begins */
    bool has_groups;
    uint8_t *cell_styles, *row_styles;
    size_t cell_capacity, row_capacity;
    f0t_status status;
};

/* The text of a cell; "" behind the last that is set. */
const char *f0t_table_text(const f0t_table *table, size_t row, size_t column);
f0t_cell_style f0t_table_style(const f0t_table *table, size_t row, size_t column);
/* How many columns the group that begins at `column` covers. */
size_t f0t_table_span(const f0t_table *table, size_t column);

#endif
