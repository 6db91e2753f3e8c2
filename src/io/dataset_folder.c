#include "io/dataset_folder.h"

#include "base/alloc.h"
#include "base/fault.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- What is in a directory --------------------------------------------------------------------------- */

static bool is_dots(const char *name)
{
    return !strcmp(name, ".") || !strcmp(name, "..");
}

static bool is_part_of_dataset(const char *name)
{
    static const char *const parts[] = {"tags.txt", "features.npy", "split.txt",    "images.txt",
                                        "seen.txt", "unseen.txt",   "dataset.json", "paths.txt"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strcmp(name, parts[i]))
            return true;
    return false;
}

typedef f0t_status (*visitor)(const char *path, const char *name, bool is_folder, void *context);

static f0t_status visit(const char *folder, const char *name, visitor call, void *context)
{
    struct stat info;
    char *path;
    F0T_TRY(f0t_path_join(&path, folder, name));
    f0t_status status = lstat(path, &info) == 0 ? call(path, name, S_ISDIR(info.st_mode), context)
                                                : f0t_fail_errno(errno, "%s", path);
    f0t_free(path);
    return status;
}

static f0t_status visit_all(const char *folder, visitor call, void *context)
{
    f0t_status status = F0T_OK;
    DIR *dir = opendir(folder);
    if (!dir)
        return f0t_fail_errno(errno, "%s", folder);
    for (struct dirent *entry; status == F0T_OK && (entry = f0t_folder_next(&status, dir, folder));)
        if (!is_dots(entry->d_name))
            status = visit(folder, entry->d_name, call, context);
    closedir(dir);
    return status;
}

/* ---- What may be replaced ------------------------------------------------------------------------------- */

typedef struct content {
    size_t entries, folders;
    bool tags;
} content;

static f0t_status refuse(const char *path)
{
    return f0t_fail(F0T_ERROR_IO, "%s: is no part of a dataset; the directory is not replaced",
                    path);
}

static f0t_status look_inside(const char *path, const char *name, bool is_folder, void *context)
{
    content *found = context;
    found->entries++;
    found->tags |= !strcmp(name, "tags.txt");
    return is_folder || !is_part_of_dataset(name) ? refuse(path) : F0T_OK;
}

/* At the top there may also be directories, each a dataset. */
static f0t_status look_at_top(const char *path, const char *name, bool is_folder, void *context)
{
    content *found = context, inner = {0};
    if (!is_folder)
        return look_inside(path, name, is_folder, context);
    found->entries++;
    found->folders++;
    F0T_TRY(visit_all(path, look_inside, &inner));
    return inner.tags ? F0T_OK : refuse(path);
}

static f0t_status check_replaceable(const char *path, bool replace)
{
    content found = {0};
    if (!f0t_path_exists(path))
        return F0T_OK;
    if (!f0t_path_is_folder(path))
        return f0t_fail(F0T_ERROR_IO, "%s: is a file, a dataset is a directory", path);
    f0t_status status = visit_all(path, look_at_top, &found);
    if (!found.entries)
        return status;
    if (!replace)
        return f0t_fail(F0T_ERROR_IO, "%s: exists already; with force it is replaced", path);
    if (status == F0T_OK && !found.tags && !found.folders)
        return f0t_fail(F0T_ERROR_IO, "%s: is no dataset, and is not replaced", path);
    return status;
}

/* ---- Making and removing ----------------------------------------------------------------------------------- */

/* Takes the descriptor of a directory. Says nothing: the failure that led here is what counts. */
static void remove_entries(int fd, int depth)
{
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (is_dots(entry->d_name) || unlinkat(fd, entry->d_name, 0) == 0 || !depth)
            continue;
        remove_entries(openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
                       depth - 1);
        (void)!unlinkat(fd, entry->d_name, AT_REMOVEDIR);
    }
    closedir(dir);
}

/* A dataset, or a directory of datasets: no deeper. */
static void remove_folder(const char *path)
{
    remove_entries(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), 1);
    (void)!rmdir(path);
}

void f0t_folder_remove(const char *path)
{
    remove_entries(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), 8);
    (void)!rmdir(path);
}

static f0t_status resolve(char **out, const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    F0T_TRY(f0t_string_copy(out, path, n));
    const char *slash = strrchr(*out, '/');
    const char *last = slash ? slash + 1 : *out;
    if (!*last || is_dots(last))
        return f0t_fail(F0T_ERROR_ARGUMENT, "'%s': the name of a new directory is expected", path);
    char *real = realpath(*out, NULL); /* of a link, what it points to is replaced */
    if (!real)
        return F0T_OK;
    f0t_free(*out);
    f0t_status status = f0t_string_copy(out, real, strlen(real));
    free(real);
    return status;
}

/* Beside its place. A process that was killed may have left one of the same name: the next is tried. */
static f0t_status make_temporary(f0t_folder *folder)
{
    const char *slash = strrchr(folder->path, '/');
    const size_t before = slash ? (size_t)(slash - folder->path) + 1 : 0;
    int failed;
    F0T_TRY(f0t_alloc(&folder->temporary, before + F0T_TEMPORARY_SIZE, 1));
    memcpy(folder->temporary, folder->path, before);
    do {
        f0t_temporary_name(folder->temporary + before);
        failed = f0t_fault_hit(F0T_FAULT_WRITE)   ? ENOSPC
                 : mkdir(folder->temporary, 0777) ? errno
                                                  : 0;
    } while (failed == EEXIST);
    if (!failed)
        return F0T_OK;
    f0t_free(folder->temporary);
    folder->temporary = NULL;
    return f0t_fail_errno(failed, "%s: the directory cannot be made", folder->path);
}

