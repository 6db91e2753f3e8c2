#include "catalogue/identity.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "image/parallel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A picture of the catalogue whose own path has its content no more, and the file that it is now. */
typedef struct move {
    int64_t id;
    size_t from;         /* its path before, in `paths` */
    f0t_scan_item *item; /* NULL: none has its content */
    uint64_t sidecars;
    bool missing; /* since an earlier scan */
    bool features, scored;
    bool unreadable;
    bool strange; /* the sidecars beside it were another picture's */
} move;

typedef struct settling {
    f0t_scan *scan;
    f0t_catalogue *catalogue;
    f0t_index_report *report;
    const f0t_monitor *monitor;
    f0t_scan_item **items; /* [count] to be settled, by content, then by path */
    size_t count;
    f0t_scan_item **owners; /* [owner_count] those of `items` at a path of a picture, by its id */
    size_t owner_count;
    move *moves; /* [move_count] */
    size_t move_count, move_capacity;
    f0t_texts paths; /* where pictures were before */
} settling;

/* ---- Hashing --------------------------------------------------------------------------------------- */

typedef struct hashing {
    const f0t_scan *scan;
    f0t_scan_item **items;
} hashing;

/* Runs in any thread. A file that changed while it was read is left to the next scan. */
static f0t_status hash_item(void *context, const f0t_parallel_piece *piece,
                            f0t_parallel_notes *notes)
{
    const hashing *h = context;
    f0t_scan_item *item = h->items[piece->number];
    const char *path = f0t_scan_path(h->scan, item);
    f0t_file_stamp stamp;
    uint64_t hash;
    char line[512];
    F0T_TRY(f0t_file_hash(&hash, path));
    if (f0t_file_stamp_get(&stamp, path) && stamp.seen == item->stamp.seen) {
        item->hash = hash;
        return F0T_OK;
    }
    item->work = F0T_SCAN_NOTHING;
    snprintf(line, sizeof line, "%s: " F0T_CHANGED_MEANWHILE, path);
    return f0t_parallel_warn(notes, line);
}

static f0t_status note_failed(void *context, size_t i, f0t_status status, const char *message,
                              f0t_parallel_notes *notes)
{
    const hashing *h = context;
    (void)status;
    (void)message; /* it is read once more with its pixels, and named then */
    (void)notes;
    h->items[i]->failed = true;
    return F0T_OK;
}

/* A new file of a size that no picture has is none of them. */
static f0t_status may_be_known(bool *out, f0t_catalogue *c, const f0t_scan_item *item)
{
    int64_t known = item->id != 0;
    if (!known)
        F0T_TRY(f0t_sql_get_int(&known, &c->sql,
                                "SELECT EXISTS (SELECT 1 FROM pictures WHERE bytes = ?1)",
                                F0T_SQL_VALUES(f0t_sql_bits(item->stamp.bytes)), 0));
    *out = known;
    return F0T_OK;
}

static f0t_status find_items(settling *s)
{
    F0T_TRY(f0t_alloc(&s->items, s->scan->count, sizeof *s->items));
    for (size_t i = 0; i < s->scan->count; i++) {
        f0t_scan_item *item = &s->scan->items[i];
        bool known = false;
        if (item->work == F0T_SCAN_READ && item->changed)
            F0T_TRY(may_be_known(&known, s->catalogue, item));
        if (known)
            s->items[s->count++] = item;
    }
    return F0T_OK;
}

static f0t_status hash_items(settling *s, int threads)
{
    hashing h = {.scan = s->scan, .items = s->items};
    const f0t_parallel loop = {.count = s->count,
                               .threads = threads,
                               .stage = "comparing pictures",
                               .context = &h,
                               .run = hash_item,
                               .failed = note_failed,
                               .monitor = s->monitor};
    return s->count ? f0t_parallel_for(&loop) : F0T_OK;
}

/* ---- Pictures at their own paths ------------------------------------------------------------------- */

/* What the catalogue has at the path of an item; another process may have changed that since the scan. */
typedef struct owner {
    int64_t id; /* 0: nothing */
    uint64_t bytes, hash, sidecars;
    int64_t state;
    bool features, scored;
} owner;

