/*
 * Indexing. A scan says what is to be done (scan.h), and which picture each file is, as far as its content tells
 * (identity.h); that is done batch by batch: files are read and hashed and their keywords taken by all threads, then
 * pictures become features and features become suggestions, and then the batch is committed. Nothing is locked while
 * pictures are read, so that others can work with the catalogue.
 */
#include "catalogue/index.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/monitor.h"
#include "base/team.h"
#include "catalogue/identity.h"
#include "catalogue/resemblance.h"
#include "image/backbone.h"
#include "image/keywords.h"
#include "image/parallel.h"
#include "image/protocol.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Pictures that are committed at a time, and those among them that are read from files, which takes longer. */
enum { BATCH = 256, READ_MOST = 64 };

/* A picture of a batch. */
typedef struct entry {
    const f0t_scan_item *item;
    const char *path;
    int64_t id; /* 0: new */
    uint64_t hash;
    f0t_texts keywords;
    f0t_keyword_source *sources; /* [keywords.count] */
    f0t_removed_tags removed;
    char *fault;         /* what is wrong with its keywords; NULL: nothing */
    f0t_status why;      /* and the status that it is wrong by */
    f0t_failure failure; /* of its pixels */
    f0t_picture_extra extra;
    size_t row;               /* of its features; F0T_NONE: it has none */
    bool strange;             /* the sidecars beside it are another picture's */
    bool skipped;             /* it changed while it was read: it stays as it is known */
    f0t_resemblance likeness; /* of a doubtful one: to the picture `id` */
} entry;

struct f0t_indexer {
    f0t_catalogue *catalogue;
    f0t_index_options options;
    const f0t_monitor *monitor;
    f0t_suggester suggester;
    int64_t model_id, backbone_id; /* what was chosen when it was opened */
    f0t_worker **workers;          /* [threads] for keywords */
    int threads;
    entry entries[BATCH];
    size_t count;
    float *features; /* [BATCH x dim] */
    float *directions;
    f0t_tag_score *suggestions; /* [BATCH x F0T_SUGGESTED_MOST] */
    size_t counts[BATCH];
    f0t_scan scan;
    size_t removed; /* tags that somebody took out of files, which count as rejected now */
    f0t_index_report *report;
};

/* ---- Opening --------------------------------------------------------------------------------------- */

static f0t_status make_room(f0t_indexer *x)
{
    const f0t_suggester *s = &x->suggester;
    F0T_TRY(f0t_alloc(&x->features, BATCH * s->dim, sizeof *x->features));
    F0T_TRY(f0t_alloc(&x->directions, BATCH * s->direction, sizeof *x->directions));
    F0T_TRY(f0t_alloc(&x->suggestions, BATCH * F0T_SUGGESTED_MOST, sizeof *x->suggestions));
    x->threads = f0t_team_size();
    F0T_TRY(f0t_alloc_zero(&x->workers, (size_t)x->threads, sizeof *x->workers));
    for (int i = 0; s->backbone && i < x->threads; i++)
        F0T_TRY(f0t_worker_create(&x->workers[i]));
    return F0T_OK;
}

static f0t_status open_suggester(f0t_indexer *x, bool pictures)
{
    F0T_TRY(f0t_suggester_open(&x->suggester, x->catalogue, &x->options, pictures, x->monitor));
    x->model_id = x->catalogue->model_id;
    x->backbone_id = x->catalogue->backbone_id;
    return make_room(x);
}

static void close_suggester(f0t_indexer *x)
{
    for (int i = 0; x->workers && i < x->threads; i++)
        f0t_worker_free(x->workers[i]);
    f0t_free(x->workers);
    f0t_free(x->features);
    f0t_free(x->directions);
    f0t_free(x->suggestions);
    x->workers = NULL;
    x->features = x->directions = NULL;
    x->suggestions = NULL;
    f0t_suggester_close(&x->suggester);
}

/* Whether the catalogue has chosen what this indexer works with; another process may choose at any time. */
static f0t_status is_chosen(bool *out, const f0t_indexer *x)
{
    F0T_TRY(f0t_catalogue_read_chosen(x->catalogue));
    *out = x->model_id == x->catalogue->model_id && x->backbone_id == x->catalogue->backbone_id;
    return F0T_OK;
}

