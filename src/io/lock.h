/* A lock beside a file that is replaced now and then: one process at a time works with it. */
#ifndef F0T_IO_LOCK_H
#define F0T_IO_LOCK_H

#include "base/status.h"

typedef struct f0t_lock {
    char *path; /* NULL: nothing is held */
    int fd;
} f0t_lock;

/* Takes the file PATH.lock, which is made, and fails with F0T_ERROR_IO while another process holds it.
 * A file of that name that is not empty, or a link, is not ours: it is left alone, which is a failure.
 * The system lets go of the lock when the process ends, however it does. Where the file system has no
 * locks there is none. */
f0t_status f0t_lock_take(f0t_lock *lock, const char *path);
/* Lets go and removes the file. A lock that is zero-initialised, or was let go, is fine. */
void f0t_lock_release(f0t_lock *lock);

#endif
