/* Parallel for: several threads go through a list of pictures together. */
#ifndef F0T_IMAGE_PARALLEL_H
#define F0T_IMAGE_PARALLEL_H

#include "base/status.h"

/* A piece of the work. */
typedef struct f0t_parallel_piece {
    size_t number;
    size_t next; /* the piece that this thread does after it; F0T_NONE: none */
    int thread;  /* from 0, below the loop's `threads` */
} f0t_parallel_piece;

typedef struct f0t_parallel_notes f0t_parallel_notes;

/* The loop. */
typedef struct f0t_parallel {
    size_t count;      /* of pieces of work */
    size_t pictures;   /* in all of them; 0: one in each */
    int threads;       /* at most, for which there is room */
    const char *stage; /* what is done, for the monitor */
    void *context;
    /* Does one piece. A failure other than of memory or by interruption is this piece's own: `failed`
     * hears of it, and the work goes on. What there is to say goes to `notes`. */
    f0t_status (*run)(void *context, const f0t_parallel_piece *piece, f0t_parallel_notes *notes);
    /* One call at a time. A failure ends the work. */
    f0t_status (*failed)(void *context, size_t i, f0t_status status, const char *message,
                         f0t_parallel_notes *notes);
    const f0t_monitor *monitor;
} f0t_parallel;

f0t_status f0t_parallel_for(const f0t_parallel *loop);

/* A warning for the monitor's log. Only the thread that called f0t_parallel_for calls the monitor: it
 * forwards the line. */
f0t_status f0t_parallel_warn(f0t_parallel_notes *notes, const char *line);

#endif
