#include "io/file.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "io/original.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER_SIZE = 1 << 20 };

struct f0t_writer {
    char *path;       /* for messages */
    const char *name; /* its last part */
    int folder;       /* the folder that `name` is in, a descriptor */
    char temporary[F0T_TEMPORARY_SIZE];
    int fd;
    const f0t_original *original; /* what is replaced if it is as it was; NULL: whatever is there */
    bool keep_time;               /* of the original */
    uint64_t flushed;             /* bytes given to the system */
    size_t used;                  /* bytes in the buffer */
    char *buffer;
    bool failed; /* bytes are missing: commit must not succeed any more */
};

static void release(f0t_writer *w)
{
    if (w->fd >= 0)
        close(w->fd);
    if (w->folder >= 0)
        close(w->folder);
    f0t_free(w->path);
    f0t_free(w->buffer);
    f0t_free(w);
}

/* ---- What a file is besides its bytes ----------------------------------------------------------- */

static const char access_list[] = "system.posix_acl_access";

static f0t_status not_kept(const char *path, const char *what)
{
    return f0t_fail_errno(errno, "%s: its %s cannot be kept, so it is not replaced", path, what);
}

static bool is_ours_to_keep(const char *name)
{
    return !strncmp(name, "user.", 5) || !strcmp(name, access_list);
}

static f0t_status copy_value(int to, int from, const char *name, const char *path)
{
    char *value;
    const ssize_t size = fgetxattr(from, name, NULL, 0);
    if (size < 0)
        return errno == ENODATA ? F0T_OK : not_kept(path, name);
    F0T_TRY(f0t_alloc(&value, (size_t)size, 1));
    const ssize_t got = fgetxattr(from, name, value, (size_t)size);
    const bool good = got >= 0 && fsetxattr(to, name, value, (size_t)got, 0) == 0;
    f0t_status status = good ? F0T_OK : not_kept(path, name);
    f0t_free(value);
    return status;
}

static f0t_status copy_named(int to, int from, const char *names, size_t size, const char *path)
{
    for (const char *name = names; name < names + size; name += strlen(name) + 1)
        if (is_ours_to_keep(name))
            F0T_TRY(copy_value(to, from, name, path));
    return F0T_OK;
}

static f0t_status copy_values(int to, int from, const char *path)
{
    char *names;
    const ssize_t size = flistxattr(from, NULL, 0);
    if (size <= 0) /* none, or a file system without them */
        return F0T_OK;
    F0T_TRY(f0t_alloc(&names, (size_t)size, 1));
    const ssize_t got = flistxattr(from, names, (size_t)size);
    f0t_status status = got < 0 ? not_kept(path, "extended attributes")
                                : copy_named(to, from, names, (size_t)got, path);
    f0t_free(names);
    return status;
}

/* Gives the file `to` the owner, group, mode, access control list and extended attributes of `from`,
 * both descriptors. Fails where one of these cannot be kept; attributes that belong to the system
 * (security, trusted) are the system's to give. `path` is for messages.
 *
 * The owner first: changing it clears bits of the mode. The folder may have given the new file an access
 * list that the old one has not. */
static f0t_status copy_attributes(int to, int from, const char *path)
{
    struct stat old, new;
    if (fstat(from, &old) != 0 || fstat(to, &new) != 0)
        return not_kept(path, "owner");
    if ((old.st_uid != new.st_uid || old.st_gid != new.st_gid) &&
        fchown(to, old.st_uid, old.st_gid) != 0)
        return not_kept(path, "owner");
    (void)fremovexattr(to, access_list);
    /* Some mounts have no chmod; where the modes are equal none is needed. */
    if ((fstat(to, &new) != 0 || ((old.st_mode ^ new.st_mode) & 07777)) &&
        fchmod(to, old.st_mode & 07777) != 0)
        return not_kept(path, "mode");
    return copy_values(to, from, path);
}

/* ---- Opening ------------------------------------------------------------------------------------------- */

/* The name that the link `path` holds, seen from here; *out is NULL when `path` is no link. */
static f0t_status read_link(char **out, const char *path)
{
    char target[4096];
    ssize_t n = readlink(path, target, sizeof target - 1);
    *out = NULL;
    if (n <= 0)
        return F0T_OK;
    target[n] = '\0';
    char *folder;
    const char *slash = strrchr(path, '/');
    F0T_TRY(f0t_string_copy(&folder, path, slash ? (size_t)(slash - path) + 1 : 0));
    f0t_status status = f0t_path_join(out, folder, target);
    f0t_free(folder);
    return status;
}