/* ?3: the backbone, ?4: the model; 0: none. */
#define FEATURES                                                                    \
    "EXISTS (SELECT 1 FROM features f WHERE f.picture = p.id AND f.backbone = ?3)," \
    " ?4 = 0 OR EXISTS (SELECT 1 FROM directions d WHERE d.picture = p.id AND d.model = ?4)"

static f0t_status find_owner(owner *o, f0t_catalogue *c, const char *path)
{
    sqlite3_stmt *row;
    bool any;
    *o = (owner){0};
    F0T_TRY(f0t_sql_bind(&row, &c->sql,
                         "SELECT p.id, p.bytes, p.hash, p.sidecars, p.state, " FEATURES
                         " FROM pictures p WHERE p.path = ?1",
                         F0T_SQL_VALUES(f0t_sql_text(path), f0t_sql_text(NULL),
                                        f0t_sql_int(c->backbone_id), f0t_sql_int(c->model_id))));
    F0T_TRY(f0t_sql_step(&any, &c->sql, row));
    if (!any)
        return F0T_OK;
    *o = (owner){.id = sqlite3_column_int64(row, 0),
                 .bytes = (uint64_t)sqlite3_column_int64(row, 1),
                 .hash = (uint64_t)sqlite3_column_int64(row, 2),
                 .sidecars = (uint64_t)sqlite3_column_int64(row, 3),
                 .state = sqlite3_column_int64(row, 4),
                 .features = sqlite3_column_int(row, 5),
                 .scored = sqlite3_column_int(row, 6)};
    f0t_sql_reset(row);
    return F0T_OK;
}

/* What is left to do with a picture whose content has not changed. */
static f0t_scan_work work_of(const f0t_scan_item *item, bool features, bool scored,
                             uint64_t sidecars)
{
    return !features                          ? F0T_SCAN_READ
           : item->stamp.sidecars != sidecars ? F0T_SCAN_KEYWORDS
           : !scored                          ? F0T_SCAN_SCORE
                                              : F0T_SCAN_NOTHING;
}

/* The file was touched, or is back; nothing else of it has changed. */
static f0t_status keep_in_place(settling *s, f0t_scan_item *item, const owner *o)
{
    item->changed = false;
    item->work = work_of(item, o->features, o->scored, o->sidecars);
    s->scan->unchanged += item->work == F0T_SCAN_NOTHING;
    if (item->work == F0T_SCAN_READ)
        return F0T_OK;
    return f0t_sql_run(&s->catalogue->sql,
                       "UPDATE pictures SET seen = ?2, mtime = ?3, state = 0,"
                       " error = CASE state WHEN 2 THEN NULL ELSE error END WHERE id = ?1",
                       F0T_SQL_VALUES(f0t_sql_int(o->id), f0t_sql_bits(item->stamp.seen),
                                      f0t_sql_int(item->stamp.mtime)));
}

/* Takes the items away that are what the catalogue has at their paths. */
static f0t_status settle_in_place(settling *s)
{
    size_t left = 0;
    for (size_t i = 0; i < s->count; i++) {
        f0t_scan_item *item = s->items[i];
        owner o;
        if (item->work == F0T_SCAN_NOTHING)
            continue;
        F0T_TRY(find_owner(&o, s->catalogue, f0t_scan_path(s->scan, item)));
        item->id = o.id;
        if (item->hash && o.id && o.hash == item->hash && o.bytes == item->stamp.bytes)
            F0T_TRY(keep_in_place(s, item, &o));
        else
            s->items[left++] = item;
    }
    s->count = left;
    return F0T_OK;
}

/* ---- Content --------------------------------------------------------------------------------------- */

static int compare_content(const void *a, const void *b)
{
    const f0t_scan_item *x = *(f0t_scan_item *const *)a, *y = *(f0t_scan_item *const *)b;
    if (x->stamp.bytes != y->stamp.bytes)
        return x->stamp.bytes < y->stamp.bytes ? -1 : 1;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x > y) - (x < y); /* the items of a scan are in the order of their paths */
}

static int compare_owners(const void *a, const void *b)
{
    const f0t_scan_item *x = *(f0t_scan_item *const *)a, *y = *(f0t_scan_item *const *)b;
    return (x->id > y->id) - (x->id < y->id);
}

