/* The thread that makes all calls of MPI. */
#include "mpi/mpi.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

enum {
    ACTIVE_MOST = 256, /* exchanges that are under way */
    URGENT_MOST = 4,   /* besides: a process has one or two at a time */
    POLL_NANOSECONDS =
        40000, /* between two looks at those under way: the process computes meanwhile */
    IDLE_NANOSECONDS = 1000000
};

static f0t_exchange *active[ACTIVE_MOST + URGENT_MOST]; /* the thread's alone */
static size_t active_count;
static bool
    broken; /* one was refused: those after it would meet others' of another place in the order */
static double began; /* when the first of them did */

double f0t_mpi_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Exchanges ---------------------------------------------------------------------------------- */

static void end_exchange(f0t_exchange *e, bool refused)
{
    pthread_mutex_lock(&f0t_mpi.lock);
    e->refused = refused;
    e->done = true;
    pthread_cond_broadcast(&f0t_mpi.changed);
    pthread_mutex_unlock(&f0t_mpi.lock);
}

/* How a run ends: it has messages of its own, and waits for nothing. */
static bool is_urgent(const f0t_exchange *e)
{
    return e->kind == F0T_MPI_ALARM || e->kind == F0T_MPI_REPORT || e->kind == F0T_MPI_VERDICT;
}

/* The next that can begin, under the lock, and the one before it; NULL: none can. After a failure nothing else does. */
static f0t_exchange *find_queued(f0t_exchange **before)
{
    const bool only_urgent = active_count >= ACTIVE_MOST || f0t_mpi_failed();
    f0t_exchange *e = f0t_mpi.first;
    for (*before = NULL; e && only_urgent && !is_urgent(e); e = e->next)
        *before = e;
    return e;
}

static f0t_exchange *take_queued(void)
{
    f0t_exchange *before;
    pthread_mutex_lock(&f0t_mpi.lock);
    f0t_exchange *e = find_queued(&before);
    if (e && before)
        before->next = e->next;
    else if (e)
        f0t_mpi.first = e->next;
    if (e && e == f0t_mpi.last)
        f0t_mpi.last = before;
    pthread_mutex_unlock(&f0t_mpi.lock);
    return e;
}

static void begin_queued(void)
{
    f0t_exchange *e;
    while ((e = take_queued())) {
        if (!active_count)
            began = f0t_mpi_time();
        if ((!broken || is_urgent(e)) && f0t_mpi_begin(e)) {
            active[active_count++] = e;
            continue;
        }
        broken = true;
        f0t_mpi_release(e);
        end_exchange(e, true);
    }
}

/* Those that have ended leave, and the others close up in their order. */
static bool end_finished(void)
{
    size_t kept = 0;
    const size_t before = active_count;
    for (size_t i = 0; i < before; i++) {
        int done = 0;
        MPI_Test(&active[i]->request, &done, MPI_STATUS_IGNORE);
        if (!done) {
            active[kept++] = active[i];
            continue;
        }
        f0t_mpi_complete(active[i]);
        end_exchange(active[i], false);
    }
    active_count = kept;
    if (before && !kept) {
        pthread_mutex_lock(&f0t_mpi.lock);
        f0t_mpi.traffic.moving += f0t_mpi_time() - began;
        pthread_mutex_unlock(&f0t_mpi.lock);
    }
    return kept < before;
}

/* ---- Messages that nobody asked for --------------------------------------------------------------- */

static bool arrived(MPI_Comm from, int tag, MPI_Status *status)
{
    int there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, from, &there, status);
    return there != 0;
}

static void hear_alarm(void)
{
    MPI_Status status;
    if (!arrived(f0t_mpi.alarms, F0T_MPI_ALARM, &status))
        return;
    MPI_Recv(NULL, 0, MPI_BYTE, status.MPI_SOURCE, F0T_MPI_ALARM, f0t_mpi.alarms,
             MPI_STATUS_IGNORE);
    f0t_mpi.host.free_nothing();
    pthread_mutex_lock(&f0t_mpi.lock);
    f0t_mpi_set_failed();
    pthread_cond_broadcast(&f0t_mpi.changed);
    pthread_mutex_unlock(&f0t_mpi.lock);
}

uint64_t f0t_mpi_next_piece(uint64_t round)
{
    const size_t at = round % F0T_MPI_ROUNDS;
    pthread_mutex_lock(&f0t_mpi.lock);
    if (f0t_mpi.round_of[at] != round) {
        f0t_mpi.round_of[at] = round;
        f0t_mpi.taken[at] = 0;
    }
    const uint64_t piece = f0t_mpi.taken[at]++;
    pthread_mutex_unlock(&f0t_mpi.lock);
    return piece;
}

