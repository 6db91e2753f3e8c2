#include "catalogue/row_numbers.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>

static f0t_status add_number(f0t_row_numbers *n, int64_t item)
{
    F0T_TRY(f0t_grow(&n->items, &n->capacity, n->count, 1, sizeof *n->items));
    n->items[n->count++] = item;
    return F0T_OK;
}

f0t_status f0t_row_numbers_read(f0t_row_numbers *to, f0t_catalogue *c, const char *sql,
                                const f0t_sql_value *values, size_t count)
{
    sqlite3_stmt *row;
    f0t_status status = F0T_OK;
    F0T_TRY(f0t_sql_bind(&row, &c->sql, sql, values, count));
    for (bool any = true; any && status == F0T_OK;) {
        status = f0t_sql_step(&any, &c->sql, row);
        if (status == F0T_OK && any)
            status = add_number(to, sqlite3_column_int64(row, 0));
    }
    f0t_sql_reset(row);
    return status;
}

bool f0t_row_numbers_has(const f0t_row_numbers *n, int64_t item)
{
    for (size_t i = 0; i < n->count; i++)
        if (n->items[i] == item)
            return true;
    return false;
}

f0t_status f0t_row_numbers_join(char **out, const f0t_row_numbers *n)
{
    enum { DIGITS = 21 };
    size_t used = 0;
    F0T_TRY(f0t_alloc(out, n->count * DIGITS + 1, 1));
    (*out)[0] = 0;
    for (size_t i = 0; i < n->count; i++)
        used += (size_t)snprintf(*out + used, DIGITS + 1, "%s%lld", i ? " " : "",
                                 (long long)n->items[i]);
    return F0T_OK;
}

f0t_status f0t_row_numbers_split(f0t_row_numbers *to, const char *text)
{
    for (char *end; *text; text = end) {
        const long long number = strtoll(text, &end, 10);
        if (end == text)
            return F0T_OK; /* of a damaged catalogue: what is left is no number */
        F0T_TRY(add_number(to, number));
    }
    return F0T_OK;
}

bool f0t_row_numbers_same(const f0t_row_numbers *a, const f0t_row_numbers *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (!f0t_row_numbers_has(b, a->items[i]))
            return false;
    return a->count == b->count;
}
