#include "catalogue/scan.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/monitor.h"
#include "image/keywords.h"
#include "image/pictures.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Files ----------------------------------------------------------------------------------------- */

static int64_t nanoseconds(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

f0t_status f0t_sidecars_stamp(uint64_t *out, const char *path)
{
    uint64_t hash = F0T_HASH_START;
    bool any = false;
    for (int plain = 0; plain < 2; plain++) {
        char *sidecar;
        struct stat info;
        F0T_TRY(f0t_sidecar_path(&sidecar, path, plain));
        if (stat(sidecar, &info) == 0) {
            const int64_t parts[] = {plain, info.st_size, nanoseconds(&info.st_mtim)};
            hash = f0t_hash(hash, parts, sizeof parts);
            any = true;
        }
        f0t_free(sidecar);
    }
    *out = any ? hash : 0;
    return F0T_OK;
}

f0t_status f0t_sidecars_postdate(const char *path)
{
    bool done = false;
    for (int plain = 0; plain < 2 && !done; plain++) {
        char *sidecar;
        struct stat info;
        F0T_TRY(f0t_sidecar_path(&sidecar, path, plain));
        if (stat(sidecar, &info) == 0) {
            struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, info.st_mtim};
            times[1].tv_nsec += 1000;
            times[1].tv_sec += times[1].tv_nsec / 1000000000;
            times[1].tv_nsec %= 1000000000;
            done = utimensat(AT_FDCWD, sidecar, times, 0) == 0;
        }
        f0t_free(sidecar);
    }
    return F0T_OK;
}

bool f0t_file_stamp_get(f0t_file_stamp *out, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return false;
    const int64_t parts[] = {info.st_size, nanoseconds(&info.st_mtim), nanoseconds(&info.st_ctim)};
    const uint64_t seen = f0t_hash(F0T_HASH_START, parts, sizeof parts);
    *out = (f0t_file_stamp){.bytes = (uint64_t)info.st_size,
                            .mtime = nanoseconds(&info.st_mtim),
                            .seen = seen ? seen : 1};
    return true;
}

/* Not mapped: a file that somebody cuts meanwhile would end the process. Each piece is hashed with what the
 * ones before it gave as the key. */
static f0t_status hash_file(uint64_t *out, int fd, unsigned char *room, size_t size,
                            const char *path)
{
    uint64_t hash = F0T_HASH_START, total = 0;
    for (size_t filled = size; filled == size; total += filled) {
        for (filled = 0; filled < size;) {
            const ssize_t got = read(fd, room + filled, size - filled);
            if (got < 0 && errno != EINTR)
                return f0t_fail_errno(errno, "%s", path);
            if (!got)
                break;
            filled += got > 0 ? (size_t)got : 0;
        }
        hash = f0t_siphash(room, filled, hash, total);
    }
    *out = hash ? hash : 1;
    return F0T_OK;
}

f0t_status f0t_file_hash(uint64_t *out, const char *path)
{
    enum { PIECE = 1 << 20 };
    unsigned char *room;
    F0T_TRY(f0t_alloc(&room, PIECE, 1));
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    f0t_status status =
        fd < 0 ? f0t_fail_errno(errno, "%s", path) : hash_file(out, fd, room, PIECE, path);
    if (fd >= 0)
        close(fd);
    f0t_free(room);
    return status;
}

/* ---- What is on the disk --------------------------------------------------------------------------- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Whether `path` is `root` or below it. */
static bool is_below(const char *path, const char *root)
{
    const size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
    return strncmp(path, root, length) == 0 && (path[length] == '/' || !path[length]);
}

/* Absolute paths in order, without those that are below another. */
typedef struct root_list {
    char **items;
    size_t count;
} root_list;

static void roots_free(root_list *roots)
{
    for (size_t i = 0; i < roots->count; i++)
        free(roots->items[i]);
    f0t_free(roots->items);
}

