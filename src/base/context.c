#include "base/context.h"

#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

static _Thread_local const f0t_context *current;

const f0t_context *f0t_context_current(void)
{
    return current;
}

const f0t_context *f0t_context_enter(const f0t_context *context)
{
    const f0t_context *before = current;
    if (context)
        current = context;
    return before;
}

void f0t_context_leave(const f0t_context *const *before)
{
    current = *before;
}

const f0t_monitor *f0t_context_monitor(const f0t_context *context)
{
    context = context ? context : current;
    return context ? context->monitor : NULL;
}

const f0t_context *f0t_context_suspend(void)
{
    const f0t_context *before = current;
    current = NULL;
    return before;
}

int f0t_context_wanted(void)
{
#ifdef _OPENMP
    return current ? current->threads : omp_get_max_threads();
#else
    return 1;
#endif
}

/* ---- Options ------------------------------------------------------------------------------------- */

static bool is_zero(const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i])
            return false;
    return true;
}

f0t_status f0t_options_read(void *to, size_t size, const void *from, const char *name)
{
    enum { LARGEST = 1 << 16 };
    size_t given;
    if (!from)
        return F0T_OK;
    memcpy(&given, from, sizeof given);
    if (given < sizeof given || given > LARGEST)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "%s.size is %zu: options begin with their initializer, which sets it", name,
                        given);
    if (given > size && !is_zero((const unsigned char *)from + size, given - size))
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%s has members that version %s of the library does not know", name,
                        f0t_version());
    memcpy(to, from, given < size ? given : size);
    memcpy(to, &size, sizeof size);
    return F0T_OK;
}

void f0t_options_write(void *to, const void *from, size_t size)
{
    size_t given;
    memcpy(&given, to, sizeof given);
    memcpy(to, from, given < size ? given : size);
    memcpy(to, &given, sizeof given);
}
