#include "io/lock.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The holder before may have removed the file between our opening and our locking it. */
static bool is_still_there(const f0t_lock *lock)
{
    struct stat ours, named;
    return fstat(lock->fd, &ours) == 0 && stat(lock->path, &named) == 0 &&
           ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

/* A lock is empty: whatever is in the file, somebody else wrote it. */
static bool is_ours(const f0t_lock *lock)
{
    struct stat info;
    return fstat(lock->fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0;
}

static f0t_status take(f0t_lock *lock, const char *path)
{
    enum { TRIES = 100 }; /* some file systems number a file anew each time it is asked for */
    for (int tries = 1;; tries++) {
        lock->fd = open(lock->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (lock->fd < 0 && errno != ELOOP)
            return f0t_fail_errno(errno, "%s: cannot be written", path);
        if (lock->fd < 0 || !is_ours(lock))
            return f0t_fail(F0T_ERROR_IO,
                            "%s: is no lock, and in the way of one; move it away, or name another "
                            "file",
                            lock->path);
        if (flock(lock->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            return f0t_fail(F0T_ERROR_IO,
                            "%s: another process works with it; wait until it ends, or name "
                            "another file",
                            path);
        if (is_still_there(lock) || tries == TRIES)
            return F0T_OK;
        close(lock->fd);
    }
}

f0t_status f0t_lock_take(f0t_lock *lock, const char *path)
{
    size_t size = strlen(path) + sizeof ".lock";
    *lock = (f0t_lock){.fd = -1};
    F0T_TRY(f0t_alloc(&lock->path, size, 1));
    snprintf(lock->path, size, "%s.lock", path);
    f0t_status status = take(lock, path);
    if (status != F0T_OK) {
        if (lock->fd >= 0)
            close(lock->fd);
        f0t_free(lock->path);
        *lock = (f0t_lock){.fd = -1};
    }
    return status;
}

void f0t_lock_release(f0t_lock *lock)
{
    if (!lock->path)
        return;
    unlink(lock->path); /* before letting go, so that nobody's later one is removed */
    close(lock->fd);
    f0t_free(lock->path);
    *lock = (f0t_lock){.fd = -1};
}