static void drop_inner(root_list *roots)
{
    size_t kept = 0;
    qsort(roots->items, roots->count, sizeof *roots->items, compare_texts);
    for (size_t i = 0; i < roots->count; i++)
        if (kept && is_below(roots->items[i], roots->items[kept - 1]))
            free(roots->items[i]);
        else
            roots->items[kept++] = roots->items[i];
    roots->count = kept;
}

static f0t_status find_roots(root_list *roots, const char *const *paths, size_t count)
{
    F0T_TRY(f0t_alloc(&roots->items, count, sizeof *roots->items));
    for (size_t i = 0; i < count; i++) {
        char *whole = realpath(paths[i], NULL);
        if (!whole)
            return f0t_fail_errno(errno, "%s", paths[i]);
        roots->items[roots->count++] = whole;
    }
    drop_inner(roots);
    return F0T_OK;
}

/* ---- Comparing ------------------------------------------------------------------------------------- */

/* A picture of the catalogue; `row` is at it. */
typedef struct known {
    sqlite3_stmt *row;
    bool any;
    const char *path;
} known;

static const char *const KNOWN =
    "SELECT p.id, p.path, p.state, p.bytes, p.mtime, p.sidecars, f.picture, d.picture, p.seen"
    " FROM pictures p LEFT JOIN features f ON f.picture = p.id AND f.backbone = ?2"
    " LEFT JOIN directions d ON d.picture = p.id AND d.model = ?3"
    " WHERE p.path = ?1 OR (p.path > ?4 AND p.path < ?5) ORDER BY p.path";

static f0t_status next_known(known *k, f0t_catalogue *c)
{
    F0T_TRY(f0t_sql_step(&k->any, &c->sql, k->row));
    k->path = k->any ? (const char *)sqlite3_column_text(k->row, 1) : NULL;
    if (k->any && !k->path)
        return f0t_fail(F0T_ERROR_MEMORY, "%s: out of memory", c->path);
    return F0T_OK;
}

static f0t_status add_id(int64_t **ids, size_t *capacity, size_t *count, int64_t id)
{
    F0T_TRY(f0t_grow(ids, capacity, *count, 1, sizeof **ids));
    (*ids)[(*count)++] = id;
    return F0T_OK;
}

/* A folder that cannot be read today, or a disk that fails, is no reason to call pictures missing. */
static f0t_status note_gone(f0t_scan *scan, const known *k)
{
    f0t_file_stamp stamp;
    const bool missed = sqlite3_column_int64(k->row, 2) == F0T_PICTURE_MISSING;
    if (missed || f0t_file_stamp_get(&stamp, k->path) || (errno != ENOENT && errno != ENOTDIR))
        return F0T_OK;
    return add_id(&scan->gone, &scan->gone_capacity, &scan->gone_count,
                  sqlite3_column_int64(k->row, 0));
}

static f0t_status add_item(f0t_scan *scan, const char *path, int64_t id, f0t_scan_work work,
                           const f0t_file_stamp *stamp, bool changed)
{
    const size_t number = scan->paths.count;
    F0T_TRY(f0t_texts_add(&scan->paths, path, strlen(path)));
    F0T_TRY(f0t_grow(&scan->items, &scan->capacity, scan->count, 1, sizeof *scan->items));
    scan->items[scan->count++] = (f0t_scan_item){
        .path = number, .id = id, .work = work, .stamp = *stamp, .changed = changed};
    return F0T_OK;
}

static bool column_is(sqlite3_stmt *row, int column, int64_t value)
{
    return sqlite3_column_int64(row, column) == value;
}