/* Where the name is a link, the file it points to is replaced and the link stays. */
static f0t_status resolve(char **out, const char *path)
{
    enum { LINKS_MOST = 40 }; /* as the kernel has it */
    char *next;
    F0T_TRY(f0t_string_copy(out, path, strlen(path)));
    for (int links = 0; links < LINKS_MOST; links++) {
        F0T_TRY(read_link(&next, *out));
        if (!next)
            return F0T_OK;
        f0t_free(*out);
        *out = next;
    }
    return f0t_fail_errno(ELOOP, "%s: cannot be written", path);
}

/* Renaming would put a file in the place of a device or a pipe. */
static f0t_status check_target(const f0t_writer *w, const char *path)
{
    struct stat info;
    if (stat(w->path, &info) != 0 || S_ISREG(info.st_mode))
        return F0T_OK;
    return f0t_fail(F0T_ERROR_IO, "%s: %s, a file is expected", path,
                    S_ISDIR(info.st_mode) ? "is a folder" : "is not a regular file");
}

static f0t_status open_folder(f0t_writer *w, const char *path)
{
    const char *slash = strrchr(w->path, '/');
    char *folder;
    w->name = slash ? slash + 1 : w->path;
    F0T_TRY(f0t_string_copy(&folder, w->path, (size_t)(w->name - w->path)));
    w->folder = f0t_folder_descriptor(AT_FDCWD, *folder ? folder : ".", 0);
    const int failed = errno;
    f0t_free(folder);
    return w->folder < 0 ? f0t_fail_errno(failed, "%s: cannot be written", path) : F0T_OK;
}

/* What replaces a file is nobody else's to read before it has the old one's mode. */
static f0t_status open_temporary(f0t_writer *w, bool hidden, const char *path)
{
    do {
        f0t_temporary_name(w->temporary);
        w->fd = openat(w->folder, w->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                       hidden ? 0600 : 0666);
    } while (w->fd < 0 && errno == EEXIST);
    return w->fd < 0 ? f0t_fail_errno(errno, "%s: cannot be written", path) : F0T_OK;
}

