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

/* One that could not begin, or that MPI has given up, keeps its memory, for messages may still come; those that wait for
 * others wait no longer. */
static void lose(void)
{
    broken = true;
    f0t_mpi_give_up();
}

static void begin_queued(void)
{
    f0t_exchange *e;
    while ((e = take_queued())) {
        if (!active_count)
            began = f0t_mpi_time();
        const bool tried = !broken || is_urgent(e);
        if (tried && f0t_mpi_begin(e)) {
            active[active_count++] = e;
            continue;
        }
        if (tried)
            lose();
        end_exchange(e, true);
    }
}

/* Whether it has ended. One that MPI gives up has, too. */
static bool end_one(f0t_exchange *e)
{
    int done = 0;
    const bool lost = !F0T_MPI_DONE(MPI_Test(&e->request, &done, MPI_STATUS_IGNORE));
    if (lost)
        lose();
    else if (done)
        f0t_mpi_complete(e);
    if (lost || done)
        end_exchange(e, lost);
    return lost || done;
}

/* Those that have ended leave, and the others close up in their order. */
static bool end_finished(void)
{
    size_t kept = 0;
    const size_t before = active_count;
    for (size_t i = 0; i < before; i++)
        if (!end_one(active[i]))
            active[kept++] = active[i];
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
    if (!F0T_MPI_DONE(MPI_Iprobe(MPI_ANY_SOURCE, tag, from, &there, status)))
        f0t_mpi_give_up();
    return there != 0;
}

static bool receive(void *to, int n, MPI_Datatype type, MPI_Comm from, const MPI_Status *status)
{
    return F0T_MPI_DONE(
        MPI_Recv(to, n, type, status->MPI_SOURCE, status->MPI_TAG, from, MPI_STATUS_IGNORE));
}

static void hear_alarm(void)
{
    MPI_Status status;
    if (!arrived(f0t_mpi.alarms, F0T_MPI_ALARM, &status))
        return;
    receive(NULL, 0, MPI_BYTE, f0t_mpi.alarms, &status);
    f0t_mpi_give_up();
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
    if (receive(&round, 1, MPI_UINT64_T, f0t_mpi.work, &status)) {
        piece = f0t_mpi_next_piece(round);
        if (F0T_MPI_DONE(MPI_Send(&piece, 1, MPI_UINT64_T, status.MPI_SOURCE, F0T_MPI_ASK + 100,
                                  f0t_mpi.work)))
            return true;
    }
    f0t_mpi_give_up();
    return false;
}

static f0t_mpi_result *receive_result(const MPI_Status *status)
{
    int bytes = 0;
    if (!F0T_MPI_DONE(MPI_Get_count(status, MPI_BYTE, &bytes)))
        return NULL;
    f0t_mpi_result *result = calloc(1, sizeof *result);
    char *data = malloc((size_t)bytes + 1);
    if (!result || !data)
        f0t_mpi_lack_memory("the result of another process");
    if (!result || !data || !receive(data, bytes, MPI_BYTE, f0t_mpi.work, status)) {
        free(result);
        free(data);
        return NULL;
    }
    *result = (f0t_mpi_result){.data = data, .bytes = (size_t)bytes};
    return result;
}

/* Without the result the run cannot go on, and ends as any that fails. */
static bool take_result(void)
{
    MPI_Status status;
    if (!arrived(f0t_mpi.work, F0T_MPI_RESULT, &status))
        return false;
    f0t_mpi_result *result = receive_result(&status);
    if (!result) {
        f0t_mpi_give_up();
        return false;
    }
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
        while (f0t_mpi.rank == 0 && !*f0t_mpi.problem && (hand_out() || take_result()))
            busy = true;
    } while (busy || rest());
}

/* Errors are ours to tell from when there is something to set that for; before, Open MPI itself ends most of what goes
 * wrong, in its own words. */
static bool open_world(void)
{
    MPI_Comm near;
    int given;
    f0t_mpi.world = MPI_COMM_WORLD;
    if (!F0T_MPI_DONE(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given)) ||
        !F0T_MPI_DONE(MPI_Comm_set_errhandler(f0t_mpi.world, MPI_ERRORS_RETURN)) ||
        !F0T_MPI_DONE(MPI_Comm_rank(f0t_mpi.world, &f0t_mpi.rank)) ||
        !F0T_MPI_DONE(MPI_Comm_size(f0t_mpi.world, &f0t_mpi.size)) ||
        !F0T_MPI_DONE(MPI_Comm_dup(f0t_mpi.world, &f0t_mpi.alarms)) ||
        !F0T_MPI_DONE(MPI_Comm_dup(f0t_mpi.world, &f0t_mpi.work)) ||
        !F0T_MPI_DONE(MPI_Comm_dup(f0t_mpi.world, &f0t_mpi.verdicts)) ||
        !F0T_MPI_DONE(
            MPI_Comm_split_type(f0t_mpi.world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near)) ||
        !F0T_MPI_DONE(MPI_Comm_size(near, &f0t_mpi.beside)))
        return false;
    MPI_Comm_free(&near);
    return true;
}

/* One that could not join says so, and ends: the others wait for it, and mpirun ends them. */
static void *run(void *user)
{
    (void)prctl(PR_SET_TIMERSLACK, 1000UL); /* short sleeps are short */
    const bool joined = open_world();
    pthread_mutex_lock(&f0t_mpi.lock);
    f0t_mpi.started = true;
    f0t_mpi.joined = joined;
    pthread_cond_broadcast(&f0t_mpi.changed);
    pthread_mutex_unlock(&f0t_mpi.lock);
    if (!joined)
        return user;
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
    const bool joined = f0t_mpi.joined;
    pthread_mutex_unlock(&f0t_mpi.lock);
    if (joined)
        return F0T_OK;
    pthread_join(f0t_mpi.thread, NULL);
    return f0t_mpi.host.fail(F0T_ERROR_IO, "%s", f0t_mpi.problem);
}

void f0t_mpi_stop(void)
{
    pthread_mutex_lock(&f0t_mpi.lock);
    f0t_mpi.ending = true;
    pthread_cond_signal(&f0t_mpi.queued);
    pthread_mutex_unlock(&f0t_mpi.lock);
    pthread_join(f0t_mpi.thread, NULL);
}
