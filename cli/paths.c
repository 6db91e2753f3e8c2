/* What a path is, as far as commands take different ways by it. */
#include "cli.h"

#include <sys/stat.h>
#include <unistd.h>

static bool has_file(const char *folder, const char *name)
{
    char path[4096];
    return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
           access(path, F_OK) == 0;
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
