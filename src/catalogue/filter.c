/* What a query asks for besides words: tags of people, and dates. */
#include "catalogue/finder.h"

#include "base/alloc.h"
#include "catalogue/same.h"

/* ---- Tags --------------------------------------------------------------------------------------- */

static f0t_status take_all(f0t_tag_ids *out, f0t_catalogue *c, sqlite3_stmt *rows)
{
    for (bool any;;) {
        F0T_TRY(f0t_sql_step(&any, &c->sql, rows));
        if (!any)
            return F0T_OK;
        F0T_TRY(f0t_grow(&out->items, &out->capacity, out->count, 1, sizeof *out->items));
        out->items[out->count++] = sqlite3_column_int64(rows, 0);
    }
}

f0t_status f0t_tag_ids_find(f0t_tag_ids *out, f0t_catalogue *c, const char *text)
{
    int64_t same;
    sqlite3_stmt *rows;
    F0T_TRY(f0t_same_tag(&same, &c->sql, text));
    F0T_TRY(f0t_sql_bind(&rows, &c->sql, "SELECT id FROM tags WHERE same = ?1 OR id = ?1",
                         F0T_SQL_VALUES(f0t_sql_int(same))));
    f0t_status status = take_all(out, c, rows);
    f0t_sql_reset(rows);
    return status;
}

void f0t_tag_ids_free(f0t_tag_ids *ids)
{
    f0t_free(ids->items);
    *ids = (f0t_tag_ids){0};
}

/* ---- Pictures ----------------------------------------------------------------------------------- */

static f0t_status add_pictures(f0t_hits *out, f0t_catalogue *c, sqlite3_stmt *rows)
{
    for (bool any;;) {
        F0T_TRY(f0t_sql_step(&any, &c->sql, rows));
        if (!any)
            return F0T_OK;
        F0T_TRY(f0t_hits_add(out, (f0t_hit){.id = sqlite3_column_int64(rows, 0), .tagged = true}));
    }
}

static f0t_status list_pictures(f0t_hits *out, f0t_catalogue *c, const char *sql,
                                const f0t_tag_ids *tags)
{
    for (size_t i = 0; i < tags->count; i++) {
        sqlite3_stmt *rows;
        F0T_TRY(f0t_sql_bind(&rows, &c->sql, sql, F0T_SQL_VALUES(f0t_sql_int(tags->items[i]))));
        f0t_status status = add_pictures(out, c, rows);
        f0t_sql_reset(rows);
        F0T_TRY(status);
    }
    f0t_hits_sort_by_id(out);
    return F0T_OK;
}

f0t_status f0t_tagged_pictures(f0t_hits *out, f0t_catalogue *catalogue, const f0t_tag_ids *tags)
{
    return list_pictures(out, catalogue,
                         "SELECT picture FROM keywords WHERE tag = ?1 UNION SELECT picture FROM"
                         " decisions WHERE tag = ?1 AND current = 1 AND decision = 1",
                         tags);
}

f0t_status f0t_rejected_pictures(f0t_hits *out, f0t_catalogue *catalogue, const f0t_tag_ids *tags)
{
    return list_pictures(
        out, catalogue,
        "SELECT picture FROM decisions WHERE tag = ?1 AND current = 1 AND decision = 2", tags);
}

/* ---- The filter --------------------------------------------------------------------------------- */

f0t_status f0t_filter_open(f0t_filter *out, f0t_catalogue *catalogue, const f0t_query *query)
{
    *out = (f0t_filter){.query = query, .catalogue = catalogue};
    if (!query)
        return F0T_OK;
    F0T_TRY(f0t_alloc_zero(&out->tagged, query->count, sizeof *out->tagged));
    for (size_t i = 0; i < query->count; i++) {
        f0t_tag_ids tags = {0};
        if (query->terms[i].kind != F0T_TERM_TAG)
            continue;
        f0t_status status = f0t_tag_ids_find(&tags, catalogue, query->terms[i].text);
        if (status == F0T_OK)
            status = f0t_tagged_pictures(&out->tagged[i], catalogue, &tags);
        f0t_tag_ids_free(&tags);
        F0T_TRY(status);
    }
    return F0T_OK;
}

void f0t_filter_close(f0t_filter *filter)
{
    for (size_t i = 0; filter->tagged && i < filter->query->count; i++)
        f0t_hits_free(&filter->tagged[i]);
    f0t_free(filter->tagged);
    *filter = (f0t_filter){0};
}

static f0t_status is_untagged(bool *out, f0t_catalogue *c, int64_t id)
{
    int64_t any;
    F0T_TRY(f0t_sql_get_int(&any, &c->sql,
                            "SELECT EXISTS (SELECT 1 FROM keywords WHERE picture = ?1) OR EXISTS"
                            " (SELECT 1 FROM decisions WHERE picture = ?1 AND current = 1 AND"
                            " decision = 1)",
                            F0T_SQL_VALUES(f0t_sql_int(id)), 0));
    *out = !any;
    return F0T_OK;
}

static bool is_in_range(const f0t_term *term, int64_t taken)
{
    if (taken == F0T_NO_DATE)
        return false;
    switch (term->kind) {
    case F0T_TERM_BEFORE:
        return taken < f0t_day_seconds(term->from);
    case F0T_TERM_AFTER:
        return taken >= f0t_day_seconds(term->to);
    default:
        return taken >= f0t_day_seconds(term->from) && taken < f0t_day_seconds(term->to);
    }
}

f0t_status f0t_filter_passes(bool *passes, const f0t_filter *filter, int64_t id, int64_t taken)
{
    *passes = true;
    for (size_t i = 0; filter->query && i < filter->query->count && *passes; i++) {
        const f0t_term *term = &filter->query->terms[i];
        bool holds;
        if (term->kind == F0T_TERM_WORD)
            continue;
        if (term->kind == F0T_TERM_TAG)
            holds = f0t_hits_find(&filter->tagged[i], id) != NULL;
        else if (term->kind == F0T_TERM_UNTAGGED)
            F0T_TRY(is_untagged(&holds, filter->catalogue, id));
        else
            holds = is_in_range(term, taken);
        *passes = holds != term->without;
    }
    return F0T_OK;
}
