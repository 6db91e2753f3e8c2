#include "compute/device.h"

#include "base/alloc.h"
#include "base/companion.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char module[] = "fast0tag-cuda.so";

/* dlerror's text begins with the path where the file itself cannot be opened. */
static f0t_status load(f0t_module_open_function **open, const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return f0t_fail(F0T_ERROR_NOT_FOUND, "the module of the GPU cannot be loaded: %s",
                        dlerror());
    *(void **)open = dlsym(library, "f0t_module_open");
    if (*open)
        return F0T_OK;
    dlclose(library);
    return f0t_fail(F0T_ERROR_FORMAT, "%s: is no module of fast0tag", path);
}

/* A module is code that runs as the caller: others must not have been able to write it. */
static f0t_status check_owner(const char *path)
{
    struct stat info;
    if (!strchr(path, '/'))
        return f0t_fail(F0T_ERROR_ARGUMENT, "F0T_CUDA is '%s': it must be a path", path);
    if (stat(path, &info) == 0 &&
        ((info.st_uid != 0 && info.st_uid != geteuid()) || (info.st_mode & (S_IWGRP | S_IWOTH))))
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%s: is another user's, or others may write it: it is not loaded", path);
    return F0T_OK;
}

static f0t_status open_module(const f0t_compute **out)
{
    char *path;
    f0t_module_open_function *open;
    const f0t_module_host host = {.size = sizeof host,
                                  .compute_size = sizeof(f0t_compute),
                                  .version = f0t_version(),
                                  .fail = f0t_fail,
                                  .loss_check = f0t_loss_batch_check,
                                  .update_factors = f0t_update_factors_make,
                                  .cpu = &f0t_compute_cpu};
    F0T_TRY(f0t_companion_find(&path, module, "F0T_CUDA", R_OK));
    if (!path)
        return f0t_fail(F0T_ERROR_NOT_FOUND,
                        "the module %s, which computes on a GPU, is not installed: build fast0tag "
                        "where nvcc is, or set F0T_CUDA to its path",
                        module);
    f0t_status status = check_owner(path);
    if (status == F0T_OK)
        status = load(&open, path);
    f0t_free(path);
    return status == F0T_OK ? open(out, &host) : status;
}

/* Once per process: what was opened stays. A failure is not remembered. */
static f0t_status open_once(const f0t_compute **out)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static const f0t_compute *opened;
    f0t_status status = F0T_OK;
    pthread_mutex_lock(&lock);
    if (!opened)
        status = open_module(&opened);
    *out = opened;
    pthread_mutex_unlock(&lock);
    return status;
}

f0t_status f0t_device_find(const f0t_compute **out, const char *name)
{
    *out = &f0t_compute_cpu;
    if (!name || strcmp(name, f0t_compute_cpu.device) == 0)
        return F0T_OK;
    if (strcmp(name, "cuda") == 0)
        return open_once(out);
    return f0t_fail(F0T_ERROR_UNSUPPORTED, "there is no device '%s': cpu, cuda", name);
}
