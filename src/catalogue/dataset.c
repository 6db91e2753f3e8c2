/* A catalogue as a dataset: what people have said of its pictures, to be learned from. */
#include "catalogue/catalogue.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/interner.h"
#include "base/size.h"
#include "catalogue/same.h"
#include "io/dataset.h"
#include "io/json.h"

#include <stdlib.h>
#include <string.h>

/* Pictures, their lines of tags.txt and images.txt, and their features. */
typedef struct gathering {
    f0t_catalogue *catalogue;
    f0t_texts tags, images; /* lines, in one piece of memory each */
    uint16_t *features;     /* [count x dim] */
    size_t capacity, dim;
    bool *reviewed; /* [count] */
    size_t reviewed_capacity, count;
    char line[1 << 16];
} gathering;

/* Features of unreadable pictures do not exist; missing pictures are as good as others. */
static const char *const TAGGED =
    "SELECT p.id, p.path, f.data, EXISTS (SELECT 1 FROM decisions d WHERE d.picture = p.id AND"
    " d.current = 1 AND d.decision <> 0) AS reviewed FROM pictures p"
    " JOIN features f ON f.picture = p.id AND f.backbone = ?1"
    " WHERE reviewed OR EXISTS (SELECT 1 FROM keywords k WHERE k.picture = p.id) ORDER BY p.id";

/* An accepted tag that the person has given in other words is that keyword. */
static const char *const GIVEN =
    "SELECT n.name FROM (SELECT tag FROM keywords WHERE picture = ?1 UNION SELECT tag FROM"
    " decisions d WHERE picture = ?1 AND current = 1 AND decision = 1 AND NOT EXISTS"
    " (SELECT 1 FROM keywords k WHERE k.picture = ?1 AND k.tag IN " F0T_SAME_TAGS(
        "d.tag") ")) g"
                 " JOIN tags n ON n.id = g.tag WHERE NOT EXISTS (SELECT 1 FROM decisions d WHERE"
                 " d.picture = ?1 AND d.tag = g.tag AND d.current = 1 AND d.decision = 2) ORDER BY "
                 "n.name";

/* ---- One picture ----------------------------------------------------------------------------------- */

/* A tag with a tab or a line feed in it cannot stand in a line of tags; nobody types one. */
static size_t add_tag(gathering *g, size_t length, const char *tag)
{
    const size_t size = strlen(tag);
    if (!size || strpbrk(tag, "\t\r\n") || length + size + 2 > sizeof g->line)
        return length;
    if (length)
        g->line[length++] = '\t';
    memcpy(g->line + length, tag, size);
    return length + size;
}

static f0t_status add_tags(gathering *g, int64_t picture)
{
    f0t_catalogue *c = g->catalogue;
    sqlite3_stmt *row;
    size_t length = 0;
    F0T_TRY(f0t_sql_bind(&row, &c->sql, GIVEN, F0T_SQL_VALUES(f0t_sql_int(picture))));
    for (bool any = true; any;) {
        F0T_TRY(f0t_sql_step(&any, &c->sql, row));
        const char *tag = any ? (const char *)sqlite3_column_text(row, 0) : NULL;
        if (tag)
            length = add_tag(g, length, tag);
    }
    return f0t_texts_add(&g->tags, g->line, length);
}

static f0t_status add_features(gathering *g, sqlite3_stmt *row)
{
    const void *data = sqlite3_column_blob(row, 2);
    const size_t bytes = (size_t)sqlite3_column_bytes(row, 2);
    size_t room;
    if (!g->count)
        g->dim = bytes / sizeof *g->features;
    if (!data || bytes != g->dim * sizeof *g->features || g->dim > F0T_CATALOGUE_DIM_MOST)
        return f0t_fail(F0T_ERROR_FORMAT, "%s is damaged: features of a picture have %zu bytes",
                        g->catalogue->path, bytes);
    if (!f0t_size_mul(&room, g->count, g->dim))
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for %zu pictures", g->count);
    F0T_TRY(f0t_grow(&g->features, &g->capacity, room, g->dim, sizeof *g->features));
    memcpy(g->features + room, data, bytes);
    return F0T_OK;
}

/* A line of its own for each, whatever its path has in it. */
static f0t_status add_image(gathering *g, const char *path)
{
    char id[32];
    const bool whole = path && !strpbrk(path, "\t\r\n");
    if (!whole)
        sqlite3_snprintf(sizeof id, id, "picture %d", (int)g->count + 1);
    return f0t_texts_add(&g->images, whole ? path : id, strlen(whole ? path : id));
}

static f0t_status add_picture(gathering *g, sqlite3_stmt *row)
{
    F0T_TRY(add_features(g, row));
    F0T_TRY(add_image(g, (const char *)sqlite3_column_text(row, 1)));
    F0T_TRY(f0t_grow(&g->reviewed, &g->reviewed_capacity, g->count, 1, sizeof *g->reviewed));
    g->reviewed[g->count++] = sqlite3_column_int(row, 3);
    return add_tags(g, sqlite3_column_int64(row, 0));
}