/* As far as it goes: the owner of a file that somebody else may write, say, changes. */
static void keep_attributes(const f0t_writer *w, const struct stat *old)
{
    const int from = openat(w->folder, w->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (from < 0 || copy_attributes(w->fd, from, w->path) != F0T_OK)
        (void)!fchmod(w->fd, old->st_mode & 0777);
    if (from >= 0)
        close(from);
}

/* A link that comes after this look is replaced by the rename, and not followed. */
static f0t_status refuse_link(const char *path)
{
    struct stat info;
    if (lstat(path, &info) != 0 || !S_ISLNK(info.st_mode))
        return F0T_OK;
    return f0t_fail(
        F0T_ERROR_IO,
        "%s: is a link, and links in a folder are not followed when writing; remove it, "
        "or name another folder",
        path);
}

static f0t_status start(f0t_writer *w, const char *path, bool follow)
{
    struct stat old;
    if (!follow)
        F0T_TRY(refuse_link(path));
    F0T_TRY(follow ? resolve(&w->path, path) : f0t_string_copy(&w->path, path, strlen(path)));
    F0T_TRY(check_target(w, path));
    F0T_TRY(open_folder(w, path));
    F0T_TRY(f0t_alloc(&w->buffer, BUFFER_SIZE, 1));
    const bool replaces = fstatat(w->folder, w->name, &old, AT_SYMLINK_NOFOLLOW) == 0;
    F0T_TRY(open_temporary(w, replaces, path));
    if (replaces)
        keep_attributes(w, &old);
    return F0T_OK;
}

static f0t_status start_private(f0t_writer *w, const char *path)
{
    F0T_TRY(f0t_string_copy(&w->path, path, strlen(path)));
    F0T_TRY(open_folder(w, path));
    F0T_TRY(f0t_alloc(&w->buffer, BUFFER_SIZE, 1));
    F0T_TRY(open_temporary(w, true, path));
    return fchmod(w->fd, S_IRUSR | S_IWUSR) == 0
               ? F0T_OK
               : f0t_fail_errno(errno, "%s: cannot be written", path);
}

static f0t_status start_replacing(f0t_writer *w, const f0t_original *o)
{
    F0T_TRY(f0t_string_copy(&w->path, o->path, strlen(o->path)));
    w->name = w->path + (o->name - o->path);
    w->folder = fcntl(o->folder, F_DUPFD_CLOEXEC, 0);
    if (w->folder < 0)
        return f0t_fail_errno(errno, "%s: cannot be written", o->path);
    F0T_TRY(f0t_alloc(&w->buffer, BUFFER_SIZE, 1));
    F0T_TRY(open_temporary(w, o->fd >= 0, o->path));
    return o->fd >= 0 ? copy_attributes(w->fd, o->fd, o->path) : F0T_OK;
}

static f0t_status create(f0t_writer **out)
{
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    (*out)->fd = (*out)->folder = -1;
    return F0T_OK;
}

static f0t_status give(f0t_writer **out, f0t_writer *w, f0t_status status)
{
    if (status == F0T_OK)
        *out = w;
    else
        f0t_writer_abort(w);
    return status;
}

f0t_status f0t_writer_open(f0t_writer **out, const char *path)
{
    f0t_writer *w;
    *out = NULL;
    F0T_TRY(create(&w));
    return give(out, w, start(w, path, true));
}

f0t_status f0t_writer_open_nofollow(f0t_writer **out, const char *path)
{
    f0t_writer *w;
    *out = NULL;
    F0T_TRY(create(&w));
    return give(out, w, start(w, path, false));
}

f0t_status f0t_writer_open_private(f0t_writer **out, const char *path)
{
    f0t_writer *w;
    *out = NULL;
    F0T_TRY(create(&w));
    return give(out, w, start_private(w, path));
}

f0t_status f0t_original_replace(f0t_writer **out, const f0t_original *original, bool keep_time)
{
    f0t_writer *w;
    *out = NULL;
    F0T_TRY(create(&w));
    w->original = original;
    w->keep_time = keep_time;
    return give(out, w, start_replacing(w, original));
}

/* ---- Writing ------------------------------------------------------------------------------------------- */

static f0t_status write_at(f0t_writer *w, const char *data, size_t size, uint64_t offset)
{
    while (size) {
        ssize_t n = -1;
        if (f0t_fault_hit(F0T_FAULT_WRITE))
            errno = ENOSPC;
        else
            n = pwrite(w->fd, data, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            w->failed = true;
            return f0t_fail_errno(errno, "%s: cannot be written", w->path);
        }
        data += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return F0T_OK;
}

static f0t_status flush(f0t_writer *w)
{
    F0T_TRY(write_at(w, w->buffer, w->used, w->flushed));
    w->flushed += w->used;
    w->used = 0;
    return F0T_OK;
}

f0t_status f0t_writer_write(f0t_writer *w, const void *data, size_t size)
{
    if (size > BUFFER_SIZE - w->used)
        F0T_TRY(flush(w));
    if (size >= BUFFER_SIZE) {
        F0T_TRY(write_at(w, data, size, w->flushed));
        w->flushed += size;
        return F0T_OK;
    }
    if (size)
        memcpy(w->buffer + w->used, data, size);
    w->used += size;
    return F0T_OK;
}

f0t_status f0t_writer_printf(f0t_writer *w, const char *format, ...)
{
    char line[4096];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof line)
        return f0t_fail(F0T_ERROR_INTERNAL, "%s: a formatted piece of %d bytes", w->path, n);
    return f0t_writer_write(w, line, (size_t)n);
}

f0t_status f0t_writer_patch(f0t_writer *w, uint64_t offset, const void *data, size_t size)
{
    F0T_TRY(flush(w));
    if (offset > w->flushed || size > w->flushed - offset)
        return f0t_fail(F0T_ERROR_INTERNAL, "%s: a patch after the end", w->path);
    return write_at(w, data, size, offset);
}

uint64_t f0t_writer_position(const f0t_writer *w)
{
    return w->flushed + w->used;
}

/* ---- Putting it in place ------------------------------------------------------------------------------- */

static int rename_checked(const f0t_writer *w, unsigned flags)
{
    if (f0t_fault_hit(F0T_FAULT_WRITE)) {
        errno = EIO;
        return -1;
    }
    return flags ? renameat2(w->folder, w->temporary, w->folder, w->name, flags)
                 : renameat(w->folder, w->temporary, w->folder, w->name);
}

static f0t_status changed(const f0t_writer *w)
{
    return f0t_fail(F0T_ERROR_IO, "%s: another program changed it meanwhile; it stays as it is",
                    w->path);
}

static bool cannot(int flags_failed)
{
    return flags_failed && (errno == EINVAL || errno == ENOSYS || errno == ENOTSUP);
}

static f0t_status put_new(const f0t_writer *w)
{
    int failed = rename_checked(w, RENAME_NOREPLACE);
    if (cannot(failed))
        failed = rename_checked(w, 0);
    if (failed && errno == EEXIST)
        return changed(w);
    return failed ? f0t_fail_errno(errno, "%s: cannot be written", w->path) : F0T_OK;
}

/* The old file gets the temporary name at the same moment, so that a change in the very last moment is
 * seen, and undone. */
static f0t_status exchange(const f0t_writer *w)
{
    struct stat out;
    int failed = rename_checked(w, RENAME_EXCHANGE);
    if (cannot(failed))
        return rename_checked(w, 0) ? f0t_fail_errno(errno, "%s: cannot be replaced", w->path)
                                    : F0T_OK;
    if (failed)
        return f0t_fail_errno(errno, "%s: cannot be replaced", w->path);
    if (fstatat(w->folder, w->temporary, &out, AT_SYMLINK_NOFOLLOW) != 0 ||
        !f0t_original_is(w->original, &out)) {
        (void)!renameat2(w->folder, w->temporary, w->folder, w->name, RENAME_EXCHANGE);
        return changed(w);
    }
    unlinkat(w->folder, w->temporary, 0);
    return F0T_OK;
}

/* One of our processes at a time, for some microseconds; a folder that cannot be locked, or that somebody
 * keeps locked, is no failure. */
static void lock_folder(const f0t_writer *w)
{
    enum { TRIES = 200 };
    for (int i = 0; i < TRIES && flock(w->folder, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK; i++)
        nanosleep(&(struct timespec){0, 5 * 1000 * 1000}, NULL);
}

static f0t_status put_in_place(const f0t_writer *w)
{
    if (!w->original)
        return rename_checked(w, 0) ? f0t_fail_errno(errno, "%s: cannot be replaced", w->path)
                                    : F0T_OK;
    lock_folder(w);
    f0t_status status = f0t_original_has_changed(w->original) ? changed(w)
                        : w->original->fd < 0                 ? put_new(w)
                                                              : exchange(w);
    (void)flock(w->folder, LOCK_UN);
    return status;
}

/* All of it on disk, then the name, then the folder, without which the name may not last; some file
 * systems cannot sync one. */
static f0t_status settle(f0t_writer *w)
{
    if (w->failed)
        return f0t_fail(F0T_ERROR_IO, "%s: cannot be written: a write before failed", w->path);
    F0T_TRY(flush(w));
    if (w->keep_time && w->original->fd >= 0)
        (void)futimens(w->fd,
                       (struct timespec[]){w->original->was.st_atim, w->original->was.st_mtim});
    if (f0t_fault_hit(F0T_FAULT_WRITE) ? (errno = EIO, -1) : fsync(w->fd))
        return f0t_fail_errno(errno, "%s: cannot be written", w->path);
    F0T_TRY(put_in_place(w));
    (void)fsync(w->folder);
    return F0T_OK;
}

f0t_status f0t_writer_commit(f0t_writer *w)
{
    f0t_status status = settle(w);
    if (status != F0T_OK)
        f0t_writer_abort(w);
    else
        release(w);
    return status;
}

void f0t_writer_abort(f0t_writer *w)
{
    if (!w)
        return;
    if (w->fd >= 0)
        unlinkat(w->folder, w->temporary, 0);
    release(w);
}

f0t_status f0t_writer_finish(f0t_writer *w, f0t_status status)
{
    if (!w)
        return status;
    if (status == F0T_OK)
        return f0t_writer_commit(w);
    f0t_writer_abort(w);
    return status;
}
