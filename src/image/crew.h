/* A crew: workers of several threads that go through a list of pictures together. */
#ifndef F0T_IMAGE_CREW_H
#define F0T_IMAGE_CREW_H

#include "image/worker.h"

typedef struct f0t_crew {
    size_t count;      /* of pieces of work */
    size_t unit;       /* pictures of one; 0: 1 */
    const char *stage; /* what is done, for the monitor */
    void *context;
    /* Does picture i in thread `thread` (from 0, below f0t_threads_get()). A failure other than of
     * memory or by interruption is this picture's own: `failed` hears of it, and the work goes on. */
    f0t_status (*run)(void *context, f0t_worker *worker, size_t i, int thread);
    /* One call at a time. A failure ends the work. */
    f0t_status (*failed)(void *context, size_t i, f0t_status status, const char *message);
    const f0t_monitor *monitor;
} f0t_crew;

f0t_status f0t_crew_run(const f0t_crew *crew);

#endif