/* The choice of another process since is the newer one, also where the options named another. */
static f0t_status follow_choice(f0t_indexer *x)
{
    const bool pictures = x->suggester.backbone;
    bool same;
    F0T_TRY(is_chosen(&same, x));
    if (same)
        return F0T_OK;
    x->options.model = x->options.backbone = NULL;
    close_suggester(x);
    return open_suggester(x, pictures);
}

f0t_status f0t_indexer_open(f0t_indexer **out, f0t_catalogue *catalogue,
                            const f0t_index_options *options, bool pictures,
                            const f0t_monitor *monitor)
{
    f0t_indexer *x;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&x, 1, sizeof *x));
    x->catalogue = catalogue;
    x->options = *options;
    x->monitor = monitor;
    f0t_status status = open_suggester(x, pictures);
    if (status == F0T_OK)
        *out = x;
    else
        f0t_indexer_close(x);
    return status;
}

void f0t_indexer_close(f0t_indexer *x)
{
    if (!x)
        return;
    close_suggester(x);
    f0t_free(x);
}

/* ---- Hashes and keywords --------------------------------------------------------------------------- */

static void entry_clear(entry *e)
{
    f0t_texts_free(&e->keywords);
    f0t_free(e->sources);
    f0t_texts_free(&e->removed.words);
    f0t_free(e->fault);
    f0t_free(e->extra.thumbnail);
    *e = (entry){0};
}

/* Runs in any thread. */
static f0t_status inspect(void *context, const f0t_parallel_piece *piece, f0t_parallel_notes *notes)
{
    f0t_indexer *x = context;
    entry *e = &x->entries[piece->number];
    (void)notes;
    if (e->item->work == F0T_SCAN_SCORE)
        return F0T_OK;
    if (e->item->work == F0T_SCAN_READ && !e->hash)
        F0T_TRY(f0t_file_hash(&e->hash, e->path));
    F0T_TRY(f0t_alloc(&e->sources, F0T_PICTURE_KEYWORDS_MAX, sizeof *e->sources));
    return f0t_keywords_read_sources(&e->keywords, e->sources, &e->removed,
                                     x->workers[piece->thread], e->path, !e->strange);
}

/* One call at a time. A picture whose keywords cannot be read may well be one that can be seen: what was found before
 * the fault is not taken, and the fault is noted. */
static f0t_status note_fault(void *context, size_t i, f0t_status status, const char *message,
                             f0t_parallel_notes *notes)
{
    f0t_indexer *x = context;
    entry *e = &x->entries[i];
    (void)notes;
    f0t_texts_free(&e->keywords);
    e->keywords = (f0t_texts){0};
    f0t_texts_free(&e->removed.words);
    e->removed = (f0t_removed_tags){.at = 0};
    e->why = status;
    return f0t_string_copy(&e->fault, message, strlen(message));
}

static f0t_status inspect_all(f0t_indexer *x, const f0t_monitor *quiet)
{
    for (size_t i = 0; i < x->count; i++)
        F0T_TRY(f0t_identity_has_strange(&x->entries[i].strange, x->catalogue, x->entries[i].path));
    const f0t_parallel loop = {.count = x->count,
                               .threads = x->threads,
                               .stage = "reading keywords",
                               .context = x,
                               .run = inspect,
                               .failed = note_fault,
                               .monitor = quiet};
    return f0t_parallel_for(&loop);
}

/* ---- Features and suggestions ---------------------------------------------------------------------- */

static f0t_status read_pictures(f0t_indexer *x, size_t *rows, const f0t_monitor *quiet)
{
    f0t_picture_source sources[BATCH];
    bool good[BATCH];
    for (size_t i = 0; i < x->count; i++) {
        entry *e = &x->entries[i];
        if (e->item->work != F0T_SCAN_READ)
            continue;
        e->row = *rows;
        sources[(*rows)++] =
            (f0t_picture_source){.path = e->path, .failure = &e->failure, .extra = &e->extra};
    }
    return *rows ? f0t_backbone_run_sources(x->features, good, x->suggester.backbone, sources,
                                            *rows, quiet)
                 : F0T_OK;
}

