#include "compute/device.h"

#include "base/module.h"
#include "compute/loss_image.h"

#include <pthread.h>
#include <string.h>

static const f0t_module module = {
    .file = "fast0tag-cuda.so",
    .variable = "F0T_CUDA",
    .what = "the module of the GPU",
    .missing = "computes on a GPU, is not installed: build fast0tag where nvcc is",
    .entry = "f0t_module_open"};

static f0t_status open_module(const f0t_compute **out)
{
    f0t_module_open_function *open;
    const f0t_module_host host = {.size = sizeof host,
                                  .compute_size = sizeof(f0t_compute),
                                  .version = f0t_version(),
                                  .fail = f0t_fail,
                                  .loss_check = f0t_loss_batch_check,
                                  .loss_order = f0t_loss_order,
                                  .update_factors = f0t_update_factors_make,
                                  .cpu = &f0t_compute_cpu};
    F0T_TRY(f0t_module_load((void **)&open, &module));
    return open(out, &host);
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
