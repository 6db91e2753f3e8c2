#include "io/file.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

f0t_status f0t_path_join(char **out, const char *folder, const char *name)
{
    size_t a = strlen(folder), b = strlen(name);
    bool slash = a && folder[a - 1] != '/';
    if (name[0] == '/')
        a = 0, slash = false;
    F0T_TRY(f0t_alloc(out, a + b + 2, 1));
    memcpy(*out, folder, a);
    if (slash)
        (*out)[a++] = '/';
    memcpy(*out + a, name, b + 1);
    return F0T_OK;
}

/* What stat says of a name that no file has, or can have. */
static bool means_nothing(int error)
{
    return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG;
}

bool f0t_path_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 || !means_nothing(errno);
}

f0t_status f0t_path_look(bool *there, const char *path)
{
    struct stat info;
    *there = stat(path, &info) == 0;
    return *there || means_nothing(errno) || errno == EACCES
               ? F0T_OK
               : f0t_fail_errno(errno, "%s: cannot be looked at", path);
}

bool f0t_path_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool f0t_path_is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? S_ISREG(info.st_mode) : !means_nothing(errno);
}

f0t_status f0t_folder_create(const char *path)
{
    if (mkdir(path, 0777) != 0 && !(errno == EEXIST && f0t_path_is_folder(path)))
        return f0t_fail_errno(errno, "%s: the folder cannot be made", path);
    return F0T_OK;
}

struct dirent *f0t_folder_next(f0t_status *status, DIR *folder, const char *path)
{
    errno = 0;
    struct dirent *entry = readdir(folder);
    if (!entry && errno)
        *status = f0t_fail_errno(errno, "%s: cannot be listed", path);
    return entry;
}

int f0t_folder_descriptor(int at, const char *name, int flags)
{
    flags |= O_DIRECTORY | O_CLOEXEC;
    const int fd = openat(at, name, flags | O_RDONLY);
    return fd < 0 && errno == EACCES ? openat(at, name, flags | O_PATH) : fd;
}

static const char temporary_begin[] = ".fast0tag-", temporary_end[] = ".tmp";

/* Of this process by the counter, of another by the process. */
void f0t_temporary_name(char name[F0T_TEMPORARY_SIZE])
{
    static atomic_uint counter;
    snprintf(name, F0T_TEMPORARY_SIZE, "%s%ld-%u%s", temporary_begin, (long)getpid(),
             atomic_fetch_add(&counter, 1), temporary_end);
}

bool f0t_name_is_temporary(const char *name)
{
    const size_t length = strlen(name), begin = sizeof temporary_begin - 1,
                 end = sizeof temporary_end - 1;
    return length > begin + end && !strncmp(name, temporary_begin, begin) &&
           !strcmp(name + length - end, temporary_end);
}
