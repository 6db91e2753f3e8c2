/*
 * Memory that all processes of a group see, where they are on one machine: what one has written the others read when
 * all have met. Nothing is copied for it. It has no name in any file system, so that neither a small /dev/shm limits it nor
 * a process that is killed leaves it behind.
 *
 *     f0t_common_create(&common, group, bytes);   NULL: by messages (base/group.h)
 *     …                                           each writes into f0t_common_at(common, group->rank)
 *     f0t_common_meet(common);
 *     …                                           other work
 *     f0t_common_wait(common);                    and may read that of the others
 */
#ifndef F0T_BASE_COMMON_H
#define F0T_BASE_COMMON_H

#include "base/group.h"

typedef struct f0t_common f0t_common;

/* `bytes` of zeros for each process; all call it, with the same number. *out is NULL, in all of them, where it cannot be
 * had: they are on several machines, or one of them may not open another's memory. */
f0t_status f0t_common_create(f0t_common **out, const f0t_group *group, size_t bytes);
/* Waits for what was begun. NULL is fine. */
void f0t_common_free(f0t_common *common);

/* That of process `rank`. */
void *f0t_common_at(const f0t_common *common, size_t rank);

/* Says that this process has come so far, and waits until all have said so. A wait that nothing was begun for is over. */
f0t_status f0t_common_meet(f0t_common *common);
f0t_status f0t_common_wait(f0t_common *common);

#endif
