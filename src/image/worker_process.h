/* The process behind a worker: found, started, talked to with a deadline, ended. */
#ifndef F0T_IMAGE_WORKER_PROCESS_H
#define F0T_IMAGE_WORKER_PROCESS_H

#include "base/status.h"

#include <sys/types.h>

typedef struct f0t_worker_process {
    pid_t pid; /* 0: none runs */
    int socket;
} f0t_worker_process;

/* The path of the program; the caller's to free. */
f0t_status f0t_worker_process_find(char **path);

f0t_status f0t_worker_process_start(f0t_worker_process *process, const char *path);
/* Ends it at once. */
void f0t_worker_process_end(f0t_worker_process *process);

/* All bytes, before `deadline` (f0t_time). False when the process is gone or the time is over. */
bool f0t_worker_process_send(const f0t_worker_process *process, const void *data, size_t size,
                             double deadline);
bool f0t_worker_process_receive(const f0t_worker_process *process, void *data, size_t size,
                                double deadline);

#endif
