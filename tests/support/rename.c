#include "rename.h"

#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

test_rename test_renames;

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    if (test_renames.before)
        test_renames.before(flags);
    if (flags && test_renames.plain) {
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}
