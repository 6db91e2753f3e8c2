/*
 * libgomp's threads wait for each other by spinning, for milliseconds by default. Where another
 * program wants the processor they spin in its way and in their own: a training beside two busy
 * programs took 20 times as long as with short waits. How long they spin is read from the
 * environment when libgomp is loaded, long before a library is asked for anything. But "if there are
 * more OpenMP threads than available CPUs", its manual says (GOMP_SPINCOUNT), it spins at
 * most 100 times, or 1000 with OMP_WAIT_POLICY=active. So there are: a team of one thread more than there
 * are CPUs is opened by a thread of its own, and sleeps from then on.
 *
 * Work of many short regions, such as the layers of a network, would wait longer for its threads to wake than it
 * computes. While it runs, that team is dismissed, and libgomp's threads stay awake between two regions; unless the
 * process is seen to be interrupted by others, who want the processors.
 */
#include "base/team.h"

#include "base/context.h"
#include "base/monitor.h"

#ifndef _OPENMP

int f0t_team_size(void)
{
    return 1;
}

bool f0t_team_wake(void)
{
    return false;
}

void f0t_team_rest(bool awake)
{
    (void)awake;
}

#else

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

static int cpus;                     /* that libgomp counts with */
static sem_t ready;                  /* the sleeping team is there, or cannot be */
static sem_t dismissed;              /* it is not wanted any more */
static bool has_room;                /* for it */
static volatile sig_atomic_t forked; /* libgomp's threads are in the parent alone */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows, but for reading */
static atomic_bool sleeping;                             /* the sleeping team is there */
static atomic_int awake;                                 /* pieces of work that want no sleep */
static pthread_t keeper;
static double rested; /* when the last such piece ended */

/* libgomp keeps the number that it found when it was loaded: so early, no thread is bound to a CPU. */
__attribute__((constructor)) static void count_cpus(void)
{
    cpus = omp_get_num_procs();
}

/* Not NULL when the system gives so many threads more. They start each other, and end. */
static void *find_room(void *count)
{
    const uintptr_t left = (uintptr_t)count;
    void *found = NULL;
    pthread_t next;
    if (!left)
        return &ready;
    if (pthread_create(&next, NULL, find_room, (void *)(left - 1)))
        return NULL;
    pthread_join(next, &found);
    return found;
}

static void open_team(void)
{
    omp_set_dynamic(0); /* of this thread alone: as many as are asked for */
#pragma omp parallel num_threads(cpus + 1)
    {
#pragma omp barrier
    }
}

/* libgomp ends the process where the system refuses it a thread: a wait that spins is the lesser
 * evil, so the threads are tried first, with those that the caller's own team will want. The team
 * lives as long as the thread that opened it. */
static void *keep_team(void *unused)
{
    has_room = find_room((void *)(2 * (uintptr_t)cpus)) != NULL;
    if (has_room)
        open_team();
    sem_post(&ready);
    while (has_room && sem_wait(&dismissed) && errno == EINTR)
        continue;
    return unused;
}

static void note_fork(void)
{
    forked = 1;
}

static void prepare(void)
{
    sem_init(&ready, 0, 0);
    sem_init(&dismissed, 0, 0);
    pthread_atfork(NULL, NULL, note_fork);
}

/* The threads take no signal that is meant for the program's own. SIGBUS is meant for the one that reads a mapped file. */
static void start_team(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    sigset_t all, before;
    pthread_once(&once, prepare);
    sigfillset(&all);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&keeper, NULL, keep_team, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    while (started && sem_wait(&ready) && errno == EINTR)
        continue;
    if (started && !has_room)
        pthread_join(keeper, NULL);
    sleeping = started && has_room;
}

static void dismiss_team(void)
{
    sem_post(&dismissed);
    pthread_join(keeper, NULL); /* with it, its team is gone */
    sleeping = false;
}

/* ---- Staying awake ---------------------------------------------------------------------------- */

/* A piece of work that follows another one soon finds the threads as they were. */
static const double SOON = 1;

/* Threads that are interrupted so often, per second, have to share the processors; and how long is looked for it. The system's own
 * threads interrupt those of an idle machine some 40 times, and one busy program 250 times. */
static const double OFTEN = 100, LOOK = 0.1;

static bool is_interrupted(void)
{
    static double since;
    static long count;
    static bool often;
    struct rusage used;
    const double now = f0t_time();
    if (since > 0 && now - since < LOOK)
        return often;
    getrusage(RUSAGE_SELF, &used);
    often = since > 0 && (double)(used.ru_nivcsw - count) > OFTEN * (now - since);
    since = now;
    count = used.ru_nivcsw;
    return often;
}

static void need_sleeping_team(void)
{
    static bool tried;
    if (sleeping || awake)
        return;
    pthread_mutex_lock(&lock);
    if (!sleeping && !awake && (!tried || has_room) && (!tried || f0t_time() - rested > SOON)) {
        tried = true;
        start_team();
    }
    pthread_mutex_unlock(&lock);
}

bool f0t_team_wake(void)
{
    if (f0t_team_size() < 2)
        return false;
    pthread_mutex_lock(&lock);
    const bool wakes = !is_interrupted();
    awake += wakes;
    if (wakes && sleeping)
        dismiss_team();
    pthread_mutex_unlock(&lock);
    return wakes;
}

void f0t_team_rest(bool was_awake)
{
    if (!was_awake)
        return;
    pthread_mutex_lock(&lock);
    rested = f0t_time();
    awake--;
    pthread_mutex_unlock(&lock);
}

/* ---- The size of a team ----------------------------------------------------------------------- */

/* As many of `size` as the system has been seen to give: libgomp ends the process where it refuses one. */
static int allowed(int size)
{
    static atomic_int seen = 1;
    const int most = atomic_load_explicit(&seen, memory_order_relaxed);
    if (size <= most)
        return size;
    if (!find_room((void *)(uintptr_t)size))
        return most;
    atomic_store_explicit(&seen, size, memory_order_relaxed);
    return size;
}

int f0t_team_size(void)
{
    const int size = omp_in_parallel() || forked ? 1 : allowed(f0t_context_wanted());
    if (size > 1)
        need_sleeping_team();
    return size;
}

#endif
