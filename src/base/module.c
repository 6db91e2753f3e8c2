#include "base/module.h"

#include "base/alloc.h"
#include "base/companion.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* dlerror's text begins with the path where the file itself cannot be opened. */
static f0t_status load(void **entry, const f0t_module *module, const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s cannot be loaded: %s", module->what, dlerror());
    *entry = dlsym(library, module->entry);
    if (*entry)
        return F0T_OK;
    dlclose(library);
    return f0t_fail(F0T_ERROR_FORMAT, "%s: is no module of fast0tag", path);
}

/* A module is code that runs as the caller: others must not have been able to write it. */
static f0t_status check_owner(const f0t_module *module, const char *path)
{
    struct stat info;
    if (!strchr(path, '/'))
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s is '%s': it must be a path", module->variable,
                        path);
    if (stat(path, &info) == 0 &&
        ((info.st_uid != 0 && info.st_uid != geteuid()) || (info.st_mode & (S_IWGRP | S_IWOTH))))
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%s: is another user's, or others may write it: it is not loaded", path);
    return F0T_OK;
}

f0t_status f0t_module_load(void **entry, const f0t_module *module)
{
    char *path;
    F0T_TRY(f0t_companion_find(&path, module->file, module->variable, R_OK));
    if (!path)
        return f0t_fail(F0T_ERROR_NOT_FOUND, "the module %s, which %s, or set %s to its path",
                        module->file, module->missing, module->variable);
    f0t_status status = check_owner(module, path);
    if (status == F0T_OK)
        status = load(entry, module, path);
    f0t_free(path);
    return status;
}