/* Of pictures that have not changed. */
static f0t_status load_features(f0t_indexer *x, size_t *rows)
{
    for (size_t i = 0; i < x->count; i++) {
        entry *e = &x->entries[i];
        size_t dim;
        if (e->item->work != F0T_SCAN_SCORE)
            continue;
        F0T_TRY(f0t_catalogue_get_features(x->features + *rows * x->suggester.dim, &dim,
                                           x->suggester.dim, x->catalogue, e->id));
        if (dim == x->suggester.dim)
            e->row = (*rows)++;
    }
    return F0T_OK;
}

static f0t_status compute(f0t_indexer *x, const f0t_monitor *quiet)
{
    size_t rows = 0;
    for (size_t i = 0; i < x->count; i++)
        x->entries[i].row = F0T_NONE;
    F0T_TRY(read_pictures(x, &rows, quiet));
    F0T_TRY(load_features(x, &rows));
    return rows ? f0t_suggester_run(x->directions, x->suggestions, x->counts, &x->suggester,
                                    x->features, rows)
                : F0T_OK;
}

/* ---- Edited, or another picture -------------------------------------------------------------------- */

/* What stands at the path must still be what was read. */
static bool is_still_there(const entry *e)
{
    f0t_file_stamp stamp;
    return f0t_file_stamp_get(&stamp, e->path) ? stamp.seen == e->item->stamp.seen
                                               : errno != ENOENT && errno != ENOTDIR;
}

/* What the catalogue knows of a picture; the thumbnail is the catalogue's until the next one. */
static f0t_status read_look(f0t_look *look, f0t_catalogue *c, int64_t id)
{
    f0t_catalogue_pictures *one;
    F0T_TRY(f0t_catalogue_get(&one, c, id));
    *look = (f0t_look){
        .taken = one->items->taken, .width = one->items->width, .height = one->items->height};
    f0t_catalogue_pictures_free(one);
    return f0t_catalogue_get_thumbnail(&look->thumbnail, &look->size, c, id);
}

static f0t_status count_decisions(int64_t *out, f0t_catalogue *c, int64_t id)
{
    return f0t_sql_get_int(out, &c->sql,
                           "SELECT count(*) FROM decisions WHERE picture = ?1 AND current = 1 AND"
                           " decision <> 0",
                           F0T_SQL_VALUES(f0t_sql_int(id)), 0);
}

/* "1600 x 1200, saved 2026-03-01": two pictures of one path have no other names. */
static f0t_status name_old(char *to, size_t size, f0t_catalogue *c, int64_t id)
{
    f0t_catalogue_pictures *one;
    char date[32] = "on an unknown day";
    struct tm day;
    F0T_TRY(f0t_catalogue_get(&one, c, id));
    const f0t_catalogue_picture *p = one->items;
    const bool taken = p->taken != F0T_NO_DATE;
    const time_t seconds = (time_t)(taken ? p->taken : p->mtime / 1000000000);
    if ((taken || p->mtime != F0T_NO_DATE) && gmtime_r(&seconds, &day))
        strftime(date, sizeof date, "%Y-%m-%d", &day);
    snprintf(to, size, "%u x %u, %s %s", p->width, p->height, taken ? "taken" : "saved", date);
    f0t_catalogue_pictures_free(one);
    return F0T_OK;
}

/* Up to five tags that were accepted for the picture. */
static f0t_status name_accepted(char *to, size_t size, f0t_catalogue *c, int64_t id)
{
    sqlite3_stmt *row;
    bool any;
    F0T_TRY(f0t_sql_bind(&row, &c->sql,
                         "SELECT group_concat(name, ', ') FROM (SELECT t.name FROM decisions d"
                         " JOIN tags t ON t.id = d.tag WHERE d.picture = ?1 AND d.current = 1 AND"
                         " d.decision = 1 ORDER BY d.id LIMIT 5)",
                         F0T_SQL_VALUES(f0t_sql_int(id))));
    F0T_TRY(f0t_sql_step(&any, &c->sql, row));
    const char *names = any ? (const char *)sqlite3_column_text(row, 0) : NULL;
    snprintf(to, size, "%s", names ? names : "none");
    f0t_sql_reset(row);
    return F0T_OK;
}

