#include "catalogue/replaced.h"

#include "base/alloc.h"

#include <string.h>
#include <zlib.h>

/* Bytes of a file at most, and compressed: a sidecar has some thousand, and one with a history of a raw converter some ten
 * thousand. */
enum { BYTES_MOST = 1 << 24, PACKED_MOST = 1 << 20 };

static f0t_status put_row(f0t_catalogue *c, int64_t id, const f0t_replaced *r, const void *packed,
                          size_t size)
{
    return f0t_sql_run(&c->sql,
                       "UPDATE writes SET kept = ?2, kept_bytes = ?3, wrote = ?4 WHERE id = ?1",
                       F0T_SQL_VALUES(f0t_sql_int(id), f0t_sql_blob(packed, size),
                                      f0t_sql_int((int64_t)r->size), f0t_sql_bits(r->wrote)));
}

f0t_status f0t_replaced_put(f0t_catalogue *c, int64_t id, const f0t_replaced *r)
{
    unsigned char *packed;
    if (!r->size)
        return put_row(c, id, r, NULL, 0);
    if (r->size > BYTES_MOST)
        return F0T_OK;
    uLongf size = compressBound(r->size);
    F0T_TRY(f0t_alloc(&packed, size, 1));
    f0t_status status = F0T_OK;
    if (compress(packed, &size, (const Bytef *)r->bytes, r->size) == Z_OK && size <= PACKED_MOST)
        status = put_row(c, id, r, packed, size);
    f0t_free(packed);
    return status;
}

static f0t_status unpack(f0t_replaced *to, const f0t_catalogue *c, sqlite3_stmt *row)
{
    const int64_t bytes = sqlite3_column_int64(row, 1);
    const void *packed = sqlite3_column_blob(row, 0);
    *to = (f0t_replaced){.wrote = (uint64_t)sqlite3_column_int64(row, 2)};
    if (!bytes)
        return F0T_OK;
    uLongf size = bytes > 0 && bytes <= BYTES_MOST ? (uLongf)bytes : 0;
    if (!size || !packed)
        return f0t_fail(F0T_ERROR_FORMAT, "%s is damaged: what a write replaced has %lld bytes",
                        c->path, (long long)bytes);
    F0T_TRY(f0t_alloc(&to->bytes, size, 1));
    to->size = size;
    if (uncompress((Bytef *)to->bytes, &size, packed, (uLong)sqlite3_column_bytes(row, 0)) ==
            Z_OK &&
        size == to->size)
        return F0T_OK;
    f0t_free(to->bytes);
    *to = (f0t_replaced){.bytes = NULL};
    return f0t_fail(F0T_ERROR_FORMAT, "%s is damaged: what a write replaced cannot be unpacked",
                    c->path);
}

f0t_status f0t_replaced_get(bool *any, f0t_replaced *to, f0t_catalogue *c, int64_t id)
{
    sqlite3_stmt *row;
    *to = (f0t_replaced){.bytes = NULL};
    F0T_TRY(f0t_sql_bind(&row, &c->sql,
                         "SELECT kept, kept_bytes, wrote FROM writes WHERE id = ?1"
                         " AND kept_bytes IS NOT NULL",
                         F0T_SQL_VALUES(f0t_sql_int(id))));
    F0T_TRY(f0t_sql_step(any, &c->sql, row));
    if (!*any)
        return F0T_OK;
    f0t_status status = unpack(to, c, row);
    f0t_sql_reset(row);
    return status;
}