/* The item at the path of picture `id`; NULL where there is none. */
static const f0t_scan_item *item_of(const settling *s, int64_t id)
{
    const f0t_scan_item key = {.id = id}, *at = &key;
    f0t_scan_item **found =
        s->owner_count ? bsearch(&at, s->owners, s->owner_count, sizeof *s->owners, compare_owners)
                       : NULL;
    return found ? *found : NULL;
}

/* Whether the file at the path of a picture has other content than the picture, or there is none. A file that cannot be
 * looked at may still be the picture. */
static f0t_status has_left(bool *out, const settling *s, int64_t id, const char *path,
                           uint64_t seen, const f0t_scan_item *like)
{
    const f0t_scan_item *item = item_of(s, id);
    f0t_file_stamp stamp;
    uint64_t hash;
    *out = false;
    if (item) {
        *out = item->hash && (item->hash != like->hash || item->stamp.bytes != like->stamp.bytes);
        return F0T_OK;
    }
    if (!f0t_file_stamp_get(&stamp, path)) {
        *out = errno == ENOENT || errno == ENOTDIR;
        return F0T_OK;
    }
    if (stamp.seen == seen || f0t_file_hash(&hash, path) != F0T_OK)
        return F0T_OK;
    *out = hash != like->hash || stamp.bytes != like->stamp.bytes;
    return F0T_OK;
}

static f0t_status add_move(settling *s, sqlite3_stmt *row, const char *path)
{
    F0T_TRY(f0t_grow(&s->moves, &s->move_capacity, s->move_count, 1, sizeof *s->moves));
    const size_t from = s->paths.count;
    F0T_TRY(f0t_texts_add(&s->paths, path, strlen(path)));
    const int64_t state = sqlite3_column_int64(row, 5);
    s->moves[s->move_count++] = (move){.id = sqlite3_column_int64(row, 0),
                                       .from = from,
                                       .sidecars = (uint64_t)sqlite3_column_int64(row, 4),
                                       .missing = state == F0T_PICTURE_MISSING,
                                       .unreadable = state == F0T_PICTURE_UNREADABLE,
                                       .features = sqlite3_column_int(row, 6),
                                       .scored = sqlite3_column_int(row, 7)};
    return F0T_OK;
}

/* Adds the pictures with the content of `like` that have left their paths to the moves; *known: whether any picture has this
 * content. Those that have just left come first. */
static f0t_status find_candidates(settling *s, bool *known, const f0t_scan_item *like)
{
    f0t_catalogue *c = s->catalogue;
    sqlite3_stmt *row;
    f0t_status status = F0T_OK;
    bool any = true;
    *known = false;
    F0T_TRY(f0t_sql_bind(&row, &c->sql,
                         "SELECT p.id, p.path, p.seen, p.hash, p.sidecars, p.state, " FEATURES
                         " FROM pictures p WHERE p.bytes = ?1 AND p.hash = ?2"
                         " ORDER BY p.state = 1, p.id",
                         F0T_SQL_VALUES(f0t_sql_bits(like->stamp.bytes), f0t_sql_bits(like->hash),
                                        f0t_sql_int(c->backbone_id), f0t_sql_int(c->model_id))));
    while (status == F0T_OK) {
        bool left = false;
        status = f0t_sql_step(&any, &c->sql, row);
        if (status != F0T_OK || !any)
            return status;
        const char *path = (const char *)sqlite3_column_text(row, 1);
        *known = true;
        /* what stands at the path of one that could not be read is not its content */
        const bool unreadable = sqlite3_column_int64(row, 5) == F0T_PICTURE_UNREADABLE;
        const uint64_t seen = unreadable ? 0 : (uint64_t)sqlite3_column_int64(row, 2);
        if (path)
            status = has_left(&left, s, sqlite3_column_int64(row, 0), path, seen, like);
        if (status == F0T_OK && left)
            status = add_move(s, row, path);
    }
    f0t_sql_reset(row);
    return status;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The first of the moves from `first` that is still free; one with this name where `name` is not NULL. */
static move *find_free(settling *s, size_t first, const char *name)
{
    for (size_t i = first; i < s->move_count; i++)
        if (!s->moves[i].item &&
            (!name || strcmp(name_of(f0t_texts_get(&s->paths, s->moves[i].from)), name) == 0))
            return &s->moves[i];
    return NULL;
}

/* Of several copies at new places, those that kept their names are the same ones; then the first ones are. */
static void assign(settling *s, f0t_scan_item **items, size_t count, size_t first)
{
    for (int by_name = 1; by_name >= 0; by_name--)
        for (size_t i = 0; i < count; i++) {
            const char *name = name_of(f0t_scan_path(s->scan, items[i]));
            move *m = items[i]->moved ? NULL : find_free(s, first, by_name ? name : NULL);
            if (m) {
                m->item = items[i];
                items[i]->moved = true;
            }
        }
}

/* Files of one content. */
static f0t_status match_group(settling *s, f0t_scan_item **items, size_t count)
{
    const size_t first = s->move_count;
    bool known;
    F0T_TRY(find_candidates(s, &known, items[0]));
    assign(s, items, count, first);
    for (size_t i = 0; i < count; i++)
        items[i]->doubtful = items[i]->id && !known;
    size_t kept = first;
    for (size_t i = first; i < s->move_count; i++)
        if (s->moves[i].item)
            s->moves[kept++] = s->moves[i];
    s->move_count = kept;
    return F0T_OK;
}

static f0t_status sort_items(settling *s)
{
    F0T_TRY(f0t_alloc(&s->owners, s->count, sizeof *s->owners));
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i]->id)
            s->owners[s->owner_count++] = s->items[i];
    if (s->owner_count)
        qsort(s->owners, s->owner_count, sizeof *s->owners, compare_owners);
    if (s->count)
        qsort(s->items, s->count, sizeof *s->items, compare_content);
    return F0T_OK;
}

