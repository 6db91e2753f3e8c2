#include "catalogue/tag_file.h"

#include "base/alloc.h"
#include "catalogue/scan.h"
#include "image/keywords.h"
#include "image/sidecar_name.h"

#include <errno.h>

static f0t_status open_sidecars(f0t_tag_files *f, f0t_write_way how)
{
    static const char *const everywhere[] = {"/"}; /* paths of a catalogue have no links in them */
    const f0t_sidecar_options options = {.size = sizeof options,
                                         .plain_name = how == F0T_WAY_PLAIN,
                                         .embed = how == F0T_WAY_EMBED,
                                         .touch = how == F0T_WAY_EMBED && f->touch,
                                         .dry_run = f->dry_run,
                                         .folders = everywhere,
                                         .folder_count = 1};
    return f->sidecars[how] ? F0T_OK : f0t_sidecars_open(&f->sidecars[how], &options);
}

/* Counts all pictures of the catalogue, once. */
static f0t_status count_all(void *user, f0t_sidecar_usage *usage, const char *picture)
{
    f0t_tag_files *f = user;
    f0t_sql *sql = &f->catalogue->sql;
    sqlite3_stmt *row;
    f0t_status status = F0T_OK;
    (void)picture;
    if (!f->counted)
        F0T_TRY(f0t_sql_bind(&row, sql, "SELECT path FROM pictures WHERE state = 0", NULL, 0));
    for (bool any = !f->counted; any && status == F0T_OK;) {
        status = f0t_sql_step(&any, sql, row);
        const char *path = any ? (const char *)sqlite3_column_text(row, 0) : NULL;
        if (status == F0T_OK && path)
            status = f0t_sidecar_usage_add(&f->usage, path);
        if (status != F0T_OK)
            f0t_sql_reset(row);
    }
    f->counted = true;
    *usage = f->usage;
    return status;
}

f0t_status f0t_tag_files_choose(f0t_write_way *how, f0t_tag_files *f, const char *picture,
                                bool plain)
{
    const f0t_write_way rule = plain ? F0T_WAY_PLAIN : F0T_WAY_SIDECAR;
    F0T_TRY(open_sidecars(f, rule));
    F0T_TRY(f0t_sidecars_choose(&plain, f->sidecars[rule], picture, count_all, f));
    *how = plain ? F0T_WAY_PLAIN : F0T_WAY_SIDECAR;
    return F0T_OK;
}

/* Makes these our tags of the file, or takes all of ours away. */
static f0t_status write_file(f0t_catalogue_written *said, f0t_tag_files *f, f0t_write_way how,
                             const f0t_file_tags *tags, bool remove)
{
    const char **items;
    F0T_TRY(open_sidecars(f, how));
    f0t_sidecars_put_back(f->sidecars[how], how == f->back_way ? f->back : NULL);
    if (remove)
        return f0t_sidecars_remove(&said->file, &said->changed, f->sidecars[how], said->path);
    const size_t count = tags->texts.count;
    F0T_TRY(f0t_alloc(&items, count, sizeof *items));
    for (size_t i = 0; i < count; i++)
        items[i] = f0t_texts_get(&tags->texts, i);
    f0t_status status = f0t_sidecars_write_named(&said->file, &said->changed, f->sidecars[how],
                                                 said->path, items, tags->again, count);
    f0t_free(items);
    return status;
}

/* The index knows a picture by its content wherever it moves; all else that it knows of it is as it was, since tags of
 * ours are nobody's keywords. */
static f0t_status note_content(f0t_catalogue *c, const f0t_catalogue_written *said)
{
    f0t_file_stamp stamp;
    uint64_t hash;
    if (!f0t_file_stamp_get(&stamp, said->path))
        return f0t_fail_errno(errno, "%s", said->path);
    F0T_TRY(f0t_file_hash(&hash, said->path));
    return f0t_sql_run(&c->sql,
                       "UPDATE pictures SET bytes = ?2, mtime = ?3, hash = ?4, seen = ?5"
                       " WHERE id = ?1 AND hash <> 0",
                       F0T_SQL_VALUES(f0t_sql_int(said->picture), f0t_sql_bits(stamp.bytes),
                                      f0t_sql_int(stamp.mtime), f0t_sql_bits(hash),
                                      f0t_sql_bits(stamp.seen)));
}

