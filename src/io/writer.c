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

/* Where the name is a link, the file it points to is replaced and the link stays. */
static f0t_status resolve(char **out, const char *path)
{
    char target[4096];
    ssize_t n = readlink(path, target, sizeof target - 1);
    if (n <= 0 || (size_t)n >= sizeof target - 1)
        return f0t_string_copy(out, path, strlen(path));
    target[n] = '\0';
    const char *slash = strrchr(path, '/');
    if (target[0] == '/' || !slash)
        return f0t_string_copy(out, target, (size_t)n);
    char *folder;
    F0T_TRY(f0t_string_copy(&folder, path, (size_t)(slash - path) + 1));
    f0t_status status = f0t_path_join(out, folder, target);
    f0t_free(folder);
    return status;
}

/* A name that no other writer has: of this process by the counter, of another by the process. */
static f0t_status name_temporary(f0t_writer *w)
{
    static atomic_uint counter;
    char suffix[48];
    int n = snprintf(suffix, sizeof suffix, ".%ld-%u.tmp", (long)getpid(),
                     atomic_fetch_add(&counter, 1));
    size_t length = strlen(w->path);
    F0T_TRY(f0t_alloc(&w->temporary, length + (size_t)n + 1, 1));
    memcpy(w->temporary, w->path, length);
    memcpy(w->temporary + length, suffix, (size_t)n + 1);
    return F0T_OK;
}

/* What replaces a file keeps its mode. Some file systems have none: no failure. */
static void keep_mode(const f0t_writer *w)
{
    struct stat old;
    if (stat(w->path, &old) == 0)
        (void)!fchmod(w->fd, old.st_mode & 07777);
}

static f0t_status start(f0t_writer *w, const char *path)
{
    F0T_TRY(resolve(&w->path, path));
    if (f0t_path_is_folder(w->path))
        return f0t_fail(F0T_ERROR_IO, "%s: is a folder, a file is wanted", path);
    F0T_TRY(name_temporary(w));
    F0T_TRY(f0t_alloc(&w->buffer, BUFFER_SIZE, 1));
    w->fd = open(w->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
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
        if (n < 0)
            return f0t_fail_errno(errno, "%s: cannot be written", w->path);
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
static void sync_folder(const char *path)
{
    char *folder;
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 1;
    if (f0t_string_copy(&folder, slash ? path : ".", n) != F0T_OK)
        return;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    f0t_free(folder);
    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}

static f0t_status settle(f0t_writer *w)
{
    F0T_TRY(flush(w));
    if (f0t_fault_hit(F0T_FAULT_WRITE))
        return f0t_fail_errno(ENOSPC, "%s: cannot be written", w->path);
    if (fsync(w->fd) != 0)
        return f0t_fail_errno(errno, "%s: cannot be written", w->path);
    if (rename(w->temporary, w->path) != 0)
        return f0t_fail_errno(errno, "%s: cannot be replaced", w->path);
    sync_folder(w->path);
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
