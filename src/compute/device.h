/*
 * The devices that a context may name. The CPU is built in. Another one is a module (base/module.h), which exports
 * `f0t_module_open`.
 */
#ifndef F0T_COMPUTE_DEVICE_H
#define F0T_COMPUTE_DEVICE_H

#include "compute/compute.h"

/* By name; NULL is "cpu". Fails, saying what is missing, where the module is not installed or finds no device. */
f0t_status f0t_device_find(const f0t_compute **out, const char *name);

/* What a module has of the library. */
typedef struct f0t_module_host {
    size_t size; /* of this table, and that of f0t_compute: a module of another build is refused */
    size_t compute_size;
    const char *version; /* of the library */
    f0t_status (*fail)(f0t_status status, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
    f0t_status (*loss_check)(size_t *training, f0t_loss loss, size_t images, size_t tags,
                             const f0t_loss_batch *batch);
    void (*loss_order)(uint32_t *order, const f0t_loss_options *options,
                       const f0t_loss_batch *batch, size_t m);
    f0t_update_factors (*update_factors)(const f0t_optimizer *optimizer, bool decays, uint64_t t,
                                         double rate);
    const f0t_compute *cpu; /* for what the device leaves to it */
} f0t_module_host;

/* The module's: its compute object, which stays valid, with the device ready. */
typedef f0t_status f0t_module_open_function(const f0t_compute **out, const f0t_module_host *host);

#endif