/* Whether the file is the one that the catalogue saw; notes its stamp where an older version kept size and time alone. */
static f0t_status compare_stamp(bool *same, f0t_scan *scan, const known *k,
                                const f0t_file_stamp *stamp)
{
    sqlite3_stmt *row = k->row;
    if (!column_is(row, 8, 0)) {
        *same = column_is(row, 8, (int64_t)stamp->seen);
        return F0T_OK;
    }
    *same = column_is(row, 3, (int64_t)stamp->bytes) && column_is(row, 4, stamp->mtime);
    if (!*same)
        return F0T_OK;
    F0T_TRY(f0t_grow(&scan->seen, &scan->seen_capacity, scan->seen_count, 1, sizeof *scan->seen));
    scan->seen[scan->seen_count++] =
        (f0t_scan_seen){.id = sqlite3_column_int64(row, 0), .seen = stamp->seen};
    return F0T_OK;
}

/* What is to be done with a picture that the catalogue knows. */
static f0t_status compare_known(f0t_scan *scan, const f0t_catalogue *c, const known *k,
                                const f0t_file_stamp *stamp, bool again)
{
    sqlite3_stmt *row = k->row;
    const int64_t id = sqlite3_column_int64(row, 0);
    const bool sidecars = column_is(row, 5, (int64_t)stamp->sidecars);
    const bool features = sqlite3_column_type(row, 6) != SQLITE_NULL;
    const bool scored = !c->model_id || sqlite3_column_type(row, 7) != SQLITE_NULL;
    const bool unreadable = column_is(row, 2, F0T_PICTURE_UNREADABLE);
    bool same;
    F0T_TRY(compare_stamp(&same, scan, k, stamp));
    if (same && sidecars && unreadable && !again) {
        scan->unreadable++;
        return F0T_OK;
    }
    if (!same || !features || unreadable)
        return add_item(scan, k->path, id, F0T_SCAN_READ, stamp, !same || unreadable);
    if (column_is(row, 2, F0T_PICTURE_MISSING))
        F0T_TRY(add_id(&scan->back, &scan->back_capacity, &scan->back_count, id));
    if (!sidecars)
        F0T_TRY(add_item(scan, k->path, id, F0T_SCAN_KEYWORDS, stamp, false));
    if (!scored)
        return add_item(scan, k->path, id, F0T_SCAN_SCORE, stamp, false);
    scan->unchanged += sidecars;
    return F0T_OK;
}

/* Two lists in the order of their bytes, side by side. */
static f0t_status merge(f0t_scan *scan, f0t_catalogue *c, known *k, const char **found,
                        size_t count, bool again)
{
    F0T_TRY(next_known(k, c));
    for (size_t i = 0; i < count || k->any;) {
        const int order = i == count ? 1 : k->any ? strcmp(found[i], k->path) : -1;
        f0t_file_stamp stamp;
        if (order > 0) {
            F0T_TRY(note_gone(scan, k));
        } else if (f0t_file_stamp_get(&stamp, found[i])) {
            scan->found++;
            F0T_TRY(f0t_sidecars_stamp(&stamp.sidecars, found[i]));
            F0T_TRY(order < 0 ? add_item(scan, found[i], 0, F0T_SCAN_READ, &stamp, true)
                              : compare_known(scan, c, k, &stamp, again));
        } else if (errno != ENOENT && errno != ENOTDIR) {
            f0t_log(f0t_context_monitor(NULL), F0T_LOG_WARNING, "%s: %s: passed over", found[i],
                    strerror(errno));
        }
        i += order <= 0;
        if (order >= 0)
            F0T_TRY(next_known(k, c));
    }
    return F0T_OK;
}

/* What lies below a folder is what lies between "/a/b/" and "/a/b0", the character after the slash. */
static f0t_status bind_root(known *k, f0t_catalogue *c, const char *root, char *low, char *high)
{
    const size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
    memcpy(low, root, length);
    memcpy(low + length, "/", 2);
    memcpy(high, root, length);
    memcpy(high + length, "0", 2);
    return f0t_sql_bind(&k->row, &c->sql, KNOWN,
                        F0T_SQL_VALUES(f0t_sql_text(root), f0t_sql_int(c->backbone_id),
                                       f0t_sql_int(c->model_id), f0t_sql_text(low),
                                       f0t_sql_text(high)));
}

