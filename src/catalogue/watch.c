/*
 * Following folders: inotify says which of them have changed, and they are indexed when nothing has happened for a
 * while. Where folders themselves come or go, and where the system lost count of what happened, everything is
 * watched anew and looked at once.
 */
#include "catalogue/index.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/interner.h"
#include "base/monitor.h"
#include "image/pictures.h"
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DEPTH_MAX = 64,
    TICK = 500
}; /* folders below each other; milliseconds between looks at the stop flag */
/* Changes that never end are looked at after this many times the time to settle. */
static const double PATIENCE = 10;

static const uint32_t EVENTS = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                               IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR |
                               IN_EXCL_UNLINK;

typedef struct watching {
    f0t_catalogue *catalogue;
    f0t_indexer *indexer;
    const char *const *paths;
    size_t count;
    const f0t_index_options *options;
    const f0t_monitor *monitor;
    int fd;
    /* Folder of each watch descriptor: descriptors count up from 1. */
    char **folders;
    size_t folder_count, folder_capacity;
    bool *changed;      /* [folder_count] */
    bool all;           /* all is to be looked at, and watched anew */
    double first, last; /* when something changed; 0: nothing has */
} watching;

/* ---- Watches --------------------------------------------------------------------------------------- */

static void forget(watching *w)
{
    for (size_t i = 0; i < w->folder_count; i++)
        f0t_free(w->folders[i]);
    f0t_free(w->folders);
    f0t_free(w->changed);
    if (w->fd >= 0)
        close(w->fd);
    w->folders = NULL;
    w->changed = NULL;
    w->folder_count = w->folder_capacity = 0;
    w->fd = -1;
}

static f0t_status fail_to_watch(const char *folder)
{
    if (errno == ENOSPC)
        return f0t_fail(F0T_ERROR_IO,
                        "%s: too many folders to watch; raise fs.inotify.max_user_watches (sysctl)",
                        folder);
    return f0t_fail_errno(errno, "cannot watch %s", folder);
}

/* The folder of a descriptor; one folder that is watched twice has one. */
static f0t_status keep_folder(watching *w, size_t descriptor, const char *folder)
{
    const size_t before = w->folder_count;
    if (descriptor >= before) {
        F0T_TRY(f0t_grow(&w->folders, &w->folder_capacity, before, descriptor + 1 - before,
                         sizeof *w->folders));
        memset(w->folders + before, 0, (descriptor + 1 - before) * sizeof *w->folders);
        w->folder_count = descriptor + 1;
    }
    return w->folders[descriptor]
               ? F0T_OK
               : f0t_string_copy(&w->folders[descriptor], folder, strlen(folder));
}

static f0t_status watch_below(watching *w, const char *folder, int depth);

/* A link to a folder is passed over, as it is by the index. */
static f0t_status watch_entry(watching *w, const char *folder, const char *name, int depth)
{
    struct stat info;
    char *path;
    F0T_TRY(f0t_path_join(&path, folder, name));
    f0t_status status =
        lstat(path, &info) == 0 && S_ISDIR(info.st_mode) ? watch_below(w, path, depth + 1) : F0T_OK;
    f0t_free(path);
    return status;
}

/* A folder that has gone meanwhile, or may not be read, is none to watch. */
static f0t_status watch_below(watching *w, const char *folder, int depth)
{
    if (depth > DEPTH_MAX)
        return F0T_OK;
    const int descriptor = inotify_add_watch(w->fd, folder, EVENTS);
    if (descriptor < 0)
        return depth && (errno == ENOENT || errno == EACCES || errno == ENOTDIR)
                   ? F0T_OK
                   : fail_to_watch(folder);
    F0T_TRY(keep_folder(w, (size_t)descriptor, folder));
    DIR *open = opendir(folder);
    f0t_status status = F0T_OK;
    for (const struct dirent *entry;
         open && status == F0T_OK && (entry = f0t_folder_next(&status, open, folder));)
        if (entry->d_name[0] != '.' && (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN))
            status = watch_entry(w, folder, entry->d_name, depth);
    if (open)
        closedir(open);
    return status;
}

static f0t_status watch_all(watching *w)
{
    forget(w);
    w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (w->fd < 0)
        return f0t_fail_errno(errno, "cannot watch folders");
    for (size_t i = 0; i < w->count; i++) {
        char *whole = realpath(w->paths[i], NULL);
        if (!whole)
            return f0t_fail_errno(errno, "%s", w->paths[i]);
        f0t_status status = watch_below(w, whole, 0);
        free(whole);
        F0T_TRY(status);
    }
    return f0t_alloc_zero(&w->changed, w->folder_count, sizeof *w->changed);
}

/* ---- Events ---------------------------------------------------------------------------------------- */

static bool is_of_interest(const char *name)
{
    const size_t length = strlen(name);
    return name[0] != '.' &&
           (f0t_path_is_picture(name) || (length > 4 && !strcasecmp(name + length - 4, ".xmp")));
}