f0t_status f0t_folder_begin(f0t_folder *folder, const char *path, bool replace)
{
    *folder = (f0t_folder){.replace = replace};
    F0T_TRY(resolve(&folder->path, path));
    F0T_TRY(check_replaceable(folder->path, replace));
    return make_temporary(folder);
}

void f0t_folder_end(f0t_folder *folder)
{
    if (folder->temporary)
        remove_folder(folder->temporary);
    f0t_free(folder->temporary);
    f0t_free(folder->path);
    *folder = (f0t_folder){0};
}

/* ---- Putting it in place --------------------------------------------------------------------------------------- */

static int rename_checked(const char *from, const char *to, unsigned flags)
{
    if (f0t_fault_hit(F0T_FAULT_WRITE)) {
        errno = ENOSPC;
        return -1;
    }
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, flags);
}

/* For file systems that cannot exchange two names at once. What was at `path` gets the temporary
 * name in the end, as after an exchange. */
static int swap_in_steps(const f0t_folder *folder)
{
    char old[PATH_MAX];
    int n = snprintf(old, sizeof old, "%s.old", folder->temporary);
    if (n < 0 || (size_t)n >= sizeof old) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (rename(folder->path, old) != 0)
        return -1;
    if (rename(folder->temporary, folder->path) == 0)
        return rename(old, folder->temporary);
    int failed = errno;
    (void)!rename(old, folder->path);
    errno = failed;
    return -1;
}

/* Some file systems cannot sync a directory: no failure. */
static void sync_folder(const char *path, const char *which)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int at = fd < 0 ? -1 : openat(fd, which, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (at >= 0)
        (void)!fsync(at);
    if (at >= 0)
        close(at);
    if (fd >= 0)
        close(fd);
}

/* Both names change places, or nothing does. */
static int swap(const f0t_folder *folder)
{
    const int failed = rename_checked(folder->temporary, folder->path, RENAME_EXCHANGE);
    return failed && (errno == EINVAL || errno == ENOSYS) ? swap_in_steps(folder) : failed;
}

/* What is there now has the temporary name afterwards, and is removed: what somebody put into it in the last
 * moment is not. */
static f0t_status exchange(const f0t_folder *folder)
{
    if (swap(folder) != 0)
        return f0t_fail_errno(errno, "%s: cannot be put in place", folder->path);
    f0t_status status = check_replaceable(folder->temporary, true);
    if (status != F0T_OK)
        (void)!swap(folder);
    return status;
}

f0t_status f0t_folder_commit(f0t_folder *folder)
{
    F0T_TRY(check_replaceable(folder->path, folder->replace));
    sync_folder(folder->temporary, ".");
    const int failed = rename_checked(folder->temporary, folder->path, 0);
    const bool exists = failed && folder->replace && (errno == ENOTEMPTY || errno == EEXIST);
    if (exists)
        F0T_TRY(exchange(folder));
    else if (failed)
        return f0t_fail_errno(errno, "%s: cannot be put in place", folder->path);
    sync_folder(folder->path, "..");
    if (!exists) { /* else the temporary name has the old one now */
        f0t_free(folder->temporary);
        folder->temporary = NULL;
    }
    return F0T_OK;
}

/* ---- Paths --------------------------------------------------------------------------------------------------------- */

bool f0t_folder_contains(const char *folder, const char *file)
{
    char *a = realpath(folder, NULL), *b = realpath(file, NULL);
    size_t n = a ? strlen(a) : 0;
    bool inside = a && b && !strncmp(a, b, n) && (b[n] == '/' || b[n] == '\0');
    free(a);
    free(b);
    return inside;
}

static f0t_status relative(char **out, const char *from, const char *to)
{
    size_t same = 0, ups = 0;
    for (size_t i = 0;; i++) {
        bool ends_a = from[i] == '/' || !from[i], ends_b = to[i] == '/' || !to[i];
        if (ends_a && ends_b)
            same = i;
        if (from[i] != to[i] || !from[i])
            break;
    }
    for (const char *c = from + same; *c; c++)
        ups += *c == '/' && c[1];
    const char *rest = to + same + (to[same] == '/');
    size_t size = 3 * ups + strlen(rest) + 2;
    F0T_TRY(f0t_alloc(out, size, 1));
    char *end = *out;
    for (size_t i = 0; i < ups; i++, end += 3)
        memcpy(end, "../", 3);
    memcpy(end, rest, strlen(rest) + 1);
    if (!**out)
        memcpy(*out, ".", 2);
    return F0T_OK;
}

f0t_status f0t_path_relative(char **out, const char *from, const char *to)
{
    char *a = realpath(from, NULL), *b = a ? realpath(to, NULL) : NULL;
    *out = NULL;
    f0t_status status = !a   ? f0t_fail_errno(errno, "%s", from)
                        : !b ? f0t_fail_errno(errno, "%s", to)
                             : relative(out, a, b);
    free(a);
    free(b);
    return status;
}
