/* What a path is, as far as commands take different ways by it, and whether something can be written
 * there: asked before the work begins. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the system cannot tell, it is there: opening it says why. */
static bool has_file(const char *folder, const char *name)
{
    char path[4096];
    return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
           (access(path, F_OK) == 0 ||
            (errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG));
}

bool cli_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool cli_is_dataset(const char *path)
{
    return has_file(path, "features.npy") || has_file(path, "dataset.json") ||
           has_file(path, "tags.txt");
}

bool cli_is_kind(const char *path, const char *kind)
{
    const f0t_inspect_options quick = {.size = sizeof(f0t_inspect_options), .quick = true};
    f0t_inspection *found;
    if (cli_is_folder(path) || f0t_inspect(&found, path, &quick, NULL) != F0T_OK)
        return false;
    const bool is = !strcmp(found->kind, kind);
    f0t_inspection_free(found);
    return is;
}

/* ---- What will be written ----------------------------------------------------------------- */

/* Why no file can be made in the folder of `path`; 0: it can. */
static int folder_fault(const char *path)
{
    char *real = realpath(path, NULL); /* the folder that a link leads to */
    char *copy = real ? real : strdup(path), *slash = copy ? strrchr(copy, '/') : NULL;
    if (!copy)
        return ENOMEM;
    if (slash)
        slash[slash == copy] = '\0';
    const char *folder = slash ? copy : ".";
    const int fault = access(folder, W_OK | X_OK) != 0 ? errno
                      : cli_is_folder(folder)          ? 0
                                                       : ENOTDIR;
    free(copy);
    return fault;
}

/* As the library's own failures: what is not there is bad input, the rest the system's. */
static f0t_status fail_output(cli_context *cli, const char *option, const char *path, int fault)
{
    const f0t_status status = fault == ENOENT ? F0T_ERROR_NOT_FOUND : F0T_ERROR_IO;
    return !fault ? F0T_OK
                  : cli_fail(cli, status, "%s %s: cannot be written: %s", option, path,
                             strerror(fault));
}

f0t_status cli_check_file(cli_context *cli, const char *option, const char *path)
{
    if (cli_is_folder(path))
        return cli_fail(cli, F0T_ERROR_IO, "%s %s: is a folder, expected a file", option, path);
    return fail_output(cli, option, path, *path ? folder_fault(path) : ENOENT);
}

f0t_status cli_check_replaceable(cli_context *cli, const char *option, const char *path,
                                 const char *kind)
{
    const f0t_inspect_options quick = {.size = sizeof(f0t_inspect_options), .quick = true};
    f0t_inspection *found = NULL;
    struct stat info;
    f0t_status status = cli_check_file(cli, option, path);
    if (status != F0T_OK || stat(path, &info) != 0 || info.st_size == 0)
        return status;
    if (f0t_inspect(&found, path, &quick, NULL) != F0T_OK || strcmp(found->kind, kind) != 0)
        status = cli_fail(cli, F0T_ERROR_ARGUMENT,
                          "%s %s: exists and is not a %s file (%s); not replaced", option, path,
                          kind, found ? found->title : "unknown content");
    f0t_inspection_free(found);
    return status;
}

bool cli_is_same_file(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

f0t_status cli_check_folder(cli_context *cli, const char *option, const char *path)
{
    if (mkdir(path, 0777) == 0) {
        rmdir(path);
        return F0T_OK;
    }
    int fault = errno;
    if (fault == EEXIST && !cli_is_folder(path))
        fault = ENOTDIR;
    else if (fault == EEXIST)
        fault = access(path, W_OK | X_OK) == 0 ? 0 : errno;
    return fail_output(cli, option, path, fault);
}

/* ---- What stands in another's place ------------------------------------------------------- */

f0t_status cli_fail_swapped(cli_context *cli, const char *order)
{
    return cli_fail(cli, F0T_ERROR_ARGUMENT,
                    "the names seem to be swapped; the order is: fast0tag %s %s", cli->name, order);
}

bool cli_vectors_swapped(const char *operand, const char *vectors)
{
    return access(vectors, F_OK) == 0 && cli_is_kind(operand, "vectors") &&
           !cli_is_kind(vectors, "vectors");
}

bool cli_output_swapped(const char *source, const char *output)
{
    const bool source_is_old = access(source, F_OK) != 0 || cli_is_dataset(source);
    return source_is_old && access(output, F_OK) == 0 && !cli_is_dataset(output);
}

/* ---- The cache ---------------------------------------------------------------------------- */

/* The folder of the user's caches (XDG Base Directory Specification); NULL: none is known. */
static const char *cache_root(char *room, size_t size)
{
    const char *set = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (set && *set == '/')
        return set;
    if (!home || *home != '/' || snprintf(room, size, "%s/.cache", home) >= (int)size)
        return NULL;
    return room;
}

const char *cli_cache_folder(bool wanted)
{
    static char path[4096];
    char room[4096];
    const char *root = wanted ? cache_root(room, sizeof room) : NULL;
    if (!root || snprintf(path, sizeof path, "%s/fast0tag", root) >= (int)sizeof path)
        return NULL;
    (void)!mkdir(root, 0700); /* what is below is the library's */
    return path;
}
