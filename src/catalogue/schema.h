/* The tables of a catalogue, and its version. */
#ifndef F0T_CATALOGUE_SCHEMA_H
#define F0T_CATALOGUE_SCHEMA_H

#include "catalogue/sql.h"

/* Makes the tables in an empty file where `create` says so, brings those of an older version up to date where
 * `write` does, and fails with F0T_ERROR_FORMAT where the file has others than ours: other tables, other columns,
 * views or triggers, which would run as we read. Fails with F0T_ERROR_UNSUPPORTED for a newer version. */
f0t_status f0t_schema_open(f0t_sql *sql, bool create, bool write);

#endif
