#include "image/walk.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "image/protocol.h"
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* Deeper folders than this are a mistake, or an attack. */
enum { DEPTH_MAX = 64 };

static const char *const endings[] = {".jpg",  ".jpeg", ".jpe",  ".png",  ".webp", ".tif",
                                      ".tiff", ".gif",  ".heic", ".heif", ".avif", ".svg",
                                      ".bmp",  ".jp2",  ".j2k",  ".jpx",  ".jpf",  ".jxl"};

/* Of cameras' raw files. */
static const char *const raw_endings[] = {F0T_PICTURE_RAW_ENDINGS};

/* Other pictures, and videos. */
static const char *const other_endings[] = {
    ".exr", ".hif", ".jxr", ".ppm", ".psb", ".psd", ".raw", ".svgz", ".tga",  ".xcf",
    ".3gp", ".avi", ".m4v", ".mkv", ".mov", ".mp4", ".mpg", ".mts",  ".webm", ".wmv"};

static bool ends_with_one(const char *path, const char *const *list, size_t count)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < count; i++)
        if (!strcasecmp(dot, list[i]))
            return true;
    return false;
}

bool f0t_path_is_picture(const char *path)
{
    return ends_with_one(path, endings, sizeof endings / sizeof *endings) ||
           ends_with_one(path, raw_endings, sizeof raw_endings / sizeof *raw_endings);
}

bool f0t_path_has_sidecar(const char *path)
{
    return f0t_path_is_picture(path) ||
           ends_with_one(path, other_endings, sizeof other_endings / sizeof *other_endings);
}

/* ---- What is passed over ------------------------------------------------------------------------------- */

/* The ending in lower case; false where it is none that a person would know. */
static bool read_ending(char ending[F0T_SKIPPED_LONGEST], const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t length = 0;
    if (!dot || (slash && dot < slash) || !dot[1])
        return false;
    for (; dot[length] && length + 1 < F0T_SKIPPED_LONGEST; length++)
        ending[length] =
            dot[length] >= 'A' && dot[length] <= 'Z' ? (char)(dot[length] + 32) : dot[length];
    ending[length] = 0;
    return !dot[length];
}

static void skip(f0t_skipped_files *skipped, const char *path)
{
    char ending[F0T_SKIPPED_LONGEST];
    size_t i = 0;
    const bool known = read_ending(ending, path);
    if (known && !strcmp(ending, ".xmp"))
        return;
    while (known && i < skipped->kind_count && strcmp(ending, skipped->kinds[i].ending) != 0)
        i++;
    if (!known || i == F0T_SKIPPED_KINDS) {
        skipped->others++;
        return;
    }
    if (i == skipped->kind_count)
        memcpy(skipped->kinds[skipped->kind_count++].ending, ending, sizeof ending);
    skipped->kinds[i].count++;
}

/* The most frequent kind after the one of `count` files and the number `after`; ties by place. */
static size_t next_kind(const f0t_skipped_files *skipped, size_t count, size_t after)
{
    size_t best = F0T_NONE;
    for (size_t i = 0; i < skipped->kind_count; i++) {
        const size_t own = skipped->kinds[i].count;
        const bool later = own < count || (own == count && (after == F0T_NONE || i > after));
        if (later && (best == F0T_NONE || own > skipped->kinds[best].count))
            best = i;
    }
    return best;
}

void f0t_skipped_files_tell(const f0t_skipped_files *skipped, const f0t_monitor *monitor)
{
    enum { SHOWN = 12 };
    char names[SHOWN * (F0T_SKIPPED_LONGEST + 24)] = "";
    size_t used = 0, left = skipped->others, all = skipped->others, shown = 0;
    for (size_t i = 0; i < skipped->kind_count; i++)
        all += skipped->kinds[i].count;
    for (size_t i = next_kind(skipped, SIZE_MAX, F0T_NONE); i != F0T_NONE;
         i = next_kind(skipped, skipped->kinds[i].count, i)) {
        if (shown++ < SHOWN)
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s%zu %s", used ? ", " : "",
                                 skipped->kinds[i].count, skipped->kinds[i].ending);
        else
            left += skipped->kinds[i].count;
    }
    if (left)
        snprintf(names + used, sizeof names - used, "%s%zu other%s", used ? ", " : "", left,
                 left == 1 ? "" : "s");
    if (all)
        f0t_log(monitor, F0T_LOG_INFO, "%zu file%s %s that can be read, and skipped: %s", all,
                all == 1 ? "" : "s", all == 1 ? "is no picture" : "are no pictures", names);
}