static f0t_status match_content(settling *s)
{
    F0T_TRY(sort_items(s));
    for (size_t i = 0, end; i < s->count; i = end) {
        f0t_scan_item **group = &s->items[i];
        for (end = i + 1; end < s->count && s->items[end]->hash == group[0]->hash &&
                          s->items[end]->stamp.bytes == group[0]->stamp.bytes;)
            end++;
        if (group[0]->hash)
            F0T_TRY(match_group(s, group, end - i));
    }
    return F0T_OK;
}

/* ---- Sidecars that pictures leave behind ----------------------------------------------------------- */

/* Notes that the sidecars at `path` are not those of the picture there. */
static f0t_status note_left(f0t_catalogue *c, int64_t id, const char *path, uint64_t sidecars)
{
    return f0t_sql_run(&c->sql,
                       "INSERT INTO left_sidecars(path, sidecars, picture) VALUES (?1, ?2, ?3)"
                       " ON CONFLICT DO UPDATE SET sidecars = ?2",
                       F0T_SQL_VALUES(f0t_sql_text(path), f0t_sql_bits(sidecars), f0t_sql_int(id)));
}

static f0t_status forget_left(f0t_catalogue *c, const char *path)
{
    return f0t_sql_run(&c->sql, "DELETE FROM left_sidecars WHERE path = ?1",
                       F0T_SQL_VALUES(f0t_sql_text(path)));
}

/* What stands beside a picture is of others: its own tags are to be written again, unless they are inside. */
static f0t_status forget_written(f0t_catalogue *c, int64_t id)
{
    return f0t_sql_run(&c->sql,
                       "DELETE FROM written WHERE picture = ?1 AND 2 <> coalesce((SELECT how FROM"
                       " writes WHERE picture = ?1 ORDER BY id DESC LIMIT 1), 0)",
                       F0T_SQL_VALUES(f0t_sql_int(id)));
}

/* Forgets what was written of every picture that had sidecars of this stamp. */
static f0t_status forget_written_of_owners(f0t_catalogue *c, uint64_t sidecars)
{
    return f0t_sql_run(&c->sql,
                       "DELETE FROM written WHERE picture IN"
                       " (SELECT picture FROM left_sidecars WHERE sidecars = ?1"
                       "  UNION SELECT id FROM pictures WHERE sidecars = ?1 AND sidecars <> 0)"
                       " AND 2 <> coalesce((SELECT how FROM writes w WHERE w.picture ="
                       "  written.picture ORDER BY id DESC LIMIT 1), 0)",
                       F0T_SQL_VALUES(f0t_sql_bits(sidecars)));
}

/* Which left_sidecars to look at: those noted by their stamp alone, or all. */
typedef enum noted { NOTED_BY_STAMP, NOTED_ALL } noted;

