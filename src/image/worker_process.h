/*
 * One run of the program fast0tag-picture: started, talked to with a deadline, ended. It gets nothing of the caller's
 * but a socket: no other descriptor, no signal mask or disposition, and of the environment what its libraries and
 * the loader need (no names of servers, no passwords).
 */
#ifndef F0T_IMAGE_WORKER_PROCESS_H
#define F0T_IMAGE_WORKER_PROCESS_H

#include "base/status.h"

#include <sys/types.h>

typedef struct f0t_worker_process {
    pid_t pid; /* 0: none runs */
    pid_t owner;
    int socket;
} f0t_worker_process;

/* `role` is one of image/protocol.h. Fails where a sandbox is required ($F0T_REQUIRE_SANDBOX) and there is none. */
f0t_status f0t_worker_process_start(f0t_worker_process *p, const char *program, const char *role);
/* Ends it at once. In a child of the process that started it (fork), nothing of the parent's ends. */
void f0t_worker_process_end(f0t_worker_process *p);
/* Fails where another process than the one that runs has started it. */
f0t_status f0t_worker_process_check(const f0t_worker_process *p);
/* F0T_SANDBOX_NONE as soon as one of all that have started had none. */
f0t_sandbox f0t_worker_process_sandbox(void);
/* Processor time that it has used, in seconds; 0 where it cannot be told. */
double f0t_worker_process_time(const f0t_worker_process *p);
/* Somebody may have ended it (the system, for want of memory) since its last reply. */
bool f0t_worker_process_has_ended(const f0t_worker_process *p);

/* All bytes, before `deadline` (f0t_time), and a descriptor (-1: none) for the other side with the first of them. False
 * when the process is gone or the time is over. */
bool f0t_worker_process_send(const f0t_worker_process *p, const void *data, size_t size, int fd,
                             double deadline);
bool f0t_worker_process_receive(const f0t_worker_process *p, void *data, size_t size,
                                double deadline);

#endif