static f0t_status warn_of_another(const f0t_indexer *x, const entry *e)
{
    char old[128], accepted[512];
    int64_t decided;
    F0T_TRY(count_decisions(&decided, x->catalogue, e->id));
    if (!decided)
        return F0T_OK;
    F0T_TRY(name_old(old, sizeof old, x->catalogue, e->id));
    F0T_TRY(name_accepted(accepted, sizeof accepted, x->catalogue, e->id));
    f0t_log(x->monitor, F0T_LOG_WARNING,
            e->likeness == F0T_RESEMBLANCE_OTHER
                ? "%s: is another picture than the one there before (%s); that one is missing, and "
                  "keeps its %lld decision%s (accepted: %s) until index finds its file again"
                : "%s: may be the picture there before (%s), edited, or another one; it counts as "
                  "new, and that one is missing with its %lld decision%s (accepted: %s): accept "
                  "them once more if it is the same",
            e->path, old, (long long)decided, decided == 1 ? "" : "s", accepted);
    return F0T_OK;
}

/* Copies of keywords beside another picture are none of its keywords. */
static f0t_status drop_copies(f0t_indexer *x, entry *e)
{
    f0t_texts_free(&e->keywords);
    e->keywords = (f0t_texts){0};
    f0t_status status = f0t_keywords_read_sources(&e->keywords, e->sources, &e->removed,
                                                  x->workers[0], e->path, false);
    if (status == F0T_OK || status == F0T_ERROR_MEMORY || status == F0T_ERROR_INTERRUPTED)
        return status;
    return note_fault(x, (size_t)(e - x->entries), status, f0t_last_error(), NULL);
}

/* A picture that was never seen, and of which nothing is decided, is but a path. */
static f0t_status judge(f0t_indexer *x, entry *e)
{
    const f0t_look now = {.taken = e->extra.taken,
                          .width = e->extra.width,
                          .height = e->extra.height,
                          .thumbnail = e->extra.thumbnail,
                          .size = e->extra.thumbnail_size};
    f0t_look before;
    int64_t decided;
    F0T_TRY(count_decisions(&decided, x->catalogue, e->id));
    F0T_TRY(read_look(&before, x->catalogue, e->id));
    e->likeness = F0T_RESEMBLANCE_SAME;
    if (before.size || decided)
        F0T_TRY(f0t_resemblance_judge(&e->likeness, x->workers[0], &before, &now));
    if (e->likeness == F0T_RESEMBLANCE_SAME)
        return F0T_OK;
    F0T_TRY(warn_of_another(x, e));
    return e->fault ? F0T_OK : drop_copies(x, e);
}

/* Without its content, nobody can say which picture it is. */
static void fail_unhashed(entry *e)
{
    if (e->failure.status != F0T_OK || e->hash || !e->id || e->item->work != F0T_SCAN_READ)
        return;
    e->failure.status = e->why;
    snprintf(e->failure.message, sizeof e->failure.message, "%s", e->fault ? e->fault : "");
}

static f0t_status judge_all(f0t_indexer *x)
{
    for (size_t i = 0; i < x->count; i++) {
        entry *e = &x->entries[i];
        if (e->item->work == F0T_SCAN_SCORE)
            continue;
        fail_unhashed(e);
        e->skipped = !is_still_there(e) || (e->item->failed && e->hash);
        if (e->skipped)
            f0t_log(x->monitor, F0T_LOG_WARNING, "%s: " F0T_CHANGED_MEANWHILE, e->path);
        else if (e->item->doubtful && e->failure.status == F0T_OK)
            F0T_TRY(judge(x, e));
    }
    return F0T_OK;
}

/* ---- Committing ------------------------------------------------------------------------------------ */

static void fill_keywords(f0t_catalogue_record *record, f0t_catalogue_keyword *room, const entry *e)
{
    for (size_t i = 0; i < e->keywords.count; i++)
        room[i] = (f0t_catalogue_keyword){.keyword = f0t_texts_get(&e->keywords, i),
                                          .source = e->sources[i]};
    record->keywords = room;
    record->keyword_count = e->keywords.count;
}

static void fill_scores(f0t_catalogue_record *record, const f0t_indexer *x, const entry *e)
{
    if (e->row == F0T_NONE || e->failure.status != F0T_OK)
        return;
    record->features = x->features + e->row * x->suggester.dim;
    record->dim = x->suggester.dim;
    record->direction =
        x->suggester.tagger ? x->directions + e->row * x->suggester.direction : NULL;
    record->direction_dim = x->suggester.direction;
    record->suggestions = x->suggestions + e->row * F0T_SUGGESTED_MOST;
    record->suggestion_count = x->counts[e->row];
}