static f0t_status gather(gathering *g)
{
    f0t_catalogue *c = g->catalogue;
    sqlite3_stmt *row;
    f0t_status status = F0T_OK;
    if (!c->backbone) /* rows of a backbone 0 are a damaged catalogue's, and no one can say what they are of */
        return f0t_fail(F0T_ERROR_NOT_FOUND,
                        "%s has no features of pictures: nothing to learn from; fast0tag index "
                        "makes them",
                        c->path);
    F0T_TRY(f0t_sql_bind(&row, &c->sql, TAGGED, F0T_SQL_VALUES(f0t_sql_int(c->backbone_id))));
    for (bool any = true; any && status == F0T_OK;) {
        status = f0t_sql_step(&any, &c->sql, row);
        if (status == F0T_OK && any)
            status = add_picture(g, row);
    }
    f0t_sql_reset(row);
    F0T_TRY(status);
    return g->count ? F0T_OK
                    : f0t_fail(F0T_ERROR_NOT_FOUND,
                               "%s has no picture that somebody has tagged: nothing to learn from",
                               c->path);
}

/* ---- The dataset ----------------------------------------------------------------------------------- */

static f0t_status make_json(char **out, const f0t_catalogue *c)
{
    json_t *backbone;
    F0T_TRY(f0t_json_parse(&backbone, c->backbone, strlen(c->backbone), c->path));
    json_t *root = json_pack("{s:s, s:o}", "name", "catalogue", "backbone", backbone);
    char *text = root ? json_dumps(root, JSON_COMPACT) : NULL;
    json_decref(root);
    if (!text)
        return f0t_fail(F0T_ERROR_MEMORY, "out of memory");
    f0t_status status = f0t_string_copy(out, text, strlen(text));
    free(text);
    return status;
}

/* Where tags stand in the hierarchies that people use. */
static f0t_status add_places(f0t_dataset *dataset, f0t_catalogue *c)
{
    sqlite3_stmt *row;
    f0t_status status = F0T_OK;
    F0T_TRY(f0t_sql_bind(&row, &c->sql,
                         "SELECT place FROM keywords WHERE place IS NOT NULL GROUP BY place"
                         " ORDER BY count(*) DESC, place",
                         NULL, 0));
    for (bool any = true; any && status == F0T_OK;) {
        status = f0t_sql_step(&any, &c->sql, row);
        const char *place = any ? (const char *)sqlite3_column_text(row, 0) : NULL;
        if (status == F0T_OK && place &&
            f0t_paths_add(&dataset->paths, place, strlen(place)) == F0T_ERROR_MEMORY)
            status = F0T_ERROR_MEMORY; /* one that cannot be a line has no place */
    }
    f0t_sql_reset(row);
    return status;
}

static f0t_status open_dataset(f0t_dataset **out, gathering *g, const f0t_dataset_options *options)
{
    f0t_catalogue *c = g->catalogue;
    char *json;
    F0T_TRY(make_json(&json, c));
    const f0t_dataset_memory memory = {.size = sizeof memory,
                                       .path = c->path,
                                       .features = g->features,
                                       .dtype = "float16",
                                       .rows = g->count,
                                       .dim = g->dim,
                                       .tags = g->tags.bytes,
                                       .images = g->images.bytes,
                                       .json = json};
    f0t_status status = f0t_dataset_open_memory(out, &memory, options, NULL);
    f0t_free(json);
    F0T_TRY(status);
    (*out)->owned = g->features;
    (*out)->reviewed = g->reviewed;
    g->features = NULL;
    g->reviewed = NULL;
    return add_places(*out, c);
}

/* f0t_texts with "\n" after each is a text of lines; a NUL ends it. */
static f0t_status end_lines(gathering *g)
{
    F0T_TRY(f0t_grow(&g->tags.bytes, &g->tags.capacity, g->tags.size, 1, 1));
    F0T_TRY(f0t_grow(&g->images.bytes, &g->images.capacity, g->images.size, 1, 1));
    g->tags.bytes[g->tags.size] = '\0';
    g->images.bytes[g->images.size] = '\0';
    return F0T_OK;
}

f0t_status f0t_catalogue_open_dataset(f0t_dataset **out, f0t_catalogue *catalogue,
                                      const f0t_dataset_options *options,
                                      const f0t_context *context)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(catalogue);
    F0T_ENTER(context);
    gathering *g;
    F0T_TRY(f0t_alloc_zero(&g, 1, sizeof *g));
    g->catalogue = catalogue;
    g->tags.end = g->images.end = '\n';
    f0t_status status = gather(g);
    if (status == F0T_OK)
        status = end_lines(g);
    if (status == F0T_OK)
        status = open_dataset(out, g, options);
    if (status != F0T_OK) {
        f0t_dataset_close(*out);
        *out = NULL;
    }
    f0t_texts_free(&g->tags);
    f0t_texts_free(&g->images);
    f0t_free(g->features);
    f0t_free(g->reviewed);
    f0t_free(g);
    return status;
}