static bool hand_out(void)
{
    MPI_Status status;
    uint64_t round, piece;
    if (!arrived(f0t_mpi.work, F0T_MPI_ASK, &status))
        return false;
    MPI_Recv(&round, 1, MPI_UINT64_T, status.MPI_SOURCE, F0T_MPI_ASK, f0t_mpi.work,
             MPI_STATUS_IGNORE);
    piece = f0t_mpi_next_piece(round);
    MPI_Send(&piece, 1, MPI_UINT64_T, status.MPI_SOURCE, F0T_MPI_ASK + 100, f0t_mpi.work);
    return true;
}

/* Without memory for a result the run cannot go on, and ends as any that fails. */
static bool take_result(void)
{
    MPI_Status status;
    int bytes = 0;
    if (!arrived(f0t_mpi.work, F0T_MPI_RESULT, &status))
        return false;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    f0t_mpi_result *result = calloc(1, sizeof *result);
    char *data = malloc((size_t)bytes + 1);
    if (!result || !data)
        MPI_Abort(f0t_mpi.world, 1);
    MPI_Recv(data, bytes, MPI_BYTE, status.MPI_SOURCE, F0T_MPI_RESULT, f0t_mpi.work,
             MPI_STATUS_IGNORE);
    *result = (f0t_mpi_result){.data = data, .bytes = (size_t)bytes};
    pthread_mutex_lock(&f0t_mpi.lock);
    if (f0t_mpi.results)
        f0t_mpi.newest->next = result;
    else
        f0t_mpi.results = result;
    f0t_mpi.newest = result;
    pthread_cond_broadcast(&f0t_mpi.changed);
    pthread_mutex_unlock(&f0t_mpi.lock);
    return true;
}

/* ---- The loop ----------------------------------------------------------------------------------- */

static bool rest(void)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += active_count ? POLL_NANOSECONDS : IDLE_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&f0t_mpi.lock);
    f0t_exchange *before;
    const bool ended = f0t_mpi.ending && (f0t_mpi_failed() || (!f0t_mpi.first && !active_count));
    if (!ended && !find_queued(&before))
        pthread_cond_timedwait(&f0t_mpi.queued, &f0t_mpi.lock, &until);
    pthread_mutex_unlock(&f0t_mpi.lock);
    return !ended;
}

static void serve(void)
{
    bool busy;
    do {
        begin_queued();
        busy = end_finished();
        hear_alarm();
        while (f0t_mpi.rank == 0 && (hand_out() || take_result()))
            busy = true;
    } while (busy || rest());
}

static void open_world(void)
{
    MPI_Comm near;
    int given;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given);
    f0t_mpi.world = MPI_COMM_WORLD;
    MPI_Comm_rank(f0t_mpi.world, &f0t_mpi.rank);
    MPI_Comm_size(f0t_mpi.world, &f0t_mpi.size);
    MPI_Comm_dup(f0t_mpi.world, &f0t_mpi.alarms);
    MPI_Comm_dup(f0t_mpi.world, &f0t_mpi.work);
    MPI_Comm_dup(f0t_mpi.world, &f0t_mpi.verdicts);
    MPI_Comm_split_type(f0t_mpi.world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    MPI_Comm_size(near, &f0t_mpi.beside);
    MPI_Comm_free(&near);
}

static void *run(void *user)
{
    (void)prctl(PR_SET_TIMERSLACK, 1000UL); /* short sleeps are short */
    open_world();
    pthread_mutex_lock(&f0t_mpi.lock);
    f0t_mpi.started = true;
    pthread_cond_broadcast(&f0t_mpi.changed);
    pthread_mutex_unlock(&f0t_mpi.lock);
    serve();
    if (!f0t_mpi_failed()) /* else sums that not all have begun are under way: it would wait for them */
        MPI_Finalize();
    return user;
}

/* Signals are the process's own thread's. */
static int start_thread(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&f0t_mpi.thread, NULL, run, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

f0t_status f0t_mpi_start(void)
{
    pthread_condattr_t forward;
    pthread_condattr_init(&forward);
    pthread_condattr_setclock(&forward, CLOCK_MONOTONIC);
    pthread_mutex_init(&f0t_mpi.lock, NULL);
    pthread_cond_init(&f0t_mpi.changed, &forward);
    pthread_cond_init(&f0t_mpi.queued, &forward);
    pthread_condattr_destroy(&forward);
    if (start_thread() != 0)
        return f0t_mpi.host.fail(F0T_ERROR_MEMORY, "no thread can be started for Open MPI");
    pthread_mutex_lock(&f0t_mpi.lock);
    while (!f0t_mpi.started)
        pthread_cond_wait(&f0t_mpi.changed, &f0t_mpi.lock);
    pthread_mutex_unlock(&f0t_mpi.lock);
    return F0T_OK;
}

void f0t_mpi_stop(void)
{
    pthread_mutex_lock(&f0t_mpi.lock);
    f0t_mpi.ending = true;
    pthread_cond_signal(&f0t_mpi.queued);
    pthread_mutex_unlock(&f0t_mpi.lock);
    pthread_join(f0t_mpi.thread, NULL);
}
