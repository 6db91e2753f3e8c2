/* Buffers of any compute object, and the contexts that name one. */
#include "compute/compute.h"

#include "base/alloc.h"
#include "base/group.h"
#include "compute/device.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* Processes on one machine share it, unless each is bound to CPUs of its own; one alone has what it was given. */
static int threads_of_process(size_t beside)
{
    if (beside == 1)
        return all_threads();
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const int all = all_threads(), share = (int)(online / (long)beside);
    return share >= all ? all : share > 0 ? share : 1;
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
    const f0t_group *group;
    if (own.processes && own.device && strcmp(own.device, f0t_compute_cpu.device) != 0)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "the device '%s' is for one process: start it without mpirun", own.device);
    F0T_TRY(f0t_device_find(&compute, own.device));
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    f0t_status status = f0t_group_open(&group, own.processes, own.task, own.coarse_sums);
    **out = (f0t_context){.threads = own.threads ? own.threads : threads_of_process(group->beside),
                          .monitor = own.monitor,
                          .compute = compute,
                          .group = group};
    if (status != F0T_OK) {
        f0t_context_free(*out);
        *out = NULL;
    }
    return status;
}

static const f0t_group *group_of(const f0t_context *context)
{
    return context && context->group ? context->group : &f0t_group_alone;
}

void f0t_context_free(f0t_context *context)
{
    group_of(context)->close();
    f0t_free(context);
}

size_t f0t_context_processes(const f0t_context *context)
{
    return group_of(context)->size;
}

size_t f0t_context_rank(const f0t_context *context)
{
    return group_of(context)->rank;
}

f0t_status f0t_context_agree(const f0t_context *context, f0t_status status, const char *message)
{
    F0T_REQUIRE(context);
    char own[512]; /* f0t_last_error() may change on the way */
    snprintf(own, sizeof own, "%s", message ? message : f0t_last_error());
    return group_of(context)->agree(status, own);
}

int f0t_context_threads(const f0t_context *context)
{
    return context ? context->threads : all_threads();
}
