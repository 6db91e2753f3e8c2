#include "io/original.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- Its folder --------------------------------------------------------------------------------------- */

/* The part of `path` that is trusted: the folder that was named, else all but the last name. */
static size_t trusted_length(const char *path, const char *below)
{
    const char *slash = strrchr(path, '/');
    const size_t n = below ? strlen(below) : 0;
    if (below && !strncmp(path, below, n) && (path[n] == '/' || (n && path[n - 1] == '/')))
        return n;
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* From `folder`, which is closed, to the one that the last name of `rest` is in. */
static f0t_status descend(int *folder, char *rest, const char *path)
{
    for (char *slash; (slash = strchr(rest, '/')); rest = slash + 1) {
        *slash = 0;
        const int next = *rest ? f0t_folder_descriptor(*folder, rest, O_NOFOLLOW) : *folder;
        if (next < 0)
            return f0t_fail(F0T_ERROR_IO,
                            "%s: '%s' is a link or no folder any more; links in a folder are not "
                            "followed when writing",
                            path, rest);
        if (next != *folder)
            close(*folder);
        *folder = next;
    }
    return F0T_OK;
}

static f0t_status open_folder(f0t_original *o, const char *below)
{
    char *way;
    const size_t trusted = trusted_length(o->path, below);
    F0T_TRY(f0t_string_copy(&way, o->path, strlen(o->path)));
    const char kept = way[trusted];
    way[trusted] = 0;
    o->folder = f0t_folder_descriptor(AT_FDCWD, trusted ? way : ".", 0);
    way[trusted] = kept;
    f0t_status status = o->folder < 0 ? f0t_fail_errno(errno, "%s: cannot be written", o->path)
                                      : descend(&o->folder, way + trusted, o->path);
    f0t_free(way);
    return status;
}

/* ---- The file ----------------------------------------------------------------------------------------- */

/* The clock of a file system has ticks of some milliseconds: two changes within one leave the same time. A
 * file that has just changed is read when the next change would be seen. */
static void wait_for_tick(const struct stat *info)
{
    enum { TICK = 20 * 1000 * 1000 };
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    const int64_t age = (int64_t)(now.tv_sec - info->st_ctim.tv_sec) * 1000000000 +
                        (now.tv_nsec - info->st_ctim.tv_nsec);
    if (age >= -TICK && age < TICK)
        nanosleep(&(struct timespec){0, TICK}, NULL);
}

static f0t_status check_kind(const f0t_original *o)
{
    if (S_ISLNK(o->was.st_mode))
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%s: is a link, and links are not followed when writing; name the file "
                        "itself, or put one in the link's place",
                        o->path);
    if (!S_ISREG(o->was.st_mode))
        return f0t_fail(F0T_ERROR_IO, "%s: %s, a file is expected", o->path,
                        S_ISDIR(o->was.st_mode) ? "is a folder" : "is not a regular file");
    if (o->was.st_nlink > 1)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%s: is one file under %lu names (hard links), which a new one would part; "
                        "make it a file of its own first (cp -p, then mv)",
                        o->path, (unsigned long)o->was.st_nlink);
    if (faccessat(o->folder, o->name, W_OK, AT_EACCESS) != 0)
        return f0t_fail_errno(errno, "%s: cannot be written", o->path);
    return F0T_OK;
}

static f0t_status open_file(f0t_original *o)
{
    if (fstatat(o->folder, o->name, &o->was, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? F0T_OK : f0t_fail_errno(errno, "%s: cannot be written", o->path);
    F0T_TRY(check_kind(o));
    wait_for_tick(&o->was);
    o->fd = openat(o->folder, o->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (o->fd < 0 || fstat(o->fd, &o->was) != 0)
        return f0t_fail_errno(errno, "%s", o->path);
    return check_kind(o);
}

static f0t_status open_all(f0t_original *o, const char *path, const char *below)
{
    F0T_TRY(f0t_string_copy(&o->path, path, strlen(path)));
    const char *slash = strrchr(o->path, '/');
    o->name = slash ? slash + 1 : o->path;
    F0T_TRY(open_folder(o, below));
    return open_file(o);
}

f0t_status f0t_original_open(f0t_original *original, const char *path, const char *below)
{
    *original = (f0t_original){.folder = -1, .fd = -1};
    f0t_status status = open_all(original, path, below);
    if (status != F0T_OK)
        f0t_original_close(original);
    return status;
}

void f0t_original_close(f0t_original *o)
{
    if (!o->path)
        return;
    if (o->fd >= 0)
        close(o->fd);
    if (o->folder >= 0)
        close(o->folder);
    f0t_free(o->path);
    *o = (f0t_original){.folder = -1, .fd = -1};
}

f0t_status f0t_original_read(char **out, size_t *size, const f0t_original *o, size_t most)
{
    const size_t wanted = (size_t)o->was.st_size;
    ssize_t got = 0;
    *size = 0;
    if (wanted > most)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "%s: has more than %zu MB", o->path, most >> 20);
    F0T_TRY(f0t_alloc(out, wanted, 1));
    while (*size < wanted &&
           ((got = pread(o->fd, *out + *size, wanted - *size, (off_t)*size)) > 0 ||
            (got < 0 && errno == EINTR)))
        *size += got > 0 ? (size_t)got : 0;
    if (*size == wanted)
        return F0T_OK;
    f0t_status status = f0t_fail_errno(got < 0 ? errno : EIO, "%s", o->path);
    f0t_free(*out);
    *out = NULL;
    return status;
}

/* ---- What became of it -------------------------------------------------------------------------------- */

static bool is_same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool f0t_original_is(const f0t_original *o, const struct stat *info)
{
    return info->st_dev == o->was.st_dev && info->st_ino == o->was.st_ino &&
           info->st_size == o->was.st_size && is_same_time(info->st_mtim, o->was.st_mtim);
}

bool f0t_original_has_changed(const f0t_original *o)
{
    struct stat now;
    if (fstatat(o->folder, o->name, &now, AT_SYMLINK_NOFOLLOW) != 0)
        return o->fd >= 0 || errno != ENOENT;
    return o->fd < 0 || !f0t_original_is(o, &now) ||
           !is_same_time(now.st_ctim, o->was.st_ctim); /* which nobody can set back */
}

static f0t_status changed(const f0t_original *o)
{
    return f0t_fail(F0T_ERROR_IO, "%s: another program changed it meanwhile; it stays as it is",
                    o->path);
}

static int rename_to_none(const f0t_original *o, const char *from, const char *to)
{
    const int failed = renameat2(o->folder, from, o->folder, to, RENAME_NOREPLACE);
    return failed && (errno == EINVAL || errno == ENOSYS || errno == ENOTSUP)
               ? renameat(o->folder, from, o->folder, to)
               : failed;
}

/* It gets a temporary name first, under which it can be looked at once more and nobody changes it. */
f0t_status f0t_original_remove(const f0t_original *o)
{
    char aside[F0T_TEMPORARY_SIZE];
    struct stat out;
    int failed;
    if (f0t_original_has_changed(o))
        return changed(o);
    do {
        f0t_temporary_name(aside);
        failed = rename_to_none(o, o->name, aside);
    } while (failed && errno == EEXIST);
    if (failed)
        return f0t_fail_errno(errno, "%s: cannot be removed", o->path);
    if (fstatat(o->folder, aside, &out, AT_SYMLINK_NOFOLLOW) != 0 || !f0t_original_is(o, &out)) {
        (void)!rename_to_none(o, aside, o->name);
        return changed(o);
    }
    unlinkat(o->folder, aside, 0);
    (void)fsync(o->folder);
    return F0T_OK;
}
