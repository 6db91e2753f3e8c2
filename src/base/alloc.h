/* Allocation: counts are checked for overflow, and tests can make any call fail. */
#ifndef F0T_BASE_ALLOC_H
#define F0T_BASE_ALLOC_H

#include "base/status.h"

#include <stddef.h>

/* Each allocates memory for `count` elements of `size` bytes at 64-byte alignment, or fails with
 * F0T_ERROR_MEMORY and leaves *out NULL. A count of 0 returns a pointer that can be freed. */
f0t_status f0t_alloc(void *out, size_t count, size_t size);
f0t_status f0t_alloc_zero(void *out, size_t count, size_t size);

/* Grows *array (from f0t_alloc, or NULL) from `count` to at least `count + more` elements; capacity
 * doubles. On failure the array is unchanged. */
f0t_status f0t_grow(void *array, size_t *capacity, size_t count, size_t more, size_t size);

/* A copy of the first `length` bytes of `text`, NUL-terminated. */
f0t_status f0t_string_copy(char **out, const char *text, size_t length);

void f0t_free(void *memory);

/* What was freed goes back to the system, where the allocator keeps it for later: after much memory was used for once. */
void f0t_free_unused(void);

/* From here on f0t_free does nothing. For a process that is about to end because another one of its run has failed: messages
 * that nobody can call back may still be written into memory of its (base/group.h). */
void f0t_free_nothing(void);

#endif
