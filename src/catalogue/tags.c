/* The tags of pictures: what files, the model and people say of them. */
#include "catalogue/catalogue.h"

#include "base/alloc.h"
#include "base/interner.h"
#include "catalogue/same.h"

#include <math.h>
#include <string.h>
#include <time.h>

f0t_status f0t_catalogue_tag_id(int64_t *out, f0t_catalogue *catalogue, const char *tag, bool add)
{
    *out = 0;
    if (!tag[0] || strlen(tag) >= F0T_TAG_SIZE)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        tag[0] ? "the tag '%.40s…' has more than %d bytes"
                               : "a tag is empty%.0s%.0d",
                        tag, F0T_TAG_SIZE - 1);
    F0T_TRY(f0t_sql_get_int(out, &catalogue->sql, "SELECT id FROM tags WHERE name = ?1",
                            F0T_SQL_VALUES(f0t_sql_text(tag)), 0));
    return *out || !add ? F0T_OK : f0t_same_insert(out, &catalogue->sql, tag);
}

/* ---- Reading --------------------------------------------------------------------------------------- */

typedef struct tag_list {
    f0t_catalogue_tags shown; /* what the caller sees: first */
    f0t_catalogue_tag *items;
    size_t capacity;
    f0t_texts texts; /* tag, place and who of each */
} tag_list;

static const char *const ALL_TAGS =
    "WITH t(tag) AS (SELECT tag FROM keywords WHERE picture = ?1"
    " UNION SELECT tag FROM suggestions WHERE picture = ?1"
    " UNION SELECT tag FROM decisions WHERE picture = ?1 AND current = 1 AND decision <> 0"
    " UNION SELECT tag FROM written WHERE picture = ?1)"
    " SELECT n.name, k.place, d.who, k.source, s.confidence, d.decision, d.at, w.tag"
    " FROM t JOIN tags n ON n.id = t.tag"
    " LEFT JOIN keywords k ON k.picture = ?1 AND k.tag = t.tag"
    " LEFT JOIN suggestions s ON s.picture = ?1 AND s.tag = t.tag"
    " LEFT JOIN decisions d ON d.picture = ?1 AND d.tag = t.tag AND d.current = 1"
    " AND d.decision <> 0"
    " LEFT JOIN written w ON w.picture = ?1 AND w.tag = t.tag"
    /* a suggestion is none where the picture has a tag of its root, or somebody has decided about the tag */
    " WHERE k.tag IS NOT NULL OR d.tag IS NOT NULL OR w.tag IS NOT NULL OR NOT EXISTS"
    "  (SELECT 1 FROM keywords WHERE picture = ?1 AND tag IN " F0T_ALIKE_TAGS(
        "t.tag") "   UNION ALL SELECT 1 FROM decisions WHERE picture = ?1 AND current = 1 AND"
                 "   (decision = 1 AND tag IN " F0T_ALIKE_TAGS("t.tag") "    OR decision <> 0 AND "
                                                                        "tag IN " F0T_SAME_TAGS(
                                                                            "t.tag") "))"
                                                                                     " ORDER BY "
                                                                                     "k.source IS "
                                                                                     "NULL, "
                                                                                     "d.decision "
                                                                                     "IS NULL, "
                                                                                     "s.confidence "
                                                                                     "DESC, n.name";

static f0t_status add_text(f0t_texts *texts, sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return f0t_texts_add(texts, text ? text : "", text ? strlen(text) : 0);
}

