#include "base/alloc.h"

#include "base/fault.h"
#include "base/size.h"

#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { ALIGNMENT = 64 }; /* a cache line, and the widest vector register */

static f0t_status allocate(void **out, size_t count, size_t size)
{
    size_t bytes, rounded;
    *out = NULL;
    if (!f0t_size_mul(&bytes, count, size) ||
        !f0t_size_round_up(&rounded, bytes ? bytes : 1, ALIGNMENT) || rounded > PTRDIFF_MAX)
        return f0t_fail(F0T_ERROR_MEMORY, "%zu elements of %zu bytes are more than memory can hold",
                        count, size);
    if (!f0t_fault_hit(F0T_FAULT_ALLOC))
        *out = aligned_alloc(ALIGNMENT, rounded);
    if (!*out)
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for %zu bytes", rounded);
    return F0T_OK;
}

f0t_status f0t_alloc(void *out, size_t count, size_t size)
{
    void *memory;
    f0t_status status = allocate(&memory, count, size);
    memcpy(out, &memory, sizeof memory);
    return status;
}

f0t_status f0t_alloc_zero(void *out, size_t count, size_t size)
{
    void *memory;
    f0t_status status = allocate(&memory, count, size);
    if (status == F0T_OK)
        memset(memory, 0, count * size);
    memcpy(out, &memory, sizeof memory);
    return status;
}

f0t_status f0t_grow(void *array, size_t *capacity, size_t count, size_t more, size_t size)
{
    size_t need, want;
    void *old, *memory;
    if (!f0t_size_add(&need, count, more))
        return f0t_fail(F0T_ERROR_MEMORY, "%zu and %zu elements are too many", count, more);
    if (need <= *capacity)
        return F0T_OK;
    want = *capacity > SIZE_MAX / 2 ? need : *capacity * 2;
    if (want < need)
        want = need;
    if (want < 16)
        want = 16;
    F0T_TRY(allocate(&memory, want, size));
    memcpy(&old, array, sizeof old);
    if (count)
        memcpy(memory, old, count * size);
    free(old);
    memcpy(array, &memory, sizeof memory);
    *capacity = want;
    return F0T_OK;
}

f0t_status f0t_string_copy(char **out, const char *text, size_t length)
{
    size_t bytes;
    *out = NULL;
    if (!f0t_size_add(&bytes, length, 1))
        return f0t_fail(F0T_ERROR_MEMORY, "a text of %zu bytes is too long", length);
    F0T_TRY(f0t_alloc(out, bytes, 1));
    if (length)
        memcpy(*out, text, length);
    (*out)[length] = '\0';
    return F0T_OK;
}

static bool abandoned;

void f0t_free(void *memory)
{
    if (!__atomic_load_n(&abandoned, __ATOMIC_ACQUIRE))
        free(memory);
}

void f0t_free_unused(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void f0t_free_nothing(void)
{
    __atomic_store_n(&abandoned, true, __ATOMIC_RELEASE);
}
