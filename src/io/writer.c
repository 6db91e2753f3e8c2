#include "io/file.h"

#include "base/alloc.h"
#include "base/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_SIZE = 1 << 20 };

struct f0t_writer {
    char *path, *temporary;
    int fd;
    uint64_t flushed; /* bytes given to the system */
    size_t used;      /* bytes in the buffer */
    char *buffer;
    bool failed; /* bytes are missing: commit must not succeed any more */
};

static void release(f0t_writer *w)
{
    if (w->fd >= 0)
        close(w->fd);
    f0t_free(w->path);
    f0t_free(w->temporary);
    f0t_free(w->buffer);
    f0t_free(w);
}

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
    return f0t_fail(F0T_ERROR_IO, "%s: %s, a file is wanted", path,
                    S_ISDIR(info.st_mode) ? "is a folder" : "is not a regular file");
}

/* A name that no other writer has: of this process by the counter, of another by the process. A
 * killed process may have left one that has both: the next number is tried. */
static int open_temporary(f0t_writer *w, size_t size)
{
    static atomic_uint counter;
    int fd;
    do
        snprintf(w->temporary, size, "%s.%ld-%u.tmp", w->path, (long)getpid(),
                 atomic_fetch_add(&counter, 1));
    while ((fd = open(w->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) < 0 &&
           errno == EEXIST);
    return fd;
}

/* What replaces a file keeps its mode. Some file systems have none: no failure. */
static void keep_mode(const f0t_writer *w)
{
    struct stat old;
    if (stat(w->path, &old) == 0)
        (void)!fchmod(w->fd, old.st_mode & 0777);
}

static f0t_status start(f0t_writer *w, const char *path)
{
    F0T_TRY(resolve(&w->path, path));
    F0T_TRY(check_target(w, path));
    size_t room = strlen(w->path) + 48;
    F0T_TRY(f0t_alloc(&w->temporary, room, 1));
    F0T_TRY(f0t_alloc(&w->buffer, BUFFER_SIZE, 1));
    w->fd = open_temporary(w, room);
    if (w->fd < 0)
        return f0t_fail_errno(errno, "%s: cannot be written", path);
    keep_mode(w);
    return F0T_OK;
}

f0t_status f0t_writer_open(f0t_writer **out, const char *path)
{
    f0t_writer *w;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&w, 1, sizeof *w));
    w->fd = -1;
    f0t_status status = start(w, path);
    if (status != F0T_OK)
        release(w);
    else
        *out = w;
    return status;
}

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
        return f0t_fail(F0T_ERROR_INTERNAL, "%s: a patch behind the end", w->path);
    return write_at(w, data, size, offset);
}

uint64_t f0t_writer_position(const f0t_writer *w)
{
    return w->flushed + w->used;
}

/* The rename is lasting only when the folder is on disk too; some file systems cannot sync one. */
static void sync_folder(f0t_writer *w)
{
    char *slash = strrchr(w->path, '/');
    if (slash)
        slash[slash == w->path] = '\0'; /* keeps the root's */
    int fd = open(slash ? w->path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}

/* fsync, then rename: both may find that the disk is full or gone. */
static f0t_status replace(f0t_writer *w)
{
    int failed = f0t_fault_hit(F0T_FAULT_WRITE) ? (errno = EIO, -1) : fsync(w->fd);
    if (failed)
        return f0t_fail_errno(errno, "%s: cannot be written", w->path);
    failed = f0t_fault_hit(F0T_FAULT_WRITE) ? (errno = EIO, -1) : rename(w->temporary, w->path);
    if (failed)
        return f0t_fail_errno(errno, "%s: cannot be replaced", w->path);
    return F0T_OK;
}

static f0t_status settle(f0t_writer *w)
{
    if (w->failed)
        return f0t_fail(F0T_ERROR_IO, "%s: cannot be written: a write before failed", w->path);
    F0T_TRY(flush(w));
    F0T_TRY(replace(w));
    sync_folder(w);
    return F0T_OK;
}

f0t_status f0t_writer_commit(f0t_writer *w)
{
    f0t_status status = settle(w);
    if (status != F0T_OK)
        unlink(w->temporary);
    release(w);
    return status;
}

void f0t_writer_abort(f0t_writer *w)
{
    if (!w)
        return;
    unlink(w->temporary);
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