/* ---- One folder -------------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    const char *x, *y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return strcmp(x, y);
}

static f0t_status read_names(f0t_texts *names, const char *path)
{
    f0t_status status = F0T_OK;
    DIR *folder = opendir(path);
    if (!folder)
        return f0t_fail_errno(errno, "%s", path);
    for (struct dirent *entry; status == F0T_OK && (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            status = f0t_texts_add(names, entry->d_name, strlen(entry->d_name));
    closedir(folder);
    return status;
}

/* Pointers into `names`, in order. */
static f0t_status sort_names(const char ***sorted, const f0t_texts *names)
{
    F0T_TRY(f0t_alloc(sorted, names->count, sizeof **sorted));
    for (size_t i = 0; i < names->count; i++)
        (*sorted)[i] = f0t_texts_get(names, i);
    qsort(*sorted, names->count, sizeof **sorted, compare_names);
    return F0T_OK;
}

f0t_status f0t_walk_names(f0t_texts *names, const char ***sorted, const char *path)
{
    *sorted = NULL;
    F0T_TRY(read_names(names, path));
    return sort_names(sorted, names);
}

/* ---- All below it ------------------------------------------------------------------------------------ */

/* A walk in progress. */
typedef struct walk {
    f0t_texts *out;
    f0t_skipped_files *skipped;
    const f0t_monitor *monitor;
} walk;

static f0t_status walk_folder(const walk *w, const char *path, int depth);

static f0t_status visit(const walk *w, const char *path, int depth)
{
    struct stat info;
    if (lstat(path, &info) != 0)
        return F0T_OK; /* it went away meanwhile */
    if (S_ISDIR(info.st_mode)) {
        f0t_status status = walk_folder(w, path, depth + 1);
        if (status != F0T_ERROR_IO && status != F0T_ERROR_NOT_FOUND)
            return status;
        f0t_log(w->monitor, F0T_LOG_WARNING, "%s: passed over", f0t_last_error());
        return F0T_OK;
    }
    if (S_ISLNK(info.st_mode) && stat(path, &info) != 0)
        return F0T_OK;
    if (!S_ISREG(info.st_mode))
        return F0T_OK;
    if (f0t_path_is_picture(path))
        return f0t_texts_add(w->out, path, strlen(path));
    skip(w->skipped, path);
    return F0T_OK;
}

static f0t_status visit_all(const walk *w, const char *path, const char *const *names, size_t count,
                            int depth)
{
    f0t_status status = F0T_OK;
    for (size_t i = 0; status == F0T_OK && i < count; i++) {
        char *joined;
        status = f0t_path_join(&joined, path, names[i]);
        if (status == F0T_OK)
            status = visit(w, joined, depth);
        f0t_free(joined);
    }
    return status;
}

static f0t_status walk_folder(const walk *w, const char *path, int depth)
{
    f0t_texts names = {0};
    const char **sorted;
    if (depth > DEPTH_MAX)
        return f0t_fail(F0T_ERROR_IO, "%s: more than %d folders deep", path, DEPTH_MAX);
    if (f0t_monitor_stopped(w->monitor))
        return f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted in %s", path);
    f0t_status status = f0t_walk_names(&names, &sorted, path);
    if (status == F0T_OK)
        status = visit_all(w, path, sorted, names.count, depth);
    f0t_free(sorted);
    f0t_texts_free(&names);
    return status;
}

f0t_status f0t_walk(f0t_texts *out, f0t_skipped_files *skipped, const char *path,
                    const f0t_monitor *monitor)
{
    const walk w = {out, skipped, monitor};
    struct stat info;
    if (stat(path, &info) != 0)
        return f0t_fail_errno(errno, "%s", path);
    if (!S_ISDIR(info.st_mode))
        return f0t_texts_add(out, path, strlen(path));
    return walk_folder(&w, path, 0);
}