/* No process, descriptor or memory could be had, or the disk failed: the file itself may be sound. */
static bool is_passing(f0t_status status)
{
    return status == F0T_ERROR_IO || status == F0T_ERROR_MEMORY;
}

/* Whether the file is to be read again, though it stays the same. */
static bool is_unread(const entry *e)
{
    const bool unread = is_passing(e->why) && e->item->work == F0T_SCAN_READ && !e->hash;
    return unread || is_passing(e->failure.status);
}

static int64_t time_of(const entry *e)
{
    return is_unread(e) ? F0T_NO_DATE : e->item->stamp.mtime;
}

static uint64_t seen_of(const entry *e)
{
    return is_unread(e) ? 0 : e->item->stamp.seen;
}

/* Those of the sidecars; or some that they do not have, so that the next index reads the keywords again, and nothing else. */
static uint64_t sidecars_of(const entry *e)
{
    return is_passing(e->why) ? ~e->item->stamp.sidecars : e->item->stamp.sidecars;
}

static void fill_picture(f0t_catalogue_record *record, const entry *e)
{
    const bool readable = e->failure.status == F0T_OK;
    record->picture =
        (f0t_catalogue_picture){.id = e->id,
                                .path = e->path,
                                .state = readable ? F0T_PICTURE_PRESENT : F0T_PICTURE_UNREADABLE,
                                .error = readable ? e->fault : e->failure.message,
                                .bytes = e->item->stamp.bytes,
                                .mtime = time_of(e),
                                .hash = e->hash,
                                .sidecars = sidecars_of(e),
                                .taken = readable ? e->extra.taken : F0T_NO_DATE,
                                .width = e->extra.width,
                                .height = e->extra.height};
    record->thumbnail = e->extra.thumbnail;
    record->thumbnail_size = e->extra.thumbnail_size;
}

/* The same picture, with other sidecars. */
static f0t_status put_keywords(f0t_catalogue *c, const entry *e, const f0t_catalogue_record *record)
{
    F0T_TRY(f0t_sql_run(
        &c->sql, "UPDATE pictures SET error = ?2, sidecars = ?3 WHERE id = ?1",
        F0T_SQL_VALUES(f0t_sql_int(e->id), f0t_sql_text(e->fault), f0t_sql_bits(sidecars_of(e)))));
    return f0t_record_put_keywords(c, e->id, record);
}

/* What was known of the picture stays, for that is how it is known again. */
static f0t_status put_unreadable(f0t_catalogue *c, const entry *e)
{
    return f0t_sql_run(
        &c->sql,
        "UPDATE pictures SET state = 2, error = ?2, seen = ?3, mtime = ?4, sidecars = ?5"
        " WHERE id = ?1",
        F0T_SQL_VALUES(f0t_sql_int(e->id), f0t_sql_text(e->failure.message),
                       f0t_sql_bits(seen_of(e)), f0t_sql_int(time_of(e)),
                       f0t_sql_bits(sidecars_of(e))));
}

static f0t_status put_picture(f0t_indexer *x, entry *e, f0t_catalogue_record *record)
{
    f0t_catalogue *c = x->catalogue;
    if (e->likeness != F0T_RESEMBLANCE_SAME) {
        F0T_TRY(f0t_identity_displace(&x->report->missing, c, e->id, e->path));
        e->id = 0;
        e->likeness = F0T_RESEMBLANCE_SAME;
    }
    if (e->id && e->failure.status != F0T_OK)
        return put_unreadable(c, e);
    int64_t id;
    fill_picture(record, e);
    F0T_TRY(f0t_catalogue_put(&id, c, record));
    return f0t_sql_run(&c->sql, "UPDATE pictures SET seen = ?2 WHERE id = ?1",
                       F0T_SQL_VALUES(f0t_sql_int(id), f0t_sql_bits(seen_of(e))));
}

