#include "base/companion.h"

#include "base/alloc.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static const char *const places[] = {"", "../", "../libexec/fast0tag/", "../../libexec/fast0tag/"};

/* Looks in the places that stand in relation to `file`. */
static bool look_around(char *path, const char *file, const char *name, int mode)
{
    const char *slash = strrchr(file, '/');
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        int n = snprintf(path, PATH_SIZE, "%.*s/%s%s", (int)(slash - file), file, places[i], name);
        if (n < PATH_SIZE && access(path, mode) == 0)
            return true;
    }
    return false;
}

static bool look_around_library(char *path, const char *name, int mode)
{
    Dl_info info;
    return dladdr(places, &info) && info.dli_fname && info.dli_fname[0] == '/' &&
           look_around(path, info.dli_fname, name, mode);
}

static bool look_around_program(char *path, const char *name, int mode)
{
    char self[PATH_SIZE];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return false;
    self[length] = 0;
    return look_around(path, self, name, mode);
}

f0t_status f0t_companion_find(char **out, const char *name, const char *variable, int mode)
{
    char path[PATH_SIZE];
    const char *given = secure_getenv(variable);
    *out = NULL;
    if (given && *given)
        return f0t_string_copy(out, given, strlen(given));
    if (look_around_program(path, name, mode) || look_around_library(path, name, mode))
        return f0t_string_copy(out, path, strlen(path));
    return F0T_OK;
}
