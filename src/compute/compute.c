/* Buffers of any compute object, and the contexts that name one. */
#include "compute/compute.h"

#include "base/alloc.h"
#include "base/context.h"
#include "compute/device.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* ---- Buffers ------------------------------------------------------------------------------------ */

static f0t_status create(f0t_buffer **out, const f0t_compute *compute, f0t_dtype type, size_t count)
{
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    **out = (f0t_buffer){.compute = compute, .type = type, .count = count};
    return F0T_OK;
}

static f0t_status keep(f0t_buffer **out, f0t_status status)
{
    if (status != F0T_OK) {
        f0t_buffer_free(*out);
        *out = NULL;
    }
    return status;
}

f0t_status f0t_buffer_create(f0t_buffer **out, const f0t_compute *compute, f0t_dtype type,
                             size_t count)
{
    F0T_TRY(create(out, compute, type, count));
    return keep(out, compute->alloc(*out));
}

f0t_status f0t_buffer_create_packed(f0t_buffer **out, const f0t_compute *compute, f0t_dtype type,
                                    const float *b, size_t k, size_t n, bool transposed,
                                    size_t rows)
{
    F0T_TRY(create(out, compute, type, k * n));
    return keep(out, compute->pack(*out, b, k, n, transposed, rows));
}

void f0t_buffer_free(f0t_buffer *buffer)
{
    if (!buffer)
        return;
    buffer->compute->release(buffer);
    f0t_free(buffer);
}

/* ---- Contexts ----------------------------------------------------------------------------------- */

const f0t_compute *f0t_compute_current(void)
{
    const f0t_context *context = f0t_context_current();
    return context && context->compute ? context->compute : &f0t_compute_cpu;
}

static int all_threads(void)
{
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

enum { THREADS_MOST = 4096 };

f0t_status f0t_context_create(f0t_context **out, const f0t_context_options *options)
{
    F0T_REQUIRE(out);
    *out = NULL;
    f0t_context_options own = F0T_CONTEXT_OPTIONS;
    F0T_TRY(f0t_options_read(&own, sizeof own, options, "f0t_context_options"));
    if (own.threads < 0 || own.threads > THREADS_MOST)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "%d threads: a context has 1 to %d, or 0 for all of the machine",
                        own.threads, THREADS_MOST);
    const f0t_compute *compute;
    F0T_TRY(f0t_device_find(&compute, own.device));
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    **out = (f0t_context){.threads = own.threads ? own.threads : all_threads(),
                          .monitor = own.monitor,
                          .compute = compute};
    return F0T_OK;
}

void f0t_context_free(f0t_context *context)
{
    f0t_free(context);
}

int f0t_context_threads(const f0t_context *context)
{
    return context ? context->threads : all_threads();
}