/* Another process may have been here since the scan: then its word counts, and what is left is done by the next run. */
static f0t_status find_owner(entry *e, f0t_catalogue *c)
{
    int64_t id, same;
    F0T_TRY(f0t_sql_get_int(&id, &c->sql, "SELECT id FROM pictures WHERE path = ?1",
                            F0T_SQL_VALUES(f0t_sql_text(e->path)), 0));
    F0T_TRY(f0t_sql_get_int(
        &same, &c->sql, "SELECT bytes = ?2 AND hash = ?3 FROM pictures WHERE id = ?1",
        F0T_SQL_VALUES(f0t_sql_int(id), f0t_sql_bits(e->item->stamp.bytes), f0t_sql_bits(e->hash)),
        0));
    e->skipped = e->id ? id != e->id : id && !same;
    e->id = id;
    return F0T_OK;
}

static f0t_status put_scores(f0t_catalogue *c, int64_t id, const f0t_catalogue_record *record)
{
    F0T_TRY(f0t_change_begin(c));
    return f0t_change_end(c, f0t_record_put_scores(c, id, record));
}

static f0t_status put_once(f0t_indexer *x, entry *e, f0t_catalogue_keyword *room)
{
    f0t_catalogue_record record = F0T_CATALOGUE_RECORD;
    fill_keywords(&record, room, e);
    fill_scores(&record, x, e);
    if (e->item->work == F0T_SCAN_SCORE)
        return e->row == F0T_NONE ? F0T_OK : put_scores(x->catalogue, e->id, &record);
    return e->item->work == F0T_SCAN_KEYWORDS ? put_keywords(x->catalogue, e, &record)
                                              : put_picture(x, e, &record);
}

/* Numbers that cannot be kept are this picture's trouble: it is put without them. Scores of a picture that has not
 * changed are tried again by the next run, with another model perhaps. */
static f0t_status put_entry(f0t_indexer *x, entry *e, f0t_catalogue_keyword *room)
{
    f0t_status status = put_once(x, e, room);
    if (status != F0T_ERROR_NUMERIC)
        return status;
    char reason[128];
    snprintf(reason, sizeof reason, "%s", f0t_last_error());
    (void)f0t_fail(status, "%s: its %s", e->path, reason);
    f0t_failure_keep(&e->failure, status);
    f0t_log(x->monitor, F0T_LOG_WARNING, "%s", e->failure.message);
    return e->item->work == F0T_SCAN_SCORE ? F0T_OK : put_once(x, e, room);
}

static f0t_status put_all(f0t_indexer *x, f0t_catalogue_keyword *room)
{
    bool same;
    F0T_TRY(is_chosen(&same, x));
    if (!same)
        return f0t_fail(F0T_ERROR_MISMATCH,
                        "%s: another model or backbone was chosen meanwhile; index once more",
                        x->catalogue->path);
    for (size_t i = 0; i < x->count; i++) {
        entry *e = &x->entries[i];
        if (!e->skipped && e->item->work != F0T_SCAN_SCORE)
            F0T_TRY(find_owner(e, x->catalogue));
        if (e->skipped)
            continue;
        F0T_TRY(put_entry(x, e, room));
        if (e->id && !e->item->moved && !e->strange &&
            e->removed.words.count) /* a sidecar at a new place may be another's */
            F0T_TRY(f0t_decisions_take_removed(&x->removed, x->catalogue, e->id, &e->removed));
    }
    return F0T_OK;
}

static f0t_status commit(f0t_indexer *x)
{
    f0t_catalogue_keyword *room;
    F0T_TRY(f0t_alloc(&room, F0T_PICTURE_KEYWORDS_MAX, sizeof *room));
    f0t_status status = f0t_catalogue_begin(x->catalogue);
    if (status == F0T_OK) {
        status = put_all(x, room);
        if (status == F0T_OK)
            status = f0t_catalogue_commit(x->catalogue);
        else
            (void)f0t_catalogue_rollback(x->catalogue);
    }
    f0t_free(room);
    return status;
}

/* ---- Batches --------------------------------------------------------------------------------------- */

static void count_entry(f0t_indexer *x, const entry *e)
{
    f0t_index_report *r = x->report;
    if (e->skipped)
        return;
    if (e->failure.status != F0T_OK)
        r->unreadable++;
    else if (e->item->moved)
        r->moved++;
    else if (e->item->work != F0T_SCAN_READ)
        r->updated++;
    else if (e->id)
        r->changed++;
    else
        r->added++;
}