static f0t_status add_tag(tag_list *l, const f0t_catalogue *c, sqlite3_stmt *row)
{
    const int64_t source = sqlite3_column_int64(row, 3), decision = sqlite3_column_int64(row, 5);
    const bool suggested = sqlite3_column_type(row, 4) == SQLITE_FLOAT;
    if (source < F0T_KEYWORD_NONE || source > F0T_KEYWORD_SIDECAR || decision < F0T_UNDECIDED ||
        decision > F0T_REJECTED)
        return f0t_fail(F0T_ERROR_FORMAT, "%s is damaged: no keyword source %lld or decision %lld",
                        c->path, (long long)source, (long long)decision);
    F0T_TRY(f0t_grow(&l->items, &l->capacity, l->shown.count, 1, sizeof *l->items));
    for (int i = 0; i < 3; i++)
        F0T_TRY(add_text(&l->texts, row, i));
    l->items[l->shown.count++] =
        (f0t_catalogue_tag){.source = (f0t_keyword_source)source,
                            .confidence = suggested ? (float)sqlite3_column_double(row, 4) : NAN,
                            .decision = (f0t_decision)decision,
                            .at = sqlite3_column_int64(row, 6),
                            .written = sqlite3_column_type(row, 7) != SQLITE_NULL};
    return F0T_OK;
}

static f0t_status add_tags(tag_list *l, f0t_catalogue *c, sqlite3_stmt *row)
{
    for (bool any;;) {
        F0T_TRY(f0t_sql_step(&any, &c->sql, row));
        if (!any)
            return F0T_OK;
        F0T_TRY(add_tag(l, c, row));
    }
}

static const char *text_or_null(const f0t_texts *texts, size_t i)
{
    return f0t_texts_length(texts, i) ? f0t_texts_get(texts, i) : NULL;
}

/* Texts do not move any more. */
static void connect_tags(tag_list *l)
{
    l->shown.items = l->items;
    for (size_t i = 0; i < l->shown.count; i++) {
        l->items[i].tag = f0t_texts_get(&l->texts, 3 * i);
        l->items[i].place = text_or_null(&l->texts, 3 * i + 1);
        l->items[i].who = l->items[i].decision ? f0t_texts_get(&l->texts, 3 * i + 2) : NULL;
    }
}

f0t_status f0t_catalogue_get_tags(f0t_catalogue_tags **out, f0t_catalogue *catalogue,
                                  int64_t picture)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(catalogue);
    tag_list *l;
    sqlite3_stmt *rows;
    F0T_TRY(f0t_catalogue_require(catalogue, picture));
    F0T_TRY(f0t_sql_bind(&rows, &catalogue->sql, ALL_TAGS, F0T_SQL_VALUES(f0t_sql_int(picture))));
    F0T_TRY(f0t_alloc_zero(&l, 1, sizeof *l));
    f0t_status status = add_tags(l, catalogue, rows);
    f0t_sql_reset(rows);
    connect_tags(l);
    if (status == F0T_OK)
        *out = &l->shown;
    else
        f0t_catalogue_tags_free(&l->shown);
    return status;
}

void f0t_catalogue_tags_free(f0t_catalogue_tags *tags)
{
    tag_list *l = (tag_list *)tags;
    if (!l)
        return;
    f0t_texts_free(&l->texts);
    f0t_free(l->items);
    f0t_free(l);
}

/* ---- Words of the whole catalogue ------------------------------------------------------------------ */

typedef struct word_list {
    f0t_catalogue_words shown; /* what the caller sees: first */
    f0t_catalogue_word *items;
    size_t capacity;
    f0t_texts texts;
} word_list;

