/*
 * The group of processes of a run under mpirun, on Open MPI.
 *
 * A thread of its own makes all calls of MPI (thread.c): what is under way moves on while the process computes, and
 * word of a failure elsewhere arrives whatever this process is doing. The process's own thread puts exchanges
 * (exchange.c) into the queue, and sleeps where it waits for one.
 */
#ifndef F0T_MPI_MPI_H
#define F0T_MPI_MPI_H

#include "base/group.h"

#include <mpi.h>
#include <pthread.h>

typedef enum f0t_mpi_kind {
    F0T_MPI_SUM,
    F0T_MPI_SHARE,
    F0T_MPI_TOTAL,
    F0T_MPI_BROADCAST,
    F0T_MPI_ASK,    /* for a piece of work */
    F0T_MPI_RESULT, /* of a piece, to process 0 */
    F0T_MPI_ALARM,  /* this process has failed */
    F0T_MPI_REPORT, /* how this process fared, to process 0 */
    F0T_MPI_VERDICT /* and how the run did, to all */
} f0t_mpi_kind;

/* Memory that is used again: fresh pages for every exchange would cost as much as the exchange. */
typedef struct f0t_mpi_memory {
    void *data;
    size_t capacity;
    struct f0t_mpi_memory *next;
} f0t_mpi_memory;

struct f0t_exchange {
    f0t_mpi_kind kind;
    void *x;
    size_t n, size; /* elements, and bytes of one */
    void *to;       /* where the reports of all go */
    void *copy;     /* of x, where that may be gone before the exchange is given up; or NULL */
    int *counts; /* [4 x processes]: counts and places of what is sent, and of what is received */
    f0t_mpi_memory *sent, *received; /* where they are not x itself */
    MPI_Request request;
    bool done, refused; /* refused: f0t_mpi.problem says why */
    struct f0t_exchange *next;
};

/* What came of a piece of work, at process 0. */
typedef struct f0t_mpi_result {
    uint64_t piece;
    void *data;
    size_t bytes;
    struct f0t_mpi_result *next;
} f0t_mpi_result;

enum {
    F0T_MPI_ROUNDS = 16, /* of work whose counters are kept at the same time */
    F0T_MPI_PROBLEM_SIZE = 400
};

/* Of the process. `lock` guards what both threads use. */
typedef struct f0t_mpi_state {
    f0t_group_host host;
    int rank, size, beside;
    MPI_Comm world, alarms, work, verdicts;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* tells the process that something is done, or that all is lost */
    pthread_cond_t queued;  /* tells the thread of something in the queue */
    bool started, joined, ending, failed; /* failed: a process has; by f0t_mpi_failed */
    char problem
        [F0T_MPI_PROBLEM_SIZE]; /* what went wrong first in this process's messages; "": nothing */
    f0t_exchange *first, *last; /* the queue */
    f0t_mpi_result *results, *newest; /* oldest first */
    uint64_t taken[F0T_MPI_ROUNDS], round_of[F0T_MPI_ROUNDS];
    f0t_group_traffic traffic;
} f0t_mpi_state;

extern f0t_mpi_state f0t_mpi;

/* Seconds on a clock that only goes forward. */
double f0t_mpi_time(void);

/* Whether a process has failed; both threads ask and say so at any time. */
static inline bool f0t_mpi_failed(void)
{
    return __atomic_load_n(&f0t_mpi.failed, __ATOMIC_ACQUIRE);
}

static inline void f0t_mpi_set_failed(void)
{
    __atomic_store_n(&f0t_mpi.failed, true, __ATOMIC_RELEASE);
}

/* Adds to what has been sent. */
static inline void f0t_mpi_sent(size_t bytes)
{
    pthread_mutex_lock(&f0t_mpi.lock);
    f0t_mpi.traffic.bytes += bytes;
    pthread_mutex_unlock(&f0t_mpi.lock);
}

/* ---- problem.c: called by the thread ---- */

/* Whether a call of MPI has succeeded; where it has not, f0t_mpi.problem says so: F0T_MPI_DONE(MPI_Test(…)). Communicators
 * give errors back instead of ending the process, which has files to leave as they were, and a line to say. */
#define F0T_MPI_DONE(call) f0t_mpi_done(call, #call)
bool f0t_mpi_done(int code, const char *call);
/* The same for memory; false. `what` it is for. */
bool f0t_mpi_lack_memory(const char *what);
/* Nothing can be exchanged any more: what the process waits for fails. */
void f0t_mpi_give_up(void);

/* ---- exchange.c: called by the thread ---- */

/* Begins it; false where that cannot be done. */
bool f0t_mpi_begin(f0t_exchange *exchange);
/* What is left to do when its messages have arrived. */
void f0t_mpi_complete(f0t_exchange *exchange);

/* ---- thread.c ---- */

/* Starts the thread, which starts MPI. */
f0t_status f0t_mpi_start(void);
/* Ends both, when nothing is under way. After a failure MPI is left as it is: the process is about to exit, and mpirun
 * ends those that do not. */
void f0t_mpi_stop(void);
/* The next piece of a round, of which process 0 keeps count. */
uint64_t f0t_mpi_next_piece(uint64_t round);

#endif