static void warn_of_faults(const f0t_indexer *x)
{
    for (size_t i = 0; i < x->count; i++)
        if (x->entries[i].fault && x->entries[i].failure.status == F0T_OK && !x->entries[i].skipped)
            f0t_log(x->monitor, F0T_LOG_WARNING, "%s", x->entries[i].fault);
}

static f0t_status run_batch(f0t_indexer *x)
{
    f0t_monitor quiet = x->monitor ? *x->monitor : (f0t_monitor){0};
    quiet.progress = NULL;
    F0T_TRY(inspect_all(x, &quiet));
    F0T_TRY(compute(x, &quiet));
    F0T_TRY(judge_all(x));
    F0T_TRY(commit(x));
    warn_of_faults(x);
    for (size_t i = 0; i < x->count; i++)
        count_entry(x, &x->entries[i]);
    return F0T_OK;
}

/* Fills the batch with the items from `first` for which there is work; returns where the next one begins. */
static size_t begin_batch(f0t_indexer *x, size_t first)
{
    const f0t_scan *scan = &x->scan;
    size_t read = 0;
    for (x->count = 0; x->count < BATCH && first < scan->count && read < READ_MOST; first++) {
        const f0t_scan_item *item = &scan->items[first];
        if (item->work == F0T_SCAN_NOTHING)
            continue;
        read += item->work != F0T_SCAN_SCORE;
        x->entries[x->count++] = (entry){
            .item = item, .path = f0t_scan_path(scan, item), .id = item->id, .hash = item->hash};
    }
    return first;
}

static f0t_status run_batches(f0t_indexer *x)
{
    f0t_stage stage = f0t_stage_begin(x->monitor, "indexing", "pictures", x->scan.count);
    for (size_t first = 0; first < x->scan.count;) {
        F0T_TRY(f0t_stage_update(&stage, first));
        first = begin_batch(x, first);
        f0t_status status = x->count ? run_batch(x) : F0T_OK;
        for (size_t i = 0; i < x->count; i++)
            entry_clear(&x->entries[i]);
        F0T_TRY(status);
    }
    f0t_stage_end(&stage);
    if (x->removed)
        f0t_log(x->monitor, F0T_LOG_INFO,
                "%zu accepted tag%s that %s removed from %s count%s as rejected", x->removed,
                x->removed == 1 ? "" : "s", x->removed == 1 ? "was" : "were",
                x->removed == 1 ? "a file" : "files", x->removed == 1 ? "s" : "");
    return F0T_OK;
}

/* ---- All of it ------------------------------------------------------------------------------------- */

static f0t_status run(f0t_indexer *x, const char *const *paths, size_t count)
{
    f0t_index_report *r = x->report;
    x->removed = 0;
    F0T_TRY(follow_choice(x));
    F0T_TRY(f0t_scan_run(&x->scan, x->catalogue, paths, count, x->options.again, x->monitor));
    F0T_TRY(f0t_identity_settle(&x->scan, x->catalogue, r, x->threads, x->monitor));
    r->found = x->scan.found;
    r->unchanged = x->scan.unchanged;
    r->unreadable = x->scan.unreadable;
    return run_batches(x);
}

f0t_status f0t_indexer_run(f0t_index_report *report, f0t_indexer *indexer, const char *const *paths,
                           size_t count)
{
    const double began = f0t_time();
    *report = (f0t_index_report){0};
    indexer->report = report;
    f0t_status status = run(indexer, paths, count);
    f0t_scan_free(&indexer->scan);
    report->seconds = f0t_time() - began;
    return status;
}

f0t_status f0t_catalogue_index(f0t_index_report *report, f0t_catalogue *catalogue,
                               const char *const *paths, size_t count,
                               const f0t_index_options *options, const f0t_context *context)
{
    f0t_index_report own;
    f0t_indexer *x;
    F0T_REQUIRE(catalogue);
    F0T_TRY(f0t_require_all(__func__, "paths", paths, count));
    F0T_READ_OPTIONS(f0t_index_options, F0T_INDEX_OPTIONS, options);
    F0T_ENTER(context);
    F0T_TRY(f0t_indexer_open(&x, catalogue, options, count > 0, f0t_context_monitor(context)));
    f0t_status status = f0t_indexer_run(report ? report : &own, x, paths, count);
    f0t_indexer_close(x);
    return status;
}