/* A picture of other content that had the sidecars of an item, as it was seen last or when it left them; 0: there is none. */
static f0t_status find_sidecar_owner(int64_t *out, f0t_catalogue *c, const f0t_scan_item *item,
                                     noted left)
{
    return f0t_sql_get_int(
        out, &c->sql,
        "SELECT picture FROM left_sidecars WHERE sidecars = ?2 AND picture <> ?1"
        "  AND (?5 OR instr(path, '//')) UNION ALL"
        " SELECT p.id FROM pictures p WHERE p.sidecars = ?2 AND p.sidecars <> 0 AND p.id <> ?1 AND"
        "  (p.bytes <> ?3 OR p.hash <> CASE ?4 WHEN 0 THEN"
        "   coalesce((SELECT hash FROM pictures WHERE id = ?1), 0) ELSE ?4 END) LIMIT 1",
        F0T_SQL_VALUES(f0t_sql_int(item->id), f0t_sql_bits(item->stamp.sidecars),
                       f0t_sql_bits(item->stamp.bytes), f0t_sql_bits(item->hash),
                       f0t_sql_int(left)),
        0);
}

/* Sidecars that have come along are what they were. Where those of a picture have not, or another picture's have the same
 * size and time, what stands there is not known to be its own. */
static f0t_status compare_sidecars(f0t_catalogue *c, const move *m, const char *path)
{
    const uint64_t now = m->item->stamp.sidecars;
    int64_t other = 0;
    if (now && now == m->sidecars)
        F0T_TRY(find_sidecar_owner(&other, c, m->item, NOTED_BY_STAMP));
    if (now && now == m->sidecars && !other)
        return m->strange ? note_left(c, m->id, path, now) : forget_left(c, path);
    if (now)
        F0T_TRY(note_left(c, m->id, path, now));
    return forget_written(c, m->id);
}

f0t_status f0t_identity_has_strange(bool *out, f0t_catalogue *c, const char *path)
{
    int64_t left;
    F0T_TRY(f0t_sql_get_int(&left, &c->sql, "SELECT 1 FROM left_sidecars WHERE path = ?1",
                            F0T_SQL_VALUES(f0t_sql_text(path)), 0));
    *out = left;
    return F0T_OK;
}

/* Sidecars may come with a file that the catalogue has never seen beside them. */
static f0t_status find_strange(settling *s, f0t_scan_item *item)
{
    f0t_catalogue *c = s->catalogue;
    const char *path = f0t_scan_path(s->scan, item);
    int64_t other;
    F0T_TRY(find_sidecar_owner(&other, c, item, NOTED_ALL));
    if (other && !item->id && !item->hash && f0t_file_hash(&item->hash, path) == F0T_OK)
        F0T_TRY(find_sidecar_owner(&other, c, item, NOTED_ALL));
    if (!other)
        return F0T_OK;
    F0T_TRY(forget_written_of_owners(c, item->stamp.sidecars));
    F0T_TRY(forget_written(c, item->id));
    return note_left(c, other, path, item->stamp.sidecars);
}

/* The sidecars of an item's picture that we wrote and which are not beside it any more may stand under any name, beside no
 * picture yet: noted by their stamp alone, at PATH//ID//STAMP, which is no path of a file. */
static f0t_status note_gone_sidecars(f0t_catalogue *c, const f0t_scan_item *item)
{
    if (item->stamp.sidecars && !item->moved)
        return F0T_OK;
    return f0t_sql_run(&c->sql,
                       "INSERT OR IGNORE INTO left_sidecars(path, sidecars, picture)"
                       " SELECT path || '//' || id || '//' || sidecars, sidecars, id FROM pictures"
                       " WHERE id = ?1 AND sidecars <> 0 AND sidecars <> ?2"
                       " AND EXISTS (SELECT 1 FROM writes WHERE picture = ?1)",
                       F0T_SQL_VALUES(f0t_sql_int(item->id), f0t_sql_bits(item->stamp.sidecars)));
}

static f0t_status settle_sidecars(settling *s, f0t_scan_item *item)
{
    int64_t same;
    F0T_TRY(f0t_sql_get_int(
        &same, &s->catalogue->sql, "SELECT 1 FROM pictures WHERE id = ?1 AND sidecars = ?2",
        F0T_SQL_VALUES(f0t_sql_int(item->id), f0t_sql_bits(item->stamp.sidecars)), 0));
    if (same)
        return F0T_OK;
    F0T_TRY(note_gone_sidecars(s->catalogue, item));
    return item->stamp.sidecars ? find_strange(s, item) : F0T_OK;
}