/* Files that are written one after the other may have one size and one time, by the clock of the file system: the sidecars
 * of no two pictures shall have the same stamp, where times are kept finely enough. */
static f0t_status stamp_alone(uint64_t *stamp, f0t_catalogue *c, const char *path)
{
    int64_t other = 1;
    for (uint64_t last = 0; other;) {
        F0T_TRY(f0t_sidecars_stamp(stamp, path));
        if (!*stamp || *stamp == last)
            return F0T_OK;
        F0T_TRY(f0t_sql_get_int(&other, &c->sql,
                                "SELECT EXISTS (SELECT 1 FROM pictures WHERE sidecars = ?2 AND"
                                " sidecars <> 0 AND path <> ?1) OR EXISTS"
                                " (SELECT 1 FROM left_sidecars WHERE sidecars = ?2)",
                                F0T_SQL_VALUES(f0t_sql_text(path), f0t_sql_bits(*stamp)), 0));
        last = *stamp;
        if (other)
            F0T_TRY(f0t_sidecars_postdate(path));
    }
    return F0T_OK;
}

/* Sidecars that another program has changed since the last index stay to be read by the next. */
static f0t_status note_sidecars(f0t_catalogue *c, const char *path, uint64_t before)
{
    uint64_t after;
    F0T_TRY(stamp_alone(&after, c, path));
    return f0t_sql_run(
        &c->sql, "UPDATE pictures SET sidecars = ?3 WHERE path = ?1 AND sidecars = ?2",
        F0T_SQL_VALUES(f0t_sql_text(path), f0t_sql_bits(before), f0t_sql_bits(after)));
}

/* write_file, after which the catalogue still knows the picture and its sidecars. */
static f0t_status write_known(f0t_catalogue_written *said, f0t_tag_files *f, f0t_write_way how,
                              const f0t_file_tags *tags, bool remove)
{
    uint64_t sidecars;
    F0T_TRY(f0t_sidecars_stamp(&sidecars, said->path));
    F0T_TRY(write_file(said, f, how, tags, remove));
    if (!said->changed || f->dry_run)
        return F0T_OK;
    return how == F0T_WAY_EMBED ? note_content(f->catalogue, said)
                                : note_sidecars(f->catalogue, said->path, sidecars);
}

f0t_status f0t_tag_files_clear(f0t_catalogue_written *said, f0t_write_way *told, f0t_tag_files *f)
{
    uint64_t sidecars;
    F0T_TRY(f0t_sidecars_stamp(&sidecars, said->path));
    for (f0t_write_way i = F0T_WAY_SIDECAR; i <= F0T_WAY_PLAIN; i++) {
        f0t_catalogue_written one = *said;
        F0T_TRY(open_sidecars(f, i));
        F0T_TRY(f0t_sidecars_clear(&one.file, &one.changed, f->sidecars[i], one.path));
        if (!one.changed)
            continue;
        *said = one;
        *told = i;
    }
    return said->changed && !f->dry_run ? note_sidecars(f->catalogue, said->path, sidecars)
                                        : F0T_OK;
}

f0t_status f0t_tag_files_write(f0t_catalogue_written *said, f0t_write_way *told, bool *left,
                               f0t_tag_files *f, const bool leave[F0T_WRITE_WAYS],
                               f0t_write_way how, const f0t_file_tags *tags, bool remove)
{
    f0t_catalogue_written there = *said, other = *said;
    f0t_write_way from = how;
    for (f0t_write_way i = 0; i < F0T_WRITE_WAYS; i++) {
        if (!leave[i] || i == how)
            continue;
        F0T_TRY(write_known(&other, f, i, NULL, true));
        if (other.changed) {
            there = other;
            from = i;
        }
    }
    F0T_TRY(write_known(said, f, how, tags, remove));
    *left = there.changed;
    *told = how;
    if (there.changed && !said->changed) {
        *said = there;
        *told = from;
    }
    return F0T_OK;
}

void f0t_tag_files_close(f0t_tag_files *f)
{
    for (int i = 0; i < F0T_WRITE_WAYS; i++)
        f0t_sidecars_close(f->sidecars[i]);
}