static f0t_status compare_root(f0t_scan *scan, f0t_catalogue *c, const char *root,
                               const f0t_texts *found, bool again)
{
    const char **sorted;
    char *room;
    known k = {.row = NULL};
    F0T_TRY(f0t_alloc(&room, 2 * strlen(root) + 4, 1));
    f0t_status status = f0t_alloc(&sorted, found->count, sizeof *sorted);
    if (status == F0T_OK) {
        for (size_t i = 0; i < found->count; i++)
            sorted[i] = f0t_texts_get(found, i);
        if (found->count)
            qsort(sorted, found->count, sizeof *sorted, compare_texts);
        status = bind_root(&k, c, root, room, room + strlen(root) + 2);
    }
    if (status == F0T_OK)
        status = merge(scan, c, &k, sorted, found->count, again);
    f0t_sql_reset(k.row);
    f0t_free(sorted);
    f0t_free(room);
    return status;
}

static f0t_status scan_roots(f0t_scan *scan, f0t_catalogue *c, const root_list *roots, bool again,
                             const f0t_monitor *monitor)
{
    f0t_skipped_files skipped = {.kind_count = 0};
    for (size_t i = 0; i < roots->count; i++) {
        f0t_texts found = {0};
        f0t_status status = f0t_walk(&found, &skipped, roots->items[i], monitor);
        if (status == F0T_OK)
            status = compare_root(scan, c, roots->items[i], &found, again);
        f0t_texts_free(&found);
        F0T_TRY(status);
        if (f0t_monitor_stopped(monitor))
            return f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted while looking for pictures");
    }
    f0t_skipped_files_tell(&skipped, monitor);
    return F0T_OK;
}

/* Wherever they are: their files are not looked at. */
static f0t_status find_unscored(f0t_scan *scan, f0t_catalogue *c)
{
    sqlite3_stmt *row;
    f0t_status status = F0T_OK;
    F0T_TRY(f0t_sql_bind(&row, &c->sql,
                         "SELECT p.id, p.path FROM pictures p"
                         " JOIN features f ON f.picture = p.id AND f.backbone = ?1"
                         " WHERE ?2 <> 0 AND NOT EXISTS (SELECT 1 FROM directions d"
                         " WHERE d.picture = p.id AND d.model = ?2) ORDER BY p.id",
                         F0T_SQL_VALUES(f0t_sql_int(c->backbone_id), f0t_sql_int(c->model_id))));
    for (bool any = true; any && status == F0T_OK;) {
        status = f0t_sql_step(&any, &c->sql, row);
        const char *path = any ? (const char *)sqlite3_column_text(row, 1) : NULL;
        if (status == F0T_OK && path)
            status = add_item(scan, path, sqlite3_column_int64(row, 0), F0T_SCAN_SCORE,
                              &(f0t_file_stamp){0}, false);
    }
    f0t_sql_reset(row);
    return status;
}

f0t_status f0t_scan_run(f0t_scan *scan, f0t_catalogue *catalogue, const char *const *paths,
                        size_t count, bool again, const f0t_monitor *monitor)
{
    root_list roots = {0};
    *scan = (f0t_scan){0};
    if (!count)
        return find_unscored(scan, catalogue);
    f0t_status status = find_roots(&roots, paths, count);
    if (status == F0T_OK)
        status = scan_roots(scan, catalogue, &roots, again, monitor);
    roots_free(&roots);
    return status;
}

void f0t_scan_free(f0t_scan *scan)
{
    f0t_texts_free(&scan->paths);
    f0t_free(scan->items);
    f0t_free(scan->gone);
    f0t_free(scan->seen);
    f0t_free(scan->back);
    *scan = (f0t_scan){0};
}
