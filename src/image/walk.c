#include "image/walk.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* Deeper folders than this are a mistake, or an attack. */
enum { DEPTH_MAX = 64 };

static const char *const endings[] = {".jpg",  ".jpeg", ".jpe",  ".png",  ".webp", ".tif",
                                      ".tiff", ".gif",  ".heic", ".heif", ".avif", ".svg"};

/* RAW and other pictures, and videos. */
static const char *const other_endings[] = {
    ".3fr", ".arw", ".bmp", ".cr2", ".cr3",  ".crw",  ".dcr", ".dng", ".erf", ".exr", ".fff",
    ".hif", ".iiq", ".j2k", ".jp2", ".jpf",  ".jpx",  ".jxl", ".jxr", ".kdc", ".mef", ".mos",
    ".mrw", ".nef", ".nrw", ".orf", ".pef",  ".ppm",  ".psb", ".psd", ".raf", ".raw", ".rw2",
    ".rwl", ".sr2", ".srf", ".srw", ".svgz", ".tga",  ".x3f", ".xcf", ".3gp", ".avi", ".m4v",
    ".mkv", ".mov", ".mp4", ".mpg", ".mts",  ".webm", ".wmv"};

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
    return ends_with_one(path, endings, sizeof endings / sizeof *endings);
}

bool f0t_path_has_sidecar(const char *path)
{
    return f0t_path_is_picture(path) ||
           ends_with_one(path, other_endings, sizeof other_endings / sizeof *other_endings);
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

static f0t_status walk_folder(f0t_texts *out, const char *path, int depth,
                              const f0t_monitor *monitor);

static f0t_status visit(f0t_texts *out, const char *path, int depth, const f0t_monitor *monitor)
{
    struct stat info;
    if (lstat(path, &info) != 0)
        return F0T_OK; /* it went away meanwhile */
    if (S_ISDIR(info.st_mode)) {
        f0t_status status = walk_folder(out, path, depth + 1, monitor);
        if (status != F0T_ERROR_IO && status != F0T_ERROR_NOT_FOUND)
            return status;
        f0t_log(monitor, F0T_LOG_WARNING, "%s: passed over", f0t_last_error());
        return F0T_OK;
    }
    if (S_ISLNK(info.st_mode) && stat(path, &info) != 0)
        return F0T_OK;
    if (!S_ISREG(info.st_mode) || !f0t_path_is_picture(path))
        return F0T_OK;
    return f0t_texts_add(out, path, strlen(path));
}

static f0t_status visit_all(f0t_texts *out, const char *path, const char *const *names,
                            size_t count, int depth, const f0t_monitor *monitor)
{
    f0t_status status = F0T_OK;
    for (size_t i = 0; status == F0T_OK && i < count; i++) {
        char *joined;
        status = f0t_path_join(&joined, path, names[i]);
        if (status == F0T_OK)
            status = visit(out, joined, depth, monitor);
        f0t_free(joined);
    }
    return status;
}

static f0t_status walk_folder(f0t_texts *out, const char *path, int depth,
                              const f0t_monitor *monitor)
{
    f0t_texts names = {0};
    const char **sorted;
    if (depth > DEPTH_MAX)
        return f0t_fail(F0T_ERROR_IO, "%s: more than %d folders deep", path, DEPTH_MAX);
    if (f0t_monitor_stopped(monitor))
        return f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted in %s", path);
    f0t_status status = f0t_walk_names(&names, &sorted, path);
    if (status == F0T_OK)
        status = visit_all(out, path, sorted, names.count, depth, monitor);
    f0t_free(sorted);
    f0t_texts_free(&names);
    return status;
}

f0t_status f0t_walk(f0t_texts *out, const char *path, const f0t_monitor *monitor)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return f0t_fail_errno(errno, "%s", path);
    if (!S_ISDIR(info.st_mode))
        return f0t_texts_add(out, path, strlen(path));
    return walk_folder(out, path, 0, monitor);
}