static f0t_status settle_all_sidecars(settling *s)
{
    for (size_t i = 0; i < s->scan->count; i++) {
        f0t_scan_item *item = &s->scan->items[i];
        if (item->work != F0T_SCAN_SCORE && item->work != F0T_SCAN_NOTHING)
            F0T_TRY(settle_sidecars(s, item));
    }
    return F0T_OK;
}

/* ---- Changing the catalogue ------------------------------------------------------------------------ */

/* PATH//ID: the path is free for another picture, and no path of a file has two slashes. */
static f0t_status set_aside(f0t_catalogue *c, int64_t id)
{
    return f0t_sql_run(&c->sql,
                       "UPDATE pictures SET path = path || '//' || id, state = 1 WHERE id = ?1",
                       F0T_SQL_VALUES(f0t_sql_int(id)));
}

f0t_status f0t_identity_displace(size_t *missing, f0t_catalogue *c, int64_t id, const char *path)
{
    int64_t was;
    uint64_t sidecars;
    F0T_TRY(f0t_sql_get_int(&was, &c->sql, "SELECT state = 1 FROM pictures WHERE id = ?1",
                            F0T_SQL_VALUES(f0t_sql_int(id)), 1));
    *missing += !was;
    F0T_TRY(f0t_sidecars_stamp(&sidecars, path));
    F0T_TRY(sidecars ? note_left(c, id, path, sidecars) : forget_left(c, path));
    return set_aside(c, id);
}

static f0t_status set_states(f0t_catalogue *c, const int64_t *ids, size_t count,
                             f0t_picture_state state)
{
    for (size_t i = 0; i < count; i++)
        F0T_TRY(f0t_sql_run(&c->sql, "UPDATE pictures SET state = ?2 WHERE id = ?1",
                            F0T_SQL_VALUES(f0t_sql_int(ids[i]), f0t_sql_int(state))));
    return F0T_OK;
}

/* What the scan alone has said. */
static f0t_status mark(settling *s)
{
    f0t_scan *scan = s->scan;
    f0t_catalogue *c = s->catalogue;
    F0T_TRY(set_states(c, scan->gone, scan->gone_count, F0T_PICTURE_MISSING));
    F0T_TRY(set_states(c, scan->back, scan->back_count, F0T_PICTURE_PRESENT));
    for (size_t i = 0; i < scan->seen_count; i++)
        F0T_TRY(f0t_sql_run(
            &c->sql, "UPDATE pictures SET seen = ?2 WHERE id = ?1",
            F0T_SQL_VALUES(f0t_sql_int(scan->seen[i].id), f0t_sql_bits(scan->seen[i].seen))));
    s->report->missing += scan->gone_count;
    return F0T_OK;
}

