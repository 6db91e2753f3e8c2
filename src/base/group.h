/*
 * The processes of a run, and what they tell each other.
 *
 * A group is a table of functions that the processes of one run call in the same order: sums, copies, work that is
 * handed out, and how the run ends. A process that works alone has f0t_group_alone, where all of this is nothing.
 * That of many is a module, fast0tag-mpi.so (src/mpi/, base/module.h), which is loaded when a context asks for it.
 *
 *     const f0t_group *group = f0t_group_current();
 *     f0t_exchange *exchange;
 *     group->sum(&exchange, gradient, n);    begins
 *     …                                      other work
 *     group->wait(exchange);                 the part of `gradient` that is this process's has the sum
 *
 * Where a process fails, the others' waits fail, too, and the run ends by `agree`.
 */
#ifndef F0T_BASE_GROUP_H
#define F0T_BASE_GROUP_H

#include "base/context.h"
#include "base/dtype.h"

typedef struct f0t_group f0t_group;
typedef struct f0t_exchange f0t_exchange; /* begun, and to be waited for once; NULL: done */

/* What has been exchanged since the start. */
typedef struct f0t_group_traffic {
    uint64_t bytes; /* that this process has sent to others */
    double moving;  /* seconds in which something was under way */
    double waited;  /* and seconds of these in which the process did nothing else */
} f0t_group_traffic;

struct f0t_group {
    size_t rank, size; /* this process is number `rank` of `size` */
    size_t beside;     /* how many of them are on this machine, itself included */
    bool coarse;       /* sums travel as bfloat16 */

    /* An array of n elements is cut into `size` parts of nearly equal length: f0t_group_part. `sum` adds up x over the
     * processes, and each has the sum of its own part afterwards; the rest of x stays as it was. `share` copies
     * each process's part of x, elements of `size` bytes (2 or 4), to all others. The memory is the exchange's until `wait`.
     * Messages are below 2 GB: an array that has more is refused. */
    f0t_status (*sum)(f0t_exchange **out, float *x, size_t n);
    f0t_status (*share)(f0t_exchange **out, void *x, size_t n, size_t size);
    /* x[n] of all processes added up: the same bytes in each. */
    f0t_status (*total)(f0t_exchange **out, double *x, size_t n);
    /* From process 0 to all. */
    f0t_status (*broadcast)(f0t_exchange **out, void *x, size_t bytes);
    f0t_status (*wait)(f0t_exchange *exchange);

    /* Work that is handed out, one piece at a time: the next one that nobody has taken of round `round`. */
    f0t_status (*take)(uint64_t *piece, uint64_t round);
    /* What came of a piece, to process 0, and there: the caller's to free. Unless it shall wait for one, *data may be
     * NULL: none has arrived. */
    f0t_status (*send)(uint64_t piece, const void *data, size_t bytes);
    f0t_status (*receive)(uint64_t *piece, void **data, size_t *bytes, bool waits);

    /* Another process has failed: what this one does is of no use. */
    bool (*failed)(void);
    /* At the end each process says how it fared. Gives the same in all: F0T_OK, or what the first that failed by
     * itself said, with its message. */
    f0t_status (*agree)(f0t_status status, const char *message);
    void (*traffic)(f0t_group_traffic *out);
    void (*close)(void);
};

extern const f0t_group f0t_group_alone;

/* That of the context which the calling thread works in. */
const f0t_group *f0t_group_current(void);

/* Where the part of process `rank` begins in an array of n elements; that of `size` is the end. */
static inline size_t f0t_group_part(size_t n, size_t rank, size_t size)
{
    return n / size * rank + (n % size < rank ? n % size : rank);
}

/* How many of `count` items a piece of work has, at most `most`: there are several pieces per process, of which one that is
 * slower takes fewer. */
static inline size_t f0t_group_piece(const f0t_group *group, size_t count, size_t most)
{
    const size_t share = count / (8 * group->size) + 1;
    return share < most ? share : most;
}

/* By name; NULL: alone. `coarse`: sums travel as bfloat16. Fails where the module is missing, and where the processes are
 * of different versions or have different `task`s. */
f0t_status f0t_group_open(const f0t_group **out, const char *name, const char *task, bool coarse);

/* ---- Begun and waited for at once ------------------------------------------------------------------- */

f0t_status f0t_group_total(const f0t_group *group, double *x, size_t n);
f0t_status f0t_group_broadcast(const f0t_group *group, void *x, size_t bytes);
/* Fails in every process where `text` is not the same in all; `what` names it: "the data of the training". */
f0t_status f0t_group_same(const f0t_group *group, const char *what, const void *text, size_t bytes);

/* ---- Work in pieces --------------------------------------------------------------------------------- */

/* Pieces [0, pieces) of some work, each done by whichever process is free. */
typedef struct f0t_group_work {
    uint64_t pieces;
    void *user;
    /* Does one. *out is what came of it, the group's to free (f0t_alloc). */
    f0t_status (*run)(void *user, uint64_t piece, void **out, size_t *bytes);
    /* Called by process 0, for all pieces in their order. */
    f0t_status (*take)(void *user, uint64_t piece, const void *data, size_t bytes);
    bool any_order; /* they are taken as they come, */
    bool to_all;    /* and in the end by each other process, too */
} f0t_group_work;

/* While a piece is run, the calling thread works alone: f0t_group_current has one process, which knows whether another of the
 * group has failed. */
f0t_status f0t_group_run(const f0t_group *group, const f0t_group_work *work);

/* ---- The module ------------------------------------------------------------------------------------- */

/* What a module has of the library. */
typedef struct f0t_group_host {
    size_t size; /* of this table, and that of f0t_group: a module of another build is refused */
    size_t group_size;
    const char *version; /* of the library */
    const char *task;
    bool coarse;
    f0t_status (*fail)(f0t_status status, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
    void (*to_bf16)(uint16_t *to, const float *from, size_t n);
    void (*to_f32)(float *to, const void *from, f0t_dtype type, size_t n);
    void (*free_nothing)(void); /* before an exchange that is under way is given up */
} f0t_group_host;

typedef f0t_status f0t_group_open_function(const f0t_group **out, const f0t_group_host *host);

#endif
