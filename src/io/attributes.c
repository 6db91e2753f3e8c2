#include "io/attributes.h"

#include "base/alloc.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char access_list[] = "system.posix_acl_access";

static f0t_status fail(const char *path, const char *what)
{
    return f0t_fail_errno(errno, "%s: its %s cannot be kept, so it is not replaced", path, what);
}

/* ---- Extended attributes ------------------------------------------------------------------------------ */

static bool is_ours_to_keep(const char *name)
{
    return !strncmp(name, "user.", 5) || !strcmp(name, access_list);
}

static f0t_status copy_value(int to, int from, const char *name, const char *path)
{
    char *value;
    const ssize_t size = fgetxattr(from, name, NULL, 0);
    if (size < 0)
        return errno == ENODATA ? F0T_OK : fail(path, name);
    F0T_TRY(f0t_alloc(&value, (size_t)size, 1));
    const ssize_t got = fgetxattr(from, name, value, (size_t)size);
    const bool good = got >= 0 && fsetxattr(to, name, value, (size_t)got, 0) == 0;
    f0t_status status = good ? F0T_OK : fail(path, name);
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
    f0t_status status = got < 0 ? fail(path, "extended attributes")
                                : copy_named(to, from, names, (size_t)got, path);
    f0t_free(names);
    return status;
}

/* ---- All of them -------------------------------------------------------------------------------------- */

/* The owner first: changing it clears bits of the mode. The folder may have given the new file an access
 * list that the old one has not. */
f0t_status f0t_attributes_copy(int to, int from, const char *path)
{
    struct stat old, new;
    if (fstat(from, &old) != 0 || fstat(to, &new) != 0)
        return fail(path, "owner");
    if ((old.st_uid != new.st_uid || old.st_gid != new.st_gid) &&
        fchown(to, old.st_uid, old.st_gid) != 0)
        return fail(path, "owner");
    (void)fremovexattr(to, access_list);
    /* Some mounts have no chmod; where the modes are equal none is needed. */
    if ((fstat(to, &new) != 0 || ((old.st_mode ^ new.st_mode) & 07777)) &&
        fchmod(to, old.st_mode & 07777) != 0)
        return fail(path, "mode");
    return copy_values(to, from, path);
}