static void note(watching *w, const struct inotify_event *event)
{
    const bool folder = event->mask & (IN_ISDIR | IN_DELETE_SELF | IN_MOVE_SELF);
    const bool lost = event->mask & IN_Q_OVERFLOW;
    const size_t descriptor = (size_t)event->wd;
    if (event->mask & IN_IGNORED)
        return;
    if (folder && event->len && event->name[0] == '.')
        return;
    if (lost || folder)
        w->all = true;
    else if (event->len && is_of_interest(event->name) && descriptor < w->folder_count)
        w->changed[descriptor] = true;
    else
        return;
    w->last = f0t_time();
    if (w->first == 0)
        w->first = w->last;
}

static f0t_status read_events(watching *w)
{
    union {
        struct inotify_event event; /* for its alignment */
        char bytes[1 << 16];
    } room;
    for (;;) {
        const ssize_t got = read(w->fd, room.bytes, sizeof room.bytes);
        if (got <= 0)
            return got < 0 && errno != EAGAIN && errno != EINTR
                       ? f0t_fail_errno(errno, "cannot watch folders")
                       : F0T_OK;
        for (const char *at = room.bytes; at < room.bytes + got;) {
            const struct inotify_event *event = (const struct inotify_event *)(const void *)at;
            note(w, event);
            at += sizeof *event + event->len;
        }
    }
}

/* ---- Looking --------------------------------------------------------------------------------------- */

static f0t_status index_paths(watching *w, const char *const *paths, size_t count)
{
    f0t_index_report report;
    if (!count)
        return F0T_OK;
    w->catalogue->sql.busy = false; /* what fails from now on counts */
    f0t_status status = f0t_indexer_run(&report, w->indexer, paths, count);
    if (status == F0T_ERROR_MISMATCH) /* another model was chosen meanwhile: with that one */
        status = f0t_indexer_run(&report, w->indexer, paths, count);
    if (f0t_sql_is_busy(&w->catalogue->sql, status)) { /* later, then */
        w->all = true;
        w->first = w->last = f0t_time();
        return F0T_OK;
    }
    F0T_TRY(status);
    if (w->options->indexed) {
        const f0t_context *context = f0t_context_suspend();
        w->options->indexed(w->options->user, &report);
        f0t_context_leave(&context);
    }
    return F0T_OK;
}

/* Watches first: what happens while pictures are read is seen afterwards. */
static f0t_status look_at_all(watching *w)
{
    w->all = false;
    F0T_TRY(watch_all(w));
    return index_paths(w, w->paths, w->count);
}

static f0t_status look_at_changed(watching *w)
{
    const char **paths;
    size_t count = 0;
    F0T_TRY(f0t_alloc(&paths, w->folder_count, sizeof *paths));
    for (size_t i = 0; i < w->folder_count; i++) {
        if (w->changed[i] && f0t_path_is_folder(w->folders[i]))
            paths[count++] = w->folders[i];
        w->changed[i] = false;
    }
    f0t_status status = index_paths(w, paths, count);
    f0t_free(paths);
    return status;
}

static bool is_due(const watching *w)
{
    const double now = f0t_time(), settle = w->options->settle;
    return w->first > 0 && (now - w->last >= settle || now - w->first >= PATIENCE * settle);
}

/* Milliseconds to wait. */
static int time_to_wait(const watching *w)
{
    const double left = w->last + w->options->settle - f0t_time();
    return w->first == 0 || left > 0.001 * TICK ? TICK : left > 0 ? (int)(1000 * left) + 1 : 1;
}

static f0t_status follow(watching *w)
{
    F0T_TRY(look_at_all(w));
    while (!f0t_monitor_stopped(w->monitor)) {
        struct pollfd one = {.fd = w->fd, .events = POLLIN};
        (void)poll(&one, 1, time_to_wait(w));
        F0T_TRY(read_events(w));
        if (!is_due(w))
            continue;
        w->first = w->last = 0;
        F0T_TRY(w->all ? look_at_all(w) : look_at_changed(w));
    }
    return F0T_OK;
}

static f0t_status check_folders(const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (f0t_path_exists(paths[i]) && !f0t_path_is_folder(paths[i]))
            return f0t_fail(F0T_ERROR_ARGUMENT, "%s is no folder, and only folders can be watched",
                            paths[i]);
    return F0T_OK;
}

f0t_status f0t_catalogue_watch(f0t_catalogue *catalogue, const char *const *paths, size_t count,
                               const f0t_index_options *options, const f0t_context *context)
{
    F0T_REQUIRE(catalogue);
    F0T_TRY(f0t_require_all(__func__, "paths", paths, count));
    F0T_READ_OPTIONS(f0t_index_options, F0T_INDEX_OPTIONS, options);
    F0T_ENTER(context);
    watching w = {.catalogue = catalogue,
                  .paths = paths,
                  .count = count,
                  .options = options,
                  .monitor = f0t_context_monitor(context),
                  .fd = -1};
    if (!(options->settle >= 0 && options->settle <= 3600))
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "f0t_index_options: settle is %g; from 0 to 3600 is expected",
                        options->settle);
    F0T_TRY(check_folders(paths, count));
    F0T_TRY(f0t_indexer_open(&w.indexer, catalogue, options, true, w.monitor));
    f0t_status status = follow(&w);
    forget(&w);
    f0t_indexer_close(w.indexer);
    return status == F0T_ERROR_INTERRUPTED ? F0T_OK : status;
}