/* Tags that are one (same.h) are one word, spelled as most pictures have it, and each picture counts once. */
static const char *const WORDS =
    "WITH g(same) AS (SELECT DISTINCT same FROM tags WHERE name LIKE ?1 ESCAPE '\\'),"
    " w(name, given, suggested) AS (SELECT"
    "  (SELECT name FROM tags m WHERE m.same = g.same ORDER BY"
    "   (SELECT count(*) FROM keywords WHERE tag = m.id) + (SELECT count(*) FROM decisions WHERE"
    "    tag = m.id AND current = 1 AND decision = 1) DESC,"
    "   (SELECT count(*) FROM suggestions WHERE tag = m.id) DESC, name LIMIT 1),"
    "  (SELECT count(*) FROM tags m JOIN keywords k ON k.tag = m.id WHERE m.same = g.same AND NOT"
    "   EXISTS (SELECT 1 FROM tags o CROSS JOIN keywords l ON l.tag = o.id WHERE o.same = g.same"
    "   AND o.id < m.id AND l.picture = k.picture)) +"
    "  (SELECT count(DISTINCT d.picture) FROM tags m JOIN decisions d ON d.tag = m.id WHERE"
    "   m.same = g.same AND d.current = 1 AND d.decision = 1 AND NOT EXISTS"
    "   (SELECT 1 FROM tags o CROSS JOIN keywords k ON k.tag = o.id WHERE o.same = g.same AND"
    "   k.picture = d.picture)),"
    "  (SELECT count(*) FROM tags m JOIN suggestions s ON s.tag = m.id WHERE m.same = g.same)"
    "  FROM g)"
    " SELECT name, given, suggested FROM w WHERE given OR suggested"
    " ORDER BY given DESC, suggested DESC, name LIMIT ?2";

/* `prefix` as a pattern of LIKE, which ends with "%". */
static f0t_status make_pattern(char **out, const char *prefix)
{
    size_t length = 0;
    F0T_TRY(f0t_alloc(out, 2 * strlen(prefix) + 2, 1));
    for (const char *c = prefix; *c; c++) {
        if (strchr("\\%_", *c))
            (*out)[length++] = '\\';
        (*out)[length++] = *c;
    }
    memcpy(*out + length, "%", 2);
    return F0T_OK;
}

static f0t_status add_words(word_list *l, f0t_catalogue *c, sqlite3_stmt *row)
{
    for (bool any;;) {
        F0T_TRY(f0t_sql_step(&any, &c->sql, row));
        if (!any)
            return F0T_OK;
        F0T_TRY(f0t_grow(&l->items, &l->capacity, l->shown.count, 1, sizeof *l->items));
        F0T_TRY(add_text(&l->texts, row, 0));
        l->items[l->shown.count++] =
            (f0t_catalogue_word){.given = (size_t)sqlite3_column_int64(row, 1),
                                 .suggested = (size_t)sqlite3_column_int64(row, 2)};
    }
}

static f0t_status read_words(word_list *l, f0t_catalogue *c, const char *pattern, size_t limit)
{
    sqlite3_stmt *rows;
    const int64_t most = limit && limit <= INT64_MAX ? (int64_t)limit : -1;
    F0T_TRY(f0t_sql_bind(&rows, &c->sql, WORDS,
                         F0T_SQL_VALUES(f0t_sql_text(pattern), f0t_sql_int(most))));
    f0t_status status = add_words(l, c, rows);
    f0t_sql_reset(rows);
    l->shown.items = l->items;
    for (size_t i = 0; i < l->shown.count; i++)
        l->items[i].tag = f0t_texts_get(&l->texts, i);
    return status;
}

f0t_status f0t_catalogue_get_words(f0t_catalogue_words **out, f0t_catalogue *catalogue,
                                   const char *prefix, size_t limit)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(catalogue);
    word_list *l;
    char *pattern;
    F0T_TRY(make_pattern(&pattern, prefix ? prefix : ""));
    f0t_status status = f0t_alloc_zero(&l, 1, sizeof *l);
    if (status == F0T_OK)
        status = read_words(l, catalogue, pattern, limit);
    f0t_free(pattern);
    if (status == F0T_OK)
        *out = &l->shown;
    else if (l)
        f0t_catalogue_words_free(&l->shown);
    return status;
}

void f0t_catalogue_words_free(f0t_catalogue_words *words)
{
    word_list *l = (word_list *)words;
    if (!l)
        return;
    f0t_texts_free(&l->texts);
    f0t_free(l->items);
    f0t_free(l);
}
