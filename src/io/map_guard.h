/* Mapped files that another program makes shorter: reading what is gone gives zeros and a mark, not the end of the process. */
#ifndef F0T_IO_MAP_GUARD_H
#define F0T_IO_MAP_GUARD_H

#include "base/status.h"

#include <stddef.h>

typedef struct f0t_map_guard f0t_map_guard;

/* Watches over the mapping [begin, begin + size) of a file. While any is watched, SIGBUS has a handler of ours: it puts
 * zeros in the place of pages of these mappings that cannot be read, and passes everything else on to the handler that
 * was there before, or to the system. A thread that blocks SIGBUS does without. So does a program that sets a handler of
 * its own later, which does not call ours: from then on, for mappings that are taken after that too, as nobody can tell
 * whether it calls ours. */
f0t_status f0t_map_guard_take(f0t_map_guard **out, const void *begin, size_t size);
/* Before the mapping goes. NULL is fine. */
void f0t_map_guard_drop(f0t_map_guard *guard);

/* Whether something of the mapping could not be read since it was taken. */
bool f0t_map_guard_is_cut(const f0t_map_guard *guard);

#endif
