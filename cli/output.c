/* Standard output: texts from files as a terminal may show them, tables, JSON. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* ---- Texts from files --------------------------------------------------------------------- */

char *cli_shown(const char *text)
{
    size_t size = f0t_line_escape(NULL, 0, text) + 1;
    char *shown = cli_alloc(size);
    f0t_line_escape(shown, size, text);
    return shown;
}

void cli_print_shown(FILE *to, const char *text)
{
    char *shown = cli_shown(text);
    fputs(shown, to);
    free(shown);
}

/* ---- Tables whose columns line up, also with letters that are not ASCII ------------------- */

struct cli_table {
    size_t columns, rows, capacity;
    const char *aligns; /* 'l' or 'r' for each column */
    char **cells;       /* the heads are row 0 */
    size_t *widths;
};

/* Columns on the screen: one per character, as our tables have no wide or combining ones. */
static size_t width(const char *text)
{
    size_t n = 0;
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        n += (*c & 0xC0) != 0x80;
    return n;
}

cli_table *cli_table_create(size_t columns, const char *const *heads, const char *aligns)
{
    cli_table *table = cli_alloc(sizeof *table);
    table->columns = columns;
    table->aligns = aligns;
    table->widths = cli_alloc(columns * sizeof *table->widths);
    cli_table_add(table, heads);
    return table;
}

void cli_table_add(cli_table *table, const char *const *cells)
{
    if (table->rows == table->capacity) {
        size_t capacity = table->capacity ? 2 * table->capacity : 16;
        char **grown = cli_alloc(capacity * table->columns * sizeof *grown);
        if (table->rows)
            memcpy(grown, table->cells, table->rows * table->columns * sizeof *grown);
        free(table->cells);
        table->cells = grown;
        table->capacity = capacity;
    }
    for (size_t c = 0; c < table->columns; c++) {
        char *copy = cli_shown(cells[c]);
        size_t w = width(copy);
        table->cells[table->rows * table->columns + c] = copy;
        if (w > table->widths[c])
            table->widths[c] = w;
    }
    table->rows++;
}

void cli_table_print(const cli_table *table, FILE *to)
{
    for (size_t r = 0; r < table->rows; r++)
        for (size_t c = 0; c < table->columns; c++) {
            const char *cell = table->cells[r * table->columns + c];
            int gap = (int)(table->widths[c] - width(cell));
            bool last = c + 1 == table->columns;
            if (table->aligns[c] == 'r')
                fprintf(to, "%*s%s", gap, "", cell);
            else
                fprintf(to, "%s%*s", cell, last ? 0 : gap, "");
            fprintf(to, "%s", last ? "\n" : "  ");
        }
}

void cli_table_free(cli_table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->rows * table->columns; i++)
        free(table->cells[i]);
    free(table->cells);
    free(table->widths);
    free(table);
}

/* ---- JSON --------------------------------------------------------------------------------- */

f0t_status cli_print_json(cli_context *cli, json_t *value)
{
    if (!value)
        return cli_fail(cli, F0T_ERROR_MEMORY, "out of memory for the results");
    int failed = json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    json_decref(value);
    printf("\n");
    return failed ? cli_fail(cli, F0T_ERROR_IO, "the results could not be written") : F0T_OK;
}