static int compare_moves(const void *a, const void *b)
{
    const move *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static bool has_moved(const settling *s, int64_t id)
{
    const move key = {.id = id};
    return s->move_count && bsearch(&key, s->moves, s->move_count, sizeof *s->moves, compare_moves);
}

/* Pictures that have moved leave their paths, before any of them comes to a new one. */
static f0t_status clear_paths(settling *s)
{
    size_t nobody = 0;
    for (size_t i = 0; i < s->move_count; i++)
        F0T_TRY(f0t_identity_has_strange(&s->moves[i].strange, s->catalogue,
                                         f0t_texts_get(&s->paths, s->moves[i].from)));
    for (size_t i = 0; i < s->move_count; i++)
        F0T_TRY(f0t_identity_displace(&nobody, s->catalogue, s->moves[i].id,
                                      f0t_texts_get(&s->paths, s->moves[i].from)));
    return F0T_OK;
}

/* So do those whose path has the content of another picture. Where nothing is known of what is there, and the picture has
 * not moved, it may be this one, edited. */
static f0t_status displace_owners(settling *s)
{
    for (size_t i = 0; i < s->count; i++) {
        f0t_scan_item *item = s->items[i];
        if (!item->id || item->failed || (item->doubtful && !has_moved(s, item->id)))
            continue;
        if (!has_moved(s, item->id))
            F0T_TRY(f0t_identity_displace(&s->report->missing, s->catalogue, item->id,
                                          f0t_scan_path(s->scan, item)));
        item->id = 0;
        item->doubtful = false;
    }
    return F0T_OK;
}

static f0t_status put_moved(settling *s, const move *m)
{
    f0t_scan_item *item = m->item;
    const char *path = f0t_scan_path(s->scan, item);
    f0t_catalogue *c = s->catalogue;
    item->id = m->id;
    item->changed = false;
    item->work = work_of(item, m->features, m->scored, m->sidecars);
    s->report->moved += item->work == F0T_SCAN_NOTHING;
    F0T_TRY(f0t_sql_run(
        &c->sql,
        "UPDATE pictures SET path = ?2, state = ?3, seen = ?4, mtime = ?5,"
        " error = CASE WHEN ?3 = 0 AND ?6 THEN NULL ELSE error END WHERE id = ?1",
        F0T_SQL_VALUES(f0t_sql_int(m->id), f0t_sql_text(path),
                       f0t_sql_int(m->unreadable && !m->features ? F0T_PICTURE_UNREADABLE
                                                                 : F0T_PICTURE_PRESENT),
                       f0t_sql_bits(item->stamp.seen), f0t_sql_int(item->stamp.mtime),
                       f0t_sql_int(m->unreadable))));
    return compare_sidecars(c, m, path);
}

static f0t_status put_all_moved(settling *s)
{
    for (size_t i = 0; i < s->move_count; i++)
        F0T_TRY(put_moved(s, &s->moves[i]));
    return F0T_OK;
}

/* Pictures that the scan missed, and which have moved. */
static void count_found(settling *s)
{
    for (size_t i = 0; i < s->scan->gone_count; i++)
        s->report->missing -= has_moved(s, s->scan->gone[i]);
}

static f0t_status settle(settling *s)
{
    F0T_TRY(settle_in_place(s));
    F0T_TRY(match_content(s));
    if (s->move_count)
        qsort(s->moves, s->move_count, sizeof *s->moves, compare_moves);
    F0T_TRY(mark(s));
    F0T_TRY(clear_paths(s));
    F0T_TRY(displace_owners(s));
    F0T_TRY(put_all_moved(s));
    count_found(s);
    return settle_all_sidecars(s);
}

f0t_status f0t_identity_settle(f0t_scan *scan, f0t_catalogue *catalogue, f0t_index_report *report,
                               int threads, const f0t_monitor *monitor)
{
    settling s = {.scan = scan, .catalogue = catalogue, .report = report, .monitor = monitor};
    f0t_status status = find_items(&s);
    if (status == F0T_OK)
        status = hash_items(&s, threads);
    if (status == F0T_OK &&
        (scan->count || scan->gone_count || scan->back_count || scan->seen_count)) {
        status = f0t_change_begin(catalogue);
        if (status == F0T_OK)
            status = f0t_change_end(catalogue, settle(&s));
    }
    f0t_texts_free(&s.paths);
    f0t_free(s.items);
    f0t_free(s.owners);
    f0t_free(s.moves);
    return status;
}

f0t_status f0t_identity_require(f0t_catalogue *c, int64_t id, const char *path)
{
    f0t_file_stamp stamp;
    uint64_t hash;
    int64_t same;
    if (!f0t_file_stamp_get(&stamp, path))
        return F0T_OK;
    F0T_TRY(f0t_sql_get_int(&same, &c->sql,
                            "SELECT hash = 0 OR seen = ?2 FROM pictures WHERE id = ?1",
                            F0T_SQL_VALUES(f0t_sql_int(id), f0t_sql_bits(stamp.seen)), 1));
    if (same)
        return F0T_OK;
    F0T_TRY(f0t_file_hash(&hash, path));
    F0T_TRY(f0t_sql_get_int(
        &same, &c->sql, "SELECT bytes = ?2 AND hash = ?3 FROM pictures WHERE id = ?1",
        F0T_SQL_VALUES(f0t_sql_int(id), f0t_sql_bits(stamp.bytes), f0t_sql_bits(hash)), 0));
    return same ? F0T_OK
                : f0t_fail(F0T_ERROR_MISMATCH,
                           "%s: is not what the catalogue knows; run fast0tag index first", path);
}
